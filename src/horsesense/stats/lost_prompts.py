"""Differences over prompts that several items share, where whole replies may be lost.

A lost reply costs all its items. Where a tenth of the replies is lost and the others are better by
as much, the mean difference is 0, but three samples of ten prompts in nine show no loss at all, and
their prompts all gain. No spread of what was seen tells of that. The share of lost prompts is
therefore one unknown, and the difference without them another: the true difference lies below what
was seen by the noise of the second, and by what the prompts would cost that may be lost beyond
those that were, up to the exact limit of their share (Clopper and Pearson 1934). The two distances
add up as squares (MOVER: Zou and Donner 2008). Prompts of several sizes are worth as many of one
as hide as large a loss (`hidden`).

Assumptions: prompts are lost independently of each other and as wholes; a prompt whose reply was
not lost would cost, if it were, what the others have right on average.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Self

import numpy as np

from horsesense.stats import functions
from horsesense.stats.binomial import limits
from horsesense.stats.hidden import Sizes, as_good_as, counted
from horsesense.stats.two_way import Floats, Ints, clusterings

ROUNDING = 1e-9
LEAST, MOST = 1e-15, 0.9
"""The levels between which p is told from 0 and from 1."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Prompts whose reply was lost, and what further losses would change.

    Attributes:
        sizes: numbers of pairs that prompts have, and how many have each.
        rate: the share of pairs in prompts that were lost.
        cost: by how much a loss changes a pair of the others on average: below 0 of a difference
            that it lowers.
        noise: variance of the mean difference with the prompts that were lost as they are.
    """

    sizes: Sizes
    rate: float
    cost: float
    noise: float

    @classmethod
    def of(cls, differences: Floats, if_lost: Floats, item: Ints, prompt: Ints) -> Self:
        """From single differences, what they would be without the reply to their prompt, and the
        clusters that they belong to, (outcomes,) each."""
        _, number = np.unique(prompt, return_inverse=True)
        sizes = np.bincount(number).astype(np.float64)
        change = np.bincount(number, weights=np.abs(if_lost - differences))
        seen = np.bincount(number, weights=np.abs(differences))
        gone = (change < ROUNDING) & (seen > ROUNDING)
        n, kept = len(differences), ~gone[number]
        if not kept.any():
            return cls(counted(sizes), 1.0, 0.0, 0.0)
        beyond = differences[kept] - differences[kept].mean()
        parts = clusterings(beyond, np.ones(len(beyond)), item[kept], prompt[kept])
        one, other, both = (float((part.x**2).sum()) for part in parts)
        squares = max(one, other, one + other - both)
        cost = float((if_lost - differences)[kept].mean())
        return cls(counted(sizes), 1 - float(kept.mean()), cost, squares / n**2)

    def reach(self, alpha: float) -> float:
        """How far from what was seen a truth may be that is not rejected at `alpha`.

        No level above `MOST` is told from 1, and next to 1 unequal prompts could hide nothing.
        """
        alpha = min(alpha, MOST)
        prompts = as_good_as(self.sizes, alpha)
        _, most = limits(self.rate * prompts, prompts, alpha)
        by_noise = float(functions.ndtri(1 - alpha / 2)) * sqrt(self.noise)
        return sqrt(by_noise**2 + (max(most - self.rate, 0.0) * self.cost) ** 2)

    def p(self, distance: float) -> float:
        """The least level at which a truth so far is rejected."""
        if self.reach(MOST) >= distance:
            return 1.0
        if self.reach(LEAST) <= distance:
            return LEAST

        def short(logarithm: float) -> float:
            return self.reach(exp(logarithm)) - distance

        return float(exp(functions.brentq(short, log(LEAST), log(MOST), xtol=1e-12, rtol=1e-14)))

    def repeated(self, times: float) -> Self:
        """Of as many times the prompts."""
        sizes = tuple((size, count * times) for size, count in self.sizes)
        return replace(self, sizes=sizes, noise=self.noise / times)

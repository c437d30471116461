"""Shares of items that guessing hits too, with a chance of each item's own.

A guess chooses one position in all orders of an item with two options in one item of four, of an
item with four in one of 256. If guessing alone hits items, the number of hits is Poisson-binomial,
with a variance of sum p (1 - p): less than that of as many trials with the mean chance m
(Hoeffding 1956). It has the mean and the variance of n / c trials with a chance of c m each, where
c is the mean of p^2 over m^2: of as many trials as could be hit, if some of the items never were.
Their binomial tail is close to its own (Ehm 1991 says how close), and is its own where all chances
are alike; of items on their own it is brought to it at m, by the ratio of the two for the number
that was seen. A model that knows some of the items is hit less often, by as large a part of m, in
as many trials.

So the lower end is that of c times the share in n / c trials, up to m. Beyond, where there are hits
that are no guesses, it is that of any share (`shares`), and at least just beside m: what else may
hit has no such chances.

In clusters the trials are as many as the clusters are worth, by the noise that items have about
their own chances (weighted by size, and no more than without weights, as in `shares`), and
Student's quantile holds as it does for any share.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from horsesense.stats import functions
from horsesense.stats.binomial import limits, numbers
from horsesense.stats.shares import Shares, score_ends
from horsesense.stats.two_way import Floats, Ints, by_cluster

BESIDE = 1e-9
"""The end of an interval that leaves out what guessing gives and nothing beyond it."""
LEAST_TAIL = 1e-12
"""Chances below are those of rounding."""


@dataclass(frozen=True, slots=True)
class Guessed(Shares):
    """A share of items, and what guessing gives to them.

    Attributes:
        chance: the mean of the items' chances, m.
        uneven: the mean of their squares over its square, c; 1 where all are alike.
        own: the squares of hits about the items' own chances over `squares`; where those of large
            clusters are larger, as if all had a mean size.
        apart: the spread about their own chances over `spread`.
        together: in how large lumps hits come; 1 where items stand alone.
        short: the chance of as many hits, or more, by the binomial tail over the exact one.
    """

    chance: float = 0.0
    uneven: float = 1.0
    own: float = 1.0
    apart: float = 1.0
    together: float = 1.0
    short: float = 1.0

    @classmethod
    def among(cls, share: Shares, hits: Floats, chances: Floats, cluster: Ints) -> Self:
        """From the share, with its items' hits, 0 or 1, their chances and clusters, (items,)."""
        _, number = np.unique(cluster, return_inverse=True)
        sizes = np.bincount(number).astype(np.float64)
        mean, rate, total = float(chances.mean()), float(hits.mean()), float(hits.sum())
        apart = (hits - chances - (rate - mean)) ** 2
        squares = float(min((sizes[number] * apart).sum(), share.mean_size * apart.sum()))
        pairs = float((np.bincount(number, weights=hits) ** 2).sum()) - total
        pairs -= rate**2 * float((sizes * (sizes - 1)).sum())
        uneven = float((chances**2).mean()) / mean**2
        about = by_cluster((hits + mean - chances)[:, None], number, len(sizes))
        spread = Shares.of(about[:, 0], sizes).spread
        return cls(
            **{field.name: getattr(share, field.name) for field in fields(Shares)},
            chance=mean,
            uneven=uneven,
            own=squares / share.squares if share.squares else 1.0,
            apart=spread / share.spread if share.spread and share.squares else 1.0,
            together=max(0.0, 1 + pairs / (total * (1 - rate))) if 0 < rate < 1 else 1.0,
            short=_short(hits, chances, uneven) if len(sizes) == len(hits) else 1.0,
        )

    def lower(self, low: float, alpha: float) -> float:
        """The lower end, given that of any share: `alpha` beyond it, if items are guessed."""
        about = self.squares * self.own, self.spread * self.apart
        worth = replace(self, squares=about[0], spread=about[1], unlike=False).effective
        few = min(worth, self.n / max(self.together, BESIDE)) / self.uneven
        share = min(self.uneven * self.estimate, 1.0)
        quantile = float(functions.stdtrit(self.even, 1 - alpha))
        score, _ = score_ends(share, worth / self.uneven, quantile)
        tail, _ = limits(few * share, few, min(alpha * self.short, 0.5))
        guessed = min(score, tail) / self.uneven
        return guessed if guessed <= self.chance else max(low, self.chance + BESIDE)


def _short(hits: Floats, chances: Floats, uneven: float) -> float:
    """The binomial tail over the exact one, of as many hits or more."""
    total, trials = float(hits.sum()), len(hits) / uneven
    exact = float(numbers(chances)[round(total) :].sum()) if total else 1.0
    if not total or exact < LEAST_TAIL:
        return 1.0
    total = min(total, trials)
    chance = uneven * float(chances.mean())
    return float(functions.betainc(total, trials - total + 1, chance)) / exact

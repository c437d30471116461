"""Items in several forms: how answers as published differ from the others if that is only a label.

Of a model that guesses one of ten positions, an item is right in one of ten forms, and the
published one is right one time in ten: nine forms less one differ by 1/9 nine times in ten, else by
-1. Too few items show the rare ones. If the published form is like the others, which of an item's
forms is right as published is drawn at random; the difference of means then has the variance of
Miettinen's test (1969; one case and several controls), McNemar's where there are two forms.

Where each item stands on its own and has one published form, the number of right published answers
is then a sum of independent ones, right with a chance of r / N where r of the item's N forms are.
It is Poisson-binomial, its chance of being as far from its mean as what was seen is exact, and
items with equal chances are binomial together (`Labels`). Where one side alone is a fault
(`sided`), p is twice the chance of as far on that side: half of the chance of both would be too
small on the side of the longer tail. That is so by design of orders of the options alone: forms
that have a change in common are more like each other than like the published one, and may differ
from it in either direction and be as often right on average. And it is so where all items have as
many orders: the number weighs each item alike, the mean difference those with few orders more, so
that of items with two and ten options one can be 0 where the other is not. Where replies are lost
more often of some items than of others it is the same. The distance is therefore the smaller of
both: that of the number, and that of the mean difference in as many deviations.

Where orders do so, squares of the differences that speak against the total are larger than labels
drawn at random make them, in some kinds of items at least: those that are right in one form alone,
say, where that is more often the published one, while others are more often wrong in it. By what
such kinds have in excess beyond one and a half standard errors, and what those that speak for the
total have in proportion, the variance is larger, and distances count for less. A change in one
direction has no excess: what it adds speaks for the total.

Items of one cluster, as copies, are not independent. Among items that nearly all stand on their own
(`paired`) they are drawn together, with one quantile: each has its own chance, and their sum is as
far apart as it can go, the largest in convex order (Dhaene et al. 2002, "The concept of
comonotonicity in actuarial science and finance"). That is exact of copies that are answered alike
in every form, and says too little of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Self

import numpy as np

from horsesense.stats import functions
from horsesense.stats.binomial import numbers
from horsesense.stats.two_way import Floats, Ints

LEAST_TAIL = 1e-12
"""Chances below are those of rounding."""
BY_CHANCE = 1.5
"""Standard errors by which squares against the total may be larger than expected: with one, power
with ten options and 40 items fell to .90 of the permutation test's."""
LEAST_SHARE = 0.25
"""Of the variance, which squares against the total are taken to be at least; at most they are half,
as of forms that differ as often for as against."""
SAME = 1e-9
"""Distances that differ by less are one, and chances by as large a part: sums are rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Right forms of each item under a probe and as published, (items,) each; items that have none
    of one kind do not enter.

    Attributes:
        here, n: right forms under the probe, and all of them.
        base, m: right published forms, and all of them.
        alike: how many other forms each item has by design, where nothing sets the published one
            apart but that it was published, as of orders of the options; else 0.
        sided: whether a difference counts on one side alone: each side then has half of p.
        cluster: number of each item's cluster; None where each is one of its own.
    """

    here: Floats
    n: Floats
    base: Floats
    m: Floats
    alike: int = 0
    sided: bool = False
    cluster: Ints | None = None

    @classmethod
    def of(
        cls,
        here: Floats,
        n: Floats,
        base: Floats,
        m: Floats,
        alike: int = 0,
        sided: bool = False,
    ) -> Self:
        """Of the items that have both."""
        both = (n > 0) & (m > 0)
        return cls(here[both], n[both], base[both], m[both], alike, sided)

    @classmethod
    def united(cls, parts: Sequence[Self]) -> Self:
        """The items of all parts, at least one."""
        here, n, base, m = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("here", "n", "base", "m")
        )
        alike = {part.alike for part in parts if len(part.m)}
        sided = any(part.sided for part in parts)
        return cls(here, n, base, m, alike.pop() if len(alike) == 1 else 0, sided)

    def differences(self) -> Floats:
        """Mean under the probe less that as published."""
        found: Floats = self.here / self.n - self.base / self.m
        return found

    def variances(self) -> Floats:
        """Of those differences, if an item's forms were labelled anew."""
        every = self.n + self.m
        p = (self.here + self.base) / every
        found: Floats = p * (1 - p) * every / (every - 1) * (1 / self.n + 1 / self.m)
        return found

    @property
    def several(self) -> bool:
        """Whether a difference is a mean over several forms of some item."""
        return bool((self.n > 1).any() or (self.m > 1).any())

    @property
    def noise(self) -> float:
        """By how much differences vary more than they show, if forms were labelled anew; at
        least 1."""
        seen = float((self.differences() ** 2).sum())
        return max(1.0, float(self.variances().sum()) / seen) if seen else 1.0

    def labels(self) -> Labels | None:
        """The published form drawn at random; None where that is not one like several others, or
        where nothing differs."""
        if not (self.alike and len(self.m)) or self.m.max() > 1 or self.n.max() < 2:
            return None
        right, every = self.here + self.base, self.n + 1
        chance = right / every
        variance = float((chance * (1 - chance)).sum())
        if not variance:
            return None
        own = self._together()
        number, centre = _numbers(chance, own), float(chance.sum())
        total = float(self.differences().sum())
        scale = sqrt(float(self.variances().sum()) / variance)
        spread = variance + sum(_added(chance[items]) for items in own)
        # The more published answers are right, the lower is the difference.
        sign = -1.0 if total > 0 else 1.0
        ahead = np.round(sign * (np.arange(len(number)) - centre) / SAME) * SAME
        distances, place = np.unique(ahead if self.sided else abs(ahead), return_inverse=True)
        beyond = np.cumsum(np.bincount(place, weights=number)[::-1])[::-1] * (1 + self.sided)
        off = min(sign * (float(self.base.sum()) - centre), abs(total) / scale)
        return Labels(
            off=max(off, 0.0),
            scale=scale,
            deviation=sqrt(spread),
            stretch=sqrt(1 + self._excess(chance) / variance),
            distances=distances[distances >= 0],
            tails=np.clip(beyond[distances >= 0] * (1 + SAME), LEAST_TAIL, 1.0),
        )

    def _together(self) -> list[Ints]:
        """The items of each cluster that has several."""
        if self.cluster is None:
            return []
        order = np.argsort(self.cluster, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.cluster[order])) + 1)
        return [part for part in parts if len(part) > 1]

    def _excess(self, chance: Floats) -> float:
        """What squares that speak against the total, and those that speak for it in proportion, add
        to the variance; 0 where they are no larger than expected and what chance adds to that.

        Items with equal chances are one kind. A change in one direction leaves no kind with more
        against it than expected, and what some have less is no measure of what others have more.
        """
        ahead = self.differences().sum() < 0
        against = self.base == (0 if ahead else 1)
        apart = chance if ahead else 1 - chance
        squares, even = apart**2, 1 - apart
        _, kind = np.unique(np.round(chance / SAME), return_inverse=True)
        more = np.maximum(np.bincount(kind, (against - even) * squares), 0.0).sum()
        more -= BY_CHANCE * sqrt(float((apart * even * squares**2).sum()))
        if more <= 0:
            return 0.0
        share = float((even * squares).sum() / (apart * even).sum())
        return float(more) / min(max(share, LEAST_SHARE), 0.5)


def _numbers(chance: Floats, together: Sequence[Ints]) -> Floats:
    """Chance of each number of right published answers, (items + 1,).

    Of the items of a cluster as many are right as have a chance above one draw.
    """
    if not together:
        return numbers(chance)
    found = numbers(np.append(np.delete(chance, np.concatenate(together)), 0.0))[:-1]
    for items in together:
        at_least = np.concatenate([[1.0], np.sort(chance[items])[::-1], [0.0]])
        found = np.convolve(found, -np.diff(at_least))
    return found


def _added(chance: Floats) -> float:
    """What the items of a cluster add to the variance of the number by being drawn together."""
    falling = np.sort(chance)[::-1]
    squares = float(((2 * np.arange(len(chance)) + 1) * falling).sum())
    return squares - float(chance.sum()) ** 2 - float((chance * (1 - chance)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """How far the number of right published answers is from its mean, if labels are drawn.

    Attributes:
        off: the distance that was seen, in the direction of the mean difference.
        scale: differences for each answer, N / (N - 1) where all items have N forms.
        deviation: standard deviation of the number, items of a cluster drawn together.
        stretch: by how much distances count for less, where forms differ in either direction.
        distances: all that there may be, increasing.
        tails: the chance of each, or of a larger one; of one side, twice that.
    """

    off: float
    scale: float
    deviation: float
    stretch: float
    distances: Floats
    tails: Floats

    @property
    def variance(self) -> float:
        """Of the sum of the differences."""
        return (self.scale * self.deviation * self.stretch) ** 2

    @property
    def p(self) -> float:
        """Chance of the distance that was seen, or of a larger one."""
        tail = float(self.tails[np.searchsorted(self.distances, self.off - SAME)])
        return erfc(-float(functions.ndtri(tail / 2)) / self.stretch / sqrt(2))

    def reach(self, z: float) -> float:
        """The distance beyond which p is below that of `z` standard errors, between two."""
        beyond = int((self.tails >= erfc(z * self.stretch / sqrt(2))).sum())
        last = float(self.distances[beyond - 1]) if beyond else 0.0
        after = self.distances[beyond] if beyond < len(self.distances) else last + 1
        return (last + float(after)) / 2

"""Bands of a ratio over endless items like those that were asked, by betting: valid at every look.

A unit is an item, or a cluster of them: it adds x to the numerator and w to the denominator, and
x - m w has the mean 0 where m is the ratio, whatever depends on what within the unit. Somebody bets
on the next unit at odds that are fair if the ratio is m: the stake then grows beyond 1/alpha at any
time with probability alpha at most (Ville 1939), however often one looks. The bets are those of
Waudby-Smith and Ramdas ("Estimating means of bounded random variables by betting", 2024, section
5), for several sizes of an effect at once, on x - m w over the largest possible w.

Assumed: the order is random and was fixed before the first answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from math import log
from typing import NamedTuple, Self

import numpy as np

from horsesense.stats.two_way import Bools, Floats, Ints

BETS = ((0.4, 0.3), (0.8, 0.6), (4.0, 0.1))
"""Effects for which the bets are best, in multiples of the smallest size that matters, and their
shares of the stake; any choice is valid."""
LARGEST_LOSS = 0.75
"""No bet can lose more than this share of the stake."""
RICH = 1e100
"""Stakes are cut here: far beyond any threshold, and products of them stay finite."""
TOGETHER = 1_000_000
"""Means times units that are looked at at once."""


def in_random_order(ids: Sequence[str], seed: int) -> list[str]:
    """Ids sorted by SHA-256 of "seed|id": a random order that needs nothing but the seed."""
    return sorted(ids, key=lambda name: sha256(f"{seed}|{name}".encode()).digest())


class Ratio(NamedTuple):
    """What each unit adds to a ratio, in a random order.

    Attributes:
        low, high: the lowest and the highest that a unit can add to the numerator, (units,): of
            what is missing, each bet is on the worst.
        weight: what it adds to the denominator, at least 0, (units,).
        largest: the most that a unit can add there, known beforehand.
        least: the lowest possible value of a unit, 0 for shares and -1 for differences; the highest
            is 1.
        lean: how far the values of a unit may lie below `least` or above 1 (where units have nulls
            of their own, whose distance from their mean was added).
    """

    low: Floats
    high: Floats
    weight: Floats
    largest: float = 1.0
    least: float = 0.0
    lean: float = 0.0

    def of(self, units: Ints) -> Self:
        """Some of the units, in the order given."""
        low, high, weight = (x[units] for x in (self.low, self.high, self.weight))
        return self._replace(low=low, high=high, weight=weight)

    def of_clusters(self, cluster: Ints) -> Self:
        """The same with clusters as units, in the order of their numbers, which is random.

        More of a cluster comes between two looks. So this is no sequence: its errors are those of
        one look, to be shared out over all that there may be.
        """
        _, index = np.unique(cluster, return_inverse=True)
        low, high, weight = (
            np.bincount(index, x).astype(np.float64) for x in (self.low, self.high, self.weight)
        )
        largest = float(weight.max(initial=0)) or self.largest
        return self._replace(low=low, high=high, weight=weight, largest=largest)

    def within(self, low: float, high: float, delta: float, alpha: float) -> bool:
        """Whether its band lies between two bounds, of which either may be infinite: bets on either
        side have given up the bound there, each with an error in `alpha`."""
        return all(
            bool(self._given_up(np.array([bound]), side, delta, alpha)[0])
            for bound, side in ((low, 1), (high, -1))
            if np.isfinite(bound)
        )

    def band(self, delta: float, alpha: float) -> tuple[float, float]:
        """The ratios that bets on either side leave, each with an error in `alpha`.

        With units that come one by one it holds at every look. `delta`, only how bold the bets are,
        is an effect in the unit of the ratio. Ends are rounded outwards to .0004 of the range.
        """
        ends = {side: self._last_given_up(side, delta, alpha) for side in (1, -1)}
        return min(ends[1], ends[-1]), max(ends[1], ends[-1])

    def _last_given_up(self, side: int, delta: float, alpha: float) -> float:
        """The mean furthest from its own end that bets on a side have given up, or that end."""
        start, step = (self.least, 1 - self.least) if side > 0 else (1.0, self.least - 1)
        for _ in range(2):
            means = start + step * np.linspace(0, 1, 51)
            left = ~self._given_up(means, side, delta, alpha)
            place = int(left.argmax()) if left.any() else len(means)
            step = float(means[1] - means[0]) if place else 0.0
            start = float(means[max(0, place - 1)])
        return start

    def _given_up(self, means: Floats, side: int, delta: float, alpha: float) -> Bools:
        """Which means bets on a side have given up."""
        span = 1 - self.least
        share = self.weight / self.largest
        if side > 0:
            x, means = (self.low / self.largest - self.least * share) / span, means - self.least
        else:
            x, means = (share - self.high / self.largest) / span, 1 - means
        bets = _Bets(x, share, self.lean / span, delta / span, 1 / self.largest)
        parts = np.array_split(means / span, max(1, -(-means.size * x.size // TOGETHER)))
        return np.concatenate([bets.given_up(some[:, None], alpha) for some in parts])


class _Bets(NamedTuple):
    """Bets that a ratio of `x`, from 0 to 1, to `share` is higher than it is said to be."""

    x: Floats
    share: Floats
    lean: float
    delta: float
    unit: float

    def given_up(self, means: Floats, alpha: float) -> Bools:
        """Which means, (means, 1), the bets have given up."""
        if not len(self.x):
            return np.zeros(len(means), dtype=np.bool_)
        gain = self.x - means * self.share
        seen = np.arange(len(self.x))
        typical = (self.unit + np.cumsum(self.share) - self.share) / (1 + seen)
        before, squares = np.cumsum(gain, axis=1) - gain, np.cumsum(gain**2, axis=1) - gain**2
        prior = 1.5 * typical * self.unit
        spread = np.maximum(1e-4, (prior + squares) / (seen + 10) - (before / (seen + 10)) ** 2)
        room = LARGEST_LOSS / np.maximum(means + self.lean, 1e-12)
        stake = np.zeros_like(gain)
        for size, weight in BETS:
            goal = size * self.delta * typical
            bet = np.minimum(goal / (spread + goal**2), room)
            grown = np.cumsum(np.log1p(bet * gain), axis=1)
            stake += weight * np.exp(np.minimum(grown, log(RICH)))
        return np.asarray((stake >= 1 / alpha).any(axis=1))

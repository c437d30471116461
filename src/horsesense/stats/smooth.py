"""Smooth functions of totals of counts (kappa, d', balanced accuracy), and refitted statistics.

Counts are drawn in by half a mean cluster in every cell, which are given a variance of their own,
so that the interval keeps a width where nothing varies; the rest is the delta method over clusters
with Student's t. With one trial a cluster that is 1/2 in every cell, as Hautus (1995) adds for d'.
Clusters that differ in size have Student's t for as many equal ones as they are worth (Kish 1965),
and are freed of what each pulls the totals towards itself (CR2: Bell and McCaffrey 2002).

`jackknife` is for statistics without such a form: the variance over leaving out each cluster (Tukey
1958; Efron 1982, "The Jackknife, the Bootstrap and Other Resampling Plans", chapter 3), made up for
large clusters that happen to agree (`two_way.alike`). Areas under ROC curves have Wilson's interval
with that variance, since their noise shrinks towards 1 as that of shares does.
Assumptions: independent clusters; a function that is smooth where the truth is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from horsesense.stats import functions
from horsesense.stats.binomial import score_ends
from horsesense.stats.two_way import Floats, Ints, alike, by_cluster, worth

ROUNDING = 1e-9
"""A standard error below this is one of 0, computed in floating point."""


FEWEST = 1.5
"""Equal clusters that the clusters must be worth; below, one has more than two thirds of n."""


class Located(NamedTuple):
    """An estimate with a standard error over clusters.

    Attributes:
        estimate: where the interval stands; drawn in where pseudo-counts are added.
        se: its standard error; 0 where nothing varies.
        clusters: how many there are.
        low, high: ends of the range of the statistic.
        even: how many clusters of one size they are worth; by default all.
    """

    estimate: float
    se: float
    clusters: int
    low: float = -np.inf
    high: float = np.inf
    even: float | None = None

    @property
    def degrees(self) -> float:
        """Student's degrees of freedom; below `FEWEST` less one there is no interval."""
        return (self.clusters if self.even is None else self.even) - 1

    @property
    def large_enough(self) -> bool:
        """Whether no cluster has next to nothing beside it."""
        return self.degrees >= FEWEST - 1

    @property
    def known(self) -> bool:
        """Whether there are clusters enough, and something varies."""
        return self.clusters > 1 and self.large_enough and self.se > ROUNDING

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Student's interval, kept within the range; None for one cluster or without variation."""
        if not self.known:
            return None
        reach = float(functions.stdtrit(self.degrees, (1 + level) / 2)) * self.se
        return max(self.low, self.estimate - reach), min(self.high, self.estimate + reach)

    def as_share(self, level: float = 0.95) -> tuple[float, float] | None:
        """Wilson's interval of a value between 0 and 1 for as many independent trials as have this
        standard error; None where there is no other either."""
        if not self.known:
            return None
        trials = self.estimate * (1 - self.estimate) / self.se**2
        return score_ends(
            self.estimate, trials, float(functions.stdtrit(self.degrees, (1 + level) / 2))
        )

    def p(self, null: float) -> float | None:
        """Two-sided p of a supposed value within the range; None where there is no interval."""
        if not self.known:
            return None
        return 2 * float(functions.stdtr(self.degrees, -abs(self.estimate - null) / self.se))


class Pseudo(NamedTuple):
    """Where pseudo-counts are added: as if each cell had been seen half a mean cluster more.

    Attributes:
        cells: what one more trial in each cell adds to the totals, (cells, d).
        weight: how much of a cell each of them stands for, (cells,).
        trials: what a row is multiplied with to give its number of trials, (d,).
    """

    cells: Floats
    weight: Floats
    trials: Floats

    @classmethod
    def plain(cls, d: int) -> Pseudo:
        """For rows that are the counts of the cells themselves."""
        return cls(np.eye(d), np.ones(d), np.ones(d))

    def size(self, rows: Floats) -> float:
        """The mean size of a cluster within a cell; that of all its cells where a row shows only
        their sums. 1 where each cluster has one trial."""
        trials = rows @ self.trials
        n = float(trials.sum())
        q = float((trials**2).sum()) / n
        shown = bool(self.trials.all())
        squares = float((rows**2).sum()) if shown else q * n
        return (squares + q * q) / (n + q)


def smooth(
    rows: Floats,
    value: Callable[[Floats], Floats],
    pseudo: Pseudo | None = None,
    low: float = -np.inf,
    high: float = np.inf,
    items: tuple[Floats, Ints] | None = None,
) -> Located:
    """A function of the totals of the clusters' counts.

    Args:
        rows: (clusters, d), counts of each cluster; clusters of zeros are out.
        value: totals (..., d) -> (...,).
        pseudo: where half a mean cluster is added; by default to each of the d counts.
        low, high: the range of the function.
        items: counts of single items, (items, d), and the number of each one's cluster, where they
            are known: for large clusters that happen to agree.
    """
    rows = rows[rows.any(axis=1)]
    pseudo = pseudo or Pseudo.plain(rows.shape[1])
    if not len(rows):
        return Located(np.nan, 0.0, 0, low, high)
    size = pseudo.size(rows)
    totals = rows.sum(axis=0) + size / 2 * (pseudo.weight @ pseudo.cells)
    slope = gradient(totals, value)
    sizes = rows @ pseudo.trials
    pull = sizes / sizes.sum()
    freed = (1 - 1 / len(rows)) / (1 - pull) if len(rows) > 1 else 1.0
    variance = float((freed * (rows @ slope) ** 2).sum())
    if items is not None:
        used = items[0].any(axis=1)
        _, place, many = np.unique(items[1][used], return_inverse=True, return_counts=True)
        variance *= alike(items[0][used] @ slope, place, many.astype(np.float64))
    variance += size**2 / 2 * float(pseudo.weight @ (pseudo.cells @ slope) ** 2)
    return Located(float(value(totals)), sqrt(variance), len(rows), low, high, worth(sizes))


def gradient(totals: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """Slopes of `value` at the totals, (d,), by central differences."""
    steps = np.diag(np.maximum(np.abs(totals), 1e-3) * 1e-5)
    slopes = (value(totals + steps) - value(totals - steps)) / (2 * np.diagonal(steps))
    return np.asarray(slopes, dtype=np.float64)


def jackknife(
    rows: Floats,
    value: Callable[[Floats], Floats],
    low: float = -np.inf,
    high: float = np.inf,
    cluster: Ints | None = None,
) -> Located:
    """Any function of totals (..., d) -> (...,), its variance by leaving out each cluster.

    Where clusters differ in size, a deviation counts by what is left without its cluster, as in
    CR2.

    Not valid for statistics that jump (medians, maxima) or that are biased near an end of their
    range (spreads: see `spread`).

    Args:
        rows: of single items, (items, d); rows of zeros are out.
        value: see above.
        low, high: range of the function.
        cluster: number of each item's cluster, (items,); by default each is one.
    """
    used = rows.any(axis=1)
    rows, totals = rows[used], rows.sum(axis=0)
    number = np.arange(len(rows)) if cluster is None else cluster[used]
    _, place = np.unique(number, return_inverse=True)
    sizes = np.bincount(place).astype(np.float64)
    k, estimate = len(sizes), float(value(totals))
    if k < 2:
        return Located(estimate, 0.0, k, low, high)
    left_out = value(totals - by_cluster(rows, place, k))
    kept = 1 - sizes / sizes.sum()  # of the totals, where a cluster is left out
    centre = kept @ left_out / kept.sum()
    variance = float((kept * (left_out - centre) ** 2).sum())
    if not np.isfinite(variance):
        return Located(estimate, 0.0, k, low, high)
    deviations = rows @ gradient(totals, value)
    variance *= alike(deviations - deviations.mean(), place, sizes)
    return Located(estimate, sqrt(variance), k, low, high, worth(sizes))

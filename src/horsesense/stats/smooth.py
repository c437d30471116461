"""Smooth functions of totals of counts (kappa, d', balanced accuracy), and refitted statistics.

Counts are drawn in by half a mean cluster in every cell, which are given a variance of their own,
so that the interval keeps a width where nothing varies; the rest is the delta method over clusters
with Student's t. With one trial a cluster that is 1/2 in every cell, as Hautus (1995) adds for d'.

`jackknife` is for statistics without such a form: the variance over leaving out each cluster.
Assumptions: independent clusters; a function that is smooth where the truth is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from horsesense.stats.two_way import Floats

ROUNDING = 1e-9
"""A standard error below this is one of 0, computed in floating point."""


@dataclass(frozen=True, slots=True)
class Located:
    """An estimate with a standard error over clusters.

    Attributes:
        estimate: where the interval stands; drawn in where pseudo-counts are added.
        se: its standard error; 0 where nothing varies.
        clusters: how many there are.
        low, high: ends of the range of the statistic.
    """

    estimate: float
    se: float
    clusters: int
    low: float = -np.inf
    high: float = np.inf

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Student's interval, kept within the range; None for one cluster or without variation."""
        if self.clusters < 2 or not self.se > ROUNDING:
            return None
        reach = float(stdtrit(self.clusters - 1, (1 + level) / 2)) * self.se
        return max(self.low, self.estimate - reach), min(self.high, self.estimate + reach)

    def p(self, null: float) -> float | None:
        """Two-sided p of a supposed value within the range; None where there is no interval."""
        if self.clusters < 2 or not self.se > ROUNDING:
            return None
        return 2 * float(stdtr(self.clusters - 1, -abs(self.estimate - null) / self.se))


@dataclass(frozen=True, slots=True)
class Pseudo:
    """Where pseudo-counts are added: as if each cell had been seen half a mean cluster more.

    Attributes:
        cells: what one more trial in each cell adds to the totals, (cells, d).
        weight: how much of a cell each of them stands for, (cells,).
    """

    cells: Floats
    weight: Floats

    @classmethod
    def plain(cls, d: int) -> Pseudo:
        """For rows that are the counts of the cells themselves."""
        return cls(np.eye(d), np.ones(d))


def smooth(
    rows: Floats,
    value: Callable[[Floats], Floats],
    pseudo: Pseudo | None = None,
    low: float = -np.inf,
    high: float = np.inf,
) -> Located:
    """A function of the totals of the clusters' counts.

    Args:
        rows: (clusters, d), counts of each cluster; clusters of zeros are out.
        value: totals (..., d) -> (...,).
        pseudo: where half a mean cluster is added; by default to each of the d counts.
        low, high: the range of the function.
    """
    rows = rows[rows.any(axis=1)]
    pseudo = pseudo or Pseudo.plain(rows.shape[1])
    trials = rows.sum(axis=1)
    n = float(trials.sum())
    if not n:
        return Located(np.nan, 0.0, 0, low, high)
    q = float((trials**2).sum()) / n
    size = (float((rows**2).sum()) + q * q) / (n + q)
    totals = rows.sum(axis=0) + size / 2 * (pseudo.weight @ pseudo.cells)
    slope = gradient(totals, value)
    variance = float(((rows @ slope) ** 2).sum())
    variance += size**2 / 2 * float(pseudo.weight @ (pseudo.cells @ slope) ** 2)
    return Located(float(value(totals)), sqrt(variance), len(rows), low, high)


def gradient(totals: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """Slopes of `value` at the totals, (d,), by central differences."""
    steps = np.diag(np.maximum(np.abs(totals), 1e-3) * 1e-5)
    slopes = (value(totals + steps) - value(totals - steps)) / (2 * np.diagonal(steps))
    return np.asarray(slopes, dtype=np.float64)


def jackknife(
    rows: Floats, value: Callable[[Floats], Floats], low: float = -np.inf, high: float = np.inf
) -> Located:
    """Any function of totals (..., d) -> (...,), its variance by leaving out each cluster.

    Not valid for statistics that jump (medians, maxima) or that are biased near an end of their
    range (spreads: see `spread`).
    """
    rows = rows[rows.any(axis=1)]
    totals, k = rows.sum(axis=0), len(rows)
    estimate = float(value(totals))
    if k < 2:
        return Located(estimate, 0.0, k, low, high)
    left_out = value(totals - rows)
    se = sqrt((k - 1) / k * float(((left_out - left_out.mean()) ** 2).sum()))
    return Located(estimate, se if np.isfinite(se) else 0.0, k, low, high)

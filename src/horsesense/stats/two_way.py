"""Standard errors of statistics with crossed outcomes: items in several prompts, prompts with
several items.

Outcomes of one item go together, and so do those of one prompt (a reply that cannot be read costs
all its items). Neither clustering alone is sound; the variance of both is the sum of the two less
that of their intersection (Cameron, Gelbach and Miller 2011, "Robust inference with multiway
clustering"), here of the linearised statistic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from scipy.stats import t as student

from horsesense.stats.tests import wilson

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


class Clustering(NamedTuple):
    """Sums of the clusters: of values, and of trials (above 0), (clusters,) each."""

    x: Floats
    m: Floats


def clusterings(
    x: Floats, m: Floats, first: Ints, second: Ints
) -> tuple[Clustering, Clustering, Clustering]:
    """Single outcomes added up by the first clustering, the second, and their intersection."""
    used = m > 0
    x, m, first, second = x[used], m[used], first[used], second[used]
    both = first * (int(second.max(initial=0)) + 1) + second
    one, other, joint = (_added(x, m, number) for number in (first, second, both))
    return one, other, joint


def _added(x: Floats, m: Floats, number: Ints) -> Clustering:
    _, place = np.unique(number, return_inverse=True)
    sums = (np.bincount(place, weights=values) for values in (x, m))
    return Clustering(*(np.asarray(total, dtype=np.float64) for total in sums))


def influences(rows: Floats, value: Callable[[Floats], Floats]) -> Floats:
    """How much each row moves each value: (rows, values), by a numerical gradient.

    `value` maps totals (..., d) to values (..., m) and must not change when all totals are
    multiplied (ratios); the influences then sum to 0.
    """
    totals = rows.sum(axis=0)
    step = np.maximum(np.abs(totals), 1.0) * 1e-5
    steps = np.diag(step)
    slopes = (value(totals + steps) - value(totals - steps)) / (2 * step[:, None])
    return np.asarray(rows @ slopes, dtype=np.float64)


def two_way_se(moved: Floats, first: Ints, second: Ints) -> Floats:
    """Standard error of each value, from influences (rows, values) and two clusterings.

    Never below that of either clustering alone; each has the factor G / (G - 1).
    """
    one, other = _variance(moved, first), _variance(moved, second)
    both = _variance(moved, first * (int(second.max(initial=0)) + 1) + second)
    return np.sqrt(np.maximum(np.maximum(one, other), one + other - both))


def _variance(moved: Floats, cluster: Ints) -> Floats:
    _, number = np.unique(cluster, return_inverse=True)
    groups = int(number.max(initial=-1)) + 1
    sums = np.zeros((groups, moved.shape[1]))
    np.add.at(sums, number, moved)
    factor = groups / (groups - 1) if groups > 1 else np.nan
    return np.asarray(factor * (sums**2).sum(axis=0), dtype=np.float64)


def share_interval(value: float, se: float, clusters: int, level: float) -> tuple[float, float]:
    """Interval of a share: Wilson's for as many independent outcomes as have this error.

    The number is reduced by Student's t for few clusters (as Korn and Graubard 1998 do).
    """
    tail = (1 - level) / 2
    wider = (student.ppf(tail, max(clusters - 1, 1)) / norm.ppf(tail)) ** 2
    n = float(value * (1 - value) / se**2 / wider)
    return wilson(value * n, n, level)


def plain_interval(value: float, se: float, clusters: int, level: float) -> tuple[float, float]:
    """Student's interval."""
    reach = float(student.ppf((1 + level) / 2, max(clusters - 1, 1))) * se
    return value - reach, value + reach

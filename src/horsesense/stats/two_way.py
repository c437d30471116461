"""Standard errors of statistics with crossed outcomes: items in several prompts, prompts with
several items.

Outcomes of one item go together, and so do those of one prompt (a reply that cannot be read costs
all its items). Neither clustering alone is sound; the variance of both is the sum of the two less
that of their intersection (Cameron, Gelbach and Miller 2011, "Robust inference with multiway
clustering"), here of the linearised statistic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


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


def joined(*numberings: Ints) -> Ints:
    """The finest clusters, numbered from 0, in which no cluster of any numbering is cut.

    >>> joined(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3])).tolist()
    [0, 0, 0, 1, 2]
    """
    first = numberings[0]
    parts = [np.unique(number, return_inverse=True)[1] for number in numberings]
    least, before = np.arange(len(first)), np.full(len(first), -1)
    while not np.array_equal(least, before):
        before = least
        for part in parts:
            lowest = np.full(len(first), len(first))
            np.minimum.at(lowest, part, least)
            least = lowest[part]
    return np.unique(least, return_inverse=True)[1].astype(np.intp)


class MeanError(NamedTuple):
    """Standard error of a mean, the smaller number of clusters, and how many of one size those are
    worth that are worth fewer."""

    se: float
    clusters: int
    even: float


def mean_se(x: Floats, m: Floats, first: Ints, second: Ints) -> MeanError:
    """Of a mean sum(x) / sum(m) of outcomes that share both kinds of clusters; 0 for one cluster.

    Never below that of either clustering alone.
    """
    used, n = (m > 0) | (x != 0), float(m.sum())
    deviations = (x - float(x.sum()) / n * m)[used] / n
    first, second = first[used], second[used]
    both = first * (int(second.max(initial=0)) + 1) + second
    one, other, joint = (_spread(deviations, number) for number in (first, second, both))
    clusters, even = min(one.clusters, other.clusters), min(one.even, other.even)
    variance = max(one.variance, other.variance, one.variance + other.variance - joint.variance)
    return MeanError(variance**0.5 if clusters > 1 else 0.0, clusters, even)


class _Spread(NamedTuple):
    variance: float
    clusters: int
    even: float


def _spread(deviations: Floats, number: Ints) -> _Spread:
    """Variance of a sum of deviations in clusters, with what each pulls towards itself given back
    (CR2: Bell and McCaffrey 2002); G / (G - 1) where all have one size."""
    _, place = np.unique(number, return_inverse=True)
    sizes, sums = np.bincount(place).astype(np.float64), np.bincount(place, weights=deviations)
    if len(sizes) < 2:
        return _Spread(0.0, len(sizes), float(len(sizes)))
    variance = float((sums**2 / (1 - sizes / sizes.sum())).sum())
    return _Spread(variance * alike(deviations, place, sizes), len(sizes), worth(sizes))


def alike(deviations: Floats, place: Ints, sizes: Floats) -> float:
    """By how much clusters that happen to agree make a variance over clusters too small.

    Where the large clusters all say the same, what varies are single outcomes of small ones, and
    the variance is that of small clusters. It is taken up to clusters of the size in which an
    outcome stands on average: that size over its mean weighted by squared deviations; at least 1,
    and 1 where all clusters have one size. `shares` weighs its variances in the same way.

    Args:
        deviations: of each outcome from the whole, (outcomes,).
        place: the cluster of each.
        sizes: outcomes of each cluster, (clusters,).
    """
    squares = deviations**2
    seen = float((sizes[place] * squares).sum())
    usual = float((sizes**2).sum()) / float(sizes.sum())
    return max(1.0, usual * float(squares.sum()) / seen) if seen > 0 else 1.0


def worth(sizes: Floats) -> float:
    """How many clusters of one size they are worth, n^2 / sum M^2 (Kish 1965)."""
    squares = float((sizes**2).sum())
    return float(sizes.sum()) ** 2 / squares if squares else 0.0


def by_cluster(values: Floats, cluster: Ints, n: int) -> Floats:
    """Add per-item rows (items, d) up to per-cluster rows (n, d)."""
    if len(cluster) == n and np.array_equal(cluster, np.arange(n)):
        return np.ascontiguousarray(values)
    out = np.zeros((n, values.shape[1]))
    for column, own in enumerate(values.T):
        out[:, column] = np.bincount(cluster, own, n)
    return out

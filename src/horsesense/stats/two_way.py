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


def mean_se(x: Floats, m: Floats, first: Ints, second: Ints) -> tuple[float, int]:
    """Standard error of a mean sum(x) / sum(m) of outcomes that share both kinds of clusters, and
    the smaller number of clusters.

    Never below that of either clustering alone; each has the factor G / (G - 1). 0 for one cluster.
    """
    parts = clusterings(x, m, first, second)
    n = float(parts[0].m.sum())
    mean = float(parts[0].x.sum()) / n
    one, other, both = (_variance(part.x - mean * part.m) for part in parts)
    clusters = min(len(part.m) for part in parts[:2])
    return (max(one, other, one + other - both) ** 0.5 / n if clusters > 1 else 0.0), clusters


def _variance(sums: Floats) -> float:
    groups = len(sums)
    return groups / (groups - 1) * float((sums**2).sum()) if groups > 1 else 0.0


def by_cluster(values: Floats, cluster: Ints, n: int) -> Floats:
    """Add per-item rows (items, d) up to per-cluster rows (n, d)."""
    out = np.zeros((n, values.shape[1]))
    np.add.at(out, cluster, values)
    return out

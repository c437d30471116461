"""The mean difference of two groups within strata, with its p and interval.

The estimate is Mantel and Haenszel's: strata weigh n1 n0 / (n1 + n0). Two variances guard against
each other's weakness. Memberships are drawn again within each stratum, clusters moving as wholes:
that holds for few values and for shares near 0 or 1. And the sums of the clusters' influences give
Student's t: that holds where a cluster lies in several strata. p is the larger of the two, and the
interval reaches as far as either, so it leaves out 0 exactly where p is below 1 - level.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FEWEST: Final = 4.0
"""Clusters that must carry the difference where they matter at all."""
DRAWS: Final = 999
CHUNK: Final = 2_000_000
"""Values that are drawn at a time."""
NO_PAIR: Final = "no label has items of both kinds"
FEW_CLUSTERS: Final = "too few independent groups to compare, or one of them holds too much"


class Difference(NamedTuple):
    """A difference of means: `p`, `low` and `high` are None where there is a `reason`."""

    estimate: float | None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def difference(
    values: Floats, first: Bools, strata: Ints, clusters: Ints, level: float = 0.95
) -> Difference:
    """Values of the first group less those of the other, in strata that have both.

    Args:
        values: each in [0, 1].
        first: whether each is of the first group.
        strata, clusters: numbers of each value's stratum and cluster.
        level: of the interval.
    """
    ones, others = (
        np.bincount(strata, kind, strata.max(initial=0) + 1) for kind in (first, ~first)
    )
    used = ((ones > 0) & (others > 0))[strata]
    if not used.any():
        return Difference(None, reason=NO_PAIR)
    values, first, number, own = values[used], first[used], strata[used], clusters[used]
    own = np.unique(own, return_inverse=True)[1]
    n1, n0 = ones[number], others[number]
    per_stratum = np.bincount(number)
    scale = float(np.sum(n1 * n0 / (n1 + n0) / per_stratum[number]))

    def less_mean(each: Floats, within: Ints) -> Floats:
        sizes = np.maximum(np.bincount(within), 1)
        return np.asarray(each - (np.bincount(within, each) / sizes)[within])

    apart, member = less_mean(values, number), less_mean(first.astype(float), number)
    estimate = min(max(float(apart[first].sum()) / scale, -1.0), 1.0)
    if _carrying(member, own) < FEWEST and own.max() + 1 < len(values):
        return Difference(estimate, reason=FEW_CLUSTERS)
    # By drawing: the sum over the first group, of memberships that clusters take with them.
    drawn = np.abs(_drawn(apart, first, number, own)) / scale
    by_draws = (1 + float(np.sum(drawn >= abs(estimate) - 1e-9))) / (DRAWS + 1)
    # By influence: values less their group's mean in the stratum.
    pulls = less_mean(values, 2 * number + first) * np.where(first, n0, -n1) / (n1 + n0) / scale
    sums = np.bincount(own, pulls)
    free = len(sums) - 1
    error = float(np.sqrt(np.sum(sums**2) * len(sums) / free))
    by_influence = 2 * float(student.sf(abs(estimate) / error, free)) if error > 0 else 0.0
    reach = float(np.sort(drawn)[-max(int((1 - level) * (DRAWS + 1)) - 1, 1)]) + 1e-9
    half = max(reach, float(student.ppf((1 + level) / 2, free)) * error)
    low, high = max(estimate - half, -1.0), min(estimate + half, 1.0)
    return Difference(estimate, max(by_draws, by_influence), low, high)


def _carrying(member: Floats, own: Ints) -> float:
    """How many clusters carry the difference (Kish 1965)."""
    carried = np.maximum(np.bincount(own, member) ** 2, np.bincount(own, member**2))
    return float(carried.sum() ** 2 / np.sum(carried**2))


def _drawn(apart: Floats, first: Bools, number: Ints, own: Ints) -> Floats:
    """Sums over the first group where clusters come in random order in each stratum.

    Memberships are laid down one after the other, so that those of a cluster stay neighbours.
    """
    rng = np.random.default_rng(0)  # fixed, so that p is
    laid = first[np.lexsort([own, number])].astype(float)
    found: list[Floats] = []
    for start in range(0, DRAWS, max(CHUNK // len(apart), 1)):
        size = min(max(CHUNK // len(apart), 1), DRAWS - start)
        lots = number + rng.random((size, own.max() + 1))[:, own]
        found.append(apart[np.argsort(lots, axis=1, kind="stable")] @ laid)
    return np.concatenate(found)

"""How far several people agree on the same units, beyond what chance would give.

Ratings are a matrix (raters, units) of codes from 0, NaN where a rater did not judge a unit. All
statistics here take the codes as names (nominal).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import combinations
from math import isnan
from typing import NamedTuple

import numpy as np

from horsesense.errors import UsageError, install
from horsesense.stats.smooth import Located
from horsesense.stats.two_way import Floats, Ints


def cohen_kappa(pairs: Sequence[tuple[object, object]]) -> float | None:
    """Cohen's kappa (1960) of two raters; None where chance alone would agree always, or no pairs.

    >>> cohen_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")])
    0.5
    """
    if not pairs or len({name for pair in pairs for name in pair}) == 1:
        return None
    n = len(pairs)
    agreed = sum(one == other for one, other in pairs) / n
    first, second = (Counter(names) for names in zip(*pairs, strict=True))
    by_chance = sum(first[name] * second[name] for name in first) / n**2
    return float(round((agreed - by_chance) / (1 - by_chance), 12))


def mean_cohen_kappa(ratings: Floats) -> float | None:
    """Mean of Cohen's kappa over all pairs of raters who share units; None where none has one."""
    found = []
    for one, other in combinations(ratings, 2):
        both = ~np.isnan(one) & ~np.isnan(other)
        kappa = cohen_kappa(list(zip(one[both].tolist(), other[both].tolist(), strict=True)))
        if kappa is not None:
            found.append(kappa)
    return float(np.mean(found)) if found else None


def fleiss_kappa(counts: Floats) -> float | None:
    """Fleiss' kappa (1971) of counts (units, values).

    None where units differ in their number of raters, or all ratings are the same.
    """
    raters = counts.sum(axis=1)
    if not len(counts) or raters[0] < 2 or (raters != raters[0]).any():
        return None
    n = raters[0]
    agreed = float(((counts**2).sum(axis=1) - n).mean() / (n * (n - 1)))
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return None if by_chance >= 1 else (agreed - by_chance) / (1 - by_chance)


def counts_of(ratings: Floats) -> Floats:
    """How many raters gave each value to each unit that two or more judged, (units, values)."""
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[:, :, None] == values).sum(axis=0).astype(np.float64)
    return np.asarray(counts[counts.sum(axis=1) >= 2])


def have_krippendorff() -> bool:
    """Whether the package is there that computes alpha."""
    return find_spec("krippendorff") is not None


def krippendorff_alpha(ratings: Floats) -> float | None:
    """Krippendorff's alpha by the package `krippendorff`; any number of ratings may be missing.

    None where no unit has two ratings, or all ratings are the same. UsageError names the extra
    where the package is missing.
    """
    counts = counts_of(ratings)
    if counts.size == 0 or (counts.sum(axis=0) > 0).sum() < 2:
        return None
    if not have_krippendorff():
        raise UsageError("Krippendorff's alpha needs krippendorff.", hint=install("people"))
    import krippendorff

    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def kappa_in_words(pairs: Sequence[tuple[object, object]], level: float = 0.95) -> str:
    """Cohen's kappa with the jackknife's interval over pairs; without one where none disagrees.

    >>> kappa_in_words([("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")] * 10)
    "Cohen's kappa 0.50 [0.25, 0.75]"
    """
    kappa = cohen_kappa(pairs)
    if kappa is None:
        return "Cohen's kappa not defined"
    se = _variance([cohen_kappa([*pairs[:n], *pairs[n + 1 :]]) for n in range(len(pairs))]) ** 0.5
    found = Located(kappa, se, len(pairs), -1.0, 1.0).interval(level)
    interval = f" [{found[0]:.2f}, {found[1]:.2f}]" if found else ""
    return f"Cohen's kappa {kappa:.2f}{interval}"


class Alpha(NamedTuple):
    """Krippendorff's alpha with an interval over units and raters; None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None


def alpha_with_interval(ratings: Floats, cluster: Ints, level: float) -> Alpha:
    """Alpha, and the jackknife over clusters of units and over raters, added up.

    What both leave-outs share is not taken off, so that the interval errs on the wide side; it is
    Student's, with as many degrees of freedom as the smaller number of clusters less one, and has
    none where a leave-out has no alpha.

    Args:
        ratings: (raters, units).
        cluster: of each unit, (units,).
        level: of the interval.
    """
    value = krippendorff_alpha(ratings)
    rated = (~np.isnan(ratings)).sum(axis=0) >= 2
    groups = np.unique(cluster[rated])
    raters = np.flatnonzero((~np.isnan(ratings[:, rated])).any(axis=1))
    if value is None or min(len(groups), len(raters)) < 2:
        return Alpha(value)
    by_unit = _variance([krippendorff_alpha(ratings[:, cluster != g]) for g in groups])
    by_rater = _variance([krippendorff_alpha(np.delete(ratings, r, axis=0)) for r in raters])
    se = (by_unit + by_rater) ** 0.5
    if isnan(se):
        return Alpha(value)
    found = Located(value, se, min(len(groups), len(raters)), -1.0, 1.0).interval(level)
    return Alpha(value, *(found or (None, None)))


def _variance(without: Sequence[float | None]) -> float:
    """The jackknife's variance; NaN where a value is not defined."""
    values = np.array([np.nan if v is None else v for v in without])
    n = len(values)
    return float((n - 1) / n * ((values - values.mean()) ** 2).sum())

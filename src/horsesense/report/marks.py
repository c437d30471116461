"""Which points of a figure are marked: those whose interval leaves out what it is compared with."""

from __future__ import annotations

from statistics import NormalDist
from typing import Literal

from horsesense.measures.base import Estimate

ALPHA = 0.05


def side(e: Estimate, reference: float, comparisons: int = 1) -> Literal[-1, 0, 1]:
    """Whether the interval lies below (-1) or above (1) a reference, or holds it (0).

    0 also where there is no interval.

    Where `e` is the most extreme of several, the interval is stretched to the level that
    Bonferroni's correction asks for, as if it were normal on each side.
    """
    if e.value is None or e.low is None or e.high is None:
        return 0
    stretch = _quantile((1 - e.level) / comparisons) / _quantile(1 - e.level)
    if e.value - stretch * (e.value - e.low) > reference:
        return 1
    if e.value + stretch * (e.high - e.value) < reference:
        return -1
    return 0


def _quantile(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def significant(e: Estimate) -> bool:
    """Whether a tested estimate holds after correction for the number of probes."""
    return e.p_adjusted is not None and e.p_adjusted < ALPHA

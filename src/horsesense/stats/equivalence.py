"""Ruling an effect out: two one-sided tests, by the intervals that are shown.

An effect is smaller than a margin, at error rate alpha, where the interval at 1 - 2 alpha lies
within the margins (Schuirmann 1987). The p-value is the smallest such alpha, found from the
intervals themselves, so that a verdict and the interval beside it cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable

Interval = tuple[float, float] | None
"""Low and high end; None where nothing can be said."""

STEPS = 50
"""Halvings of alpha: p is exact to 2 ** -50."""


def within(interval: Interval, low: float, high: float) -> bool:
    """Whether an interval lies strictly between two bounds; an interval of None never does."""
    return interval is not None and low < interval[0] and interval[1] < high


def equivalence(interval_at: Callable[[float], Interval], margin: float) -> float:
    """p of "the effect is at least `margin` in size", by two one-sided tests.

    Args:
        interval_at: level -> two-sided interval; intervals of higher level hold lower ones.
        margin: the smallest size that matters, above 0.

    Returns:
        The smallest alpha at which the interval at level 1 - 2 alpha lies within (-margin,
        margin); 0.5 where none does, which no verdict uses.

    Raises:
        ValueError: the margin is not above 0.
    """
    if not margin > 0:
        raise ValueError("the margin of an equivalence test must be above 0")
    return ruled_out(interval_at, -margin, margin)


def ruled_out(interval_at: Callable[[float], Interval], low: float, high: float) -> float:
    """p of "the truth is not between `low` and `high`"; see `equivalence`.

    With `low` or `high` infinite it is the one-sided test against the other bound.
    """
    outside, inside = 0.0, 0.5
    for _ in range(STEPS):
        alpha = (outside + inside) / 2
        if within(interval_at(1 - 2 * alpha), low, high):
            inside = alpha
        else:
            outside = alpha
    return inside

"""Shares in percent, written in one way wherever a sentence has one."""

from __future__ import annotations

NARROW = "\u202f"
"""Narrow no-break space, between a number and its unit."""


def percent(share: float, digits: int = 0) -> str:
    """A share in percent.

    >>> percent(0.531), percent(0.531, 1)
    ('53\\u202f%', '53.1\\u202f%')
    """
    return f"{100 * share:.{digits}f}{NARROW}%"

"""Numbers in sentences, with the digits that they deserve."""

from __future__ import annotations

NARROW = "\u202f"
"""Narrow no-break space, between a number and its unit."""
MINUS = "−"


def number(value: float, unit: str, digits: int | None = None) -> str:
    """A value without its interval, in its unit; fractions are written in percent.

    >>> number(0.531, "fraction", 0)
    '53\\u202f%'
    """
    if unit == "fraction":
        digits = 1 if digits is None else digits
        return f"{signed(100 * value, digits)}{NARROW}%"
    digits = (1 if unit == "points" else 2) if digits is None else digits
    return signed(value, digits)


def signed(value: float, digits: int) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def between(low: float, high: float, digits: int) -> str:
    """An interval in brackets; a bound next to 0 has the digits that show on which side it lies.

    >>> between(-27.3, -0.02, 1), between(-4.0, 0.0, 1)
    ('[−27.3, −0.02]', '[−4.0, 0.0]')
    """
    return f"[{_beside_zero(low, digits)}, {_beside_zero(high, digits)}]"


def _beside_zero(value: float, digits: int) -> str:
    enough = (d for d in range(digits, 6) if value == 0 or float(f"{value:.{d}f}") != 0)
    return signed(value, next(enough, digits))


def chance_text(value: float) -> str:
    """What guessing gives: whole percents, with a digit where that would say too little."""
    return number(value, "fraction", 0 if value >= 0.1 or value == 0 else 1)


def points(value: float) -> str:
    """A difference of fractions in percentage points, without its sign."""
    size = abs(100 * value)
    return f"{size:.0f}" if size >= 2 else f"{size:.1f}"


def plural(n: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "item"), plural(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def rounded_up(n: int) -> int:
    """A count upwards to two digits.

    >>> rounded_up(99), rounded_up(1131)
    (99, 1200)
    """
    step: int = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step


def in_points(value: float, *, signed: bool = False) -> str:
    """A difference of shares: "5 points", "−0.4 points"."""
    size = abs(100 * value)
    text = f"{size:.0f}" if size >= 2 or size < 0.05 else f"{size:.1f}"
    sign = ("+" if value > 0 else MINUS if value < 0 else "") if signed and text != "0" else ""
    return f"{sign}{text} {'point' if text == '1' else 'points'}"


MOST_LOST = 0.05
"""Share of missing replies above which a sentence counts them."""


def lost(missing: int, n: int, counted: str) -> str:
    """The end of a sentence: how many a number lacks, where they could be more than a detail.

    >>> lost(22, 128, "trials"), lost(1, 128, "items")
    ('; 22 of 150 replies are missing', '')
    """
    if missing <= MOST_LOST * (n + missing):
        return ""
    of = "replies" if counted == "trials" else counted
    return f"; {missing:,} of {n + missing:,} {of} are missing"

"""Numbers in sentences, with the digits that they deserve."""

from __future__ import annotations

from math import ceil, log10

from horsesense.stats.words import NARROW

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


DUST = 1e-10
"""What lies this close to 0 is 0, but for the rounding of sums."""


def between(low: float, high: float, digits: int) -> str:
    """An interval in brackets; a bound next to 0 has the digits that show on which side it lies.

    One that leaves out 0 and nothing more is told in words.

    >>> between(-27.3, -0.02, 1), between(-4.0, 0.0, 1), between(1e-7, 5.2, 1)
    ('[−27.3, −0.02]', '[−4.0, 0.0]', '[above 0, 5.2]')
    """
    return f"[{_beside_zero(low, digits)}, {_beside_zero(high, digits)}]"


def _beside_zero(value: float, digits: int) -> str:
    if abs(value) <= DUST:
        return signed(0.0, digits)
    for enough in range(digits, 6):
        if float(f"{value:.{enough}f}") != 0:
            return signed(value, enough)
    return "above 0" if value > 0 else "below 0"


def level_text(level: float) -> str:
    """A level of confidence in percent, never rounded to 100.

    >>> level_text(0.95), level_text(0.999976)
    ('95\\u202f%', '99.998\\u202f%')
    """
    digits = max(4, ceil(-log10(1 - level))) if level < 1 else 4
    return f"{100 * level:.{digits}g}{NARROW}%"


def chance_text(value: float) -> str:
    """What guessing gives: whole percents, with a digit where that would say too little."""
    return number(value, "fraction", 0 if value >= 0.1 or value == 0 else 1)


def against(value: float, null: float, digits: int) -> tuple[str, str]:
    """A share and what there is without the fault, with the digits that tell them apart.

    >>> against(0.5313, 0.53, 0), against(0.53, 0.53, 0)
    (('53.1\\u202f%', '53.0\\u202f%'), ('53\\u202f%', '53\\u202f%'))
    """
    if min(value, null) > 0 and max(value, null) < 0.02:
        digits = 1
    texts = number(value, "fraction", digits), chance_text(null)
    for more in (1, 2, 3):
        if texts[0] != texts[1] or abs(value - null) <= DUST:
            return texts
        texts = number(value, "fraction", more), number(null, "fraction", more)
    return texts


def points(value: float) -> str:
    """A difference of fractions in percentage points, without its sign."""
    size = abs(100 * value)
    return f"{size:.0f}" if size >= 2 else f"{size:.1f}"


def short_of(value: float, size: float, digits: int) -> str:
    """A number inside of plus and minus a size, never rounded up to it.

    >>> short_of(4.98, 5, 1), short_of(-4.98, 5, 1), short_of(4.9, 5, 1), short_of(5.04, 5, 1)
    ('just under 5', 'just above −5', '4.9', '5.0')
    """
    text = signed(value, digits)
    if abs(value) >= size or abs(float(f"{value:.{digits}f}")) < size:
        return text
    return f"just under {size:g}" if value > 0 else f"just above {MINUS}{size:g}"


def rounded_up(n: int) -> int:
    """A count upwards to two digits.

    >>> rounded_up(99), rounded_up(1131)
    (99, 1200)
    """
    step: int = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step


def in_points(value: float, *, signed: bool = False, beside: float = 0.0) -> str:
    """A difference of shares: "5 points", "−0.4 points"; with the digit that tells it from one
    that it stands beside.

    >>> in_points(0.052), in_points(0.052, beside=0.05), in_points(-0.05, signed=True, beside=0.05)
    ('5 points', '5.2 points', '−5 points')
    """
    size = abs(100 * value)
    text = f"{size:.0f}" if size >= 2 or size < 0.05 else f"{size:.1f}"
    if text == f"{100 * beside:.0f}" and f"{size:.1f}" != f"{100 * beside:.1f}":
        text = f"{size:.1f}"
    sign = ("+" if value > 0 else MINUS if value < 0 else "") if signed and text != "0" else ""
    return f"{sign}{text} {'point' if text == '1' else 'points'}"

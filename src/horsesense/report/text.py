"""Text for people: numbers with the digits they deserve, and untrusted text made harmless.

Escaping is the templates' job (autoescape). What is done here is what escaping does not do:
characters that cannot be seen, or that reorder the page around them, are written out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.uncounted import noun_of
from horsesense.findings.wording import (
    MINUS,
    between,
    in_points,
    level_text,
    number,
    sided,
    signed,
)
from horsesense.measures.base import Estimate
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.registry import MEASURES
from horsesense.stats.words import NARROW, plural

# Controls but for tab and line feed, bidirectional controls, invisible fillers and tags, line
# separators, and surrogates (which no UTF-8 file can hold).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """`text` with every unseen character written out.

    >>> visible("a" + chr(0) + "b" + chr(0x202E) + "c")
    'a␀b⟨U+202E⟩c'
    """
    return _UNSEEN.sub(_written_out, text.replace("\r\n", "\n"))


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def finalize(value: Any) -> Any:
    """The last step of every template expression: no text reaches a page with unseen signs."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return "" if value is None else value


@dataclass(frozen=True)
class ShownShare:
    """A share of items with its interval, told like an estimate."""

    value: float | None
    low: float | None
    high: float | None
    unit: str = "fraction"
    measure: str = ""


def digits_of(e: Estimate | ShownShare) -> int:
    """Digits after the point: whole percents unless the interval is narrower than two points, and
    as many as tell the ends of an interval apart."""
    if e.unit != "fraction":
        return {"points": 1, "variance": 3}.get(e.unit, 2)
    if e.low is None or e.high is None:
        return 0
    ends = (100 * e.low, 100 * e.high)
    apart = (n for n in range(4) if len({signed(end, n) for end in ends}) > 1)
    digits = max(next(apart, 0), int(e.high - e.low < 0.02))
    return sided(*ends, digits) if is_difference(e) else digits


def value_of(e: Estimate | ShownShare) -> str:
    """The value in its unit (differences in points); a dash where it is undefined."""
    if e.value is None:
        return "–"
    exact = e.unit == "fraction" and e.value in (-1, 0, 1)
    text = number(e.value, e.unit, 0 if exact else digits_of(e))
    unit = "pt" if text.partition(NARROW)[0].lstrip(MINUS) == "1" else "pts"
    return text.replace("%", unit) if is_difference(e) else text


def is_difference(e: Estimate | ShownShare) -> bool:
    """Whether a value is a difference of fractions, told in points and not in percent."""
    return e.measure in MEASURES and MEASURES.get(e.measure).family is DIFFERENCE


def interval_of(e: Estimate | ShownShare) -> str:
    """The interval in brackets, in the value's unit."""
    if e.low is None or e.high is None:
        return ""
    scale, digits = (100 if e.unit == "fraction" else 1), digits_of(e)
    if is_difference(e):
        return between(scale * e.low, scale * e.high, digits)
    return f"[{signed(scale * e.low, digits)}, {signed(scale * e.high, digits)}]"


def count_of(e: Estimate) -> str:
    """What the number rests on: "n = 1,899 items"."""
    return f"n = {plural(e.n, noun_of(e.counted, e.probe))}"


def rests_on(estimates: Sequence[Estimate]) -> str:
    """What the numbers of one figure rest on: "n = 74 to 80 items"; "" where there is none."""
    if not estimates:
        return ""
    least, most = (chosen(estimates, key=lambda e: e.n) for chosen in (min, max))
    text = count_of(most)
    return text if least.n == most.n else text.replace("=", f"= {least.n:,} to", 1)


def p_text(p: float | None) -> str:
    """A p-value with two significant digits, or below the smallest that is worth telling."""
    if p is None:
        return ""
    return "< 0.0001" if p < 0.0001 else f"{p:.2g}"


LACKING = frozenset(kind.name for kind in KINDS if kind.way == "lacks")
"""Kinds that should be far from guessing; their distance is no fault."""


def shown_size(f: Finding) -> str:
    """The size that is set: a fault matters from it on, or is to reach no more above guessing."""
    size = in_points(f.size)
    return f"a fault if less than {size}" if f.kind in LACKING else f"matters from {size}"


def shown_interval(f: Finding) -> str:
    """The interval of a finding with its level."""
    if f.low is None or f.high is None:
        return "no interval"
    digits = 0 if f.high - f.low >= 0.02 else 1
    limits = [100 * (f.null + sign * f.size) for sign in (-1, 1)]
    ends = [100 * f.low, 100 * f.high]
    # What is ruled out must not seem to reach the size that matters.
    while f.conclusion == "ruled_out" and digits < 3:
        if not any(round(e, digits) == round(at, digits) for e in ends for at in limits if e != at):
            break
        digits += 1
    return f"{level_text(f.level)} interval {between(ends[0], ends[1], digits)}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of one length as lines, every column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]

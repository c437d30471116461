"""The numbers of a finding as pages and terminals print them."""

from __future__ import annotations

from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.wording import between, in_points, level_text, number

LACKING = frozenset(kind.name for kind in KINDS if kind.way == "lacks")
"""Kinds that should be far from guessing; their distance is no fault."""


def shown_value(f: Finding) -> str:
    """The value of a finding: a share, or a difference in points."""
    if f.value is None:
        return "–"
    if f.null == 0:
        return (
            in_points(f.value, signed=True, beside=f.size)
            .replace("points", "pts")
            .replace("point", "pt")
        )
    return number(f.value, "fraction", 0 if f.value in (0, 1) or _wide(f) else 1)


def shown_size(f: Finding) -> str:
    """The size that is set: a fault matters from it on, or is to reach no more above guessing."""
    size = in_points(f.size)
    return f"a fault if all below {size}" if f.name in LACKING else f"matters from {size}"


def _wide(f: Finding) -> bool:
    return f.low is None or f.high is None or f.high - f.low >= 0.02


def _apart(f: Finding, digits: int) -> int:
    """Enough digits that what is ruled out does not seem to reach the size that matters."""
    limits = [100 * (f.null + sign * f.size) for sign in (-1, 1)]
    ends = [100 * end for end in (f.low, f.high) if end is not None]
    while f.kind == "ruled_out" and digits < 3:
        near = [(e, at) for e in ends for at in limits if e != at]
        if not any(round(e, digits) == round(at, digits) for e, at in near):
            break
        digits += 1
    return digits


def _almost(f: Finding) -> float | None:
    """The size that an end of what is ruled out all but reaches, in percent; None for none."""
    ends = [100 * end for end in (f.low, f.high) if end is not None]
    limits = [100 * (f.null + sign * f.size) for sign in (-1, 1)]
    close = (at for at in limits for e in ends if e != at and abs(e - at) < 0.0005)
    return next((round(at, 3) for at in close if f.kind == "ruled_out"), None)


def shown_interval(f: Finding) -> str:
    """The interval of a finding with its level."""
    if f.low is None or f.high is None:
        return "no interval"
    digits = _apart(f, 0 if _wide(f) else 1)
    ends = between(100 * f.low, 100 * f.high, digits)
    limit = _almost(f)
    if limit is not None:  # no number of digits shows that it is not reached
        low, high = between(100 * f.low, 100 * f.high, 0 if _wide(f) else 1)[1:-1].split(", ")
        below = abs(100 * f.high - limit) < abs(100 * f.low - limit)
        ends = f"[{low}, just under {limit:g}]" if below else f"[just above {limit:g}, {high}]"
    if f.about == "these_items":
        return f"of these items: {shown_value(f) if f.low == f.high else ends}"
    return f"{level_text(f.level)} interval {ends}"

"""The numbers of a finding as pages and terminals print them."""

from __future__ import annotations

from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.wording import between, in_points, level_text

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

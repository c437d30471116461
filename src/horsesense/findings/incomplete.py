"""Why something cannot be told that could be if what is missing were like what is there."""

from __future__ import annotations

from typing import Final

from horsesense.findings.accusation import Accusation
from horsesense.findings.evidence import faulty, harmless
from horsesense.findings.finding import Outcome
from horsesense.stats.equivalence import within

UNLIKE: Final = "items that lack a reply may be unlike the others"
"""Why; the numbers beside it say how many they are."""


def left_open(a: Accusation, outcome: Outcome, level: float) -> str:
    """Why it cannot be told, where an interval of this level would tell if nothing was open."""
    open_to = outcome == "cannot_tell" and a.evidence.unknown is not None
    if not open_to or a.stopped or not a.possible:
        return ""
    answered = a.evidence.as_answered()
    there = answered.interval(level, a.kind.way)
    small = answered.interval(level, a.kind.way, found=False)
    if a.kind.way == "both":
        found = there is not None and not there[0] <= a.null <= there[1]
    else:
        found = within(there, *faulty(a.kind.way, a.null, a.size))
    return UNLIKE if found or within(small, *harmless(a.kind.way, a.clears, a.size)) else ""

"""Why it cannot be told what could be, but for replies that are missing or choose nothing."""

from __future__ import annotations

from typing import Final

from horsesense.findings.accusation import Accusation
from horsesense.findings.evidence import Evidence, faulty, harmless
from horsesense.findings.finding import Outcome
from horsesense.findings.wording import number
from horsesense.stats.equivalence import within

UNLIKE: Final = "items that lack a reply may be unlike the others"
"""Why; the numbers beside it say how many they are."""


def why_open(a: Accusation, outcome: Outcome, level: float) -> str:
    """Why it cannot be told, at this level; "" where the reason is none of these."""
    if outcome != "cannot_tell" or a.stopped or not a.possible:
        return ""
    return _silent(a, level) or _missing(a, level)


def _finds(a: Accusation, e: Evidence, level: float) -> bool:
    ends = e.interval(level, a.kind.way)
    if a.kind.way == "both":
        return ends is not None and not ends[0] <= a.null <= ends[1]
    return within(ends, *faulty(a.kind.way, a.null, a.size))


def _missing(a: Accusation, level: float) -> str:
    """Where the interval would tell if what is missing were like what is there."""
    if a.evidence.unknown is None:
        return ""
    answered = a.evidence.as_answered()
    small = answered.interval(level, a.kind.way, found=False)
    ruled_out = within(small, *harmless(a.kind.way, a.clears, a.size))
    return UNLIKE if ruled_out or _finds(a, answered, level) else ""


def _silent(a: Accusation, level: float) -> str:
    """Where it would be found, but for replies that choose nothing."""
    if a.spared is None or not _finds(a, a.evidence, level):
        return ""
    silent = a.spared.value - a.evidence.value
    return f"{number(silent, 'fraction', 0)} of replies choose no option"

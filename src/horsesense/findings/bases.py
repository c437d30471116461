"""What stands beside a number: where a change is measured from, and what a share leaves out."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.findings.evidence import Evidence
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Place
from horsesense.findings.wording import number
from horsesense.measures.joined import RECORDED_ORDERS

NONE_BESIDE = "gold_plus_none"
FIRST_ORDER = "the first order in the log"
"""What the other orders of an item in a log are compared with."""


class Bases:
    """The wordings in which the items were also asked as published, by reader.

    Changes of accuracy and of choices start there (`measures.joined.AgainstOriginal`).
    """

    def __init__(self, places: Iterable[Place]) -> None:
        self._asked = {
            (place.reader, place.condition["asking"])
            for place in places
            if place.condition.matches(prompt="with_gold") and "asking" in place.condition
        }

    def of(self, place: Place) -> str:
        """What a change is compared with, in words; "" where that is the items as published."""
        if place.condition.matches(design=RECORDED_ORDERS):
            return FIRST_ORDER
        wording = place.reader, place.condition.get("asking", "")
        if wording not in self._asked or place.condition.matches(prompt="with_gold"):
            return ""
        shown = "without a none-option" if place.probe == NONE_BESIDE else "as published"
        return f"the same wording {shown}"


class RightOnes:
    """How many right options are accepted, where options are judged one at a time.

    Who always says no rejects every wrong one.
    """

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._accepted = {
            (e.probe, e.condition, e.reader): e.value
            for e in evidence
            if e.measure == "true_false_consistency" and e.group == "gold"
        }

    def of(self, e: Evidence) -> str:
        """The same in words, beside the share of wrong options; "" where it is not known."""
        accepted = self._accepted.get((e.probe, e.condition, e.reader))
        if accepted is None or e.measure != "true_false_consistency":
            return ""
        return f"; of right ones, {number(accepted, 'fraction', 0)} are accepted"


class Spared:
    """What the share of a finding is if replies that choose nothing do not count for the fault.

    They count in the share, and do not show the fault: it is found where both shares show it.
    """

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        of = {kind.silence for kind in KINDS}
        self._shares = {(e.measure, *_where(e)): e for e in evidence if e.measure in of}

    def of(self, kind: Kind, e: Evidence) -> Evidence | None:
        """The other share, of the same replies; None where it is the same."""
        spared = self._shares.get((kind.silence, *_where(e)))
        return None if spared is None or spared.value == e.value else spared.open_ended()


def _where(e: Evidence) -> tuple[str, str, str, str]:
    return e.probe, e.condition.format(), e.reader, e.group

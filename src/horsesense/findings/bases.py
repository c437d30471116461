"""What stands beside a number: where a change is measured from, and what a share leaves out."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.places import Place
from horsesense.findings.wording import number
from horsesense.measures.estimate import Found
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


class Silence:
    """How many of the very replies of a finding count for the fault, and do not show it."""

    def __init__(self, found: Iterable[Found]) -> None:
        self._measures = {kind.name: kind.silence for kind in KINDS if kind.silence}
        of = frozenset(self._measures.values())
        self._shares = {
            (e.measure, e.probe, e.condition.format(), e.reader, e.group): e.value
            for e, *_ in found
            if e.measure in of and e.value is not None
        }

    def of(self, f: Finding) -> float:
        """Their share; 0 where all that counts for the fault shows it."""
        where = f.probe, f.condition, f.reader, f.group
        return self._shares.get((self._measures.get(f.name, ""), *where), 0.0)

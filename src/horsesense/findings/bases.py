"""What a change is measured from, where that is not the items as published."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.findings.places import Place

NONE_BESIDE = "gold_plus_none"


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
        wording = place.reader, place.condition.get("asking", "")
        if wording not in self._asked or place.condition.matches(prompt="with_gold"):
            return ""
        shown = "without a none-option" if place.probe == NONE_BESIDE else "as published"
        return f"the same wording {shown}"

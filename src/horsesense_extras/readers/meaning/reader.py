"""The reader of single choices that weighs the vectors of sentences beside the rules' evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from horsesense.readers.model_based.cases import MEANING
from horsesense.readers.reading import Reading
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.reader import TextReader
from horsesense.readers.text.weighing.evidence import Evidence
from horsesense.readers.text.weighing.weigh import decide, shipped
from horsesense_extras.readers.meaning.evidence import texts, with_meaning
from horsesense_extras.readers.meaning.vectors import Vectors

SURE: Final = 0.9
"""Confidence of the rules from which on a reading stands as it is."""


class MeaningText(TextReader):
    """The text reader with evidence from vectors, for what the rules do not read surely.

    Attributes:
        vectors: text -> its vector; a reply is read with meaning where all of its texts are here.
        missing: texts that were looked for and not here.
    """

    name = MEANING

    def __init__(self) -> None:
        self.vectors: dict[str, Vectors] = {}
        self.missing: set[str] = set()

    def weigh(self, scene: Scene, found: Evidence) -> Reading:
        plain = decide(*found)
        if plain.status != "unclear" and plain.confidence >= SURE:
            return plain
        given = texts(scene)
        missing = {text for text in given.each() if text not in self.vectors}
        if missing:
            self.missing |= missing
            return plain
        more = with_meaning(found, given, self.vectors)
        reading = decide(*more, shipped("horsesense_extras.readers.meaning"))
        return replace(reading, rule=f"meaning_{reading.rule}")

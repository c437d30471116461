"""Statements: the places where a response says which option it chooses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from horsesense.readers.text import cues
from horsesense.readers.text.labels import LabelHit, LabelSet
from horsesense.readers.text.normalise import Folded
from horsesense.readers.text.options import Options, ends_clause

Strength = Literal["stated", "weak"]


class Target(NamedTuple):
    """What a statement points at.

    Attributes:
        slots: the options named; several for "B and C".
        start, end: place in the folded response.
        by: how they are named.
        agrees: True if label and option text both stand there and agree, False if the label
            stands before another option's text, None if only one of them is there.
    """

    slots: tuple[int, ...]
    start: int
    end: int
    by: Literal["label", "text"]
    agrees: bool | None


class Statement(NamedTuple):
    """One place that chooses: its rule, its target and where the wording begins."""

    rule: str
    target: Target
    start: int
    strong: bool = True


class Scene:
    """A response with the labels and options it answers to."""

    __slots__ = ("labels", "options", "response")

    def __init__(self, response: Folded, labels: LabelSet, options: Options) -> None:
        self.response = response
        self.labels = labels
        self.options = options

    def target_at(self, position: int) -> Target | None:
        """The option named at `position`, fillers skipped: by text, by label, or by both."""
        texts = self.options.match_at(self.response, position)
        filler = cues.FILLER.match(self.response.low, position)
        skipped = filler.end() if filler else position
        label = self.labels.at(self.response, skipped)
        if not texts:
            texts = self.options.match_at(self.response, skipped)
        if texts and (label is None or texts[0].end > label.end):
            return Target(
                tuple(t.slot for t in texts), texts[0].start, texts[0].end, "text", None
            )
        return None if label is None else self.with_text(label)

    def with_text(self, label: LabelHit) -> Target:
        """The target of a label, with the labels listed after it and the text behind it."""
        more = self.labels.further(self.response, label.end)
        if more:
            slots = tuple(dict.fromkeys([label.slot, *(m.slot for m in more)]))
            return Target(slots, label.start, more[-1].end, "label", None)
        agrees, end = self._text_behind(label)
        return Target((label.slot,), label.start, end, "label", agrees)

    def _text_behind(self, label: LabelHit) -> tuple[bool | None, int]:
        """Whether the text behind a label is its own option's, and where that ends."""
        found = self.options.match_at(self.response, label.after)
        for hit in found:
            if hit.slot == label.slot:
                return True, hit.end
        if self.options.begins_at(label.slot, self.response, label.after):
            return True, label.end
        if found and ends_clause(self.response, found[0].end):
            return False, found[0].end
        return None, label.end


def statements(scene: Scene) -> list[Statement]:
    """All statements of a response in order of place; negated and hypothetical ones left out."""
    found = [*_announced(scene), *_chosen(scene), *_confirmed(scene)]
    found.sort(key=lambda s: s.target.start)
    return found


def _announced(scene: Scene) -> Iterator[Statement]:
    """ "The answer is B", "Answer: B", "option B"."""
    low = scene.response.low
    for noun in cues.ANSWER_NOUN.finditer(low):
        if cues.NEGATED_CUE.search(low, max(0, noun.start() - 40), noun.start()):
            continue
        end = cues.SENTENCE_END.search(low, noun.end(), noun.end() + 160)
        stop = end.start() if end else min(len(low), noun.end() + 160)
        for tried, link in enumerate(cues.LINK.finditer(low, noun.end(), stop)):
            if tried == 4:
                break
            target = _linked_target(scene, link.end())
            if target is not None:
                yield Statement("stated", target, noun.start())
                break


def _linked_target(scene: Scene, position: int) -> Target | None:
    low = scene.response.low
    negated = cues.NOT.match(low, position)
    if negated:
        turn = cues.BUT.match(low, negated.end())
        if turn is None:
            return None
        position = turn.end()
    return scene.target_at(position)


def _chosen(scene: Scene) -> Iterator[Statement]:
    """ "I would choose B"."""
    for m in cues.CHOOSE.finditer(scene.response.low):
        target = scene.target_at(m.end())
        if target is not None:
            yield Statement("chosen", target, m.start())


def _confirmed(scene: Scene) -> Iterator[Statement]:
    """ "B is correct", "option (B) is the best answer"."""
    response, low = scene.response, scene.response.low
    for m in scene.labels.mention.finditer(response.text):
        hit = LabelHit(scene.labels.names[m["name"]], m.start(), m.end(), True, m.end())
        target = scene.with_text(hit)
        if cues.RIGHT.match(low, target.end) and not cues.BEFORE_NOT.search(
            low, max(0, m.start() - 40), m.start()
        ):
            bare = not (m["open"] or m["close"] or m["sign"])
            if bare and m["name"] in "aAiI" and not _named(low, m.start()):
                continue
            yield Statement("confirmed", target, m.start())


_NAMED = re.compile(r"(?:option|choice|answer|statement|letter)s?\W*$|^\W*$|[.:\n]\s*$")


def _named(low: str, position: int) -> bool:
    return _NAMED.search(low, max(0, position - 12), position) is not None

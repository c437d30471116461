"""Targets: which option is named at a place of the response."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

from horsesense.readers.text.names.labels import LabelHit, LabelSet
from horsesense.readers.text.names.options import Options, TextHit, ends_clause
from horsesense.readers.text.names.places import PLACE, place_at
from horsesense.readers.text.names.question import asks_not
from horsesense.readers.text.words import announcements
from horsesense.readers.text.words.normalise import Folded

Text = Literal["own", "begun", "other"]
_Found = TypeVar("_Found")

_OR = re.compile(r"[\"'),]*\s*\b(?:or|oder|ou)\b(?: else| maybe| perhaps)?\s*")
_AS_LABEL = re.compile(
    r"\b(?:options?|label|choice|statement|number|no\.|opción|antwort)\s*[(\[\"']?\Z"
)
_OWN_LABEL = re.compile(r"[\s*_\"'`]{0,4}(?=\()\(?(?:option |choice )?")
"""Behind a text: that its label may follow in brackets."""
_WORD_BEGINS = re.compile(r"\A|\b(?=\w)")
"""Where a place may begin."""
_NEAR = 24
_BEGUN = 2
_PLACE = 28
_ENDS = 150


class Target(NamedTuple):
    """What is named at a place.

    Attributes:
        positions: the options named; several for "B and C".
        start, end: place in the folded response.
        by: how they are named.
        text: behind a label, its "own" option's text, or the beginning of it ("begun"), or
            the text of an "other" option; None where there is only a label or only a text.
        marked: a label is set off by brackets or a sign; True for texts.
    """

    positions: tuple[int, ...]
    start: int
    end: int
    by: Literal["label", "text"]
    text: Text | None
    marked: bool = True

    @property
    def agrees(self) -> bool:
        """Whether a label comes with its own option's text."""
        return self.text in ("own", "begun")


class Scene:
    """A response with the labels and options that it answers to."""

    __slots__ = ("_dropped", "_known", "labels", "options", "question", "response")

    def __init__(
        self, response: Folded, labels: LabelSet, options: Options, question: str = ""
    ) -> None:
        self.response = response
        self.labels = labels
        self.options = options
        self.question = question
        self._dropped: dict[int, tuple[int, bool]] = {}
        self._known: dict[Any, tuple[str, Any]] = {}

    def once(self, find: Callable[[Scene], _Found]) -> _Found:
        """What `find` finds in the response as it is spelled now, looked for once."""
        known = self._known.get(find)
        if known is None or known[0] is not self.response.low:
            known = self._known[find] = self.response.low, find(self)
        found: _Found = known[1]
        return found

    @property
    def labelled(self) -> list[LabelHit]:
        """Every label that stands by itself, articles and pronouns included."""
        return self.once(_labelled)

    @property
    def asks_not(self) -> bool:
        """Whether the question is known, and asks for what is not so."""
        return bool(self.question) and asks_not(self.question)

    @property
    def labelled_at_both_ends(self) -> list[LabelHit]:
        """Of very many labels only the first and the last."""
        found = self.labelled
        return found if len(found) <= 2 * _ENDS else [*found[:_ENDS], *found[-_ENDS:]]

    def drop(self, target: Target, *, denied: bool = False) -> None:
        """Note that a target is no answer: denied, or another one's; no other rule may take it."""
        self._dropped[target.start] = target.end, denied

    def dropped(self, offset: int) -> bool:
        """Whether what is named at a place was found to be no answer."""
        return bool(self._dropped) and any(
            start <= offset < end for start, (end, _) in self._dropped.items()
        )

    def denied(self, offset: int) -> bool:
        """Whether what is named at a place was denied to be the answer."""
        return bool(self._dropped) and any(
            denied and start <= offset < end for start, (end, denied) in self._dropped.items()
        )

    def target_at(self, offset: int, *, cut: bool = True) -> Target | None:
        """The option named at `offset`, after words such as "most likely option".

        With `cut`, the beginning of one option's text counts where the clause ends with it.
        """
        response = self.response
        skipped = announcements.FILLER.match(response.low, offset).end()  # type: ignore[union-attr]
        label = self.labels.at(response, skipped)
        texts = self.options.match_at(response, offset)
        if not texts and skipped > offset:
            texts = self.options.match_at(response, skipped)
        if label is not None:
            return self._label_or_text(label, texts)
        if texts:
            return self._text_target(texts)
        # From each place that one may begin at: a search would look far behind them as well.
        stop = skipped + _PLACE
        starts = (m.start() for m in _WORD_BEGINS.finditer(response.low, offset, skipped + 2))
        named = next(filter(None, (PLACE.match(response.low, at, stop) for at in starts)), None)
        k, digits = len(self.options.texts), self.labels.numbers
        place = place_at(named, k, digits, self.question) if named else None
        if place:
            return Target((place.position,), place.start, place.end, "text", None)
        if cut:
            texts = self.options.cut_at(response, offset) or self.options.cut_at(response, skipped)
        return _text_target(texts) if texts else None

    def _text_target(self, texts: list[TextHit]) -> Target:
        """The target of a text, with the one that "or" joins to it."""
        found = _text_target(texts)
        own = _OWN_LABEL.match(self.response.low, found.end)
        label = self.labels.at(self.response, own.end()) if own else None
        if label is not None and found.positions == (label.position,) and label.bracketed:
            return found._replace(end=label.end, text="own")
        joined = _OR.match(self.response.low, found.end)
        more = self.options.match_at(self.response, joined.end()) if joined else []
        more = [hit for hit in more if hit.start - found.end <= _NEAR]
        if not more or {hit.position for hit in more} & set(found.positions):
            return found
        positions = (*found.positions, *(hit.position for hit in more))
        return found._replace(positions=positions, end=more[0].end)

    def _label_or_text(self, label: LabelHit, texts: list[TextHit]) -> Target:
        """Decide between a label and a text that begins with the label's own character."""
        if texts and (texts[0].end > label.end or texts[0].start < label.start):
            return self._text_target(texts)
        if _AS_LABEL.search(self.response.low, max(0, label.start - 14), label.start):
            return self.behind(label)
        other = texts and all(hit.position != label.position for hit in texts)
        target = self.behind(label)
        if other and self.labels.numbers and not label.bracketed:
            # "3. 10" is the third option, 10, also where another one is 3.
            own = label.marked and target.text == "own"
            if not (own and ends_clause(self.response, target.end)):
                return Target((label.position,), label.start, label.end, "label", "other")
        return target

    def behind(self, label: LabelHit) -> Target:
        """The target of a label, with the labels listed after it or the text behind it."""
        more = self.labels.further(self.response, label.end)
        if more:
            return _label_target([label, *more], more[-1].end, None)
        text, end = self._text_behind(label)
        if text == "own":
            more = self.labels.further(self.response, end)
        if more:
            return _label_target([label, *more], more[-1].end, None)
        return _label_target([label], end, text)

    def _text_behind(self, label: LabelHit) -> tuple[Text | None, int]:
        """Whose text follows a label, and where it ends."""
        response = self.response
        found = self.options.match_at(response, label.after)
        if not found:
            joined = announcements.STANDS_FOR.match(response.low, label.end)
            found = self.options.match_at(response, joined.end()) if joined else []
        for hit in found:
            if hit.position == label.position:
                return "own", hit.end
        begun = self.options.begun_at(label.position, response, label.after)
        if found and begun < found[0].tokens and ends_clause(response, found[0].end):
            return "other", found[0].end
        if begun >= _BEGUN and not found:
            return "begun", label.end
        if announcements.SAYS_NONE.match(response.low, label.after):
            return "other", label.end
        return None, label.end


def _labelled(scene: Scene) -> list[LabelHit]:
    return list(scene.labels.mentions(scene.response))


def _label_target(hits: list[LabelHit], end: int, text: Text | None) -> Target:
    positions = tuple(dict.fromkeys(hit.position for hit in hits))
    return Target(positions, hits[0].start, end, "label", text, hits[0].marked)


def _text_target(texts: list[TextHit]) -> Target:
    return Target(tuple(t.position for t in texts), texts[0].start, texts[0].end, "text", None)

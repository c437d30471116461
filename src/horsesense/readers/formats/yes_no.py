"""Reading yes or no from the text of a reply."""

from __future__ import annotations

import re

from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.trials.trial import Trial

_YES = r"yes|yeah|yep|true|correct|right"
_NO = r"no|nope|false|incorrect|wrong"
_OPENS = re.compile(rf"[\s\W]*(?:answer\s*[:=]\s*\W*)?(?:(?P<yes>{_YES})|(?P<no>{_NO}))\b", re.I)
_NO_NOUN = re.compile(r"\bno\s+(?:one|other|longer|more|matter|doubt)\b", re.I)
_STATED = re.compile(
    r"\b(?:answer|option|statement|claim|it|that|this)(?:\s+\w+){0,3}?\s+(?:is|are|was)\s+"
    r"(?P<not>not\s+|in)?(?P<what>correct|right|true|false|wrong|incorrect|yes|no)\b",
    re.I,
)
_CANNOT = re.compile(r"\b(?:cannot|can't|unable to|not possible to)\s+(?:determine|say|tell)", re.I)
_AFFIRMS = frozenset(("correct", "right", "true", "yes"))
YES_POSITION, NO_POSITION = 0, 1


def read_yes_no(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """Yes (position 0) or no (position 1); `ambiguous` where a reply says both.

    The opening word decides ("Yes, because ..."), then a statement ("the proposed answer is not
    correct"); a reply that opens with one and states the other contradicts itself.
    """
    text = response.text
    opening = _opening(text)
    stated = _stated(text)
    said = {reading.positions for reading in (opening, stated) if reading is not None}
    if len(said) > 1:
        return Reading("ambiguous", (), "says_both", (0, len(text)), 0.8)
    if opening is not None:
        return opening
    if stated is not None:
        return stated
    cannot = _CANNOT.search(text)
    if cannot is not None:
        return Reading("unknown", (), "cannot_say", cannot.span(), 0.9)
    return reader.read(text, ("Yes", "No"), (), finish_reason=response.finish_reason)


def _opening(text: str) -> Reading | None:
    match = _OPENS.match(text)
    if match is None or _NO_NOUN.match(text, match.start("no") if match["no"] else len(text)):
        return None
    position = YES_POSITION if match["yes"] else NO_POSITION
    both = re.match(r"\s*(?:/|or|and)\s*(?:yes|no)\b", text[match.end() :], re.I)
    if both is not None:
        return Reading("ambiguous", (), "yes_or_no", (match.start(), match.end() + both.end()), 0.9)
    return Reading("answer", (position,), "opening", match.span(match.lastgroup or 0), 0.98)


def _stated(text: str) -> Reading | None:
    """The last statement about the proposed answer."""
    found = list(_STATED.finditer(text))
    if not found:
        return None
    last = found[-1]
    affirms = last["what"].lower() in _AFFIRMS
    position = NO_POSITION if affirms == bool(last["not"]) else YES_POSITION
    return Reading("answer", (position,), "stated", last.span(), 0.9)

"""Replies to a question for what is *not* so that say of one option alone that it is not.

"Robins, wrens and owls are birds. A bat isn't.": the one that is denied what is asked, where no
other is; and the one that is named last, and for the first time, where all others were granted it.
"""

from __future__ import annotations

import re

from horsesense.readers.reading import Reading
from horsesense.readers.text.claims.clauses import named_by_word
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.names.likeness import stems
from horsesense.readers.text.names.targets import Scene

_CONFIDENCE = 0.91
_MOST = 4000
_FEWEST = 3
_SENTENCE = re.compile(r"[^\n.!?]*(?:[.!?](?!\s|\Z)[^\n.!?]*)*(?:[.!?]+[\"')*_]*|\n|\Z)")
_SAYS = re.compile(r"\w")
_DENIES = re.compile(r"\b(?:not|never|no|neither|nor|cannot|nicht|kein\w*|without|none)\b|n['’]t\b")
_NOT_SO = re.compile(r"(?:\b(?:not|never|no|cannot)\b(?! (?:only|just|merely|the same))|n['’]t\b)")
_BLANK = re.compile(
    r"\W*(?:\Z|[.,;!]|(?:is|was|did|has|does|one(?! to)|on (?:that|the|this) list)\b)"
)
_PART_ENDS = re.compile(r"[,;:(–—]| - ")
_JUDGES = re.compile(
    r"\b(?:answers?|options?|choices?|correct|wrong|incorrect|false|true|right|if|unless|might|may|some"
    r"|would|could|think|believe|say|says|said|both|or|either|whether|doubt|but)\b|\?"
)
_SET_APART = re.compile(
    r"\b(?:odd|exceptions?|contrast|only|unlike|instead|differs?|whereas|however|isn['’]t|not|never)\b"
    r"|n['’]t\b"
)
_GROUPS = re.compile(
    r"\b(?:all|these|those|so) (?:of (?:these|them|those)|the (?:other )?\w+|two|three|four"
    r"|five|six|are\b"
    r"|\w+ (?:are|belong|hold|qualify))|\bboth\b|\ball \w+|\b(?:three|four|five) (?:are|hold"
    r"|belong)\b"
)


def exception(scene: Scene, first: Impression) -> Reading | None:
    """The option that a reply says is the exception, to a question that asks for it."""
    low = scene.response.low
    if not scene.asks_not or first.said or len(low) > _MOST or "{" in low:
        return None
    spans = [m.span() for m in _SENTENCE.finditer(low) if _SAYS.search(m.group())]
    named = [_named(scene, *span) for span in spans]
    found = _denied(scene, spans, named)
    if found is None:
        found = _last(scene, spans, named)
    return None if found is None else Reading("answer", (found,), "exception", None, _CONFIDENCE)


def _named(scene: Scene, start: int, end: int) -> set[int]:
    """The options that a sentence names, by label, text or a word of their own."""
    low, response = scene.response.low, scene.response
    found = {hit.position for hit in scene.options.find_all(response) if start <= hit.start < end}
    marked = (hit for hit in scene.labels.mentions(response, start, end) if hit.marked)
    return (
        found
        | {hit.position for hit in marked}
        | named_by_word(low[start:end], scene.options.texts)
    )


def _asked(scene: Scene) -> set[str]:
    """The stems of the question's own words."""
    offered = {one for text in scene.options.texts for one in stems(text.lower())}
    return {*stems(scene.question.lower())} - offered


def _denied(scene: Scene, spans: list[tuple[int, int]], named: list[set[int]]) -> int | None:
    """The one option of which alone a sentence says, in the question's words, that it is not so."""
    low = scene.response.low
    asked = _asked(scene)
    denied: set[int] = set()
    for (start, end), here in zip(spans, named, strict=True):
        sentence = low[start:end]
        no = _NOT_SO.search(sentence)
        if not here:
            continue
        if no is None:
            if _DENIES.search(sentence):
                return None
            continue
        if len(here) != 1 or _JUDGES.search(sentence) or len(_DENIES.findall(sentence)) > 1:
            return None
        rest = sentence[no.end() :]
        said = {*stems(_PART_ENDS.split(rest, maxsplit=1)[0])}
        if not (_BLANK.match(rest) or (said and said <= asked)):
            return None
        denied |= here
    if len(denied) != 1:
        return None
    (one,) = denied
    # What is denied may be denied of it in passing, where it is also named without.
    apart = [
        here for (s, e), here in zip(spans, named, strict=True) if not _NOT_SO.search(low, s, e)
    ]
    return None if any(one in here for here in apart) else one


def _last(scene: Scene, spans: list[tuple[int, int]], named: list[set[int]]) -> int | None:
    """The one option that is named last and alone, after all others were named and none denied."""
    low, k = scene.response.low, len(scene.options.texts)
    places = [i for i, here in enumerate(named) if here]
    if k < _FEWEST or len(places) < 2 or len(named[places[-1]]) != 1:
        return None
    at = places[-1]
    (one,) = named[at]
    before: set[int] = set().union(*(named[i] for i in places[:-1]))
    if before != {*range(k)} - {one}:
        return None
    start, end = spans[at]
    earlier = low[:start]
    if _DENIES.search(earlier) or _JUDGES.search(low, start, end) or "?" in low:
        return None
    if not _asked(scene) & {*stems(earlier)}:
        return None
    apart = _SET_APART.search(low, start, end) or _GROUPS.search(earlier) or one < max(before)
    return one if apart else None

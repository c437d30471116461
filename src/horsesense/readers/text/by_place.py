"""A choice that is named by its place in the list alone: "It's the last one on your list."."""

from __future__ import annotations

import re
from collections.abc import Callable

from horsesense.readers.reading import Reading
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.places import PLACE, place_at
from horsesense.readers.text.targets import Scene

_CONFIDENCE = 0.91
_MOST = 6000
_SENTENCE = re.compile(r"[^\n.!?]*(?:[.!?](?!\s|\Z)[^\n.!?]*)*(?:[.!?]+[\"')*_]*|\n|\Z)")
_LISTED = re.compile(
    r"(?: ?(?:option|choice|answer|one|item))?,? (?:(?:on|in|of) (?:the|your|this|that) (?:list"
    r"|options?"
    r"|choices?|answers?|four|five|three|six)|of (?:the )?(?:four|five|three|six|options|choices)"
    r"|(?:is|was) (?:the |definitely |clearly )*(?:correct|right|best|answer)|listed|offered"
    r"|given)\b"
    r"|\W*(?:\Z|[,;:.] ?(?:because|since|as|for)?\b)|(?: \w+){0,4} best\b"
)
_IS_IT = re.compile(
    r"(?:\A|[,;:–—] |- )\W*(?:(?:so|therefore|thus|hence|and|my answer:|answer:|well|then),? )*"
    r"(?:it(?:['’]s| is| must be| has to be)|that(?:['’]s| is| must be| would be)|this is"
    r"|i(?:['’]d| would|['’]ll)? (?:choose|pick|go with|say|take|select|vote for)"
    r"|the (?:correct |right"
    r"|best )?(?:answer|choice|option) is|(?:choose|pick|select))"
    r"(?: (?:therefore|clearly|definitely|simply|thus|then))? (?:the )?\Z"
    r"|\b(?:looking for|correct one|right one|right answer|correct answer|answer)"
    r" (?:is|must be)(?: therefore| thus| clearly)? the \Z"
)
_SUBJECT = re.compile(
    r"\A\W*(?:(?:so|therefore|thus|hence),? )?(?:(?:the|option|number|choice) )*\Z"
)
_IS_RIGHT = re.compile(
    r"[^.\n]{0,30}\b(?:is|was) (?:the |definitely |clearly )*(?:correct|right|best|answer)\b"
    r"(?: (?:one|answer|choice|option))?\W*\Z|(?: \w+){0,4} best\W*\Z"
)
_AGAINST = re.compile(
    r"\b(?:not|never|no|nor|neither|but|or|if|unless|some|many|most people|than|might|may|could"
    r"|wrong"
    r"|incorrect|rather|tempt\w*|trap|except|both|first thought|said|says|thinks|believes"
    r"|friend|time"
    r"|worst|least|next|step)\b|n['’]t\b|\?"
)


def by_place(scene: Scene, first: Impression, turns: Callable[[str], bool]) -> Reading | None:
    """The option that a sentence of its own chooses by its place, where nothing else is chosen."""
    low, k = scene.response.low, len(scene.options.texts)
    if first.said or len(low) > _MOST or "{" in low or turns(low):
        return None
    chosen: set[int] = set()
    end = 0
    for sentence in _SENTENCE.finditer(low):
        found = _chosen(scene, low, sentence.start(), sentence.end(), k)
        if found is not None:
            chosen.add(found)
            end = sentence.end()
    if len(chosen) != 1:
        return None
    (one,) = chosen
    later = {hit.position for hit in scene.options.find_all(scene.response) if hit.start >= end}
    later |= {
        hit.position for hit in scene.labels.mentions(scene.response, end, len(low)) if hit.marked
    }
    if later - {one}:
        return None
    return Reading("answer", (one,), "by_place", None, _CONFIDENCE)


def _chosen(scene: Scene, low: str, start: int, end: int, k: int) -> int | None:
    """The option that a sentence chooses by its place."""
    if _AGAINST.search(low, start, end):
        return None
    found = [(m, place) for m in PLACE.finditer(low, start, end)
             if (place := place_at(m, k, scene.labels.numbers, scene.question))]  # fmt: skip
    if len(found) != 1:
        return None
    place = found[0][1]
    named = [h.position for h in scene.options.find_all(scene.response) if start <= h.start < end]
    if {*named} - {place.position}:
        return None
    before, behind = low[start : place.start], low[place.end : end]
    said = _IS_IT.search(before) and _LISTED.match(behind)
    said = said or (_SUBJECT.match(before) and _IS_RIGHT.match(behind))
    return place.position if said else None

"""An answer that is plainly stated and is none of the options: "The answer is Berlin".

Only where nothing else can be meant: options that are all numbers and another number, in no other
unit; options that are all names and a name that is like none of them; a label, or a place, beyond
the last. A paraphrase, a translation or an abbreviation may mean an option and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from horsesense.readers.reading import Reading
from horsesense.readers.text.claims.cues import CUES
from horsesense.readers.text.names import likeness
from horsesense.readers.text.names.places import beyond
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene

RULE: Final = "elsewhere"
_LONGEST = 400
_LONG = 4000
"""How long a reply may be that ends by announcing its answer, or by taking up the question."""
_SURE = 0.82
_UNLIKE = 0.7
"""The likeness in letters from which on a name may be another spelling of an option."""
_SHORTEST = 4
"""Letters that a name has; a shorter one may be an abbreviation."""
_WORDS = 3
_ADJECTIVES = r"(?:(?:correct|right|best|final|most likely|likely|probable) ){0,2}"
_STATES = re.compile(
    rf"(?:\b{_ADJECTIVES}(?:answer|solution|result|sum|total|value|output|product|remainder)"
    r"(?: (?:here|to (?:this|the|your) question|in this case))?"
    r"(?: (?:is|was|would be|must be|should be|comes to):?|:| =)"
    r"|\b(?:it|that|this)(?:['’]s| is| must be| would be| has to be| makes| equals)"
    r"|\b(?:i|we)(?:['’]d| would| will|['’]ll)? (?:say|choose|pick|answer|get|go with|obtain)"
    r"|\\boxed ?\{|=)[\s*_\"'$(]*(?P<said>[^.,;?!\n=:]{1,40}|\d[\d.,]*)[\s*_\"'$)}.!]*\Z"
)
_ANNOUNCES = re.compile(
    rf"(?:(?:\A|[.!?\n])[^.!?\n]{{0,40}}\b{_ADJECTIVES}answer"
    r"(?: (?:here|to (?:this|the|your) question))?[\s*_]*(?: (?:is|was|must be):?|:)|\n####"
    r"|\\boxed ?\{)[\s*_\"'`$(]*(?P<said>\d[^;?!\n=:]{0,24}|[^\d.,;?!\n=:{}][^.,;?!\n=:{}]{0,40})"
    r"[\s*_\"'`$)}.!]*\Z"
)
"""The last words of a reply of any length."""
_TAKES_UP = re.compile(
    r"(?P<about>(?:\A|[.!?\n]\s?)[^.!?\n]{3,120}) (?:is|was|are|were|in(?= \d)|equals|comes to"
    r"|prints|outputs|has|returns)(?: (?:therefore|thus|then|about))?[\s*_\"'`$(]*"
    r"(?P<said>\d[^;?!\n=:]{0,24}|[^\d.,;?!\n=:{}][^.,;?!\n=:{}]{0,40})[\s*_\"'`$)}.!]*\Z"
)
"""A last sentence; what it is about has to be what the question asks."""
_PRAISED = re.compile(
    rf"(?:\A|[.!?\n] ?)[\s*\"']*(?P<said>[^.,;?!\n=:]{{1,40}}?)[*\"']* is (?:the |my ){_ADJECTIVES}"
    r"(?:answer|choice)[\s.!]*\Z"
)
_WHOLE = re.compile(r"[\s*_\"'`$(=]*(?P<said>[^.,;?!\n=:]{1,40}|\d[\d.,]*)[\s*_\"'`$).!]*")
_REASON = re.compile(
    r",? (?!which is (?:option|choice|answer|\(|\w\b))(?:because|since|as|which|for) .*\Z",
    re.DOTALL,
)
_ARTICLE = re.compile(r"(?:(?:the|an?|about|simply|just|exactly|clearly|therefore) )+")
_NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]*\.?|of|the|de|da|von|van))*")
_NUMBER = re.compile(
    r"[-+−]?[$€£]?\d[\d.,]*(?:/\d+)?(?: ?%)?(?P<unit> ?[^\W\d¹²³⁰-⁹]{1,9}(?:/\w{1,5})?[²³]?)?"
)
_DIGITS = re.compile(r"[-+−$€£\d.,/%\s]+")
_DOUBTS = ("unsure", "unknown", "undecided", "missing", "lacking", "refusal", "none")
_TURNED = re.compile(
    r"\b(?:not|no|none|neither|nor|cannot|but|however|or|and|between|if|unless|maybe|perhaps|wait"
    r"|actually|depends|should have|about|approximately|roughly|nearly|almost|closest|nearest)\b"
    r"|n't\b|[≈~?]"
)
_ROMAN = re.compile(r"[ivxIVX]{1,5}")
_SHARED = 2
"""Stems that a last sentence shares with the question that it takes up."""
_POWERS = (1e-6, 1e-3, 1e-2, 0.1, 10.0, 100.0, 1e3, 1e6)


def elsewhere(scene: Scene, *, stated: bool = False, at_end: bool = False) -> Reading | None:
    """The reading of a reply that states an answer which is plainly none of the options.

    With `stated`, not of one that is that answer and no sentence; with `at_end`, only of one that
    announces its answer with its last words, or takes up the question.
    """
    low = scene.response.low
    if len(low) > _LONG or any(map(meaning_of, scene.options.texts)):
        return None
    last = max(low.rstrip().rfind("\n"), low.rstrip().rfind(". "), 0)
    m = _ANNOUNCES.search(low, max(0, len(low) - _LONGEST)) or _takes_up(scene, last)
    whole = False
    if m is None:
        if len(low) > _LONGEST or at_end:
            return None
        m = _STATES.search(low) or _PRAISED.search(low) or _STATES.search(_REASON.sub("", low))
        whole, last = m is None and not stated, 0
        if whole:
            m = _WHOLE.fullmatch(low)
    if m is None or _TURNED.search(low, last) or any(CUES[name].search(low) for name in _DOUBTS):
        return None
    start, end = m.span("said")
    if article := _ARTICLE.match(low, start, end):
        start = article.end()
    said = scene.response.text[start:end].strip(" *_\"'$().,}")
    if whole and " " in said and _NAME.fullmatch(said):
        return None  # It may be a byname.
    options = scene.options.texts
    of_labels = said.lower() not in scene.labels.positions and _roman(said, scene)
    if of_labels or beyond(said, len(options)) or _number(said, options) or _name(said, options):
        return Reading("illegal", (), RULE, scene.response.span(start, end), _SURE)
    return None


def _takes_up(scene: Scene, last: int) -> re.Match[str] | None:
    """A last sentence about what the question asks."""
    m = _TAKES_UP.search(scene.response.low, last)
    if m is None or not scene.question:
        return None
    if any(hit.start >= last for hit in scene.options.find_all(scene.response)):
        return None
    asked = {*likeness.stems(scene.question.lower())}
    about = {*likeness.stems(m["about"])}
    return m if len(asked & about) >= min(_SHARED, len(asked)) else None


def _roman(said: str, scene: Scene) -> bool:
    """Whether it is a Roman numeral where labels are such, and none of them."""
    numerals = all(map(_ROMAN.fullmatch, scene.labels.positions)) and "ii" in scene.labels.positions
    return numerals and _ROMAN.fullmatch(said) is not None


def _number(said: str, options: Sequence[str]) -> bool:
    """Whether it is a number, and no option's, where all options are numbers."""
    number = _NUMBER.fullmatch(said)
    if number is None:
        return False
    unit = _DIGITS.sub("", said)
    if unit and any(_DIGITS.sub("", text) != unit for text in options):
        return False
    found = likeness.values(said.lower())
    known = [likeness.option_value(text) for text in options]
    if len(found) != 1:
        return False
    own = found[0]
    return all(
        one is not None
        and (not own.kind or own.kind == one.kind)
        and ("%" in said) <= ("%" in text)
        and not (_rounds(own, one) and likeness.near(own, one))
        and not likeness.same(own, one)
        and not any(_is(own.written, one.written * power) for power in _POWERS)
        for text, one in zip(options, known, strict=True)
    )


def _rounds(one: likeness.Value, other: likeness.Value) -> bool:
    """Whether one may be the other rounded: not where both are whole numbers."""
    return not (one.written.is_integer() and other.written.is_integer())


def _is(one: float, other: float) -> bool:
    return abs(one - other) <= 0.011 * abs(other)


def _name(said: str, options: Sequence[str]) -> bool:
    """Whether it is a name, and like no option's, where all options are names."""
    if not _is_name(said) or not all(map(_is_name, options)) or len(options) < 2:
        return False
    low = said.casefold()
    own = {*likeness.option_stems(said)}
    return len(low) >= _SHORTEST and not any(
        own & {*likeness.option_stems(text)}
        or text.casefold()[:3] == low[:3]
        or SequenceMatcher(None, low, text.casefold()).ratio() >= _UNLIKE
        for text in options
    )


@lru_cache(maxsize=8192)
def _is_name(text: str) -> bool:
    """Whether a text is one to three words that are written as names are."""
    bare = text.strip(" .")
    return _NAME.fullmatch(bare) is not None and len(bare.split()) <= _WORDS and not bare.isupper()

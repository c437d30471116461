"""Options named by a byname: their initials, a surname, an ending or a slip of the pen.

"The answer is NMS" names "Neuroleptic malignant syndrome", "It was Nietsche" means "Nietzsche".
Where a reply never names an option by its text, and no other can be meant, the byname is read as
that text: the reply is looked at again as if it were written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace
from functools import lru_cache

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.outright import outright
from horsesense.readers.text.claims.impression import impression
from horsesense.readers.text.names.likeness import option_value, same, values
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import DEFAULT, Folded

_CONFIDENCE = 0.86
"""Read, and not surely: a word like an option's may be another thing's."""
_LOOSE = ("linked", "mentioned", "text_alone")
"""Rules that say of no value that it is the one asked for."""
_MOST = 6000
_LETTERS = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(("of", "the", "and", "in", "for", "a", "an", "to", "by", "on", "with", "or"))
_NAME = re.compile(r"(?:[A-Z][\w'’-]+\.? ){1,3}[A-Z][\w'’-]{3,}")
_INITIALS = (2, 6)
_UNITS = (
    r"%|percent|°? ?c|(?:square |cubic )?(?:[cmk]?m|(?:centi|milli|kilo)?met(?:er|re)s?|feet"
    r"|inch(?:es)?)[²³23]?(?:(?:/| per )(?:s|h|hour|second)[²2]?)?|[km]?g"
    r"|(?:kilo|milli|micro)?grams?"
    r"|[µm]g|mcg|m?l|(?:milli)?lit(?:er|re)s?"
    r"|hours?|minutes?|seconds?|days?|dollars?|euros?|cents?|k|kelvins?|joules?|newtons?|watts?|volts?"
)
_VALUE = re.compile(
    r"\\[dt]?frac\s*\{?\d+\}?\s*\{?\d+\}?"
    rf"|(?<![\w.^/({{+*×·-])\d[\d,]*(?:\.\d+)?\s?(?:hours?|hrs?|h)(?:,? and|,)?"
    r" \d+\s?(?:minutes?|mins?|m)\b"
    rf"|(?<![\w.^/({{+*×·-])-?\d[\d,]*(?:\.\d+)?(?!\s?[-+*×·/^(]|[.,]?\d)(?:\s?(?:{_UNITS})(?![\w²³]))?"
)
_IS_VALUE = re.compile(r"[\s$€£−+\\-]*\d[^:;]{0,20}")
_SLIP = 6
"""Letters from which on a word with one letter too many or too few is a slip of the pen."""
_ENDING = 5
_ENDINGS = (
    ("on", "a"),
    ("um", "a"),
    ("us", "i"),
    ("is", "es"),
    ("a", "ae"),
    ("", "s"),
    ("y", "ies"),
)
_INFLECTED = ("s", "es", "d", "ed", "ing", "ly", "al", "ity", "er", "r", "ers", "n", "ic", "y")
_NO_FORENAME = frozenset(
    (
        *("So", "Thus", "Therefore", "Hence", "But", "And", "Then", "Only", "In", "It", "The"),
        *("That", "As", "For", "By", "With", "Since", "While", "President", "Sir", "Mr", "Mrs"),
        *("Ms", "Dr", "Professor", "King", "Queen", "Both", "Not", "Neither", "Either", "Yes"),
        "No",
    )
)
_OF_IT = re.compile(r"['’]s?\b|, [A-Z]\.")
"""Behind a surname: that something else is meant ("Adams's wife", "Washington, D.C.")."""
_BEFORE = re.compile(r"([A-Z][\w'’-]+)['’]?s? \Z")


def by_name(scene: Scene, *, cut: bool = False) -> Reading | None:
    """The choice that a reply makes by a byname."""
    found = written_out(scene)
    if found is None:
        return None
    again, places = found
    reading = outright(again, impression(again), cut=cut)
    at = reading.positions[0] if reading and len(reading.positions) == 1 else None
    if reading is None or at not in places:
        return None
    start, end = places[at]
    # "Half of it is 31 cm": a value may be a step, where nothing takes up what is asked.
    if reading.rule in _LOOSE and _VALUE.fullmatch(scene.response.low, start, end):
        return None
    span = scene.response.span(start, end)
    return replace(reading, confidence=min(reading.confidence, _CONFIDENCE), span=span)


def written_out(scene: Scene) -> tuple[Scene, dict[int, tuple[int, int]]] | None:
    """The same reply with bynames replaced by the options' texts, and the last place of each."""
    response, texts = scene.response, scene.options.texts
    if len(response.low) > _MOST or len(texts) < 2:
        return None
    named = {hit.position for hit in scene.options.find_all(response)}
    if len(named) == len(texts):
        return None
    words = {m.group() for m in _LETTERS.finditer(response.text)}
    asked = {word.lower() for word in _LETTERS.findall(scene.question.translate(DEFAULT))}
    owner: dict[str, set[int]] = {}
    long = [word for word in words if len(word) >= _SLIP - 1]
    for position, names in enumerate(_bynames(tuple(texts))):
        if position not in named:
            for word in {*_slipped(long, texts[position])} | (words & names):
                owner.setdefault(word, set()).add(position)
    known = {word.lower() for text in texts for word in _LETTERS.findall(text.translate(DEFAULT))}
    found = {
        word: min(at)
        for word, at in owner.items()
        if len(at) == 1
        and word.lower() not in asked
        and not scene.labels.shows(word)
        and (word.lower() not in known or word in _surnames(tuple(texts)))
    }
    spans = list(_values(scene, named))
    for m in _LETTERS.finditer(response.text) if found else ():
        at = found.get(m.group())
        if at is not None and not _of_another(response.text, m.start(), texts[at]):
            spans.append((_from(response.text, m.start(), texts[at]), m.end(), at))
    parts: list[str] = []
    places: dict[int, tuple[int, int]] = {}
    end = 0
    for start, stop, at in sorted(spans):
        if start >= end:
            parts += [response.text[end:start], texts[at]]
            places[at] = start, stop
            end = stop
    if not places:
        return None
    again = Scene(
        Folded("".join([*parts, response.text[end:]]), scene.labels.table),
        scene.labels,
        scene.options,
        scene.question,
    )
    return again, places


def _values(scene: Scene, named: Set[int]) -> Iterator[tuple[int, int, int]]:
    """Where values are that are one option's alone in another form ("3 hours and 25 minutes" for "3
    h 25 min"), and the option; only where all options are values."""
    texts = scene.options.texts
    if not all(map(_IS_VALUE.fullmatch, texts)):
        return
    known = [value for text in texts if (value := option_value(text))]
    if len(known) != len(texts):
        return
    for m in _VALUE.finditer(scene.response.low):
        said = values(m.group())
        at = [i for i, one in enumerate(known) if len(said) == 1 and same(one, said[0])]
        if len(at) == 1 and at[0] not in named:
            yield *m.span(), at[0]


@lru_cache(maxsize=4096)
def _bynames(texts: tuple[str, ...]) -> list[frozenset[str]]:
    """For each option the words that name it and no other."""
    surnames = _surnames(texts)
    return [
        frozenset(
            [*_initials(text), *_endings(text), *(n for n, at in surnames.items() if at == i)]
        )
        for i, text in enumerate(texts)
    ]


def _initials(text: str) -> Iterator[str]:
    """ "CTPA" of "CT pulmonary angiography"."""
    words = [word for word in _LETTERS.findall(text) if word.lower() not in _SMALL]
    if len(words) < 2 or re.search(r"\d", text):
        return
    short = "".join(word if word.isupper() else word[0].upper() for word in words)
    if _INITIALS[0] <= len(short) <= _INITIALS[1] and short != "AI":
        yield short


def _endings(text: str) -> Iterator[str]:
    """ "mitochondria" of "Mitochondrion"."""
    low = text.strip().lower()
    if not low.isalpha() or len(low) < _ENDING:
        return
    for one, other in _ENDINGS:
        for old, new in ((one, other), (other, one)):
            if (old and low.endswith(old)) or (not old and not low.endswith("s")):
                form = low[: len(low) - len(old)] + new
                if len(form) >= _ENDING:
                    yield from (form, form.capitalize())


@lru_cache(maxsize=4096)
def _surnames(texts: tuple[str, ...]) -> dict[str, int]:
    """The last words of names, each of one option alone."""
    if not all(_NAME.fullmatch(text.strip()) for text in texts):
        return {}
    every = [word for text in texts for word in {*_LETTERS.findall(text)}]
    last = {_LETTERS.findall(text)[-1]: i for i, text in enumerate(texts)}
    return {word: i for word, i in last.items() if every.count(word) == 1}


def _slipped(words: list[str], text: str) -> list[str]:
    """The words that are slips of the pen for an option of one word."""
    own = text.strip().lower()
    if not own.isalpha() or len(own) < _SLIP:
        return []
    return [
        word
        for word in words
        if -2 < len(word) - len(own) < 2
        and word[0].lower() == own[0]
        and (low := word.lower()) != own
        and _slips(low, own)
    ]


def _slips(word: str, own: str) -> bool:
    """Whether a word is another with one letter too many, too few or moved, or "i" and "y"
    exchanged."""
    if abs(len(word) - len(own)) > 1 or any(
        one.startswith(other) and one[len(other) :] in _INFLECTED
        for one, other in ((word, own), (own, word))
    ):
        return False
    if len(word) == len(own):
        differ = [i for i, (a, b) in enumerate(zip(word, own, strict=True)) if a != b]
        if len(differ) == 1:
            return {word[differ[0]], own[differ[0]]} == {"i", "y"}
        return (
            len(differ) == 2
            and differ[1] == differ[0] + 1
            and (word[differ[0]] == own[differ[1]] and word[differ[1]] == own[differ[0]])
        )
    short, long = sorted((word, own), key=len)
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def _of_another(text: str, start: int, option: str) -> bool:
    """Whether the name before a surname is another's ("Samuel" before "Adams")."""
    if len(option.split()) < 2:
        return False
    if _OF_IT.match(text, text.find(option.split()[-1], start) + len(option.split()[-1])):
        return True
    m = _BEFORE.search(text, max(0, start - 24), start)
    return m is not None and m[1] not in option and m[1] not in _NO_FORENAME


@lru_cache(maxsize=8192)
def _last_word(option: str) -> str:
    """The surname of an option that may be a full name."""
    words = option.split()
    return words[-1] if len(words) > 1 and option.istitle() else ""


def is_anothers(scene: Scene, position: int) -> bool:
    """Whether a reply has an option's surname behind other forenames alone ("Henry Dickens")."""
    option, text = scene.options.texts[position], scene.response.text
    name = _last_word(option)
    if not name or name not in text or option in text:
        return False
    places = [m.start() for m in re.finditer(rf"\b{re.escape(name)}\b", text)]
    return bool(places) and all(_of_another(text, at, option) for at in places)


def _from(text: str, start: int, option: str) -> int:
    """Where a name begins whose last word is at `start`."""
    m = _BEFORE.search(text, max(0, start - 24), start)
    return m.start() if m is not None and m[1] in option and len(option.split()) > 1 else start

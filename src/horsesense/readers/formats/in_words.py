"""Answers to several problems that a reply gives in words: numbers of problems beside labels.

"1: Positive; 2: Negative", "Text 2 is Negative, the others are Positive", "Positive: 1 and 3".
All or nothing: a reply whose numbers and labels do not pair off without remainder is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from horsesense.readers.formats.bundled import Names, negated, number_of

_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_COUNTS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUN: Final = r"(?:texts?|sentences?|items?|lines?|questions?|problems?|pairs?|reviews?|examples?)"
_NUMBERS = re.compile(
    r"(?<![\w.])#?(?P<first>\d{1,4})\s*(?:-|–|—|\bto\b|\bthrough\b)\s*(?P<last>\d{1,4})(?!\w|\.\d)"
    r"|(?<![\w.])#?(?P<one>\d{1,4})(?!\w|\.\d|%)"
    rf"|\b(?:the\s+)?(?P<side>first|last)\s+(?P<count>{'|'.join(_COUNTS)}|\d{{1,2}})\b(?!\.\d)"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})\b|\bthe\s+(?P<end>last)\b"
    rf"|\b(?P<rest>the\s+(?:others?|rest|remaining(?:\s+{_NOUN})?|other\s+{_NOUN}))\b",
    re.IGNORECASE,
)
_NUMBERED_NOUN = re.compile(rf"\b{_NOUN}\s+#?\d", re.IGNORECASE)
_JOINED = re.compile(rf"[^\S\n]*(?:[,&]|\band\b|\bthe\b|\b{_NOUN}\b|[^\S\n])*", re.IGNORECASE)
_EXCEPTS = re.compile(r"\b(?:except|but|besides|apart\s+from|other\s+than|excluding)\b", re.I)
_ALL = re.compile(r"\b(?:all|every\w*|each)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[;\n!?]|(?<!\d)\.(?=\s|\Z)")


class Given(NamedTuple):
    """The answer that a reply gives to one problem.

    Attributes:
        position: of the label.
        start, end: the place of the label in the reply.
    """

    position: int
    start: int
    end: int


class _Event(NamedTuple):
    """A label (its position) or problems (their numbers; None: those not named elsewhere)."""

    start: int
    end: int
    position: int | None
    numbers: tuple[int, ...] | None


def in_words(text: str, names: Names, n: int) -> dict[int, Given] | None:
    """Number of a problem (from 1) -> its answer; None where numbers and labels do not pair off.

    >>> from horsesense.readers.formats.bundled import names_of
    >>> names = names_of(("Positive", "Negative"), False)
    >>> found = in_words("Text 2 is Negative, the others are Positive.", names, 3)
    >>> [found[number].position for number in (1, 2, 3)]
    [0, 1, 0]
    """
    if any(char.isdigit() for name in names.names for char in name):
        return None
    numbered = list(_numbers(text, n))
    if not numbered:
        return None
    if _EXCEPTS.search(text):
        return _all_but(text, names, numbered, n)
    events = sorted((*_labels(text, names), *numbered))
    groups = _groups(events, text)
    if groups is None or (len(groups) < 2 and not _NUMBERED_NOUN.search(text)):
        return None
    found: dict[int, Given] = {}
    for numbers, label in groups:
        if not names.letters and negated(_sentence(text, label.start)):
            return None
        for number in numbers:
            if number in found or not 1 <= number <= n:
                return None
            found[number] = Given(label.position or 0, label.start, label.end)
    return _with_the_rest(found, events, n)


def excepts(text: str) -> bool:
    """Whether a text leaves problems out ("all but the last")."""
    return _EXCEPTS.search(text) is not None


def _all_but(text: str, names: Names, numbered: list[_Event], n: int) -> dict[int, Given] | None:
    """The answers of "All are Positive except text 2.", which two labels alone make whole."""
    but = _EXCEPTS.search(text)
    labels = names.mentions(text)
    behind = but is not None and all(event.start >= but.end() for event in numbered)
    if not behind or len(labels) != 1 or len(names.names) != 2 or negated(text):
        return None
    if not _ALL.search(text, 0, numbered[0].start):
        return None
    left_out = {number for event in numbered for number in event.numbers or (0,)}
    if not left_out <= {*range(1, n + 1)}:
        return None
    (label,) = labels
    return {
        number: Given(
            1 - label.position if number in left_out else label.position, label.start, label.end
        )
        for number in range(1, n + 1)
    }


def _labels(text: str, names: Names) -> Iterator[_Event]:
    return (_Event(m.start, m.end, m.position, None) for m in names.mentions(text))


def _numbers(text: str, n: int) -> Iterator[_Event]:
    for m in _NUMBERS.finditer(text):
        if m["rest"]:
            numbers = None
        elif m["first"]:
            first, last = number_of(m["first"]) or 0, number_of(m["last"]) or 0
            numbers = tuple(range(first, last + 1)) if first <= last <= n else (0,)
        elif m["side"]:
            word = m["count"].lower()
            count = _COUNTS.index(word) + 2 if word in _COUNTS else number_of(word) or 0
            first = 1 if m["side"].lower() == "first" else n - count + 1
            numbers = tuple(range(first, first + count)) if 0 < count <= n else (0,)
        elif m["one"]:
            numbers = (number_of(m["one"]) or 0,)
        else:
            numbers = (n if m["end"] else _ORDINALS.index(m["ordinal"].lower()) + 1,)
        yield _Event(m.start(), m.end(), None, numbers)


def _groups(events: list[_Event], text: str) -> list[tuple[tuple[int, ...], _Event]] | None:
    """Labels with their numbers, which all stand before their label or all behind it."""
    turned = bool(events) and events[0].position is not None
    groups: list[tuple[tuple[int, ...], _Event]] = []
    waiting: list[_Event] = []
    for event in reversed(events) if turned else events:
        if event.position is None:
            first, second = sorted((waiting[-1] if waiting else event, event))
            if waiting and not _JOINED.fullmatch(text, first.end, second.start):
                return None
            waiting.append(event)
        elif not waiting:
            return None
        else:
            groups.append((tuple(i for e in waiting for i in e.numbers or ()), event))
            waiting = []
    return None if waiting else groups


def _with_the_rest(
    found: dict[int, Given], events: list[_Event], n: int
) -> dict[int, Given] | None:
    """With the answer of "the others" for every problem that is not named."""
    place = next(
        (p for p, e in enumerate(events) if e.position is None and e.numbers is None), None
    )
    if place is not None:
        label = next((e for e in events[place:] if e.position is not None), None)
        if label is None:
            return None
        for number in range(1, n + 1):
            found.setdefault(number, Given(label.position or 0, label.start, label.end))
    return found or None


def _sentence(text: str, place: int) -> str:
    """The sentence around a place."""
    start = max((m.end() for m in _SENTENCE.finditer(text, max(0, place - 200), place)), default=0)
    end = _SENTENCE.search(text, place, place + 200)
    return text[max(start, place - 200) : end.start() if end else place + 200]

"""Answers to several problems that a reply gives in words: numbers of problems beside labels.

"1: Positive; 2: Negative", "Text 2 is Negative, the others are Positive", "Positive: 1 and 3".
All or nothing: a reply whose numbers and labels do not pair off without remainder is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.readers.formats.bundled import Names, ProblemMention, negated, number_of

_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_COUNTS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUN: Final = r"(?:texts?|sentences?|items?|lines?|questions?|problems?|pairs?|reviews?|examples?)"
_NUMBERS = expression(
    r"(?<![\w.])#?(?P<first>\d{1,4})\s*(?:-|–|—|\bto\b|\bthrough\b)\s*(?P<last>\d{1,4})(?!\w|\.\d)"
    r"|(?<![\w.])#?(?P<one>\d{1,4})(?!\w|\.\d|%)"
    rf"|\b(?:the\s+)?(?P<side>first|last)\s+(?P<count>{'|'.join(_COUNTS)}|\d{{1,2}})\b(?!\.\d)"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})\b|\bthe\s+(?P<end>last)\b"
    rf"|\b(?P<rest>the\s+(?:others?|rest|remaining(?:\s+{_NOUN})?|other\s+{_NOUN}))\b",
    re.IGNORECASE,
)
_NUMBERED_NOUN = expression(rf"\b{_NOUN}\s+#?\d", re.IGNORECASE)
_JOINED = expression(rf"[^\S\n]*(?:[,&]|\band\b|\bthe\b|\b{_NOUN}\b|[^\S\n])*", re.IGNORECASE)
EXCEPTS: Final = expression(r"\b(?:except|but|besides|apart\s+from|other\s+than|excluding)\b", re.I)
"""What leaves problems out ("all but the last")."""
_ALL = expression(r"\b(?:all|every\w*|each)\b", re.IGNORECASE)
_SENTENCE = expression(r"[;\n!?]|(?<!\d)\.(?=\s|\Z)")


_PLACES: Final = {
    word: number
    for words, first in ((_ORDINALS, 1), (_COUNTS, 2))
    for number, word in enumerate(words, first)
}

Answers = dict[int, ProblemMention]
"""Number of a problem (from 1) -> its answer."""


class _Problems(NamedTuple):
    """Problems that a text names by their numbers; without any: those not named elsewhere."""

    start: int
    end: int
    numbers: tuple[int, ...]


def in_words(text: str, names: Names, n: int) -> Answers | None:
    """Answers by number; None where numbers and labels do not pair off.

    >>> from horsesense.readers.formats.bundled import names_of
    >>> names = names_of(("Positive", "Negative"), False)
    >>> found = in_words("Text 2 is Negative, the others are Positive.", names, 3)
    >>> [found[number].position for number in (1, 2, 3)]
    [0, 1, 0]
    """
    numbered = list(_numbers(text, n))
    if not numbered or any(char.isdigit() for name in names.names for char in name):
        return None
    labels = names.mentions(text)
    if but := EXCEPTS.search(text):
        return _all_but(text, names, labels, numbered, but.end(), n)
    groups = _groups(labels, numbered, text)
    if groups is None or (len(groups) < 2 and not _NUMBERED_NOUN.search(text)):
        return None
    found: Answers = {}
    for numbers, label in groups:
        if not names.letters and negated(_sentence(text, label.start)):
            return None
        for number in numbers:
            if number in found or not 1 <= number <= n:
                return None
            found[number] = label
    rest = next((event for event in numbered if not event.numbers), None)
    if rest is not None:
        theirs = next((label for label in labels if label.start >= rest.start), None)
        if theirs is None:
            return None
        found = dict.fromkeys(range(1, n + 1), theirs) | found
    return found or None


def _all_but(
    text: str,
    names: Names,
    labels: list[ProblemMention],
    numbered: list[_Problems],
    behind: int,
    n: int,
) -> Answers | None:
    """The answers of "All are Positive except text 2.", which two labels alone make whole."""
    if numbered[0].start < behind or len(labels) != 1 or len(names.names) != 2 or negated(text):
        return None
    left_out = {number for event in numbered for number in event.numbers or (0,)}
    if not left_out <= {*range(1, n + 1)} or not _ALL.search(text, 0, numbered[0].start):
        return None
    (label,) = labels
    other = label._replace(position=1 - label.position)
    return {number: other if number in left_out else label for number in range(1, n + 1)}


def _numbers(text: str, n: int) -> Iterator[_Problems]:
    for m in _NUMBERS.finditer(text):
        if m["first"]:
            first, last = _number(m["first"]), _number(m["last"])
        elif m["side"]:
            count = _number(m["count"])
            first, last = (1, count) if m["side"].lower() == "first" else (n - count + 1, n)
        else:
            first = last = n if m["end"] else _number(m["one"] or m["ordinal"] or "")
        numbers = tuple(range(first, last + 1)) if first <= last <= n else (0,)
        yield _Problems(*m.span(), () if m["rest"] else numbers)


def _number(word: str) -> int:
    return _PLACES.get(word.lower()) or number_of(word) or 0


def _groups(
    labels: list[ProblemMention], numbered: list[_Problems], text: str
) -> list[tuple[tuple[int, ...], ProblemMention]] | None:
    """Labels with their numbers, which all stand before their label or all behind it."""
    events: list[ProblemMention | _Problems] = [*labels, *numbered]
    events.sort(key=lambda event: (event.start, event.end))
    groups: list[tuple[tuple[int, ...], ProblemMention]] = []
    waiting: list[_Problems] = []
    for event in reversed(events) if isinstance(events[0], ProblemMention) else events:
        if isinstance(event, ProblemMention):
            if not waiting:
                return None
            groups.append((tuple(i for e in waiting for i in e.numbers), event))
            waiting = []
            continue
        first, second = sorted((waiting[-1] if waiting else event, event))
        if waiting and not _JOINED.fullmatch(text, first.end, second.start):
            return None
        waiting.append(event)
    return None if waiting else groups


def _sentence(text: str, place: int) -> str:
    """The sentence around a place."""
    start = max((m.end() for m in _SENTENCE.finditer(text, max(0, place - 200), place)), default=0)
    end = _SENTENCE.search(text, place, place + 200)
    return text[max(start, place - 200) : end.start() if end else place + 200]

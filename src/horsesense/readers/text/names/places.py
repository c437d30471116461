"""Options named by their place: "the second one", "option 3" where labels are letters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            *(
                "first 1st erste ersten primera primero première premier",
                "second 2nd zweite segunda",
            ),
            *("third 3rd dritte tercera troisième", "fourth 4th vierte cuarta", "fifth 5th"),
            *("sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th"),
        )
    )
    for word in words.split()
}
_NUMERALS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
_THING = (
    r"(?:options?|choices?|answers?|alternatives?|one|statements?|items?|entry|candidate"
    r"|possibility|bullet|line|row|line|sentence|wording|spelling|option|antwort|opción"
    r"|respuesta|réponse|of (?:the|these|those|them)(?! (?:\w+ )?(?:year|month|day|week))\b)"
)
_ORDINAL = "|".join(_ORDINALS)
_IN_LIST = (
    r"(?:(?<= of the)(?: (?:two|three|four|five|six|options?|choices?|list))*"
    r"|(?: \w+)? (?:on|in|from|of) (?:your|the|this|that) (?:list|options|choices|answers"
    r"|(?:two|three|four|five|six)(?: options| choices| given| offered| listed)?)|,? then)?"
)
"""Behind a place: of what it is one; it says no more."""
PLACE = re.compile(
    r"\b(?!bottom line\b)"
    rf"(?P<ordinal>{_ORDINAL}|next[- ]to[- ]last|last but one|penultimate|last|bottom|top|topmost"
    rf"|bottommost|middle)"
    rf" (?P<least>to[- ]last |from last )?(?:answer |listed |given |offered )?{_THING}\b"
    rf"(?! (?:is|was) to\b){_IN_LIST}"
    rf"|\bfinal (?P<final>option|choice|alternative|one|entry|item)\b{_IN_LIST}"
    rf"|\b(?:named|listed) (?P<listed>first|second|third|fourth"
    rf"|last)\b{_IN_LIST}"
    rf"|(?:\A\W*|\b(?:go with|going with|pick|choose|take|prefer|within|mark|tick|select|for|say) )"
    rf"(?:the )?(?:very )?(?P<alone>{_ORDINAL}|last)(?=\W*(?:\Z|\n|[.;:!](?:\s|\Z)))"
    rf"|(?<=\bthe )(?P<of>{_ORDINAL}|last) (?P<noun>[a-z]{{3,}})\b"
    r"|\b(?:the one before last|last but (?P<but>one|two))\b"
    r"|\b(?:options?|choice|answer|alternative|number|no\.|nr\.|item|#)\s?(?:number |no\. ?|# ?)?"
    r"(?P<number>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)\b(?![.,:/]\d|\s?[%=])"
    r"|\bthe (?P<pair>former|latter)\b"
    r"|\bfrom the (?P<end>top|bottom)\b"
)
_ORDINAL_ALONE = re.compile(rf"(?:the )?({_ORDINAL}|last)(?: (?:one|option|choice|answer))?")
_LAST_BUT_ONE = ("next-to-last", "next to last", "last but one", "penultimate")
_OF_QUESTION = re.compile(
    r"\b(statement|sentence|item|line|row|entry|candidate|claim|premise|wording|reading)s?\b"
)
"""What a question may give several of, and options besides."""
_NOT_A_PLACE = re.compile(r"\b(?:my|at|in|for|of the|your) (?:the )?\Z")
_OF_ITS_OWN = re.compile(
    r" (?:above|below)\b|,? (?:that |which )?(?:i|we)(?:'ve| have| just)? (?:described|mentioned"
    r"|named|listed|discussed|explained|looked at|went through|covered|gave|wrote)\b"
    r"|,? in my list\b"
)
"""Behind a place: that it is one of what the reply itself went through, in an order of its own."""


class Place(NamedTuple):
    """An option named by its place."""

    position: int
    start: int
    end: int


def ordinal(words: str, k: int) -> int | None:
    """The position among `k` that words such as "the third one" name and nothing besides."""
    found = _ORDINAL_ALONE.fullmatch(words.lower())
    if found is None:
        return None
    position = k - 1 if found[1] == "last" else _ORDINALS[found[1]]
    return position if position < k else None


def beyond(words: str, k: int) -> bool:
    """Whether words such as "the sixth option" name a place behind the last of `k`, and no more."""
    found = _ORDINAL_ALONE.fullmatch(words.lower())
    return found is not None and _ORDINALS.get(found[1], 0) >= k


def place_at(m: re.Match[str], k: int, digits: bool, asked: str = "") -> Place | None:
    """The place that a match of `PLACE` names among `k` options, None where it names none.

    With `digits`, numbers are labels and not places. "The second caption" is a place where the
    question `asked` has the word ("Which caption ...").
    """
    low, start = m.string, m.start()
    if m["ordinal"] and _NOT_A_PLACE.search(low, max(0, start - 12), start):
        return None
    if asked and (noun := _OF_QUESTION.search(m.group())) and _numbers(noun[1], asked):
        return None
    if _OF_ITS_OWN.match(low, m.end()):
        return None
    if m["noun"] and (m.group() in asked.lower() or not _asks_for(m["noun"], asked)):
        return None
    position = _position(m, k, digits)
    return None if position is None or not 0 <= position < k else Place(position, start, m.end())


@lru_cache(maxsize=4096)
def _numbers(noun: str, asked: str) -> bool:
    """Whether a question numbers several of a thing ("Statement 1: ..."), so that "the first
    statement" is none of the options."""
    one = rf"\b{noun}s? ?\(?(?:1|i|one|a)\b(?! \w+ (?:is|are)\b)"
    return (
        re.search(rf"{one}|\b(?:first|second|two|both|three) {noun}s?\b", asked, re.I) is not None
    )


@lru_cache(maxsize=4096)
def _asks_for(noun: str, asked: str) -> bool:
    """Whether a question asks which `noun` it is, or says that there are several."""
    name = re.escape(noun.removesuffix("s").removesuffix("y"))
    several = rf"\b(?:two|three|four|five|both|[2-5]) (?:\w+ ){{0,2}}{name}(?:ies|s)\b"
    which = rf"\b(?:which|what)\b[^.?\n]{{0,40}}\b{name}(?:y|ies|s)?\b"
    return re.search(rf"{which}|{several}", asked, re.I) is not None


def _position(m: re.Match[str], k: int, digits: bool) -> int | None:
    if ordinal := m["ordinal"]:
        if ordinal in ("last", "bottom", "bottommost"):
            return k - 1
        if ordinal in _LAST_BUT_ONE:
            return k - 2
        if ordinal in ("top", "topmost"):
            return 0
        if ordinal == "middle":
            return k // 2 if k % 2 else None
        return k - 1 - _ORDINALS[ordinal] if m["least"] else _ORDINALS[ordinal]
    if m["final"]:
        return k - 1
    if ordinal := m["alone"] or m["of"] or m["listed"]:
        return k - 1 if ordinal == "last" else _ORDINALS[ordinal]
    if m["but"] or m.group() == "the one before last":
        return k - (3 if m["but"] == "two" else 2)
    if number := m["number"]:
        if digits:
            return None
        return _NUMERALS[number] if number in _NUMERALS else int(number) - 1
    if m["pair"]:
        return ("former", "latter").index(m["pair"]) if k == 2 else None
    return None

"""The work of reading grows with a response's length alone, whatever of what is known it repeats.

Calls are counted instead of seconds. What is repeated is made from the patterns themselves: one
string for each alternative of each, so that a new pattern is tested as soon as it is there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from horsesense.readers.text.words.normalise import Folded

from horsesense.readers import text
from horsesense.readers.text import TextReader

READER = TextReader()
ABCD = ("A", "B", "C", "D")
PLANETS = ("Mercury", "Venus", "Earth", "Mars")
LONG = ("the " * 200 + "x", "the " * 200 + "y")
N = 1000
KNOWN = (
    *("\nQ: ", "\nUser: \n", "\nQuestion: ", "\nQuestion: Which planet is red?", "A.(,", "A and "),
    *("Question:  and \n", "A. the ", "Question: what?\nAnswer: \n", "\nQ: the ", "<think>"),
    *("</think>", "<details></details>", "thinking...\n", "...done thinking.", "{{think}}", "[["),
)
MARKERS = tuple(
    f"{text.__name__}.{name}"
    for name in (
        *("claims.thoughts", "claims.leave_out", "claims.marked_up", "claims.listing"),
        *("claims.layout", "words.announcements", "names.places"),
    )
)
"""Modules whose patterns say where something begins."""


def shortest(parsed: Any) -> str:
    """A short string that a parsed pattern matches, but for what it looks ahead at."""
    return "".join(_one(kind, value) for kind, value in parsed)


def _one(kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return "x" if value != ord("x") else "y"
    if kind is op.ANY:
        return "x"
    if kind is op.IN:
        return _of_set(value)
    if kind is op.BRANCH:
        return shortest(value[1][0])
    if kind is op.SUBPATTERN:
        return shortest(value[-1])
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, repeated = value
        return shortest(repeated) * min(max(least, 1), int(most))
    return ""


def _of_set(members: Sequence[Any]) -> str:
    kind, value = members[0]
    if kind is op.NEGATE:
        return "x"
    if kind is op.CATEGORY:
        return {op.CATEGORY_SPACE: " ", op.CATEGORY_DIGIT: "1"}.get(value, "x")
    return chr(value[0] if kind is op.RANGE else value)


def _alternatives(parsed: Any) -> Iterator[str]:
    items = list(parsed)
    if len(items) == 1 and items[0][0] is op.BRANCH:
        yield from (shortest(branch) for branch in items[0][1][1])
    else:
        yield shortest(items)


def units() -> list[str]:
    found = dict.fromkeys(KNOWN)
    for name in MARKERS:
        for value in vars(import_module(name)).values():
            if isinstance(value, re.Pattern):
                found.update(dict.fromkeys(_alternatives(parser.parse(value.pattern, value.flags))))
    return [unit for unit in found if unit.strip()]


def calls(unit: str, length: int, options: Sequence[str]) -> int:
    """How many functions are called, those of C included, to read a repeated unit."""
    response = (unit * (length // len(unit) + 1))[:length]
    count = 0

    def counting(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        READER.read(response, options, ABCD[: len(options)], question="Which is it?")
    finally:
        sys.setprofile(before)
    return count


def slow(units: Sequence[str], options: Sequence[str]) -> list[str]:
    """Units of which twice as many take more than three times the calls (squared: four), twice
    over: once may be another way of reading."""
    calls("A", N, options)
    return [unit for unit in units if _leaps(unit, N, options) and _leaps(unit, 2 * N, options)]


def _leaps(unit: str, length: int, options: Sequence[str]) -> bool:
    return calls(unit, 2 * length, options) > 3 * calls(unit, length, options)


@pytest.mark.parametrize("options", [PLANETS, LONG], ids=["short", "long"])
def test_known_markers_take_calls_in_proportion(options: tuple[str, ...]) -> None:
    assert slow(KNOWN, options) == []


def test_whatever_the_patterns_know_takes_calls_in_proportion() -> None:
    assert slow([f"\n{unit} A. " for unit in units()], PLANETS) == []


def test_patterns_are_repeated_by_strings_that_they_match() -> None:
    """Else the test above would repeat nothing that is known."""
    matched = 0
    tried = 0
    for name in MARKERS:
        for value in vars(import_module(name)).values():
            if isinstance(value, re.Pattern):
                for unit in _alternatives(parser.parse(value.pattern, value.flags)):
                    tried += 1
                    matched += value.search(f"\n{unit} \n") is not None
    assert matched > 0.6 * tried > 60


def test_options_are_looked_for_once_in_one_spelling() -> None:
    from horsesense.readers.text.names.options import Options

    options, response = Options(PLANETS), Folded("Mars, not Venus")
    found = options.find_all(response)
    assert options.find_all(response) is found
    response.blank(0, 4)
    assert [hit.position for hit in options.find_all(response)] == [1]

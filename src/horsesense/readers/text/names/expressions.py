"""Numbers that are parts of an expression: "5 squared" is not 5, nor is "half of 50" 50."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[\s$€£]*[-+−]?\d+(?:[.,]\d+)*[\s.]*")
_GOES_ON = re.compile(
    r"\)?(?: ?\^|[²³⁴⁵⁶⁷⁸⁹⁰¹]| ?[-+×·÷−–] ?\(?\d| {2,}\(?\d| ?x \d|\( ?\d+ ?\)"
    r"| (?:squared|cubed|doubled|tripled|halved|factorial\b|to the (?:power|\w+th|third|second)\b"
    r"|(?:plus|minus|times|multiplied by|divided by|over) (?:\d|one|two|three|four|five|six|seven"
    r"|eight|nine|ten)|(?:percent|per cent) of \d)"
    r"|% of \d|![ .]*\Z| ?/ ?(?P<below>\d+)(?![/\d]))"
)
_GOES_BEFORE = re.compile(
    r"(?:\d ?[+×÷·^] ?\(?|\d ?/|\d [-−–] |\d x |\d {2,}|\( ?\d+ ?\)\(|√\(?"
    r"|\b(?:plus|minus|times|by|(?:half|twice|double|third|quarter|square|cube|root|factorial"
    r"|percent|%|reciprocal|inverse|logarithm|log|sum|product) of|sqrt|twice|double|halve|minus)"
    r" ?\(?)\Z"
)
_BEFORE = 20
_LINKED = re.compile(r"\b(?:plus|minus|times|by)\b")
_COUNTED = re.compile(
    r"(?:\d|one|two|three|four|five|six|seven|eight|nine|ten) (?:plus|minus|times|\w+ by) ?\(?\Z"
)


def is_part(low: str, start: int, end: int, options: Sequence[str], position: int) -> bool:
    """Whether an option that is a bare number stands at a place as a part of an expression."""
    if _NUMBER.fullmatch(options[position]) is None:
        return False
    return in_expression(low, start, end, options)


def in_expression(low: str, start: int, end: int, options: Sequence[str]) -> bool:
    """Whether a number at a place is a part of an expression, and no place on a scale that goes up
    to the highest option."""
    behind = _GOES_ON.match(low, end)
    if behind is not None:
        below = behind["below"]
        # "4/5" may be a place on a scale up to 5.
        return below is None or below not in _highest(options)
    before = low[max(0, start - _BEFORE) : start]
    found = _GOES_BEFORE.search(before)
    if found is None:
        return False
    return _LINKED.search(found.group()) is None or _COUNTED.search(before) is not None


def _highest(options: Sequence[str]) -> tuple[str, ...]:
    """What scales usually go up to, and the highest of some numbers."""
    numbers = [int(text) for text in map(str.strip, options) if text.isdigit()]
    return ("5", "7", "10", "100", *([str(max(numbers))] if numbers else []))

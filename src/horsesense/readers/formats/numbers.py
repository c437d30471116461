"""Which problems a value names by their numbers: in JSON, in a list, or in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from horsesense.expressions import expression
from horsesense.readers.formats.bundled import INDEX_KEYS, number_of

_RANGE = expression(r"(?<!\d)(\d++)\s*+(?:-|–|—|\.{2,}|…|\bto\b|\bthrough\b)\s*(\d+)")
_NUMBER = expression(r"(?<![\w.])\d{1,4}(?![\w]|\.\d)")
_NONE = expression(r"\b(?:none|null|nil|nothing|no (?:text|sentence|item|line|pair|one)s?)\b|^\s*$")
_ALL = expression(r"\b(?:all|every|everything)\b")
_EXCEPT = expression(r"\b(?:except|but|besides|apart from|other than)\b")
_LIST: Final = (
    r"\d{1,4}(?!\.?\d)(?:(?:\s*(?:,\s*(?:and|or)?|&|/|-|–|\band\b|\bor\b|\bnor\b)\s*)"
    r"\d{1,4}(?!\.?\d))*+"
)
REJECTED = expression(
    r"(?:\b(?:not|neither|nor|never|except|excluding|besides|without|apart\s+from|other\s+than"
    r"|exclud\w+|omit\w*|skip\w*|reject\w*|leav\w+\s+out|rul\w+\s+out)\b|n't\b)"
    r"(?:\s+(?:for|the|number|no\.?|texts?|sentences?|items?|lines?|questions?|problems?|pairs?"
    rf"|in|from))*+[\s:#(\[\"'*]*+(?P<numbers>{_LIST})"
    rf"|(?<![\w.]){_LIST}\s+(?:(?:is|are|was|were|do|does)(?:\s+not\b|n't\b)|cannot\b|can't\b)",
    re.IGNORECASE,
)
"""Numbers that a reply names only to leave them out; the others are not named thereby."""
_KEY = expression(r"(?:[a-z]+[\s_-]*)?(\d{1,4})", re.IGNORECASE)
_DEEPEST: Final = 20
"""Lists and objects within each other that are looked into for numbers."""
_FILLED_IN: Final = 10_000
"""Numbers from here on are not filled in where "..." stands before them."""


Numbers = frozenset[int]
"""Numbers of problems that a value names, also such as no problem has."""


def numbers_in(value: Any, n: int, depth: int = 0) -> Numbers | None:
    """The numbers that a value names of `n` problems; None if it names none and does not say so.

    >>> sorted(numbers_in(["1-3", 7], 5))
    [1, 2, 3, 7]
    """
    if value is None:
        return Numbers()
    if isinstance(value, bool):  # of which problem? Neither of all nor of none
        return None
    if isinstance(value, (int, float)):
        return Numbers([int(value)]) if value % 1 == 0 else None
    if isinstance(value, str):
        return _in_text(value, n)
    if isinstance(value, dict):
        mask = mask_by_number(value)
        keys = [key for key in value if key.lower() in (*INDEX_KEYS, "indices", "numbers")]
        if mask is not None or not keys or depth >= _DEEPEST:
            return mask
        return numbers_in(value[keys[0]], n, depth + 1)
    if _is_mask(value):
        return masked(value, n)
    return _in_list(value, n, depth + 1) if depth < _DEEPEST else None


def _is_mask(values: Sequence[Any]) -> bool:
    """Whether a list says yes or no of each problem instead of naming some by their numbers."""
    kinds = {type(value) for value in values}
    return kinds == {bool} or (kinds == {int} and 0 in values and {*values} <= {0, 1})


def masked(values: Sequence[Any], n: int) -> Numbers | None:
    """The problems that a mask says yes of; None where it is not as long as they are many."""
    return Numbers(i for i, yes in enumerate(values, 1) if yes) if len(values) == n else None


def mask_by_number(value: Mapping[str, Any]) -> Numbers | None:
    """The problems whose number has `true` for its value; None for any other object."""
    keys = [_KEY.fullmatch(str(key)) for key in value]
    if not value or not all(keys) or not all(isinstance(yes, bool) for yes in value.values()):
        return None
    pairs = zip(keys, value.values(), strict=True)
    return Numbers(int(key[1]) for key, yes in pairs if key and yes)


def _in_list(values: Sequence[Any], n: int, depth: int) -> Numbers | None:
    """A list; "All" and "None" among numbers are dropped, "..." between two is filled in."""
    if values and all(type(value) is int for value in values):
        return Numbers(values)
    found: set[int] = set()
    words: list[Numbers] = []
    last, gap = 0, False
    for value in values:
        if isinstance(value, str) and value.strip(". …") == "" and value.strip():
            gap = True
            continue
        given = numbers_in(value, n, depth)
        if given is None:
            continue
        if isinstance(value, str) and not any(char.isdigit() for char in value):
            words.append(given)
            continue
        if gap and given and min(given) < _FILLED_IN:
            found.update(range(last + 1, min(given)))
        found |= given
        last, gap = max(given, default=last), False
    if found or words:
        return Numbers(found or Numbers().union(*words))
    return None if values else Numbers()


def _in_text(text: str, n: int) -> Numbers | None:
    low = text.lower()
    if not _ALL.search(low) and any(char.isdigit() for char in low):
        kept = REJECTED.sub(" ", low)
        if kept != low and not _NUMBER.search(kept):
            return None
        low = kept
    found = {int(number) for number in _NUMBER.findall(_RANGE.sub(" ", low))}
    for first, last in _RANGE.findall(low):
        begin, end = number_of(first), number_of(last)
        if begin is not None and end is not None and begin <= end <= 10 * n:
            found.update(range(begin, end + 1))
    if _ALL.search(low) and (not found or _EXCEPT.search(low)):
        return Numbers({*range(1, n + 1)} - found)
    return Numbers(found) if found or _NONE.search(low) else None

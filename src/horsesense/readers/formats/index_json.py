"""Reading which problems a reply assigns to which label, from JSON or what was meant as such.

Repairs (specification, 4.3, and beyond): broken JSON, keys in other case, "None" and "All" in any
case and place, ranges, numbers that no problem has, text around the JSON, several objects, numbers
as keys, and lists in words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import (
    INDEX_KEYS,
    Names,
    ProblemMention,
    names_of,
    nothing,
    number_of,
    repaired,
    without_thinking,
)
from horsesense.readers.formats.in_words import in_words
from horsesense.readers.formats.numbers import (
    REJECTED,
    Numbers,
    mask_by_number,
    masked,
    numbers_in,
)
from horsesense.readers.reading import Reading, Status
from horsesense.readers.text import TextReader
from horsesense.trials.trial import Trial, bundled

_BOOLEANS = re.compile(r"\W*(?:(?:true|false|yes|no)\b\W*)+", re.IGNORECASE)
_GAP = re.compile(r"(?<=\d)\s*,\s*(?:\.{3}|…)\s*,\s*(?=\d)")
_SIGN = re.compile(r"\\.|[\"{}]", re.DOTALL)
"""What tells where a JSON object ends; what a backslash stands before does not."""
_COLON = re.compile(r"[:=]")
_NUMBERED = re.compile(r"^(?:[^\S\n]|[>*_`•–—-])*+\d{1,4}[*_`]{0,3}[:=]", re.MULTILINE)
_LISTED = re.compile(r"(?:\d++|and|[\s,;&.–-])*+")
_MARKS_BEFORE: Final = 20
_QUOTING: Final = frozenset("{[\"'")
"""What begins JSON, unless a label begins so."""
_CORRECTED = re.compile(
    r"\b(?:correct(?:ion|ed)|wait|actually|instead|revised|mistake|sorry)\b", re.I
)
_LONGEST_LIST: Final = 400
"""Characters of a reply without JSON that is still taken for a list of numbers."""


class Assigned(NamedTuple):
    """What a reply assigns: label position -> numbers, by which rule, and where it says so."""

    by_position: dict[int, Numbers]
    rule: str
    span: tuple[int, int]


def read_indices(reader: TextReader, trial: Trial, response: Response) -> tuple[Reading, ...]:
    """One reading per problem: the labels that it was assigned to.

    A problem that a reply in good form assigns to no label has status `none`; in a reply that
    names no numbers, every problem has the status of the reply.
    """
    n = len(trial.variants)
    names = names_of(trial.variants[0].options, False)
    asked = bundled(trial).asked
    position = None if asked is None else names.names.index(asked)
    found = assigned(response.text, names, position, n)
    if found is None:
        return (nothing(reader, response, names, "no_indices", ("answer", "none", "unclear")),) * n
    first, *others = _readings(found, position, n, response.finish_reason == "length")
    outside = Numbers().union(*found.by_position.values()).difference(range(1, n + 1))
    return (replace(first, excess=len(outside)), *others)


def _readings(found: Assigned, asked: int | None, n: int, cut: bool) -> Iterator[Reading]:
    by_position, rule, span = found
    relevant = [asked] if asked is not None else sorted(by_position)
    given = Numbers().union(*(by_position[position] for position in relevant))
    from_zero = 0 in given and max(given) < n
    if from_zero or (given and given.isdisjoint(range(1, n + 1))):
        # Numbers from 0 on, or of problems that there are not: no text is chosen by these.
        status: Status = "unclear" if from_zero else "illegal"
        yield from [Reading(status, (), "no_such_number", span, 0.9)] * n
        return
    left_out = Reading("truncated" if cut else "none", (), "left_out", span, 0.98)
    for number in range(1, n + 1):
        chosen = tuple([place for place in relevant if number in by_position[place]])
        yield Reading("answer", chosen, rule, span, 0.98) if chosen else left_out


def assigned(text: str, names: Names, asked: int | None, n: int) -> Assigned | None:
    """What a reply to `n` problems assigns; None if it cannot be told.

    `asked` is the position of the one label that was asked for, None where all were.
    """
    text = without_thinking(text, names.names)
    heads = _heads(text, names)
    objects = [o for o in _objects(text) if not any(h.start <= o[1] < h.end for h in heads)]
    found = (
        _by_label(objects, text, names, n)
        or _by_index(objects, names, n)
        or _in_parts(heads, text, n)
    )
    if found is None:
        paired = None if objects else _paired(text, names, n)
        if asked is None:
            return paired or (None if objects else _in_words(text, names, n))
        if paired is not None and asked in paired.by_position:
            return paired
        found = _under_other_key(objects, asked, n) or _bare_list(text, names, asked, n)
    return found if found and (asked is None or asked in found.by_position) else None


Object = tuple[Mapping[str, Any], int, int]
"""A JSON object with its start and end."""


def _objects(text: str) -> Iterator[Object]:
    """The JSON objects of a text, repaired where they are broken."""
    start = text.find("{")
    while start >= 0:
        end = _end(text, start)
        value = _load(text[start:end])
        if isinstance(value, dict) and value:
            yield value, start, end
        start = text.find("{", end)


def _end(text: str, start: int) -> int:
    """Where the object that begins at `start` ends: at its brace, or with the text."""
    depth, quoted = 0, False
    for sign in _SIGN.finditer(text, start):
        if sign[0] == '"':
            quoted = not quoted
        elif not quoted and sign[0] in "{}":
            depth += 1 if sign[0] == "{" else -1
            if depth == 0:
                return sign.end()
    return len(text)


def _load(text: str) -> Any:
    value = repaired(_GAP.sub(', "...", ', text))
    return value[0] if isinstance(value, list) and value else value


def _by_label(objects: Sequence[Object], text: str, names: Names, n: int) -> Assigned | None:
    """Objects whose keys are labels.

    Several objects are taken together; where two speak of the same label, the first holds,
    unless the words between them take it back.
    """
    found: Assigned | None = None
    turns = [(turn.start(), turn.end()) for turn in _CORRECTED.finditer(text)]
    for value, start, end in objects:
        given = _labelled(value, names, n)
        if not given:
            continue
        if found is None:
            found = Assigned(given, "json", (start, end))
        elif not given.keys() & found.by_position.keys():
            found = Assigned(found.by_position | given, "json_joined", found.span)
        else:
            place = bisect_left(turns, (found.span[1], 0))
            if place < len(turns) and turns[place][1] <= start:
                found = Assigned(given, "json_corrected", (start, end))
    return found


def _labelled(value: Mapping[str, Any], names: Names, n: int) -> dict[int, Numbers]:
    given = {}
    for key, inner in value.items():
        position = names.whole(str(key))
        if position is None and isinstance(inner, dict):
            given.update(_labelled(inner, names, n))
        elif position is not None:
            numbers = numbers_in(inner, n)
            if numbers is not None:
                given[position] = numbers
    return given


def _by_index(objects: Sequence[Object], names: Names, n: int) -> Assigned | None:
    """Objects with numbers as keys and labels as values, or one object per problem."""
    pairs: list[tuple[int, set[int]]] = []
    for value, _, _ in objects:
        keyed = [(number_of(str(key)), _positions(inner, names)) for key, inner in value.items()]
        numbered = [(number, found) for number, found in keyed if number is not None]
        if not numbered:
            index = next((numbers_in(value[k], n) for k in value if k.lower() in INDEX_KEYS), None)
            positions = set[int]().union(*(found for _, found in keyed))
            numbered = [(number, positions) for number in index or ()]
        pairs += numbered
    if not any(positions for _, positions in pairs):
        return None
    by_position = {
        position: Numbers(number for number, found in pairs if position in found)
        for position in range(len(names.names))
    }
    return Assigned(by_position, "json_by_number", (objects[0][1], objects[-1][2]))


def _positions(value: Any, names: Names) -> set[int]:
    texts = value if isinstance(value, list) else [value]
    found = (names.whole(text) for text in texts if isinstance(text, str))
    return {position for position in found if position is not None}


def _under_other_key(objects: Sequence[Object], asked: int, n: int) -> Assigned | None:
    """One list under a key that is not a label ("indices"), where one label was asked for."""
    for value, start, end in objects:
        mask = mask_by_number(value)
        lists = [numbers_in(inner, n) for inner in value.values()] if mask is None else [mask]
        if len(lists) == 1 and lists[0] is not None:
            return Assigned({asked: lists[0]}, "json_other_key", (start, end))
    return None


def _bare_list(text: str, names: Names, asked: int, n: int) -> Assigned | None:
    """Numbers, "none" or "all" without an object, where one label was asked for."""
    if "{" in text:
        return None
    listed = re.search(r"\[[^\[\]]*\]", text)
    span = listed.span() if listed else (text.rfind(":") + 1, len(text))
    part = text[span[0] : span[1]].strip(" []\n")
    if not listed and len(part) > _LONGEST_LIST:
        return None
    said = text[: span[0]] if _LISTED.fullmatch(part) else text
    other = {mention.position for mention in names.mentions(said)} - {asked}
    rejects = REJECTED.search(text, max(0, span[0] - _MARKS_BEFORE - 20), span[1])
    numbers = _in_part(part, n)
    if listed and rejects and rejects["numbers"]:
        behind = listed.end()
        denied = rejects.start("numbers") <= behind <= rejects.end() + 2
    else:
        denied = not listed and (bool(other) or not part)
    if numbers is None or denied:
        return None
    return Assigned({asked: numbers}, "list", span)


def _in_part(part: str, n: int) -> Numbers | None:
    """A list as it stands in a text, without its brackets."""
    if _BOOLEANS.fullmatch(part):
        yes = [word.lower() in ("true", "yes") for word in re.findall(r"\w+", part)]
        return masked(yes, n)
    entries = [entry.strip() for entry in part.split(",")]
    if len(entries) == n and set(entries) <= {"0", "1"} and "0" in entries:
        return masked([int(entry) for entry in entries], n)
    return numbers_in(part, n)


def _paired(text: str, names: Names, n: int) -> Assigned | None:
    """Numbers beside labels, where they pair off."""
    found = in_words(text, names, n)
    if found is None:
        return None
    by_position = {
        position: Numbers(number for number, one in found.items() if one.position == position)
        for position in {one.position for one in found.values()}
    }
    return Assigned(by_position, "in_words", (0, len(text)))


def _heads(text: str, names: Names) -> list[ProblemMention]:
    """Labels that lines begin with, a colon behind them; of several that fit, the longest.

    None where a line so begins with a number that is no label, or announces a second label.
    """
    heads: list[ProblemMention] = []
    start = 0
    for line in text.split("\n"):
        head = _head(line, start, names)
        behind = [] if head is None else names.mentions(line, head.end - start)
        if head is not None:
            heads.append(head)
        elif _NUMBERED.match(line):
            return []
        if any(_announces(line, mention.end) for mention in behind):
            return []
        start += len(line) + 1
    return heads


def _head(line: str, start: int, names: Names) -> ProblemMention | None:
    for sign in reversed(list(_COLON.finditer(line, 0, 2 * names.longest + _MARKS_BEFORE))):
        said = line[: sign.start()].strip()
        position = names.whole(said)
        if position is not None and (said[0] not in _QUOTING or names.says(said)):
            return ProblemMention(position, start, start + sign.end())
    return None


def _in_words(text: str, names: Names, n: int) -> Assigned | None:
    """ "Positive: 1, 3" and the like, also within a line; a number there may number the line."""
    numbered = {at for match in _NUMBERED.finditer(text) for at in range(*match.span())}
    announced = (m for m in names.mentions(text) if _announces(text, m.end))
    mentions = [m for m in announced if m.start not in numbered]
    return _in_parts(mentions, text, n)


def _in_parts(mentions: Sequence[ProblemMention], text: str, n: int) -> Assigned | None:
    """Each label with the numbers up to the next label."""
    if not mentions:
        return None
    ends = [m.start for m in mentions[1:]] + [len(text)]
    by_position: dict[int, Numbers] = {}
    for mention, end in zip(mentions, ends, strict=True):
        part = text[mention.end : end].lstrip(" :*=\"'-–—>")
        part = part.split("\n\n")[0].split("\n")[0] or part
        numbers = numbers_in(part, n)
        if numbers is not None:
            by_position.setdefault(mention.position, numbers)
    if not by_position:
        return None
    return Assigned(by_position, "label_and_numbers", (mentions[0].start, len(text)))


def _announces(text: str, end: int) -> bool:
    return bool(re.match(r"[\"'*]*\s*(?:[:=]|->|[-–—]\s|\()", text[end : end + 8]))

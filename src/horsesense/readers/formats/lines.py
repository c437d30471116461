"""Reading one answer per problem from numbered or plain lines (specification, 4.3).

The release that this follows compares by count alone. Here numbers, where a reply gives them,
decide which problem an answer belongs to; a line whose answer is not a label keeps its place, so
that one strange answer does not shift the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from horsesense.expressions import expression
from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import (
    INDEX_KEYS,
    Names,
    names_of,
    negated,
    nothing,
    number_of,
    repaired,
    without_thinking,
)
from horsesense.readers.formats.in_words import EXCEPTS, in_words
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.trials.trial import Trial

_LINE = expression(
    r"[\s>*_#|\-•–—]*"
    r"(?:(?:text|sentence|item|line|question|answer|problem|pair|no|nr|q|a)\.?\s*(?=\d|#))?"
    r"[#(\[]?(?P<number>\d{1,4})(?P<sign>\s*\*{0,2}[.):\]|,=]\**|\s*(?:-|–|—|->|→)|\s+(?=\D)|$)"
    r"\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_IN_A_ROW = expression(
    r"[,;|](?P<begins>)\s*(?:and\s+)?(?:(?:text|sentence|item|line|question|problem|pair)\s+)?"
    r"#?(?P<number>\d{1,4})[:.)=](?!\d)",
    re.IGNORECASE,
)
_AFTER: Final = expression(r"(?::|->|→|=>|=|\s[-–—](?!>)|\|)\s*")
_NOTE = expression(r"\(\s*(?:and\s+)?not\b[^()]*\)", re.IGNORECASE)
_NEAR: Final = 20
"""Characters beyond those of the longest label in which what announces an answer is looked for."""
_MARKS: Final = " \t*_`\"'.,;:|()[]-–—•>#"
_ALL_ALIKE = expression(r"\b(?:all|every|each|both)\b", re.IGNORECASE)
_SHORT: Final = 3
"""Words of a line that may be a label of its own, such as "Mixed" or "Not sure"."""


class Line(NamedTuple):
    """One line of a reply that may be an answer.

    Attributes:
        number: the number that it begins with; None where there is none.
        position: the answer that it names; None where it names none of those allowed.
        several: whether it names several that do not agree.
        start, end: its place.
    """

    number: int | None
    position: int | None
    several: bool
    start: int
    end: int


Placed = tuple[list[Line | None], str, int]
"""An answer or none per problem, the rule that placed them, and how many are too many."""


def read_lines(reader: TextReader, trial: Trial, response: Response) -> tuple[Reading, ...]:
    """One reading per problem."""
    n = len(trial.variants)
    longest = max((v.labels for v in trial.variants), key=len)
    names = names_of(longest or trial.variants[0].options, bool(longest))
    text = without_thinking(response.text, names.names)
    found = _from_json(text, names) or list(_lines(text, names))
    numbered = _by_number(found, n)
    placed = _in_words(text, names, n, numbered) or numbered or _in_order(found, text, names, n)
    if placed is None:
        said = nothing(reader, response, names, "no_lines")
        return (replace(said, excess=-n), *[said] * (n - 1))
    answers, rule, excess = placed
    cut = response.finish_reason == "length"
    readings = [
        _reading(line, place, answers, rule, cut, trial) for place, line in enumerate(answers)
    ]
    return (replace(readings[0], excess=excess), *readings[1:])


def _reading(
    line: Line | None, place: int, lines: Sequence[Line | None], rule: str, cut: bool, trial: Trial
) -> Reading:
    if line is None:
        ended = cut or all(later is None for later in lines[place:])
        return Reading("truncated" if ended else "empty", (), "left_out", None, 0.99)
    span = (line.start, line.end)
    if line.several:
        return Reading("ambiguous", (), f"{rule}_several", span, 0.9)
    if line.position is None or line.position >= len(trial.variants[place].options):
        return Reading("illegal", (), f"{rule}_no_label", span, 0.9)
    return Reading("answer", (line.position,), rule, span, 0.8 if rule == "misaligned" else 0.99)


def _lines(text: str, names: Names) -> Iterator[Line]:
    """The lines that may be answers: not those that are empty or introduce others."""
    start = 0
    for raw in text.split("\n"):
        ends = [*_next_ones(raw), len(raw)]
        for begins, ends_at in zip([0, *ends[:-1]], ends, strict=True):
            said = _said(raw[begins:ends_at], names)
            if said is not None:
                yield Line(*said, start + begins, start + ends_at)
        start += len(raw) + 1


def _next_ones(raw: str) -> Iterator[int]:
    """Where in a line the next problems begin ("1: Positive, 2: unclear"): numbers in a row."""
    first = _LINE.match(raw)
    if first is None or first["sign"].strip(" *")[:1] not in (":", ".", ")", "="):
        return
    number = int(first["number"])
    for other in _IN_A_ROW.finditer(raw, first.end("sign")):
        if int(other["number"]) == number + 1:
            yield other.start("begins")
            number += 1


@lru_cache(maxsize=1 << 12)
def _said(raw: str, names: Names) -> tuple[int | None, int | None, bool] | None:
    """Number, position and `several` of a line; many lines say the same."""
    body = raw.strip()
    position = names.whole(body)
    if position is not None:
        return None, position, False
    if set(body) <= set(_MARKS):
        return None
    match = _LINE.match(raw)
    number, rest = (int(match["number"]), match["rest"]) if match else (None, body)
    position, several = _named(rest, names)
    if position is None and not several and number is None:
        introduces = body.endswith(":") or len(body.split()) > _SHORT or "```" in body
        return None if introduces else (None, None, False)
    return number, position, several


def _named(text: str, names: Names) -> tuple[int | None, bool]:
    """The answer that a line gives, and whether it gives several.

    Behind a text that is repeated, the answer is all that comes after a colon or dash.
    """
    position = names.whole(text)
    if position is not None:
        return position, False
    near = max(0, len(text) - names.longest - _NEAR)
    for after in _AFTER.finditer(text, near):
        position = names.whole(text[after.end() :])
        if position is not None:
            return position, False
    text = _NOTE.sub("", text)
    positions = {mention.position for mention in names.mentions(text)}
    if len(positions) > 1 or (positions and not names.letters and negated(text)):
        return None, True
    return (positions.pop() if positions else None), False


def _in_words(text: str, names: Names, n: int, numbered: Placed | None) -> Placed | None:
    """Answers in running text, problems by number beside their labels in any order.

    Only where they are more than `numbered`, the answers by lines that begin with a number.
    """
    lines = [line for line in numbered[0] if line] if numbered else []
    named = sum(line.position is not None for line in lines)
    given = in_words(text, names, n) if named < n else None
    if given is None or len(given) <= named:
        return None
    answers = {
        number: Line(number, a.position, False, a.start, a.end) for number, a in given.items()
    }
    return [answers.get(number) for number in range(1, n + 1)], "in_words", len(given) - n


def _from_json(text: str, names: Names) -> list[Line]:
    """Answers from a JSON list, or from an object with the numbers as keys; none from a label."""
    body = text.strip().removeprefix("```json").strip("` \n")
    if body[:1] not in ("[", "{") or names.says(body.partition("\n")[0]):
        return []
    value = _by_entry(repaired(body), names)
    keyed = isinstance(value, dict)
    pairs = value.items() if isinstance(value, dict) else []
    found = []
    for key, answer in enumerate(value, 1) if isinstance(value, list) else pairs:
        number = number_of(str(key))
        if number is None:
            return []
        said = _named(_written(answer), names)
        found.append(Line(number if keyed else None, *said, 0, len(text)))
    return found


def _written(answer: Any) -> str:
    """A value of JSON as a text: a string as it is, any other as JSON writes it."""
    return json.dumps(answer) if answer is None or isinstance(answer, bool) else str(answer)


def _by_entry(value: Any, names: Names) -> Any:
    """One object per problem, in a list or under one key, as one object of number -> label."""
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        value = inner if isinstance(inner, list) else value
    if not (isinstance(value, list) and value and all(isinstance(e, dict) for e in value)):
        return value
    pairs = {}
    for entry in value:
        number = next((entry[key] for key in entry if key.lower() in INDEX_KEYS), None)
        labels = [v for v in entry.values() if isinstance(v, str) and names.whole(v) is not None]
        if number_of(str(number)) is None or len(labels) != 1:
            return value
        pairs[str(number)] = labels[0]
    return pairs


def _by_number(lines: Sequence[Line], n: int) -> Placed | None:
    """Answers by the numbers before them; None where numbers do not tell.

    Numbers from 0 are shifted; a list whose every line says "1." has no numbers.
    """
    numbered = [(line.number, line) for line in lines if line.number is not None]
    named = sum(line.position is not None for line in lines)
    if not numbered or 2 * len(numbered) < max(named, 1):
        return None
    values = {number for number, _ in numbered}
    in_a_row = n > 1 and len(numbered) == 1 and numbered[0][1].several
    if in_a_row or (len(values) == 1 and len(numbered) > 1):
        return None
    first = 0 if 0 in values and max(values) < n else 1
    answers: dict[int, Line] = {}
    for number, line in numbered:
        before = answers.setdefault(number, line)
        if before.position != line.position:
            answers[number] = before._replace(several=True)
    placed = [answers.get(number) for number in range(first, first + n)]
    return (placed, "numbered", len(numbered) - n) if any(placed) else None


def _in_order(lines: Sequence[Line], text: str, names: Names, n: int) -> Placed | None:
    """Answers in the order in which they are given."""
    named = [line for line in lines if line.position is not None or line.several]
    mentions = [Line(None, m.position, False, m.start, m.end) for m in names.mentions(text)]
    ways = [(named, "lines"), (lines, "lines_with_others")]
    # Lines that name one answer each, but too few, are not completed by one that names two.
    ways += [(mentions, "mentions")] if 2 * len(named) <= n else []
    for found, rule in (*ways, (_run_of_letters(text, names), "run_of_letters")):
        if len(found) == n:
            return list(found), rule, 0
    alike = _ALL_ALIKE.search(text) and not EXCEPTS.search(text) and not negated(text)
    if len(mentions) == 1 and alike:
        return list(mentions * n), "all_alike", 0
    found = lines if named and len(lines) > 1 else mentions
    if not found:
        return None
    first: list[Line | None] = [*found[:n]]
    return first + [None] * (n - len(first)), "misaligned", len(found) - n


def _run_of_letters(text: str, names: Names) -> list[Line]:
    body = text.strip()
    if not names.letters or not set(body) <= set(names.names):
        return []
    start = text.index(body) if body else 0
    return [
        Line(None, names.names.index(letter), False, start + place, start + place + 1)
        for place, letter in enumerate(body)
    ]

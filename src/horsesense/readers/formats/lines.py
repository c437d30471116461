"""Reading one answer per problem from numbered or plain lines (specification, 4.3).

The release that this follows compares by count alone. Here numbers, where a reply gives them,
decide which problem an answer belongs to; a line whose answer is not a label keeps its place, so
that one strange answer does not shift the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import (
    INDEX_KEYS,
    Names,
    names_of,
    negated,
    number_of,
    repaired,
    without_thinking,
)
from horsesense.readers.formats.in_words import excepts, in_words
from horsesense.readers.reading import Reading
from horsesense.readers.text import LIKELY, TextReader
from horsesense.trials.trial import Trial

_LINE = re.compile(
    r"[\s>*_#|\-•–—]*"
    r"(?:(?:text|sentence|item|line|question|answer|problem|pair|no|nr|q|a)\.?\s*(?=\d|#))?"
    r"[#(\[]?(?P<number>\d{1,4})(?P<sign>\s*\*{0,2}[.):\]|,=]\**|\s*(?:-|–|—|->|→)|\s+(?=\D)|$)"
    r"\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_IN_A_ROW = re.compile(
    r"[,;|](?P<begins>)\s*(?:and\s+)?(?:(?:text|sentence|item|line|question|problem|pair)\s+)?"
    r"#?(?P<number>\d{1,4})[:.)=](?!\d)",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(r"(?::|->|→|=>|=|\s[-–—](?!>)|\|)\s*")
_NOTE = re.compile(r"\(\s*(?:and\s+)?not\b[^()]*\)", re.IGNORECASE)
_NEAR: Final = 20
"""Characters beyond those of the longest label in which what announces an answer is looked for."""
_MARKS: Final = " \t*_`\"'.,;:|()[]-–—•>#"
_ALL_ALIKE = re.compile(r"\b(?:all|every|each|both)\b", re.IGNORECASE)
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
    found = _from_json(text, names) or [line for line in _lines(text, names) if line is not None]
    numbered = _by_number(found, n)
    placed = _in_words(text, names, n, numbered) or numbered or _in_order(found, text, names, n)
    if placed is None:
        return _nothing(reader, trial, response, names)
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


def _lines(text: str, names: Names) -> list[Line | None]:
    found: list[Line | None] = []
    start = 0
    for raw in text.split("\n"):
        ends = [*_next_ones(raw), len(raw)]
        for begins, ends_at in zip([0, *ends[:-1]], ends, strict=True):
            found.append(_line(raw[begins:ends_at], start + begins, names))
        start += len(raw) + 1
    return found


def _next_ones(raw: str) -> list[int]:
    """Where in a line the next problems begin ("1: Positive, 2: unclear"): numbers in a row."""
    first = _LINE.match(raw)
    if first is None or first["sign"].strip(" *")[:1] not in (":", ".", ")", "="):
        return []
    number = int(first["number"])
    found: list[int] = []
    for other in _IN_A_ROW.finditer(raw, first.end("sign")):
        if int(other["number"]) == number + 1:
            found.append(other.start("begins"))
            number += 1
    return found


def _line(raw: str, start: int, names: Names) -> Line | None:
    """A line as an answer; None for one that is empty or introduces others."""
    said = _said(raw, names)
    return None if said is None else Line(*said, start, start + len(raw))


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
    answers: list[Line | None] = [None] * n
    for number, answer in given.items():
        answers[number - 1] = Line(number, answer.position, False, answer.start, answer.end)
    return answers, "in_words", len(given) - n


def _from_json(text: str, names: Names) -> list[Line]:
    """Answers from a JSON list, or from an object with the numbers as keys; none from a label."""
    body = text.strip().removeprefix("```json").strip("` \n")
    if body[:1] not in ("[", "{") or names.says(body.partition("\n")[0]):
        return []
    value = _by_entry(repaired(body), names)
    numbered = isinstance(value, dict)
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = list(value.items())
    else:
        pairs = list(enumerate(value, 1)) if isinstance(value, list) else []
    numbers = [number_of(str(key)) for key, _ in pairs]
    if None in numbers:
        return []
    span = (0, len(text))
    return [
        Line(number if numbered else None, *_named(_written(answer), names), *span)
        for number, (_, answer) in zip(numbers, pairs, strict=True)
    ]


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
    numbered = [line for line in lines if line.number is not None]
    named = sum(line.position is not None for line in lines)
    if not numbered or 2 * len(numbered) < max(named, 1):
        return None
    values = [line.number or 0 for line in numbered]
    in_a_row = n > 1 and len(numbered) == 1 and numbered[0].several
    if in_a_row or (len(set(values)) == 1 and len(values) > 1):
        return None
    first = 0 if min(values) == 0 and max(values) < n else 1
    answers: list[Line | None] = [None] * n
    for line, value in zip(numbered, values, strict=True):
        place = value - first
        if not 0 <= place < n:
            continue
        before = answers[place]
        if before is None:
            answers[place] = line
        elif before.position != line.position:
            answers[place] = before._replace(several=True)
    if all(line is None for line in answers):
        return None
    return answers, "numbered", len(numbered) - n


def _in_order(lines: Sequence[Line], text: str, names: Names, n: int) -> Placed | None:
    """Answers in the order in which they are given."""
    named = [line for line in lines if line.position is not None or line.several]
    for found, rule in ((named, "lines"), (list(lines), "lines_with_others")):
        if len(found) == n:
            return list(found), rule, 0
    mentions = [Line(None, m.position, False, m.start, m.end) for m in names.mentions(text)]
    # Lines that name one answer each, but too few, are not completed by one that names two.
    if len(mentions) == n and 2 * len(named) <= n:
        return list(mentions), "mentions", 0
    run = _run_of_letters(text, names)
    if len(run) == n:
        return list(run), "run_of_letters", 0
    one = {mention.position for mention in mentions}
    alike = _ALL_ALIKE.search(text) and not excepts(text) and not negated(text)
    if len(one) == 1 and len(mentions) == 1 and alike:
        return [mentions[0]] * n, "all_alike", 0
    found = list(lines) if named else []
    if len(found) < 2:
        found = mentions
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


def _nothing(
    reader: TextReader, trial: Trial, response: Response, names: Names
) -> tuple[Reading, ...]:
    """A reply that answers no problem: refused, empty, cut off, or about something else."""
    n = len(trial.variants)
    whole = reader.read(
        response.text,
        names.names,
        names.names if names.letters else (),
        finish_reason=response.finish_reason,
    )
    guess = whole.status in ("answer", "unclear") or whole.confidence < LIKELY
    status = "illegal" if guess else whole.status
    reading = Reading(status, (), f"no_lines_{whole.rule}", whole.span, whole.confidence)
    return (replace(reading, excess=-n), *[reading] * (n - 1))

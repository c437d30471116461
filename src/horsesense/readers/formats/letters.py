"""Reading several options from a reply that may choose more than one.

A reply, or the stretch of it that answers (a field, a box, what "answers:" announces), in which
every word is a name of an option, a verdict or says nothing, is read by what it says of each
option. Of a longer reply the verdicts on each option count. What gives neither is left to the
reader of single choices, whose one option stands where no other is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from horsesense.expressions import expression
from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import no_text, object_in, without_thinking
from horsesense.readers.formats.verdicts import Said, said_of
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader, meanings_of, without_struck
from horsesense.trials.trial import Trial, question_of

_BOXED = expression(r"\\boxed\s*\{(?:\\text\s*\{)?([^{}]*)\}")
_ANNOUNCES = expression(
    r"(?:\b(?:answers?|options?|choices?|letters?|selections?)\b(?:\s+(?:is|are|would\s+be)\b\s*:?"
    r"|\s*:)|\bi\s+(?:would\s+)?(?:choose|pick|select)\b|\bi['’]d\s+(?:choose|pick)\b"
    r"|\b(?:so|therefore|thus|hence)\b(?!\s+(?:is|are|do|does)\b),?)"
    r"\s*(?P<what>[^\n]+?)(?=\.\s|\n|\Z)",
    re.IGNORECASE,
)
_REASON = expression(r"[,;]?\s*\b(?:because|since|given\s+that|as\s+(?:they|both|all|it))\b", re.I)
_TURNS = expression(r"\b(?:wait|actually|correction|sorry|no,|scratch|on second thought)", re.I)
_SENTENCE = expression(r"\n|(?<=\w\w[.;!])\s")
_LONGEST: Final = 4_000
"""Characters of a reply that may be a list as a whole, and of a sentence."""
_LIST: Final = 0.98
_PART: Final = 0.95
_IN_PROSE: Final = 0.9
_UNSURE: Final = 0.5


def read_letters(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """All chosen positions, in order of mention and each once."""
    shown = trial.variant
    return read_several(reader, response, shown.options, shown.labels, question_of(trial))


def read_several(
    reader: TextReader,
    response: Response,
    options: Sequence[str],
    labels: Sequence[str],
    question: str | None = None,
) -> Reading:
    """All options that a reply chooses; `unclear` or `ambiguous` where it leaves that open."""
    text = without_struck(without_thinking(response.text))
    if not text.strip():
        return no_text(response)
    options, labels = tuple(options), tuple(labels)
    own_words = any(map(meanings_of, options))
    found: Reading | None = None
    for stretch, start, rule in _stretches(text):
        said = said_of(stretch, options, labels)
        sure = _LIST if rule == "list" else _PART
        reading = _of_all(said, rule, (start, start + len(stretch)), sure, own_words, len(options))
        if reading is None:
            continue
        if rule == "list":
            return reading
        if found and found.positions != reading.positions and not _TURNS.search(text):
            return Reading("unclear", (), "several_answers", None, _UNSURE)
        found = reading
    return found or _in_prose(text, options, labels) or _single(
        reader, response, options, labels, question
    )  # fmt: skip


def _stretches(text: str) -> Iterator[tuple[str, int, str]]:
    """Parts of a reply that may be all that answers, their places, and the rule that finds them."""
    value, start, _ = object_in(text)
    fields = list(_fields(value))
    whole = text.strip()
    if len(fields) == 1 or (fields and whole[:1] in "{["):
        yield fields[0], start, "list" if whole[:1] in "{[" else "field"
        return
    boxes = list(_BOXED.finditer(text[-_LONGEST:]))
    if len(whole) <= _LONGEST and not boxes:
        yield text, 0, "list"
    if boxes:
        yield boxes[-1][1], max(text.rfind(boxes[-1][1]), 0), "boxed"
        return
    for match in _ANNOUNCES.finditer(text):
        what = match["what"]
        reason = _REASON.search(what)
        yield what[: reason.start()] if reason else what, match.start("what"), "announced"


def _fields(found: Any) -> Iterator[str]:
    """The texts that a JSON value gives for an answer: its lists, or its options with verdicts."""
    if isinstance(found, list):
        yield "\n".join(text for entry in found for text in _fields(entry))
    elif isinstance(found, dict):
        marks = {key: mark for key, value in found.items() if (mark := _mark(value))}
        names = [
            value for key, value in found.items() if isinstance(value, str) and key not in marks
        ]
        if len(marks) == 1 and names:  # {"option": "A", "correct": true}
            yield f"{names[0]}: {next(iter(marks.values()))}"
        elif marks and len(marks) == len(found):
            yield "\n".join(f"{key}: {mark}" for key, mark in marks.items())
        else:
            for value in found.values():
                if isinstance(value, str):
                    yield value
                elif isinstance(value, list) and all(isinstance(entry, str) for entry in value):
                    yield ", ".join(value) or "none"
                elif isinstance(value, dict):
                    yield from _fields(value)


def _mark(value: Any) -> str:
    """A verdict in JSON as a word; empty where a value is none."""
    if isinstance(value, bool) or (isinstance(value, int) and value in (0, 1)):
        return "yes" if value else "no"
    words = ("yes", "no", "true", "false", "correct", "incorrect", "right", "wrong")
    return value.lower() if isinstance(value, str) and value.lower() in words else ""


def _of_all(
    said: Said, rule: str, span: tuple[int, int], sure: float, own_words: bool, k: int
) -> Reading | None:
    """The reading of a stretch of which every word is understood; None of any other."""
    named = said.chosen or said.no
    if said.kinds["word"]:
        return None
    if said.clash:
        return Reading("ambiguous", (), "label_with_other_text", span, 0.85)
    if said.kinds["foreign"]:
        return Reading("illegal", (), "other_label", span, sure) if not said.no else None
    if not named:
        none = said.kinds["none"] and not own_words
        return Reading("none", (), "none", span, sure) if none else None
    if said.open:
        return Reading("ambiguous", (), "open", span, 0.9)
    if said.unsure:
        return Reading("unclear", (), "unsure", span, _UNSURE)
    if said.dangles:
        return Reading("truncated", (), "list_goes_on", span, 0.9)
    if said.chosen:
        return Reading("answer", said.chosen, rule if said.plain else "verdicts", span, sure)
    if rule != "list" or len(said.no) < 2:
        return None
    if len(said.no) < k:  # nothing is said of the others
        return Reading("unclear", (), "some_rejected", span, _UNSURE)
    return Reading("none", (), "all_rejected", span, sure)


def _in_prose(text: str, options: tuple[str, ...], labels: tuple[str, ...]) -> Reading | None:
    """The options that a longer reply calls right, where it passes a verdict on each it names."""
    good: dict[int, None] = {}
    bad: dict[int, None] = {}
    for clause in _SENTENCE.split(text):
        said = said_of(clause[:_LONGEST], options, labels, brief=False)
        in_passing = said.kinds["word"] and said.plain and said.chosen
        if said.clash or said.open or said.unsure or in_passing:
            return None
        good |= dict.fromkeys(said.chosen)
        bad |= said.no
    if good.keys() & bad.keys() or not good:
        return None
    sure = _IN_PROSE if len(good) + len(bad) == len(options) else 0.8
    return Reading("answer", tuple(good), "verdicts", (0, len(text)), sure)


def _single(
    reader: TextReader,
    response: Response,
    options: tuple[str, ...],
    labels: tuple[str, ...],
    question: str | None,
) -> Reading:
    """What the reader of single choices makes of a reply; one option where no other stands."""
    found = reader.read(
        response.text, options, labels, finish_reason=response.finish_reason, question=question
    )
    if found.status == "ambiguous":
        return replace(found, status="unclear", confidence=_UNSURE)
    if found.status != "answer":
        return found
    said = said_of(without_thinking(response.text), options, labels, brief=False)
    others = {*said.chosen} - {*found.positions}
    if others or ((said.chosen or said.no) and found.positions[0] not in said.chosen):
        return Reading("unclear", (), "several_named", found.span, _UNSURE)
    return found

"""How replies are read: one reading, or a sign for each of several problems."""

from __future__ import annotations

from horsesense.models.messages import Response
from horsesense.readers.formats.letters import read_several
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import NO_EXTRAS, Bundled, Extras, Proposed
from horsesense.trials.trial import NO, YES, AnswerFormat, Trial, Variant

JUDGED = Variant("q", "Capital of Australia?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
NAMES = Variant("q", "?", ("Tom", "Ann", "Joe"), ("A", "B", "C"), (0, 1, 2), None)
SIDES = ("Positive", "Negative")


def read(
    reply: str,
    asks: AnswerFormat,
    variant: Variant = NAMES,
    extras: Extras = NO_EXTRAS,
    finish: str | None = None,
) -> Reading:
    """The reading of a reply about one item."""
    trial = Trial("p", PLAIN, 0, (variant,), asks, "none", extras=extras)
    (reading,) = TextAnswers().read(trial, Response(reply, finish))
    return reading


def judged(reply: str, quality: str = "correct", finish: str = "stop") -> Reading:
    """The reading of a reply to whether Sydney is correct, or wrong."""
    return read(reply, "yes_no", JUDGED, Proposed("Sydney", quality), finish)


def several(reply: str, *options: str, finish: str = "stop") -> Reading:
    """The reading of a reply that may choose several of options with the labels A, B, ..."""
    labels = tuple("ABCDE"[: len(options)])
    return read_several(TextReader(), Response(reply, finish), options, labels)


def said(reading: Reading) -> str:
    """The positions, or the status of a reading without any."""
    return " ".join(map(str, reading.positions)) or reading.status


def bundle(
    reply: str,
    asks: AnswerFormat = "label_lines",
    asked: str | None = None,
    options: tuple[str, ...] = SIDES,
    n: int = 3,
    *,
    letters: bool = False,
    finish: str = "stop",
) -> tuple[Reading, ...]:
    """The readings of a reply to `n` problems."""
    labels, origin = tuple("ABCD"[: len(options)]) if letters else (), tuple(range(len(options)))
    shown = tuple(Variant(f"i{j}", f"text {j}", options, labels, origin, 0) for j in range(n))
    trial = Trial("batch", PLAIN, 0, shown, asks, extras=Bundled(asked=asked))
    found = TextAnswers().read(trial, Response(reply, finish))
    assert len(found) == n
    return found


def shape(found: tuple[Reading, ...]) -> str:
    """One sign per problem: the positions chosen, or the first letter of the status."""
    return " ".join("".join(map(str, r.positions)) or r.status[0] for r in found)

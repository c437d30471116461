"""Replies in which a field's name, a question, an exception or a place turns what a word says."""

from __future__ import annotations

import pytest

from horsesense.models.messages import Response
from horsesense.readers.formats.letters import read_several
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Proposed
from horsesense.trials.trial import NO, YES, Trial, Variant

COLOURS = ("red", "green", "blue", "pink")


def judged(reply: str, quality: str) -> tuple[str, tuple[int, ...]]:
    variant = Variant("q", "Capital of Australia?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
    trial = Trial("p", PLAIN, 0, (variant,), "yes_no", "none", extras=Proposed("Sydney", quality))
    (found,) = TextAnswers().read(trial, Response(reply))
    return found.status, found.positions


@pytest.mark.parametrize("reply", ["50%", "$", "!", "✓", '{"answer": 1}', "A ✓"])
@pytest.mark.parametrize("labels", [(), ("A", "B", "C", "D")])
def test_blank_options_are_named_by_nothing(reply: str, labels: tuple[str, ...]) -> None:
    TextReader().read(reply, ("", " ", "", ""), labels)


@pytest.mark.parametrize(
    ("reply", "holds"),
    [
        ('{"correct": false}', False),
        ('{"is_correct": true}', True),
        ('{"incorrect": "yes"}', False),
        ("Correct: no", False),
        ("**Correct?** No.", False),
        ("Right? Wrong.", False),
        ("Incorrect: true", False),
        ("Correct = true", True),
    ],
)
@pytest.mark.parametrize("quality", ["correct", "wrong"])
def test_the_value_of_a_field_or_question_decides(reply: str, holds: bool, quality: str) -> None:
    position = 0 if holds == (quality == "correct") else 1
    assert judged(reply, quality) == ("answer", (position,))


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("Yes: 0.1, No: 0.9", 1),
        ('{"no": 0.25, "yes": 0.75}', 0),
        ("Yes? No.", 1),
        ('{"yes": false, "no": true}', 1),
        ("Yes: it is correct.", 0),
        ("No: wrong.", 1),
    ],
)
def test_yes_and_no_as_names_of_values(reply: str, position: int) -> None:
    assert judged(reply, "correct") == ("answer", (position,))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Neither B nor D", "unclear"),
        ("Incorrect: B, D", "unclear"),
        ("Incorrect: B, D. The rest are right.", "0 2"),
        ("Neither A, B, C nor D", "none"),
        ("Everything is wrong except A and C.", "0 2"),
        ("All except A and C are wrong.", "0 2"),
        ("All except B are right.", "0 2 3"),
        ("None are wrong except B.", "unclear"),
        ("a c", "0 2"),
        ("I choose a C", "2"),
        ("~~B~~ A C", "0 2"),
    ],
)
def test_several_letters(reply: str, expected: str) -> None:
    found = read_several(TextReader(), Response(reply), COLOURS, tuple("ABCD"))
    assert (" ".join(map(str, found.positions)) or found.status) == expected

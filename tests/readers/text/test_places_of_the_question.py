"""The first of what the question gives is not the first option."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

LABELS = ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    "reply",
    ["The first statement is true.", "It follows from the first statement.",
     "The first statement is the one that matters."],
)  # fmt: skip
@pytest.mark.parametrize(
    "question",
    [
        "Statement 1: Owls are birds. Statement 2: Bats are birds. What is so?",
        "Here are two statements: owls are birds; bats are birds. What holds?",
    ],
)
def test_a_statement_of_the_question_is_no_option(reply: str, question: str) -> None:
    options = ["Both do", "Only owls", "Only bats", "Neither does"]
    found = TextReader().read(reply, options, LABELS, question=question)
    assert found.positions != (0,)


def test_a_statement_among_the_options_is_one() -> None:
    options = ["Owls are birds.", "Bats are birds.", "Eels are birds.", "Crabs are birds."]
    asked = "Which of these statements is true?"
    reply = "The answer is the first statement."
    assert TextReader().read(reply, options, LABELS, question=asked).positions == (0,)

"""Numbers inside expressions."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

OPTIONS = ["3", "9", "27", "54"]
LABELS = ["A", "B", "C", "D"]
QUESTION = "What is the cube of three?"


@pytest.mark.parametrize(
    "reply",
    ["3 cubed", "The answer is 3 cubed.", "It is 9 times 3.", "half of 54", "The answer is 54/2.",
     "9 + 18", "54 divided by 2", "3^3", "9 × 3"],
)  # fmt: skip
def test_a_number_in_an_expression_is_no_answer(reply: str) -> None:
    found = TextReader().read(reply, OPTIONS, LABELS, question=QUESTION)
    assert found.status != "answer" or found.positions == (2,)


@pytest.mark.parametrize(
    "reply", ["27", "It is 27.", "3 cubed is 27.", "3 * 9 = 27", "The answer is 27 (9 × 3).",
              "- 27", "27, since 3 times 9 is that."],
)  # fmt: skip
def test_what_it_comes_to_is(reply: str) -> None:
    found = TextReader().read(reply, OPTIONS, LABELS, question=QUESTION)
    assert (found.status, found.positions) == ("answer", (2,))


def test_a_place_on_a_scale_is_an_answer() -> None:
    scale = ["1", "2", "3", "4", "5"]
    found = TextReader().read("I'd rate it 4/5.", scale, [], question="Rate it from 1 to 5.")
    assert found.positions == (3,)

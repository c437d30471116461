"""A label with another option's text."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

OPTIONS = ["oboe", "cello", "trumpet", "harp"]
LABELS = ["A", "B", "C", "D"]


@pytest.mark.parametrize(
    "reply",
    ["The answer is B, the trumpet.", "B) The trumpet", "It is the trumpet. Answer: B",
     "trumpet, so B", "My choice: B (the trumpet)", "I pick B – trumpet.", "trumpet = B"],
)  # fmt: skip
def test_which_is_meant_cannot_be_told(reply: str) -> None:
    assert TextReader().read(reply, OPTIONS, LABELS).status == "ambiguous"


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("C) The trumpet", 2),
        ("The answer is B. It is not the trumpet.", 1),
        ("B, the trumpet... Let me look at the list. So the trumpet is C.", None),
        ("To get at the trumpet, the oboe has to go. So the answer is A.", 0),
    ],
)
def test_others_can(reply: str, position: int | None) -> None:
    found = TextReader().read(reply, OPTIONS, LABELS)
    if position is None:
        assert found.rule != "label_with_other_text"
    else:
        assert found.positions == (position,)


@pytest.mark.parametrize(
    "reply",
    ["I pick the oboe and I pick the harp.", "Oboe. Harp.", "I choose A. I choose D."],
)
def test_two_that_are_chosen_are_not_one(reply: str) -> None:
    assert TextReader().read(reply, OPTIONS, LABELS).status == "ambiguous"


@pytest.mark.parametrize(
    "reply",
    ["In short: oboe\n\nAfter checking: D", "TL;DR: A\n\nOn second reading: D",
     "Oboe is the answer. So is harp."],
)  # fmt: skip
def test_a_first_word_on_it_is_not_the_last(reply: str) -> None:
    found = TextReader().read(reply, OPTIONS, LABELS)
    assert found.status != "answer" or found.positions == (3,) or found.confidence < 0.9

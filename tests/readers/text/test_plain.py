"""Short, plain replies: what is meant, and what is named only to say that it is not."""

from __future__ import annotations

from itertools import permutations

import pytest

from each import each
from horsesense.readers.text import TextReader

READER = TextReader()
LETTERS = tuple("ABCD")
FUELS = ("coal", "hydrogen", "natural gas", "ethanol")


def read(reply: str) -> str:
    found = READER.read(reply, FUELS, LETTERS)
    return "".join(LETTERS[position] for position in found.positions)


@each(
    "form",
    [
        "{0}, not {1}.",
        "({0}), not ({1})",
        "({0}) rather than ({1}).",
        "It is {0}, not {1}.",
        "It's {0}, not {1} or {2}.",
        "I'd choose {0} over {1}.",
        "I'd go with {0} instead of {1}.",
        "I believe the answer is {0}, not {1}.",
        "I'd say {0}, definitely not {1}.",
        "Option {0} and not option {1}.",
        "Answer: I think {0}.",
        "My guess: {0}",
        "{0} is the correct answer because it burns.",
    ],
)
def test_one_label_is_chosen_and_others_are_not(form: str) -> None:
    for letters in permutations("BCD", 3):
        assert read(form.format(*letters)) == letters[0], form.format(*letters)


@each(
    "form",
    ["Not {1} but {0}.", "{1}? No, {0}.", "{1} is wrong. {0} is right.", "It isn't {1}, it's {0}."],
)
def test_a_label_that_is_set_against_another_is_chosen(form: str) -> None:
    for chosen, other in permutations("BCD", 2):
        assert read(form.format(chosen, other)) == chosen


def test_a_choice_that_is_called_unsure_is_not_read_surely() -> None:
    reading = READER.read("D, not sure.", FUELS, LETTERS)
    assert reading.positions == (3,)
    assert reading.confidence < 0.9


def test_a_reading_that_is_unclear_shows_what_it_was_weighed_by() -> None:
    reply = "B is not the answer. D is not right."
    for unclear in (reply, "I don't think it's B. It's D."):
        reading = READER.read(unclear, FUELS, LETTERS)
        assert reading.status == "unclear"
        assert reading.span is not None


@pytest.mark.parametrize(
    "form", ["{0}, not {1}", "It is {0}, not {1}.", "The answer is {0}, not {1}."]
)
def test_one_text_is_chosen_and_another_is_not(form: str) -> None:
    assert read(form.format("ethanol", "coal")) == "D"


@each("word", ["উত্তর", "उत्तर", "정답은", "คำตอบ", "பதில்", "答案是"])
def test_a_label_behind_an_answer_word_of_any_script(word: str) -> None:
    assert read(f"{word} C") == "C"


def test_what_explains_an_answer_given_in_full_takes_nothing_away() -> None:
    why = " ".join(["It burns cleaner than the others, and so its price is higher."] * 8)
    assert read(f"The correct answer is:\n\nC. natural gas\n\nExplanation:\n\n{why}") == "C"
    assert (
        read(f"C. natural gas\n\nExplanation: {why}\n\nA. coal is dirty.\nB. hydrogen leaks.")
        == "C"
    )


@each(
    "reply",
    ["B-cells", "Hepatitis B", "It is hepatitis B.", "I'd say coal, though natural gas too.",
     "It's not B.", "It is not D, B", "Not D, not B.", "Either B or C.",
     "B for a bird or C for a pet", "The answer is (B)(C).", "Some would say the answer is (D).",
     "B. Overview\nFuels burn.\nThey are old.", "B or C, depending on the case.",
     "The answer is (A), and the answer is (C).", "Correct: A. Also correct: C.",
     "First choice: A\nFirst choice: C"],
)  # fmt: skip
def test_a_name_a_denial_what_is_open_or_said_by_others_is_no_choice(reply: str) -> None:
    assert read(reply) == ""


def test_an_option_that_begins_with_wrong_is_not_denied_by_its_own_text() -> None:
    options = ("Right, wrong", "Wrong, right", "Wrong, wrong", "Right, right")
    found = READER.read("The answer is C. Wrong, wrong. However, it depends.", options, LETTERS)
    assert found.positions == (2,)


def test_a_box_that_is_ticked_is_the_choice() -> None:
    assert read("[ ] A. coal\n[x] B. hydrogen\n[ ] C. natural gas\n[ ] D. ethanol") == "B"
    several = "[x] A. coal\n[x] B. hydrogen\n[ ] C. natural gas\n[ ] D. ethanol"
    assert READER.read(several, FUELS, LETTERS).status == "ambiguous"


def test_a_shorter_option_that_begins_the_chosen_one_is_no_other() -> None:
    found = READER.read("B. coal and gas (both are fossil).", ("coal", "coal and gas"), ("A", "B"))
    assert (found.positions, found.rule) == ((1,), "headed")


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("It burns well. The answer is (B).", "B"),
        ("Some say so. The answer is (B).\nThe answer is (C).", ""),
        ("It is not A. The answer is (E).", ""),
    ],
)
def test_a_plain_ending_is_the_answer_where_nothing_else_is_stated(reply: str, chosen: str) -> None:
    assert read(reply) == chosen


def test_one_option_alone_is_read() -> None:
    assert READER.read("Coal burns, so coal it is.", ("coal",), ("A",)).status != "ambiguous"

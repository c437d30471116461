"""Answers that are plainly stated and are none of the options."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

READER = TextReader()
CITIES = ("Paris", "London", "Rome", "Madrid")
NUMBERS = ("3", "42", "8", "16")


def status(reply: str, options: tuple[str, ...] = CITIES, **more: str) -> str:
    return READER.read(reply, options, tuple("ABCD")[: len(options)], **more).status


@pytest.mark.parametrize(
    "reply",
    [
        "Berlin",
        "**Berlin**",
        "The answer is Berlin.",
        "Berlin is the answer.",
        "So the correct answer is Berlin.",
        "Answer: Berlin",
        "I would say Berlin.",
        "\\boxed{Berlin}",
        "The answer is: Vienna, because it lies on the Danube.",
        "The sixth option.",
        "The correct answer is (F).",
    ],
)
def test_a_name_that_is_no_options_is_illegal(reply: str) -> None:
    assert status(reply) == "illegal"


@pytest.mark.parametrize(
    "reply",
    ["7", "The answer is 7.", "= 7", "x = 7", "3 + 4 = 7", "So we get 7.", "The sum is $7$."],
)
def test_a_number_that_is_no_options_is_illegal(reply: str) -> None:
    assert status(reply, NUMBERS) == "illegal"


@pytest.mark.parametrize(
    ("reply", "options"),
    [
        ("The answer is Londres.", CITIES),
        ("The answer is not known.", CITIES),
        ("The answer is obvious.", CITIES),
        ("The Eternal City", CITIES),
        ("Lutetia or Berlin", CITIES),
        ("I think the answer is Berlin, but I am not sure.", CITIES),
        ("The answer is Berlin.", ("Paris", "London", "None of the above")),
        ("The answer is EpiPen.", ("adrenaline", "insulin")),
        ("480 minutes", ("6 h", "8 h")),
        ("0.5", ("50%", "60%")),
        ("The answer is 0.42.", NUMBERS),
        ("about 41.9", NUMBERS),
    ],
)
def test_what_may_mean_an_option_is_not(reply: str, options: tuple[str, ...]) -> None:
    found = READER.read(reply, options, tuple("ABCD")[: len(options)])
    assert found.status != "illegal" or found.confidence < 0.5


def test_a_reply_that_was_cut_off_may_go_on() -> None:
    assert status("The answer is Berlin", finish_reason="length") != "illegal"


def test_a_numeral_beyond_the_last_is_illegal() -> None:
    labels = ("i", "ii", "iii")
    assert READER.read("Answer: ix", CITIES[:3], labels).status == "illegal"
    assert READER.read("Answer: iii", CITIES[:3], labels).positions == (2,)


def test_letters_with_stops_between_them_are_no_label() -> None:
    found = READER.read("The correct answer is Washington, D.C.", CITIES, tuple("ABCD"))
    assert found.positions != (3,)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("How much is 3 plus 4?", "We add them.\nFirst 3, then 4, and nothing is carried.\n#### 7"),
        ("How many pips are in the melon?", "So the number of pips in the melon is 7."),
        ("How much is 3 plus 4?", "Add the 4 to the 3: 3 + 4 = 7.\n\n**Answer: 7**"),
    ],
)
def test_the_last_words_of_a_longer_reply_state_another_value(question: str, reply: str) -> None:
    assert status(reply, NUMBERS, question=question) == "illegal"


def test_a_last_sentence_about_something_else_states_nothing() -> None:
    reply = "It is twice twenty-one. The number of seeds in a grape is 7."
    assert status(reply, NUMBERS, question="How many pips are in the melon?") != "illegal"


def test_a_value_with_the_unit_of_all_options() -> None:
    lengths = ("3 m", "42 m", "8 m", "16 m")
    asked = "How long is the rope?"
    assert status("The rope is long. The rope is 7 m.", lengths, question=asked) == "unclear"
    assert status("So the length of the rope is 7 m long.", lengths, question=asked) == "unclear"
    assert status("The answer is 7 m.", lengths, question=asked) == "illegal"
    assert status("The answer is 7 ft.", lengths, question=asked) != "illegal"

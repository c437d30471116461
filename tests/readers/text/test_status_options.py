"""Options that say that no choice is made, in the words of questionnaires."""

from __future__ import annotations

import pytest
from horsesense.readers.text.names.special import meanings_of

from horsesense.readers.text import TextReader

READER = TextReader()
RATINGS = ("Good", "Fair", "Poor")


@pytest.mark.parametrize(
    "option",
    [
        "Don't know/Refused",
        "Don't know / Refused",
        "Refused/Don't know",
        "Don't know or refused",
        "DK/REF",
        "(VOL.) Don't know/Refused",
        "Can't choose",
        "No opinion",
        "No answer",
    ],
)
@pytest.mark.parametrize("reply", ["I don't know.", "I refuse to answer.", "Refused", "Don't know"])
def test_an_option_of_several_statuses_is_each_of_them(option: str, reply: str) -> None:
    found = READER.read(reply, (*RATINGS, option), tuple("ABCD"))
    assert found.positions == (3,)
    assert found.confidence > 0.9


def test_a_note_to_the_interviewer_is_no_part_of_an_option() -> None:
    options = (*RATINGS, "Don't know (vol.)", "Refused (vol.)")
    assert READER.read("Don't know", options, tuple("ABCDE")).positions == (3,)
    assert READER.read("I refuse to answer.", options, tuple("ABCDE")).positions == (4,)


def test_the_option_that_says_it_above_all_comes_first() -> None:
    options = (*RATINGS, "No answer", "Don't know")
    assert READER.read("I don't know.", options, tuple("ABCDE")).positions == (4,)
    assert READER.read("Refused", options, tuple("ABCDE")).positions == (3,)


def test_a_longer_reply_is_the_option_that_says_it_too() -> None:
    options = (*RATINGS, "Refused/Don't know")
    assert READER.read("Sorry, I don't know that.", options, tuple("ABCD")).positions == (3,)


@pytest.mark.parametrize("option", ["Refused or paid", "Good / Don't know", "NA", "Ref"])
def test_a_part_that_is_an_answer_makes_it_one(option: str) -> None:
    assert meanings_of(option) == ()


@pytest.mark.parametrize("reply", ["None", "A", "I don't know", "It is 5."])
def test_a_reading_without_options_chooses_none(reply: str) -> None:
    found = READER.read(reply, [], [])
    assert found.status != "answer"
    assert found.rule != "all_rejected"

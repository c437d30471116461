"""Replies that declare that they make no choice."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
LIDS = ("the red lid", "the blue lid", "the green lid")


def read(reply: str, options: tuple[str, ...] = LIDS, question: str | None = None) -> Reading:
    return READER.read(reply, options, tuple("ABCDE")[: len(options)], question=question)


@pytest.mark.parametrize(
    "reply",
    [
        "I'd prefer not to rate people's voices. I can describe the recording if that is useful.",
        "I won't pick a winner here. If you like, I can set out what each lid is made of.",
        "I don't take sides in quarrels between neighbours, so I won't pick one.",
        "I'm an AI and I don't have personal opinions about lids.",
        "I have no kitchen, so I'll have to decline to score this one.",
        "Sorry, but I can't assist with that. It is a crime, and somebody may come to harm.",
        "That's not something I'm going to rank.",
        "Lo siento, pero no puedo opinar sobre tapas.",
    ],
)
def test_a_refusal_of_the_whole_question_is_read_at_once(reply: str) -> None:
    found = read(reply)
    assert (found.status, found.confidence > 0.9) == ("refusal", True)


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know which lid fits.",
        "I have no information about this pot, so I don't know.",
        "I'm not familiar with that brand. I have no memory of its lids.",
    ],
)
def test_ignorance_is_read_at_once(reply: str) -> None:
    found = read(reply)
    assert (found.status, found.confidence > 0.9) == ("unknown", True)


@pytest.mark.parametrize(
    "reply",
    [
        "None of these. A glass lid came with the pot.",
        "The lid is made of glass. That isn't among the options, so none of them is right.",
        "I don't see a photo in your message. Could you upload the picture?",
        "The drawing you mention wasn't included, and there is no table attached, so I can't tell.",
        "The text says nothing of lids, so it cannot be answered from what is given.",
    ],
)
def test_none_or_a_missing_source_is_read_at_once(reply: str) -> None:
    found = read(reply)
    assert (found.status, found.confidence > 0.9) == ("none", True)


@pytest.mark.parametrize(
    "reply",
    [
        "I won't take sides in their quarrel. However, the one like the sky closes best.",
        "I can't help with the hob, but the lid you want is sky-coloured.",
        "I can't help it: the sky-coloured one is lovely.",
        "I won't answer the phone while I cook. The sky-coloured one is on the pot.",
        "I'd rather not take the heavy one. The sky-coloured one is light.",
        "I can't rate it highly enough, the sky-coloured one.",
        "I don't know what else to say: the sky-coloured one, of course.",
        "I have no way of knowing how others cook; mine has the colour of the sky.",
        'My aunt said: "I can\'t answer that." The sky-coloured one it is.',
        "Some say that none of these is right. The sky-coloured one fits.",
        "None of these closes tighter than the sky-coloured one.",
        "None of the lids is perfect. Take the sky-coloured one.",
        "Could you share the picture? No need, it is the sky-coloured one.",
        "A glass lid isn't on the list. Of the three, the sky-coloured one comes closest.",
    ],
)
def test_what_goes_on_to_a_choice_declares_nothing(reply: str) -> None:
    found = read(reply)
    assert found.rule != "declared"
    assert found.status in ("answer", "unclear") or found.confidence < 0.9


@pytest.mark.parametrize(
    ("reply", "options", "position"),
    [
        ("I'd rather not answer that question.", ("often", "seldom", "Refused"), 2),
        ("I have no idea who that was.", ("Ida", "Tom", "Don't know"), 2),
        ("It isn't stated who lifted it.", ("Ida", "Tom", "Cannot be determined"), 2),
        (
            "Lids, pans and jugs are tools. None of these is a fruit.",
            ("a lid", "a pan", "None of these"),
            2,
        ),
    ],
)
def test_an_option_that_says_the_same_is_chosen(
    reply: str, options: tuple[str, ...], position: int
) -> None:
    found = read(reply, options)
    assert (found.positions, found.confidence > 0.9) == ((position,), True)


def test_the_words_of_the_question_are_an_answer_to_it() -> None:
    asked = "Would you assist a thief?"
    assert read("I won't assist.", ("Yes", "No"), asked).rule != "declared"


def test_neither_of_two_rejects_both_and_of_three_only_some() -> None:
    assert read("Neither of these is right.", ("an oak", "an elm")).status == "none"
    assert read("Neither of these is right.").rule != "declared"


def test_a_point_of_a_scale_is_one_label() -> None:
    scale = tuple("12345")
    assert READER.read("4/5", scale, scale).positions == (3,)


def test_answers_to_the_parts_of_a_question_are_no_list_of_choices() -> None:
    asked = "(i) Which lid is hot? (ii) Which is cold?"
    reply = "(i) the red lid\n(ii) the blue lid"
    assert read(reply, question=asked).status != "ambiguous"
    assert read("the red lid\nthe blue lid").status == "ambiguous"


def test_a_thing_that_something_lacks_is_no_missing_source() -> None:
    said = read("The code is missing a colon after the def line.", ("SyntaxError", "NameError"))
    assert said.confidence < 0.9 or said.status == "answer"


def test_what_a_passage_does_not_mention_may_be_why_another_is_right() -> None:
    options = ("Uncle", "Father", "Not enough information")
    said = read("The passage doesn't mention the father, only the uncle as the giver.", options)
    assert said.status == "unclear" or said.positions == (0,)

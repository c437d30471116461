"""Sentences of their own that say plainly which option it is, and sentences that only look so."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
METALS = ("Iron", "Mercury", "Copper", "Tin")
LIQUID = "Which metal is liquid at room temperature?"
VIEWS = ("Agree", "Disagree", "Undecided")
CLASSES = ("praise", "complaint", "question")
EGGS = ("6", "9", "12", "15")
BOXES = "How many eggs are in 3 boxes of 4?"


def read(
    reply: str,
    options: tuple[str, ...] = METALS,
    question: str = LIQUID,
    *,
    labels: str = "ABCD",
    finish_reason: str = "stop",
) -> Reading:
    names = tuple(labels)[: len(options)]
    return READER.read(reply, options, names, question=question, finish_reason=finish_reason)


@pytest.mark.parametrize(
    "reply",
    [
        "The metal that is liquid at room temperature is mercury. All others are solid.",
        "Sure! The liquid metal at room temperature is mercury (also known as quicksilver). "
        "The next one melts at 232 °C, and the others far above.",
        "Iron, tin and copper melt in a furnace. So, after all of this, we want mercury.",
        "Iron and copper are solid, and tin too. That leaves mercury, which was once used in "
        "thermometers.",
        "Tin, iron and copper have high melting points. As we can see, mercury is the only one "
        "which flows in a cold room.",
    ],
)
def test_a_sentence_that_settles_on_one_option_is_read_at_once(reply: str) -> None:
    found = read(reply)
    assert found.positions == (1,)
    assert found.confidence >= 0.9


@pytest.mark.parametrize(
    "reply",
    [
        "My friend says the metal that is liquid at room temperature is tin. Copper and iron melt.",
        "Some hold that the metal that is liquid at room temperature is tin, or copper.",
        "Iron melts late. That leaves tin as a wrong one too, and copper.",
        "Iron and copper are out. Is the metal that is liquid at room temperature tin?",
        "Iron is hard. The metal that is liquid at room temperature is tin. That is a myth.",
        "Common mistake: tin\nCopper and iron are solid.",
    ],
)
def test_what_is_doubted_reported_or_turned_down_is_not(reply: str) -> None:
    found = read(reply)
    assert found.status != "answer" or found.confidence < 0.9


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ("Having thought about what depends on it, I'd have to say I disagree with this.", 1),
        ("There are many sides to it. If you want a word from me, I agree with the motion.", 0),
    ],
)
def test_what_the_writer_holds(reply: str, position: int) -> None:
    found = read(reply, VIEWS, "Cities should ban cars.")
    assert (found.positions, found.rule) == ((position,), "plain")


def test_a_line_headed_with_what_is_asked() -> None:
    reply = "Type: complaint\n\nReason: The writer likes the food, but not what it cost."
    assert read(reply, CLASSES, "What type of message is it?").positions == (1,)
    reply = "Wrong type: complaint\n\nReason: There is praise for the food."
    assert read(reply, CLASSES, "What type of message is it?").positions != (1,)


@pytest.mark.parametrize(
    "reply",
    [
        "Two boxes hold 6 + 0 = 6, and there is one more\neggs = 3 x 4 = **12 eggs** 🙂",
    ],
)
def test_a_result_beside_its_steps(reply: str) -> None:
    found = read(reply, EGGS, BOXES)
    assert found.positions == (2,)
    assert found.confidence >= 0.9


def test_a_step_that_is_gone_on_from_is_no_result() -> None:
    found = read("First 4 + 2 = 6. Half of this, and 3 times 1, make more.", EGGS, BOXES)
    assert found.status != "answer" or found.confidence < 0.9


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("complaint\n\nMessage: Where is my parcel?\nType: question", "Message: Bad!\nType:"),
        ("complaint\nItem 8. praise\nItem 9. question", "Item 7. Is 'Bad!' praise?\n"),
    ],
)
def test_a_line_headed_as_the_questions_is_begins_another(reply: str, question: str) -> None:
    found = read(reply, CLASSES, question, labels="", finish_reason="length")
    assert found.positions == (1,)
    assert found.confidence >= 0.9


def test_what_is_left_of_a_reply_that_ran_on_is_read_with_its_capitals() -> None:
    reply = "FALSE\n\nWord: no\nType: false"
    found = read(reply, ("false", "FALSE"), "Word: NO\nType:", labels="")
    assert found.positions == (1,)


def test_of_two_columns_of_verdicts_none_is_known_to_be_the_one() -> None:
    table = (
        "| Metal | Shiny | Liquid |\n|---|---|---|\n| Iron | yes | no |\n| Mercury | yes | yes |"
        "\n| Copper | yes | no |\n| Tin | no | no |"
    )
    found = read(table)
    assert found.status != "answer" or found.confidence < 0.9


def test_a_place_in_front_of_what_is_said_of_it_is_no_choice() -> None:
    reply = (
        "The first one costs more and is far. The second is near. I would take the second offer."
    )
    assert read(
        reply, ("Offer 1", "Offer 2"), "Two job offers. Which would you take?", labels="12"
    ).positions != (0,)

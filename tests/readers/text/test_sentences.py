"""A reply split once: its sentences, what they name, and what speaks against an option there."""

from __future__ import annotations

import pytest
from horsesense.readers.text.claims.sentences import said_of, speaks_against, told
from horsesense.readers.text.names.labels import label_set
from horsesense.readers.text.names.options import Options
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.normalise import Folded

from horsesense.readers.text import TextReader

CITIES = ("Sydney", "Canberra", "Perth")
CAPITAL = "Which city is the capital of Australia?"


def scene(reply: str, question: str = CAPITAL, options: tuple[str, ...] = CITIES) -> Scene:
    return Scene(Folded(reply), label_set(("A", "B", "C")), Options(options), question)


def test_each_sentence_has_the_names_in_it_alone() -> None:
    here = told(scene('Sydney is "large." (B) is the seat.\n---\nIt has 3.5 m people. Perth (C).'))
    assert [[name.position for name in one.names] for one in here.sentences] == [
        *([0], [1], [], [2, 2])
    ]
    assert [[name.by_label for name in one.names] for one in here.sentences][3] == [False, True]


def test_an_article_is_no_name_and_a_lone_capital_is_not_firm() -> None:
    names = told(scene("A city, a capital, B or (C)")).names
    assert [(name.position, name.firm) for name in names] == [(0, False), (1, False), (2, True)]


def test_names_are_looked_for_again_where_the_reply_changed() -> None:
    here = scene("Sydney. Perth.")
    first = told(here)
    assert told(here) is first
    here.response.blank(0, 7)
    assert [name.position for name in told(here).names] == [2]


def test_what_an_aside_names_is_not_said_of_it() -> None:
    (one,) = told(scene("It is Canberra, not Sydney.")).sentences
    said = said_of(scene("It is Canberra, not Sydney."), one)
    assert said is not None
    assert said.hit.position == 1
    (both,) = told(scene("It is Canberra and not Sydney.")).sentences
    assert said_of(scene("It is Canberra and not Sydney."), both) is None


@pytest.mark.parametrize(
    ("words", "against"),
    [
        ("the capital is", False),
        ("some call it", True),
        ("my brother says it is", True),
        ("it might be", True),
        ("the trap is", True),
        ("it isn't", True),
    ],
)
def test_every_sense_speaks_against(words: str, against: bool) -> None:
    assert speaks_against(scene(words), 0, len(words)) is against


def test_words_of_the_question_are_taken_up_unless_they_deny() -> None:
    words = "the first aid is often given by some"
    assert speaks_against(scene(words), 0, len(words))
    assert not speaks_against(scene(words, "What do some often give first?"), 0, len(words))
    assert speaks_against(scene("it is not", "What is not so?"), 0, 9)


@pytest.mark.parametrize(
    ("reply", "question", "options", "chosen"),
    [
        (
            "When owls are ill they often sleep under a beam. So I told the keeper.",
            "What do owls often do when they are ill?",
            ("sing", "sleep", "dig"),
            1,
        ),
        (
            'Note that I am a program. Therefore the sentence "I often hum" is very wide of me.',
            '"I often hum."',
            ("very wide", "rather near", "very near"),
            0,
        ),
    ],
)
def test_what_no_single_list_of_words_read(
    reply: str, question: str, options: tuple[str, ...], chosen: int
) -> None:
    found = TextReader().read(reply, options, ("A", "B", "C"), question=question)
    assert found.positions == (chosen,)
    assert found.confidence >= 0.9


@pytest.mark.parametrize(
    "reply",
    [
        "I would pick Sydney last.",
        "I'd take Sydney off the table.",
        "I pick Sydney apart first.",
        "I would recommend Sydney to nobody.",
        "I take Sydney to be the trap.",
        "I say Sydney has little to do with it.",
        "Its seat is in the hills. The biggest harbour is Sydney.",
        "What quiz players blurt out is Sydney.",
    ],
)
def test_what_is_set_aside_or_said_of_another_thing_is_not_read_at_once(reply: str) -> None:
    found = TextReader().read(reply, CITIES, ("A", "B", "C"), question=CAPITAL)
    assert found.positions != (0,) or found.confidence < 0.9


@pytest.mark.parametrize(
    "reply",
    [
        "I would pick Canberra.",
        "It is Canberra.",
        "The capital is Canberra.",
        "The seat of government, and so the capital city, is Canberra.",
    ],
)
def test_what_is_said_of_what_was_asked_is_read_at_once(reply: str) -> None:
    found = TextReader().read(reply, CITIES, ("A", "B", "C"), question=CAPITAL)
    assert found.positions == (1,)
    assert found.confidence >= 0.9

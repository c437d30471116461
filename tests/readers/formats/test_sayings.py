"""Whose yes or no it is: what a reply says itself, what others say, and what it denies."""

from __future__ import annotations

import time

from each import each
from horsesense.models.messages import Response
from horsesense.readers.formats.letters import read_several
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Proposed
from horsesense.trials.trial import NO, YES, Trial, Variant

JUDGED = Variant("q", "Who painted Guernica?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)
FRUIT = ("apple", "pear", "plum", "fig")


def read(reply: str, finish: str = "stop") -> Reading:
    extras = Proposed("Picasso", "correct")
    trial = Trial("p", PLAIN, 0, (JUDGED,), "yes_no", "none", extras=extras)
    [found] = TextAnswers().read(trial, Response(reply, finish))
    return found


@each(
    ("reply", "expected"),
    [
        ("I'd say no, though some would say yes.", (1,)),
        ("I'd answer no. A tourist would say yes.", (1,)),
        ("My teacher said no, I say yes", (0,)),
        ("I'd like to say yes, but no.", (1,)),
        ("Can't say no to that: it's right.", (0,)),
        ("I am inclined to say no.", (1,)),
        ("I think it's safe to say yes.", (0,)),
        ("If asked, I would have to say no.", (1,)),
        ("Gotta say no.", (1,)),
        ("I wouldn't say yes.", ()),
        ("I can't say yes to that.", ()),
        ("It'd be wrong to say yes.", ()),
        ("One would say no.", ()),
        ("Should I say yes?", ()),
        ("I'd say yes and no.", ()),
    ],
)
def test_only_its_own_word_states(reply: str, expected: tuple[int, ...]) -> None:
    assert read(reply).positions == expected


@each(
    "reply",
    [
        "Yes, if you mean the largest city; no otherwise.",
        "Yes, unless you mean the state; then no.",
        "No if it is the first one, yes otherwise.",
        "I'd say yes if it is signed, otherwise no.",
    ],
)
def test_an_answer_by_case_is_none(reply: str) -> None:
    assert read(reply).status == "ambiguous"


def test_a_reply_that_is_cut_off_as_it_goes_back_has_not_answered() -> None:
    assert read("No, wait", "length").status == "truncated"
    assert read("No, it is not. The painter", "length").positions == (1,)


@each(
    "reply",
    [
        "A, C (not B or D)",
        "A and C, not B or D",
        "A, C (neither B nor D)",
        "A, C (B or D are wrong)",
    ],
)
def test_options_that_are_turned_down_together_leave_nothing_open(reply: str) -> None:
    found = read_several(TextReader(), Response(reply, "stop"), FRUIT, tuple("ABCD"))
    assert found.positions == (0, 2)


def test_an_or_between_options_that_stand_leaves_it_open() -> None:
    found = read_several(TextReader(), Response("A or B (not C)"), FRUIT, tuple("ABCD"))
    assert found.status == "ambiguous"


def test_sayings_without_end_take_time_in_proportion() -> None:
    """What was quadratic once: this would take minutes."""
    assert read("say yes " * 8_000).positions == (0,)
    assert read("they say yes. " * 5_000).status == "unclear"


@each(
    ("begin", "line"),
    [
        (begin, line)
        for begin in ("Well", "the correct answer is", '{"answer": "')
        for line in ("\n", " \n", "- \n", "✅", "<think>\n")
    ],
)
def test_lines_without_a_word_are_tried_once(begin: str, line: str) -> None:
    """A row of them took time with its square: a minute and more for some of these."""
    start = time.process_time()
    read(begin + line * (60_000 // len(line)) + 'a"}')
    assert time.process_time() - start < 3

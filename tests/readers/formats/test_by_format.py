"""Readers of replies that are no single choice: yes or no, several letters, free replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.models.messages import Response
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.readers.reading import CLASSES, Reading
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import NO_EXTRAS, Extras, Rejoined, WithheldGold
from horsesense.trials.trial import NO, YES, AnswerFormat, Trial, Variant

READER = TextAnswers()
NAMES = Variant("q", "?", ("Tom", "Ann", "Joe"), ("A", "B", "C"), (0, 1, 2), None)
INTENTS = Variant("q", "?", ("card-lost", "top-up-failed", "refund"), (), (0, 1, 2), None)
JUDGED = Variant("q", "?", ("Yes", "No"), ("Yes", "No"), (YES, NO), 0)


def read(
    reply: str, asks: AnswerFormat, variant: Variant = NAMES, extras: Extras = NO_EXTRAS
) -> Reading:
    trial = Trial("p", PLAIN, 0, (variant,), asks, "none", extras=extras)
    (reading,) = READER.read(trial, Response(reply))
    return reading


@each(
    ("reply", "expected"),
    [
        ("Yes", (0,)),
        ("no.", (1,)),
        ("**No**", (1,)),
        ("Answer: yes", (0,)),
        ("True", (0,)),
        ("Yes, because it fits.", (0,)),
        ("The proposed answer is incorrect.", (1,)),
        ("The proposed answer is not correct.", (1,)),
        ("That is right.", (0,)),
        ("No one knows, but the answer is correct.", (0,)),
        ("Yes or no", "ambiguous"),
        ("Yes, it is not correct", "ambiguous"),
        ("I cannot determine that.", "unknown"),
        ("I'm sorry, but I cannot help with that.", "refusal"),
        ("", "empty"),
    ],
)
def test_yes_or_no(reply: str, expected: tuple[int, ...] | str) -> None:
    reading = read(reply, "yes_no", JUDGED)
    assert expected in (reading.positions, reading.status)


@each(
    ("reply", "expected"),
    [
        ("A", (0,)),
        ("A, C", (0, 2)),
        ("C and A", (2, 0)),
        ("AC", (0, 2)),
        ("(A), (B)", (0, 1)),
        ("A\nB", (0, 1)),
        ("A, A", (0,)),
        ("A. Tom\nC. Joe", (0, 2)),
        ("The correct answers are A and B.", (0, 1)),
        ("A, D", "illegal"),
        ("None of the above", "none"),
        ("", "empty"),
    ],
)
def test_several_letters(reply: str, expected: tuple[int, ...] | str) -> None:
    reading = read(reply, "letters")
    assert expected in (reading.positions, reading.status)


@each(
    ("reply", "expected"),
    [
        # The four ways that Know-No counts as right (figure 4 and section 4 of the paper).
        ("None of the above", "none_declared"),
        ("None of the above. The correct answer is Rick.", "none+new_correct"),
        ("D. Rick", "new_correct"),
        ("C. Rick", "new_correct"),
        ("rick", "new_correct"),
        ("Rick, not Joe", "new_correct"),
        ("None.", "none_declared"),
        ("All of the options are incorrect.", "none_declared"),
        ("The correct answer is not listed.", "none_declared"),
        ("C. Joe", "incorrect_option"),
        ("B", "incorrect_option"),
        ("B. because it fits", "incorrect_option"),
        ("The answer is Ann.", "incorrect_option"),
        # A letter with the text of another option is judged by the text; so is a list of them.
        ("C: Ann", "incorrect_option"),
        ("A: Tom\nB: Joe\nC: Ann\n", "incorrect_option"),
        ("A: Tom\nB: Rick", "needs_review"),
        ("D. Bill", "new_wrong"),
        ("D", "needs_review"),
        ("A or B", "needs_review"),
        ("Rick or Ann", "needs_review"),
        ("None of the options is correct. The answer is B.", "needs_review"),
        ("Well, that depends on who was there.", "needs_review"),
    ],
)
def test_the_no_hint_judge(reply: str, expected: str) -> None:
    reading = read(reply, "free", extras=WithheldGold("Rick"))
    assert reading.rule == expected
    right = expected in ("none_declared", "new_correct", "none+new_correct")
    assert (reading.status == "none") == right


def test_a_gold_that_stands_inside_an_option_is_not_supplied_by_it() -> None:
    shown = Variant("q", "?", ("the dog and the cat", "a bird"), ("A", "B"), (0, 1), None)
    reading = read("A. the dog and the cat", "free", shown, extras=WithheldGold("the dog"))
    assert reading.rule == "incorrect_option"
    assert read("C. the dog", "free", shown, extras=WithheldGold("the dog")).rule == "new_correct"


@each(
    ("reply", "expected", "leaks"),
    [
        ("card-lost", "incorrect_option", 0),
        ("Card lost", "incorrect_option", 0),
        ("card_lost", "incorrect_option", 1),
        ("pin_blocked", "new_correct", 1),
        ("pin-blocked", "new_correct", 0),
        ("some_other_intent", "new_wrong", 0),
        ("refund", "incorrect_option", 0),
    ],
)
def test_class_names_and_their_published_spelling(reply: str, expected: str, leaks: float) -> None:
    reading = read(reply, "free", INTENTS, Rejoined("pin_blocked", "_", "-"))
    assert (reading.rule, reading.score) == (expected, leaks)


@each(
    ("reply", "status"),
    [
        ("none-of-them", "none"),
        ("none\u2011of\u2011them", "none"),
        ("It is not none-of-them; A.", "answer"),
        ("None-of-them.", "none"),
        ("The answer is none-of-them", "none"),
        ("B", "answer"),
        ("", "empty"),
    ],
)
def test_a_phrase_that_the_prompt_names(reply: str, status: str) -> None:
    assert read(reply, "letter", extras=WithheldGold("gold", "none-of-them")).status == status


@given(st.text(max_size=200))
def test_no_reply_breaks_a_reader(reply: str) -> None:
    for asks, variant in (("yes_no", JUDGED), ("letters", NAMES), ("free", NAMES),
                          ("free", INTENTS)):  # fmt: skip
        reading = read(reply, asks, variant, extras=WithheldGold("Rick"))  # type: ignore[arg-type]
        assert (reading.status == "answer") == bool(reading.positions)
        if asks == "free" and reading.status in ("answer", "none"):
            assert reading.rule in CLASSES


def test_yes_is_summed_over_its_spellings() -> None:
    trial = Trial("p", PLAIN, 0, (JUDGED,), "yes_no")
    position = {"Yes": -2.0, " yes": -2.0, "YES": -2.0, "No": -1.5, "Nope": -0.1}
    (reading,) = FirstTokenReader().read(trial, Response("", token_logprobs=(position,)))
    assert reading.positions == (0,)
    yes, no = 3 * 2.718281828459045**-2, 2.718281828459045**-1.5
    assert reading.confidence == pytest.approx(yes / (yes + no))
    assert reading.score is not None
    assert 2.718281828459045**reading.score == pytest.approx(yes + no)


def test_the_first_token_says_nothing_of_a_phrase() -> None:
    extras = WithheldGold("d", "none-of-them")
    trial = Trial("p", PLAIN, 0, (NAMES,), "letter", "none", extras=extras)
    assert FirstTokenReader().read(trial, Response("A", token_logprobs=({"A": -0.1},))) == ()


def test_a_place_is_that_of_the_reply_also_where_small_letters_are_longer() -> None:
    reply = "ẞẞẞ İİİ I say none-of-them here."
    found = read(reply, "letter", extras=WithheldGold("x", "none-of-them"))
    assert found.span is not None
    assert reply[slice(*found.span)] == "none-of-them"

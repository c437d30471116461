"""Lists in which the options are rated, boxes at the end, and replies that only repeat."""

import pytest

from horsesense.readers.text import TextReader

OPTIONS = ("gout", "mumps", "scurvy")


def read(response, question="", finish_reason="stop", options=OPTIONS):
    return TextReader().read(
        response,
        options,
        tuple("ABCD"[: len(options)]),
        question=question,
        finish_reason=finish_reason,
    )


@pytest.mark.parametrize(
    ("response", "question"),
    [
        ("Gout: 1/10, no joint\nMumps: 2/10\nScurvy: 9/10, the gums", "Score each diagnosis."),
        ("Gout | low\nMumps | low\nScurvy | very high", "Give the likelihood of each."),
        ("Gout - 2%\nMumps - 3%\nScurvy - 95%", "State a probability for each: bleeding gums"),
    ],
)
def test_the_option_that_is_rated_highest_where_ratings_are_asked_for(response, question):
    reading = read(response, question)
    assert (reading.positions, reading.rule) == ((2,), "listed")


@pytest.mark.parametrize(
    ("response", "question"),
    [
        ("Gout: 1/10\nMumps: 2/10\nScurvy: 9/10", "Score how unlikely each diagnosis is."),
        ("Gout: low\nMumps: low\nScurvy: high", "Which disease comes with little pain?"),
        ("Gout: low fever\nMumps: high fever\nScurvy: low fever", "Likelihood of each?"),
    ],
)
def test_other_ratings_choose_nothing(response, question):
    assert read(response, question).rule != "listed"


def test_a_list_of_verdicts_behind_which_an_option_is_praised():
    reading = read(
        "- A) Gout: incorrect, no joints.\n- B) Mumps: incorrect.\n- C) Scurvy: correct. The gums"
        " bleed.\n\nPlease see a doctor, as this isn't advice.",
    )
    assert reading.positions == (2,)


def test_a_box_that_ends_the_reply_holds_the_answer_whatever_was_named_before():
    reading = read(
        "Taking the sine gives A; the value in A has no use, and C has no obvious origin.\n\n"
        "The final answer is $\\boxed{\\text{B}}$.",
    )
    assert (reading.positions, reading.rule) == ((1,), "boxed")


def test_a_reply_that_only_repeats_the_question_was_cut_off():
    question = "Which of these makes the gums bleed?"
    shown = f"{question}\nA. gout\nB. mumps\nC. scurvy\n\n"
    assert read(shown * 3 + question[:14], question, "length").rule == "repeats"
    assert read(shown * 3 + question[:14], question).rule != "repeats"
    assert read(shown + "Answer: C", question, "length").positions == (2,)

"""Replies that are read by how they close, by their place, their value, or a ranking."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
METALS = ("iron", "copper", "silver", "zinc")
RIVERS = ("Danube", "Rhine", "Elbe", "Oder")
SPEEDS = ("5 m/s", "10 m/s", "20 m/s", "36 m/s")


def read(
    reply: str, options: tuple[str, ...] = METALS, labels: str = "ABCD", question: str = ""
) -> Reading:
    return READER.read(reply, options, tuple(labels)[: len(options)], question=question)


@pytest.mark.parametrize(
    "reply",
    [
        "Iron rusts, and zinc and copper conduct worse. So the best conductor is silver.",
        "Iron and zinc are out of the question, copper comes close. Therefore **C**.",
        "A and B can't be meant here.\nOverall verdict: C",
        "Vote 1: B\nVote 2: C\nVote 3: C\nMajority: C (2/3)",
        "Copper is cheaper and iron is stronger. In short: silver.",
        "Of copper, iron and zinc none is white, so it's silver.",
        "**Agreed:** silver\n\nSome remarks: copper is used in wires since it costs less.",
    ],
)
def test_a_close_that_names_one_option_alone_is_read_at_once(reply: str) -> None:
    reading = read(reply)
    assert (reading.positions, reading.confidence) == ((2,), pytest.approx(0.91))


@pytest.mark.parametrize(
    "reply",
    [
        "Copper or iron would do. So the answer is either copper or silver.",
        "Zinc is cheap. So it is not silver.",
        "If price did not matter, then so: silver.",
        "So it can be iron, zinc or silver.",
        "Silver is the answer? So is it silver?",
    ],
)
def test_a_close_that_leaves_it_open_is_none(reply: str) -> None:
    assert read(reply).rule != "closing"


def test_a_summing_line_whose_answer_the_remarks_contest_is_no_close() -> None:
    reply = "Final answer: 2\n\nScurvy comes from a lack of vitamin C (option 3)."
    assert read(reply, ("A", "B12", "C", "D"), "1234").rule != "closing"


@pytest.mark.parametrize(
    "reply",
    ["72 km in one hour is 72/3.6.\n\nSo it moves at 20 metres per second.", "72 / 3.6 = 20"],
)
def test_the_value_that_a_last_sentence_comes_to_is_read(reply: str) -> None:
    assert read(reply, SPEEDS).positions == (2,)


def test_a_value_with_a_sign_in_words_is_not_worked_out() -> None:
    assert read("That is a rating of minus one.", ("-1", "1"), "12").rule != "value"


def test_an_item_that_heads_its_line_is_no_choice_by_place() -> None:
    reply = "Item 1: 30\nItem 2: 11\nItem 3: 1"
    assert read(reply, ("1", "11", "30", "61")).rule != "lead_text"


def test_a_formula_in_a_box_is_read_as_a_whole() -> None:
    reply = r"Hence $\boxed{3\sqrt{5}}$"
    assert read(reply, ("3", "√5", "3√5", "5√3")).positions == (2,)
    assert read(r"$\boxed{3\sqrt{7}}$", ("3", "√5", "3√5", "5√3")).rule != "boxed"


def test_a_table_is_read_by_the_cells_that_are_verdicts_alone() -> None:
    rows = ["| | Metal | Since | White? |", "|---|---|---|---|"]
    rows += ["| A | `iron` | antiquity | No |", "| B | `copper` | antiquity | No |"]
    rows += ["| C | `silver` | antiquity | **Yes** |", "| D | `zinc` | 1746 | No |"]
    assert read("\n".join(rows)).positions == (2,)


def test_a_stated_text_with_its_label_in_brackets_stands() -> None:
    reply = "The answer is silver (option C). Copper and zinc are weaker, iron still more so."
    reading = read(reply)
    assert reading.positions == (2,)
    assert reading.confidence >= 0.9


def test_a_stated_text_at_the_end_stands_beside_others() -> None:
    reading = read("Copper, iron and zinc oxidise quickly. The best choice is silver.")
    assert reading.positions == (2,)
    assert reading.confidence >= 0.9


def test_a_stated_name_that_is_no_option_is_none_of_them() -> None:
    reply = "The correct answer is Volga, which is longer than the Danube by a third."
    assert read(reply, RIVERS).status == "illegal"


@pytest.mark.parametrize(
    "reply",
    [
        "It's silver. The metal that pennies are plated with is copper.",
        "Silver, because of its electrons.\n\nThe cheapest metal is iron.",
        "Silver. The first metal that rusts is iron. I hope that helps!",
        "Ranking: A > B > D > C",
        "Bottom line: C",
        "I doubt that it is A.",
        "It is unlikely to be iron.",
        "Iron: 78%\nCopper: 21%\nSilver: 1%\nZinc: 0%",
    ],
)
def test_what_is_said_of_other_options_is_no_sure_choice_of_them(reply: str) -> None:
    reading = read(reply, question="Which conducts best?")
    assert reading.positions in ((), (2,)) or reading.confidence < 0.9

"""Sentences about an answer that are no answer, and answers that something contests."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
RIVERS = ("Danube", "Volga", "Rhine", "Loire")
SURE = 0.9


def read(
    reply: str, options: tuple[str, ...] = RIVERS, labels: str = "ABCD", question: str = ""
) -> Reading:
    return READER.read(reply, options, tuple(labels)[: len(options)], question=question)


def is_sure(reading: Reading) -> bool:
    return reading.status == "answer" and reading.confidence >= SURE


@pytest.mark.parametrize(
    "reply",
    [
        "I don't think the answer is B.",
        "It is often claimed that the answer is B.",
        "I used to think the answer is B.",
        "I disagree that the answer is B.",
        "GPT-3 said the answer is B.",
        "Rejected answer: B",
        "I doubt that the correct answer is B.",
        "Nobody would say that the answer is B.",
        "It's unlikely that the answer is B.",
        "Someone claims the answer is B.",
        "My friend says the answer is B. I disagree.",
        "I was told that the answer is B.",
        "One could argue that the best answer is B.",
        "The answer is B? No way.",
        "Answer: B is wrong",
        "The answer to the previous question was B.",
        "The second-best answer is B.",
    ],
)
def test_what_is_said_about_an_answer_is_no_choice(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "I think the answer is B.",
        "I don't know much about it, but I think the answer is B.",
        "The passage says the answer is B.",
        "It is not A, so the answer is B.",
        "What is the answer? The answer is B.",
    ],
)
def test_what_the_reply_says_itself_is_its_choice(reply: str) -> None:
    assert read(reply).positions == (1,)
    assert is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "Option A is the popular choice.",
        "A is a tempting answer.",
        "A is the trap answer.",
        "A is the most common answer.",
        "A is the right answer to another question.",
        "A is half right.",
        "A is a good answer, but it is not the best.",
    ],
)
def test_not_every_adjective_is_praise(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize("word", ["good", "plausible", "safe"])
def test_praise_of_an_answer_is(word: str) -> None:
    assert read(f"Option A is a {word} answer.").positions == (0,)


@pytest.mark.parametrize(
    "reply",
    [
        "The worst answer is C.",
        "Ruled out:\nD",
        "I would never pick\nD",
        "The distractor is\n\nB",
        "Least likely:\nD",
        "Wrong answer: B",
        "Incorrect options:\nB\nC",
        "Ruled out:\n  - B\n  - C\n  - D",
        "B is wrong and so is C.",
        "B is wrong. So is C.",
        "Most people answer B",
    ],
)
def test_what_is_turned_down_is_no_choice_by_a_weaker_rule(reply: str) -> None:
    found = read(reply)
    assert found.confidence < 0.8 or found.status != "answer" or found.positions == (0,)


def test_a_heading_that_repeats_what_is_asked_turns_nothing_down() -> None:
    assert read("The river that does not flow north is:\nB. Volga").positions == (1,)
    asked = "Which river does not flow north?"
    assert read("Least likely:\n\nB. Volga", question=asked).positions == (1,)


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: B C",
        "Answer: B|C",
        "Answer: B plus C",
        "Answer: B, possibly C",
        "Antwoord: B of C",
        "答案是B或者C",
        "选A还是选B",
        "The answer is B in one view and C in another.",
        "I think A. Answer: A & B",
    ],
)
def test_a_second_label_beside_the_stated_one_is_seen(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: B, not C",
        "The answer is B because C is too short.",
        "The answer is B rather than C",
    ],
)
def test_a_label_that_is_turned_down_contests_nothing(reply: str) -> None:
    assert read(reply).positions == (1,)
    assert is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: C\n\nIt is the Danube that flows through Vienna.",
        "It's the Danube. The answer is C.",
        "C\n\nThe Danube flows through Vienna.",
        "It is the Danube. \\boxed{C}",
        "It's the Danube, option C.",
    ],
)
def test_a_label_with_another_option_given_in_words_is_not_read_at_once(reply: str) -> None:
    found = read(reply)
    assert not (found.positions == (2,) and found.confidence >= 0.8)


def test_options_that_are_gone_through_contest_nothing() -> None:
    reply = "The Danube is in Austria and the Volga in Russia. The answer is C."
    assert read(reply).positions == (2,)
    assert is_sure(read(reply))
    sums = ("4", "8", "12", "16")
    assert is_sure(read("4 + 9 - 1: the answer is C.", sums))
    assert not is_sure(read("4 + 4 = 8, so the answer is C.", sums))


@pytest.mark.parametrize(
    "behind",
    [
        "\n\nSorry, I misread the question. It should be Volga.",
        "\n\nOn reflection it must be Volga.",
        "\n\nHang on. Volga then.",
        "\n\nI take this back. Volga.",
        "\n\nLet me reconsider. Volga is longer by far.",
        "? No. Volga.",
        "\n\nThat's wrong, I meant Volga.",
        " was my first thought. Volga is right.",
    ],
)
def test_what_is_taken_back_behind_a_lead_is_no_choice(behind: str) -> None:
    found = read(f"A. Danube{behind}")
    assert not (found.positions == (0,) and found.confidence >= SURE)


@pytest.mark.parametrize(
    "behind",
    [
        "\n\nThis should read C.",
        ". I withdraw that.",
        "\n\nNever mind, I don't know.",
        ". Change that to A.",
        "\n\nDisregard the above.",
    ],
)
def test_what_is_taken_back_behind_a_statement_is_no_choice(behind: str) -> None:
    found = read(f"Answer: B{behind}")
    assert not (found.positions == (1,) and found.confidence >= SURE)


@pytest.mark.parametrize(
    "behind",
    [
        " Final: C",
        "\n\nDouble-checked; it's C. Rhine",
        "\n\nShould have been C.",
        "\n\nI now choose C.",
        " Apologies, C.",
    ],
)
@pytest.mark.parametrize("begin", ["B. Volga.", "Answer: B.", "The answer is B. Volga."])
def test_a_last_clause_that_comes_to_another_label_takes_the_choice_back(
    begin: str, behind: str
) -> None:
    found = read(begin + behind)
    assert not (found.status == "answer" and found.positions == (1,))


@pytest.mark.parametrize("behind", [" Not C.", " The others, such as C, are shorter.", " B or C?"])
def test_an_aside_about_another_label_takes_nothing_back(behind: str) -> None:
    assert read("B. Volga." + behind).positions != (2,)
    assert is_sure(read("B. Volga. Not C."))


@pytest.mark.parametrize(
    "reply",
    [
        "My teacher's answer is B. Volga. It's mistaken.",
        "The key's answer is B, which I think is wrong.",
        "The textbook's answer is the Volga. I don't agree.",
    ],
)
def test_anothers_answer_is_no_choice(reply: str) -> None:
    assert not is_sure(read(reply))


@pytest.mark.parametrize(
    "reply",
    ["Yes, penguins are birds, and no, they cannot fly.", "Yes, it is true that they cannot fly."],
)
def test_a_yes_whose_sentence_says_no_is_no_choice(reply: str) -> None:
    found = read(reply, ("Yes", "No"), question="Can penguins fly?")
    assert not (found.status == "answer" and found.positions == (0,))


def test_an_option_that_begins_with_no_takes_nothing_back() -> None:
    options = ("Yes, always", "No, because it is shallow", "Only in spring")
    assert is_sure(read("B. No, because it is shallow and slow.", options))


def test_the_option_that_says_both_is_what_both_labels_mean() -> None:
    options = ("Apple", "Pear", "Both A and B", "Neither")
    assert read("A and B", options).positions == (2,)
    assert read("A or B", options).status == "ambiguous"
    assert read("B and D", options).status == "ambiguous"


def test_marks_are_taken_off_before_a_reply_is_compared_with_options() -> None:
    digits = ("3", "8", "10", "13")
    assert read("**3**", digits, "1234").rule == read("3", digits, "1234").rule == "label_or_text"
    assert read("**1.**", ("1.", "1", "x"), "ABC").positions == (0,)
    letters = ("B", "A", "C")
    assert read("**B**", letters).confidence == read("B", letters).confidence


def cut_off(reply: str) -> Reading:
    return READER.read(reply, RIVERS, tuple("ABCD"), finish_reason="length")


@pytest.mark.parametrize(
    "reply",
    [
        "Let me go through the options:\n\nA. Danube: it flows east, into",
        "Going through them.\n\nA.",
        "A. Danube flows into the Black Sea, which",
        "Options:\nA",
        "First consider option A",
        "Therefore, the correct a",
        "B. Volga: the longest one.\nC. Rhine: too short.\nD.",
        "From its length it follows that the answer must be R",
    ],
)
def test_where_a_reply_was_cut_off_is_no_choice(reply: str) -> None:
    """Of 312 replies that go through the options, cut off anywhere, 75 were sure of a wrong one."""
    assert not is_sure(cut_off(reply))


@pytest.mark.parametrize(
    "reply", ["B", "The answer is B", "B. Volga\n\nExplanation: it is", "Answer: B. Volga, since"]
)
def test_what_was_stated_before_a_reply_was_cut_off_is_a_choice(reply: str) -> None:
    assert cut_off(reply).positions == (1,)
    assert is_sure(cut_off(reply))


@pytest.mark.parametrize(
    "behind",
    [
        " isn't the longest.",
        " cannot be right, as it is shorter.",
        ": incorrect",
        ": This is wrong.",
        " -> no",
        " is **not** it",
        " is the shorter one, whereas B. Volga is the longest.",
        " looks right at first. However, Volga is the longest.",
    ],
)
def test_a_label_and_its_text_that_are_denied_behind_are_no_choice(behind: str) -> None:
    assert not is_sure(read(f"A. Danube{behind}"))


@pytest.mark.parametrize(
    "behind", ["", " is the longest of them.", ". The Loire is not, but close."]
)
def test_a_label_and_its_text_are_a_choice(behind: str) -> None:
    assert is_sure(read(f"B. Volga{behind}"))

"""Replies that say outright what they choose, and replies that only seem to."""

from __future__ import annotations

import pytest

from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader

READER = TextReader()
ABCD = ("A", "B", "C", "D")
WATERS = ("river", "lake", "sea", "pond")
PLANETS = ("Mercury", "Venus", "Earth", "Mars")
DIGITS = ("3", "8", "10", "13")
OPINIONS = (
    *("Strongly support", "Somewhat support", "Somewhat oppose", "Strongly oppose"),
    "Refused",
)


def read(
    reply: str, options: tuple[str, ...], labels: str = "ABCDE", question: str = ""
) -> Reading:
    return READER.read(reply, options, tuple(labels)[: len(options)], question=question)


@pytest.mark.parametrize(
    "reply", ["Answer: 3. 10", "3. 10\n\nBecause 7 + 3 = 10.", "I choose 3. 10."]
)
def test_a_label_with_its_own_text_comes_before_the_text_of_another(reply: str) -> None:
    assert read(reply, DIGITS, "1234").positions == (2,)


def test_a_number_in_front_of_another_sentence_is_no_label() -> None:
    assert read("The answer is 3. 13 is too large.", DIGITS, "1234").status != "answer"


THOUGHTS = {
    "stem": "<thought_process>The answer is A.</thought_process>\nD",
    "edge in front": "<start_working_out>The answer is A.<end_working_out>\nD",
    "edge behind": "<|thinking_start|>The answer is A.<|thinking_end|>D",
    "glued": "<antThinking>The answer is A.</antThinking>D",
    "numbered": "<unused94>thought\nThe answer is A.<unused95>D",
    "control": "<ctrl94>thought\nThe answer is A.<ctrl95>D",
    "folded": "<details><summary>Thinking</summary>The answer is A.</details>D",
    "escaped": "&lt;think&gt;The answer is A.&lt;/think&gt;D",
    "lines": "Thinking...\nThe answer is A.\n...done thinking.\n\nD",
    "headings": "### Thinking\nThe answer is A.\n### Answer\nD",
    "turns": "<|im_start|>think\nThe answer is A.\n<|im_start|>answer\nD",
}


@pytest.mark.parametrize("mark", THOUGHTS)
def test_what_is_thought_is_no_answer(mark: str) -> None:
    assert read(THOUGHTS[mark], PLANETS).positions == (3,)


@pytest.mark.parametrize(
    "reply",
    ["<unused94>thought\nThe answer is A.", "<antThinking>The answer is A.", "&lt;think&gt;It",
     "Thinking...\nThe answer is A.", "<details><summary>Thinking</summary>The answer is A."],
)  # fmt: skip
def test_a_thought_that_is_never_closed_is_cut_off(reply: str) -> None:
    assert read(reply, PLANETS).status == "truncated"


def test_a_mark_that_is_an_option_or_quoted_begins_no_thought() -> None:
    tags = ("<think>", "<answer>", "<b>", "<i>")
    assert read("The tag is <think>", tags).positions == (0,)
    assert read("After `<think>` comes a thought. The answer is B.", PLANETS).positions == (1,)
    assert read("<details><summary>Answer</summary>B. Venus</details>", PLANETS).positions == (1,)


def test_what_a_list_in_a_thought_marks_does_not_stand_out() -> None:
    listed = "A: yes\nB: no\nC: no\nD: no"
    assert read(f"<thought_process>{listed}</thought_process>\nD", PLANETS).positions == (3,)


@pytest.mark.parametrize(
    "choice",
    ["However, D. Strongly oppose", "D. Strongly oppose", "If pressed, D. Strongly oppose."],
)
@pytest.mark.parametrize(
    "refusal",
    [
        "I don't have personal opinions.",
        "As an AI, I cannot form opinions on policy.",
        "I'm sorry, but I can't take sides.",
    ],
)
def test_a_choice_after_a_refusal_is_the_choice(refusal: str, choice: str) -> None:
    assert read(f"{refusal} {choice}", OPINIONS).positions == (3,)


@pytest.mark.parametrize(
    "rest",
    [
        "They range from A. Strongly support to D. Strongly oppose.",
        "Some would say D. Strongly oppose.",
        "You might pick D. Strongly oppose.",
        "A. Strongly support, D. Strongly oppose.",
    ],
)
def test_an_option_that_others_have_or_one_of_several_is_no_choice(rest: str) -> None:
    found = read(f"I don't have personal opinions. {rest}", OPINIONS)
    assert found.positions in ((), (4,))


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("B would be right in winter. It's summer, so D.", 1),
        ("The answer is A is what most would say, though it's really C.", 0),
        ("Answer: B, said nobody ever. It's A.", 1),
        ("A < B < D < C", 0),
        ("A? B? C? None of those convinces me; D.", 0),
    ],
)
def test_a_reply_that_ends_elsewhere_is_not_read_by_its_beginning(reply: str, wrong: int) -> None:
    assert wrong not in read(reply, PLANETS).positions


def test_the_first_of_several_that_are_named_is_no_choice() -> None:
    reply, animals = (
        "A is a mammal, B is a mammal, D is a mammal.",
        ("whale", "bat", "shark", "dog"),
    )
    assert 0 not in read(reply, animals, question="Which is NOT a mammal?").positions
    assert read("C rather than D.", PLANETS).positions == (2,)


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        *((one, "ABCD") for one in ("\\boxed{E}", "E is correct.", "I choose G.", "E, because",
                                    "<answer>F</answer>", '{"answer": "E"}')),
        *((one, "1234") for one in ("Answer: 5", "The answer is 7.", "Option 8", "\\boxed{6}")),
        ("ε", "αβγδ"),
        ("A", "αβγδ"), ("B", "1234"), ("The answer is B.", "1234"), ("B", "†‡§¶"), ("3", "ABCD"),
    ],
)  # fmt: skip
def test_a_label_that_was_not_offered_is_illegal(reply: str, labels: str) -> None:
    assert read(reply, WATERS, labels).status == "illegal"


def test_a_letter_or_number_that_an_option_holds_may_be_that_option() -> None:
    assert read("The answer is K.", ("vitamin K", "vitamin E", "iron"), "ABC").status != "illegal"
    assert read("The answer is 7.", ("seven", "eight", "nine"), "123").status != "illegal"


def test_a_heading_may_hold_the_label() -> None:
    assert read("###### D ######", PLANETS).positions == (3,)


@pytest.mark.parametrize("tag", ["<b>", "<i>", "<a>", "<s>"])
@pytest.mark.parametrize("form", ["Answer: {}", "The answer is `{}`", "The tag is {}"])
def test_an_element_that_is_an_option_is_not_the_label_in_it(form: str, tag: str) -> None:
    tags = ("<b>", "<i>", "<a>", "<s>")
    assert read(form.format(tag), tags).positions == (tags.index(tag),)

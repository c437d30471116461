"""Two answers of which neither is taken back are no choice; a later one that takes the first
one's place is."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

BONES = ["106", "206", "306", "406"]
GASES = ["oxygen", "methane", "carbon dioxide", "argon"]
LETTERS = list("ABCD")


@pytest.mark.parametrize(
    "response",
    [
        "Answer: B\n\nAnswer: C",
        "The answer is B. The answer is C.",
        "<answer>B</answer>\n<answer>C</answer>",
        "\\boxed{B} \\boxed{C}",
        "B\n\nThe correct answer is C.",
        "A. oxygen ❌\nB. methane ✅\nC. carbon dioxide ✅\nD. argon ❌",
        "- [ ] A\n- [x] B\n- [x] C\n- [ ] D",
    ],
)
def test_two_answers_that_stand_are_ambiguous(response: str) -> None:
    found = TextReader().read(response, GASES, LETTERS)
    assert found.status == "ambiguous"
    assert (found.confidence or 0) >= 0.9


@pytest.mark.parametrize(
    "response",
    [
        "\\boxed{B}\n\nIt traps heat. So the answer is C.",
        "The answer is B. C is another correct answer.",
        "I would choose B, though C fits just as well.",
        "Answer: B. methane\n\nC. carbon dioxide is correct.",
        "I would choose B. methane. Both B and C are right.",
        "**B. methane**\n\nEither this or C.",
        "<answer>B</answer> I would also accept C.",
        "\\boxed{B} We get C. carbon dioxide.",
        "B. methane. Or rather C.",
        "Answer: B. Note: key says C, and I agree.",
    ],
)
def test_another_answer_beside_a_first_one_is_no_sure_choice(response: str) -> None:
    assert TextReader().read(response, GASES, LETTERS).status in ("ambiguous", "unclear")


@pytest.mark.parametrize(
    "response",
    [
        "B. 206. Final: C",
        "The correct answer is **B. 206**. Revised answer: C",
        "Answer: B\n\nWait, that leaves out the skull.\n\nAnswer: C",
        "B or C? C.",
    ],
)
def test_a_later_answer_in_place_of_the_first_is_read(response: str) -> None:
    assert TextReader().read(response, BONES, LETTERS).positions == (2,)


def test_a_further_item_with_its_answer_is_left_out() -> None:
    response = "B\n\nThe number of teeth is\nA. 12\nB. 22\nC. 32\nD. 42\nAnswer: C"
    assert TextReader().read(response, BONES, LETTERS).positions == (1,)


@pytest.mark.parametrize(
    "response",
    [
        "The correct answer is (B) 206. Option (C) is also incorrect.",
        "Answer: B\n\nA leaves out the hands; C counts them twice.\n\nAnswer: B",
        "### A\nToo few\n### B\nFits\n### C\nToo many.\n### D\nFar too many\n\n**Choice: B**",
    ],
)
def test_one_answer_among_others_that_are_named_is_read(response: str) -> None:
    assert TextReader().read(response, BONES, LETTERS).positions == (1,)

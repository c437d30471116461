"""What a reply says, by law: statements, corrections, what follows an answer, breaks, recaps."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

READER = TextReader()
LETTERS = tuple("ABCDEFGHIJ")
OPTIONS = ("12 m/s", "15 m/s", "18 m/s", "20 m/s", "24 m/s", "30 m/s", "36 m/s", "40 m/s")
WORK = "The speed is the way over the time, so v = 90 / 5 = 18 m/s. "
LONG = "The train covers the first part of its way at constant speed, and then it slows down. " * 3
LOOP = "We know that x = y. " * 60


def read(reply: str, finish_reason: str | None = None) -> str:
    """The letter that is read, or the status."""
    found = READER.read(reply, OPTIONS, LETTERS[:8], finish_reason=finish_reason)
    return "".join(LETTERS[position] for position in found.positions) or found.status


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        # A letter that is stated is the answer, whatever the reasoning before it fits.
        (f"{WORK}The answer is (E).", "E"),
        (f"{WORK}So the correct answer is **F**.", "F"),
        (f"{WORK}\\boxed{{\\text{{(D)}}}}", "D"),
        # Words of correction move it; the final one counts.
        ("The answer is (A). Wait, the time was 5 s, not 6 s. So the answer is (C).", "C"),
        (f"The answer is (A).\n\n{LONG}However, that is wrong.\nFinal Answer: (C)", "C"),
        ("The closest answer is (B).", "B"),
        ("None of the options is exactly 17 m/s, but the closest answer is (B).", "none"),
        # Two without such words are several.
        ("The answer is (A). The answer is (C).", "ambiguous"),
        (f"{LONG}Therefore, the correct answer is (D) and (H).", "ambiguous"),
        # What follows is ignored.
        (f"{WORK}The answer is (C).\n\nQuestion: What is mass?\nAnswer: The answer is (A).", "C"),
        (f"The answer is (C). {LOOP}", "C"),
        ("Answer: C\n\nWhat is the unit of work?\nA. watt\nB. joule\n\nAnswer: B", "C"),
        ('{"answer": "C"}\n{"answer": "A"}', "C"),
        # A letter that is not offered.
        (f"{WORK}\nFinal Answer:\nThe answer is (J).", "illegal"),
    ],
)
def test_what_is_stated_is_read(reply: str, expected: str) -> None:
    assert read(reply) == expected


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (f"{LONG} Let us look at the options. (A) means that", "length"),
        (f"{LONG}{LOOP}", None),
        ("<think>First, 90 / 5 is 18, so it may be C, but", "length"),
        ("<think>First, 90 / 5 is 18, so it may be C, but", None),
    ],
)
def test_what_breaks_off_before_an_answer_has_none(reply: str, reason: str | None) -> None:
    found = READER.read(reply, OPTIONS, LETTERS[:8], finish_reason=reason)
    assert found.status in ("truncated", "unclear")


def test_finish_reason_does_not_take_a_stated_answer() -> None:
    assert read(f"{WORK}The answer is (C). The unit is", "length") == "C"

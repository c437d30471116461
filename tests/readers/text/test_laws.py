"""What a reply says, by law: statements, corrections, what follows an answer, breaks, recaps."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from each import each
from horsesense.readers.text import TextReader
from horsesense.readers.text.page import page_of, plain, prepare

READER = TextReader()
LETTERS = tuple("ABCDEFGHIJ")
OPTIONS = ("12 m/s", "15 m/s", "18 m/s", "20 m/s", "24 m/s", "30 m/s", "36 m/s", "40 m/s")
WORK = "The speed is the way over the time, so v = 90 / 5 = 18 m/s. "
LONG = "The train covers the first part of its way at constant speed, and then it slows down. " * 3
THROUGH = (
    f"{LONG}\n\nNow the options:\n\nA. 12 m/s is too slow.\nB. 15 m/s as well.\nC. 18 m/s fits."
)
LOOP = "We know that x = y. " * 60


def read(reply: str, finish_reason: str | None = None) -> str:
    """The letter that is read, or the status."""
    found = READER.read(reply, OPTIONS, LETTERS[:8], finish_reason=finish_reason)
    return "".join(LETTERS[position] for position in found.positions) or found.status


@each(
    ("reply", "expected"),
    [
        # A letter that is stated is the answer, whatever the reasoning before it fits.
        (f"{WORK}The answer is (E).", "E"),
        (f"{WORK}So the correct answer is **F**.", "F"),
        (f"{WORK}\\boxed{{\\text{{(D)}}}}", "D"),
        (f"{WORK}The expression that fits best is (E).\n\n", "E"),
        (f"{WORK}The result is not in the options, but the closest one is (E).", "none"),
        (f"{WORK}Some think that it is (E).", "unclear"),
        # Words of correction move it; the final one counts.
        ("The offer lapsed, making option C the best argument.", "C"),
        ("The most likely time would be C. The car is slow.", "C"),
        ("The answer is (C). Therefore the car is slow. However, it is safe.", "C"),
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
        (f"{LONG}**Answer: A and C are both correct.**", "ambiguous"),
        (f"{LONG}{LONG}It is 90 km over 5 ks, thus v = 90 / 5 = 18 m/s", "C"),
        # What goes through the options in words of its own is no next question.
        (f"{THROUGH}\n\nThe answer is (C).", "C"),
        (f"{THROUGH}\n\nThat leaves one.\n\n{LONG}\n\nThe answer is (C).", "C"),
        ("The answer is (C).\n\nThe others:\n\nA. 12 m/s is too slow.\nB. 15 m/s is too", "C"),
        # The last sentence says that it declines, or that no option is right.
        ("The text lacks the mass of the train. Therefore, I cannot provide an answer.", "refusal"),
        ("We cannot determine which option is correct. More data is needed.", "refusal"),
        ('I cannot answer in the format "The answer is (X)". More data is needed.', "refusal"),
        ("I cannot answer without the mass. Still, the answer is (C).", "C"),
        ("None of the options is 17 m/s. Thus I cannot give the right answer.", "none"),
        ("We cannot determine v. There is no correct answer among the options.", "none"),
        # A letter that is not offered.
        (f"{WORK}\nFinal Answer:\nThe answer is (J).", "illegal"),
    ],
)
def test_what_is_stated_is_read(reply: str, expected: str) -> None:
    assert read(reply) == expected


@each(
    ("reply", "reason"),
    [
        (f"{LONG} Let us look at the options. (A) means that", "length"),
        (f"{LONG}{LOOP}", None),
        (f"{LONG}It takes v = 90 / 5 = 18 m/s, and the way is v * t = 18 * 3600 = 64", None),
        ("<think>First, 90 / 5 is 18, so it may be C, but", "length"),
        ("<think>First, 90 / 5 is 18, so it may be C, but", None),
    ],
)
def test_what_breaks_off_before_an_answer_has_none(reply: str, reason: str | None) -> None:
    found = READER.read(reply, OPTIONS, LETTERS[:8], finish_reason=reason)
    assert found.status in ("truncated", "unclear")


def test_what_ends_a_further_question_is_not_the_answer() -> None:
    assert read("C. 18 m/s<|im_end|>\n<|im_start|>assistant\nA. 12 m/s<|im_end|>") != "A"


def test_a_word_of_one_sentence_and_a_letter_of_the_next_state_nothing() -> None:
    reply = f"{WORK}Respond with a letter only. Options: A 12 m/s, B 15 m/s. The format says"
    assert read(reply, "length") != "A"


def test_an_option_that_only_begins_with_none_is_not_read_from_a_denial() -> None:
    options = ("none, as he knew of nothing", "negligence only", "battery by intent")
    reply = "None of the others is liable. It depends on what intent the law requires here."
    assert READER.read(reply, options, LETTERS[:3]).positions != (0,)


def test_finish_reason_does_not_take_a_stated_answer() -> None:
    assert read(f"{WORK}The answer is (C). The unit is", "length") == "C"


PIECES = st.sampled_from(
    [
        *(
            "$$$",
            "\\frac{1}{2}",
            "\\frac{",
            "\\boxed{\\text{(",
            ")}}",
            "\\left(",
            "$C\nQuestion:",
            "\n\n",
        ),
        *(
            "The answer is (",
            "C).",
            "½",
            "ﬁ",
            "İ",
            "①",
            "🅱️",
            "१",
            "\u200b",
            "<think>",
            "</think>",
            "{",
        ),
        *(
            '{"answer": "B"},',
            "x = y. " * 70,
            "\nA. 1\nB. 2\n",
            "<|im_end|>",
            "~~B~~",
            "41/8 days",
            "...",
        ),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_a_place_in_the_page_is_the_place_in_the_reply(reply: str) -> None:
    """What is cut, blanked or made plain moves nothing, so that no reading can point elsewhere."""
    assert len(plain(reply)) == len(reply)
    page = page_of(prepare(reply).text)
    for at, token in zip(page.at, page.raw, strict=True):
        assert plain(reply)[at] == token[0] or token[0] in "⟦/\n" or not token[0].isalnum()
    found = READER.read(reply, ("41/8 days", "13/2 days", "12/3 days"), ("A", "B", "C"))
    assert found.span is None or 0 <= found.span[0] < found.span[1] <= len(reply)

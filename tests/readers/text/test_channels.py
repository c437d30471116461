"""Marks around thoughts and answers, as reasoning models and their prompts write them."""

from __future__ import annotations

import pytest

from horsesense.readers.formats.bundled import without_thinking
from horsesense.readers.text import TextReader

WRITERS = ("Mary Shelley", "Percy Shelley", "Lord Byron", "John Polidori")


@pytest.mark.parametrize(
    "reply",
    [
        "<|start|>assistant<|channel|>analysis<|message|>A? C.<|end|><|start|>assistant"
        "<|channel|>final<|message|>B<|return|>",
        "<|start|>assistant<|channel|>final<|message|>B",
        "<reflection>Maybe C.</reflection><output>B</output>",
        "<reflection>Maybe C.<output>B</output>",
        "<analysis>C is tempting.\n<final>B</final>",
        "<work>C?</work>B",
        "<plan>Check C first.</plan>\n<result>B</result>",
        "<|message_thought|>C?<|message_answer|>B",
    ],
)
def test_what_the_marks_leave_is_read(reply: str) -> None:
    assert TextReader().read(reply, WRITERS, tuple("ABCD")).positions == (1,)


@pytest.mark.parametrize(
    "reply", ["<think>If I write <answer>C</answer>", "<work>C is right", "<analysis>C is"]
)
def test_an_open_thought_chooses_nothing(reply: str) -> None:
    assert TextReader().read(reply, WRITERS, tuple("ABCD")).status == "truncated"


def test_readers_of_other_forms_leave_the_same_marks_out() -> None:
    assert without_thinking("<plan>No?</plan><output>Yes</output>").strip() == "Yes"
    assert without_thinking("<|start|>assistant<|channel|>final<|message|>Yes").strip() == "Yes"
    assert without_thinking("<output>", ("<output>", "<b>")) == "<output>"

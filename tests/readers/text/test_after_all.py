"""Replies that decline and choose after all."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

OPTIONS = ["Support", "Object", "No view", "Refused"]
LABELS = ["A", "B", "C", "D"]
QUESTION = "Do you support or object to a fee on plastic bags?"


@pytest.mark.parametrize(
    "reply",
    [
        "As an AI, I don't have personal opinions, but I'd go with object.",
        "I can't take a side here. That said, B.",
        "I'd rather not answer this, but since you insist, put me down for object.",
        "I decline to give my opinion. Fine, option B fits best.",
        "I am not able to answer this. Okay then: object would be my pick.",
        "As a language model I cannot have beliefs. Still, object it is.",
    ],
)
def test_a_choice_behind_a_refusal_is_the_choice(reply: str) -> None:
    reading = TextReader().read(reply, OPTIONS, LABELS, question=QUESTION)
    assert (reading.status, reading.positions) == ("answer", (1,))


@pytest.mark.parametrize(
    "reply",
    [
        "As an AI, I don't have personal opinions, but critics of the fee object.",
        "I can't take a side here. That said, object is a strong word.",
        "I decline to give my opinion. Some people support it, others object.",
        "I'd rather not answer this; still, neither support nor object is my word.",
        "As an AI, I don't have personal opinions, but most voters would say support.",
        "I can't take a side. I'd say object, but I decline to answer.",
    ],
)
def test_what_others_choose_is_no_choice(reply: str) -> None:
    reading = TextReader().read(reply, OPTIONS, LABELS, question=QUESTION)
    assert reading.rule != "given"

"""Replies that are a sequence of verdicts and nothing else."""

from __future__ import annotations

import pytest

from horsesense.readers.text import TextReader

VERDICTS = ["True, True", "True, False", "False, True", "False, False"]
ABBREVIATED = ["T, T", "T, F", "F, T", "F, F"]
LABELS = ["A", "B", "C", "D"]


@pytest.mark.parametrize("options", [VERDICTS, ABBREVIATED])
@pytest.mark.parametrize(
    "reply",
    ["F, T", "F T", "FT", "(F, T)", "**F; T**", "1: F, 2: T", "False / True", "False. True.",
     "Statement 1: F\nStatement 2: True", "The answer is F, T."],
)  # fmt: skip
def test_verdicts_alone_are_the_option_with_them(options: list[str], reply: str) -> None:
    found = TextReader().read(reply, options, LABELS)
    assert (found.status, found.positions) == ("answer", (2,))


@pytest.mark.parametrize("reply", ["F", "F, T, F", "2: F, 1: T", "F, T?", "Not F, T", "F or T"])
def test_other_verdicts_are_not(reply: str) -> None:
    assert TextReader().read(reply, VERDICTS, LABELS).rule != "sequence"

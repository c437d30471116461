"""Replies whose misreading users reported to other programs (`benchmarks/extractors.py`)."""

from __future__ import annotations

from each import each
from extractors import CASES, LETTERS, Case
from horsesense.readers.text import TextReader

DOUBTED = ("frontier-evals#125", "evals#1767", "lm-evaluation-harness#3879")
"""Two answers, or all letters in one line: no choice is read, and no wrong one."""


@each("case", CASES)
def test_a_reported_reply_is_read_as_it_is_meant(case: Case) -> None:
    labels = LETTERS[: len(case.options)]
    found = TextReader().read(case.reply, case.options, labels)
    assert "".join(labels[place] for place in found.positions) in (
        (case.means, "") if case.thread in DOUBTED else (case.means,)
    )

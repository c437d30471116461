"""Responses per second of the built-in text reader on one core, beside a plain pattern.

    python benchmarks/reader_speed.py

The reference is one compiled search for "answer ... is X" or a leading letter, the least that any
reader does. Times are of the process's own CPU, so that other work on the machine counts less.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from annotated_answers import Answer, mmlu
from horsesense.readers.text import TextReader
from horsesense.readers.text.names.options import first_of, tokens_of

ROUNDS = 5
NAIVE = re.compile(r"answer[^.]{0,40}?\b(?:is|:)\s*\(?([A-G])\b|^\W*([A-G])\b", re.IGNORECASE)


def main() -> None:
    answers = list(mmlu())
    # The published mean length counts blanks at the ends too.
    mean = sum(len(answer.response) for answer in answers) / len(answers)
    reader = TextReader()
    full = seconds(lambda: read_afresh(reader, answers)) / len(answers)
    naive = seconds(lambda: [NAIVE.search(a.response) for a in answers]) / len(answers)
    options, letters = answers[0].options, answers[0].letters
    letter = seconds(lambda: [reader.read("B", options, letters) for _ in range(10_000)]) / 10_000
    megabyte = "So the option is not A, and not B. " * 30_000 + "The answer is C."
    large = seconds(lambda: [reader.read(megabyte, options, letters)], rounds=1)
    print(f"{len(answers)} responses, {mean:.0f} characters on average")
    print(f"responses per second and core: {1 / full:,.0f} (a plain pattern: {1 / naive:,.0f})")
    print(f"times the plain pattern: {full / naive:.1f}")
    print(f"a reply of one letter: {letter * 1e6:.1f} microseconds")
    print(f"a response of {len(megabyte) / 1e6:.1f} MB: {large:.2f} s")


def read_afresh(reader: TextReader, answers: list[Answer]) -> None:
    """Read all answers with nothing remembered of their options, as if each were new."""
    tokens_of.cache_clear()
    first_of.cache_clear()
    for answer in answers:
        reader.read(answer.response, answer.options, answer.letters)


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """CPU time of the quickest of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()

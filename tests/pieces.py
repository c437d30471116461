"""Replies put together from pieces of real ones: loops, next questions, LaTeX and markup cut off.

Pieces come from the packaged corpus and, where the shared data is there, from replies of twelve
models to MMLU-Pro.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import re
import sys
from functools import cache
from pathlib import Path

from horsesense.readers.corpus import SEEN, examples
from horsesense.readers.text import TextReader
from horsesense.readers.text.page import prepare

SHARED = Path(os.environ.get("HORSESENSE_SHARED", Path(__file__).parents[2] / "shared"))
EACH = 400
"""Replies of each model of MMLU-Pro that pieces are cut from."""
_APART = re.compile(r"(?<=[.!?:])\s|\n+")
CUT = (
    *("$$$$", "\\boxed{", "\\frac{1}{", "\\text{ (", "$\\frac{41}{8}$", "\\[", "\\begin{aligned}"),
    *("**", "~~B", "<think>", "</think>", "<b>A", "| A |", "```", "[ ] A", "[x] B", "◁", "⑴", "ﬃ"),
    *("\nQuestion:", "\n\nQuestion: Which?\nOptions:\nA. x\nB. y\nAnswer: Let's", "\n\nQ: ", "İ"),
    *("The answer is (", "the answer is", "(C", "Answer: B and", "So A or", "\u200b", "\r\n", "½"),
)


@cache
def pieces() -> tuple[str, ...]:
    """Sentences and lines of real replies, and marks that are cut in the middle."""
    replies = [e.response for part in SEEN for e in examples(part)]
    folder = SHARED / "responses" / "mmlu_pro"
    if not folder.is_dir():
        print(f"{folder} is not there: pieces of the packaged corpus alone.", file=sys.stderr)
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            rows = map(json.loads, itertools.islice(stream, EACH))
            replies += [row["response"] for row in rows if "response" in row]
    return tuple({piece: None for reply in replies for piece in _APART.split(reply) if piece})


@cache
def shown() -> tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...]:
    """Options, labels and questions of the corpus."""
    return tuple((e.options, e.labels, e.question) for part in SEEN for e in examples(part))


def assembled(dice: random.Random) -> bytes:
    """A row with a reply that no model gave, of pieces that models give."""
    options, labels, question = dice.choice(shown())
    names = [*options, *(f"{label}." for label in labels), *(f"({label})" for label in labels)]
    said = ""
    for _ in range(dice.choice((1, 2, 3, 5, 9))):
        piece = dice.choice((dice.choice(pieces()), dice.choice(CUT), dice.choice(names)))
        piece = piece[: dice.randint(0, len(piece))] if dice.random() < 0.3 else piece
        piece *= dice.choice((1, 1, 1, 1, 2, 3, 12, 200))
        said += dice.choice(("", " ", "\n", "\n\n")) + piece
    row = {"response": said[:12_000], "options": options, "labels": labels, "question": question}
    return json.dumps(row).encode()


def read_assembled(path: Path) -> None:
    """A reading stays inside the reply and the options; a place in the page is one in the reply."""
    row = json.loads(path.read_bytes())
    reply, labels = row["response"], row["labels"]
    for question, ended in ((None, None), (row["question"], "length")):
        found = TextReader().read(
            reply, row["options"], labels, question=question, finish_reason=ended
        )
        assert {*found.positions} <= {*range(len(row["options"]))}, found
        start, end = found.span or (0, 0)
        assert 0 <= start <= end <= len(reply), found
    text = prepare(reply).text
    assert len(text) <= len(reply)
    if "frac" in reply:  # whose parts are moved together
        return
    letters = (i for i, sign in enumerate(text) if sign.isascii() and sign.isalpha())
    assert all(reply[i] == text[i] for i in letters if reply[i].isascii())

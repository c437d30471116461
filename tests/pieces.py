"""Replies put together from pieces of real ones: loops, next questions, LaTeX and markup cut off.

Pieces come from the packaged corpus and, where the shared data is there, from replies of twelve
models to MMLU-Pro.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from functools import cache
from itertools import islice
from pathlib import Path

from horsesense.readers.corpus import SEEN, Example, examples
from horsesense.readers.text import TextReader
from horsesense.readers.text.page import prepare

SHARED = Path(os.environ.get("HORSESENSE_SHARED", Path(__file__).parents[2] / "shared"))
EACH = 400
"""Replies of each model of MMLU-Pro that pieces are cut from."""
_APART = re.compile(r"(?<=[.!?:])\s|\n+")
CUT = r"""$$$$ \boxed{ \frac{1}{ \text{ $\frac{41}{8}$ \[ \begin{aligned} ** ~~B <think> </think>
 <b>A
 |A| ``` [x]B ◁ ⑴ ﬃ İ ½ Q:A.x Answer: Answer:B/ So:A/ (C Question: Options:"""
MARKS = (
    *CUT.split(),
    "\n\nQuestion: Which?\nOptions:\nA. x\nB. y\nAnswer: Let's",
    "\u200b",
    "[ ] A",
)


@cache
def pieces() -> tuple[tuple[Example, ...], tuple[str, ...]]:
    """Items, and sentences and lines of real replies."""
    items = tuple(e for part in SEEN for e in examples(part))
    replies = [e.response for e in items]
    folder = SHARED / "responses" / "mmlu_pro"
    if not folder.is_dir():
        print(f"{folder} is not there: pieces of the packaged corpus alone.", file=sys.stderr)
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            replies += [json.loads(line).get("response", "") for line in islice(stream, EACH)]
    return items, tuple({piece: None for text in replies for piece in _APART.split(text)})


def assembled(dice: random.Random) -> bytes:
    """A row with a reply that no model gave, of pieces that models give."""
    items, sentences = pieces()
    item, said = dice.choice(items), ""
    names = [*item.options, *(f"({label}." for label in item.labels)]
    for _ in range(dice.choice((1, 2, 3, 5, 9))):
        piece = dice.choice([dice.choice(sentences), dice.choice(MARKS), dice.choice(names)])
        piece = piece[: dice.randint(0, len(piece))] if dice.random() < 0.3 else piece
        said += dice.choice(("", " ", "\n", "\n\n")) + piece * dice.choice((1, 1, 1, 2, 12, 200))
    return json.dumps({**item.asked(), "response": said[:12_000]}).encode()


def read_assembled(path: Path) -> None:
    """A reading stays inside the reply and the options; a place in the page is one in the reply."""
    row = json.loads(path.read_bytes())
    reply, options, labels = row["response"], row["options"], row["labels"]
    for question, ended in ((None, None), (row["question"], "length")):
        found = TextReader().read(reply, options, labels, question=question, finish_reason=ended)
        start, end = found.span or (0, 0)
        assert {*found.positions} <= {*range(len(options))}
        assert 0 <= start <= end <= len(reply), found
    text = prepare(reply).text
    assert len(text) <= len(reply)
    for new, old in zip(text, reply, strict=False):
        moved = "frac" in reply or not (new.isascii() and old.isascii() and new.isalpha())
        assert moved or new == old, text

"""How well and how fast the text reader reads, beside another tree of this project.

    python benchmarks/reader.py [--write] [--other PYTHON]

Reads the packaged corpus (all parts; only counts are printed of `unread`), annotated answers to
MMLU, the labelled replies to MMLU-Pro (the models learnt from, and those kept back) and, for speed,
replies of the twelve models. `--other` is the interpreter of another installation, which reads the
same in the same run. `--write` puts the table into docs/measured/reader.md and leaves the notes
below it. In brackets: 95 % of the bootstrap, within strata.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from recorded_truth import LETTERS, Truth, annotated, corpus, mmlu_pro, rows, shared

OUT = Path(__file__).parents[1] / "docs/measured/reader.md"
PARTS = ("everyday", "recent", "development", "further", "later", "unread")
END = "<!-- end of what the script wrote -->\n"
"""Notes stand below."""
EACH = 400
"""Replies of each model that are timed."""
SURE = 0.9
DRAWS = 1_000
_WORKER = """
import json, sys, time
from horsesense.readers.text import TextReader
reader = TextReader()
for first in ("The answer is (B) red, I think.", "Some like red, and some like blue."):
    reader.read(first, ("blue", "red"), ("A", "B"))  # what is loaded once
spent = 0.0
for line in sys.stdin:
    r = json.loads(line)
    start = time.process_time()
    found = reader.read(r["response"], r["options"], r["labels"], question=r["question"],
                        finish_reason=r["finish_reason"])
    spent += time.process_time() - start
    print(json.dumps([found.status, found.positions[:1], found.confidence]))
print(json.dumps(spent))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--other", help="interpreter of another installation")
    parser.add_argument("--write", action="store_true", help="write docs/measured/reader.md")
    asked = parser.parse_args()
    sets = {part: list(corpus(part)) for part in PARTS}
    sets["MMLU, people"] = [row for row in annotated() if not row.writer.startswith("opinions")]
    for name, kept in (("MMLU-Pro, learnt from", False), ("MMLU-Pro, kept back", True)):
        sets[name] = [row for row in mmlu_pro(kept=kept) if not row.part.endswith("plain")]
    timed = list(replies())
    lines = ["| replies | reader | n | right % | wrong choice % | sure % | of those right % |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    speeds = []
    for name, python in (("this tree", sys.executable), ("the other tree", asked.other)):
        if python:
            found, _ = read(python, list(itertools.chain(*sets.values())))
            at = iter(found)
            for part, truths in sets.items():
                lines.append(
                    f"| {part} | {name} | "
                    + row_of(truths, list(itertools.islice(at, len(truths))))
                )
            _, spent = read(python, timed)
            speeds.append(f"{name}: {len(timed) / spent:,.0f} replies a second of processor time")
    told = "\n".join(
        sorted(lines[2:], key=lambda line: list(sets).index(line.split("|")[1].strip()))
    )
    text = "\n".join(lines[:2]) + "\n" + told + "\n\n" + "; ".join(speeds) + "\n"
    print(text)
    if asked.write:
        notes = OUT.read_text(encoding="utf-8").partition(END)[2]
        head = f"# The text reader, measured\n\n{(__doc__ or '').strip()}\n\n"
        OUT.write_text(f"{head}{text}\n{END}{notes}", encoding="utf-8")


def read(python: str, truths: Sequence[Truth]) -> tuple[list[tuple[str, list[int], float]], float]:
    """(status, positions, confidence) of each reply, and the processor time of all."""
    lines = "\n".join(
        json.dumps({"response": t.response, "options": t.options, "labels": t.labels,
                    "question": t.question, "finish_reason": t.finish_reason})
        for t in truths
    )  # fmt: skip
    done = subprocess.run(
        [python, "-c", _WORKER], input=lines, capture_output=True, text=True, check=True
    )
    *found, spent = map(json.loads, done.stdout.splitlines())
    return found, spent


def row_of(truths: Sequence[Truth], found: Iterable[tuple[str, list[int], float]]) -> str:
    """Shares, by weight. Where MMLU-Pro has no choice, none is right (`spec/reading.md`)."""
    rows = []
    for truth, (status, positions, confidence) in zip(truths, found, strict=True):
        chosen = positions[0] if status == "answer" and positions else None
        same = chosen == truth.position
        if not truth.part.startswith("mmlu_pro"):
            same = same and status == truth.status
        sure = confidence >= SURE and status != "unclear"
        rows.append((same, chosen is not None and not same, sure, sure and same))
    counted = np.array(rows, dtype=float)
    weights = np.array([truth.weight for truth in truths])
    strata = [np.flatnonzero(weights == weight) for weight in np.unique(weights)]
    rng = np.random.default_rng(0)
    drawn = [
        shares_of(counted[at], weights[at])
        for at in (np.concatenate([rng.choice(s, len(s)) for s in strata]) for _ in range(DRAWS))
    ]
    low, high = 100 * np.percentile(drawn, (2.5, 97.5), axis=0)
    cells = (f"{100 * share:.2f}" for share in shares_of(counted, weights))
    told = (f"{c} ({a:.1f} to {b:.1f})" for c, a, b in zip(cells, low, high, strict=True))
    return f"{len(truths)} | " + " | ".join(told) + " |"


def shares_of(counted: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of all: right, wrong choices, sure. Of the sure: right."""
    right, wrong, sure, sure_right = weights @ counted / weights.sum()
    return np.array((right, wrong, sure, sure_right / max(sure, 1e-9)), dtype=float)


def replies() -> Iterable[Truth]:
    folder = shared() / "responses/mmlu_pro"
    items = {row["id"]: row for row in rows(folder / "items.jsonl.gz")}
    for path in sorted(folder.glob("*.jsonl.gz")):
        if path.name != "items.jsonl.gz":
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                for row in map(json.loads, itertools.islice(stream, EACH)):
                    options = tuple(items[row["id"]]["options"])
                    question = items[row["id"]]["question"]
                    yield Truth("timed", row["id"], path.stem, question, options,
                                tuple(LETTERS[: len(options)]), row["response"], None,
                                "", None)  # fmt: skip


if __name__ == "__main__":
    main()

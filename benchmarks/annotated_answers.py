"""The human-labelled answers that the reader benchmarks share.

They are read from the shared benchmark data (`HORSESENSE_SHARED`); nothing of them is kept here.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MMLU = {
    "llama2 original": "llama2-7b_original_options",
    "llama2 extra": "llama2-7b_extra_options",
    "mistral original": "mistral-7b-instruct-v0.2_original_options",
    "mistral extra": "mistral-7b-instruct-v0.2_extra_options",
}
OPINIONS = ("llama2-7b", "llama2-13b", "mistral-7b")
UNSCORED = ("none", "multiple")


class Answer(NamedTuple):
    """One answer with the annotators' reading.

    Attributes:
        file: short name of its file.
        id: of the row.
        question, options, letters, response: as shown and as answered.
        label: a letter, "X" (no option is right) or "Y" (refusal); letters where several were
            chosen, None where the answer contradicts itself or stops short.
        kind: "single", "no_correct_answer", "refusal", or (not scored) "multiple", "none".
    """

    file: str
    id: str
    question: str
    options: tuple[str, ...]
    letters: tuple[str, ...]
    response: str
    label: str | None
    kind: str

    @property
    def scored(self) -> bool:
        return self.kind not in UNSCORED

    @property
    def half(self) -> str:
        """The rules were written on the questions of one half; the other was kept apart."""
        first = hashlib.blake2b(self.question.strip().encode(), digest_size=4).digest()[0]
        return "development" if first < 128 else "held out"

    @property
    def fold(self) -> int:
        """One of five folds, drawn by question."""
        return (
            hashlib.blake2b(b"fold" + self.question.strip().encode(), digest_size=8).digest()[0] % 5
        )


def shared() -> Path:
    """The folder of the shared benchmark data."""
    root = Path(os.environ.get("HORSESENSE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (root / "data").is_dir():
        raise SystemExit(f"No benchmark data in {root}: set HORSESENSE_SHARED to its folder.")
    return root


def mmlu() -> Iterator[Answer]:
    """The four MMLU files, 800 answers each."""
    folder = shared() / "data" / "mcq_robustness_annotated"
    for name, stem in MMLU.items():
        for row in rows(folder / f"{stem}.jsonl.gz"):
            yield answer(name, row["id"], row, row["label_kind"])


def opinions(split: str = "test") -> Iterator[Answer]:
    """The OpinionQA answers of one split."""
    folder = shared() / "responses" / "mcq_mismatch_opinionqa"
    for name in OPINIONS:
        for row in rows(folder / f"{name}.jsonl.gz"):
            if row["split"] == split:
                label = row["label"]
                kind = "none" if label is None else "single" if len(label) == 1 else "multiple"
                yield answer(f"opinionqa {name}", row["item_id"], row, kind)


def answer(file: str, identity: str, row: dict[str, Any], kind: str) -> Answer:
    options, letters = tuple(row["options"]), tuple(row["option_letters"])
    return Answer(
        file, identity, row["question"], options, letters, row["response"], row["label"], kind
    )


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)

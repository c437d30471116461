"""Replies with what they say: the packaged corpus, annotated answers, labelled replies to MMLU-Pro.

The latter two are read from the shared benchmark data (`HORSESENSE_SHARED`); nothing of them is
kept here.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from horsesense.readers.corpus import SEEN, examples

MMLU = (
    "llama2-7b_original_options",
    "llama2-7b_extra_options",
    "mistral-7b-instruct-v0.2_original_options",
    "mistral-7b-instruct-v0.2_extra_options",
)
OPINIONS = ("llama2-7b", "llama2-13b", "mistral-7b")
KEPT = frozenset(
    ("DeepSeek-Coder-V2", "Llama-2-70b-hf", "Phi-3-mini-4k-instruct", "gemini-1.5-flash-002")
)
"""Models from whose labelled replies nothing is learnt: drawn by chance, before a first look."""
LETTERS = "ABCDEFGHIJ"
STATUS_OF = {
    "several": "ambiguous",
    "conflict": "ambiguous",
    "refused": "refusal",
    "outside": "illegal",
    "cut": "truncated",
    "no_choice": "unclear",
}
"""Label of `spec/reading.md` -> status, where they are called otherwise."""


class Truth(NamedTuple):
    """A reply and what it says.

    Attributes:
        part: of the corpus, or "annotated", "mmlu_pro plain", "mmlu_pro other".
        writer: who wrote it: left out together.
        status, position: the truth; a position, from 0, for an answer alone.
        weight: of its stratum among the replies it was drawn from.
    """

    part: str
    id: str
    writer: str
    question: str | None
    options: tuple[str, ...]
    labels: tuple[str, ...]
    response: str
    finish_reason: str | None
    status: str
    position: int | None
    weight: float = 1.0


def learnt_from() -> Iterator[Truth]:
    """All that may be learnt from: neither the part that nobody reads nor the models kept back."""
    for part in SEEN:
        yield from corpus(part)
    if (shared() / "data").is_dir():
        yield from annotated()
        yield from mmlu_pro(kept=False)


def shared() -> Path:
    """The folder of the shared benchmark data."""
    return Path(os.environ.get("HORSESENSE_SHARED", Path(__file__).parents[2] / "shared"))


def corpus(part: Any) -> Iterator[Truth]:
    for e in examples(part):
        yield Truth(part, e.id, e.writer, e.question, e.options, e.labels, e.response,
                    e.finish_reason, e.status, e.position)  # fmt: skip


def annotated(*, test: bool = False) -> Iterator[Truth]:
    """Answers to MMLU, and to OpinionQA (its training split unless `test`), that people read."""
    folder = shared() / "data/mcq_robustness_annotated"
    for stem in () if test else MMLU:
        for row in rows(folder / f"{stem}.jsonl.gz"):
            if row["label_kind"] not in ("none", "multiple"):
                yield from _annotated(stem, row["id"], row)
    folder = shared() / "responses/mcq_mismatch_opinionqa"
    for name in OPINIONS:
        for row in rows(folder / f"{name}.jsonl.gz"):
            if (row["split"] == "test") == test:
                yield from _annotated(f"opinions {name}", row["item_id"], row)


def _annotated(writer: str, identity: str, row: dict[str, Any]) -> Iterator[Truth]:
    letters, label = tuple(row["option_letters"]), row["label"]
    if not label or len(label) > 1:
        return
    special = {"X": "none", "Y": "refusal"}.get(label) if label not in letters else None
    position = None if special else letters.index(label)
    yield Truth("annotated", identity, writer.split("_")[0], row["question"], tuple(row["options"]),
                letters, row["response"], None, special or "answer", position)  # fmt: skip


def mmlu_pro(*, kept: bool) -> Iterator[Truth]:
    """The labelled replies of the models that are kept back, or of all others."""
    folder = shared() / "responses/mmlu_pro"
    labels = [json.loads(line) for line in (folder / "labels.jsonl").open(encoding="utf-8")]
    items = {row["id"]: row for row in rows(folder / "items.jsonl.gz")}
    drawn: dict[str, int] = {}
    for one in labels:
        drawn[one["stratum"]] = drawn.get(one["stratum"], 0) + 1
    for model in sorted({one["model"] for one in labels}):
        if (model in KEPT) != kept:
            continue
        replies = {row["id"]: row["response"] for row in rows(folder / f"{model}.jsonl.gz")}
        for one in (one for one in labels if one["model"] == model):
            label, letter = one["labels"][0]
            item = items[one["id"]]
            status = STATUS_OF.get(label, label)
            yield Truth(
                f"mmlu_pro {'plain' if one['stratum'] == 'plain' else 'other'}", one["id"], model,
                item["question"], tuple(item["options"]), tuple(LETTERS[: len(item["options"])]),
                replies[one["id"]], None, status,
                LETTERS.index(letter) if status == "answer" else None,
                one["stratum_size"] / drawn[one["stratum"]],
            )  # fmt: skip


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)

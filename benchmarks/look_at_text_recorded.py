"""Recorded answers of Look at the Text: mismatch, accuracy and selection bias, without a model.

    python benchmarks/look_at_text_recorded.py --shared DIRECTORY

For each of the four annotated files (Wang et al. 2024): how many of its 800 first-token choices
are not the annotators' label, and what first token and built-in reader give as score. The answers
are replayed through the whole pipeline. PriDe is asked for, and says why it cannot be fitted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import horsesense as hs

FILES = tuple(
    f"{model}_{options}_options"
    for model in ("mistral-7b-instruct-v0.2", "llama2-7b")
    for options in ("original", "extra")
)


def read(shared: Path, name: str) -> list[dict[str, Any]]:
    path = shared / "data" / "mcq_robustness_annotated" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def mismatches(rows: list[dict[str, Any]]) -> int:
    """Rows whose first-token choice is not the label; none and several letters are mismatches."""
    return sum(row["first_token_choice"] != row["label"] for row in rows)


def labels(rows: list[dict[str, Any]]) -> Mapping[str, int]:
    """Label counts as in the paper's Table 9: the first of several letters."""
    return Counter("NaN" if row["label"] is None else row["label"][0] for row in rows)


def replay(rows: list[dict[str, Any]], folder: Path) -> hs.Run:
    """The rows as a study: their questions as items, their answers as the model's."""
    items, answers = folder / "items.jsonl", folder / "answers.jsonl"
    with items.open("w") as one, answers.open("w") as two:
        for row in rows:
            shown = {n: row[n] for n in ("id", "question", "options", "subject")}
            one.write(json.dumps({**shown, "answer_index": row["gold_index"]}) + "\n")
            said = {"response": row["response"], "letter_scores": row["first_token_letter_scores"]}
            two.write(json.dumps({"id": row["id"], "logits": True, **said}) + "\n")
    return hs.audit(
        items,
        f"replay:{answers}",
        out=folder / "run",
        probes=(),
        readers=("first_token", "text", "pride"),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    shared = parser.parse_args().shared
    fits = set()
    for name in FILES:
        rows = read(shared, name)
        print(f"{name}: {mismatches(rows)} of {len(rows)} first-token choices are not the label")
        print("  labels:", ", ".join(f"{k} {n}" for k, n in sorted(labels(rows).items())))
        with tempfile.TemporaryDirectory() as folder:
            result = replay(rows, Path(folder))
            for reader in ("first_token", "text"):
                score = result.estimate("accuracy", reader=reader)
                bias = result.estimate("rstd", reader=reader)
                null = result.estimate("rstd_null", reader=reader)
                print(
                    f"  {reader}: accuracy {100 * score.value:.1f} %, RStD {bias.value:.1f} points "
                    f"[{bias.low:.1f}, {bias.high:.1f}] (by chance {null.value:.1f})"
                )
            fits.add(result.findings["fits"]["pride"]["undefined_reason"])
    print("pride, in all files:", *fits)


if __name__ == "__main__":
    main()

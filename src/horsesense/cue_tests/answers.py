"""Recorded answers of models: which items each answered right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from horsesense.cue_tests.dependence import Answers
from horsesense.errors import ItemsError, UsageError
from horsesense.items.files import load_rows
from horsesense.items.item import Item, ItemSet

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def load_answers(source: Path, items: ItemSet, *, faithful: bool = False) -> list[Answers]:
    """The answers of every model in a file of recorded responses, or in a run directory.

    Rows count if their probe is `original` (or absent). `correct` decides where a row has it and
    it is not null; otherwise the response is read. Several answers of a model to an item are
    averaged.

    Args:
        source: JSONL (plain, .gz, .zst) or a run directory.
        items: the items that were asked.
        faithful: use the published rule: right if the gold label occurs anywhere in the answer.

    Raises:
        ItemsError: rows whose item is unknown, or has another gold.
        UsageError: nothing to read.
    """
    if source.is_dir():
        return _of_run(source)
    rights: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for model, item_id, right in _judged(source, items, faithful):
        given = rights[model][item_id]
        if right is not None:
            given.append(float(right))
    if not rights:
        raise UsageError(f"{source} has no recorded answers to the items as published.")
    return [Answers(model, _means(by_item)) for model, by_item in rights.items()]


def _means(by_item: Mapping[str, list[float]]) -> dict[str, float | None]:
    return {i: sum(given) / len(given) if given else None for i, given in by_item.items()}


def _judged(source: Path, items: ItemSet, faithful: bool) -> Iterator[tuple[str, str, bool | None]]:
    """(model, item id, whether right) of every row; raises after the last if any was at fault."""
    faults = []
    for line, row in load_rows(source):
        if str(row.get("probe") or "original") != "original":
            continue
        item_id = str(row.get("item_id", row.get("id")))
        item = items.by_id.get(item_id)
        if item is None:
            faults.append(f"line {line}: id {item_id!r} is not among the items")
        elif not _same_gold(row, item):
            faults.append(
                f"line {line}: id {item_id!r} has a different gold answer: {row['gold']!r}"
            )
        elif item.gold is not None:
            yield str(row.get("model") or source.stem), item_id, _is_right(row, item, faithful)
    if faults:
        raise ItemsError(
            str(source), faults, hint="Are these the items that were asked? Check --split."
        )


def _same_gold(row: Mapping[str, Any], item: Item) -> bool:
    recorded = row.get("gold")
    if recorded is None or item.gold is None:
        return True
    known = (LETTERS[item.gold : item.gold + 1].lower(), item.options[item.gold].strip().lower())
    return str(recorded).strip().lower() in known


def _is_right(row: Mapping[str, Any], item: Item, faithful: bool) -> bool | None:
    """Whether an answer is right; None where it cannot be read."""
    assert item.gold is not None
    response = row.get("response")
    if faithful and response is not None:
        return _mentions(str(response), item.options[item.gold])
    if row.get("correct") is not None:
        return bool(row["correct"])
    if response is None:
        return None
    return _read(str(response), item)


def _mentions(response: str, label: str) -> bool:
    """The published rule: the label occurs as a word, or words, in the lower-cased answer."""
    return re.search(rf"(?<!\w){re.escape(label.lower())}(?!\w)", response.lower()) is not None


def _read(response: str, item: Item) -> bool | None:
    from horsesense.readers.text import TextReader

    by_letter = len(set(item.options)) > 2 or any(" " in option for option in item.options)
    labels = LETTERS[: len(item.options)] if by_letter else ""
    reading = TextReader().read(response, item.options, list(labels))
    return reading.positions == (item.gold,) if reading.status == "answer" else None


def _of_run(folder: Path) -> list[Answers]:
    """The answers to the items as published of a finished run."""
    import orjson
    import polars as pl

    needed = [folder / name for name in ("trials.parquet", "readings.parquet", "estimates.json")]
    missing = [path.name for path in needed if not path.exists()]
    if missing:
        raise UsageError(
            f"{folder} does not contain a finished run (missing: {', '.join(missing)})."
        )
    trials = pl.scan_parquet(needed[0]).filter(pl.col("probe") == "original")
    readings = pl.scan_parquet(needed[1])
    joined = trials.join(readings, on=["trial", "variant"], how="left").select(
        "item_id", "reader", "status", "correct"
    )
    frame = joined.collect()
    reader = "text" if "text" in frame["reader"].unique() else frame["reader"].drop_nulls().first()
    model = orjson.loads(needed[2].read_bytes()).get("model", {}).get("name", folder.name)
    kept = frame.filter((pl.col("reader") == reader) | pl.col("reader").is_null())
    right = {
        item_id: float(correct) if status == "answer" and correct is not None else None
        for item_id, _, status, correct in kept.iter_rows()
    }
    return [Answers(str(model), right)]

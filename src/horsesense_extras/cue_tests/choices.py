"""Recorded answers of models: which option each chose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import ItemsError, UsageError
from horsesense.items.fields import LETTERS
from horsesense.items.files import load_rows
from horsesense.items.item import Item, ItemSet
from horsesense.readers.text import TextReader

Chosen = dict[str, dict[str, list[int]]]


def load_choices(sources: Sequence[Path], items: ItemSet) -> Chosen:
    """Model -> item id -> options chosen, in the item's own order, one for each asking.

    Args:
        sources: JSONL files of recorded responses (`item_id` or `id`, `response`, and where
            present `model`, `options` in the order shown), or run directories. Of a run the
            items as published and in other orders count.
        items: the items that were asked.

    Raises:
        ItemsError: rows whose item is not among the items.
        UsageError: there is nothing to read.
    """
    found: Chosen = defaultdict(lambda: defaultdict(list))
    for source in sources:
        if source.is_dir():
            _read_run(source, items, found)
        else:
            _read_file(source, items, found)
    if not found:
        raise UsageError(f"{', '.join(map(str, sources))}: no recorded answer chooses an option.")
    return {model: dict(given) for model, given in found.items()}


def _read_file(source: Path, items: ItemSet, found: Chosen) -> None:
    faults = []
    for line, row in load_rows(source):
        # Without the options as shown, only the item as published says what a letter means.
        if str(row.get("probe") or "original") != "original" and "options" not in row:
            continue
        item = items.by_id.get(str(row.get("item_id", row.get("id"))))
        if item is None:
            faults.append(f"line {line}: id {row.get('item_id')!r} is not among the items")
            continue
        at = _chosen(row, item)
        if at is not None:
            found[str(row.get("model") or source.stem)][item.id].append(at)
    if faults:
        hint = "Are these the items that were asked? Check --split."
        raise ItemsError(str(source), faults, hint=hint)


def _chosen(row: Mapping[str, Any], item: Item) -> int | None:
    """The option that a row chooses, in the item's own order."""
    response = row.get("response")
    shown = row.get("options") or item.options
    if not isinstance(response, str) or sorted(shown) != sorted(item.options):
        return None
    letters = LETTERS[: len(shown)]
    if response.strip() in letters:
        return item.options.index(shown[letters.index(response.strip())])
    reading = TextReader().read(response, tuple(shown), letters)
    if reading.status != "answer" or len(reading.positions) != 1:
        return None
    return item.options.index(shown[reading.positions[0]])


def _read_run(source: Path, items: ItemSet, found: Chosen) -> None:
    import polars as pl

    from horsesense.runs.run import StagedRun

    run = StagedRun.open(source)
    asked = run.trials.filter(pl.col("probe").is_in(["original", "order"]))
    read = run.readings.filter(pl.col("status") == "answer", pl.col("option") >= 0)
    readers = read["reader"].unique().to_list()
    reader = "text" if "text" in readers else min(readers, default="")
    both = asked.join(read.filter(pl.col("reader") == reader), on=["trial", "variant"])
    for item_id, option in both.select("item_id", "option").iter_rows():
        if item_id in items.by_id:
            found[run.settings.model][item_id].append(option)

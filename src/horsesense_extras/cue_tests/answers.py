"""Recorded answers of models: which items each answered right."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from horsesense.errors import ItemsError, UsageError
from horsesense.items.files import load_rows
from horsesense.items.item import Item, ItemSet
from horsesense.items.own_order import own_order
from horsesense.progress import say
from horsesense.readers.text import TextReader
from horsesense.runs.run import StagedRun
from horsesense.stats.words import plural
from horsesense_extras.cue_tests.dependence import Answers
from horsesense_extras.logs.carried import import_own
from horsesense_extras.logs.known_items import KnownItems, content
from horsesense_extras.logs.registry import is_log, open_logs
from horsesense_extras.logs.sample import Sample

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def load_answers(source: Path, items: ItemSet, *, faithful: bool = False) -> list[Answers]:
    """The answers of every model in a file of recorded responses, or in a run directory.

    Rows count if their probe is `original` (or absent). `correct` decides where a row has it and
    it is not null; otherwise the response is read. Several answers of a model to an item are
    averaged. A row belongs to the item with its id or, where none has that id, to the one with its
    text. Rows that belong to no item, were shown other options or have another gold are left out,
    counted, and told of.

    Args:
        source: JSONL (plain, .gz, .zst), a run directory, or a log of another program.
        items: the items that were asked.
        faithful: use the published rule: right if the gold label occurs anywhere in the answer.

    Raises:
        ItemsError: no row belongs to an item.
        UsageError: nothing to read.
    """
    if (source / "run.toml").exists() or (source.is_dir() and not is_log(source)):
        return _of_run(StagedRun.open(source))
    if is_log(source) and any(log.own for log in open_logs([source])):
        return _of_own(source, items)
    rights: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    judged = _of_logs(source, items) if is_log(source) else _judged(source, items, faithful)
    for model, item_id, right in judged:
        given = rights[model][item_id]
        if right is not None:
            given.append(float(right))
    if not rights:
        raise UsageError(f"{source} has no recorded answers to the items as published.")
    return [Answers(model, _means(by_item)) for model, by_item in rights.items()]


def _means(by_item: Mapping[str, list[float]]) -> dict[str, float | None]:
    return {i: sum(given) / len(given) if given else None for i, given in by_item.items()}


def _judged(source: Path, items: ItemSet, faithful: bool) -> Iterator[tuple[str, str, bool | None]]:
    """(model, item id, whether right) of every row that belongs to an item."""
    faults: list[str] = []
    left_out: Counter[str] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    by_text = {_key(item.question): item for item in items if item.text_b is None}
    joined = 0
    for line, row in load_rows(source):
        if str(row.get("probe") or "original") != "original":
            continue
        item_id = str(row.get("item_id", row.get("id")))
        item = items.by_id.get(item_id) or by_text.get(_text_of(row))
        if item is None:
            faults.append(f"line {line}: id {item_id!r} is not among the items")
            left_out["of other items"] += 1
        elif _shown(row) and own_order(_shown(row), item.options) is None:
            faults.append(
                f"line {line}: id {item_id!r} was shown other options: {row['options']!r}"
            )
            left_out["shown other options"] += 1
        elif not _same_gold(row, item):
            faults.append(
                f"line {line}: id {item_id!r} has a different gold answer: {row['gold']!r}"
            )
            left_out["with another gold answer"] += 1
        elif item.gold is not None:
            joined += 1
            model, right = str(row.get("model") or source.stem), _is_right(row, item, faithful)
            if right is None:
                left_out["that choose no option, or have no reply"] += 1
            else:
                used[model, item.id] += 1
            yield model, item.id, right
    if faults and not joined:
        raise ItemsError(
            str(source), faults, hint="Are these the items that were asked? Check --split."
        )
    again = sum(n > 1 for n in used.values())
    if left_out or again:
        say(f"{source}: {_told(used.total(), left_out, faults)}{_told_again(again)}")


def _told(used: int, left_out: Mapping[str, int], faults: Sequence[str]) -> str:
    """How many answers enter the numbers, and why the others do not."""
    if not left_out:
        return f"{plural(used, 'recorded answer')} are used."
    counts = "; ".join(f"{n:,} {reason}" for reason, n in left_out.items())
    first = f"; the first: {faults[0]}" if faults else ""
    return (
        f"{used:,} recorded answers are used, {sum(left_out.values()):,} are not ({counts}{first})."
    )


def _told_again(items: int) -> str:
    if not items:
        return ""
    return f" {plural(items, 'item')} were answered more than once; their answers are averaged."


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _text_of(row: Mapping[str, Any]) -> str:
    """The text that a row says was asked about, as a key; "" where it does not say."""
    texts = (row.get(name) for name in ("text", "question", "prompt"))
    return _key(next((text for text in texts if isinstance(text, str)), ""))


def _same_gold(row: Mapping[str, Any], item: Item) -> bool:
    recorded = row.get("gold")
    if recorded is None or item.gold is None:
        return True
    order = own_order(_shown(row) or item.options, item.options) or [*range(len(item.options))]
    letter = LETTERS[order.index(item.gold) :][:1]
    known = (letter.lower(), item.options[item.gold].strip().lower())
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
    return _read(str(response), _shown(row) or item.options, item)


def _mentions(response: str, label: str) -> bool:
    """The published rule: the label occurs as a word, or words, in the lower-cased answer."""
    return re.search(rf"(?<!\w){re.escape(label.lower())}(?!\w)", response.lower()) is not None


def _shown(row: Mapping[str, Any]) -> list[str]:
    """The options that a row says were shown; empty where it does not say."""
    found = row.get("options")
    return [str(text) for text in found] if isinstance(found, list) else []


def _read(response: str, shown: Sequence[str], item: Item) -> bool | None:
    by_letter = len(set(shown)) > 2 or any(" " in option for option in shown)
    labels = LETTERS[: len(shown)] if by_letter else ""
    reading = TextReader().read(response, shown, list(labels))
    if reading.status != "answer":
        return None
    order = own_order(shown, item.options) or [*range(len(item.options))]
    return [order[place] for place in reading.positions] == [item.gold]


def _of_run(run: StagedRun) -> list[Answers]:
    """The answers to the items as published of a run; those without a reading are unknown."""
    if "read" not in run.directory.known.stages:
        raise UsageError(
            f"{run.path} does not contain a finished run.",
            hint=f"First: horsesense report {run.path}.",
        )
    shown = run.trials.filter(pl.col("probe") == "original").select("trial", "variant", "item_id")
    read = run.readings.join(shown, on=["trial", "variant"])
    names = read["reader"].unique().to_list()
    reader = "text" if "text" in names else next(iter(sorted(names)), "")
    found: dict[str, list[float]] = {item_id: [] for item_id in shown["item_id"]}
    rows = read.filter((pl.col("reader") == reader) & (pl.col("status") == "answer"))
    for item_id, correct in rows.select("item_id", "correct").drop_nulls().iter_rows():
        found[item_id].append(float(correct))
    return [Answers(run.directory.known.model.name, _means(found))]


def _of_own(source: Path, items: ItemSet) -> list[Answers]:
    """The answers in logs that horsesense exported or asked inside another program.

    They hold the run itself: its items are found among the given ones by what they ask.
    """
    ids = {content(item.question, item.options): item.id for item in items}
    with TemporaryDirectory() as folder:
        run = StagedRun(import_own(Path(folder) / "run", list(open_logs([source]))))
        run.read("text")
        found = _of_run(run)
        same = {i.id: ids.get(content(i.question, i.options)) for i in run.items}
    others = sum(own is None for own in same.values())
    if others:
        say(f"{others:,} of {len(same):,} items in {source} are other items.")
    known = [
        Answers(one.model, {own: v for i, v in one.right.items() if (own := same[i]) is not None})
        for one in found
    ]
    if not any(one.right for one in known):
        raise UsageError(f"{source} has no recorded answers to the items as published.")
    return known


def _of_logs(source: Path, items: ItemSet) -> Iterator[tuple[str, str, bool | None]]:
    """(model, item id, whether right) of the answers in logs that are about one of the items.

    They are read as they were shown, by the letter or text that the log holds; scored options count
    as the likeliest.
    """
    others = total = 0
    for number, log in enumerate(open_logs([source])):
        known = KnownItems(items)
        for sample in log.samples():
            total += 1
            found = known.of(number, sample)
            order = None if found is None else own_order(sample.options, found.item.options)
            if found is None or order is None:
                others += 1
            elif found.item.gold is not None and sample.answered:
                chosen = _chosen(sample)
                right = None if chosen is None else order[sample.order[chosen]] == found.item.gold
                yield sample.model or log.model or source.stem, found.item.id, right
    if others:
        say(f"{others:,} of {total:,} answers in {source} are about other items.")


def _chosen(sample: Sample) -> int | None:
    """The shown position that an answer chooses; None where it chooses none."""
    shown = [sample.options[place] for place in sample.order]
    scores = list((sample.label_scores or sample.text_scores).values())
    if len(scores) == len(shown):
        return max(range(len(scores)), key=scores.__getitem__)
    reading = TextReader().read(
        sample.reply or "", shown, list(sample.labels), finish_reason=sample.finish_reason
    )
    one = reading.status == "answer" and len(reading.positions) == 1
    return reading.positions[0] if one else None

"""Recorded answers of models: which option each chose, and whether that was right."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import polars as pl

from horsesense.errors import ItemsError, UsageError
from horsesense.items.fields import LETTERS
from horsesense.items.files import load_rows
from horsesense.items.item import Item, ItemSet
from horsesense.items.own_order import own_order
from horsesense.progress import say
from horsesense.readers.text import TextReader
from horsesense.runs.run import StagedRun
from horsesense.runs.studies import run_folders
from horsesense.stats.words import plural, some_of
from horsesense_extras.cue_tests.dependence import Answers
from horsesense_extras.logs.carried import import_own
from horsesense_extras.logs.imported import import_logs
from horsesense_extras.logs.known_items import content
from horsesense_extras.logs.registry import is_log, open_logs

OTHERS, SHARED = "of other items", "of an id that several sets have, without its text"


class Answer(NamedTuple):
    """One answer: `option` is the one chosen, in the item's own order; None where none is."""

    model: str
    item: str
    option: int | None
    right: bool | None


def answers_by_set(
    sources: Sequence[Path], sets: Sequence[ItemSet], *, faithful: bool = False
) -> list[list[Answers]]:
    """The answers in all sources to each of the sets, by the ids of the items.

    An id that several sets have says nothing: such answers are joined by what they ask.

    Raises:
        ItemsError, UsageError: a source has no answer to any of the sets.
    """
    counts = Counter(item.id for item_set in sets for item in item_set)
    shared = frozenset(name for name, n in counts.items() if n > 1)
    found: list[list[Answers]] = [[] for _ in sets]
    for source in sources:
        loads = [
            partial(load_answers, source, each, faithful=faithful, shared=shared) for each in sets
        ]
        for given, more in zip(found, _that_fit(loads), strict=True):
            given += more
    return found


def _that_fit(loads: Sequence[Callable[[], list[Answers]]]) -> list[list[Answers]]:
    """What each gives, nothing where it refuses; the first refusal where all refuse."""
    found: list[list[Answers]] = []
    refused: list[Exception] = []
    for load in loads:
        try:
            found.append(load())
        except (ItemsError, UsageError) as error:
            found.append([])
            refused.append(error)
    if len(refused) == len(found):
        raise refused[0]
    return found


def load_answers(
    source: Path, items: ItemSet, *, faithful: bool = False, shared: Container[str] = ()
) -> list[Answers]:
    """The answers of every model in a file of recorded responses, or in a run directory.

    Rows count if their probe is `original` (or absent). `correct` decides where a row has it and
    it is not null; otherwise the response is read. Several answers of a model to an item are
    averaged. A row belongs to the item with its id or, where none has that id, to the one with its
    text. Rows that belong to no item, were shown other options or have another gold are left out,
    counted, and told of.

    Args:
        source: JSONL (plain, .gz, .zst), a run directory, the folder of a study, or a log of
            another program.
        items: the items that were asked.
        faithful: use the published rule: right if the gold label occurs anywhere in the answer.
        shared: ids that items of other sets have too; their answers are joined by what they ask.

    Raises:
        ItemsError: no row belongs to an item.
        UsageError: nothing to read.
    """
    if runs := run_folders(source):  # of a study, some of which may be of other items
        loads = [partial(load_answers, r, items, faithful=faithful, shared=shared) for r in runs]
        return [answers for each in _that_fit(loads) for answers in each]
    rights: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for model, item_id, _, right in _answers(source, items, ("original",), faithful, shared):
        given = rights[model][item_id]
        if right is not None:
            given.append(float(right))
    if not rights:
        raise UsageError(f"{source} has no recorded answers to the items as published.")
    return [
        Answers(model, {i: sum(each) / len(each) if each else None for i, each in by_item.items()})
        for model, by_item in rights.items()
    ]


def _answers(
    source: Path,
    items: ItemSet,
    probes: Sequence[str],
    faithful: bool = False,
    shared: Container[str] = (),
) -> Iterator[Answer]:
    """The answers to items of the set, in whatever the source is, but for a study."""
    run = (source / "run.toml").exists()
    if not run and is_log(source):
        return _of_logs(source, items, probes)
    if run or source.is_dir():
        return _of_run(StagedRun.open(source), probes, items, shared)
    return _of_rows(source, items, "order" in probes, faithful, shared)


def _same_item(asked: Item, own: Item, shared: Container[str]) -> bool:
    """Whether an item of a run is that of a set with its id; of a shared id, by what it asks."""
    return own.id not in shared or content(asked.question, asked.options) == content(
        own.question, own.options
    )


def load_choices(
    sources: Sequence[Path], items: ItemSet
) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """Model -> item id -> options chosen, in the item's own order, one for each asking.

    Args:
        sources: JSONL files of recorded responses (`item_id` or `id`, `response`, and where
            present `model`, `options` in the order shown), directories of runs or studies, or logs
            of other programs. Of a run or log the items as published and in other orders count.
        items: the items that were asked.

    Raises:
        ItemsError: no row belongs to an item.
        UsageError: there is nothing to read.
    """
    chosen: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for source in [each for top in sources for each in run_folders(top) or [top]]:
        for model, item_id, option, _ in _answers(source, items, ("original", "order")):
            if option is not None:
                chosen[model][item_id].append(option)
    if not chosen:
        raise UsageError(f"{', '.join(map(str, sources))}: no recorded answer chooses an option.")
    return chosen


def _of_rows(
    source: Path, items: ItemSet, orders: bool, faithful: bool, shared: Container[str]
) -> Iterator[Answer]:
    """The answers in a file of rows that belong to an item; with `orders`, in other orders too."""
    faults: list[str] = []
    left_out: Counter[str] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    by_text = {_key(item.question): item for item in items if item.text_b is None}
    for line, row in load_rows(source):
        shown = row.get("options")
        shown = [str(text) for text in shown] if isinstance(shown, list) else []
        # Without the options as shown, only the item as published says what a letter means.
        if str(row.get("probe") or "original") != "original" and not (orders and shown):
            continue
        item_id = str(row.get("item_id", row.get("id")))
        item = (items.by_id.get(item_id) if item_id not in shared else None) or by_text.get(
            _text_of(row)
        )
        order = None if item is None else own_order(shown or item.options, item.options)
        if item is None or order is None or not _same_gold(row, item, order):
            reason, what = (
                (OTHERS, "is not among the items")
                if item is None and item_id not in shared
                else (SHARED, "is in several sets, and no text says in which")
                if item is None
                else ("shown other options", f"was shown other options: {shown!r}")
                if order is None
                else ("with another gold answer", f"has a different gold answer: {row['gold']!r}")
            )
            faults.append(f"line {line}: id {item_id!r} {what}")
            left_out[reason] += 1
            continue
        model = str(row.get("model") or source.stem)
        option, right = _judged(row, item, shown or item.options, order, faithful)
        if right is None and item.gold is not None:
            left_out["that choose no option, or have no reply"] += 1
        used[model, item.id] += right is not None
        yield Answer(model, item.id, option, right)
    if faults and not used:
        raise ItemsError(
            str(source), faults, hint="Are these the items that were asked? Check --split."
        )
    again = sum(n > 1 for n in used.values())
    if left_out or again:
        told = f"{plural(used.total(), 'recorded answer')} used"
        if left_out:
            told += f", {left_out.total():,} not ("
            told += "; ".join(f"{n:,} {reason}" for reason, n in left_out.items())
            told += (f"; the first: {faults[0]}" if faults else "") + ")"
        if again:
            told += f"; {plural(again, 'item')} answered more than once, the answers averaged"
        say(f"{source}: {told}.")


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def _text_of(row: Mapping[str, Any]) -> str:
    """The text that a row says was asked about, as a key; "" where it does not say."""
    texts = (row.get(name) for name in ("text", "question", "prompt"))
    return _key(next((text for text in texts if isinstance(text, str)), ""))


def _same_gold(row: Mapping[str, Any], item: Item, order: Sequence[int]) -> bool:
    recorded = row.get("gold")
    if recorded is None or item.gold is None:
        return True
    letter = dict(enumerate(LETTERS)).get(order.index(item.gold), "")
    known = (letter.lower(), item.options[item.gold].strip().lower())
    return str(recorded).strip().lower() in known


def _judged(
    row: Mapping[str, Any], item: Item, shown: Sequence[str], order: Sequence[int], faithful: bool
) -> tuple[int | None, bool | None]:
    """The option that a row chooses, and whether it is right; None where that cannot be told."""
    response = row.get("response")
    option = None
    if isinstance(response, str):
        by_letter = len(set(shown)) > 2 or any(" " in option for option in shown)
        labels = list(LETTERS[: len(shown)]) if by_letter else []
        option = _chosen(response, shown, labels)
        option = None if option is None else order[option]
    if faithful and response is not None and item.gold is not None:
        # The published rule: the label occurs as a word, or words, in the lower-cased answer.
        label = re.escape(item.options[item.gold].lower())
        return option, re.search(rf"(?<!\w){label}(?!\w)", str(response).lower()) is not None
    if row.get("correct") is not None:
        return option, bool(row["correct"])
    return option, None if option is None or item.gold is None else option == item.gold


def _chosen(response: str, shown: Sequence[str], labels: Sequence[str]) -> int | None:
    """The shown position that a reply chooses; None where it chooses none or several."""
    if response.strip() in labels:
        return labels.index(response.strip())
    reading = TextReader().read(response, tuple(shown), list(labels))
    one = reading.status == "answer" and len(reading.positions) == 1
    return reading.positions[0] if one else None


def _of_run(
    run: StagedRun, probes: Sequence[str], items: ItemSet, shared: Container[str] = ()
) -> Iterator[Answer]:
    """The answers of a run to items of the set, those without a reading as unknown. The run may
    have the same options in another order, and what it has otherwise is left out."""
    if "read" not in run.directory.known.stages:
        raise UsageError(
            f"{run.path} does not contain a finished run.",
            hint=f"First: horsesense report {run.path}.",
        )
    shown = run.trials.filter(pl.col("probe").is_in(probes)).select("trial", "variant", "item_id")
    read = run.readings
    names = read["reader"].unique().to_list()
    reader = "text" if "text" in names else min(names, default="")
    read = read.filter(pl.col("reader") == reader, pl.col("status") == "answer")
    both = shown.join(read, on=["trial", "variant"], how="left")
    model = run.directory.known.model.name
    order = {
        item.id: own_order(item.options, own.options)
        for item in run.items
        if (own := items.by_id.get(item.id)) and _same_item(item, own, shared)
    }
    for item_id, option, right in both.select("item_id", "option", "correct").iter_rows():
        if item_id in order:
            moved = order[item_id] if option is not None and option >= 0 else None
            yield Answer(model, item_id, None if moved is None else moved[option], right)


def _of_logs(source: Path, items: ItemSet, probes: Sequence[str]) -> Iterator[Answer]:
    """The answers in logs, imported as `horsesense import` does, and read as they were shown.

    Logs that horsesense exported, or asked inside another program, hold the run itself: its items
    are found among the given ones by what they ask.
    """
    logs = open_logs([source])
    own = any(log.own for log in logs)
    ids = {content(item.question, item.options): item.id for item in items}
    for some in [logs] if own else [[log] for log in logs]:
        with TemporaryDirectory() as folder:
            place = Path(folder) / "run"
            run = StagedRun(import_own(place, some) if own else import_logs(place, some, items))
            run.read(*(["text"] if own else []))
            found = list(_of_run(run, probes, run.items))
            asked = [(i.id, content(i.question, i.options)) for i in run.items]
        same = {name: ids.get(text) if own else name for name, text in asked}
        for row in [row for log in some for row in log.left_out.as_json()]:
            say(f"{source}: {plural(row['samples'], 'answer')} left out: {row['reason']}.")
        if others := sum(known is None for known in same.values()):
            say(f"{some_of(others, len(same), 'item')} in {source}: other items.")
        for answer in found:
            if (known := same[answer.item]) is not None:
                yield answer._replace(item=known)

"""Logs of several models as one study: a folder with a run each, which other commands take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import orjson
import tomli_w

from horsesense.errors import UsageError
from horsesense.files import empty_place, write_whole
from horsesense.items.item import Item, ItemSet
from horsesense.items.own_order import own_order
from horsesense.items.rows import row_of
from horsesense.progress import say
from horsesense.runs.studies import FILE, slug
from horsesense_extras.logs.carried import import_own, made_beside
from horsesense_extras.logs.imported import import_logs
from horsesense_extras.logs.sample import Log, Reads, Sample

ITEMS: Final = "items.jsonl"
"""The items of all runs, for commands on items: `check F/items.jsonl --responses F`."""


def by_model(logs: Sequence[Log]) -> dict[str, list[Log]]:
    """The logs of each model; all of them under one name where some do not say whose they are."""
    named = dict.fromkeys(log.model for log in logs)
    if "" in named:
        return {next(filter(None, named), ""): list(logs)}
    return {model: [log for log in logs if log.model == model] for model in named}


def import_study(
    out: Path, models: Mapping[str, Sequence[Log]], items: ItemSet | None = None
) -> list[Path]:
    """Write a study that holds a run of each model; the directories of the runs.

    Raises:
        UsageError: `out` is not empty, or nothing can be taken from the logs of a model.
        ItemsError: a log is damaged.
    """
    place = empty_place(out)
    names = dict(zip(models, _names(models), strict=True))
    asked: dict[str, Item] = {}
    failed: dict[str, UsageError] = {}
    with made_beside(place) as layout:
        for model, logs in models.items():
            alike = [
                replace(
                    log,
                    task=log.task or log.path.absolute().parent.name,
                    read=partial(_in_one_order, log.read, asked),
                )
                for log in logs
            ]
            try:
                own, at = any(log.own for log in logs), layout.root / names[model]
                made = import_own(at, logs) if own else import_logs(at, alike, items)
            except UsageError as error:  # one model without a sound row does not end the others
                failed[names.pop(model)] = error
                continue
            for item in made.items:
                asked.setdefault(item.id, item)
        if not names:
            raise next(iter(failed.values()))
        for name, why in failed.items():
            say(f"{name} is left out. {why}")
        lines = (orjson.dumps(row_of(item, "choice")) for item in asked.values())
        write_whole(layout.root / ITEMS, b"\n".join(lines) + b"\n")
        told = {"models": [f"log:{model}" for model in names], "items": [ITEMS]}
        write_whole(layout.root / FILE, tomli_w.dumps(told))
    return [place / name for name in names.values()]


def _in_one_order(read: Callable[[Log], Reads], asked: Mapping[str, Item], log: Log) -> Reads:
    """The samples of a log, an item's own order of options being that of the first model.

    Otherwise models whose options were shuffled differently would share no item.
    """

    def placed(made: Callable[[], Iterable[Sample]]) -> Iterator[Sample]:
        for sample in made():
            item = asked.get(sample.id)
            moved = None if item is None else own_order(sample.options, item.options)
            if item is None or moved is None:
                yield sample
                continue
            gold = None if sample.gold is None else moved[sample.gold]
            order = tuple(moved[place] for place in sample.order)
            yield replace(sample, options=item.options, order=order, gold=gold)

    for name, made in read(log):
        yield name, partial(placed, made)


def _names(models: Mapping[str, object]) -> Iterator[str]:
    """A directory for each model; two whose names are spelt alike there get a number."""
    taken = {FILE, ITEMS}
    for model in models:
        name, number = slug(model), 2
        while name.casefold() in taken:
            name, number = f"{slug(model)}-{number}", number + 1
        taken.add(name.casefold())
        yield name

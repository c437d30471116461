"""What `import horsesense as hs` offers of the side programs beside `hs.cues`: `hs.load_log`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api import Items, Run, import_out
from horsesense.api.given import items_of
from horsesense.files import usable
from horsesense.hosts import opened

if TYPE_CHECKING:
    from horsesense.items.item import ItemSet
    from horsesense_extras.logs.sample import Log
    from horsesense_extras.logs.table_layouts import Unread


def load_log(
    *logs: str | Path,
    out: str | Path | None = None,
    items: Items | None = None,
    map: Mapping[str, str] | None = None,
    unread: Unread | None = None,
) -> Run:
    """Import logs of other programs as a run, read its answers and measure them; asks nothing.

    Args:
        logs: files or folders (see docs/logs.md), of one model.
        out: run directory to make; by default under `imports`. Answers of a batch go on with the
            run that lies there, if its requests were exported from it.
        items: the items that were asked, where the logs do not say which answers are right;
            answers are mapped to them by content, those of a table without questions by id.
        map: of a table of answers, our field name -> the table's.
        unread: of a table, what became of replies in which no answer was found: "wrong", or
            "random" where an option was drawn for each.

    Raises:
        UsageError: no log of a known format, several models, nothing of multiple choice in it, or
            `out` is not empty.
        ItemsError: a log is damaged.
        StoreError: the run cannot be written.

    >>> run = load_log("logs/mmlu.eval", out="runs/mmlu")  # doctest: +SKIP
    >>> run.estimate("accuracy", reader="text").value      # doctest: +SKIP
    """
    return load_logs(logs, out, items, map, unread, one=True)[0]


@opened()
def load_logs(
    logs: Sequence[str | Path],
    out: str | Path | None = None,
    items: Items | None = None,
    map: Mapping[str, str] | None = None,
    unread: Unread | None = None,
    *,
    one: bool = False,
) -> list[Run]:
    """`load_log` for any number of models: of several a study, with a run of each in `out`; with
    `one`, they are refused."""
    from horsesense_extras.logs.batch import is_answers
    from horsesense_extras.logs.carried import import_own
    from horsesense_extras.logs.imported import import_logs
    from horsesense_extras.logs.study import by_model, import_study

    place = import_out(logs) if out is None else usable(out)
    if (place / "run.toml").exists() and all(is_answers(log) for log in logs):
        from horsesense_extras.integrations.batch import (
            take_answers,
        )  # which others need not wait for

        run = Run.open(place)
        run.taken = take_answers(run.directory, [Path(file) for file in logs])
        runs = [run]
    else:
        found, known = _opened(logs, items, map, unread)
        models = by_model(found)
        if len(models) > 1 and not one:
            runs = [Run.open(made) for made in import_study(place, models, known)]
        elif any(log.own for log in found):
            runs = [Run(import_own(place, found))]
        else:
            runs = [Run(import_logs(place, found, known))]
    for run in runs:
        run.read()
        run.measure()
    return runs


def _known(items: Items) -> ItemSet:
    """Items to map answers to; of a file the sound ones, and answers to others are left out."""
    from horsesense.items.load import load_items

    if isinstance(items, str | Path):
        return load_items(items, skip_faults=True)
    return items_of(items)


def _opened(
    logs: Sequence[str | Path],
    items: Items | None,
    map: Mapping[str, str] | None,
    unread: Unread | None,
) -> tuple[list[Log], ItemSet | None]:
    """The logs in files and folders, and the items by whose contents their answers are known."""
    from horsesense_extras.logs.registry import is_log, open_logs
    from horsesense_extras.logs.tables import tables

    known = None if items is None else _known(items)
    paths = [usable(log) for log in logs]
    if not map and any(is_log(path) for path in paths):
        return open_logs(paths), known
    found = tables(paths, known, map, unread)
    # Answers of a table have found their items by then.
    return (found, None) if found else (open_logs(paths), known)

"""Where a study begins: a new run, or one that lies in the directory already.

Nothing is written here. What differs from the run that is there is said, and never mixed: a request
that has changed is another request, and answers to the old one enter no number.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from horsesense.errors import StoreError, UsageError
from horsesense.items.item import ItemSet
from horsesense.items.tasks import check_task
from horsesense.probes.registry import parse_probes
from horsesense.progress import say
from horsesense.readers.registry import reads_replies
from horsesense.runs.directory import READ_LATER, RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.prepare import load_shots, load_study_items
from horsesense.runs.settings import AUTO_READERS, Settings
from horsesense.stats.words import plural


def start(out: str | Path, settings: Settings, items: ItemSet | None = None) -> RunDirectory:
    """The run of a study, on disk or to be.

    Args:
        out: the run directory; one that is there is continued.
        settings: what is to be asked.
        items: the items, where they come from no file.

    Raises:
        UsageError, ItemsError: the items cannot be read, nothing says what is asked about them, or
            `out` holds a run over others.
        StoreError: `out` cannot be a run directory.
    """
    layout = RunLayout.at(out)
    path = layout.root
    check_place(path)
    check_names(settings)
    found = load_study_items(settings) if items is None else items
    shots = load_shots(settings, found)
    if shared := len(found.flags.get("in_shots", ())):
        say(
            f"{shared:,} of the {plural(len(found), 'item')} are few-shot examples in"
            f" {settings.shots_from} too. Better take examples from other items. No item is an"
            " example in its own prompt."
        )
    directory = RunDirectory(layout, settings, found, shots)
    if layout.record.exists():
        before = RunDirectory.open(path)
        _same_shard(before, settings)
        for sentence in changes(before, directory):
            say(sentence)
        directory.record = before.record
    else:
        check_task(found, settings.task)
    return directory


def check_place(path: Path) -> None:
    """StoreError where nothing can be written at `path`, before anything is asked."""
    place = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not place.is_dir():
        raise StoreError(f"{place} is a file.", hint="Choose a directory for --out.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise StoreError(
            f"{place} cannot be written to.",
            hint="Choose another --out, or change its permissions.",
        )


def _same_shard(before: RunDirectory, settings: Settings) -> None:
    """UsageError where another shard of the study lies in the directory."""
    there, asked = before.settings.shard, settings.shard
    if asked is not None and there != asked:
        held = "a whole study" if there is None else f"shard {there} of a study"
        raise UsageError(
            f"{before.layout.root} holds {held}, not shard {asked}.",
            hint="Give each shard an --out of its own; `horsesense merge` unites them.",
        )


def check_names(settings: Settings) -> None:
    """UsageError for unknown probes and readers, before anything is said of what they change.

    And for readers of replies where none is asked for.
    """
    parse_probes(settings.probes)
    named = () if settings.readers == AUTO_READERS else settings.readers
    silent = [name for name in named if reads_replies(name) and not settings.max_tokens]
    if silent:
        raise UsageError(
            f"With --max-tokens 0 nothing is written that --readers {','.join(silent)} could read.",
            hint="Give more --max-tokens, or --readers first_token,option_text.",
        )


def _shown(value: object) -> str:
    """A setting as people write it."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items()) or "none"
    return "none" if value is None else str(value)


def _moved(was: object, now: object) -> str:
    """What became of a setting; of a list, what is new in it and what is no longer."""
    if isinstance(was, tuple) and isinstance(now, tuple):
        new, gone = ([e for e in a if e not in b] for a, b in ((now, was), (was, now)))
        told = [f"new: {_shown(new)}"] * bool(new) + [f"no longer: {_shown(gone)}"] * bool(gone)
        return "; ".join(told) or "in another order"
    return f"{_shown(was)} before, {_shown(now)} now"


LABELS_OF_OLD: Final = (
    "Labels that were taken are of a sample of the earlier items. Until replies to the others are"
    " labelled too, most count for nothing: horsesense annotate {} --sample N --to FILE lists them."
)


def changes(before: RunDirectory, now: RunDirectory) -> list[str]:
    """Sentences on what differs from the run that lies in the directory; empty where nothing does.

    UsageError if the two share no item at all.
    """
    old, new = before.settings, now.settings
    changed = [
        f"{name} ({_moved(getattr(old, name), getattr(new, name))})"
        for name in Settings.model_fields
        if name not in READ_LATER | {"items", "model"} and getattr(old, name) != getattr(new, name)
    ]
    items = _items_changed(before, now)
    if not changed and not items:
        return []
    what = "; ".join([*changed, *items])
    return [
        f"{now.layout.root} holds a run that differs: {what}.",
        "Requests that are the same keep their answers. All others are asked anew; answers that"
        " are no longer needed stay in the store and enter no number.",
        *[LABELS_OF_OLD.format(now.layout.root)] * bool(items and before.layout.labels.exists()),
    ]


def _items_changed(before: RunDirectory, now: RunDirectory) -> list[str]:
    old, new = before.items.by_id, now.items.by_id
    if before.items.fingerprint == now.items.fingerprint:
        return []
    same = sum(new.get(name) == item for name, item in old.items())
    if not same:
        raise UsageError(
            f"{now.layout.root} holds a run over other items: none of the"
            f" {plural(len(new), 'item')} of"
            f" {now.items.name} is among its {len(old):,}.",
            hint="Choose another --out directory.",
        )
    changed = sum(name in new and new[name] != item for name, item in old.items())
    counts = {
        "stay the same": same,
        "were changed": changed,
        "are new": len(new.keys() - old.keys()),
        "are no longer asked": len(old.keys() - new.keys()),
    }
    return [f"of the items, {', '.join(f'{n:,} {what}' for what, n in counts.items() if n)}"]

"""Items in a run directory: a run outlives the file that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import StoreError
from horsesense.items.item import Item, ItemSet
from horsesense.kept import keep, read_kept
from horsesense.runs.record import DAMAGED

Seen = dict[bytes, tuple[ItemSet, ItemSet | None]]
"""Digest of a file of items -> what it holds."""
MOST_ITEMS = 2**31
"""Bytes of the items of the largest run."""
_TUPLES = ("options", "paraphrases")
_FIELDS = tuple(field.name for field in fields(Item))


def save_items(path: Path, items: ItemSet, shots: ItemSet | None) -> None:
    """Write the items and the few-shot examples; StoreError where the disk refuses."""
    content: dict[str, Any] = {
        "items": items_as_json(items),
        "shots": None if shots is None else items_as_json(shots),
    }
    if items.whole and items.kind == "choice":  # class names are the same for all
        content["whole"] = [_lender_as_json(item) for item in items.whole]
    keep(path, orjson.dumps(content))


def load_stored_items(path: Path, seen: Seen | None = None) -> tuple[ItemSet, ItemSet | None]:
    """The items and the few-shot examples; StoreError where they cannot be read.

    Those that are in `seen`, by the digest of their file, are shared: shards hold the same items.
    """
    try:
        data = read_kept(path, MOST_ITEMS)
        digest = blake2b(data).digest()
        if seen is not None and digest in seen:
            return seen[digest]
        content = orjson.loads(data)
        items, shots = items_from_json(content["items"]), content["shots"]
        whole = tuple(map(_item, content.get("whole", ())))
        found = replace(items, whole=whole), None if shots is None else items_from_json(shots)
        if seen is not None:
            seen[digest] = found
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError.unreadable(path, error, DAMAGED) from None


def items_as_json(items: ItemSet) -> dict[str, Any]:
    """A set of items as a JSON value."""
    return {
        "name": items.name,
        "kind": items.kind,
        "labels": items.labels,
        "flags": {flag: sorted(ids) for flag, ids in items.flags.items()},
        "source": items.source,
        "notes": items.notes,
        "items": [item_as_json(item) for item in items],
    }


def _lender_as_json(item: Item) -> dict[str, Any]:
    """What of an item that is not asked may be shown beside others: its options."""
    return item_as_json(Item(item.id, item.question, item.options, None, subject=item.subject))


def item_as_json(item: Item) -> dict[str, Any]:
    """The fields of an item that hold something."""
    found = {name: getattr(item, name) for name in _FIELDS}
    return {name: v for name, v in found.items() if v not in (None, ())} | {"gold": item.gold}


def items_from_json(content: Mapping[str, Any]) -> ItemSet:
    """The set that `items_as_json` gave; KeyError, TypeError or ValueError for anything else."""
    return ItemSet(
        name=content["name"],
        kind=content["kind"],
        items=tuple(map(_item, content["items"])),
        labels=tuple(content["labels"]),
        flags={flag: frozenset(ids) for flag, ids in content["flags"].items()},
        source=content["source"],
        notes=tuple(content["notes"]),
    )


def _item(row: dict[str, Any]) -> Item:
    values: dict[str, Any] = {n: tuple(v) if n in _TUPLES else v for n, v in row.items()}
    return Item(**values)

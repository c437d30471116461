"""Items in a run directory: a run outlives the file that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import TypeAdapter

from horsesense.errors import StoreError
from horsesense.items.item import Item, ItemSet
from horsesense.kept import keep, read_kept
from horsesense.runs.record import DAMAGED

Seen = dict[bytes, tuple[ItemSet, ItemSet | None]]
"""Digest of a file of items -> what it holds."""
MOST_ITEMS = 2**31
"""Bytes of the items of the largest run."""
_FIELDS = tuple(field.name for field in fields(Item))


@dataclass(frozen=True)
class _Stored:
    items: ItemSet
    shots: ItemSet | None
    whole: tuple[Item, ...] = ()


_STORED: Final = TypeAdapter(_Stored)


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
        stored = _STORED.validate_json(data)
        shots = None if stored.shots is None else _sound(stored.shots)
        found = _sound(replace(stored.items, whole=stored.whole)), shots
        if seen is not None:
            seen[digest] = found
        return found
    except (OSError, ValueError) as error:
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
    """The set that `items_as_json` gave; ValueError for anything else."""
    return _sound(_STORED.validate_python({"items": content, "shots": None}).items)


def _sound(items: ItemSet) -> ItemSet:
    for item in items:
        if item.gold is not None and not 0 <= item.gold < len(item.options):
            raise ValueError(f"the right answer of {item.id[:80]!r} is none of its options")
    return items

"""What a run spent, and what of it the parts did that became one with it: `merged.json`.

An account grows, and a part may come again, or from another place: each is kept under a name that
its copies share, and counts once.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Annotated, Final

import orjson
from pydantic import Field, TypeAdapter

from horsesense.errors import StoreError
from horsesense.files import make_folder
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import MOST_COUNTED, Spent
from horsesense.kept import keep, read_kept
from horsesense.runs.layout import SHARDS, RunLayout

Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]
Told = dict[str, dict[str, Spent]]
"""Name of a part -> identity of a model -> what was spent."""

_TOLD: Final = TypeAdapter(dict[str, dict[str, tuple[Count, Count, Count]]])
"""The same as it is written down."""
_OWN: Final = f"{SHARDS}/"
"""How names of a run's own shards begin; those of runs are hashes, or absolute paths."""
_NAME: Final = re.compile(r"[0-9a-f]{16}")


def named(layout: RunLayout) -> str:
    """The name of a run, which its copies have too; made where it has none yet."""
    if (name := _name(layout)) is None:
        name = secrets.token_hex(8)
        make_folder(layout.root)
        keep(layout.name, name)
    return name


def known_as(layout: RunLayout) -> str:
    """The name of a run; the place where it lies, for one that was made before there were names."""
    return _name(layout) or str(layout.root.resolve())


def _name(layout: RunLayout) -> str | None:
    try:
        found = read_kept(layout.name).decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError.unreadable(layout.name, error) from None
    return found if _NAME.fullmatch(found) else None


def account(whole: RunLayout, store: Store, parts: Mapping[str, Mapping[str, Spent]]) -> None:
    """Write down what all parts spent; one that was counted before is counted once.

    Args:
        whole, store: the run that they become.
        parts: name of a part -> identity of a model -> what its store says was spent.
    """
    told = told_before(whole)
    before = told.copy()
    for name, spent in parts.items():
        told[name] = later(told.get(name, {}), spent)
    mine = store.spent()
    for identity in {name for row in told.values() for name in row}:
        own = _less(mine.get(identity, Spent()), _sum(before, identity))
        store.keep_spent(identity, own + _sum(told, identity))
    _tell(whole, told)


def later(one: Mapping[str, Spent], other: Mapping[str, Spent]) -> dict[str, Spent]:
    """Of two states of one account, by the identity of the model, what is later in each."""
    return {who: one.get(who, Spent()) | other.get(who, Spent()) for who in {**one, **other}}


def most_spent(kept: Iterable[Store]) -> dict[str, Spent]:
    """The account of several states of a store, of which each goes on with that before it."""
    found: dict[str, Spent] = {}
    for store in kept:
        found = later(found, store.spent())
    return found


def spent_by_parts(told: Told) -> Told:
    """What was told of parts that are runs, and may come again; not of a run's own shards."""
    return {name: of for name, of in told.items() if not name.startswith(_OWN)}


def told_of_shards(told: Told) -> dict[str, Spent]:
    """What was told of a run's own shards, by their names, all models together."""
    return {
        name.removeprefix(_OWN): sum(of.values(), start=Spent())
        for name, of in told.items()
        if name.startswith(_OWN)
    }


def own_account(whole: RunLayout, store: Store, shards: Mapping[str, Spent]) -> Spent:
    """What a run spent but for its own shards as they are now, all models together.

    What was told of a shard whose store was removed since, or begins anew, is the run's own from
    now on: a store of the same name would have to exceed it before it counted again.

    Args:
        shards: what the store of each shard says was spent.
    """
    told = told_before(whole)
    gone = {
        f"{_OWN}{name}"
        for name, spent in told_of_shards(told).items()
        if (now := shards.get(name)) is None or now | spent != now
    }
    if gone:
        told = {name: of for name, of in told.items() if name not in gone}
        _tell(whole, told)
    there = {name: of for name, of in told.items() if name.startswith(_OWN)}
    return sum(without(there, store).values(), start=Spent())


def spent_in(run: RunLayout) -> Spent:
    """What a run directory spent, all models together, with what its workers left; nothing yet
    where there is none. StoreError where that cannot be read."""
    told = told_of_shards(told_before(run))
    spent = Spent()
    for path in (run.store, *sorted((run.root / SHARDS).glob("*/store.sqlite"))):
        if path.exists():
            with Store.open(path, read_only=True) as store:
                found = sum(store.spent().values(), start=Spent())
            before = Spent() if path == run.store else told.get(path.parent.name, Spent())
            spent += _less(found, before)
    return spent


def without(told: Told, store: Store) -> dict[str, Spent]:
    """What a store says was spent, by each model, but for these parts."""
    return {name: _less(all_of_it, _sum(told, name)) for name, all_of_it in store.spent().items()}


def told_before(whole: RunLayout) -> Told:
    """What was written down of parts, by their names; StoreError where it is damaged."""
    path = _file(whole)
    if not path.exists():
        return {}
    try:
        found = _TOLD.validate_json(read_kept(path))
    except (OSError, ValueError) as error:
        hint = "Restore it from a copy, or merge into another --out."
        raise StoreError.unreadable(path, error, hint) from None
    return {
        name: {identity: Spent(*counts) for identity, counts in of.items()}
        for name, of in found.items()
    }


def _tell(whole: RunLayout, told: Told) -> None:
    rows = {name: {who: astuple(one) for who, one in of.items()} for name, of in told.items()}
    keep(_file(whole), orjson.dumps(rows, option=orjson.OPT_INDENT_2))


def _file(whole: RunLayout) -> Path:
    return whole.root / "merged.json"


def _sum(told: Told, identity: str) -> Spent:
    """What all parts spent on one model."""
    return sum((of[identity] for of in told.values() if identity in of), start=Spent())


def _less(spent: Spent, part: Spent) -> Spent:
    """What was spent but for a part, and never less than nothing."""
    return (spent - part) | Spent()

"""Stores made one: what a store takes over from others, and what it does not."""

from __future__ import annotations

import heapq
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from horsesense.inference.store import Store
from horsesense.inference.stored_rows import UNREADABLE, faults_of_row, response_of
from horsesense.models.messages import Key

_AT_ONCE: Final = 500  # rows in one transaction
_ROOM: Final = 2**16
"""KiB of pages, and of what is sorted, that all stores keep in memory together."""
_LEAST_ROOM: Final = 2**9

_COLUMNS: Final = """
    SELECT stored_at, digest, key, identity, request, response FROM responses
    LEFT JOIN models ON models.id = model"""
_THERE: Final = """
    SELECT responses.rowid, stored_at, digest, key, identity, request, response FROM responses
    LEFT JOIN models ON models.id = model WHERE key IN ({})"""
_ANSWERS: Final = f"{_COLUMNS} ORDER BY stored_at, digest"
_FAILURES: Final = """
    SELECT key, identity, request, attempts, failure, stored_at FROM failures
    JOIN models ON models.id = model ORDER BY failures.id"""
_NEW_FAILURE: Final = """
    INSERT INTO failures (key, model, request, attempts, failure, stored_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
        SELECT 1 FROM failures WHERE key = ?1 AND attempts = ?4 AND failure = ?5 AND stored_at = ?6
    )"""

Row = tuple[Any, ...]


@dataclass(slots=True)
class Absorbed:
    """What a store took over from others.

    Attributes:
        new, same: answers that it had not, and had already.
        different: keys of requests to which it and others have different answers.
        replaced: answers of its own that were set aside: damaged, or stored after a different one.
        damaged: file of a store -> answers in it that are not as they were stored, and stay there.
    """

    new: int = 0
    same: int = 0
    different: set[Key] = field(default_factory=set)
    replaced: int = 0
    damaged: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Absorbed) -> Absorbed:
        return Absorbed(
            self.new + other.new,
            self.same + other.same,
            self.different | other.different,
            self.replaced + other.replaced,
            self.damaged + other.damaged,
        )

    def faults(self) -> list[str]:
        """A sentence for each store with damaged answers."""
        return [
            f"{path}: {n:,} {'answer is' if n == 1 else 'answers are'} damaged and left out."
            for path, n in sorted(self.damaged.items())
        ]


class Seeded(Store):
    """A store that takes over what it is asked for and another one holds.

    Attributes:
        seed: the other store, which is only read; None for none.
    """

    seed: Store | None = None

    def known(self, keys: Sequence[Key]) -> set[Key]:
        """Those of `keys` that have a response here, those taken over just now included."""
        found = super().known(keys)
        missing = [key for key in keys if key not in found]
        if self.seed is None or not missing:
            return found
        rows = self.seed.select_in(f"{_COLUMNS} WHERE key IN ({{}})", missing)
        if sound := [row for row in rows if _is_sound(row)]:
            self.begin()
            with self.transaction() as database:
                for row in sound:
                    _take(self, database, row, Absorbed())
        return found | {row[2] for row in sound}


def absorb(store: Store, others: Sequence[Store]) -> Absorbed:
    """Take over what other stores hold; twice does no harm.

    Of different answers to one request the one that was stored first is kept, in whatever order
    stores come, together or one after the other. Damaged answers of others are left behind, and
    counted; those that are here already make room for sound ones.
    """
    store.begin()
    found = Absorbed()
    room = max(_LEAST_ROOM, _ROOM // max(1, len(others)))
    for other in others:  # each would keep, and sort in, as much as one that is read alone
        list(other.rows(f"PRAGMA cache_size = -{room}"))
    answers = heapq.merge(*(_sound(other, found.damaged) for other in others), key=_when)
    for rows in _chunks(answers):
        _make_room(store, rows, found)
        with store.transaction() as database:
            for row in rows:
                _take(store, database, row, found)
    for other in others:
        for rows in _chunks(other.rows(_FAILURES)):
            with store.transaction() as database:
                for key, identity, *values in rows:
                    database.execute(_NEW_FAILURE, [key, store.model_id(identity), *values])
    return found


def _make_room(store: Store, rows: Sequence[Row], found: Absorbed) -> None:
    """Set aside what is damaged, or was stored after a different answer of these rows."""
    first: dict[Key, Row] = {}
    for row in rows:  # in the order of storing
        first.setdefault(row[2], row)
    aside = []
    for place, *there in store.select_in(_THERE, list(first)):
        other = first.get(there[2])
        if not _is_sound(there):
            aside.append(place)
        elif other is not None and _when(other) < _when(there) and not _alike(other, there):
            aside.append(place)
            found.different.add(other[2])
    if aside:
        store.set_aside(aside)
        found.replaced += len(aside)


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two rows hold the same answer."""
    if one[1] == other[1]:
        return True
    try:
        return response_of(one[5]).says(response_of(other[5]))
    except UNREADABLE:
        return False


def _take(store: Store, database: sqlite3.Connection, row: Row, found: Absorbed) -> None:
    """Keep an answer of another store, or count it as one that is here, or differs from it."""
    stored_at, digest, key, identity, request, text = row
    sql = "SELECT stored_at, digest, key, model, request, response FROM responses WHERE key = ?"
    there = database.execute(sql, [key]).fetchone()
    if there is None:
        values = key, store.model_id(identity), request, text, digest, stored_at
        database.execute("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?)", values)
        found.new += 1
    elif _alike(there, row):
        found.same += 1
    else:
        found.different.add(key)


def _sound(store: Store, damaged: Counter[str]) -> Iterator[Row]:
    """Every answer of a store that is as it was stored, in the order of storing."""
    for row in store.rows(_ANSWERS):
        if _is_sound(row):
            yield row
        else:
            damaged[str(store.path)] += 1


def _is_sound(row: Sequence[Any]) -> bool:
    stored_at, digest, key, identity, request, text = row
    whole = type(stored_at) is int and type(digest) is bytes
    return whole and not any(faults_of_row("responses", key, identity, request, text, digest))


def _when(row: Sequence[Any]) -> tuple[int, bytes]:
    """Order of storing; of answers of one second, an order that no order of stores changes."""
    return row[0], row[1]


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Rows, as many at a time as one transaction takes."""
    while some := list(islice(rows, _AT_ONCE)):
        yield some

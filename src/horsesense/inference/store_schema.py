"""The tables of a store, and that a file holds them and nothing else, in which every query ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from horsesense.errors import StoreError
from horsesense.files import created
from horsesense.progress import harmless

_TABLES: Final = """
CREATE TABLE models (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE);
CREATE TABLE responses (
    key BLOB NOT NULL UNIQUE,
    model INTEGER NOT NULL REFERENCES models,
    request TEXT NOT NULL,
    response TEXT NOT NULL,
    digest BLOB NOT NULL,
    stored_at INTEGER NOT NULL
);
CREATE TABLE failures (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    model INTEGER NOT NULL REFERENCES models,
    request TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    failure TEXT NOT NULL,
    stored_at INTEGER NOT NULL
);
CREATE INDEX failures_by_key ON failures (key);
"""
_ANSWERED: Final = """
    SELECT model, 1 AS n, coalesce(json_extract(response, '$.usage[0]'), 0) AS prompt,
        coalesce(json_extract(response, '$.usage[1]'), 0) AS completion FROM responses
        WHERE json_valid(response)
"""
_SUMS: Final = """
SELECT identity, sum(n), total(prompt), total(completion) FROM ({})
JOIN models ON models.id = model GROUP BY identity
"""
PAID: Final = _SUMS.format(_ANSWERED)
"""What the answers took, as far as the model counted it, by its identity."""
_ACCOUNT: Final = f"""
CREATE TABLE spending (
    identity TEXT PRIMARY KEY,
    requests INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL
);
INSERT INTO spending
{_SUMS.format(_ANSWERED + "UNION ALL SELECT model, attempts, 0, 0 FROM failures")};
"""
"""What was spent. A store of an earlier release has none and gets what its answers tell."""

_ASIDE: Final = """
CREATE TABLE damaged (
    key BLOB, model INTEGER, request BLOB, response BLOB, digest BLOB, stored_at INTEGER
);
"""
"""Answers that are not as they were stored, or that came second: kept as found, never read."""

LATER: Final = {"spending": _ACCOUNT, "damaged": _ASIDE}
"""Tables that stores of earlier releases lack; those releases leave them alone."""

_KEPT: Final = """
CREATE TRIGGER {table}_{verb}_refused BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'this store only grows: {table} are never changed'); END;
"""


def refusal(table: str, verb: str) -> str:
    """The statement that makes a table refuse UPDATE or DELETE."""
    return _KEPT.format(table=table, verb=verb)


_STEPS: Final = 1_000_000
"""Steps of SQLite's machine after which a query is looked at: some hundredths of a second."""
_SOME: Final = 500
"""How often any query may be looked at."""
_OF_BYTE: Final = 100
"""Further steps for each byte of the file: to read a row takes fewer than it has bytes."""


def fill(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty store."""
    connection.executescript(_TABLES)
    for statement in LATER.values():
        connection.executescript(statement)
    for table in ("models", "responses", "failures"):
        for verb in ("UPDATE", "DELETE"):
            connection.execute(refusal(table, verb))


class Watched(sqlite3.Connection):
    """A connection whose queries end: a store of somebody else may be made so that none does.

    Attributes:
        most: how often a query may be looked at, every `_STEPS` steps, before it is ended.
        looked: how often the present one was.
        files: the store and its log, as they were when this was opened; none once it is closed.
        locks: whether the store may be locked where it lies.
    """

    most = looked = 0
    files: Sequence[tuple[Path, os.stat_result]] = ()
    locks = True

    def close(self) -> None:
        """Give up the file."""
        super().close()
        self.files = ()

    def check_files(self) -> None:
        """StoreError where the store or its log lies no longer under its name.

        What they hold is kept: the log goes to the file, and one without a name is copied.
        """
        gone = [path for path, was in self.files if not is_still(path, was)]
        if not gone:
            return
        hint = "All answers are stored: the same command continues."
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if (path := self.files[0][0]) in gone:
            kept = path.with_name("store.kept.sqlite")
            kept.unlink(missing_ok=True)
            created(kept).close()
            with contextlib.closing(sqlite3.connect(kept.absolute())) as copy:
                self.backup(copy)
            hint = f"All answers are in {kept}: put it in the place of {path}, then continue."
        raise StoreError(f"{gone[0]}: another program removed or replaced it.", hint=hint)

    def limit(self, size: int) -> None:
        """Watch every query, whose steps are limited by the size of the file."""
        self.most = _SOME + _OF_BYTE * size // _STEPS
        self.set_progress_handler(self._look, _STEPS)

    @property
    def late(self) -> bool:
        """Whether the present query was ended since it took too many steps."""
        return self.looked > self.most

    def _look(self) -> bool:
        # While this runs, Python hears of Ctrl-C; what that raises here ends the query too. Within
        # an event loop it raises nothing at first, and cancels the task.
        self.looked += 1
        return self.late or _cancelled()


def is_still(path: Path, was: os.stat_result) -> bool:
    """Whether a file is the one that was seen before."""
    with contextlib.suppress(OSError):
        return os.path.samestat(was, os.stat(path))
    return False


def _cancelled() -> bool:
    """Whether the task that waits for a query, if one does, is to end."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str, str], str]:
    """(kind, name, table) -> the statement that made it, without its line breaks."""
    sql = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100"
    rows = connection.execute(sql).fetchall()
    return {tuple(map(str, about)): " ".join(str(made).split()) for *about, made in rows}  # type: ignore[misc]


@cache
def _ours() -> Mapping[tuple[str, str, str], str]:
    """The schema of a store."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        fill(connection)
        return _schema(connection)


def check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Check that nothing is in a store that we do not make: a view can stand for endless rows.

    Tables that came later, and triggers, may be missing. StoreError otherwise.
    """
    there, ours = _schema(connection), _ours()
    strange = [about for about, made in there.items() if ours.get(about) != made]
    needed = [("table", name, name) for name in ("models", "responses", "failures")]
    if lacking := [about for about in needed if about not in there] or strange:
        kind, name, _ = lacking[0]
        added = name not in {mine for _, mine, _ in ours}
        drop = "If a program of yours added it, as ANALYZE does, drop it there: all answers stay. "
        raise StoreError(
            f"{path}: its {harmless(kind)[:20]} {harmless(name)[:80]!r} is not one that"
            " horsesense makes",
            hint="Nothing was read from it. " + drop * added + "Restore the file from a copy"
            " otherwise. Of a run that others made, find out first why it is so.",
        )

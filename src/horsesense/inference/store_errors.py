"""What SQLite or the file system says of a store, as an error that says what to do."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from horsesense.errors import StoreError
from horsesense.inference.store_schema import Watched

_RIGHTS: Final = "Check the permissions of the file and its directory, or choose another --out."
ADVICE: Final = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "Everything stored before is kept. Free some space and run the same command again.",
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk refused to read or write",
        "Everything stored before is kept. Check free space, quota and the disk itself.",
    ),
    sqlite3.SQLITE_READONLY: ("it cannot be written to", _RIGHTS),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", _RIGHTS),
    sqlite3.SQLITE_BUSY: (
        "another program has locked it",
        "Close that program and run the same command again.",
    ),
    sqlite3.SQLITE_INTERRUPT: (
        "reading it does not end",
        "Nothing was changed. Of a run that others made, find out first why it is so.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the file is damaged or was cut short",
        "Nothing was changed. Keep a copy; `sqlite3 FILE .recover` can save what is readable.",
    ),
    sqlite3.SQLITE_NOTADB: (
        "the file is not an SQLite database",
        "Nothing was changed. Choose another --out, or move that file away.",
    ),
}

_SHARED: Final = (
    "the file system of this folder has no locks that hold, as some network folders",
    "Choose an --out on a disk of this machine, and copy the run when it is complete. Workers of"
    " --engine keep their answers elsewhere with --keep.",
)
"""Where two processes could write one store: it would be damaged, and be asked twice."""
NO_LOCKS: Final = frozenset((errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS))
_LOCK_CODES: Final = frozenset(
    (
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
        *(sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_RDLOCK, sqlite3.SQLITE_IOERR_UNLOCK),
        *(sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK, sqlite3.SQLITE_IOERR_SHMOPEN),
        *(sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMLOCK, sqlite3.SQLITE_IOERR_SHMMAP),
    )
)


@contextlib.contextmanager
def explained(path: Path, watched: Watched | None = None) -> Iterator[None]:
    """Turn what SQLite or the file system says into a StoreError that says what to do.

    KeyboardInterrupt where Ctrl-C ended a query. The steps of a connection are counted anew.
    """
    if watched is not None:
        watched.looked = 0
    try:
        yield
    except UnicodeDecodeError as error:  # a name or a text in the file that is none
        damaged, copy = ADVICE[sqlite3.SQLITE_CORRUPT]
        raise StoreError(f"{path}: {damaged} ({error})", hint=copy) from error
    except sqlite3.Error as error:
        full = getattr(error, "sqlite_errorcode", 0)
        code = full & 0xFF  # the low byte is the primary code
        if code == sqlite3.SQLITE_INTERRUPT and not (watched and watched.late):
            raise KeyboardInterrupt from error
        seen, advice = ADVICE.get(code, ("the database reports a fault", None))
        if full in _LOCK_CODES:
            seen, advice = _SHARED
        raise StoreError(f"{path}: {seen} (SQLite: {error})", hint=advice) from error
    except OSError as error:
        hint = "Check the permissions of the directory, or choose another --out."
        seen, hint = _SHARED if error.errno in NO_LOCKS else (error.strerror or str(error), hint)
        raise StoreError(f"{path}: {seen}", hint=hint) from error

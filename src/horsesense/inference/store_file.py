"""The file under a store: making, locking, examining and opening it, and what can go wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final
from weakref import WeakSet

from horsesense.errors import InUseError, StoreError
from horsesense.files import MOST_READ, PRIVATE, created, flush, make_folder, opened, refuse_links
from horsesense.inference.store_errors import ADVICE, NO_LOCKS, explained
from horsesense.inference.store_schema import LATER, Watched, check_schema, fill, is_still

SCHEMA: Final = 1
APPLICATION: Final = 0x686F7273  # "hors", in the file's header: tells a store from other databases

_BEHIND: Final = 1 << 16
"""Byte of the lock file that is locked where whole files cannot be."""

_MAGIC: Final = b"SQLite format 3\0"
_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""How a rollback journal begins, and how one ends that names a file, which SQLite then deletes."""
_CONNECTED: Final[WeakSet[Watched]] = WeakSet()
"""Stores that are open in this process. Whoever closes another descriptor of such a file gives up
the locks of the whole process on it, SQLite's too: another program then takes the log away."""
_TURN: Final = threading.RLock()


def hold(path: Path) -> tuple[int, ...]:
    """Lock the run directory for this process and leave its id in the lock file.

    The directory itself is locked too: whoever removes the lock file lets nobody in.

    Raises:
        InUseError: another process has the lock.
        StoreError: the lock file is a link.
    """
    # The lock belongs to the open file, not to its name: it ends with the process however that
    # ends, so that a killed run leaves nothing that a user would have to delete.
    refuse_links([path])
    lock = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), PRIVATE)
    locks = [lock]
    try:
        _lock(lock)
        if not _named(lock, path):  # whoever had it before took the file away
            os.close(lock)
            return hold(path)
        locks = [*_locked_folder(path.parent), lock]
    except (BlockingIOError, PermissionError):
        os.lseek(lock, 0, os.SEEK_SET)
        holder = os.read(lock, 32).decode(errors="replace").strip() or _holder(path.parent)
        free(locks)
        raise InUseError(
            f"{path.parent} is in use by another run (process {holder})",
            hint="Wait for it to end, or choose another --out.",
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return tuple(locks)


def free(locks: Iterable[int]) -> None:
    """Give up what `hold` has locked; the file last, which is looked at first."""
    for lock in locks:
        os.close(lock)


def _locked_folder(folder: Path) -> list[int]:
    """The folder with its only lock; BlockingIOError if another process has it.

    Nothing on Windows, which lets nobody remove a lock file in use, and where the file system
    has no locks of folders: there the lock file alone holds.
    """
    try:
        fcntl, file = import_module("fcntl"), os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return []
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        if isinstance(error, BlockingIOError):
            raise
        return []
    return [file]


def _holder(folder: Path) -> str:
    """The process that has locked a folder, where the system (Linux) tells."""
    with contextlib.suppress(OSError):
        inode = f":{os.stat(folder).st_ino}"
        for line in Path("/proc/locks").read_text(encoding="utf-8").splitlines():
            kind, _, _, process, file = line.split()[1:6]
            if kind == "FLOCK" and file.endswith(inode):
                return process
    return "unknown"


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock file at `path` for a while; its folder is made where there is none.

    Raises:
        InUseError: another process holds it.
        StoreError: the lock file is a link, or the file system refuses.
    """
    with explained(path):
        make_folder(path.parent)
        locks = hold(path)
    try:
        yield
    finally:
        free(locks)


def _named(file: int, path: Path) -> bool:
    """Whether an open file is the one at `path`; one that has a name may come late to be seen."""
    found = os.fstat(file)
    try:
        return os.path.samestat(found, os.stat(path))
    except FileNotFoundError:
        return found.st_nlink > 0


def _lock(file: int) -> None:
    """Take the only lock of an open file, which ends with its holder.

    BlockingIOError, on Windows PermissionError, if another process has it.
    """
    try:
        fcntl = import_module("fcntl")
    except ImportError:
        msvcrt = import_module("msvcrt")
        # Windows lets nobody read what is locked: the lock lies far behind the holder's id.
        os.lseek(file, _BEHIND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Held:
    """The directory of a store for this process alone; it is made where there is none.

    Raises:
        InUseError: another process has it.
        StoreError: the lock file is a link, or the file system refuses.
    """

    def __init__(self, store: Path) -> None:
        self._store, self._path = store, store.with_suffix(".lock")
        self._new = [folder for folder in store.absolute().parents if not folder.exists()]
        with explained(store):
            make_folder(store.parent)
            self._locks: tuple[int, ...] = hold(self._path)
            self._place = os.stat(store.parent)

    def check(self) -> None:
        """StoreError where another folder, or none, has come to the place of the one held."""
        if not is_still(self._store.parent, self._place):
            hint = "What was stored moved with it: the same command with its new place continues."
            raise StoreError(f"{self._store.parent} was moved or removed while in use.", hint=hint)

    def release(self) -> None:
        """Give the directory free, and leave nothing where no store was made; twice no harm."""
        if not self._locks:
            return
        empty = not self._store.exists()
        with contextlib.suppress(OSError):  # Windows keeps a file that is open
            if empty:
                self._path.unlink()
        free(self._locks)
        self._locks = ()
        with contextlib.suppress(OSError):  # of those that hold something by now
            for folder in self._new if empty else ():
                folder.rmdir()


def create(path: Path) -> None:
    """Make an empty store under another name first: a store at `path` is always a whole one.

    One that is there already stays: on network folders its name may come late to be seen.
    """
    new = path.with_suffix(".new")
    with explained(path):
        for left in (new, Path(f"{new}-journal")):
            left.unlink(missing_ok=True)
        # What is made beside it, such as its log, gets the same permissions.
        created(new).close()
        connection = sqlite3.connect(new.absolute())  # file:NAME is an address
        try:
            # Waited for once, when it is whole, and not at each statement.
            connection.execute("PRAGMA synchronous = OFF")
            fill(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.commit()
        finally:
            connection.close()
        flush(new)
        try:
            os.link(new, path)
            new.unlink()
        except FileExistsError:
            new.unlink()
        except OSError:  # a file system without links
            new.replace(path)


def examine(path: Path) -> None:
    """Check that a whole store of this schema is at `path`; changes nothing.

    Raises:
        StoreError: the file is short, a link, of another program or of another schema.
    """
    refuse_links([path, *(Path(f"{path}-{beside}") for beside in ("wal", "shm", "journal"))])
    with explained(path):
        with opened(path, inside=True) as file:
            header = file.read(100)
        size = path.stat().st_size
        _check_journal(Path(f"{path}-journal"), size, int.from_bytes(header[16:18]))
    # The header is read without SQLite, which may change a file by opening it (a log is folded in).
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    # While a log lies beside it, the file itself may lag behind what its header says.
    short = size < page * pages and not Path(f"{path}-wal").exists()
    if len(header) < 100 or (short and header.startswith(_MAGIC)):
        raise StoreError(
            f"{path}: the file was cut short ({size} bytes)",
            hint="Restore it from a copy. If it never held anything, delete it and start again.",
        )
    if not header.startswith(_MAGIC):
        seen, advice = ADVICE[sqlite3.SQLITE_NOTADB]
        raise StoreError(f"{path}: {seen}", hint=advice)
    _check_marks(path, *(int.from_bytes(header[at : at + 4]) for at in (68, 60)))


def _check_journal(journal: Path, size: int, page: int) -> None:
    """Refuse a journal that names a file, or would give a store of `size` bytes another size.

    One of ours, of a process that was killed while it made a store keep a log, does neither.
    """
    if not journal.exists():
        return
    with opened(journal, inside=True) as file:
        head = file.read(28)
        file.seek(max(0, file.seek(0, os.SEEK_END) - len(_JOURNAL)))
        names = file.read() == _JOURNAL
    pages, of = int.from_bytes(head[16:20]), int.from_bytes(head[24:28])
    if names or (head.startswith(_JOURNAL) and (pages * page, of) != (size, page)):
        raise StoreError(
            f"{journal} is not one that horsesense makes: SQLite would cut the store by it, or"
            " delete another file.",
            hint="Nothing was changed. Find out first why it is there, or remove it.",
        )


def _check_marks(path: Path, application: int, version: int) -> None:
    if application != APPLICATION:
        raise StoreError(f"{path} is a database of another program", hint="Choose another --out.")
    if version != SCHEMA:
        raise StoreError(
            f"{path} has schema {version}; this horsesense reads schema {SCHEMA}",
            hint=f"A{'n older' if version < SCHEMA else ' newer'} horsesense wrote it. Use that"
            " version, or choose another --out.",
        )


def connect(path: Path, *, read_only: bool) -> Watched:
    """Open a store, which is examined first.

    Raises:
        StoreError: it is not a whole store, or its size is not what its header says.
    """
    with _TURN, explained(path):
        if _connected(path) is None:
            examine(path)
        log = Path(f"{path}-wal")
        if not read_only:
            connection = _open(path, "mode=rw")
            # Keys are random, so that each answer touches another page of their index: a long
            # log lets many answers share one write of a page.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 8192")
            _complete(connection)
            with contextlib.suppress(FileNotFoundError):  # of a file system that knows no log
                connection.files = [*connection.files, (log, os.stat(log))]
            return connection
        if locks := has_locks(path):
            try:
                return _open(path, "mode=ro")
            except sqlite3.OperationalError:
                # SQLite wants to put an index of the log beside the file, also where there is no
                # log and the directory cannot be written to; then nothing can change the file.
                if log.exists():
                    raise
        elif log.exists() and log.stat().st_size:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        return _open(path, "mode=ro&immutable=1", locks=locks)


def _connected(path: Path) -> Watched | None:
    """A connection that this process has to the file at `path`."""
    there = (one for one in _CONNECTED if one.files and is_still(path, one.files[0][1]))
    return next(there, None)


def has_locks(path: Path) -> bool:
    """Whether a file may be locked where it lies; where it may not, no horsesense writes."""
    with _TURN:
        if (there := _connected(path)) is not None:
            return there.locks
        try:
            fcntl = import_module("fcntl")
            with opened(path) as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (ImportError, OSError) as error:
            return getattr(error, "errno", None) not in NO_LOCKS
    return True


def check_count(path: Path, put: int) -> None:
    """StoreError where a store that was closed holds fewer answers than `put`."""
    # A log that is left is of somebody else; without one, none is made.
    mode = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    with _TURN, explained(path), contextlib.closing(_open(path, mode)) as kept:
        there = kept.execute("SELECT max(rowid) FROM responses").fetchone()[0] or 0
    if there < put:
        raise StoreError(
            f"{path} holds {there:,} of {put:,} answers: another program took the others away.",
            hint="The same command asks them again.",
        )


def _complete(connection: sqlite3.Connection) -> None:
    """Add the tables that an earlier release did not make."""
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    there = {name for (name,) in rows}
    for name, statement in LATER.items():
        if name not in there:
            connection.executescript(f"BEGIN IMMEDIATE; {statement} COMMIT;")


def _open(path: Path, options: str, *, locks: bool = True) -> Watched:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10, factory=Watched)
    connection.limit(path.stat().st_size)
    # Damaged text is read as damaged, not refused: whether it is sound, its digest says.
    connection.text_factory = lambda raw: raw.decode(errors="replace")
    try:
        connection.execute("PRAGMA cache_size = -65536")  # KiB
        # SQLite opens lazily: this makes a damaged or locked file fail here, where it is explained.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_READ)
        check_schema(path, connection)
        # The header does not say what a log beside the file has changed in it.
        marks = (f"PRAGMA {name}" for name in ("application_id", "user_version"))
        _check_marks(path, *(connection.execute(mark).fetchone()[0] for mark in marks))
        connection.execute("SELECT count(*) FROM models").fetchone()
        connection.locks, connection.files = locks, [(path, os.stat(path))]
    except BaseException:
        connection.close()
        raise
    _CONNECTED.add(connection)
    return connection


def connected(path: Path) -> Watched:
    """The file, for writing; whoever calls has the lock."""
    if not path.exists():
        create(path)
    return connect(path, read_only=False)

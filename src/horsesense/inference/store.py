"""The store of a run: every request with its response, byte for byte, in one SQLite file.

Content-addressed: a response lies under the hash of its request and of the model's identity, so
that nothing is paid for twice and several models can share a store. Append-only: a key keeps its
first response, and triggers refuse to change or delete a row. What failed has a table of its own.

A commit reaches the operating system at once, so that a killed process loses nothing it had
stored, and the disk at least once a second while answers arrive, so that a power cut loses at
most that second.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import orjson

from horsesense.errors import StoreError
from horsesense.inference.store_file import connect, create, examine, explained, hold
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Key, Request, Response

_IN: Final = 500  # keys in one query
_SYNC_EVERY: Final = 1.0  # seconds between commits that wait for the disk


class Totals(NamedTuple):
    """What a store holds. Tokens are sums over the responses that state them."""

    responses: int
    prompt_tokens: int
    completion_tokens: int
    failures: int


class Failed(NamedTuple):
    """A request without an answer: attempts over all runs, and what was seen last."""

    request: Request
    attempts: int
    failure: Failure


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Store.verify` found: rows checked, and one sentence for each fault."""

    checked: int
    faults: tuple[str, ...]

    @property
    def sound(self) -> bool:
        return not self.faults


class Store:
    """Requests and responses of one run directory. One process writes; any number may read.

    Raises:
        StoreError: by every method, when the file cannot be used; what was stored before stays.

    >>> import tempfile
    >>> from horsesense.models.messages import Request, Response
    >>> request = Request(messages=None, text="2 + 2 =")
    >>> key = request.key("sim:oracle")
    >>> path = Path(tempfile.mkdtemp()) / "store.sqlite"
    >>> with Store.open(path) as store:
    ...     store.put([(Asked(key, request), Response(" 4"))], identity="sim:oracle")
    ...     store.get([key])[key].text
    ' 4'
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection | None,
        lock: int | None,
        begin: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._begin = begin
        self._early: list[tuple[Sequence[tuple[Asked, int, Failure]], str]] = []
        self._synced = 0.0

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Open the store at `path`, creating it and its directory unless `read_only`.

        Raises:
            StoreError: another process writes to this run directory; the file is damaged, cut
                short, of another schema or not a store; or the directory cannot be written to.
        """
        path = Path(path)
        if read_only:
            examine(path)
            return cls(path, connect(path, read_only=True), None)
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = hold(path.with_suffix(".lock"))
        try:
            if not path.exists():
                create(path)
            examine(path)
            return cls(path, connect(path, read_only=False), lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def lazy(cls, path: Path, begin: Callable[[], None]) -> Self:
        """A store that calls `begin` just before it keeps its first answer of this session.

        Where there is no file at `path` yet, it is made then and not before: a study whose every
        request fails leaves nothing behind. Raises StoreError as `open` does.
        """
        if path.exists():
            store = cls.open(path)
            store._begin = begin
            return store
        return cls(path, None, None, begin)

    @property
    def begun(self) -> bool:
        """Whether answers have been kept in this session."""
        return self._begin is None

    def begin(self) -> None:
        """Make the file, if there is none, and tell whoever waits for the first answer."""
        if self._begin is None:
            return
        begin, self._begin = self._begin, None
        # The file first: whatever `begin` writes down may then rely on it.
        if self._connection is None:
            made = type(self).open(self.path)
            self._connection, self._lock = made._connection, made._lock
        begin()
        early, self._early = self._early, []
        for failures, identity in early:
            self.fail(failures, identity=identity)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Fold the log into the file and give the run directory free; twice does no harm."""
        with explained(self.path):
            if self._connection is not None:
                self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def put(self, answered: Sequence[tuple[Asked, Response]], *, identity: str) -> None:
        """Store responses of the model named `identity` in one transaction; the first one stays."""
        self.begin()
        now = int(time.time())
        with self._transaction() as database:
            model = self._model(identity)
            database.executemany(
                "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                (
                    (key, model, _text(request), text := _text(response), _digest(text), now)
                    for (key, request), response in answered
                ),
            )

    def fail(self, failures: Sequence[tuple[Asked, int, Failure]], *, identity: str) -> None:
        """Record requests that got no answer after so many attempts, in one transaction."""
        if self._connection is None:
            self._early.append((failures, identity))
            return
        now = int(time.time())
        with self._transaction() as database:
            model = self._model(identity)
            database.executemany(
                "INSERT INTO failures (key, model, request, attempts, failure, stored_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (key, model, _text(request), attempts, _json(asdict(failure)), now)
                    for (key, request), attempts, failure in failures
                ),
            )

    def known(self, keys: Sequence[Key]) -> set[Key]:
        """Those of `keys` that have a response."""
        sql = "SELECT key FROM responses WHERE key IN ({})"
        return {key for (key,) in self._select_in(sql, keys)}

    def get(self, keys: Sequence[Key]) -> dict[Key, Response]:
        """The responses under `keys`; a key without one is left out."""
        sql = "SELECT key, response FROM responses WHERE key IN ({})"
        return {key: _response(text) for key, text in self._select_in(sql, keys)}

    def exchanges(self, keys: Sequence[Key]) -> dict[Key, tuple[Request, Response]]:
        """Requests with their responses under `keys`; a key without a response is left out."""
        sql = "SELECT key, request, response FROM responses WHERE key IN ({})"
        return {
            key: (_request(request), _response(text))
            for key, request, text in self._select_in(sql, keys)
        }

    def get_request(self, key: Key) -> Request | None:
        """The request under `key`, answered or failed; None if it was never asked."""
        sql = (
            "SELECT request FROM responses WHERE key = :key "
            "UNION ALL SELECT request FROM failures WHERE key = :key LIMIT 1"
        )
        for (text,) in self._rows(sql, {"key": key}):
            return _request(text)
        return None

    def failures(self, keys: Sequence[Key] | None = None) -> dict[Key, Failed]:
        """Requests that failed and still have no response, with the last failure of each."""
        # With max(), SQLite takes the other columns from the row that holds the maximum.
        sql = (
            "SELECT key, request, sum(attempts), failure, max(id) FROM failures f "
            "WHERE NOT EXISTS (SELECT 1 FROM responses r WHERE r.key = f.key) {} GROUP BY key"
        )
        if keys is None:
            rows = self._rows(sql.format(""))
        else:
            rows = self._select_in(sql.format("AND key IN ({})"), keys)
        return {
            key: Failed(_request(request), attempts, Failure(**orjson.loads(failure)))
            for key, request, attempts, failure, _ in rows
        }

    def totals(self) -> Totals:
        """Counts over the whole store; reads every row."""
        if self._connection is None:
            return Totals(0, 0, 0, 0)
        [(responses, prompt, completion)] = self._rows(
            "SELECT count(*), total(json_extract(response, '$.usage[0]')), "
            "total(json_extract(response, '$.usage[1]')) FROM responses"
        )
        [(failures,)] = self._rows(
            "SELECT count(DISTINCT key) FROM failures f "
            "WHERE NOT EXISTS (SELECT 1 FROM responses r WHERE r.key = f.key)"
        )
        return Totals(responses, int(prompt), int(completion), failures)

    def verify(self, identity: str | None = None) -> Verification:
        """Derive every hash again from what is stored, for one model or for all.

        A response's digest shows damage; a key shows whether request and model are the ones that
        were hashed. Neither is a signature: whoever forges a row can forge its digest.
        """
        faults = [
            f"{self.path.name}: {line}"
            for (line,) in self._rows("PRAGMA integrity_check")
            if line != "ok"
        ]
        checked = 0
        for table in ("responses", "failures"):
            for key, name, request, text, digest in self._rows(_HASHED[table], [identity]):
                checked += 1
                faults += _faults_of_row(table, key, name, request, text, digest)
        return Verification(checked, tuple(faults))

    def _model(self, identity: str) -> int:
        database = self._open_connection
        database.execute(
            "INSERT INTO models (identity) VALUES (?) ON CONFLICT DO NOTHING", [identity]
        )
        sql = "SELECT id FROM models WHERE identity = ?"
        return int(database.execute(sql, [identity]).fetchone()[0])

    @property
    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path} holds nothing yet.")
        return self._connection

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        database = self._open_connection
        with explained(self.path):
            due = time.monotonic() - self._synced >= _SYNC_EVERY
            database.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            if due:
                self._synced = time.monotonic()

    def _rows(self, sql: str, values: Any = ()) -> Iterator[tuple[Any, ...]]:
        if self._connection is None:
            return
        with explained(self.path):
            yield from self._connection.execute(sql, values)

    def _select_in(self, sql: str, keys: Sequence[Key]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(keys), _IN):
            some = keys[start : start + _IN]
            yield from self._rows(sql.format(",".join("?" * len(some))), some)


_HASHED: Final = {
    "responses": """
        SELECT key, identity, request, response, digest FROM responses
        JOIN models ON models.id = model WHERE ?1 IS NULL OR identity = ?1""",
    "failures": """
        SELECT key, identity, request, failure, NULL FROM failures
        JOIN models ON models.id = model WHERE ?1 IS NULL OR identity = ?1""",
}


def _faults_of_row(
    table: str, key: Key, identity: str, request: str, text: str, digest: bytes | None
) -> Iterator[str]:
    where = f"{table}, key {key.hex()}"
    if digest is not None and _digest(text) != digest:
        yield f"{where}: the response is not the one that was stored"
    try:
        derived = _request(request).key(identity)
    except (ValueError, KeyError, TypeError) as error:
        yield f"{where}: the request cannot be read ({type(error).__name__}: {error})"
    else:
        if derived != key:
            yield f"{where}: request and model {identity!r} hash to {derived.hex()}"


def _text(value: Request | Response) -> str:
    return _json(value.as_json())


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _request(text: str) -> Request:
    return Request.from_json(orjson.loads(text))


def _response(text: str) -> Response:
    return Response.from_json(orjson.loads(text))

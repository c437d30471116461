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
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import orjson

from horsesense.errors import StoreError
from horsesense.inference.store_errors import explained
from horsesense.inference.store_file import Held, check_count, connect, connected
from horsesense.inference.store_schema import PAID, Watched, refusal
from horsesense.inference.stored_rows import (
    ASKED_IN,
    MOST_COUNTED,
    UNREADABLE,
    Failed,
    Spent,
    Totals,
    Verification,
    countable,
    digest_of,
    faults_of_row,
    json_of,
    request_of,
    response_of,
    shown_key,
    text_of,
    totals_of,
    verified,
)
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.progress import say

_IN: Final = 500  # keys in one query
_SYNC_EVERY: Final = 1.0  # seconds between commits that wait for the disk


class Store:
    """Requests and responses of one run directory. One process writes; any number may read.

    Every method raises StoreError where the file cannot be used; what was stored before stays.

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
        connection: Watched | None,
        held: Held | None,
        begin: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self._connection = connection
        self._held = held
        self._begin = begin
        self._early: list[tuple[Sequence[tuple[Asked, int, Failure]], str]] = []
        self._spent: dict[str, Spent] = {}
        self._named: set[Key] = set()  # damaged responses of which the user was told
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
            return cls(path, connect(path, read_only=True), None)
        return cls._alone(path, make=True)

    @classmethod
    def lazy(cls, path: Path, begin: Callable[[], None]) -> Self:
        """A store that calls `begin` just before it keeps its first answer of this session.

        The directory is locked at once, so that no second process asks the same. Where there is no
        file at `path` yet, it is made with that answer and not before: a study whose every request
        fails leaves nothing behind. Raises StoreError as `open` does.
        """
        return cls._alone(path, begin)

    @classmethod
    def _alone(
        cls, path: Path, begin: Callable[[], None] | None = None, *, make: bool = False
    ) -> Self:
        held = Held(path)
        try:  # whether there is one is looked at once nobody else can make it
            return cls(path, connected(path) if make or path.exists() else None, held, begin)
        except BaseException:
            held.release()
            raise

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
        self._make()
        begin()

    def _make(self) -> None:
        """Make the file, if there is none, and write down what was kept for it."""
        if self._held is not None:
            self._held.check()
        if self._connection is not None:
            return
        self._connection = connected(self.path)
        early, self._early = self._early, []
        for failures, identity in early:
            self.fail(failures, identity=identity)
        for identity, spent in self._spent.items():
            self.keep_spent(identity, spent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        wrote = kind is None and self._held and self._connection and self._connection.files
        put = self.answered() if wrote else 0
        self.close()
        if put:  # counted in the file, whatever its writer believes
            check_count(self.path, put)

    def close(self) -> None:
        """Fold the log into the file and give the run directory free; twice does no harm."""
        with explained(self.path):
            if self._connection is not None:
                self._connection.close()
        if self._held is not None:
            self._held.release()

    def put(self, answered: Sequence[tuple[Asked, Response]], *, identity: str) -> None:
        """Store responses of the model named `identity` in one transaction; the first one stays."""
        self.begin()
        now = int(time.time())
        with self.transaction() as database:
            model = self.model_id(identity)
            database.executemany(
                "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                (
                    (key, model, request.stored(), text := text_of(response), digest_of(text), now)
                    for (key, request), response in answered
                ),
            )

    def fail(self, failures: Sequence[tuple[Asked, int, Failure]], *, identity: str) -> None:
        """Record requests that got no answer after so many attempts, in one transaction."""
        if self._connection is None:
            self._early.append((failures, identity))
            return
        now = int(time.time())
        with self.transaction() as database:
            model = self.model_id(identity)
            database.executemany(
                "INSERT INTO failures (key, model, request, attempts, failure, stored_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (key, model, request.stored(), attempts, json_of(asdict(failure)), now)
                    for (key, request), attempts, failure in failures
                ),
            )

    def known(self, keys: Sequence[Key]) -> set[Key]:
        """Those of `keys` that have a response, as it was stored."""
        return set(self.texts(keys))

    def get(self, keys: Sequence[Key]) -> dict[Key, Response]:
        """The responses under `keys`; a key without one, or with a damaged one, is left out."""
        return {key: response_of(text) for key, text in self.texts(keys).items()}

    def texts(self, keys: Sequence[Key]) -> dict[Key, str]:
        """What is stored under `keys`, each a text for `stored_rows.response_of`.

        What is not as it was stored is set aside and named.
        """
        sql = "SELECT rowid, key, response, digest FROM responses WHERE key IN ({})"
        wanted, found, damaged = set(keys), {}, []
        for row, key, text, digest in self.select_in(sql, keys):
            if key in wanted and isinstance(text, str) and digest_of(text) == digest:
                found[key] = text
            else:
                damaged.append((row, key))
        self._set_aside(damaged)
        return found

    def set_aside(self, rows: Sequence[int]) -> None:
        """Move responses, by their `rowid`, where nothing reads them; others can take their place.

        They are damaged, or another answer to the same request was stored before them elsewhere.
        """
        with self.transaction() as database:
            # Nothing else is ever deleted: the trigger that sees to it is back at the commit.
            database.execute("DROP TRIGGER IF EXISTS responses_DELETE_refused")
            for row in rows:
                values = "key, model, request, response, digest, stored_at"
                database.execute(
                    f"INSERT INTO damaged SELECT {values} FROM responses WHERE rowid = ?", [row]
                )
                database.execute("DELETE FROM responses WHERE rowid = ?", [row])
            database.execute(refusal("responses", "DELETE"))
            database.execute("REINDEX responses")  # it may hold a key that the row lacks

    def _set_aside(self, damaged: Sequence[tuple[int, Key]]) -> None:
        """Set damaged responses aside, so that they can be asked again, and name them."""
        if self._held is not None and damaged:
            self.set_aside([row for row, _ in damaged])
        for _, key in damaged:
            if key not in self._named:
                self._named.add(key)
                say(
                    f"{self.path}: the answer with key {shown_key(key)} is damaged and left out;"
                    " the same audit asks it again."
                )

    def exchanges(self, keys: Sequence[Key]) -> dict[Key, tuple[Request, Response]]:
        """Requests with their responses under `keys`; a key without a response is left out."""
        sound = self.texts(keys)
        rows = list(self.select_in(ASKED_IN, list(sound)))
        damaged = {k: row for row, k, *asked in rows if any(faults_of_row("", k, *asked))}
        self._set_aside([(row, key) for key, row in damaged.items()])
        return {
            key: (request_of(request), response_of(sound[key]))
            for _, key, identity, request in rows
            if key not in damaged
        }

    def requests(self, keys: Sequence[Key]) -> dict[Key, Request]:
        """The requests under `keys`, answered or failed; a damaged one is left out."""
        found = {}
        for table in ("failures", "responses"):
            for _, key, *asked in self.select_in(ASKED_IN.replace("responses", table), keys):
                if not any(faults_of_row(table, key, *asked)):
                    found[key] = request_of(asked[1])
        return found

    def failures(self, keys: Sequence[Key] | None = None) -> dict[Key, Failed]:
        """Requests that failed and still have no response, with the last failure of each."""
        # With max(), SQLite takes the other columns from the row that holds the maximum.
        sql = (
            "SELECT key, request, sum(attempts), failure, max(id) FROM failures f "
            "WHERE NOT EXISTS (SELECT 1 FROM responses r WHERE r.key = f.key) {} GROUP BY key"
        )
        if keys is None:
            rows = self.rows(sql.format(""))
        else:
            rows = self.select_in(sql.format("AND key IN ({})"), keys)
        found = {}
        for key, request, attempts, failure, _ in rows:
            with contextlib.suppress(*UNREADABLE):  # a failure that is damaged is asked again too
                seen = Failure.from_json(orjson.loads(failure))
                found[key] = Failed(request_of(request), attempts, seen)
        return found

    def spent(self) -> dict[str, Spent]:
        """What all sessions spent at most, by the identity of the model."""
        if self._connection is None:
            return dict(self._spent)
        sql = "SELECT identity, requests, prompt_tokens, completion_tokens FROM spending"
        found = {identity: Spent(*counts) for identity, *counts in self.rows(sql)}
        counts = [n for spent in found.values() for n in astuple(spent)]
        if not all(isinstance(n, int) and 0 <= n <= MOST_COUNTED for n in counts):
            raise StoreError(
                f"{self.path}: the account of what was spent is damaged.",
                hint="Nothing was sent. Restore it from a copy, or choose another --out;"
                " horsesense report still reads its answers.",
            )
        return found

    def paid(self) -> dict[str, Spent]:
        """What the stored answers took at least, by the identity of the model."""
        return {name: Spent(*map(countable, counts)) for name, *counts in self.rows(PAID)}

    def keep_spent(self, identity: str, spent: Spent, *, at_once: bool = False) -> None:
        """Write down what a model has taken, all sessions together.

        Where there is no file yet, this waits for the first answer, unless `at_once`.
        """
        if self._connection is None:
            self._spent[identity] = spent
            if at_once:
                self._make()
            return
        with self.transaction() as database:
            database.execute(
                "INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?)",
                [identity, spent.requests, spent.prompt_tokens, spent.completion_tokens],
            )

    def answered(self) -> int:
        """Answers so far, at the cost of one look-up: a store only grows."""
        found = self.rows("SELECT max(rowid) FROM responses")
        return max((last or 0 for (last,) in found), default=0)

    def latest(self, n: int) -> list[tuple[Request, Response]]:
        """The last `n` requests that were answered, the newest first."""
        sql = "SELECT request, response FROM responses ORDER BY rowid DESC LIMIT ?"
        return [(request_of(asked), response_of(said)) for asked, said in self.rows(sql, (n,))]

    def totals(self) -> Totals:
        """Counts over the whole store; reads every row."""
        return Totals(0, 0, 0, 0) if self._connection is None else totals_of(self.rows)

    def verify(self) -> Verification:
        """Derive every hash again from what is stored.

        A response's digest shows damage; a key shows whether request and model are the ones that
        were hashed. Neither is a signature: whoever forges a row can forge its digest.
        """
        return verified(self.rows, self.path.name)

    def model_id(self, identity: str) -> int:
        """The number under which a model's answers are kept; made where there is none yet."""
        database = self._open_connection
        database.execute(
            "INSERT INTO models (identity) VALUES (?) ON CONFLICT DO NOTHING", [identity]
        )
        sql = "SELECT id FROM models WHERE identity = ?"
        return int(database.execute(sql, [identity]).fetchone()[0])

    @property
    def _open_connection(self) -> Watched:
        if self._held is not None:
            self._held.check()
        if self._connection is None:
            raise StoreError(f"{self.path} holds nothing yet.")
        return self._connection

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The database, for writing that is kept as a whole or not at all."""
        database = self._open_connection
        with explained(self.path, database):
            due = time.monotonic() - self._synced >= _SYNC_EVERY
            database.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
                if self._held is not None:
                    database.check_files()
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            if due:
                self._synced = time.monotonic()

    def rows(self, sql: str, values: Any = ()) -> Iterator[tuple[Any, ...]]:
        """What a query finds; nothing where there is no file yet."""
        if self._connection is None:
            return
        with explained(self.path, self._connection):
            yield from self._connection.execute(sql, values)

    def select_in(self, sql: str, keys: Sequence[Key]) -> Iterator[tuple[Any, ...]]:
        """What a query finds whose `{}` stands for some of the keys, for all of them."""
        for start in range(0, len(keys), _IN):
            some = keys[start : start + _IN]
            yield from self.rows(sql.format(",".join("?" * len(some))), some)

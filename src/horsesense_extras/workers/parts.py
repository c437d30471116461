"""Stores kept where they outlive the machine that wrote them: any address that fsspec knows.

A worker whose disk nobody else sees writes its shard's store there and copies it to the address,
every few seconds and at the end. Each attempt at a shard has a name of its own, so that a worker
that was taken for dead overwrites nothing; the next attempt begins with what all before it kept.
"""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self

from horsesense.errors import HorsesenseError, StoreError, UsageError, install
from horsesense.files import PRIVATE, make_folder, write_whole
from horsesense.inference.absorb import Absorbed, absorb
from horsesense.inference.store import Store
from horsesense.inference.store_errors import explained
from horsesense.inference.stored_rows import Spent
from horsesense.progress import progress, say
from horsesense.runs.accounts import account, most_spent, told_before, told_of_shards
from horsesense.runs.layout import SHARDS, RunLayout

EVERY: Final = 2.0
"""Seconds between two copies: what a machine that is lost takes with it at most."""
SUFFIX: Final = ".sqlite"
STUDY: Final = "study"
"""Name of the file that says whose stores lie at an address."""
WHOLE: Final = frozenset(("s3", "s3a", "gs", "gcs", "abfs", "az", "memory"))
"""Kinds of addresses at which nobody sees a file before all of it is there."""
LOCAL: Final = frozenset(("file", "local"))


class Keep:
    """Stores at an address, named SHARD.RUN.ATTEMPT.sqlite.

    Args:
        address: such as s3://bucket/folder or file:///mnt/all. Credentials are those that the
            library of the address finds on each machine.

    Raises UsageError where the address, or the library that it needs, is not known.
    """

    def __init__(self, address: str) -> None:
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise UsageError("--keep needs the package fsspec.", hint=install("ray")) from None
        try:
            self._files, self._root = url_to_fs(address)
        except Exception as error:  # noqa: BLE001 - what an address's library raises, nobody knows
            raise UsageError(
                f"{address} cannot be used: {error}",
                hint="Write an address that fsspec knows, such as s3://BUCKET/FOLDER or"
                " file:///FOLDER, and install the library that it needs on every machine.",
            ) from None
        self.address = address
        kinds = self._files.protocol
        self._kinds = {kinds} if isinstance(kinds, str) else set(kinds)

    def names(self, shard: str = "") -> list[str]:
        """Names of the stores of one shard, or of all; StoreError where they cannot be listed."""
        with self._explained("listed"):
            self._files.invalidate_cache()
            if not self._files.isdir(self._root):
                return []
            found = [path.rsplit("/", 1)[-1] for path in self._files.ls(self._root, detail=False)]
        start = f"{shard}." if shard else ""
        return sorted(name for name in found if name.startswith(start) and name.endswith(SUFFIX))

    def claim(self, study: str) -> None:
        """Have the address hold stores of this study alone.

        Raises UsageError where others lie there already: all of them would become answers of this.
        """
        there = f"{self._root}/{STUDY}"
        with self._explained("read"):
            self._files.invalidate_cache()
            found = self._files.cat_file(there).decode() if self._files.exists(there) else None
        if found is None and not self.names():
            with TemporaryDirectory(prefix="horsesense-") as folder:
                write_whole(Path(folder) / STUDY, study)
                with self._explained("written"):
                    self._place(Path(folder) / STUDY)
        elif found != study:
            raise UsageError(
                f"{self.address} holds answers of another study.",
                hint="Each study needs an address of its own: --keep s3://BUCKET/ANOTHER-FOLDER.",
            )

    def opened(self, name: str, folder: Path) -> Store:
        """A store of the address, copied to a folder and opened there, for reading."""
        path = folder / name
        with self._explained("read"):
            self._files.get_file(f"{self._root}/{name}", str(path))
        try:
            return Store.open(path, read_only=True)
        except StoreError as error:
            raise StoreError(
                error.message.replace(str(path), f"{self.address}/{name}"),
                hint="Move it away from there: what it held is asked again.",
            ) from None

    def put(self, path: Path, name: str) -> None:
        """Copy a store to the address, in the place of an earlier copy of the same name."""
        with self._explained("written"), TemporaryDirectory(prefix="horsesense-") as folder:
            with explained(path):
                _copy(path, Path(folder) / name)
            self._place(Path(folder) / name)

    def _place(self, whole: Path) -> None:
        """Copy a file to the address, where nobody sees a part of it."""
        there = f"{self._root}/{whole.name}"
        if self._kinds & LOCAL:  # for its owner alone, as all of a run is
            make_folder(Path(self._root))
            whole.chmod(PRIVATE)
            shutil.copy(whole, f"{there}.part")
            os.replace(f"{there}.part", there)
            return
        self._files.makedirs(self._root, exist_ok=True)
        part = there if self._kinds & WHOLE else f"{there}.part"
        self._files.put_file(str(whole), part)
        if part != there:
            self._files.mv(part, there)

    @contextlib.contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except HorsesenseError:
            raise
        except Exception as error:
            raise StoreError(
                f"{self.address} cannot be {what}: {error}",
                hint="Check the address and its permissions; the same command continues.",
            ) from error


def _copy(path: Path, to: Path) -> None:
    """A whole copy of a store that may be written to meanwhile."""
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    target = sqlite3.connect(to)
    try:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
    finally:
        source.close()
        target.close()


class Copying:
    """Copies the store of one attempt at a shard while it is written, and once more at the end.

    A copy that fails is told and tried again; the one at the end raises StoreError.

    Attributes:
        left: whether that failed, so that the store must stay where it was written.
    """

    def __init__(
        self, keep: Keep, path: Path, shard: str, run: str = "", every: float = EVERY
    ) -> None:
        self._keep = keep
        self._path = path
        self._name = f"{shard}.{run}.{secrets.token_hex(8)}{SUFFIX}"
        self._every = every
        self.left = False
        self._seen: Any = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        try:
            self.copy()
        except StoreError as failed:
            self.left = True
            raise StoreError(
                f"{failed.message}. Answers that were not copied are in {self._path} on"
                f" {platform.node()}.",
                hint=f"Copy that file to {self._keep.address}/{self._name}; then the same command"
                " takes them over. Without it they are asked again.",
            ) from failed

    def _work(self) -> None:
        while not self._ended.wait(self._every):
            try:
                self.copy()
            except StoreError as error:
                say(str(error))

    def copy(self) -> None:
        """Copy the store, if anything was written since; StoreError where that fails."""
        now = [_size(self._path), _size(Path(f"{self._path}-wal"))]
        if now != self._seen and now[0]:
            self._keep.put(self._path, self._name)
            self._seen = now


def run_of(path: Path) -> str:
    """The run whose workers kept a store, by its name."""
    return path.name.split(".")[1]


def _size(path: Path) -> tuple[int, int] | None:
    """What changes when a file does; None where it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


AT_ONCE: Final = 50
"""Stores that are open together."""


class Parts:
    """The stores that workers write, below a folder that they see or at an address.

    Args:
        folder: of the run's shards.
        keep: the address, where workers write to disks of their own.
        run: name of the run, which stands in the names of the stores that its workers keep.

    Attributes:
        found: name of a shard -> answers in the store of it that this run's workers wrote, when it
            was gathered last.
    """

    def __init__(self, folder: Path, keep: Keep | None = None, run: str = "") -> None:
        self.folder = folder
        self._keep = keep
        self._run = run
        self.found: dict[str, int] = {}

    def shards(self) -> list[str]:
        """Names of the shards of which something is stored."""
        if self._keep is None:
            return sorted(path.parent.name for path in self.folder.glob("*/store.sqlite"))
        return sorted({name.partition(".")[0] for name in self._keep.names()})

    def spent(self) -> dict[str, Spent]:
        """What each has spent, all models together."""
        found: dict[str, Spent] = {}
        for some in _few(self.shards()):
            with self._opened(some) as stores:
                for shard, kept in stores.items():
                    found[shard] = sum(self._spent(kept).values(), start=Spent())
        return found

    def _spent(self, kept: Sequence[Store]) -> dict[str, Spent]:
        """What this run spent, of the stores of one shard."""
        return most_spent(self._ours(kept))

    def _ours(self, kept: Sequence[Store]) -> list[Store]:
        """Of the stores of one shard, those that this run's workers wrote."""
        return [s for s in kept if self._keep is None or run_of(s.path) == self._run]

    def gather(self, whole: RunLayout, store: Store, shards: Sequence[str]) -> Absorbed:
        """Have a run take over what these shards hold, and what they spent; twice does no harm."""
        found = Absorbed()
        with progress("gathering what shards hold", len(shards)) as tick:
            for some in _few(shards):
                with self._opened(some) as stores:
                    every = [each for kept in stores.values() for each in kept]
                    for name, kept in stores.items():
                        answers = (each.answered() for each in self._ours(kept))
                        self.found[name] = max(answers, default=0)
                    if not (store.begun or any(each.answered() for each in every)):
                        continue  # a run begins with its first answer
                    found += absorb(store, every)
                    told = {f"{SHARDS}/{name}": self._spent(kept) for name, kept in stores.items()}
                    account(whole, store, told)
                tick(len(some))
        if found.replaced:  # what was read of them no longer holds
            shutil.rmtree(whole.readings, ignore_errors=True)
        return found

    @contextlib.contextmanager
    def _opened(self, shards: Sequence[str]) -> Iterator[Mapping[str, list[Store]]]:
        """The stores of some shards; of each attempt, where attempts are kept apart."""
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(TemporaryDirectory(prefix="horsesense-")))
            yield {
                shard: list(map(stack.enter_context, self._stores(shard, scratch)))
                for shard in shards
            }

    def _stores(self, shard: str, scratch: Path) -> Iterator[Store]:
        if self._keep is None:
            yield Store.open(self.folder / shard / "store.sqlite", read_only=True)
            return
        for name in self._keep.names(shard):
            yield self._keep.opened(name, scratch)


def take_over(whole: RunLayout) -> None:
    """Have a run take over what the workers of a driver that was killed had stored in its folder.

    Shards whose account is written down already were gathered before. Raises InUseError while a
    driver, or anybody else, works on the run.
    """
    parts = Parts(whole.root / SHARDS)
    spent = parts.spent()
    told = told_of_shards(told_before(whole)) if spent else {}
    new = [name for name, account in spent.items() if told.get(name) != account]
    if new:
        with Store.open(whole.store) as store:
            parts.gather(whole, store, new)


def _few(shards: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(shards), AT_ONCE):
        yield shards[start : start + AT_ONCE]

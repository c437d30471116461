"""The stores of shards: where they lie, what they spent, and how they become one run.

An address may hold those of several runs of one study: answers are everybody's, an account is that
of the run which sent its requests.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from horsesense.inference.absorb import Absorbed, absorb
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.progress import progress
from horsesense.runs.accounts import account, most_spent, told_before, told_of_shards
from horsesense.runs.layout import SHARDS, RunLayout
from horsesense_extras.workers.keep import Keep, run_of

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

"""The stores of shards: where they lie, what they spent, and how they become one run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from horsesense.inference.absorb import Absorbed, absorb
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.progress import progress
from horsesense.runs.layout import SHARDS, Layout
from horsesense.runs.merge import account
from horsesense.runs.workers.keep import Keep
from horsesense.runs.workers.work import most_spent

AT_ONCE: Final = 50
"""Stores that are open together."""


class Parts:
    """The stores that workers write, below a folder that they see or at an address.

    Args:
        folder: of the run's shards.
        keep: the address, where workers write to disks of their own.
    """

    def __init__(self, folder: Path, keep: Keep | None) -> None:
        self.folder = folder
        self._keep = keep

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
                    found[shard] = sum(most_spent(kept).values(), start=Spent())
        return found

    def gather(self, whole: Layout, store: Store, shards: Sequence[str]) -> Absorbed:
        """Have a run take over what these shards hold, and what they spent; twice does no harm."""
        found = Absorbed()
        with progress("gathering what shards hold", len(shards)) as tick:
            for some in _few(shards):
                with self._opened(some) as stores:
                    if not any(each.answered() for kept in stores.values() for each in kept):
                        continue  # a run begins with its first answer
                    found += absorb(store, [each for kept in stores.values() for each in kept])
                    told = {f"{SHARDS}/{name}": most_spent(kept) for name, kept in stores.items()}
                    account(whole, store, told)
                tick(len(some))
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


def _few(shards: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(shards), AT_ONCE):
        yield shards[start : start + AT_ONCE]

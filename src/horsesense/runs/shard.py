"""A part of a study that can be asked on a machine of its own.

Every shard plans over the whole set, so that fillers, few-shot examples and bundles are those of
the whole study; it asks only what is about its own items. Items that share a cluster stay together,
and neighbours do: their prompts share a prefix. A prompt with several items is its first item's.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet

_WRITTEN: Final = re.compile(r"([0-9]{1,7})/([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` (from 1) of `of`.

    >>> Shard.parse("2/8")
    Shard(number=2, of=8)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From "2/8"; UsageError for anything else, and for numbers outside 1 to 8."""
        found = _WRITTEN.fullmatch(text.strip())
        number, of = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= of:
            raise UsageError(
                f"{text!r} names no shard.",
                hint="Write NUMBER/SHARDS, counted from 1: --shard 2/8. In an array job,"
                " --array=1-8 and --shard $SLURM_ARRAY_TASK_ID/8.",
            )
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def ids(self, items: ItemSet) -> frozenset[str]:
        """The items that are this shard's; every item is in one of the shards."""
        placed = placement(items, self.of)
        return frozenset(item for item, number in placed.items() if number == self.number)


def placement(items: ItemSet, shards: int) -> dict[str, int]:
    """Item id -> number of its shard, from 1.

    Clusters follow one another as they first appear, and are cut into `shards` runs of as nearly as
    many items as whole clusters allow.
    """
    sizes = Counter(map(_cluster, items))
    number, before, total = dict[str, int](), 0, len(items)
    for cluster, size in sizes.items():
        number[cluster] = (2 * before + size) * shards // (2 * total) + 1  # where its middle falls
        before += size
    return {item.id: number[_cluster(item)] for item in items}


def _cluster(item: Item) -> str:
    """What must stay together: no id can be taken for a cluster's name."""
    return f"cluster {item.cluster}" if item.cluster is not None else f"item {item.id}"

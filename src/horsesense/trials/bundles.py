"""Which items share a prompt: bundles drawn by the item, nested over sizes or disjoint.

Every item has a stream of random numbers of its own. Bundle b is made of the items whose b-th
number is smallest, in that order; so a bundle is a uniform sample without replacement, and an
item that is added or dropped changes only the bundles that it enters or leaves (unless that makes
two of them equal, of which one is passed over).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import perm

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.rng import seed_of
from horsesense.stats.words import plural

Bundle = tuple[int, ...]
"""Numbers of the items that stand in it, in the order shown."""

TRIES = 20
"""Draws per bundle before it is said that there are not so many different ones."""

_GOLDEN = 0x9E3779B97F4A7C15


def streams(seed: int, ids: Sequence[str]) -> npt.NDArray[np.uint64]:
    """The state of each item's stream, (items,)."""
    return np.array([seed_of(seed, item, "bundle") for item in ids], dtype=np.uint64)


def keys(states: npt.NDArray[np.uint64], draw: int) -> npt.NDArray[np.uint64]:
    """The number `draw` of each stream (SplitMix64, Steele, Lea and Flood 2014)."""
    step = np.uint64((draw + 1) * _GOLDEN % 2**64)
    with np.errstate(over="ignore"):
        mixed = states + step
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


def nested(states: npt.NDArray[np.uint64], size: int, count: int) -> list[Bundle]:
    """`count` different bundles of `size`; smaller sizes are prefixes of these.

    UsageError if there are too few items, or not so many different bundles.
    """
    enough(len(states), size)
    found: dict[Bundle, None] = {}
    most = perm(len(states), size)
    if count <= most:
        for draw in range(count * TRIES):
            order = np.argsort(keys(states, draw), kind="stable")[:size]
            found[tuple(order.tolist())] = None
            if len(found) == count:
                return list(found)
        most = len(found)
    raise UsageError(
        f"{plural(len(states), 'item', 'make')} {plural(most, 'different bundle')} of {size},"
        f" not {count:,}.",
        hint="Ask for fewer bundles or larger ones.",
    )


def disjoint(states: npt.NDArray[np.uint64], size: int, count: int) -> list[Bundle]:
    """At most `count` bundles of `size` that share no item; fewer where the items run out."""
    enough(len(states), size)
    order = np.argsort(keys(states, 0), kind="stable").tolist()
    starts = range(0, len(order) - size + 1, size)[:count]
    return [tuple(order[start : start + size]) for start in starts]


def enough(n: int, size: int) -> None:
    if n < size:
        raise UsageError(
            f"A bundle of {size} needs {plural(size, 'item')}; {n} can be used.",
            hint="Choose smaller sizes, or give a larger file.",
        )


def by_group(groups: Sequence[str | None]) -> list[list[int]]:
    """Numbers of the items of each group, groups in order of first appearance."""
    members: dict[str | None, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    return list(members.values())


def interleaved(parts: Sequence[Sequence[int]], size: int) -> Iterator[int]:
    """The first `size` of several lists, one of each in turn, so that prefixes are even too."""
    taken = 0
    for row in range(max(map(len, parts), default=0)):
        for part in parts:
            if row < len(part) and taken < size:
                yield part[row]
                taken += 1

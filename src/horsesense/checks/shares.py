"""Cues of the set: how often what marks an option marks the right one, against chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from horsesense.checks.base import Found, Hit, Test
from horsesense.items.item import Item, ItemSet
from horsesense.stats.share import Share

Marks = Callable[[Item], Sequence[int]]
"""Positions of the options of an item that a cue marks."""

FEWEST = 10
"""Items with a cue below which nothing is said about it."""


def share_test(hits: Iterable[float], expected: Sequence[float], clusters: Sequence[str]) -> Test:
    """The share of hits against the mean of what was expected of each, over clusters.

    Wilson's interval and test for as many independent trials as the clusters are worth
    (`stats.share`); the null is the mean expected share.
    """
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    shares = Share.of(
        np.bincount(places, np.fromiter(hits, np.float64)).astype(np.float64),
        np.bincount(places).astype(np.float64),
    )
    null = float(np.mean(expected))
    low, high = shares.interval() or (None, None)
    method = "Wilson's score test over clusters"
    return Test(shares.estimate, low, high, int(shares.n), null, shares.p(null), method)


def cue(marks: Marks, shown: str = "the cue marks {options}") -> Callable[[ItemSet], Found]:
    """A rule's `whole`: is the right answer among the marked options more often than by chance?

    Items in which no option or every option is marked tell nothing and are left out. The items
    named are those that are answered right by following the cue.
    """

    def find(items: ItemSet) -> Found:
        marked = [(item, marks(item)) for item in items if item.gold is not None]
        told = [(item, m) for item, m in marked if 0 < len(m) < len(item.options)]
        if len(told) < FEWEST:
            return Found(len(told))
        right = [item.gold in m for item, m in told]
        chance = _chance([item for item, _ in marked])
        test = share_test(
            map(float, right),
            [chance(item, m) for item, m in told],
            [item.cluster or item.id for item, _ in told],
        )
        # A cue that marks wrong answers helps as much: those options can be struck out.
        against = test.share < test.expected
        hits = tuple(
            Hit(item.id, shown.format(options=quoted(item, m)))
            for (item, m), hit in zip(told, right, strict=True)
            if hit != against
        )
        return Found(len(told), hits, test)

    return find


def _chance(known: Sequence[Item]) -> Callable[[Item, Sequence[int]], float]:
    """How often a guess among marked options is right: 1 / k each; of classes, as they occur."""
    if len({item.options for item in known}) > 1:
        return lambda item, marked: len(marked) / len(item.options)
    counts = Counter(item.gold for item in known)
    return lambda _, marked: sum(counts[at] for at in marked) / len(known)


def quoted(item: Item, positions: Iterable[int]) -> str:
    """Options as they are named in evidence: letter and text."""
    return ", ".join(f"{letter(at)} {clipped(item.options[at])!r}" for at in positions)


def letter(position: int) -> str:
    """The letter of an option, as shown to people; of very many, the number."""
    return chr(ord("A") + position) if position < 26 else str(position + 1)


def clipped(text: str, most: int = 60) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"

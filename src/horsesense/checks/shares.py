"""Shares of items against chance, and how items and options are named in evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from horsesense.checks.base import Test
from horsesense.items.item import Item
from horsesense.stats.share import Share


def share_test(hits: Iterable[float], expected: Sequence[float], clusters: Sequence[str]) -> Test:
    """The share of hits against the mean of what was expected of each, over clusters.

    Exact limits and test of as many independent trials as the clusters are worth
    (`stats.share`); the null is the mean expected share.
    """
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    shares = Share.of(
        np.bincount(places, np.fromiter(hits, np.float64)).astype(np.float64),
        np.bincount(places).astype(np.float64),
    )
    null = float(np.mean(expected))
    low, high = shares.interval() or (None, None)
    method = "Clopper-Pearson over clusters"
    return Test(shares.estimate, low, high, int(shares.n), null, shares.p(null), method)


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

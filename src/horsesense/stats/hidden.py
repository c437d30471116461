"""What clusters that show nothing could hide: the largest change that all of them may miss.

If each cluster changes as a whole with a chance of its own, or not at all, the chances of seeing
none multiply. Of all chances with which nothing is seen as often as a level says, those that bring
about the largest change are 1 - w / M for clusters of size M, where that is above 0, with one w for
all (the condition of Lagrange). For clusters of one size it is the exact limit of no event (Clopper
and Pearson 1934).
"""

from __future__ import annotations

from math import exp, expm1, log, log1p
from typing import NamedTuple

import numpy as np

from horsesense.stats.two_way import Floats

Sizes = tuple[tuple[float, float], ...]
"""Sizes of clusters, and how many have each; empty where that is not known."""
FEW = 10.0
"""Clusters that hide a change up to which what others show says nothing of them."""
AT = 0.01
"""The chance of seeing none at which it is counted how many clusters hide most of a change."""


class _Worst(NamedTuple):
    """Of the chances that hide most: the share of all that they change, and w."""

    change: float
    held: float


def counted(m: Floats) -> Sizes:
    """The sizes of clusters, in increasing order, and how many have each."""
    sizes, counts = np.unique(m, return_counts=True)
    return tuple(zip(sizes.tolist(), counts.astype(float).tolist(), strict=True))


def hidden(sizes: Sizes, alpha: float) -> float:
    """The largest share of all that clusters could change, and show none with a chance of alpha."""
    return _worst(sizes, alpha).change if sizes else 0.0


def as_good_as(sizes: Sizes, alpha: float) -> float:
    """Clusters of one size that miss as large a change as these could, with the same chance."""
    return log(alpha) / log1p(-hidden(sizes, alpha))


def beside_others(sizes: Sizes, alpha: float) -> float:
    """The same as `hidden`, of clusters that show nothing beside others that show something.

    Where up to `FEW` clusters hold what can be hidden, nothing tells how such clusters change, and
    the level is alpha. Where many do, what others of their kind show tells it in part, and the
    level goes over to the square root of alpha: as if half of them spoke for the other half.
    """
    if not sizes:
        return 0.0
    return hidden(sizes, alpha ** ((1 + min(1.0, FEW / hiding(sizes))) / 2))


def hiding(sizes: Sizes) -> float:
    """How many clusters hold what can be hidden with a chance of `AT`; all, if of one size.

    That is 1 over the sum of the squares of the clusters' parts of it.
    """
    held = _worst(sizes, AT).held
    kept = [(max(size - held, 0.0), count) for size, count in sizes]
    squares = sum(count * each**2 for each, count in kept)
    return float(sum(count * each for each, count in kept)) ** 2 / squares


def _worst(sizes: Sizes, alpha: float) -> _Worst:
    if len(sizes) == 1:
        size, count = sizes[0]
        return _Worst(-expm1(log(alpha) / count), size * exp(log(alpha) / count))
    logs = counts = gone = held = 0.0
    ordered = sorted(sizes, reverse=True)
    for i, (size, count) in enumerate(ordered):
        logs, counts = logs + count * log(size), counts + count
        gone, held = gone + count * size, exp((log(alpha) + logs) / counts)
        if i + 1 == len(ordered) or held >= ordered[i + 1][0]:
            break
    return _Worst((gone - counts * held) / sum(size * count for size, count in sizes), held)

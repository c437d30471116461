"""The minimum detectable effect: which change of a paired share a study of this size would find.

A change of X adds X to the share of pairs that differ, so that the noise of the pilot, which has
none or another, is not the noise of the study that is to find it. The power is that of McNemar's
exact test, from the binomial number of differing pairs and of those in one direction, at the level
that is left after correction (Connor 1987). It aims at 82 %: two points pay for not knowing the
pilot's discordance.

Assumptions: the effect adds to the noise of the pilot instead of replacing it; otherwise the
power is higher.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np

from horsesense.stats import functions
from horsesense.stats.binomial import binomial
from horsesense.stats.change import Change
from horsesense.stats.two_way import Floats, worth

POWER = 0.82
FEWEST = 30
"""Pairs below which none is stated: power at it would be anything from .6 to .9."""
NONE_SEEN = 0.25
"""Pairs that are supposed to differ where none did."""
NEARLY_ALONE = 1.1
"""Mean size of the clusters that trials stand in, up to which those of a plan count as single."""
STEP = 1e-4


def minimum_detectable(pilot: Change, alpha: float = 0.05) -> float | None:
    """The smallest change that a study like the pilot finds with a power of 77 to 87 %.

    Args:
        pilot: the paired differences that were seen.
        alpha: two-sided level after correction for many tests.

    Returns:
        A share in (0, 1]; None of fewer than `FEWEST` pairs, of pairs that share an item or a
        prompt, of means over several forms, and where even a change of all pairs would not be
        found: quote the interval instead.
    """
    d, m = pilot.parts[0]
    single = len(pilot.parts) == 1 and m.max(initial=0) <= 1 and not np.any(d % 1)
    if not single or len(m) < FEWEST:
        return None
    size, total = float(np.abs(d).sum()), abs(pilot.total)
    seen = size - total + min(total, 0.8 * sqrt(size)) + 0.5
    base = min((seen if size else NONE_SEEN) / len(m), 1.0)
    return smallest_change(len(m), base, alpha)


def as_single(sizes: Floats) -> int | None:
    """How many single items clusters of these sizes stand for, which is exact where those of one
    cluster change together; None where more than a few clusters have several."""
    n, squares = float(sizes.sum()), float((sizes**2).sum())
    return round(worth(sizes)) if squares <= NEARLY_ALONE * n else None


def smallest_change(
    n: int, base: float, alpha: float = 0.05, wanted: float = POWER
) -> float | None:
    """The smallest change that `n` single pairs find with the power that is wanted, to 1e-4.

    Args:
        n: number of pairs.
        base: share of them that differ without the change, in [0, 1].
        alpha: two-sided level.
        wanted: power, in (0, 1).

    Returns:
        A share in (0, 1]; None where even a change of all pairs would not be found.
    """
    if n < 1 or power(n, base, 1.0, alpha) < wanted:
        return None
    low, high = 0.0, 1.0
    while high - low > STEP:
        middle = (low + high) / 2
        found = power(n, base, middle, alpha) >= wanted
        low, high = (low, middle) if found else (middle, high)
    return high


def power(n: int, base: float, change: float, alpha: float) -> float:
    """Power of McNemar's exact test for `n` single pairs whose share of differing ones is `base`
    without the change, and `base + change` with it."""
    differ = min(1.0, base + change)
    ahead = (change + base / 2) / differ if base + change <= 1 else (1 + change) / 2
    # All numbers of differing pairs but for a chance far below 1e-9.
    reach = 7 * sqrt(n * differ * (1 - differ)) + 20
    t = np.arange(max(0, int(n * differ - reach)), min(n, int(n * differ + reach)) + 1)
    known = _known(n, alpha / 2)
    new = t[np.isnan(known[t])]
    known[new] = np.nan_to_num(np.ceil(functions.bdtrik(1 - alpha / 2, new, 0.5)))
    most = known[t]
    found = functions.bdtrc(most, t, ahead) + functions.bdtrc(most, t, 1 - ahead)
    return float(binomial(t.astype(np.float64), n, differ) @ np.where(most < t, found, 0.0))


@lru_cache(8)
def _known(n: int, alpha: float) -> Floats:
    """The least numbers of heads, of 0 to `n` coins, with a chance of more of at most `alpha`:
    filled in as they are needed, as each step of a search asks for nearly the same."""
    return np.full(n + 1, np.nan)

"""The minimum detectable effect: which change of a paired share a study of this size would find.

A change of X adds X to the share of pairs that differ, so that the noise of the pilot, which has
none or another, is not the noise of the study that is to find it. The power is computed from the
binomial number of differing pairs and of those in one direction, at the level that is left after
correction (Connor 1987 does so for McNemar's test; here for `paired`'s test with its continuity
pair and its binomial tail). It aims at 82 %: two points pay for not knowing the pilot's
discordance.

Assumptions: the effect adds to the noise of the pilot instead of replacing it; otherwise the
power is higher.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from horsesense.stats import functions
from horsesense.stats.paired import HINGE, Paired
from horsesense.stats.two_way import Floats, worth

POWER = 0.82
FEWEST = 30
"""Clusters below which none is stated: with 12, power at it is .59 to .90 at corrected levels."""
NONE_SEEN = 0.25
"""Pairs that are supposed to differ where none did; half a pair, as elsewhere, is found too often
where none ever does (.86 to .89), and to state nothing leaves the pilots that saw too many."""
FEWEST_DIFFERING = 15
"""Clusters of several trials that must differ before their share says anything."""
EVEN = 0.9
"""Share of the clusters that they must be worth: of clusters that differ in size, a few large ones
decide whether a change is found, and the change alone does not say which it hits."""
NEARLY_ALONE = 1.1
"""Mean size of the clusters that trials stand in, up to which those of a plan count as single."""
SO_FEW = 1.06
"""The same of clusters of which too few differ to show what they share: supposed is half of it,
between trials that differ together and trials that do so on their own."""
STEP = 1e-4


def minimum_detectable(pilot: Paired, alpha: float = 0.05) -> float | None:
    """The smallest change that a study like the pilot finds with a power of 77 to 87 %.

    Args:
        pilot: the paired differences that were seen.
        alpha: two-sided level after correction for many tests.

    Returns:
        A share in (0, 1]; None of fewer than `FEWEST` clusters, where even a change of all pairs
        would not be found, where more than a few clusters hold several trials and too few differ or
        they differ much in size, and where a difference is a mean over several orders, of which a
        change may hit one or all: quote the interval instead.
    """
    moments, few = pilot.moments[-1], pilot.differing < FEWEST_DIFFERING
    several = pilot.mean_size > (SO_FEW if pilot.sizes else 1)
    if pilot.clusters < FEWEST or (several and few):
        return None
    if pilot.n < EVEN * pilot.mean_size * pilot.clusters or not pilot.single:
        return None
    each = (1 + pilot.mean_size) / 2 if few else max(m.dd for m in pilot.moments) / moments.size
    n = round(pilot.n / each)
    size, total = moments.size, abs(pilot.total)
    seen = size - total + min(total, 0.8 * sqrt(moments.dd)) + each / 2
    noise = seen if size else NONE_SEEN
    base = min(max(noise / pilot.n, 0.0), 1.0)
    return smallest_change(n, base, alpha)


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
    """Power of the paired test for `n` single pairs whose share of differing ones is `base`
    without the change, and `base + change` with it."""
    differ = min(1.0, base + change)
    ahead = (change + base / 2) / differ if base + change <= 1 else (1 + change) / 2
    # All numbers of differing pairs but for a chance far below 1e-9.
    reach = 7 * sqrt(n * differ * (1 - differ)) + 20
    t = np.arange(max(0, int(n * differ - reach)), min(n, int(n * differ + reach)) + 1.0)
    beyond = functions.ndtri(1 - alpha / 2) * np.sqrt(t + 2)
    # |2b - t| > beyond: b above or below, and never both.
    most, least = np.floor((t + beyond) / 2), np.ceil((t - beyond) / 2) - 1
    if functions.ndtri(1 - alpha / 2) > HINGE:
        exact = functions.binom.isf(alpha / 2, t, 0.5)
        most, least = np.minimum(most, exact), np.maximum(least, t - exact - 1)
    above = np.where(most < t, _more(np.minimum(most, t - 1), t, ahead), 0.0)
    below = np.where(least >= 0, _more(t - np.maximum(least, 0) - 1, t, 1 - ahead), 0.0)
    return float(_chance(t, n, differ) @ (above + below))


def _more(k: Floats, n: Floats, p: float) -> Floats:
    """Chance of more than k of n, for 0 <= k < n; anything where n is 0."""
    found: Floats = functions.betainc(np.maximum(k, 0) + 1, np.maximum(n - k, 1), p)
    return found


def _chance(k: Floats, n: int, p: float) -> Floats:
    """Binomial chance of k of n."""
    choose = functions.gammaln(n + 1) - functions.gammaln(k + 1) - functions.gammaln(n - k + 1)
    found: Floats = np.exp(choose + functions.xlogy(k, p) + functions.xlog1py(n - k, -p))
    return found

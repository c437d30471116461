"""A band of a share of endless items like those that were asked, where clusters are the units.

The bets are those of `sequential`, on what a whole cluster says.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from horsesense.stats.sequential import LARGEST_LOSS, RICH, SIZES, WEIGHTS, Bools, Floats


def band_of_clusters(
    values: Floats, cluster: npt.NDArray[np.intp], delta: float, alpha: float
) -> tuple[float, float]:
    """The shares of endless items like these that the answers to some leave possible, once looked.

    Whole clusters are like others, not single items: a bet on a share m is on the sum of what was
    seen of a cluster less m times how many that are, over the largest such number, so that an
    increment is bounded and its mean is 0 where m is the share, whatever depends on what within a
    cluster. More of a cluster comes between two looks. So this is no sequence: `alpha` is the error
    on either side at one look, to be shared out over all that there may be.

    Args:
        values: the lowest and the highest that each can be, in [0, 1], (2, items): of what is
            missing, each bet is on the worst.
        cluster: place of each item's cluster in an order that is random, (items,).
        delta: only how bold the bets are.
    """
    _, index, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    largest = int(sizes.max())
    low, high = (np.bincount(index, end) / largest for end in values)
    share = sizes / largest
    return (
        _first_left(low, share, largest, delta, alpha),
        1 - _first_left(share - high, share, largest, delta, alpha),
    )


def _first_left(x: Floats, share: Floats, largest: int, delta: float, alpha: float) -> float:
    """The largest mean in [0, 1] up to which bets that it is higher give up all; (clusters,)."""
    start, step = 0.0, 1.0
    for _ in range(2):
        means = np.minimum(1.0, start + step * np.linspace(0, 1, 51))
        left = ~_given_up(means[:, None], x, share, largest, delta, alpha)
        place = int(left.argmax()) if left.any() else len(means)
        step = (means[1] - means[0]) if place else 0.0
        start = float(means[max(0, place - 1)])
    return start


def _given_up(
    means: Floats, x: Floats, share: Floats, largest: int, delta: float, alpha: float
) -> Bools:
    """Which means, (means, 1), bets that the mean is higher have given up."""
    gain = x - means * share
    seen = np.arange(len(x))
    typical = float(share.mean())
    before, squares = np.cumsum(gain, axis=1) - gain, np.cumsum(gain**2, axis=1) - gain**2
    prior = 1.5 * typical / largest
    spread = np.maximum(1e-4, (prior + squares) / (seen + 10) - (before / (seen + 10)) ** 2)
    room = LARGEST_LOSS / np.maximum(means, 1e-12)
    stake = np.zeros_like(gain)
    for size, weight in zip(SIZES, WEIGHTS, strict=True):
        goal = size * delta * typical
        bet = np.minimum(goal / (spread + goal**2), room)
        stake += weight * np.exp(np.minimum(np.cumsum(np.log1p(bet * gain), axis=1), log(RICH)))
    return np.asarray((stake >= 1 / alpha).any(axis=1))

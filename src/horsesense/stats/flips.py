"""Random signs: the chance that sums with a random sign each add up to as much as was seen.

If a change is as likely up as down, the sign of every cluster's sum is a coin (Fisher 1935). Where
all sums are equally large the number of heads is binomial, which is McNemar's exact test. Sums that
are small multiples of one unit are added up exactly, by their characteristic function. The others
have the saddlepoint approximation of the tail (Lugannani and Rice 1980), which is within a few
percent of the exact chance where no few sums are most of the total, beyond those few of which every
combination of signs is tried. Nothing here is drawn at random.
"""

from __future__ import annotations

from math import copysign, exp, log, pi, sqrt

import numpy as np

from horsesense.stats import functions
from horsesense.stats.two_way import Floats, Ints

ROUNDING = 1e-9
UNITS = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 20, 24, 60, 120, 360, 840, 2520)
"""Sums of means over several forms are multiples of one over one of these."""
LONGEST = 8_192
"""Units that all sums may add up to, for the chance to be exact."""
FLAT = 1e-12
"""A variance under the tilt below which the approximation divides by next to nothing."""
FEW = 24
"""Sums of which every combination of signs is tried."""


def tail(sums: Floats) -> float:
    """The chance of a total as large as this one or larger; 1 where all sums are 0."""
    sums = np.asarray(sums, dtype=np.float64)
    sizes = np.abs(sums)[np.abs(sums) > ROUNDING]
    total = float(sums.sum())
    if not len(sizes):
        return 1.0
    if total >= sizes.sum() - ROUNDING:
        return float(0.5 ** len(sizes))
    whole = _whole(sizes)
    if whole is not None:
        return _exact(whole, total * float(whole.sum() / sizes.sum()))
    if len(sizes) <= FEW:
        return _tried(sizes, total)
    return _saddlepoint(sizes, total)


def _whole(sizes: Floats) -> Ints | None:
    """The sizes in their common unit; None where there is no unit, or too many of it."""
    for unit in UNITS:
        scaled = np.rint(sizes * unit)
        if np.abs(sizes * unit - scaled).max() < ROUNDING and scaled.min() > 0:
            whole: Ints = scaled.astype(np.int64)
            whole //= np.gcd.reduce(whole)
            return whole if whole.max() == 1 or whole.sum() <= LONGEST else None
    return None


def _exact(whole: Ints, total: float) -> float:
    span = int(whole.sum())
    up = (span + round(total)) // 2
    if whole.max() == 1:
        return float(functions.betainc(up, span - up + 1, 0.5)) if up > 0 else 1.0
    turn = -2j * pi / (span + 1) * np.arange((span + 1) // 2 + 1)
    product = np.ones(len(turn), dtype=np.complex128)
    for size, count in zip(*np.unique(whole, return_counts=True), strict=True):
        product *= ((1 + np.exp(turn * size)) / 2) ** count
    chances = np.fft.irfft(product, span + 1)
    return float(np.clip(chances[up:].sum(), 0.5 ** len(whole), 1.0))


def _tried(sizes: Floats, total: float) -> float:
    """Every combination of one half of the sums beside every one of the other."""
    one, other = (_combinations(half) for half in (sizes[::2], sizes[1::2]))
    below = np.searchsorted(np.sort(one), total - ROUNDING - other)
    return float(1 - below.mean() / len(one))


def _combinations(sizes: Floats) -> Floats:
    signs = (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes))) & 1
    return np.asarray((2 * signs - 1) @ sizes)


def _saddlepoint(sizes: Floats, total: float) -> float:
    if total < 0:
        return 1 - _saddlepoint(sizes, -total)
    scale = float(sizes.max())
    sizes, total = sizes / scale, total / scale
    variance = float((sizes**2).sum())
    if total < 1e-3 * sqrt(variance):
        return 0.5
    tilt = total / variance
    # The slope is concave in the tilt: steps from below stay below, and do not swing.
    for _ in range(60):
        slope = np.tanh(tilt * sizes)
        curve = float(sizes**2 @ (1 - slope**2))
        if curve < FLAT:
            break
        step = (total - float(sizes @ slope)) / curve
        tilt += step
        if step < 1e-9 * tilt:
            break
    curve = float(sizes**2 @ (1 - np.tanh(tilt * sizes) ** 2))
    cumulant = float((tilt * sizes + np.log1p(np.exp(-2 * tilt * sizes)) - log(2)).sum())
    # Chernoff's bound is above the chance at any tilt, and the nearer to all that there can be,
    # the closer, where the approximation divides by next to nothing.
    most = min(exp(cumulant - tilt * total), 0.5)
    if curve < FLAT:
        return max(most, 0.5 ** len(sizes))
    w = copysign(sqrt(max(2 * (tilt * total - cumulant), 0.0)), tilt)
    u = tilt * sqrt(curve)
    density = exp(-w * w / 2) / sqrt(2 * pi)
    found = float(functions.ndtr(-w)) + density * (1 / u - 1 / w)
    return min(max(found, 0.5 ** len(sizes)), most)

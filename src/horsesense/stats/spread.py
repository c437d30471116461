"""The spread of several recalls with its noise taken out: the standard deviation of what the
recalls would be with endless trials.

The sum of squares of observed recalls about their mean is that of the true recalls plus noise. Its
distribution is taken as a gamma of the same mean and variance (Satterthwaite 1946). No spread at
all is tested against it; the lower limit inverts that test, and is 0 exactly where the test does
not reject; the upper limit inverts a normal approximation of the sum.

Assumptions: trials are independent, or are worth an effective number (see `shares`); recalls go
together as the clusters show. It fails for one position far below many perfect ones, and with about
15 items in all (`docs/statistics.md`).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from horsesense.stats import functions
from horsesense.stats.two_way import Floats


class Spread(NamedTuple):
    """Of k recalls.

    Attributes:
        squares: sum of squares of the recalls about their mean, q.
        noise, noise2: trace of the noise of the recalls, and of its square.
        null, null2: the same if all recalls were equal.
        slope: relative variance of the signal, v.
        positions: k.
    """

    squares: float
    noise: float
    noise2: float
    null: float
    null2: float
    slope: float
    positions: int

    @classmethod
    def of(cls, hits: Floats, trials: Floats, correlation: Floats | None = None) -> Spread | None:
        """From hits and (effective) trials of each position; None for fewer than 2 positions.

        `correlation` of the recalls, (k, k), where items are seen in several positions.
        """
        used = trials > 0
        x, n = hits[used], trials[used]
        joint = np.eye(len(n)) if correlation is None else correlation[np.ix_(used, used)]
        k = len(n)
        if k < 2:
            return None
        centre = np.eye(k) - 1.0 / k
        recalls = x / n
        gaps = recalls - recalls.mean()
        drawn = (x + 2) / (n + 4)
        noise = centre @ _covariance(drawn * (1 - drawn) / (n + 4), joint) @ centre
        level = (x.sum() + 0.25) / (n.sum() + 0.5)
        null = centre @ _covariance(level * (1 - level) / n, joint) @ centre
        q, tau, tau2 = float(gaps @ gaps), float(np.trace(noise)), float((noise**2).sum())
        return cls(
            squares=q,
            noise=tau,
            noise2=tau2,
            null=float(np.trace(null)),
            null2=float((null**2).sum()),
            slope=(float(gaps @ noise @ gaps) + tau2) / (q + tau),
            positions=k,
        )

    def p(self) -> float:
        """p of equal recalls."""
        return _tail(self.squares, self.null, 2 * self.null2)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Spreads that are not rejected, in the unit of the recalls."""
        alpha = 1 - level
        z = float(functions.ndtri(1 - alpha / 2))
        signal = max(self.squares - self.noise, 0.0)
        half = signal + 2 * z * z * self.slope
        reach = half**2 - signal**2 + 2 * z * z * self.noise2
        low = 0.0 if self.p() > alpha else self._lower(alpha)
        high = max(half + sqrt(max(reach, 0.0)), low)
        return sqrt(low / self.positions), min(sqrt(high / self.positions), 0.5)

    def _lower(self, alpha: float) -> float:
        def excess(signal: float) -> float:
            u = signal / (signal + self.null)
            mean = signal + (1 - u) * self.null + u * self.noise
            variance = 2 * ((1 - u) * self.null2 + u * self.noise2) + 4 * signal * self.slope
            return _tail(self.squares, mean, variance) - alpha * (1 - u / 2)

        # By halves: scipy's search for a root takes longer to load than to measure small runs.
        low, high = 0.0, max(self.squares, 1e-12) * 2 + self.null
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) < 0 else (low, middle)
        return low


def _covariance(variance: Floats, correlation: Floats) -> Floats:
    deviation = np.sqrt(variance)
    return deviation[:, None] * correlation * deviation


def correlation(hits: Floats, trials: Floats) -> Floats:
    """Correlation of the recalls of positions over clusters, (k, k), from rows (clusters, k).

    Recalls of different clusters have none: one trial an item gives the identity. A recall that
    does not vary goes with no other. Few clusters show little: the correlations are drawn towards
    0 as if k more clusters had none.
    """
    asked = trials.sum(axis=0)
    recalls = np.divide(hits.sum(axis=0), asked, out=np.zeros(len(asked)), where=asked > 0)
    moved = hits - recalls * trials
    products = moved.T @ moved
    sizes = np.sqrt(np.diagonal(products))
    scale = sizes[:, None] * sizes
    # A variance in rounding noise is none.
    known = scale > 1e-9
    found: Floats = np.where(known, products / np.where(known, scale, 1.0), 0.0)
    clusters = int(trials.any(axis=1).sum())
    found *= clusters / (clusters + len(asked))
    np.fill_diagonal(found, 1.0)
    return found


def _tail(value: float, mean: float, variance: float) -> float:
    """P(gamma >= value), the gamma having a mean and a variance."""
    if not variance > 0:
        return float(value <= mean)
    return float(functions.gammaincc(mean**2 / variance, value * mean / variance))

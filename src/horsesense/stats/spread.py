"""The spread of several recalls with its noise taken out: the standard deviation of what the
recalls would be with endless trials.

The sum of squares of observed recalls about their mean is that of the true recalls plus noise. Its
distribution is taken as a gamma of the same mean and variance (Satterthwaite 1946). No spread at
all is tested against it; the lower limit inverts that test, and is 0 exactly where the test does
not reject; the upper limit inverts a normal approximation of the sum.

Assumptions: recalls of different positions are independent; trials are, or are worth an effective
number (see `shares`). Measured to fail for one position far below many perfect ones, and with
about 15 items in all (`docs/statistics.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincc
from scipy.stats import norm

from horsesense.stats.two_way import Floats


@dataclass(frozen=True, slots=True)
class Spread:
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
    def of(cls, hits: Floats, trials: Floats) -> Spread | None:
        """From hits and (effective) trials of each position; None for fewer than 2 positions."""
        used = trials > 0
        x, n = hits[used], trials[used]
        k = len(n)
        if k < 2:
            return None
        centre = np.eye(k) - 1.0 / k
        recalls = x / n
        gaps = recalls - recalls.mean()
        drawn = (x + 2) / (n + 4)
        noise = centre @ np.diag(drawn * (1 - drawn) / (n + 4)) @ centre
        level = (x.sum() + 0.25) / (n.sum() + 0.5)
        null = centre @ np.diag(level * (1 - level) / n) @ centre
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

    @property
    def corrected(self) -> float:
        """The spread (population standard deviation) with the noise taken off, 0 or more."""
        return sqrt(max(self.squares - self.noise, 0.0) / self.positions)

    def p(self) -> float:
        """p of equal recalls."""
        return _tail(self.squares, self.null, 2 * self.null2)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Spreads that are not rejected, in the unit of the recalls."""
        alpha = 1 - level
        z = float(norm.ppf(1 - alpha / 2))
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

        if excess(0.0) >= 0:
            return 0.0
        return float(brentq(excess, 0.0, max(self.squares, 1e-12) * 2 + self.null))


def _tail(value: float, mean: float, variance: float) -> float:
    """P(gamma >= value), the gamma having a mean and a variance."""
    return float(gammaincc(mean**2 / variance, value * mean / variance))

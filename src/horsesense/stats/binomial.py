"""Independent trials: exact limits of a share, and chances of numbers of hits."""

from __future__ import annotations

from functools import reduce
from math import sqrt

import numpy as np

from horsesense.stats import functions
from horsesense.stats.two_way import Floats


def limits(hits: float, n: float, alpha: float) -> tuple[float, float]:
    """Clopper and Pearson's limits (1934), each missed with a chance of at most `alpha`.

    Args:
        hits: between 0 and `n`; neither need be whole, as of effective numbers.
        n: trials, above 0.
        alpha: chance beyond each end, between 0 and 1.
    """
    low = float(functions.betaincinv(hits, n - hits + 1, alpha)) if hits > 0 else 0.0
    high = float(functions.betainccinv(hits + 1, n - hits, alpha)) if hits < n else 1.0
    return low, high


def numbers(chances: Floats) -> Floats:
    """Chance of each number of hits among trials with a chance each, (trials + 1,).

    Poisson-binomial: trials of one chance are binomial together.
    """
    kinds, trials = np.unique(chances, return_counts=True)
    each = (binomial(np.arange(n + 1.0), int(n), p) for p, n in zip(kinds, trials, strict=True))
    return reduce(np.convolve, each)


def binomial(k: Floats, n: int, p: float) -> Floats:
    """The binomial chance of k of n."""
    choose = functions.gammaln(n + 1) - functions.gammaln(k + 1) - functions.gammaln(n - k + 1)
    return np.asarray(np.exp(choose + functions.xlogy(k, p) + functions.xlog1py(n - k, -p)))


def score_ends(share: float, n: float, c: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share of `n` independent trials, `c` standard errors wide."""
    middle = n * share + c * c / 2
    reach = c * sqrt(n * share * (1 - share) + c * c / 4)
    low, high = (middle - reach) / (n + c * c), (middle + reach) / (n + c * c)
    # At the ends of the range the limit is the end itself, whatever its last bit says.
    return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))


def wilson(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share of independent trials; (NaN, NaN) for n = 0."""
    if n == 0:
        return float("nan"), float("nan")
    return score_ends(float(hits / n), float(n), float(functions.ndtri((1 + level) / 2)))

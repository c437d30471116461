"""Independent trials: exact limits of a share, and chances of numbers of hits."""

from __future__ import annotations

from functools import reduce

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
    each = (_numbers(int(n), float(p)) for p, n in zip(kinds, trials, strict=True))
    return reduce(np.convolve, each)


def _numbers(n: int, p: float) -> Floats:
    k = np.arange(n + 1.0)
    choose = functions.gammaln(n + 1) - functions.gammaln(k + 1) - functions.gammaln(n - k + 1)
    found: Floats = np.exp(choose + functions.xlogy(k, p) + functions.xlog1py(n - k, -p))
    return found

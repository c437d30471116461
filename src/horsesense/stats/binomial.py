"""Exact limits of a share of independent trials."""

from __future__ import annotations

from horsesense.stats import functions


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

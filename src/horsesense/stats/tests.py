"""Paired tests, and the interval of a proportion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions

Floats = npt.NDArray[np.float64]
FLIPS = 10_000


def wilson(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927); (NaN, NaN) for n = 0."""
    if n == 0:
        return float("nan"), float("nan")
    hits, n = float(hits), float(n)  # numpy's own numbers cannot be written as JSON
    z = float(functions.ndtri(1 - (1 - level) / 2))
    middle = (hits + z * z / 2) / (n + z * z)
    reach = z / (n + z * z) * float(np.sqrt(hits * (n - hits) / n + z * z / 4))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def mcnemar(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    """Exact two-sided p of McNemar's test on paired right/wrong answers; 1 if none differ."""
    only_first = int((first & ~second).sum())
    only_second = int((second & ~first).sum())
    if only_first + only_second == 0:
        return 1.0
    return float(functions.binomtest(only_first, only_first + only_second, 0.5).pvalue)


def sign_flip(sums: Floats, seed: int, flips: int = FLIPS) -> float:
    """Two-sided p of the sign-flip test that per-cluster differences have mean 0.

    The observed arrangement is counted as one of the `flips`, so p is never 0.
    """
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0
    rng = np.random.default_rng(seed)
    observed = abs(sums.sum())
    extreme = 0
    for start in range(0, flips - 1, 500):
        size = min(500, flips - 1 - start)
        signs = rng.integers(0, 2, (size, len(sums)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ sums) >= observed - 1e-12).sum())
    return (1 + extreme) / flips

"""Paired tests, corrections for many tests, and what a study could have seen at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, norm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

Floats = npt.NDArray[np.float64]
FLIPS = 10_000


def wilson(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion; (NaN, NaN) for n = 0."""
    if n == 0:
        return float("nan"), float("nan")
    low, high = proportion_confint(hits, n, alpha=1 - level, method="wilson")
    return float(low), float(high)


def mcnemar(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    """Exact two-sided p of McNemar's test on paired right/wrong answers; 1 if none differ."""
    only_first = int((first & ~second).sum())
    only_second = int((second & ~first).sum())
    if only_first + only_second == 0:
        return 1.0
    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def sign_flip(sums: Floats, seed: int, flips: int = FLIPS) -> float:
    """Two-sided p that per-cluster differences have mean 0, by flipping their signs.

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


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given."""
    return _adjusted(p_values, "holm")


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values, in the order given."""
    return _adjusted(p_values, "fdr_bh")


def _adjusted(p_values: Sequence[float], method: str) -> list[float]:
    return [float(p) for p in multipletests(p_values, method=method)[1]] if p_values else []


def smallest_detectable(se: float, level: float = 0.95, power: float = 0.8) -> float:
    """The true difference that a two-sided test would find with the given power."""
    return float((norm.ppf(1 - (1 - level) / 2) + norm.ppf(power)) * se)

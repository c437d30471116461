"""Corrections for many tests: Holm's, Holm's with weights, and Benjamini and Hochberg's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from horsesense.stats import functions

ROUNDING = 1e-12
"""By which sums of weights may fall short: p of 1 stays 1."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (Holm 1979), in the order given; valid under any dependence."""
    return weighted_holm(p_values, [1.0] * len(p_values))


def weighted_holm(p_values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values where some questions matter more, in the order given.

    The hypotheses are sorted by p / w; the adjusted p of the k-th is the largest, over j <= k, of
    (p_j / w_j) times the weights from the j-th on, and at most 1 (Holm 1979, section 3). The
    family-wise error rate is kept under any dependence as long as the weights do not depend on
    the p-values. A weight may be 0 (never rejected). Weights need not sum to 1.

    Raises:
        ValueError: the lengths differ, or a weight is negative or not finite.

    >>> weighted_holm([0.02, 0.02], [3, 1])
    [0.02666666666666667, 0.02666666666666667]
    """
    p, w = np.asarray(p_values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if p.shape != w.shape:
        raise ValueError(f"{len(p)} p-values against {len(w)} weights")
    if not np.isfinite(w).all() or (w < 0).any():
        raise ValueError("weights must be finite and not negative")
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(w > 0, p / w, np.inf)
    order = np.argsort(scaled, kind="stable")
    left = np.cumsum(w[order][::-1])[::-1]
    steps = np.ones(len(p))
    used = w[order] > 0
    held = scaled[order][used] * left[used]
    steps[used] = np.where(held < 1 - ROUNDING, held, 1.0)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return [float(value) for value in adjusted]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg adjusted p-values, in the order given."""
    return [float(p) for p in functions.false_discovery_control(p_values)] if p_values else []

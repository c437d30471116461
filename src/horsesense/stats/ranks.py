"""Ranks of models with their uncertainty, and whether two rankings differ by sampling alone.

Every ordered pair is a one-sided hypothesis ("the first is not better than the second"). Holm's
method with weights over all of them keeps the chance of any wrong "better" at alpha under any
dependence, so that what follows from the decisions holds together: a rank interval runs from 1 plus
the number of models shown to be better to the number of models that are not shown to be worse
(Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", with Holm's bounds in place of
their bootstrap). Both ends hold at once for all models, in all rankings that were tested together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.stats import functions
from horsesense.stats.multiplicity import weighted_holm
from horsesense.stats.two_way import Bools, Floats

DRAWS = 2000
FAR = 1e4
"""A statistic beyond which noncentral chi-squared is normal, and slow."""


def directed(p_values: Sequence[float | None], weights: Sequence[float]) -> list[float | None]:
    """Adjusted p of the direction that was seen, from two-sided p-values of paired differences.

    Each difference stands for two one-sided hypotheses, of which at least one is true: the seen
    one has p / 2, its opposite 1 - p / 2. All of them are one family of Holm's with weights, so
    that an adjusted p below alpha shows the direction, and the chance of any wrong direction is
    alpha at most. None stays None.
    """
    known = [place for place, p in enumerate(p_values) if p is not None]
    seen = [(p_values[place] or 0.0) / 2 for place in known]
    given = [weights[place] for place in known]
    found = weighted_holm([*seen, *(1 - p for p in seen)], [*given, *given])
    adjusted: list[float | None] = [None] * len(p_values)
    for place, value in zip(known, found, strict=False):
        adjusted[place] = min(1.0, value)
    return adjusted


def rank_intervals(better: Bools) -> list[tuple[int, int]]:
    """Lowest and highest rank (1 is best) of each model; `better[j, k]`: j is shown to beat k."""
    n = len(better)
    return [(1 + int(better[:, model].sum()), n - int(better[model].sum())) for model in range(n)]


def ranks(scores: Floats) -> Floats:
    """Rank of each score, 1 for the highest; equal scores share the mean of their ranks."""
    return np.asarray(functions.rankdata(-np.round(scores, 12)))


def tau(first: Floats, second: Floats) -> float | None:
    """Kendall's tau-b of two rankings, -1 to 1; None where all are equal in one of them."""
    found = float(functions.kendalltau(np.round(first, 12), np.round(second, 12)).statistic)
    return None if np.isnan(found) else found


def tau_at_most(first: Floats, second: Floats) -> float:
    """Tau if every pair that is tied in one of them stood there as it does in the other.

    A tie turns no pair round, and yet makes tau-b of orders that do not tie elsewhere less than 1.
    """
    one, other = (np.sign(np.round(x[:, None] - x, 12)) for x in (first, second))
    pairs = np.triu_indices(len(first), 1)
    return 1 - 2 * float((one * other < 0)[pairs].mean())


@dataclass(frozen=True, slots=True)
class BySampling:
    """What Kendall's tau would be if the second ranking differed from the first by sampling alone.

    Attributes:
        low: what it stays above, but for a chance of alpha.
        median: of the draws.
        p_value: of so little agreement; both steps counted.
    """

    low: float
    median: float
    p_value: float


def tau_by_sampling(
    seen: float, first: Floats, errors: Floats, alpha: float, seed: int, draws: int = DRAWS
) -> BySampling:
    """Draw both rankings from the same true scores, with the sampling errors that they have.

    The true scores are the first ones, drawn towards their mean until they spread as little as
    they may: observed scores spread wider than true ones, and rankings of them would seem steadier
    than they are. Half of alpha is spent on that limit and half on the draws (Berger and Boos
    1994). The second ranking may be shifted by an equal amount for all models.

    Args:
        seen: tau of the two rankings; with ties, `tau_at_most`, as draws have none.
        first: scores, (models,).
        errors: what each cluster adds to the errors of both, (clusters, 2 models): first the
            errors of the first ranking, then those of the second.
        alpha: the chance of a tau below `low`.
    """
    n = len(first)
    covariance = errors.T @ errors * len(errors) / max(len(errors) - 1, 1)
    own = covariance[:n, :n]
    noise = float(np.trace(own) - own.sum() / n) / (n - 1)
    gaps = first - first.mean()
    true = _kept(float(gaps @ gaps), noise, n - 1, alpha / 2) * gaps
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.random.default_rng(seed).standard_normal((draws, 2 * n)) @ root.T
    found = _taus(true + drawn[:, :n], true + drawn[:, n:])
    return BySampling(
        low=float(np.quantile(found, alpha / 2, method="lower")),
        median=float(np.median(found)),
        p_value=min(1.0, alpha / 2 + float((1 + (found <= seen + 1e-12).sum()) / (1 + draws))),
    )


def _kept(squares: float, noise: float, freedom: int, alpha: float) -> float:
    """How much of the scores' spread is left at its lower limit, 0 to 1.

    The sum of squares over the noise is taken as noncentral chi-squared.
    """
    if noise <= 0:
        return 1.0
    seen = squares / noise
    if functions.chdtrc(freedom, max(seen, 0.0)) >= alpha:
        return 0.0
    if seen > FAR:
        return 1.0 + float(functions.ndtri(alpha)) / float(np.sqrt(seen))
    least = functions.brentq(lambda far: functions.ncx2.sf(seen, freedom, far) - alpha, 1e-9, seen)
    return float(np.sqrt(least / seen))


def _taus(first: Floats, second: Floats) -> Floats:
    """Kendall's tau of each row, (draws, models) each, without ties."""
    one, other = np.triu_indices(first.shape[1], 1)
    here = np.sign(first[:, one] - first[:, other])
    there = np.sign(second[:, one] - second[:, other])
    return np.asarray((here * there).mean(axis=1))


def errors_of(sums: Floats, pairs: Floats) -> Floats:
    """What each cluster adds to the error of each model's mean, (clusters, models).

    Args:
        sums: of each cluster and model, (clusters, models).
        pairs: items of each cluster, (clusters,).
    """
    n = pairs.sum()
    means = sums.sum(axis=0) / n
    return np.asarray((sums - np.outer(pairs, means)) / n)

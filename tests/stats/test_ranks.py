"""Ranks: corrected directions, intervals that hold together, Kendall's tau against sampling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from horsesense.stats.ranks import (
    directed,
    errors_of,
    rank_intervals,
    ranks,
    tau,
    tau_at_most,
    tau_by_sampling,
)


def test_the_first_step_is_bonferronis_and_later_ones_are_milder() -> None:
    first, second, third = directed([0.001, 0.02, 0.6], [1, 1, 1])
    assert first == pytest.approx(3 * 0.001)
    assert second == pytest.approx(5 * 0.02 / 2)  # one of six one-sided hypotheses is gone
    assert third == 1.0


def test_weights_favour_the_main_question_and_unknown_stays_unknown() -> None:
    main, other, unknown = directed([0.02, 0.02, None], [3, 1, 1])
    assert main < other
    assert unknown is None


def test_rank_intervals_count_what_is_shown() -> None:
    better = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    assert rank_intervals(better) == [(1, 1), (2, 3), (2, 3)]
    assert rank_intervals(np.zeros((3, 3), dtype=bool)) == [(1, 3)] * 3


def test_ranks_are_shared_by_equal_scores() -> None:
    assert ranks(np.array([0.2, 0.9, 0.9])).tolist() == [3.0, 1.5, 1.5]


def test_tau_is_scipys() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.random(8), rng.random(8)
    assert tau(one, other) == pytest.approx(kendalltau(one, other).statistic)
    assert tau(np.ones(3), other[:3]) is None


def test_a_tie_turns_no_pair_round() -> None:
    """A tau of .82 "would stay above 1.00": one pair of three tied."""
    apart, tied = np.array([0.95, 0.65, 0.6]), np.array([0.95, 0.6, 0.6])
    assert tau(apart, tied) == pytest.approx(0.816, abs=0.001)
    assert tau_at_most(apart, tied) == tau_at_most(tied, apart) == 1
    assert tau_at_most(apart, -apart) == -1
    assert tau_at_most(apart, np.array([0.6, 0.7, 0.5])) == pytest.approx(1 / 3)


def test_errors_add_up_to_nothing_and_have_the_spread_of_the_mean() -> None:
    rng = np.random.default_rng(2)
    sums = rng.random((500, 2))
    errors = errors_of(sums, np.ones(500))
    assert errors.sum(axis=0) == pytest.approx([0, 0])
    assert (errors**2).sum(axis=0) ** 0.5 == pytest.approx(sums.std(axis=0) / 500**0.5)


def drawn(scores: list[float], n: int, seed: int, alpha: float = 0.05) -> tuple[float, float]:
    """(tau, its lower end by sampling) of two samples of the same models on the same items."""
    rng = np.random.default_rng(seed)
    one, other = (rng.random((n, len(scores))) < scores for _ in range(2))
    errors = np.column_stack([errors_of(x.astype(float), np.ones(n)) for x in (one, other)])
    seen = tau(one.mean(axis=0), other.mean(axis=0))
    return seen, tau_by_sampling(seen, one.mean(axis=0), errors, alpha, seed, 400).low


def test_sampling_alone_seldom_gives_less() -> None:
    for scores in ([0.5] * 5, [0.5, 0.53, 0.56, 0.59], [0.3, 0.5, 0.7]):
        below = [seen < low for seen, low in (drawn(scores, 150, seed) for seed in range(60))]
        assert sum(below) <= 6, scores


def test_models_far_apart_cannot_change_places_by_sampling() -> None:
    assert drawn([0.1, 0.5, 0.9], 400, 0)[1] == 1.0
    assert drawn([0.5, 0.5, 0.5], 400, 0)[1] == -1.0

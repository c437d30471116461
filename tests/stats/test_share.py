"""Shares of as many trials as clusters are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from horsesense.stats.share import Share


@given(st.integers(0, 60))
def test_single_trials_have_clopper_and_pearsons_limits(hits: int) -> None:
    share = Share.of((np.arange(60) < hits) * 1.0, np.ones(60))
    expected = binomtest(hits, 60).proportion_ci(0.95)
    assert share.interval() == pytest.approx((expected.low, expected.high))
    assert share.p_above(0.4) == pytest.approx(binomtest(hits, 60, 0.4, "greater").pvalue)
    assert share.p_below(0.4) == pytest.approx(binomtest(hits, 60, 0.4, "less").pvalue)


def test_clusters_that_agree_are_worth_one_trial_each() -> None:
    hits, trials = np.array([5.0, 0, 5, 5, 0, 5, 0, 5, 5, 0]), np.full(10, 5.0)
    assert Share.of(hits, trials).effective == pytest.approx(10)
    assert Share.of(trials, trials).effective == pytest.approx(10)
    assert Share.of(hits, trials).trials == pytest.approx(10 * (2.0096 / 2.2622) ** 2, rel=1e-3)


def test_values_that_hardly_vary_are_worth_more() -> None:
    values = np.random.default_rng(0).uniform(0.4, 0.6, 60)
    assert Share.of(values, np.ones(60)).effective > 200


@pytest.mark.parametrize(("clusters", "size", "alike"), [(12, 5, 0.3), (30, 4, 0.3), (20, 5, 0.9)])
@pytest.mark.parametrize("truth", [0.25, 0.9])
def test_shares_are_covered(clusters: int, size: int, alike: float, truth: float) -> None:
    rng = np.random.default_rng(1)
    more = (1 - alike) / alike
    held = []
    for _ in range(500):
        chance = rng.beta(truth * more, (1 - truth) * more, clusters)
        hits = rng.binomial(size, chance).astype(float)
        low, high = Share.of(hits, np.full(clusters, float(size))).interval() or (0, 1)
        held.append(low <= truth <= high)
    assert np.mean(held) > 0.93


def test_two_clusterings_are_worth_no_more_than_either() -> None:
    rng = np.random.default_rng(2)
    item, prompt = np.repeat(np.arange(20), 5), np.tile(np.arange(25), 4)
    hits = ((item % 2 == 0) | (rng.random(100) < 0.2)) * 1.0
    both = Share.two_way(hits, np.ones(100), item, prompt)
    by_item = Share.of(np.bincount(item, hits), np.full(20, 5.0))
    assert both.effective <= by_item.effective * 1.05

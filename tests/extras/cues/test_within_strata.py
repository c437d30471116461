"""Differences within strata: exact p, intervals that agree with it, and clusters."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import xlogy
from scipy.stats import fisher_exact

from horsesense_extras.cue_tests.within_strata import FEW_CLUSTERS, NO_PAIR, WithinStrata, likeliest


def counts(*strata: tuple[int, int, int, int]) -> WithinStrata:
    """From right and all of the first group, and of the other, in each stratum."""
    values, first, number = [], [], []
    for place, (x1, n1, x0, n0) in enumerate(strata):
        values += [1.0] * x1 + [0.0] * (n1 - x1) + [1.0] * x0 + [0.0] * (n0 - x0)
        first += [True] * n1 + [False] * n0
        number += [place] * (n1 + n0)
    return alone(np.array(values), np.array(first), np.array(number))


def alone(
    values: npt.NDArray[np.float64], first: npt.NDArray[np.bool_], strata: npt.NDArray[np.int64]
) -> WithinStrata:
    return WithinStrata.of(values, first, strata, np.arange(len(values)))


def test_p_of_one_stratum_is_twice_the_smaller_tail_of_fisher() -> None:
    """50 of 50 against 163 of 170 is nothing; a sandwich error had p = .007."""
    found = counts((50, 50, 163, 170))
    tail = fisher_exact([[50, 0], [163, 7]], alternative="greater").pvalue
    assert found.p() == pytest.approx(2 * tail)
    low, high = found.interval() or (1.0, 0.0)
    assert low < 0 < high


def test_p_of_several_strata_is_that_of_all_deals() -> None:
    strata = [(2, 3, 1, 3), (3, 3, 1, 2)]
    found = counts(*strata)
    sums = np.zeros(1)
    for x1, n1, x0, n0 in strata:
        answers = [1] * (x1 + x0) + [0] * (n1 + n0 - x1 - x0)
        deals = np.array([sum(deal) for deal in combinations(answers, n1)])
        sums = (sums[:, None] + deals).reshape(-1)
    assert found.p() == pytest.approx(min(1.0, 2 * min((sums >= 5).mean(), (sums <= 5).mean())))


def test_means_of_several_answers_have_the_p_of_all_deals() -> None:
    values = np.array([0.2, 0.4, 1.0, 0.9, 0.1, 0.0, 0.3])
    first = np.array([0, 0, 1, 1, 0, 0, 1], bool)
    deals = np.array([sum(deal) for deal in combinations(values, 3)])
    exact = 2 * float((deals >= values[first].sum() - 1e-9).mean())
    assert alone(values, first, np.zeros(7, int)).p() == pytest.approx(exact, abs=0.01)


def test_strata_of_one_group_alone_say_nothing() -> None:
    assert counts((3, 5, 0, 0)).reason == NO_PAIR
    assert counts((3, 5, 0, 0)).estimate is None
    assert counts((3, 5, 2, 5), (0, 4, 0, 0)).p() == counts((3, 5, 2, 5)).p()


@pytest.mark.parametrize("seed", range(8))
def test_the_likeliest_shares_are_those_of_a_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n1, n0 = rng.integers(1, 40, 2)
    x1, x0 = rng.integers(0, n1 + 1), rng.integers(0, n0 + 1)
    d = rng.uniform(-0.99, 0.99)
    p = np.linspace(max(0, -d), min(1, 1 - d), 20_001)
    ways = xlogy(x1, p + d) + xlogy(x0, p)
    ways += xlogy(n1 - x1, np.maximum(1 - p - d, 0)) + xlogy(n0 - x0, np.maximum(1 - p, 0))
    found = likeliest(*(np.array([float(v)]) for v in (x1, n1, x0, n0)), d)
    assert found[1][0] == pytest.approx(p[ways.argmax()], abs=1e-4)
    assert found[0][0] - found[1][0] == pytest.approx(d)


def test_the_interval_is_that_of_the_score() -> None:
    """Miettinen and Nurminen's interval of one stratum, by a search for where the score ends."""
    x1, n1, x0, n0 = 56, 70, 48, 80
    low, high = counts((x1, n1, x0, n0)).interval() or (1.0, 0.0)
    for end in (low, high):
        p1, p0 = likeliest(*(np.array([float(v)]) for v in (x1, n1, x0, n0)), end)
        variance = (p1 * (1 - p1) / n1 + p0 * (1 - p0) / n0) * (n1 + n0) / (n1 + n0 - 1)
        assert abs(x1 / n1 - x0 / n0 - end) / variance[0] ** 0.5 == pytest.approx(
            1.959964, abs=1e-4
        )
    assert (low, high) == (pytest.approx(0.0528, abs=2e-4), pytest.approx(0.3382, abs=2e-4))


@pytest.mark.parametrize("size", [1, 3])
def test_p_is_below_alpha_exactly_where_the_interval_leaves_out_no_difference(size: int) -> None:
    rng = np.random.default_rng(size)
    both = set()
    for _ in range(400):
        n = int(rng.integers(8, 60))
        first, strata = rng.random(n) < rng.uniform(0.1, 0.9), rng.integers(0, 2, n)
        share = rng.uniform(0.2, 1) - rng.uniform(0, 0.8) * first
        values = (np.repeat(rng.random(n), size)[:n] < share).astype(float)
        found = WithinStrata.of(values, first, strata, np.arange(n) // size)
        level = rng.uniform(0.5, 0.999)
        p, ends = found.p(), found.interval(level)
        assert (p is None) == (ends is None) == bool(found.reason)
        if p is not None and ends is not None and found.estimate is not None:
            assert (p < 1 - level) == (not ends[0] <= 0 <= ends[1])
            assert -1 <= ends[0] <= found.estimate <= ends[1] <= 1
            both.add(p < 1 - level)
    assert both == {True, False}


def test_few_groups_have_no_interval_and_a_reason() -> None:
    rng = np.random.default_rng(3)
    values, first = (rng.random(60) < 0.6).astype(float), rng.random(60) < 0.5
    found = WithinStrata.of(values, first, np.zeros(60, int), np.arange(60) // 20)
    assert (found.p(), found.interval(), found.reason) == (None, None, FEW_CLUSTERS)
    # Many groups, of which two are predicted: these alone could tell.
    whole = np.arange(60) // 4 < 2
    found = WithinStrata.of(values, whole, np.zeros(60, int), np.arange(60) // 4)
    assert found.reason == FEW_CLUSTERS


def test_groups_that_agree_count_as_one_value_each() -> None:
    """40 groups of five copies, predicted as wholes: about the variance of 40 items."""
    rng = np.random.default_rng(4)
    each, first = (rng.random(40) < 0.6).astype(float), np.arange(40) % 2 == 0
    copies = WithinStrata.of(
        np.repeat(each, 5), np.repeat(first, 5), np.zeros(200, int), np.arange(200) // 5
    )
    assert copies.correlation == pytest.approx(1, abs=0.02)
    assert copies.design_effect == pytest.approx(5, rel=0.06)
    assert copies.p() == pytest.approx(alone(each, first, np.zeros(40, int)).p(), abs=0.03)


@pytest.mark.parametrize(
    ("n", "easy", "right", "size", "whole", "wald"),
    [
        (220, 0.25, 0.98, 1, False, 0.10),
        (1000, 0.03, 0.97, 1, False, 0.25),
        (400, 0.25, 0.95, 4, True, 0.0),
        (200, 0.5, 0.7, 20, True, 0.0),
    ],
)
def test_innocent_models_are_rarely_said_to_use_cues(
    n: int, easy: float, right: float, size: int, whole: bool, wald: float
) -> None:
    """Answers by lot, of one group alike: p <= .05 in at most 6 %.

    The test by a sandwich error and a normal quantile has it more often than `wald`.
    """
    rng, studies = np.random.default_rng(n + size), 250
    group = np.arange(n) // size
    found = naive = 0
    for _ in range(studies):
        values = (rng.random(group[-1] + 1)[group] < right).astype(float)
        lot = rng.random(group[-1] + 1)[group] if whole else rng.random(n)
        first = lot < easy
        p = WithinStrata.of(values, first, np.zeros(n, int), group).p()
        found += p is not None and p <= 0.05
        if first.all() or not first.any():
            continue
        apart = values[first].mean() - values[~first].mean()
        error = np.sqrt(values[first].var() / first.sum() + values[~first].var() / (~first).sum())
        naive += error > 0 and abs(apart) > 1.959964 * error
    assert found / studies <= 0.06
    assert naive / studies > wald

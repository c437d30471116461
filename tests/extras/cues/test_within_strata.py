"""Differences within strata: their p, intervals that agree with it, and clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import hypergeom

from horsesense_extras.cue_tests.dependence import (
    ALIKE,
    FEW_CLUSTERS,
    NO_PAIR,
    Difference,
    difference,
)


def counts(*strata: tuple[int, int, int, int]) -> Difference:
    """From right and all of the first group, and of the other, in each stratum."""
    values, first, number = [], [], []
    for place, (x1, n1, x0, n0) in enumerate(strata):
        values += [1.0] * x1 + [0.0] * (n1 - x1) + [1.0] * x0 + [0.0] * (n0 - x0)
        first += [True] * n1 + [False] * n0
        number += [place] * (n1 + n0)
    return alone(np.array(values), np.array(first), np.array(number))


def alone(
    values: npt.NDArray[np.float64], first: npt.NDArray[np.bool_], strata: npt.NDArray[np.int64]
) -> Difference:
    return difference(values, first, strata, np.arange(len(values)))


# Two labels of four items each; in both, easy items are answered right half as often again:
# label 0: 2/2 against 1/2 (+0.5), label 1: 1/2 against 0/2 (+0.5); equal weights.
def test_the_difference_of_a_worked_example() -> None:
    assert counts((2, 2, 1, 2), (1, 2, 0, 2)).estimate == pytest.approx(0.5)


def test_p_of_one_stratum_is_that_of_all_deals() -> None:
    """50 of 50 against 163 of 170 is nothing; a sandwich error alone had p = .007."""
    found = counts((50, 50, 163, 170))
    right = np.arange(43, 51)
    apart = np.abs(right / 50 - (213 - right) / 170)
    beyond = apart >= apart[-1] - 1e-9
    assert found.p == pytest.approx(hypergeom.pmf(right[beyond], 220, 213, 50).sum(), abs=0.04)
    assert found.low < 0 < found.high


def test_strata_of_one_group_alone_say_nothing() -> None:
    assert counts((3, 5, 0, 0)) == Difference(None, reason=NO_PAIR)
    assert counts((0, 5, 0, 7)) == Difference(0.0, reason=ALIKE), "no spread, so no interval"
    assert counts((3, 5, 2, 5), (0, 4, 0, 0)) == counts((3, 5, 2, 5))


@pytest.mark.parametrize("size", [1, 3])
def test_p_is_below_alpha_exactly_where_the_interval_leaves_out_no_difference(size: int) -> None:
    rng = np.random.default_rng(size)
    both = set()
    for _ in range(120):
        n = int(rng.integers(8, 60))
        first, strata = rng.random(n) < rng.uniform(0.1, 0.9), rng.integers(0, 2, n)
        share = rng.uniform(0.2, 1) - rng.uniform(0, 0.8) * first
        values = (np.repeat(rng.random(n), size)[:n] < share).astype(float)
        found = difference(values, first, strata, np.arange(n) // size)
        assert (found.p is None) == (found.low is None) == bool(found.reason)
        if found.p is not None and found.low is not None and found.high is not None:
            assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
            assert -1 <= found.low <= (found.estimate or 0) <= found.high <= 1
            both.add(found.p < 0.05)
    assert both == {True, False}


def test_few_groups_have_no_interval_and_a_reason() -> None:
    rng = np.random.default_rng(3)
    values, first = (rng.random(60) < 0.6).astype(float), rng.random(60) < 0.5
    found = difference(values, first, np.zeros(60, int), np.arange(60) // 20)
    assert (found.p, found.low, found.reason) == (None, None, FEW_CLUSTERS)
    # Many groups, of which two are predicted: these alone could tell.
    whole = np.arange(60) // 4 < 2
    found = difference(values, whole, np.zeros(60, int), np.arange(60) // 4)
    assert found.reason == FEW_CLUSTERS


def test_groups_that_agree_count_as_one_value_each() -> None:
    """40 groups of five copies, predicted as wholes: the p of 40 items."""
    rng = np.random.default_rng(4)
    each, first = (rng.random(40) < 0.6).astype(float), np.arange(40) % 2 == 0
    copies = difference(
        np.repeat(each, 5), np.repeat(first, 5), np.zeros(200, int), np.arange(200) // 5
    )
    assert copies.p == pytest.approx(alone(each, first, np.zeros(40, int)).p, abs=0.03)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("n", "easy", "right", "size", "whole", "wald"),
    [
        pytest.param(220, 0.25, 0.98, 1, False, 0.10, marks=pytest.mark.slow),
        (300, 0.05, 0.97, 1, False, 0.5),
        pytest.param(400, 0.25, 0.95, 4, True, 0.0, marks=pytest.mark.slow),
        (200, 0.5, 0.7, 20, True, 0.0),
    ],
)
def test_innocent_models_are_rarely_said_to_use_cues(
    monkeypatch: pytest.MonkeyPatch,
    n: int, easy: float, right: float, size: int, whole: bool, wald: float,
) -> None:  # fmt: skip
    """Answers by lot, of one group alike: p <= .05 in at most 7 % of 150 (5 % may be).

    The test by a sandwich error and a normal quantile has it more often than `wald`.
    """
    monkeypatch.setattr("horsesense_extras.cue_tests.dependence.DRAWS", 199)
    rng, studies = np.random.default_rng(n + size), 150
    group = np.arange(n) // size
    found = naive = 0
    for _ in range(studies):
        values = (rng.random(group[-1] + 1)[group] < right).astype(float)
        lot = rng.random(group[-1] + 1)[group] if whole else rng.random(n)
        first = lot < easy
        p = difference(values, first, np.zeros(n, int), group).p
        found += p is not None and p <= 0.05
        if first.all() or not first.any():
            continue
        apart = values[first].mean() - values[~first].mean()
        error = np.sqrt(values[first].var() / first.sum() + values[~first].var() / (~first).sum())
        naive += error > 0 and abs(apart) > 1.959964 * error
    assert found / studies <= 0.07
    assert naive / studies > wald

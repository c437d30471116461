"""Smooth functions of counts, refitted statistics, spreads, and power."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom
from scipy.stats import t as student

from horsesense.stats.change import Change
from horsesense.stats.power import as_single, minimum_detectable, power, smallest_change
from horsesense.stats.quotient import Quotient
from horsesense.stats.smooth import jackknife, smooth
from horsesense.stats.spread import Spread
from horsesense.stats.two_way import alike

Floats = npt.NDArray[np.float64]


def ones(n: int) -> Floats:
    return np.ones(n)


def balanced(totals: Floats) -> Floats:
    a, b, c, d = (totals[..., i] for i in range(4))
    return (a / (a + b) + c / (c + d)) / 2


def test_a_smooth_function_at_its_end_has_a_width_and_is_hautus_for_single_trials() -> None:
    rows = np.array([[1.0, 0, 0, 0]] * 20 + [[0, 0, 1.0, 0]] * 20)
    found = smooth(rows, balanced, low=0.0, high=1.0)
    # s = (40 + 1) / (40 + 1) = 1: half a trial in each cell
    assert found.estimate == pytest.approx(20.5 / 21)
    low, high = found.interval()
    assert low < 0.96
    assert high == 1.0
    assert found.p(found.estimate) == 1.0


def test_balanced_accuracy_covers() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1500):
        rows = np.zeros((40, 4))
        hits = rng.random(40) < 0.9
        rows[np.arange(40), np.where(np.arange(40) < 20, 0, 2) + ~hits] = 1
        low, high = smooth(rows, balanced, low=0, high=1).interval()
        held += low <= 0.9 <= high
    assert held / 1500 >= 0.93 - 0.02


def test_the_jackknife_of_a_mean_is_students_interval() -> None:
    values = np.random.default_rng(6).normal(size=25)
    rows = np.column_stack([values, ones(25)])
    found = jackknife(rows, lambda t: t[..., 0] / t[..., 1])
    assert found.se == pytest.approx(values.std(ddof=1) / 5)
    reach = student.ppf(0.975, 24) * found.se
    assert found.interval() == pytest.approx((values.mean() - reach, values.mean() + reach))
    assert jackknife(np.ones((9, 2)), lambda t: t[..., 0] / t[..., 1]).interval() is None


def test_few_large_clusters_are_worth_few() -> None:
    """18 clusters of one item and two of 30 had Student's t with 19 degrees of freedom."""
    sizes = np.repeat([1, 30], [18, 2])
    rng = np.random.default_rng(7)
    rows = np.column_stack([np.repeat(rng.uniform(0.2, 0.8, 20), sizes), ones(78)])
    cluster = np.repeat(np.arange(20), sizes)
    uneven = jackknife(rows, lambda t: t[..., 0] / t[..., 1], cluster=cluster)
    assert uneven.degrees == pytest.approx(78**2 / 1818 - 1)
    sums = np.bincount(cluster, weights=rows[:, 0])
    counts = smooth(np.column_stack([sums, sizes - sums]), lambda t: t[..., 0] / t.sum(axis=-1))
    assert counts.degrees == pytest.approx(uneven.degrees)
    assert Quotient.of(sums, sizes, sizes).even == pytest.approx(uneven.degrees + 1)
    alone = np.array([1.0, 1.0, 98.0])
    assert Quotient.of(alone * 0.5, alone, alone).interval(0.95) is None


def test_no_spread_is_inside_where_the_test_does_not_reject_it() -> None:
    rng = np.random.default_rng(7)
    seen = [0, 0]
    for _ in range(3000):
        k = int(rng.integers(2, 11))
        n = rng.integers(3, 60, k).astype(float)
        level = np.clip(rng.random() + rng.normal(0, rng.choice([0, 0.1, 0.3]), k), 0, 1)
        found = Spread.of(rng.binomial(n.astype(int), level).astype(float), n)
        low, high = found.interval()
        assert (found.p() <= 0.05) == (low > 0)
        assert low <= high
        seen[low > 0] += 1
    assert min(seen) > 300


def test_large_clusters_that_happen_to_agree_do_not_make_an_estimate_sure() -> None:
    """Whole clusters were covered in .63: three of 40 agree in more than a third of studies."""
    sizes = np.repeat([1, 40], [30, 3])
    cluster = np.repeat(np.arange(33), sizes)
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(300):
        right = np.repeat(rng.random(33) < 0.7, sizes)
        kinds = rng.random(len(cluster)) < 0.5
        rows = np.column_stack([kinds & right, kinds & ~right, ~kinds & right, ~kinds & ~right])
        low, high = jackknife(rows * 1.0, balanced, 0.0, 1.0, cluster).as_share()
        held += low <= 0.7 <= high
    assert held / 300 >= 0.93


def test_who_agrees_changes_nothing_where_clusters_have_one_size() -> None:
    rng = np.random.default_rng(9)
    place = np.repeat(np.arange(20), 4)
    for deviations in (rng.normal(size=80), np.repeat(rng.normal(size=20), 4)):
        assert alike(deviations, place, np.full(20, 4.0)) == pytest.approx(1)
    # One of the items of 12 small clusters deviates, and nothing in the large one.
    place, sizes = np.r_[np.arange(12), np.full(12, 12)], np.r_[ones(12), 12.0]
    deviations = np.r_[1.0, np.zeros(23)]
    assert alike(deviations, place, sizes) == pytest.approx((12 + 144) / 24)


@pytest.mark.parametrize("true", [(0.7,) * 4, (0.9, 0.6, 0.6, 0.6), (0.95,) * 4])
def test_the_spread_of_recalls_covers_where_there_is_none_and_where_there_is(
    true: tuple[float, ...],
) -> None:
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(1000):
        found = Spread.of(rng.binomial(50, true).astype(float), np.full(4, 50.0))
        low, high = found.interval()
        held += low <= np.std(true) <= high
    assert held / 1000 >= 0.93 - 0.021


def test_two_positions_at_least() -> None:
    assert Spread.of(np.array([3.0, 0]), np.array([5.0, 0])) is None


def test_clusters_that_are_nearly_all_single_count_as_fewer_items() -> None:
    assert as_single(ones(400)) == 400
    assert as_single(np.append(ones(1538), [2.0, 2.0])) == 1538
    assert as_single(np.append(ones(360), 2 * ones(20))) == 364
    assert as_single(np.append(ones(358), 2 * ones(21))) is None, "mean size 1.105"
    assert as_single(np.append(ones(990), 10.0)) == 917
    assert as_single(np.zeros(0)) == 0


@pytest.mark.parametrize("alpha", [0.05, 0.002])
def test_power_is_that_of_all_outcomes_added_up(alpha: float) -> None:
    n, base, change = 30, 0.1, 0.3
    expected = 0.0
    for differ in range(n + 1):
        for ahead in range(differ + 1):
            p = min(1.0, 2 * binom.sf(max(ahead, differ - ahead) - 1, differ, 0.5))
            if differ and p <= alpha:
                share = (change + base / 2) / (base + change)
                expected += binom.pmf(differ, n, base + change) * binom.pmf(ahead, differ, share)
    assert power(n, base, change, alpha) == pytest.approx(expected, abs=1e-6)


def test_a_minimum_detectable_effect_is_found_four_times_in_five() -> None:
    rng, found = np.random.default_rng(1), []
    for _ in range(30):
        pilot = Change.of(rng.choice([1.0, -1, 0], p=[0.05, 0.05, 0.9], size=300), np.ones(300))
        least = minimum_detectable(pilot)
        found.append(power(300, 0.1, least, 0.05))
    assert 0.75 < np.mean(found) < 0.9


def test_none_is_named_of_few_pairs_of_clusters_or_of_means_over_forms() -> None:
    assert minimum_detectable(Change.of(np.zeros(20), np.ones(20))) is None
    assert minimum_detectable(Change.of(np.ones(40), np.full(40, 2.0))) is None
    assert minimum_detectable(Change.of(np.full(40, 0.25), np.ones(40))) is None
    assert smallest_change(5, 0.2, 0.001) is None

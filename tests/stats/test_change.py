"""Signs of clusters' sums, and the interval of a mean change."""

from __future__ import annotations

from itertools import product
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from scipy.stats import t as student

from each import each
from horsesense.stats import flips
from horsesense.stats.change import FEWEST, Change


def changes(plus: int, minus: int, n: int) -> Change:
    d = np.array([1.0] * plus + [-1.0] * minus + [0.0] * (n - plus - minus))
    return Change.of(d, np.ones(n))


@given(st.lists(st.floats(-3, 3).map(lambda x: round(x, 7)), min_size=1, max_size=9))
def test_the_tail_is_that_of_all_signs(sums: list[float]) -> None:
    sizes, total = np.abs(sums), sum(sums)
    every = [
        sum(s * a for s, a in zip(signs, sizes, strict=True))
        for signs in product((-1, 1), repeat=len(sums))
    ]
    expected = np.mean(np.array(every) >= total - 1e-9)
    assert flips.tail(np.array(sums)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [15, 40, 400])
@pytest.mark.parametrize("shift", [0.05, 0.3])
def test_the_approximate_tail_is_near_that_of_drawn_signs(n: int, shift: float) -> None:
    rng = np.random.default_rng(n)
    sums = rng.normal(shift / (n / 15) ** 0.5, 1, n)
    signs = rng.integers(0, 2, (20_000, n), dtype=np.int8) * 2 - 1
    drawn = float((signs @ np.abs(sums) >= sums.sum()).mean())
    assert flips.tail(sums) == pytest.approx(drawn, abs=0.015)


def test_quarters_and_thirds_are_added_up_exactly() -> None:
    quarters = np.array([3, -1, 2, 2, -4, 1, 1, 5, -2, 3, 3, 1, 2, 2, 1, -1]) / 4
    near = quarters + np.random.default_rng(0).normal(0, 1e-5, 16)
    exact, tried = flips.tail(quarters), np.mean([flips.tail(quarters), flips.tail(near)])
    assert exact == pytest.approx(tried, rel=0.2)


@settings(max_examples=80, deadline=None)
@given(st.integers(15, 60), st.floats(1e-8, 1e-2), st.integers(0, 99))
def test_one_small_sum_against_all_others_has_a_small_chance(
    n: int, size: float, seed: int
) -> None:
    """Of 40 sums that all rise but for one of .0001, the tail divided by zero."""
    sums = np.random.default_rng(seed).uniform(0.3, 1.0, n)
    sums[0] = -size
    assert 0.5**n <= flips.tail(sums) <= 0.5 ** (n - 1) * 20
    assert flips.tail(-sums) > 0.99


def test_a_test_of_three_thousand_clusters_takes_no_time() -> None:
    sums = np.random.default_rng(1).normal(0.02, 1, 3000)
    flips.tail(sums)
    start = perf_counter()
    for _ in range(10):
        flips.tail(sums)
    assert (perf_counter() - start) / 10 < 0.02  # .6 ms on an idle core


@given(st.integers(0, 40), st.integers(0, 40))
def test_single_items_have_mcnemars_exact_p(plus: int, minus: int) -> None:
    found = changes(plus, minus, 100).p()
    differ = plus + minus
    expected = binomtest(plus, differ, 0.5).pvalue if differ else 1.0
    assert found == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60))
def test_the_interval_leaves_out_no_change_exactly_where_p_is_small(
    plus: int, minus: int, same: int
) -> None:
    change = changes(plus, minus, plus + minus + same + 8)
    low, high = change.interval() or (-1.0, 1.0)
    assert (not low <= 0 <= high) == (change.p() < 0.05)
    assert low - 1e-12 <= change.estimate <= high + 1e-12
    mirrored = changes(minus, plus, plus + minus + same + 8).interval()
    assert mirrored == pytest.approx((-high, -low))


@given(st.floats(-0.3, 0.3), st.integers(0, 2**32 - 1))
def test_each_side_is_the_test_that_the_interval_inverts(delta: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    change = Change.of(rng.integers(-2, 4, 40) * 1.0, np.full(40, 4.0))
    ends = change.interval(0.9)
    if abs(delta) > 1e-3 and min(abs(delta - end) for end in ends) > 1e-6:
        outside = min(change.p_above(delta), change.p_below(delta)) < 0.05
        assert outside == (not ends[0] <= delta <= ends[1])


@each(("clusters", "size", "changing"), [(12, 5, 0.2), (20, 5, 0.3), (30, 5, 0.3), (10, 10, 0.4)])
def test_a_few_equal_clusters_are_nearly_as_narrow_as_students_t(
    clusters: int, size: int, changing: float
) -> None:
    rng, wide = np.random.default_rng(3), []
    for _ in range(100):
        chances = [changing / 2, changing / 2, 1 - changing]
        d = rng.choice([1.0, -1, 0], p=chances, size=(clusters, size)).sum(axis=1)
        ends = Change.of(d, np.full(clusters, float(size))).interval()
        usual = 2 * student.ppf(0.975, clusters - 1) * d.std(ddof=1) / size / clusters**0.5
        wide.append((ends[1] - ends[0]) / usual)
    assert np.mean(wide) < 1.3


@pytest.mark.parametrize(
    ("n", "size", "alike", "changing", "delta"),
    [(300, 1, 0.0, 0.15, 0.05), (60, 1, 0.0, 0.2, 0.1), (30, 5, 1.0, 0.3, 0.1)],
)
def test_changes_are_covered(
    n: int, size: int, alike: float, changing: float, delta: float
) -> None:
    rng, held, wrong = np.random.default_rng(4), [], []
    chances = [(changing + delta) / 2, (changing - delta) / 2, 1 - changing]
    for _ in range(600):
        own = rng.choice([1, -1, 0], p=chances, size=(n, size))
        d = np.where(rng.random((n, 1)) < alike, own[:, :1], own).sum(axis=1) * 1.0
        change = Change.of(d, np.full(n, float(size)))
        low, high = change.interval() or (-1, 1)
        held.append(low <= delta <= high)
        wrong.append(change.p_below(delta) <= 0.05)
    assert np.mean(held) > 0.93
    assert np.mean(wrong) < 0.07


def test_where_nothing_changed_the_interval_is_what_so_many_could_miss() -> None:
    low, high = changes(0, 0, 300).interval() or (0, 0)
    assert -low == high == pytest.approx(3.8 / 300, rel=0.1)


def test_few_or_unequal_clusters_are_worth_too_few() -> None:
    assert Change.of(np.ones(7), np.ones(7)).worth < FEWEST
    assert Change.of(np.ones(60), np.array([100.0] + [1.0] * 59)).worth < FEWEST
    assert Change.of(np.ones(3), np.ones(3)).interval() is None


def test_two_clusterings_are_never_surer_than_either() -> None:
    rng = np.random.default_rng(5)
    item, prompt = np.repeat(np.arange(20), 5), np.tile(np.arange(25), 4)
    d = rng.integers(-1, 2, 100) * 1.0 + 0.1 * (item % 3)
    d = np.clip(d, -1, 1)
    both = Change.two_way(d, item, prompt)
    alone = [Change.of(np.bincount(one, d), np.bincount(one) * 1.0) for one in (item, prompt)]
    assert both.p() >= max(each.p() for each in alone) - 1e-9

"""Differences of means over several forms, and differences that are ruled out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from horsesense.findings.evidence import Evidence
from horsesense.measures.base import Rows
from horsesense.stats.paired import Paired, relabelled


def test_two_forms_have_mcnemars_variance_and_several_that_of_matched_sets() -> None:
    one = np.ones(4)
    here, base = np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 1, 0])
    assert relabelled(here, one, base, one).tolist() == [1, 1, 0, 0]
    # One of ten forms right, whichever: p (1 - p) (10 / 9)^2.
    for right, published in [(1 / 9, 0.0), (0.0, 1.0)]:
        found = relabelled(*(np.array([x]) for x in (right, 9.0, published, 1.0)))
        assert found == pytest.approx(0.09 * (10 / 9) ** 2)


def test_relabelling_an_items_forms_has_that_variance() -> None:
    rng = np.random.default_rng(0)
    forms = np.array([1.0] * 2 + [0.0] * 5)
    drawn = np.array([rng.permutation(forms) for _ in range(20_000)])
    d = drawn[:, :4].mean(axis=1) - drawn[:, 4:].mean(axis=1)
    known = relabelled(*(np.array([x]) for x in (0.5, 4.0, 0.0, 3.0)))
    assert (d**2).mean() == pytest.approx(float(known[0]), rel=0.03)


def rows(d: list[float], chance: list[float]) -> Rows:
    return Rows(np.column_stack([d, np.ones(len(d))]), len(d), 0, relabelled=np.array(chance))


def test_noise_is_at_least_what_was_seen() -> None:
    assert rows([-1.0, 1 / 9], [0.1, 0.1]).noise == 1
    assert rows([1 / 9] * 4, [1 / 9] * 4).noise == pytest.approx(9)
    assert rows([0.0] * 4, [0.0] * 4).noise == 1
    assert Rows(np.ones((2, 2)), 2, 0).noise == 1
    parts = [(slice(0, 2), rows([0.5, 0], [1, 0])), (slice(2, 3), rows([0.5], [2]))]
    assert Rows.united(parts).noise == pytest.approx(6)


@pytest.mark.parametrize(("options", "know", "n"), [(10, 0.0, 25), (10, 0.6, 40), (5, 0.0, 12)])
def test_guessers_are_not_accused_by_the_rare_items_that_a_set_lacks(
    options: int, know: float, n: int
) -> None:
    rng = np.random.default_rng(options)
    alarms = np.zeros(2)
    forms = np.full(n, options - 1.0), np.ones(n)
    for _ in range(400):
        position, known = rng.integers(0, options, n), rng.random(n) < know
        here = np.where(known, 1.0, (position != 0) / forms[0])
        base = np.where(known, 1.0, position == 0)
        noise = rows((here - base).tolist(), relabelled(here, forms[0], base, forms[1])).noise
        p = [Paired.of(here - base, forms[1], factor).p() for factor in (1.0, noise)]
        alarms += [x < 0.01 for x in p]
    assert alarms[1] <= 8 < alarms[0]


def test_a_tiny_difference_changes_little() -> None:
    five = Paired.of(np.array([1.0] * 5 + [0.0] * 35), np.ones(40))
    for least in (1e-6, -1e-6, -1 / 9):
        more = Paired.of(np.array([1.0] * 5 + [least] + [0.0] * 34), np.ones(40))
        assert more.p() > 0.05
        assert more.p() == pytest.approx(five.p(), abs=0.02)


@pytest.mark.parametrize(("size", "n"), [(0.05, 400), (0.02, 1000), (0.1, 100)])
def test_what_is_just_as_large_as_its_size_is_ruled_out_no_more_often_than_stated(
    size: float, n: int
) -> None:
    """All outcomes in one direction, weighted by their chance."""
    seen = np.arange(int(n * size) + 2)
    p = np.ones(len(seen))
    for x in seen:
        pairs = Paired.of((np.arange(n) < x) * -1.0, np.ones(n))
        evidence = SimpleNamespace(about=pairs, interval=pairs.interval)
        p[x] = Evidence._side(evidence, -size, size)
    for alpha in (0.05, 0.005, 0.0005):
        assert binom.pmf(seen, n, size)[p < alpha].sum() <= alpha
    assert p.min() < 0.01


def test_the_nulls_variance_is_gone_at_the_estimate() -> None:
    """Changes under ten orders, none in the repeat: as wide as if squares were all, beyond it."""
    rng = np.random.default_rng(4)
    here, once = rng.binomial(10, 0.03, 300) / 10, np.ones(300)
    noise = rows(here.tolist(), relabelled(here, 10 * once, 0 * once, once)).noise
    assert noise > 4
    plain, pairs = (Paired.of(here, once, factor) for factor in (1.0, noise))
    assert pairs.interval()[1] == plain.interval()[1]
    assert 0 < pairs.interval()[0] < plain.interval()[0]
    assert pairs.tail(-0.05, 0.05) == plain.tail(-0.05, 0.05)
    for level in (0.5, 0.9, 0.99, 0.999, 0.99999):
        low, high = pairs.interval(level)
        assert (pairs.p() < 1 - level) == (not low <= 0 <= high)

"""Intervals are tested by their coverage, tests by their false alarms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from horsesense.stats.binomial import wilson
from horsesense.stats.multiplicity import benjamini_hochberg, holm
from horsesense.stats.two_way import by_cluster


def test_wilson_is_the_published_formula() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert np.isnan(wilson(0, 0)).all()


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_and_corrections_are_those_of_statsmodels(level: float) -> None:
    """Another program; it is not used itself because importing it takes half a second."""
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="needs the extra check")
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for n in (1, 7, 60, 1000):
        for hits in range(0, n + 1, max(1, n // 6)):
            theirs = proportion.proportion_confint(hits, n, alpha=1 - level, method="wilson")
            assert wilson(hits, n, level) == pytest.approx(theirs, abs=1e-12)
    p_values = list(np.random.default_rng(0).random(20) ** 3)
    assert holm(p_values) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])
    theirs = multitest.multipletests(p_values, method="fdr_bh")[1]
    assert benjamini_hochberg(p_values) == pytest.approx(theirs)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("n", [60, 500])
def test_wilson_covers(n: int, p: float) -> None:
    """Exact coverage: the sum of probabilities of the counts whose interval holds p."""
    counts = np.arange(n + 1)
    inside = [low <= p <= high for low, high in (wilson(int(x), n) for x in counts)]
    assert 0.93 <= binom.pmf(counts, n, p)[inside].sum() <= 0.975


def test_rows_add_up_per_cluster() -> None:
    rows = np.array([[1.0, 1], [0, 1], [1, 1]])
    assert by_cluster(rows, np.array([2, 2, 0]), 3).tolist() == [[1, 1], [0, 0], [1, 2]]

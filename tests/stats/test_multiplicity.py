"""Corrections against other programs and hand-worked values; equivalence against its intervals."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.stats.equivalence import equivalence, ruled_out, within
from horsesense.stats.multiplicity import holm, weighted_holm
from horsesense.stats.paired import Paired


def closed(p: list[float], w: list[float], alpha: float) -> list[bool]:
    """Rejections of the closure of weighted Bonferroni tests, by all subsets."""
    n = len(p)
    subsets = [[i for i in range(n) if mask >> i & 1] for mask in range(1, 2**n)]
    rejected = {
        tuple(s): any(p[i] <= alpha * w[i] / sum(w[j] for j in s) for i in s) for s in subsets
    }
    return [all(rejected[tuple(s)] for s in subsets if i in s) for i in range(n)]


def test_weighted_holm_is_the_closure_of_weighted_bonferroni() -> None:
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(300):
        n = int(rng.integers(1, 6))
        p, w = list(rng.random(n) ** 4), list(rng.random(n) + 0.05)
        found = [q <= 0.05 for q in weighted_holm(p, w)]
        assert found == closed(p, w, 0.05)
        seen.add(sum(found))
    assert {0, 1, 2, 3} <= seen


def test_a_p_of_one_stays_one_whatever_weights_sum_to() -> None:
    """0.9999999999999998, by how sums of tenths are rounded."""
    for weights in ([0.1] * 3, [0.3, 0.1, 0.1, 0.1], [0.7, 0.2, 0.1], [1 / 7] * 9):
        assert weighted_holm([1.0] * len(weights), weights) == [1.0] * len(weights)
        assert weighted_holm([0.2, *[1.0] * (len(weights) - 1)], weights)[1:] == [1.0] * (
            len(weights) - 1
        )


def test_equal_weights_are_plain_holm_and_the_scale_does_not_matter() -> None:
    p = [0.01, 0.04, 0.03]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06])
    assert weighted_holm(p, [0.2] * 3) == pytest.approx(holm(p))
    assert weighted_holm(p, [1, 0, 1]) == pytest.approx([0.02, 1.0, 0.03])
    with pytest.raises(ValueError, match="3 p-values against 1 weights"):
        weighted_holm(p, [1])
    with pytest.raises(ValueError, match="not negative"):
        weighted_holm([0.1], [-1])


def test_equivalence_agrees_with_the_interval_at_one_minus_two_alpha() -> None:
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(200):
        n = int(rng.integers(20, 400))
        d = rng.choice([-1.0, 0, 1], n, p=[0.03, 0.93, 0.04])
        pairs = Paired.of(d, np.ones(n))
        p = equivalence(pairs.interval, 0.05)
        inside = within(pairs.interval(0.9), -0.05, 0.05)
        assert (p < 0.05) == inside
        seen.add(inside)
    assert seen == {True, False}


def test_what_is_not_known_is_not_ruled_out() -> None:
    assert equivalence(lambda level: None, 0.05) == 0.5
    assert not within(None, -1, 1)
    with pytest.raises(ValueError, match="above 0"):
        equivalence(lambda level: (0.0, 0.0), 0)


def test_a_one_sided_bound_is_the_one_sided_test() -> None:
    from scipy.stats import norm

    def at(level: float) -> tuple[float, float]:
        z = float(norm.ppf((1 + level) / 2))
        return 1 - z, 1 + z

    assert ruled_out(at, -np.inf, 3.0) == pytest.approx(norm.sf(2.0), abs=1e-9)


def test_equivalence_errs_as_often_as_it_says() -> None:
    """A true difference at the margin is called smaller in about 5 % of studies (seed 2)."""
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(1500):
        d = rng.choice([-1.0, 0, 1], 300, p=[0.05, 0.85, 0.10])
        found += within(Paired.of(d, np.ones(300)).interval(0.9), -0.05, 0.05)
    assert found / 1500 <= 0.066

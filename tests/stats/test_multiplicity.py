"""Corrections against other programs and hand-worked values; equivalence against its intervals."""

from __future__ import annotations

import numpy as np
import pytest

from horsesense.stats.multiplicity import holm, weighted_holm


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
    assert holm([]) == []
    assert weighted_holm(p, [0.2] * 3) == pytest.approx(holm(p))
    assert weighted_holm(p, [1, 0, 1]) == pytest.approx([0.02, 1.0, 0.03])
    with pytest.raises(ValueError, match="3 p-values against 1 weights"):
        weighted_holm(p, [1])
    with pytest.raises(ValueError, match="not negative"):
        weighted_holm([0.1], [-1])

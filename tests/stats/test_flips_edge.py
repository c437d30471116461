"""Totals that are nearly all of what their sums can be."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.stats.flips import tail


@settings(max_examples=80, deadline=None)
@given(st.integers(15, 60), st.floats(1e-8, 1e-2), st.integers(0, 99))
def test_one_small_sum_against_all_others_has_a_small_chance(
    n: int, size: float, seed: int
) -> None:
    """Of 40 sums that all rise but for one of .0001, the tail divided by zero."""
    sums = np.random.default_rng(seed).uniform(0.3, 1.0, n)
    sums[0] = -size
    assert 0.5**n <= tail(sums) <= 0.5 ** (n - 1) * 20
    assert tail(-sums) > 0.99

"""Judgements of options that are proposed alone."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from cells import cell_of
from horsesense.measures.registry import MEASURES


def test_each_kind_of_option_misses_its_own_judgements() -> None:
    """16 of 252 wrong options were said to lack a reply, of which 4 were right ones."""
    cell = cell_of([[0, 1], [0, -99], [-99, 1]], [0, 0, 0], probe="true_false")
    held = cast("Any", cell)
    measure = MEASURES.get("true_false_consistency")
    rows = measure.rows(held)
    assert rows.n_missing == 2
    assert rows.missing is not None
    assert sum(rows.missing) == rows.n_missing
    assert np.all(rows.rows.sum(axis=0)[2:] + np.asarray(rows.missing) <= cell.asked.sum())

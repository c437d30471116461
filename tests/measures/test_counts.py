"""The n of a number counts what the number is made of, in every measure and every suite."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from cells import measured
from horsesense.measures.base import Estimate, Measure
from horsesense.measures.by_subject import RstdBySubject
from horsesense.measures.cells import MISSING, Cell
from horsesense.measures.registry import MEASURES
from horsesense.testing.conformance import random_cells


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return random_cells()


def clusters_of(e: Estimate) -> int | None:
    found = re.search(r"\((\d+) clusters\b", e.interval)
    return None if found is None else int(found[1])


def too_few(estimates: list[Estimate]) -> list[tuple[str, str, str, int, str]]:
    """Numbers that rest on fewer trials or items than on clusters of them."""
    return [
        (e.measure, e.probe, e.group, e.n, e.interval)
        for e in estimates
        if (clusters_of(e) or 0) > e.n
    ]


def test_no_measure_counts_fewer_than_its_clusters(cells: list[Cell]) -> None:
    estimates = measured(cells)
    assert sum(clusters_of(e) is not None for e in estimates) > 100
    assert too_few(estimates) == []


def defined(measure: Measure, cells: list[Cell]) -> Iterator[Cell]:
    return (cell for cell in measure.cells(cells) if measure.undefined_reason(cell) is None)


@pytest.mark.parametrize("measure", list(MEASURES), ids=lambda measure: measure.name)
def test_n_is_that_of_the_rows_or_of_the_group_in_the_denominator(
    measure: Measure, cells: list[Cell]
) -> None:
    """A value made of several columns has the n of all that enters, not that of one column."""
    own = [e for e in measured(cells, measure) if e.measure == measure.name and not e.note]
    for cell in defined(measure, cells):
        rows, groups = measure.rows(cell), measure.groups(cell)
        here = [e for e in own if (e.probe, e.condition, e.reader) ==
                (cell.probe, cell.condition, cell.reader) and e.group in groups]  # fmt: skip
        apart = measure.apart and len(groups) > 1
        for e in here:
            if apart:
                below = measure.split(rows.rows)[1][:, list(groups).index(e.group)]
                assert (below > 0).sum() <= e.n <= rows.n
            else:
                assert (e.n, e.n_missing) == (rows.n, rows.n_missing)


def test_spread_counts_every_trial_and_a_subject_its_own(cells: list[Cell]) -> None:
    original = next(cell for cell in cells if cell.probe == "original")
    known = original.read & (original.gold_at >= 0)
    (whole,) = [e for e in measured([original], "rstd") if not e.measure.endswith("_null")]
    assert whole.n == known.sum()
    assert whole.n_missing == (original.status == MISSING).sum()
    for e in measured([original], RstdBySubject()):
        of = np.arange(len(known)) % 3 == ("algebra", "law", "virology").index(e.group)
        assert e.n == known[of].sum()


def test_both_judgements_are_counted(cells: list[Cell]) -> None:
    judged = [cell for cell in cells if cell.probe == "true_false"]
    (e,) = measured(judged, "true_false_balanced_accuracy")
    assert e.n == judged[0].read.sum()

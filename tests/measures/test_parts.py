"""Measures over parts of cells: the same bytes in any parts and any order, and less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from horsesense.measures.agreement import PluralityAgreement
from horsesense.measures.base import Rows
from horsesense.measures.cells import Cell
from horsesense.measures.positions import Recall
from horsesense.testing.conformance import check_measure, random_cell


def test_rows_are_united_in_any_order() -> None:
    """Every measure over parts in their order: `check_measure`, in test_measures.py."""
    cell, measure = random_cell(3), PluralityAgreement()
    found = [(of, measure.rows(part)) for of, part in cell.parts(-(-cell.status.size // 7))]
    united, expected = Rows.united(found[::-1]), measure.rows(cell)
    assert united.rows.tobytes() == expected.rows.tobytes()
    assert (united.n, united.n_missing) == (expected.n, expected.n_missing)


def test_a_measure_that_depends_on_other_items_is_found_out() -> None:
    class Ranked(Recall):
        def rows(self, cell: Cell) -> Rows:
            rows = super().rows(cell)
            return rows._replace(rows=rows.rows / max(1, len(cell.item)))

    class Declared(Ranked):
        whole = True

    with pytest.raises(AssertionError, match="depend on other items"):
        check_measure(Ranked())
    check_measure(Declared())


def peak(work: Callable[[], object]) -> int:
    """Bytes that were held at most beyond what was there before."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_what_a_measure_takes_on_its_way_is_that_of_a_part() -> None:
    cell, measure = random_cell(3, n=20_000, r=16), PluralityAgreement()
    whole, parts = (peak(lambda n=n: measure.mapped(cell, n)) for n in (cell.status.size, 10_000))
    assert parts < whole / 4

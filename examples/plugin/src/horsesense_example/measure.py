"""A measure: one row of numbers per item, which add up, and a value of their totals."""

from __future__ import annotations

from horsesense.extend import Cell, Measure, Rows, item_means


class ChoseLast(Measure):
    """Share of the answers that choose the option shown last, item by item."""

    name = "chose_last"
    title = "Chose the last option"

    def rows(self, cell: Cell) -> Rows:
        last = cell.position == cell.k[:, None] - 1
        return Rows(item_means(last, cell.valid), int(cell.valid.sum()), cell.n_missing)

    def baseline(self, cell: Cell) -> float:
        return float((1 / cell.k).mean())

"""How much of a score's noise is items, how much orders, and how much drawing the answer again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from horsesense.measures.base import Estimate, Floats, Measure, Rows, Unit, no_gold
from horsesense.measures.cells import Bools, Cell, Columns
from horsesense.measures.contrast import REPEAT, paired
from horsesense.measures.joined import ORIGINAL
from horsesense.stats.components import COLUMNS, Components, item_rows, variances

ORDER = "order"
PARTS = ("items", "orders", "draws")


@dataclass(frozen=True, eq=False)
class Draws(Columns):
    """The items as published, and the very same prompts again."""

    original: Cell
    again: Cell


class ScoreVariance(Measure):
    """Of the cells of the probe `order`, with the group `Draws` beside them."""

    name = "score_variance"
    title = "Variance of right answers"
    summary = (
        "Variance of right answers between items, between orders of an item, and between draws "
        "of the answer to one prompt: nested analysis of variance (Searle, Casella and McCulloch "
        "1992), over items that have two of each. Without bias, so that it can be negative."
    )
    counted = "items"
    unit: ClassVar[Unit] = "variance"
    needs = (Draws,)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        original = {c.reader: c for c in every if c.probe == ORIGINAL and not c.condition}
        again = {c.reader: c for c in every if c.probe == REPEAT}
        for cell in every:
            if cell.probe == ORDER and cell.reader in original and cell.reader in again:
                joined = cell.having(Draws(original[cell.reader], again[cell.reader]))
                if self.fits(joined):
                    yield joined

    def undefined_reason(self, cell: Cell) -> str | None:
        return no_gold(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return PARTS

    def limits(self, cell: Cell) -> tuple[float, float]:
        return -1.0, 1.0

    def rows(self, cell: Cell) -> Rows:
        draws = cell[Draws]
        first = _beside(cell, draws.original)
        again = np.concatenate([first, _beside(cell, draws.again)], axis=1)
        over = _right(cell)
        rows = item_rows(over, again)
        # An answer that is missing makes its item none that has all of its answers.
        whole = ~_missing(cell)
        rows = np.where(whole[:, None], rows, 0.0).reshape(-1, COLUMNS)
        used = int((rows[:, 0] > 0).sum())
        return Rows(rows, used, len(cell.item) - used)

    def value(self, totals: Floats) -> Floats:
        return variances(totals)


def _right(cell: Cell) -> Floats:
    """1 right, 0 wrong, NaN where that is not known, (items, repetitions)."""
    return np.where(cell.read & (cell.correct >= 0), cell.correct == 1, np.nan).astype(np.float64)


def _missing(cell: Cell) -> Bools:
    """Items of which an order has no reading."""
    return np.asarray((cell.asked & ~cell.read).any(axis=1), dtype=np.bool_)


def _beside(cell: Cell, other: Cell) -> Floats:
    """Right answers of another cell to the items of this one."""
    mine, theirs = paired(cell, other)
    found = np.full((len(cell.item), other.status.shape[1]), np.nan)
    found[mine] = _right(other)[theirs]
    return found


def designs(
    estimates: Sequence[Estimate], orders: Mapping[tuple[str, str], float]
) -> Iterator[dict[str, Any]]:
    """What one more item, order, or draw would buy, for each way in which items were reordered.

    Args:
        estimates: all of a run; those of `score_variance` are used.
        orders: (condition, reader) -> mean number of orders of an item.

    Yields:
        condition, reader, the variances, the design in use (items, orders, draws), its standard
        error (`again`: of the same items asked again, in new orders), `shares` of its square, and
        `more`: what one more of each makes of the two, and the prompts it takes.
    """
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for e in estimates:
        if e.measure == ScoreVariance.name and e.value is not None:
            found.setdefault((e.condition.format(), e.reader), {})[e.group] = e
    for key, parts in found.items():
        if set(parts) == set(PARTS) and key in orders:
            components = Components(*(parts[name].value or 0.0 for name in PARTS))
            yield {"condition": key[0], "reader": key[1]} | _design(
                components, parts["items"].n, orders[key]
            )


def _design(components: Components, items: int, orders: float) -> dict[str, Any]:
    now = {"items": items, "orders": orders, "draws": 1}
    prompts = {"items": orders, "orders": items, "draws": items * orders}
    shares = components.shares(**now)
    return {
        "variance": components._asdict(),
        **now,
        **_errors(shares),
        "shares": {name: part / (sum(shares) or 1.0) for name, part in shares._asdict().items()},
        "more": {
            name: {
                "prompts": prompts[name],
                **_errors(components.shares(**{**now, name: now[name] + 1})),
            }
            for name in PARTS
        },
    }


def _errors(shares: Components) -> dict[str, float]:
    """Standard error of a score over new items, and over the same items asked again."""
    return {
        "standard_error": sqrt(sum(shares)),
        "again": sqrt(shares.orders + shares.draws),
    }


def orders_asked(cells: Sequence[Cell]) -> dict[tuple[str, str], float]:
    """(condition, reader) -> mean number of orders of an item, of the probe `order`."""
    return {
        (cell.condition.format(), cell.reader): float(cell.asked.sum(axis=1).mean())
        for cell in cells
        if cell.probe == ORDER and len(cell.item)
    }

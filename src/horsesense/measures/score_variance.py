"""How much of a score's noise is items, how much orders, and how much drawing the answer again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Estimate, Floats, Measure, Rows, Unit
from horsesense.measures.cells import Cell, Columns
from horsesense.measures.contrast import ORDER, REPEAT, paired
from horsesense.measures.families import VARIANCE
from horsesense.measures.joined import ORIGINAL, drawn_orders
from horsesense.measures.undefined import unread
from horsesense.stats.components import COLUMNS, Components, item_rows, variances
from horsesense.stats.share import Share

PARTS = ("items", "orders", "draws")


@dataclass(frozen=True, eq=False)
class Draws(Columns):
    """The items as published, and the very same prompts again."""

    original: Cell
    again: Cell


class ScoreVariance(Measure):
    """Variance of right answers between items, between orders of an item, and between draws of the
    answer to one prompt: nested analysis of variance (Searle, Casella and McCulloch 1992), over
    items that have two of each. Without bias, so that it can be negative; the interval is of what a
    variance can be.

    Of the cells of the probe `order`, with the group `Draws` beside them.
    """

    name = "score_variance"
    title = "Variance of right answers"
    family = VARIANCE
    counted = "items"
    unit: ClassVar[Unit] = "variance"
    needs: ClassVar[tuple[type[Columns], ...]] = (Draws,)
    of_gold = True

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        original = {c.reader: c for c in every if c.probe == ORIGINAL and not c.condition}
        again = {c.reader: c for c in every if c.probe == REPEAT}
        for cell in every:
            if cell.probe == ORDER and cell.reader in original and cell.reader in again:
                joined = cell.having(Draws(original[cell.reader], again[cell.reader]))
                if self.fits(joined):
                    yield joined

    def groups(self, cell: Cell) -> Sequence[str]:
        return PARTS

    def limits(self, cell: Cell) -> tuple[float, float]:
        return -1.0, 1.0

    def rows(self, cell: Cell) -> Rows:
        draws = cell[Draws]
        again = [_beside(cell, other) for other in (draws.original, draws.again)]
        return of_answers(cell, right_or_wrong(cell), np.concatenate(again, axis=1))

    def value(self, totals: Floats) -> Floats:
        return variances(totals)


def of_answers(cell: Cell, over_orders: Floats, again: Floats) -> Rows:
    """What each item adds (`item_rows`); one that lacks an answer is left out."""
    rows = item_rows(over_orders, again)
    rows = np.where(unread(cell)[:, None], 0.0, rows).reshape(-1, COLUMNS)
    used = int((rows[:, 0] > 0).sum())
    return Rows(rows, used, int(cell.asked.any(axis=1).sum()) - used)


def right_or_wrong(cell: Cell) -> Floats:
    """1 right, 0 wrong, NaN where that is not known, (items, repetitions)."""
    return np.where(cell.known, cell.correct == 1, np.nan).astype(np.float64)


def _beside(cell: Cell, other: Cell) -> Floats:
    """Right answers of another cell to the items of this one."""
    mine, theirs = paired(cell, other)
    found = np.full((len(cell.item), other.status.shape[1]), np.nan)
    found[mine] = right_or_wrong(other)[theirs]
    return found


class InUse(NamedTuple):
    """How the items of a score over orders were asked.

    Attributes:
        orders: mean number of orders of an item.
        drawn: whether other orders could have been drawn; all shifts of an order are no sample.
        clusters: of items, how many there are.
        effect: by how much clusters multiply the squared error of the score; None where they are
            too few to tell.
    """

    orders: float
    drawn: bool
    clusters: int
    effect: float | None


def in_use(cells: Sequence[Cell], cluster: npt.NDArray[np.intp]) -> dict[tuple[str, str], InUse]:
    """(condition, reader) -> how the items were asked, of the probe `order`.

    Args:
        cells: all of a run.
        cluster: of each item of the set.
    """
    return {
        (cell.condition.format(), cell.reader): InUse(
            float(cell.asked.sum(axis=1).mean()),
            drawn_orders(cell.condition),
            *_clustering(ScoreVariance().rows(cell).rows, cluster[cell.item]),
        )
        for cell in ScoreVariance().cells(cells)
        if len(cell.item)
    }


def _clustering(rows: Floats, cluster: npt.NDArray[np.intp]) -> tuple[int, float | None]:
    """How many clusters there are, and the design effect that the score's interval rests on."""
    used = rows[:, 0] > 0
    means, _, place = rows[used, 1], *np.unique(cluster[used], return_inverse=True)
    whole = (np.bincount(place, each).astype(np.float64) for each in (means, np.ones(len(means))))
    share = Share.of(*whole)
    alone = Share.of(means, np.ones(len(means)))
    return share.clusters, None if share.reason else alone.effective / share.effective


def designs(
    estimates: Sequence[Estimate], asked: Mapping[tuple[str, str], InUse]
) -> Iterator[dict[str, Any]]:
    """What one more item, order, or draw would buy, for each way in which items were reordered.

    Args:
        estimates: all of a run; those of `score_variance` are used.
        asked: (condition, reader) -> how the items were asked; nothing is said of what is not
            there, nor where clusters are too few.

    Yields:
        condition, reader, the variances, the design in use (items, clusters, orders, draws), its
        standard error, with clusters of items as units (`again`: of the same items asked again, in
        new orders if orders were `drawn`), `shares` of its square, and `more`: what one more of
        each makes of the two, and the prompts it takes; no more orders where none were drawn.
    """
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for e in estimates:
        if e.measure == ScoreVariance.name and e.value is not None:
            found.setdefault((e.condition.format(), e.reader), {})[e.group] = e
    for key, parts in found.items():
        used = asked.get(key)
        if set(parts) == set(PARTS) and used is not None and used.effect is not None:
            components = Components(*(parts[name].value or 0.0 for name in PARTS))
            made = _design(components, parts["items"].n, used, used.effect)
            yield {"condition": key[0], "reader": key[1]} | made


def _design(variance: Components, items: int, used: InUse, effect: float) -> dict[str, Any]:
    orders = used.orders
    now = {"items": items, "orders": orders, "draws": 1}
    prompts = {"items": orders, "orders": items, "draws": items * orders}
    components = variance
    if not used.drawn:
        # The mean over all of its orders is the item's own: nothing of it is left to chance.
        components = Components(variance.items + variance.orders / orders, 0.0, variance.draws)
    alone = components.shares(**now)
    clustered = effect * sum(alone) - alone.orders - alone.draws
    components = components._replace(items=items * max(clustered, 0.0))
    shares = components.shares(**now)
    return {
        "variance": variance._asdict(),
        **now,
        "clusters": used.clusters,
        "drawn": used.drawn,
        **_errors(shares),
        "shares": {name: part / (sum(shares) or 1.0) for name, part in shares._asdict().items()},
        "more": {
            name: {
                "prompts": prompts[name],
                **_errors(components.shares(**{**now, name: now[name] + 1})),
            }
            for name in PARTS
            if used.drawn or name != "orders"
        },
    }


def _errors(shares: Components) -> dict[str, float]:
    """Standard error of a score over new items, and over the same items asked again."""
    return {
        "standard_error": sqrt(sum(shares)),
        "again": sqrt(shares.orders + shares.draws),
    }

"""What always giving the same answer scores on the items that a score is of.

Guessing is right on 1/k of any items. On these very items the best answer that looks at none of
them, a position or a class, can be right far more often: a score that it explains is not shown to
be more than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from horsesense.checks.shares import letter
from horsesense.findings.places import Place
from horsesense.findings.wording import number
from horsesense.items.item import Item
from horsesense.measures.base import item_means
from horsesense.measures.cells import Cell
from horsesense.trials.condition import Condition


class Constant(NamedTuple):
    """The best constant answer, a position or a text, and the share of items it is right on."""

    answer: str
    share: float

    @property
    def sentence(self) -> str:
        """As a clause: "always answering A would be right on 60 % of these items"."""
        share = number(self.share, "fraction", 0)
        return f"always answering {self.answer} would be right on {share} of these items"


class Constants:
    """The best constant answer of each cell, over the items that have a place in its accuracy.

    Args:
        cells: of a run.
        items: of the set, whose numbers are those in the cells.
    """

    def __init__(self, cells: Iterable[Cell] = (), items: Sequence[Item] = ()) -> None:
        self._cells = {(c.probe, c.condition, c.reader): c for c in cells}
        self._items = items
        self._known: dict[tuple[str, Condition, str], Constant | None] = {}

    def of(self, place: Place) -> Constant | None:
        """That of a cell; None where there is no such cell, or no known right answer."""
        key = place.probe, place.condition, place.reader
        if key not in self._known:
            cell = self._cells.get(key)
            self._known[key] = None if cell is None else _best(cell, self._items)
        return self._known[key]


def best_text(items: Iterable[Item]) -> tuple[str, float]:
    """The text that is right most often, and the share of the items with a right answer that it is
    right on: in every order as often, since a class is chosen wherever it stands."""
    texts = Counter(item.options[item.gold] for item in items if item.gold is not None)
    text, hits = max(texts.items(), key=lambda one: one[1], default=("", 0))
    return text, hits / max(texts.total(), 1)


def _best(cell: Cell, items: Sequence[Item]) -> Constant | None:
    known = cell.read & (cell.correct >= 0)
    used = np.flatnonzero(known.any(axis=1))
    if not len(used):
        return None
    held = [items[number] for number in cell.item[used]]
    fixed = len({item.options for item in held}) == 1
    shares = [
        float(item_means(cell.gold_at == place, known)[used, 0].mean())
        for place in range(int(cell.gold_at.max()) + 1)
    ]
    text, share = best_text(held)
    best = max(shares, default=0.0)
    if fixed or share > best:
        return Constant(f"“{text}”", share)
    return Constant(letter(shares.index(best)), best)

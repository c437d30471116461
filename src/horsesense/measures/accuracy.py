"""Shares of right answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import (
    Floats,
    Measure,
    Rows,
    complete,
    item_means,
    no_gold,
    no_replicates,
    unread,
)
from horsesense.measures.cells import Cell


class Accuracy(Measure):
    name = "accuracy"
    of_gold = True
    title = "Accuracy"
    summary = "Share of right answers, mean over items; a reply without an answer counts as wrong."

    def undefined_reason(self, cell: Cell) -> str | None:
        return no_gold(cell)

    def rows(self, cell: Cell) -> Rows:
        known = cell.read & (cell.correct >= 0)
        return Rows(item_means(cell.correct == 1, known), int(known.sum()), cell.n_missing)

    def chances(self, cell: Cell) -> Floats:
        return guessed(cell)

    def entered(self, cell: Cell) -> Floats:
        return self.rows(cell).rows[:, 1]


def guessed(cell: Cell) -> Floats:
    """Chance that a guess among the shown options is right: 0 where none of them is."""
    return np.where((cell.gold_at >= 0).any(axis=1), 1 / cell.k, 0.0)


class AccuracyValid(Accuracy):
    name = "accuracy_valid"
    title = "Accuracy of valid answers"
    summary = "Accuracy over the replies that chose an option (the twin of accuracy)."

    def rows(self, cell: Cell) -> Rows:
        known = cell.valid & (cell.correct >= 0)
        return Rows(item_means(cell.correct == 1, known), int(known.sum()), cell.n_missing)


class AccuracyHard(Measure):
    name = "accuracy_hard"
    of_gold = True
    title = "Right in every order"
    summary = (
        "Share of items answered right in all their trials (AccH of REVAS; with cyclic orders, "
        "circular accuracy of MMBench)."
    )
    counted = "items"

    def undefined_reason(self, cell: Cell) -> str | None:
        return no_replicates(cell) or no_gold(cell)

    def rows(self, cell: Cell) -> Rows:
        used = self._used(cell)
        hits = np.where(cell.asked, cell.correct == 1, True).all(axis=1) & used
        rows = np.column_stack([hits, used]).astype(np.float64)
        return Rows(rows, int(used.sum()), int(unread(cell).sum()))

    def _used(self, cell: Cell) -> npt.NDArray[np.bool_]:
        return complete(cell) & ~(cell.read & (cell.correct < 0)).any(axis=1)

    def chances(self, cell: Cell) -> Floats:
        return np.asarray(guessed(cell) ** cell.asked.sum(axis=1))

    def entered(self, cell: Cell) -> Floats:
        return self._used(cell).astype(np.float64)

"""Probes against the items as published, item by item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Rows, item_means, no_gold
from horsesense.measures.cells import NO_OPTION, Cell, Columns
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.joined import AgainstOriginal


def paired(cell: Cell, other: Cell) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows of the items that both cells have."""
    _, mine, theirs = np.intersect1d(cell.item, other.item, return_indices=True)
    return mine, theirs


def tested(probes: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Probes whose difference from the original is a finding, from (name, what should hold).

    A repeat is the noise floor, and "chance" is compared with guessing: neither is tested.
    """
    promises = ("same_answer", "same_accuracy", "none")
    return frozenset(name for name, holds in probes if holds in promises and name != "repeat")


def chosen_by_answer(cell: Cell) -> str | None:
    """A change says nothing where the items were chosen for how they were answered before."""
    chosen = cell.condition.get("items", "all") != "all"
    return "the items were chosen by their earlier answers" if chosen else None


class AccuracyChange(AgainstOriginal):
    """`cell.other` is the original."""

    name = "accuracy_change"
    title = "Change of accuracy"
    summary = (
        "Accuracy under the probe minus accuracy as published, over the items that have both. "
        "p: a score test of the clusters' differences, which the interval inverts."
    )
    counted = "items"
    family = DIFFERENCE

    def undefined_reason(self, cell: Cell) -> str | None:
        return no_gold(cell) or no_gold(cell.other) or chosen_by_answer(cell)

    def rows(self, cell: Cell) -> Rows:
        other = cell.other
        mine, theirs = paired(cell, other)
        probe = item_means(cell.correct == 1, cell.read & (cell.correct >= 0))[mine]
        base = item_means(other.correct == 1, other.read & (other.correct >= 0))[theirs]
        used = (probe[:, 1] > 0) & (base[:, 1] > 0)
        rows = np.zeros((len(cell.item), 2))
        rows[mine] = np.column_stack([np.where(used, probe[:, 0] - base[:, 0], 0), used])
        return Rows(rows, int(used.sum()), len(cell.item) - int(used.sum()))


REPEAT = "repeat"
"""The probe that asks the very same prompt again: the noise of answers."""


class AnswerChangeRate(AgainstOriginal):
    """`cell.other` is the original."""

    name = "answer_change_rate"
    title = "Changed answers"
    summary = (
        "Share of trials that choose another content than the item as published. A choice in one "
        "of the two alone is a change; trials without a choice in either show no answer that "
        "could change, and do not enter."
    )

    def rows(self, cell: Cell) -> Rows:
        other = cell.other
        mine, theirs = paired(cell, other)
        here, base = cell.option[mine], other.option[theirs][:, :1]
        both = cell.read[mine] & other.read[theirs][:, :1]
        chosen = both & ((here != NO_OPTION) | (base != NO_OPTION))
        rows = np.zeros((len(cell.item), 2))
        rows[mine] = item_means(here != base, chosen)
        return Rows(rows, int(chosen.sum()), int(cell.asked.sum() - both.sum()))


@dataclass(frozen=True, eq=False)
class Again(Columns):
    """The same items asked the very same prompt again."""

    cell: Cell


class ChangeBeyondRepeat(AnswerChangeRate):
    """`cell.other` is the original; the group `Again` holds it asked again."""

    name = "answer_change_beyond_repeat"
    title = "Changed answers beyond asking again"
    summary = (
        "answer_change_rate under the probe minus that of the same items when the very same prompt "
        "is asked again, over the items that have both. p: a score test of the clusters' "
        "differences, which the interval inverts."
    )
    counted = "items"
    family = DIFFERENCE
    needs = (Again,)

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        again = {c.reader: Again(c) for c in every if c.probe == REPEAT}
        noisy = [
            c.having(again[c.reader]) for c in every if c.reader in again and c.probe != REPEAT
        ]
        return super().cells(noisy)

    def undefined_reason(self, cell: Cell) -> str | None:
        return super().undefined_reason(cell) or chosen_by_answer(cell)

    def rows(self, cell: Cell) -> Rows:
        again = cell[Again].cell
        mine, theirs = paired(cell, again)
        here = super().rows(cell).rows[mine]
        noise = super().rows(again.against(cell.other)).rows[theirs]
        used = (here[:, 1] > 0) & (noise[:, 1] > 0)
        rows = np.zeros((len(cell.item), 2))
        rows[mine] = np.column_stack([np.where(used, here[:, 0] - noise[:, 0], 0), used])
        return Rows(rows, int(used.sum()), len(cell.item) - int(used.sum()))

"""Which items and replies count: which have a right answer, and which are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import ABSENT, MISSING, Bools, Cell, Columns, Other


@dataclass(frozen=True, eq=False)
class Gold(Columns):
    """Of a run whose items are known: whether the item of each trial has a right answer."""

    known: Bools = field(metadata={ABSENT: False})


def goldless(cell: Cell) -> Bools:
    """Items without a right answer, (items,); as far as it shows where the items are not known.

    A reading of an item without one is neither right nor wrong.
    """
    gold = cell.get(Gold)
    shown = cell.read & (cell.correct < 0) if gold is None else ~gold.known
    return np.asarray(np.any(shown, axis=1) if gold is None else np.all(shown, axis=1))


def unanswered(cell: Cell) -> Bools:
    """Where a trial of an item with a right answer has no reading."""
    return np.asarray((cell.status == MISSING) & ~goldless(cell)[:, None])


def with_gold(cell: Cell) -> Cell:
    """A cell without items that have no right answer; as it is where all are like that."""
    out = goldless(cell)
    return cell if out.all() or not out.any() else cell.of_items(~out)


NO_GOLD: Final = "no item has a gold answer"
"""The reason of measures that need one."""


def no_gold(cell: Cell) -> str | None:
    """The reason of measures that need gold."""
    known = cell.read & (cell.correct >= 0)
    return None if known.any() or not cell.read.any() else NO_GOLD


def no_gold_beside(cell: Cell) -> str | None:
    """The same of a cell and of the one that it is compared with."""
    return no_gold(cell) or (no_gold(cell.other) if Other in cell else None)


def no_replicates(cell: Cell) -> str | None:
    """The reason of measures that compare an item's trials with each other."""
    return None if cell.status.shape[1] > 1 else "each item was asked once"


def complete(cell: Cell) -> npt.NDArray[np.bool_]:
    """Items with at least two trials, all of them read."""
    asked = cell.asked.sum(axis=1)
    return np.asarray((asked > 1) & (cell.read.sum(axis=1) == asked))


def unread(cell: Cell) -> npt.NDArray[np.bool_]:
    """Items that lack a reading of some of their trials, (items,)."""
    return np.asarray(np.any(cell.asked & ~cell.read, axis=1))

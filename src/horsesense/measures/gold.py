"""Which items have a right answer, and so can be answered right or lack an answer that is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from horsesense.measures.cells import ABSENT, MISSING, Bools, Cell, Columns


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
    out: Bools = np.any(shown, axis=1) if gold is None else np.all(shown, axis=1)
    return out


def unanswered(cell: Cell) -> Bools:
    """Where a trial of an item with a right answer has no reading."""
    lost: Bools = (cell.status == MISSING) & ~goldless(cell)[:, None]
    return lost


def with_gold(cell: Cell) -> Cell:
    """A cell without items that have no right answer; as it is where all are like that."""
    out = goldless(cell)
    return cell if out.all() or not out.any() else cell.of_items(~out)

"""Why a measure is undefined for a cell, and which of its items are read throughout."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import Cell, Other

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
    every: npt.NDArray[np.bool_] = (asked > 1) & (cell.read.sum(axis=1) == asked)
    return every


def unread(cell: Cell) -> npt.NDArray[np.bool_]:
    """Items that lack a reading of some of their trials, (items,)."""
    lost: npt.NDArray[np.bool_] = np.any(cell.asked & ~cell.read, axis=1)
    return lost

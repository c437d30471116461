"""How what needs a whole cell, and what needs an item alone, is found where cells come in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import Cell

T = TypeVar("T")


def of_whole(function: Callable[[Cell], T]) -> Callable[[Cell], T]:
    """What a function finds of a cell, found once, and of the whole cell for each of its parts.

    For what the rows of an item need to know of other items: edges of bins, which groups there are.
    """
    known: WeakKeyDictionary[Cell, T] = WeakKeyDictionary()

    @wraps(function)
    def found(cell: Cell) -> T:
        whole = cell.whole
        if whole not in known:
            known[whole] = function(whole)
        return known[whole]

    return found


def part_by_part(
    function: Callable[[Cell], npt.NDArray[Any]],
) -> Callable[[Cell], npt.NDArray[Any]]:
    """A function from a cell to one row per item, each of that item alone, over parts of the cell.

    What it needs on its way then takes room for a part, and not for the cell.
    """

    @wraps(function)
    def rows(cell: Cell) -> npt.NDArray[Any]:
        return np.concatenate([function(part) for _, part in cell.parts()])

    return rows

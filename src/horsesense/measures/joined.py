"""What measures of one probe's cells, and of several cells together, have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, item_means
from horsesense.measures.cells import Cell


def settings_of(condition: str) -> dict[str, str]:
    """The settings that a condition names.

    >>> settings_of("n=6, design=random(4)")
    {'n': '6', 'design': 'random(4)'}
    """
    pairs = (part.partition("=") for part in condition.split(", ") if part)
    return {name: value for name, _, value in pairs}


def without(condition: str, *names: str) -> str:
    """A condition without some of its settings."""
    kept = ((n, v) for n, v in settings_of(condition).items() if n not in names)
    return ", ".join(f"{name}={value}" for name, value in kept)


def columns(cell: Cell, part: str) -> npt.NDArray[np.bool_]:
    """Which columns of a joined cell belong to a part, (repetitions,)."""
    assert cell.part is not None
    return np.equal(cell.part, cell.parts.index(part) if part in cell.parts else -1)


def part_means(cell: Cell, hits: npt.NDArray[np.bool_], part: str) -> Floats:
    """Rows (mean over an item's trials of one part, 1); zeros for items without any."""
    return item_means(hits, cell.read & columns(cell, part))


class OfProbe(Measure):
    """A measure of the cells of certain probes alone.

    `probe_names` lists them; a cell of another probe is no "undefined" result but off the point.
    """

    compares = "family"
    probe_names: Sequence[str] = ()

    def families(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        return (cell for cell in cells if cell.probe in self.probe_names and self.fits(cell))

    def fits(self, cell: Cell) -> bool:
        """Whether the measure means something for a cell of its probes."""
        return True

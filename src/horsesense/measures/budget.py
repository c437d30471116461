"""What a limit on the tokens of a reply takes from a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from horsesense.measures.base import Rows
from horsesense.measures.cells import Cell
from horsesense.measures.contrast import item_differences, right
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.graded import graded
from horsesense.measures.joined import ORIGINAL, OfProbe

BUDGET: Final = "budget"
"""The probe that asks with several limits."""
CAP: Final = "cap"
"""The setting of its conditions that names the limit."""
THOUGHT: Final = "thought"
"""The probe that asks for the answer from a part of the thought."""
SHARE: Final = "share"
"""The setting of its conditions that names the part, in percent."""


class LostToTheLimit(OfProbe):
    """Accuracy as graded under a limit on tokens minus that under the largest limit of the probe
    budget, over the items that have both.

    `cell.other` has the largest limit.
    """

    name = "accuracy_under_limit"
    of_gold = True
    title = "Change of accuracy by the limit on tokens"
    counted = "items"
    family = DIFFERENCE
    probe_names = (BUDGET,)

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        own = [graded(cell) for cell in every if self.fits(cell)]
        largest: dict[str, Cell] = {}
        for cell in sorted(own, key=lambda each: each.condition.integer(CAP)):
            largest[cell.reader] = cell
        return (c.against(o) for c in own if (o := largest[c.reader]) is not c)

    def rows(self, cell: Cell) -> Rows:
        return item_differences(cell, cell.other, right)


class LostToTheCut(LostToTheLimit):
    """Accuracy as graded from a part of the recorded thought minus that with the whole one, as
    published, over the items that have both.

    `cell.other` is the original.
    """

    name = "accuracy_of_thought"
    title = "Change of accuracy by a cut of the thought"
    probe_names = (THOUGHT,)

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        whole = {c.reader: graded(c) for c in every if c.probe == ORIGINAL and not c.condition}
        own = (graded(cell) for cell in every if self.fits(cell))
        return (cell.against(whole[cell.reader]) for cell in own if cell.reader in whole)

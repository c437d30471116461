"""A second look at what was answered wrongly (REVAS; specification, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Rows, grouped, of_trials
from horsesense.measures.cells import Cell, ChosenSets, Parts
from horsesense.measures.families import DIFFERENCE, SHARE, Family
from horsesense.measures.joined import OfProbe, families, joined, part_means
from horsesense.probes.second_look import ARMS


class MultiRate(OfProbe):
    """Share of replies that name two options or more when all correct ones are asked for."""

    name = "multi_rate"
    title = "Several options chosen"
    probe_names = ("multi_select",)
    needs = (ChosenSets,)

    def rows(self, cell: Cell) -> Rows:
        return of_trials(cell, cell[ChosenSets].count >= 2, cell.read)


class MultiExact(MultiRate):
    """Share of replies that name the right option and no other."""

    name = "multi_exact"
    title = "The right option alone"

    def rows(self, cell: Cell) -> Rows:
        hits = cell[ChosenSets].holds(cell.gold_at) & (cell[ChosenSets].count == 1)
        return of_trials(cell, hits, cell.read)


class MultiPrecision(MultiRate):
    """1 / (number of options named) where the right one is among them, else 0."""

    name = "multi_precision"
    title = "Share of the right option"

    def rows(self, cell: Cell) -> Rows:
        share = cell[ChosenSets].holds(cell.gold_at) / np.maximum(cell[ChosenSets].count, 1)
        return of_trials(cell, share, cell.read)


class RecallGold(OfProbe):
    """Share of replies that name the right option: of those that name several (multi, as
    published), and of all.
    """

    name = "recall_gold"
    layout = "halves"
    title = "Right option among those named"
    probe_names = ("multi_select",)
    needs = (ChosenSets,)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("multi", "all")

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        return cell.gold_at

    def rows(self, cell: Cell) -> Rows:
        position, selection = self.sought(cell), cell[ChosenSets]
        several = np.stack([selection.count >= 2, np.ones_like(cell.read)], axis=2)
        found = grouped(selection.holds(position), cell.read & (position >= 0), several)
        return found._replace(n_missing=cell.n_missing)


class RecallMisleading(RecallGold):
    """Share of replies that name the option that was wrongly chosen before: of those that name
    several (multi, as published), and of all.
    """

    name = "recall_misleading"
    title = "Misleading option among those named"

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        return cell[ChosenSets].marked


class RecoveryRate(OfProbe):
    """Share of wrongly answered items that are answered right when the misleading option is
    replaced (REVAS), when another one is (other), and when nothing is (unchanged); and by how much
    the first exceeds each control, over items that have both.

    Without the controls the rate cannot be read: wrong items get better on any second look.
    """

    name = "recovery_rate"
    layout = "halves"
    title = "Right at the second look"
    counted = "items"
    probe_names = ("misleading_replaced",)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """The arms side by side."""
        for shared, arms in families(super().cells(every), "arm"):
            if "misleading" in arms:
                yield joined(arms, "misleading_replaced", shared)

    def _arms(self, cell: Cell) -> list[str]:
        return [arm for arm in ARMS if arm in cell[Parts].names]

    def groups(self, cell: Cell) -> Sequence[str]:
        arms = self._arms(cell)
        return [*arms, *(f"misleading-{arm}" for arm in arms[1:])]

    def families(self, cell: Cell) -> Sequence[Family]:
        arms = self._arms(cell)
        return [*[SHARE] * len(arms), *[DIFFERENCE] * (len(arms) - 1)]

    def rows(self, cell: Cell) -> Rows:
        (first, used), *controls = (
            part_means(cell, cell.correct == 1, arm).T for arm in self._arms(cell)
        )
        differences = [np.where(used * known, first - right, 0.0) for right, known in controls]
        hits = [first, *(right for right, _ in controls), *differences]
        among = [used, *(known for _, known in controls), *(used * known for _, known in controls)]
        n = int(used.sum())
        missing = int(cell.asked.any(axis=1).sum()) - n
        return Rows(np.column_stack([*hits, *among]), n, missing)

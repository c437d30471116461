"""A second look at what was answered wrongly (REVAS; specification, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Rows, item_means
from horsesense.measures.cells import Cell, Parts, Selection, joined
from horsesense.measures.families import DIFFERENCE, SHARE, Family
from horsesense.measures.joined import OfProbe, families, part_means
from horsesense.probes.second_look import ARMS


class MultiRate(OfProbe):
    name = "multi_rate"
    title = "Several options chosen"
    summary = "Share of replies that name two options or more when all correct ones are asked for."
    probe_names = ("multi_select",)
    needs = (Selection,)

    def rows(self, cell: Cell) -> Rows:
        hits = cell[Selection].count >= 2
        return Rows(item_means(hits, cell.read), int(cell.read.sum()), cell.n_missing)


class MultiExact(MultiRate):
    name = "multi_exact"
    title = "The right option alone"
    summary = "Share of replies that name the right option and no other."

    def rows(self, cell: Cell) -> Rows:
        hits = cell[Selection].holds(cell.gold_at) & (cell[Selection].count == 1)
        return Rows(item_means(hits, cell.read), int(cell.read.sum()), cell.n_missing)


class MultiPrecision(MultiRate):
    name = "multi_precision"
    title = "Share of the right option"
    summary = "1 / (number of options named) where the right one is among them, else 0."

    def rows(self, cell: Cell) -> Rows:
        share = cell[Selection].holds(cell.gold_at) / np.maximum(cell[Selection].count, 1)
        return Rows(item_means(share, cell.read), int(cell.read.sum()), cell.n_missing)


class RecallGold(OfProbe):
    name = "recall_gold"
    layout = "halves"
    title = "Right option among those named"
    summary = (
        "Share of replies that name the right option: of those that name several (multi, as "
        "published), and of all."
    )
    probe_names = ("multi_select",)
    needs = (Selection,)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("multi", "all")

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        return cell.gold_at

    def rows(self, cell: Cell) -> Rows:
        position = self.sought(cell)
        known = cell.read & (position >= 0)
        multi = known & (cell[Selection].count >= 2)
        named = cell[Selection].holds(position)
        rows = np.column_stack(
            [(named & w).sum(axis=1) for w in (multi, known)]
            + [w.sum(axis=1) for w in (multi, known)]
        )
        return Rows(rows.astype(np.float64), int(known.sum()), cell.n_missing)


class RecallMisleading(RecallGold):
    name = "recall_misleading"
    title = "Misleading option among those named"
    summary = (
        "Share of replies that name the option that was wrongly chosen before: of those that name "
        "several (multi, as published), and of all."
    )

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        return cell[Selection].marked


class RecoveryRate(OfProbe):
    """Without the controls the rate cannot be read: wrong items get better on any second look."""

    name = "recovery_rate"
    layout = "halves"
    title = "Right at the second look"
    summary = (
        "Share of wrongly answered items that are answered right when the misleading option is "
        "replaced (REVAS), when another one is (other), and when nothing is (unchanged); and by "
        "how much the first exceeds each control, over items that have both."
    )
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
        means = [part_means(cell, cell.correct == 1, arm) for arm in self._arms(cell)]
        first, controls = means[0], means[1:]
        n = int((first[:, 1] > 0).sum())
        for control in controls:
            both = (first[:, 1] > 0) & (control[:, 1] > 0)
            difference = np.where(both, first[:, 0] - control[:, 0], 0.0)
            means.append(np.column_stack([difference, both]).astype(np.float64))
        rows = np.column_stack([rows[:, 0] for rows in means] + [rows[:, 1] for rows in means])
        return Rows(rows, n, int((cell.asked.any(axis=1)).sum()) - n)

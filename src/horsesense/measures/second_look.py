"""A second look at what was answered wrongly (REVAS; specification, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows, item_means, ratio
from horsesense.measures.cells import Cell, joined
from horsesense.measures.joined import OfProbe, part_means, settings_of, without
from horsesense.probes.second_look import ARMS


def chosen_count(cell: Cell) -> npt.NDArray[np.int64]:
    """How many positions each reply chose."""
    assert cell.chosen is not None
    return np.bitwise_count(cell.chosen).astype(np.int64)


def _holds(cell: Cell, position: npt.NDArray[np.int16]) -> npt.NDArray[np.bool_]:
    """Whether each reply chose the given position; False where there is none."""
    assert cell.chosen is not None
    bit = np.left_shift(np.int64(1), np.maximum(position, 0).astype(np.int64))
    held: npt.NDArray[np.bool_] = np.not_equal(cell.chosen & bit, 0) & (position >= 0)
    return held


class MultiRate(OfProbe):
    name = "multi_rate"
    title = "Several options chosen"
    summary = "Share of replies that name two options or more when all correct ones are asked for."
    probe_names = ("multi_select",)
    proportion = True

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        hits = chosen_count(cell) >= 2
        return Rows(item_means(hits, cell.read), int(cell.read.sum()), cell.n_missing)


class MultiExact(MultiRate):
    name = "multi_exact"
    title = "The right option alone"
    summary = "Share of replies that name the right option and no other."

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        hits = _holds(cell, cell.gold_at) & (chosen_count(cell) == 1)
        return Rows(item_means(hits, cell.read), int(cell.read.sum()), cell.n_missing)


class MultiPrecision(MultiRate):
    name = "multi_precision"
    title = "Share of the right option"
    summary = "1 / (number of options named) where the right one is among them, else 0."
    proportion = False

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        share = _holds(cell, cell.gold_at) / np.maximum(chosen_count(cell), 1)
        return Rows(item_means(share, cell.read), int(cell.read.sum()), cell.n_missing)


class RecallGold(OfProbe):
    name = "recall_gold"
    title = "Right option among those named"
    summary = (
        "Share of replies that name the right option: of those that name several (multi, as "
        "published), and of all."
    )
    probe_names = ("multi_select",)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("multi", "all")

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        return cell.gold_at

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        position = self.sought(cell)
        known = cell.read & (position >= 0)
        multi = known & (chosen_count(cell) >= 2)
        named = _holds(cell, position)
        rows = np.column_stack(
            [(named & w).sum(axis=1) for w in (multi, known)]
            + [w.sum(axis=1) for w in (multi, known)]
        )
        return Rows(rows.astype(np.float64), int(known.sum()), cell.n_missing)

    def value(self, totals: Floats) -> Floats:
        return ratio(totals[..., :2], totals[..., 2:])


class RecallMisleading(RecallGold):
    name = "recall_misleading"
    title = "Misleading option among those named"
    summary = (
        "Share of replies that name the option that was wrongly chosen before: of those that name "
        "several (multi, as published), and of all."
    )

    def sought(self, cell: Cell) -> npt.NDArray[np.int16]:
        assert cell.marked is not None
        return cell.marked


class RecoveryRate(Measure):
    """Without the controls the rate cannot be read: wrong items get better on any second look."""

    name = "recovery_rate"
    title = "Right at the second look"
    summary = (
        "Share of wrongly answered items that are answered right when the misleading option is "
        "replaced (REVAS), when another one is (other), and when nothing is (unchanged); and by "
        "how much the first exceeds each control, over items that have both."
    )
    counted = "items"
    compares = "family"

    def families(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        found: dict[str, dict[str, Cell]] = {}
        for cell in cells:
            if cell.probe == "misleading_replaced":
                arm = settings_of(cell.condition)["arm"]
                found.setdefault(without(cell.condition, "arm"), {})[arm] = cell
        for shared, arms in found.items():
            if "misleading" in arms:
                yield joined(arms, "misleading_replaced", shared)

    def _arms(self, cell: Cell) -> list[str]:
        return [arm for arm in ARMS if arm in cell.parts]

    def groups(self, cell: Cell) -> Sequence[str]:
        arms = self._arms(cell)
        return [*arms, *(f"misleading-{arm}" for arm in arms[1:])]

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        means = [part_means(cell, cell.correct == 1, arm) for arm in self._arms(cell)]
        first, controls = means[0], means[1:]
        n = int((first[:, 1] > 0).sum())
        for control in controls:
            both = (first[:, 1] > 0) & (control[:, 1] > 0)
            difference = np.where(both, first[:, 0] - control[:, 0], 0.0)
            means.append(np.column_stack([difference, both]).astype(np.float64))
        rows = np.column_stack([rows[:, 0] for rows in means] + [rows[:, 1] for rows in means])
        return Rows(rows, n, int((cell.asked.any(axis=1)).sum()) - n)

    def value(self, totals: Floats) -> Floats:
        half = totals.shape[-1] // 2
        return ratio(totals[..., :half], totals[..., half:])

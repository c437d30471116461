"""Many problems in one prompt against one by one, and one task against another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, item_means, ratio
from horsesense.measures.cells import Bundles, Cell, Parts
from horsesense.measures.contrast import paired
from horsesense.measures.families import DIFFERENCE, Crossed, Unknown
from horsesense.measures.joined import ORIGINAL, AgainstOriginal, families, joined
from horsesense.measures.per_problem import crossing
from horsesense.stats.two_way import Ints
from horsesense.trials.trial import BUNDLED

TASKS = ("batch", "select_one", "select_all")
SHARES = (0.90, 0.80, 0.75)
"""Thresholds of Table 2 of Wang et al. (2025)."""


@AgainstOriginal.of(
    "Change from one problem a prompt",
    of_gold=True,
    family=DIFFERENCE,
    answer_format=frozenset(BUNDLED),
    needs=(Bundles,),
)
def change_from_single(cell: Cell) -> Rows:
    """Accuracy in shared prompts minus accuracy of the same items asked one by one, mean over
    problems. Interval and p allow for items and prompts.

    `cell.other` is the original: one problem a prompt.
    """
    other = cell.other
    mine, theirs = paired(cell, other)
    single = np.full(len(cell.item), np.nan)
    found = item_means(other.correct == 1, other.read & (other.correct >= 0))[theirs]
    single[mine] = np.where(found[:, 1] > 0, found[:, 0], np.nan)
    used = cell.known & ~np.isnan(single)[:, None]
    item = np.nonzero(used)[0]
    change = (cell.correct[used] == 1) - single[item]
    bundle = cell[Bundles].bundle[used].astype(np.intp)
    outcomes = Crossed(np.column_stack([change, np.ones(len(item))]), item, bundle)
    return crossing(outcomes, len(cell.item), int(cell.asked.sum()) - len(item))


class TaskDifference(Measure):
    """per_problem_accuracy of the first task minus that of the second, in the same bundles.
    Interval and p allow for items and prompts.

    The cell joins two tasks about the same bundles.
    """

    of_gold = True
    title = "Difference between tasks"
    probe_names = TASKS
    family = DIFFERENCE
    answer_format = frozenset(BUNDLED)
    needs = (Bundles,)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """Two tasks under the same condition, side by side."""
        found = {(c.probe, c.condition, c.reader): c for c in super().cells(every)}
        for (probe, condition, reader), cell in found.items():
            for other in TASKS[TASKS.index(probe) + 1 :]:
                if (other, condition, reader) in found:
                    pair = {probe: cell, other: found[other, condition, reader]}
                    yield joined(pair, probe, condition)

    def groups(self, cell: Cell) -> Sequence[str]:
        return (" - ".join(cell[Parts].names),)

    def rows(self, cell: Cell) -> Rows:
        """Outcomes are paired by item and bundle."""
        item, bundle, right, other = paired_outcomes(cell)
        outcomes = Crossed(np.column_stack([right - other, np.ones(len(item))]), item, bundle)
        return crossing(outcomes, len(cell.item), int(cell.asked.sum()) // 2 - len(item))


class TaskDifferenceByItem(TaskDifference):
    """task_difference with items alone as clusters: too narrow where replies fail as a whole, for
    it takes the prompts as given.
    """

    title = "Difference between tasks, items alone"

    def rows(self, cell: Cell) -> Rows:
        return super().rows(cell)._replace(crossed=None)


def paired_outcomes(cell: Cell) -> tuple[Ints, Ints, Floats, Floats]:
    """Item, bundle and rightness under either task of the outcomes that both have."""
    found = []
    for part in cell[Parts].names:
        columns = cell[Parts].of(part)
        known = cell.read[:, columns] & (cell.correct[:, columns] >= 0)
        item = np.nonzero(known)[0]
        bundle = cell[Bundles].bundle[:, columns][known].astype(np.int64)
        found.append((item * (2**31) + bundle, cell.correct[:, columns][known] == 1))
    (one, right), (two, other) = found
    both, mine, theirs = np.intersect1d(one, two, return_indices=True)
    rights = (each.astype(np.float64) for each in (right[mine], other[theirs]))
    return (both // 2**31).astype(np.intp), (both % 2**31).astype(np.intp), *rights


class ShareOfSizesNearSingle(Measure):
    """Share of bundle sizes at which batch accuracy exceeds 0.90, 0.80 or 0.75 of the accuracy one
    by one (Table 2 of Wang et al. 2025; strictly greater).

    The cell joins the original and the batches of all sizes; a size is one unit.
    """

    of_gold = True
    title = "Sizes that keep single accuracy"
    family = Unknown("a count of sizes that jumps at a threshold has no valid one")
    names = tuple(f"{share:.2f}" for share in SHARES)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """The items one by one, and in batches of every size, side by side."""
        single = {c.reader: c for c in every if c.probe == ORIGINAL}
        batches = (c for c in every if c.probe == "batch" and c.reader in single)
        for shared, sizes in families(batches, "size"):
            reader = next(iter(sizes.values())).reader
            yield joined({"single": single[reader], **sizes}, "batch", shared)

    def rows(self, cell: Cell) -> Rows:
        known = cell.known
        right = (cell.correct == 1) & known
        alone, *sizes = (cell[Parts].of(name) for name in cell[Parts].names)
        single = item_means(right[:, alone], known[:, alone])
        sums = [counts[:, size].sum(axis=1) for size in sizes for counts in (right, known)]
        rows = np.column_stack([single, *sums]).astype(np.float64)
        return Rows(rows, int(known.sum()), cell.n_missing)

    def value(self, totals: Floats) -> Floats:
        accuracy = ratio(totals[..., 0::2], totals[..., 1::2])
        single, batches = accuracy[..., :1], accuracy[..., 1:]
        # A hair more than equal is a rounding error, not a greater accuracy.
        kept = np.stack([batches > share * single + 1e-12 for share in SHARES], axis=-1)
        return np.where(np.isnan(single), np.nan, kept.mean(axis=-2))

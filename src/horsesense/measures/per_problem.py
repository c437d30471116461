"""Many problems in one prompt: what became of each problem (specification, 4.4).

`per_problem_accuracy` is the PPA of Wang, Kodner and Rambow (2025), not the "proportion of
plurality agreement" that others abbreviate alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows
from horsesense.measures.cells import STATUS_CODE, Bools, Bundles, Cell, ChosenSets, Columns
from horsesense.measures.families import Crossed
from horsesense.measures.parts import of_whole
from horsesense.stats.two_way import by_cluster
from horsesense.trials.trial import BUNDLED

MOST_PLACES = 20
"""Places that are shown one by one; larger bundles are cut into ten parts."""


def selects(cell: Cell) -> bool:
    """Whether problems are selected by label, so that one can get none or several."""
    return cell.answer_format == "index_json"


def chance(cell: Cell) -> Floats:
    """Chance of a right answer by guessing, (items,).

    1/m, or (1/m)(1 - 1/m)^(m-1) where each label is selected with probability 1/m and
    independently of the others.
    """
    k = cell.k.astype(np.float64)
    if not selects(cell):
        return np.asarray(1 / k)
    return np.asarray((1 / k) * (1 - 1 / k) ** (k - 1))


def crossing(outcomes: Crossed, items: int, n_missing: int) -> Rows:
    """Outcomes of problems that share prompts, added up over so many items."""
    rows = by_cluster(outcomes.rows, outcomes.item, items)
    return Rows(rows, len(outcomes.item), n_missing, outcomes)


class PerProblem(Measure):
    """Sums over problems; a subclass gives its columns."""

    answer_format = frozenset(BUNDLED)
    needs: ClassVar[tuple[type[Columns], ...]] = (Bundles, ChosenSets)
    of_gold = True

    @abstractmethod
    def columns(self, cell: Cell, used: Bools) -> Floats:
        """(items, places, d); what is not `used` is left out afterwards."""

    def used(self, cell: Cell) -> Bools:
        """Which problems count: those with a reply and a gold answer."""
        return cell.known

    def rows(self, cell: Cell) -> Rows:
        used = self.used(cell)
        columns, bundle = self.columns(cell, used)[used], cell[Bundles].bundle[used]
        outcomes = Crossed(columns, np.nonzero(used)[0], bundle.astype(np.intp))
        return crossing(outcomes, len(cell.item), cell.n_missing)


def beside(*columns: npt.NDArray[np.generic]) -> Floats:
    return np.stack(columns, axis=-1).astype(np.float64)


class PerProblemAccuracy(PerProblem):
    """Share of problems in shared prompts that got their right label and no other; what is left
    out, or cannot be read, counts as wrong. (PPA, Wang et al. 2025.)
    """

    name = "per_problem_accuracy"
    title = "Accuracy per problem"

    def columns(self, cell: Cell, used: Bools) -> Floats:
        return beside(cell.correct == 1, used)

    def chances(self, cell: Cell) -> Floats:
        return chance(cell)


class PerProblemLenient(PerProblem):
    """Share of problems whose right label is among those given, whatever else is.

    Guessing gives one label of k.
    """

    name = "per_problem_accuracy_lenient"
    title = "Right label among those given"

    def columns(self, cell: Cell, used: Bools) -> Floats:
        return beside(cell[ChosenSets].holds(cell.gold_at), used)

    def chances(self, cell: Cell) -> Floats:
        return np.asarray(1 / cell.k)


class PerProblemRepaired(PerProblemLenient):
    """Expected accuracy when every problem without exactly one label is given one at random: what
    is left of a gap between tasks is not due to contradictions and gaps.
    """

    name = "per_problem_accuracy_repaired"
    title = "Accuracy per problem after repair"

    def columns(self, cell: Cell, used: Bools) -> Floats:
        one = cell[ChosenSets].count == 1
        return beside(np.where(one, cell.correct == 1, 1 / cell.k[:, None]), used)


class PerProblemErrors(PerProblem):
    """Shares of problems with one wrong label, with several labels (contradiction), and with none
    (unassigned: left out, or the reply could not be read). With per_problem_accuracy they sum to 1.
    """

    name = "per_problem_errors"
    title = "Kinds of errors per problem"

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("wrong_label", "contradiction", "unassigned")

    def columns(self, cell: Cell, used: Bools) -> Floats:
        kinds = error_kinds(cell)
        return beside(*(kinds[group] for group in self.groups(cell)), used)


def error_kinds(cell: Cell) -> dict[str, Bools]:
    """What became of each problem, (items, places) each; exactly one holds where there is gold.

    A line that names several labels is a contradiction like an index under several labels.
    """
    counts = cell[ChosenSets].count
    unclear = cell.status == STATUS_CODE["ambiguous"]
    several = (counts > 1) | (unclear & (counts == 0))
    right = cell.correct == 1
    return {
        "correct": right,
        "wrong_label": (counts == 1) & ~right,
        "contradiction": several,
        "unassigned": (counts == 0) & ~several,
    }


class AccuracyByPosition(PerProblem):
    """per_problem_accuracy of the problems that stand at a place, or in a tenth of them."""

    name = "accuracy_by_position"
    layout = "halves"
    title = "Accuracy by place in the prompt"

    def groups(self, cell: Cell) -> Sequence[str]:
        edges = place_edges(cell)
        return [
            f"{low + 1}" if high == low + 1 else f"{low + 1}-{high}"
            for low, high in pairwise(edges)
        ]

    def columns(self, cell: Cell, used: Bools) -> Floats:
        edges = place_edges(cell)
        part = np.searchsorted(edges, cell[Bundles].problem, side="right") - 1
        at = part[:, :, None] == np.arange(len(edges) - 1)
        right = (cell.correct == 1)[:, :, None] & at
        return np.concatenate([right, at], axis=2).astype(np.float64)


@of_whole
def place_edges(cell: Cell) -> list[int]:
    """Where the shown parts of a prompt begin, and its end."""
    size = int(cell[Bundles].problem.max(initial=0)) + 1
    if size <= MOST_PLACES:
        return list(range(size + 1))
    return [round(part * size / 10) for part in range(11)]


class LabelPrecision(PerProblem):
    """Share of the problems given a label (alone or with others) that have it."""

    name = "label_precision"
    layout = "halves"
    title = "Precision per label"
    of_true: ClassVar[bool] = False

    def undefined_reason(self, cell: Cell) -> str | None:
        own = None if cell[Bundles].classes else "the options differ from item to item"
        return own or super().undefined_reason(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell[Bundles].classes

    def columns(self, cell: Cell, used: Bools) -> Floats:
        """Of each label: whether a problem has it and was given it, and whether it counts."""
        labels = np.arange(len(cell[Bundles].classes))
        bits = labels.astype(cell[ChosenSets].chosen.dtype)
        given = np.equal((cell[ChosenSets].chosen[:, :, None] >> bits) & 1, 1)
        true = np.equal(cell.gold_at[:, :, None], labels)
        counted = true if self.of_true else given
        return np.concatenate([given & true, counted], axis=2).astype(np.float64)


class LabelRecall(LabelPrecision):
    """Share of the problems with a label that were given it (alone or with others)."""

    name = "label_recall"
    title = "Recall per label"
    of_true = True

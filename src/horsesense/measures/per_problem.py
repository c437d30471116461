"""Many problems in one prompt: what became of each problem (specification, 4.4).

`per_problem_accuracy` is the PPA of Wang, Kodner and Rambow (2025), not the "proportion of
plurality agreement" that others abbreviate alike.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows
from horsesense.measures.cells import STATUS_CODE, Bools, Bundles, Cell, ChosenSets, Columns
from horsesense.measures.families import MEAN, Crossed
from horsesense.measures.parts import of_whole
from horsesense.readers.reading import STATUSES
from horsesense.stats.two_way import by_cluster
from horsesense.trials.trial import BUNDLED, AnswerFormat

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
    given = "columns"

    @abstractmethod
    def columns(self, cell: Cell, used: Bools) -> Floats:
        """(items, places, d); what is not `used` is left out afterwards."""

    def used(self, cell: Cell) -> Bools:
        """Which problems count: those with a reply, and with a gold answer where it needs one."""
        return cell.known if self.of_gold else cell.read

    def rows(self, cell: Cell) -> Rows:
        used = self.used(cell)
        columns, bundle = self.columns(cell, used)[used], cell[Bundles].bundle[used]
        outcomes = Crossed(columns, np.nonzero(used)[0], bundle.astype(np.intp))
        return crossing(outcomes, len(cell.item), cell.n_missing)


def beside(*columns: npt.NDArray[np.generic]) -> Floats:
    return np.stack(columns, axis=-1).astype(np.float64)


@PerProblem.of("Accuracy per problem", chances=chance)
def per_problem_accuracy(cell: Cell, used: Bools) -> Floats:
    """Share of problems in shared prompts that got their right label and no other; what is left
    out, or cannot be read, counts as wrong. (PPA, Wang et al. 2025.)
    """
    return beside(cell.correct == 1, used)


def one_of(cell: Cell) -> Floats:
    """Guessing gives one label of k."""
    return np.asarray(1 / cell.k)


@PerProblem.of("Right label among those given", chances=one_of)
def per_problem_accuracy_lenient(cell: Cell, used: Bools) -> Floats:
    """Share of problems whose right label is among those given, whatever else is."""
    return beside(cell[ChosenSets].holds(cell.gold_at), used)


@PerProblem.of("Accuracy per problem after repair", chances=one_of)
def per_problem_accuracy_repaired(cell: Cell, used: Bools) -> Floats:
    """Expected accuracy when every problem without exactly one label is given one at random: what
    is left of a gap between tasks is not due to contradictions and gaps.
    """
    one = cell[ChosenSets].count == 1
    return beside(np.where(one, cell.correct == 1, 1 / cell.k[:, None]), used)


ERRORS = ("wrong_label", "contradiction", "unassigned")


@PerProblem.of("Kinds of errors per problem", names=ERRORS)
def per_problem_errors(cell: Cell, used: Bools) -> Floats:
    """Shares of problems with one wrong label, with several labels (contradiction), and with none
    (unassigned: left out, or the reply could not be read). With per_problem_accuracy they sum to 1.
    """
    kinds = error_kinds(cell)
    return beside(*(kinds[group] for group in ERRORS), used)


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


@of_whole
def place_edges(cell: Cell) -> list[int]:
    """Where the shown parts of a prompt begin, and its end."""
    size = int(cell[Bundles].problem.max(initial=0)) + 1
    if size <= MOST_PLACES:
        return list(range(size + 1))
    return [round(part * size / 10) for part in range(11)]


def place_names(cell: Cell) -> list[str]:
    return [
        f"{low + 1}" if high == low + 1 else f"{low + 1}-{high}"
        for low, high in pairwise(place_edges(cell))
    ]


@PerProblem.of("Accuracy by place in the prompt", layout="halves", groups=place_names)
def accuracy_by_position(cell: Cell, used: Bools) -> Floats:
    """per_problem_accuracy of the problems that stand at a place, or in a tenth of them."""
    edges = place_edges(cell)
    part = np.searchsorted(edges, cell[Bundles].problem, side="right") - 1
    at = part[:, :, None] == np.arange(len(edges) - 1)
    right = (cell.correct == 1)[:, :, None] & at
    return np.concatenate([right, at], axis=2).astype(np.float64)


class PerLabel(PerProblem):
    """One value for each label, of items that share theirs."""

    layout = "halves"

    def undefined_reason(self, cell: Cell) -> str | None:
        own = None if cell[Bundles].classes else "the options differ from item to item"
        return own or super().undefined_reason(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell[Bundles].classes


def labelled(cell: Cell) -> tuple[Bools, Bools]:
    """Of each label: whether a problem was given it, and whether it has it."""
    labels = np.arange(len(cell[Bundles].classes))
    bits = labels.astype(cell[ChosenSets].chosen.dtype)
    given = np.equal((cell[ChosenSets].chosen[:, :, None] >> bits) & 1, 1)
    return given, np.equal(cell.gold_at[:, :, None], labels)


@PerLabel.of("Precision per label")
def label_precision(cell: Cell, used: Bools) -> Floats:
    """Share of the problems given a label (alone or with others) that have it."""
    given, true = labelled(cell)
    return np.concatenate([given & true, given], axis=2).astype(np.float64)


@PerLabel.of("Recall per label")
def label_recall(cell: Cell, used: Bools) -> Floats:
    """Share of the problems with a label that were given it (alone or with others)."""
    given, true = labelled(cell)
    return np.concatenate([given & true, true], axis=2).astype(np.float64)


UNREAD = [
    STATUSES.index(status) for status in ("refusal", "unknown", "illegal", "empty", "truncated")
]


class PerPrompt(PerProblem):
    """Sums over problems, divided by the number of prompts; gold is not needed.

    What a prompt has once, itself among them, is spread evenly over its problems: the problems of
    a prompt that say nothing of it would else look as if they differed.
    """

    unit = "count"
    family = MEAN
    whole = True
    of_gold = False


def prompts(cell: Cell, used: Bools) -> Floats:
    """Each problem's share of its prompt."""
    return spread(cell, np.equal(cell[Bundles].problem, 0), used)


def spread(cell: Cell, values: npt.NDArray[Any], used: Bools) -> Floats:
    """What stands at the first problem of each prompt, evenly over the prompt."""
    bundle = cell[Bundles].bundle[used]
    sums, sizes = np.bincount(bundle, weights=values[used]), np.bincount(bundle)
    found = np.zeros(used.shape)
    found[used] = (sums / np.maximum(sizes, 1))[bundle]
    return found


LINES, INDEX = (frozenset[AnswerFormat]((kind,)) for kind in ("label_lines", "index_json"))
UPWARDS = (0.0, np.inf)


@PerPrompt.of("Missing answers per prompt", answer_format=LINES, names=("mean", "size"))
def length_error(cell: Cell, used: Bools) -> Floats:
    """Number of problems minus number of answers in the reply: above 0 answers are missing, below 0
    there are too many; `size` is the mean distance, whatever its sign.
    """
    excess = spread(cell, cell[Bundles].excess, used)
    return beside(-excess, np.abs(excess), prompts(cell, used))


@PerPrompt.of("Numbers of no problem, per prompt", answer_format=INDEX, span=UPWARDS)
def out_of_range(cell: Cell, used: Bools) -> Floats:
    """Different numbers in the replies about a bundle that none of its problems has."""
    return beside(spread(cell, cell[Bundles].excess, used), prompts(cell, used))


@PerPrompt.of("Labels too many, per prompt", answer_format=INDEX, span=UPWARDS)
def extra_labels(cell: Cell, used: Bools) -> Floats:
    """Labels beyond the first that problems were given: what the released code of Wang et al.
    counts as contradictions, where per_problem_errors counts problems.
    """
    return beside(np.maximum(cell[ChosenSets].count - 1, 0), prompts(cell, used))


@PerProblem.of("Problems lost with their reply", of_gold=False)
def unread_share(cell: Cell, used: Bools) -> Floats:
    """Share of problems without a label because a reply (to any of the labels) could not be read,
    was a refusal, or ended early; part of `unassigned`.

    A problem of an unread reply has a status of its own, unlike one that was left out.
    """
    return beside(np.isin(cell.status, UNREAD) & (cell[ChosenSets].count == 0), used)

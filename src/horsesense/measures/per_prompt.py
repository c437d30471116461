"""Many problems in one prompt: what is wrong with a reply as a whole (specification, 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats
from horsesense.measures.cells import Bools, Bundles, Cell, ChosenSets
from horsesense.measures.families import MEAN
from horsesense.measures.per_problem import PerProblem, beside
from horsesense.readers.reading import STATUSES
from horsesense.trials.trial import AnswerFormat

UNREAD = [STATUSES.index(status) for status in ("refusal", "unknown", "illegal", "empty")]


class PerPrompt(PerProblem):
    """Sums over problems, divided by the number of prompts; gold is not needed.

    What a prompt has once, itself among them, is spread evenly over its problems: the problems of
    a prompt that say nothing of it would else look as if they differed.
    """

    unit = "count"
    family = MEAN
    whole = True
    of_gold = False

    def used(self, cell: Cell) -> Bools:
        return cell.read

    def prompts(self, cell: Cell, used: Bools) -> Floats:
        """Each problem's share of its prompt."""
        return self.spread(cell, np.equal(cell[Bundles].problem, 0), used)

    def spread(self, cell: Cell, values: npt.NDArray[Any], used: Bools) -> Floats:
        """What stands at the first problem of each prompt, evenly over the prompt."""
        bundle = cell[Bundles].bundle[used]
        sums, sizes = np.bincount(bundle, weights=values[used]), np.bincount(bundle)
        found = np.zeros(used.shape)
        found[used] = (sums / np.maximum(sizes, 1))[bundle]
        return found


class LengthError(PerPrompt):
    """Number of problems minus number of answers in the reply: above 0 answers are missing, below 0
    there are too many; `size` is the mean distance, whatever its sign.
    """

    name = "length_error"
    title = "Missing answers per prompt"
    answer_format = frozenset[AnswerFormat](("label_lines",))

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("mean", "size")

    def columns(self, cell: Cell, used: Bools) -> Floats:
        excess = self.spread(cell, cell[Bundles].excess, used)
        return beside(-excess, np.abs(excess), self.prompts(cell, used))


class OutOfRange(PerPrompt):
    """Different numbers in the replies about a bundle that none of its problems has."""

    name = "out_of_range"
    title = "Numbers of no problem, per prompt"
    answer_format = frozenset[AnswerFormat](("index_json",))

    def columns(self, cell: Cell, used: Bools) -> Floats:
        excess = self.spread(cell, cell[Bundles].excess, used)
        return beside(excess, self.prompts(cell, used))

    def limits(self, cell: Cell) -> tuple[float, float]:
        return 0.0, np.inf


class ExtraLabels(OutOfRange):
    """Labels beyond the first that problems were given: what the released code of Wang et al.
    counts as contradictions, where per_problem_errors counts problems.
    """

    name = "extra_labels"
    title = "Labels too many, per prompt"

    def columns(self, cell: Cell, used: Bools) -> Floats:
        return beside(np.maximum(cell[ChosenSets].count - 1, 0), self.prompts(cell, used))


class UnreadReplies(PerProblem):
    """Share of problems without a label because a reply (to any of the labels) could not be read,
    was a refusal, or ended early; part of `unassigned`.

    A problem of an unread reply has a status of its own, unlike one that was left out.
    """

    name = "unread_share"
    of_gold = False
    title = "Problems lost with their reply"

    def used(self, cell: Cell) -> Bools:
        return cell.read

    def columns(self, cell: Cell, used: Bools) -> Floats:
        lost = np.isin(cell.status, [*UNREAD, STATUSES.index("truncated")])
        return beside(lost & (cell[ChosenSets].count == 0), used)

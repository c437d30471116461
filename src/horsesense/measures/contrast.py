"""Probes against the items as published, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from horsesense.measures.base import Floats, Rows, item_means
from horsesense.measures.cells import NO_OPTION, Bools, Cell, Columns, Verdicts
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.graded import graded
from horsesense.measures.joined import ORIGINAL, AgainstOriginal, OfProbe
from horsesense.stats.two_way import Ints
from horsesense.trials.condition import Condition

ORDER = "order"
"""The probe that shows the same options in other orders."""
REPEAT = "repeat"
"""The probe that asks the very same prompt again: the noise of answers."""


def paired(cell: Cell, other: Cell) -> tuple[Ints, Ints]:
    """Rows of the items that both cells have."""
    _, mine, theirs = np.intersect1d(cell.item, other.item, return_indices=True)
    return mine, theirs


Outcomes = tuple[Bools, Bools]
"""What is counted and among which trials, (items, trials) each."""
Counting = Callable[[Cell], Outcomes]
Some = tuple[Outcomes, Ints | slice]
"""Outcomes, and which rows of them."""


def item_differences(cell: Cell, other: Cell, outcomes: Counting) -> Rows:
    """Rows (mean of an item in the cell minus that in the other, 1), of the same outcomes."""
    mine, theirs = paired(cell, other)
    found = differences((outcomes(cell), mine), (outcomes(other), theirs))
    return _of_both(cell, mine, found, (cell, other))


def _of_both(cell: Cell, mine: Ints, found: Floats, cells: Iterable[Cell]) -> Rows:
    """The rows of a cell from those of some of its items.

    Missing are items that lack a reply in any of the cells: one without a right answer is not
    missing, nor is one that is not asked in all of them, or that chose no option.
    """
    rows = np.zeros((len(cell.item), 2))
    rows[mine] = found
    out = cell.item[cell.asked.any(axis=1) & (rows[:, 1] == 0)]
    lost = np.concatenate([c.item[(c.asked & ~c.read).any(axis=1)] for c in cells])
    return Rows(rows, int(rows[:, 1].sum()), int(np.isin(out, lost).sum()))


def differences(one: Some, other: Some) -> Floats:
    """Rows (difference of means, 1) of items that have both."""
    here, base = (item_means(hits[rows], among[rows]) for (hits, among), rows in (one, other))
    used = (here[:, 1] > 0) & (base[:, 1] > 0)
    return np.column_stack([np.where(used, here[:, 0] - base[:, 0], 0), used])


def right(cell: Cell) -> Outcomes:
    """Being right, of the trials whose right answer is known."""
    return cell.correct == 1, cell.known


def choosing(cell: Cell) -> Outcomes:
    """Choosing an option."""
    return cell.valid, cell.read


def tested(probes: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Probes whose difference from the original is a finding, from (name, what should hold).

    A repeat is the noise floor, and "chance" is compared with guessing: neither is tested.
    """
    promises = ("same_answer", "same_accuracy", "none")
    return frozenset(name for name, holds in probes if holds in promises and name != "repeat")


def chosen_by_answer(cell: Cell) -> str | None:
    """A change says nothing where the items were chosen for how they were answered before."""
    chosen = by_answers(cell.condition)
    return "the items were chosen by their earlier answers" if chosen else None


def by_answers(condition: Condition) -> bool:
    """Whether the items of a condition are chosen by how they are answered before."""
    return condition.get("items", "all") != "all"


class AccuracyChange(AgainstOriginal):
    """Accuracy under the probe minus accuracy as published, over the items that have both; a probe
    in a paper's own wording is compared with the items in that wording (with_gold) where they were
    asked; trials that show an item as published are no part of the probe. p: a score test of the
    clusters' differences, which the interval inverts.

    `cell.other` is the original, in the probe's wording where it has one of its own.
    """

    same_wording = True

    of_gold = True
    title = "Change of accuracy"
    counted = "items"
    family = DIFFERENCE

    def undefined_reason(self, cell: Cell) -> str | None:
        return super().undefined_reason(cell) or chosen_by_answer(cell)

    def rows(self, cell: Cell) -> Rows:
        return item_differences(cell, cell.other, right)


class AnswerChangeRate(AgainstOriginal):
    """Share of trials that choose another content than the item as published, of those that show it
    otherwise. A choice in one of the two alone is a change; trials without a choice in either show
    no answer that could change, and do not enter.

    `cell.other` is the original.
    """

    both_choose: ClassVar[bool] = False
    """Whether both replies must choose an option to be counted, and not one of them."""

    title = "Changed answers"

    def rows(self, cell: Cell) -> Rows:
        mine, theirs = paired(cell, cell.other)
        changed, chosen = self.changes(cell)
        rows = np.zeros((len(cell.item), 2))
        rows[mine] = item_means(changed, chosen)[mine]
        both = cell.read[mine] & cell.other.read[theirs][:, :1]
        return Rows(rows, int(chosen.sum()), int(cell.asked.sum() - both.sum()))

    def changes(self, cell: Cell) -> Outcomes:
        """Where another content is chosen than in the other cell, and where that is counted."""
        other = cell.other
        mine, theirs = paired(cell, other)
        here, base = cell.option[mine], other.option[theirs][:, :1]
        both = cell.read[mine] & other.read[theirs][:, :1]
        if self.both_choose:
            # A reply that refuses, or says "none" where that is not shown, has a content too.
            one, two = cell.valid[mine], other.valid[theirs][:, :1]
            counted = both & one & two & (here != NO_OPTION) & (base != NO_OPTION)
        else:
            counted = both & ((here != NO_OPTION) | (base != NO_OPTION))
        changed, chosen = (np.zeros(cell.option.shape, dtype=bool) for _ in range(2))
        changed[mine], chosen[mine] = here != base, counted
        return changed, chosen


@dataclass(frozen=True, eq=False)
class Again(Columns):
    """The same items asked the very same prompt again, or with their options in other orders."""

    cell: Cell


class AnswerChangeBeyondRepeat(AnswerChangeRate):
    """answer_change_rate under the probe minus that of the same items when the very same prompt is
    asked again, over the items that have both. p: a score test of the clusters' differences, which
    the interval inverts.

    `cell.other` is the original; the group `Again` holds it asked again.
    """

    title = "Changed answers beyond asking again"
    counted = "items"
    family = DIFFERENCE
    needs = (Again,)

    def noises(self, every: Sequence[Cell]) -> Mapping[str, Again]:
        """What the noise of each reader is taken from."""
        return {c.reader: Again(c) for c in every if c.probe == REPEAT}

    def noise(self, cell: Cell) -> tuple[Cell, Outcomes]:
        """Where the noise is taken from, and what is counted there."""
        again = cell[Again].cell.against(cell.other)
        return again, self.changes(again)

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        noise = self.noises(every)
        noisy = [
            c.having(noise[c.reader]) for c in every if c.reader in noise and c.probe != REPEAT
        ]
        return super().cells(noisy)

    def undefined_reason(self, cell: Cell) -> str | None:
        return super().undefined_reason(cell) or chosen_by_answer(cell)

    def rows(self, cell: Cell) -> Rows:
        other, noise = self.noise(cell)
        mine, theirs = paired(cell, other)
        found = differences((self.changes(cell), mine), (noise, theirs))
        return _of_both(cell, mine, found, (cell, cell.other, other))


class AnswerSwitchBeyondRepeat(AnswerChangeBeyondRepeat):
    """answer_change_beyond_repeat over the trials in which both replies choose an option: a reply
    that chooses none has not chosen another.

    What unreadable replies cannot make: see `ValidChange` for those.
    """

    both_choose = True

    title = "Other options chosen, beyond asking again"


class SwitchBeyondOrders(AnswerSwitchBeyondRepeat):
    """answer_switch_beyond_repeat beyond two orders of an item's options, for the verdict on a
    model that never differs when asked again, and yet guesses differently in every form.

    `cell.other` is the original; the group `Again` holds the cyclic orders that most items have.
    """

    name = "answer_switch_beyond_orders"

    def noises(self, every: Sequence[Cell]) -> Mapping[str, Again]:
        found = sorted(filter(neutral, every), key=lambda c: len(c.item))
        return {c.reader: Again(c) for c in found}

    def noise(self, cell: Cell) -> tuple[Cell, Outcomes]:
        orders = cell[Again].cell
        chosen, (left, right) = orders.valid & (orders.option != NO_OPTION), pairs(orders)
        both = chosen[:, left] & chosen[:, right]
        return orders, (both & (orders.option[:, left] != orders.option[:, right]), both)


def neutral(cell: Cell) -> bool:
    """Whether a cell has two or more orders that show each option in each position as often."""
    cyclic = cell.condition.get("design", "").startswith("cyclic")
    return cell.probe == ORDER and cyclic and cell.option.shape[1] > 1


def pairs(cell: Cell) -> Ints:
    """The trials of all pairs of an item's, (2, pairs)."""
    return np.array(np.triu_indices(cell.option.shape[1], 1))


class ValidChange(AgainstOriginal):
    """Share of replies that choose an option under the probe minus as published (in a paper's own
    wording, as for accuracy_change), over the items that have both. p: a score test of the
    clusters' differences, which the interval inverts.

    `cell.other` is the original, in the probe's wording where it has one of its own.
    """

    same_wording = True

    title = "Change of valid answers"
    counted = "items"
    family = DIFFERENCE

    def undefined_reason(self, cell: Cell) -> str | None:
        free = "to choose no option is right here" if Verdicts in cell else None
        return free or chosen_by_answer(cell)

    def rows(self, cell: Cell) -> Rows:
        return item_differences(cell, cell.other, choosing)


BUDGET: Final = "budget"
"""The probe that asks with several limits."""
CAP: Final = "cap"
"""The setting of its conditions that names the limit."""
THOUGHT: Final = "thought"
"""The probe that asks for the answer from a part of the thought."""
SHARE: Final = "share"
"""The setting of its conditions that names the part, in percent."""


class AccuracyUnderLimit(OfProbe):
    """Accuracy as graded under a limit on tokens minus that under the largest limit of the probe
    budget, over the items that have both.

    `cell.other` has the largest limit.
    """

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


class AccuracyOfThought(AccuracyUnderLimit):
    """Accuracy as graded from a part of the recorded thought minus that with the whole one, as
    published, over the items that have both.

    `cell.other` is the original.
    """

    title = "Change of accuracy by a cut of the thought"
    probe_names = (THOUGHT,)

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        whole = {c.reader: graded(c) for c in every if c.probe == ORIGINAL and not c.condition}
        own = (graded(cell) for cell in every if self.fits(cell))
        return (cell.against(whole[cell.reader]) for cell in own if cell.reader in whole)

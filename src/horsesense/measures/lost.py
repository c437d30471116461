"""What missing replies could make of a number: the lowest and the highest that it can be.

An item that lacks one of several replies is not left out here: it stands with the replies that it
has, and each of the others is taken as it is best, and as it is worst, for the number (bounds in
place of an assumption about what is missing: Manski 1989). So nothing is supposed of why a reply is
missing. A missing reply may have been anything, also one that chooses no option.

- Right answers, choices and differences of them: each reply was so or was not.
- Agreement of m replies, of which c name the most frequent content and l are missing: between
  max(c, 1) / m, as the missing ones may all differ from it and from each other, and (c + l) / m.
- Locked to a position: not, unless all replies that are there choose it; then it may be.
- Choices of a position: every missing reply went there, or to another position.
- Other options chosen than when asked again: each missing reply is another option's or the same;
  without the published reply, which may choose none, or any pair to compare, from -1 to 1.
- Two readers compared: as far as one of them has an answer; a reply that neither has did not come.
- Anything else of an item as a whole: from its least value to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from horsesense.measures.agreement import most_frequent, option_counts
from horsesense.measures.base import Floats, Measure, Rows
from horsesense.measures.cells import (
    MISSING,
    NO_OPTION,
    NOT_ASKED,
    STATUS_CODE,
    Bools,
    Cell,
    Other,
    People,
)
from horsesense.measures.contrast import Again, AnswerSwitchBeyondRepeat, differences, paired, pairs
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.parts import part_by_part
from horsesense.measures.positions import PositionLocked, PositionPreference


class Ends(NamedTuple):
    """Per-item rows of a measure as low and as high as missing replies can make them.

    Attributes:
        low, high: an item weighs the same in both.
    """

    low: Rows
    high: Rows


def lacks(cell: Cell) -> bool:
    """Whether a reply is missing in a cell, or in one that it is compared with."""
    return any(bool((one.status == MISSING).any()) for one in _beside(cell))


def ends(measure: Measure, cell: Cell, place: int) -> Ends | None:
    """Bounds of one group of a measure; None where none are known."""
    found = _ENDS.get(measure.name)
    return None if found is None or People in cell else found(measure, cell, place)


def _beside(cell: Cell) -> list[Cell]:
    """A cell and those that it is compared with."""
    found = [cell]
    found += [cell.other] if Other in cell else []
    return found + ([cell[Again].cell] if Again in cell else [])


def _of_items(low: Any, high: Any, weight: Any) -> Ends:
    """From one value per item at either end, (items,)."""
    n = int(np.count_nonzero(weight))
    low, high = (np.column_stack([end * weight, weight]).astype(np.float64) for end in (low, high))
    return Ends(Rows(low, n, 0), Rows(high, n, 0))


def _supposed(measure: Measure, cell: Cell, place: int) -> Ends:
    """Of being right, or choosing: a missing reply is so, or is not."""
    return Ends(*(measure.rows(supposing(cell, right)) for right in (False, True)))


def supposing(cell: Cell, right: bool) -> Cell:
    """The cell as if its missing answers were right, or wrong, and those beside it were not.

    Of an item without a right answer among others that show one, it is neither.
    """
    lost, status = cell.status == MISSING, STATUS_CODE["answer" if right else "empty"]
    shows = (cell.gold_at >= 0).any(axis=1, keepdims=True)
    judged = lost & (shows | ~shows.any())
    supposed = replace(
        cell,
        status=np.where(lost, status, cell.status).astype(cell.status.dtype),
        correct=np.where(judged, right, cell.correct).astype(cell.correct.dtype),
    )
    return supposed.against(supposing(cell.other, not right)) if Other in cell else supposed


@part_by_part
def _most_named(cell: Cell) -> npt.NDArray[np.int64]:
    """How often each item's most frequent option was chosen, (items,)."""
    counts = np.where(cell.option == NO_OPTION, 0, option_counts(cell))
    return np.asarray(counts.max(axis=1))


def _agreeing(measure: Measure, cell: Cell, place: int) -> Ends:
    asked, lost = cell.asked.sum(axis=1), (cell.status == MISSING).sum(axis=1)
    least = np.maximum(most_frequent(cell), 1)
    most = np.maximum(_most_named(cell) + lost, least)
    every = np.maximum(asked, 1)
    return _of_items(least / every, most / every, asked > 1)


def _locked(measure: Measure, cell: Cell, place: int) -> Ends:
    assert isinstance(measure, PositionLocked)
    hits, _, _ = measure.counts(cell)
    there = (cell.asked.sum(axis=1) > 1)[:, None] * measure.there(cell)
    others = np.where(cell.status == MISSING, place, cell.position)
    may = np.where(cell.asked, others == place, True).all(axis=1) & (cell.status == MISSING).any(1)
    high = hits.copy()
    high[:, place] += may * there[:, place]
    return _placed(measure, cell, there, hits, high)


def _chosen(measure: Measure, cell: Cell, place: int) -> Ends:
    """What is missing goes to the position, or to that of the others which the item chose most.

    Of all ways to go elsewhere that is the noisiest: the variance over the relabellings of an
    item's positions is that of their counts, which is largest where one has them all.
    """
    assert isinstance(measure, PositionPreference)
    hits, trials, _ = measure.counts(cell)
    there = measure.there(cell)
    lost = (cell.status == MISSING).sum(axis=1) * there[:, place]
    low, high = hits.copy(), hits.copy()
    high[:, place] += lost
    shut = there == 0
    shut[:, place] = True
    rows = np.flatnonzero(lost)
    low[rows, np.where(shut, -np.inf, low)[rows].argmax(axis=1)] += lost[rows]
    return _placed(measure, cell, trials + lost[:, None] * there, low, high)


def _placed(
    measure: PositionPreference, cell: Cell, trials: Floats, low: Floats, high: Floats
) -> Ends:
    made = (measure.of_counts(cell, hits, trials) for hits in (low, high))
    return Ends(*(Rows(rows, int(trials[:, 0].sum()), 0) for rows in made))


def _switched(measure: Measure, cell: Cell, place: int) -> Ends:
    """Of each missing reply, or of where the noise is: another option's or the same."""
    assert isinstance(measure, AnswerSwitchBeyondRepeat)
    other, noise = measure.noise(cell)
    mine, theirs = paired(cell, other)
    sides = _Side.of(mine, cell, *measure.changes(cell)), _Side.of(theirs, other, *noise)
    # Without a pair to compare on either side, what is missing may bring the item in.
    lost = np.any([one.lost.any(axis=1) for one in sides], axis=0)
    void = lost & ~np.all([one.among.any(axis=1) for one in sides], axis=0)
    void &= Other in other
    found = []
    for changed in (False, True):
        here, there = (
            (one.supposing(so, void), slice(None))
            for one, so in zip(sides, (changed, not changed), strict=True)
        )
        rows = np.zeros((len(cell.item), 2))
        rows[mine] = differences(here, there)
        found.append(Rows(rows, int(rows[:, 1].sum()), 0))
    return Ends(*found)


class _Side(NamedTuple):
    """Of some items, where another option is chosen than as published, where that is counted, where
    it is not known, and where a reply was asked for, (items, trials) each."""

    hits: Bools
    among: Bools
    lost: Bools
    asked: Bools

    @classmethod
    def of(cls, items: npt.NDArray[np.intp], cell: Cell, hits: Bools, among: Bools) -> Self:
        lost, asked = (unknown(cell), cell.asked) if Other in cell else _between(cell)
        return cls(*(one[items] for one in (hits, among, lost, asked)))

    def supposing(self, changed: bool, void: Bools) -> tuple[Bools, Bools]:
        """The first two if what is not known, or all of an item, were another option's or not."""
        away = (self.lost | void[:, None]) & self.asked
        return np.where(away, changed, self.hits), self.among | away


def _between(orders: Cell) -> tuple[Bools, Bools]:
    """Of all pairs of an item's orders, of which a reply is missing, and which were asked for."""
    left, right = pairs(orders)
    gone, asked = orders.status == MISSING, orders.asked
    asked = asked[:, left] & asked[:, right]
    return (gone[:, left] | gone[:, right]) & asked, asked


def unknown(cell: Cell) -> Bools:
    """Replies of which it is not known whether they are another option's than as published."""
    base = cell.other.item[cell.other.status[:, 0] == MISSING]
    return np.asarray((cell.status == MISSING) | (np.isin(cell.item, base)[:, None] & cell.asked))


def _came(cell: Cell) -> Cell:
    """Of two readers, the cell and its other without replies that neither has: no reply came, and
    how they would have read it is no part of how they read what came."""
    other = cell.other
    mine, theirs = paired(cell, other)
    neither = (cell.status[mine] == MISSING) & (other.status[theirs] == MISSING)
    here, there = cell.status.copy(), other.status.copy()
    here[mine], there[theirs] = (
        np.where(neither, np.int8(NOT_ASKED), status[of])
        for status, of in ((here, mine), (there, theirs))
    )
    return replace(cell, status=here).against(replace(other, status=there))


def _void(measure: Measure, cell: Cell, place: int) -> Ends:
    """Of anything else: an item that lacks a reply in any of the cells may have any value."""
    unread = [one.item[(one.status == MISSING).any(axis=1)] for one in _beside(cell)]
    away = np.isin(cell.item, np.concatenate(unread)).astype(np.float64)
    least = -1.0 if measure.family is DIFFERENCE else 0.0
    rows = measure.rows(cell).rows * (1 - away)[:, None]
    below = place + rows.shape[1] // 2 if measure.layout == "halves" else -1
    rows[:, below] += away
    low, high = rows.copy(), rows
    low[:, place] += least * away
    high[:, place] += away
    n = int(np.count_nonzero(rows[:, below]))
    return Ends(Rows(low, n, 0), Rows(high, n, 0))


_RULES: Mapping[Callable[[Measure, Cell, int], Ends], str] = {
    _supposed: "accuracy accuracy_as_graded accuracy_change accuracy_without_gold_lenient pass_at_k"
    " pass_hat_k true_false_consistency true_false_not_wrong valid_change valid_rate"
    " without_gold_not_wrong",
    _agreeing: "plurality_agreement plurality_agreement_as_graded",
    _locked: "position_locked",
    _chosen: "position_preference",
    _switched: "answer_switch_beyond_orders answer_switch_beyond_repeat",
    _void: "accuracy_hard accuracy_hard_as_graded accuracy_valid composition_questionless"
    " majority_at_n score_composition",
    lambda measure, cell, place: _supposed(measure, _came(cell), place): "score_gain",
    lambda measure, cell, place: _void(measure, _came(cell), place): "mismatch_valid",
}
"""Measures by the rule that bounds them: all that a verdict, a comparison or an audit that may stop
early rests on, but for problems that share a prompt; and what several samples give, but for parts
of a variance, which a missing reply may raise or lower."""

_ENDS = {name: rule for rule, names in _RULES.items() for name in names.split()}

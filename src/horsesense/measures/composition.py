"""What a score is made of: items right in every form, as published only, in others only, never."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np

from horsesense.measures.base import Measure, Rows, grouped, of_items
from horsesense.measures.cells import MISSING, Bools, Cell, Parts, Scores
from horsesense.measures.counting import goldless
from horsesense.measures.joined import ORIGINAL, joined, part_means
from horsesense.stats.two_way import Ints

PARTS: Final = ("every_form", "published_only", "other_forms_only", "never")
"""In the order of the bar; the first two add up to the published score of the same items."""
PUBLISHED, ORDERS, QUESTIONLESS = "published", "orders", "questionless"
QUESTIONLESS_PROBE: Final = "options_only"
"""The probe that withholds the question."""
UNCLASSIFIED = -1
"""Part of an item with a form that has no reading, or without a known right answer; and of one
that is answered both right and wrong as published."""

MOST_UNCLASSIFIED: Final = 0.05
"""Share of the items without a part above which there are bounds alone."""


def _by_reader(every: Sequence[Cell], probe: str) -> dict[str, Cell]:
    """The first letter cell of a probe for each reader."""
    found: dict[str, Cell] = {}
    for cell in every:
        if cell.probe == probe and cell.answer_format == "letter" and not cell.held_out:
            found.setdefault(cell.reader, cell.less(Scores))
    return found


def forms(cell: Cell) -> Bools:
    """Which columns of a joined cell are forms of the whole question, (repetitions,)."""
    return cell[Parts].of(PUBLISHED) | cell[Parts].of(ORDERS)


def considered(cell: Cell) -> Bools:
    """Items asked as published and in other orders, whose right answer is known, (items,)."""
    asked = [(cell.asked & cell[Parts].of(part)).any(axis=1) for part in (PUBLISHED, ORDERS)]
    return np.asarray(asked[0] & asked[1] & ~goldless(cell))


def possible(cell: Cell) -> Bools:
    """Which parts each item may belong to, whatever its missing forms would say, (items, 4).

    One that is answered both right and wrong as published, as in logs that shuffle its options, is
    neither right in every form nor never: it may belong to either part between.
    """
    published, orders = cell[Parts].of(PUBLISHED), cell[Parts].of(ORDERS)
    lost = cell.status == MISSING
    right, wrong = (cell.correct == 1) | lost, (cell.correct == 0) | lost

    def some(held: Bools, part: Bools) -> Bools:
        return np.asarray((held & cell.asked & part).any(axis=1))

    def every(held: Bools, part: Bools) -> Bools:
        return ~some(~held, part)

    asked = np.count_nonzero(cell.asked & published, axis=1)
    mixed = some(right, published) & some(wrong, published) & (asked > 1)
    always, never = every(right, published), every(wrong, published)
    between = (always & some(wrong, orders)), (never & some(right, orders))
    every_form, none = always & every(right, orders), never & every(wrong, orders)
    return np.column_stack([every_form, *(mixed | one for one in between), none])


class Sorted(NamedTuple):
    """The items of a joined cell by the part of the score that they belong to.

    Attributes:
        considered: whether an item is one of the score's, (items,).
        complete: whether it has a reading of every form of the whole question, (items,).
        may: which parts it may belong to, (items, 4).
        part: the one that it belongs to, or UNCLASSIFIED, (items,).
    """

    considered: Bools
    complete: Bools
    may: Bools
    part: Ints

    @classmethod
    def of(cls, cell: Cell) -> Self:
        """Those of a joined cell."""
        complete = ~np.asarray(((cell.status == MISSING) & forms(cell)).any(axis=1))
        used, may = considered(cell), possible(cell)
        known = used & complete & (may.sum(axis=1) == 1)
        return cls(used, complete, may, np.where(known, may.argmax(axis=1), UNCLASSIFIED))

    @property
    def doubtful(self) -> Bools:
        """Items of the score without a part, (items,)."""
        return np.asarray(self.considered & (self.part == UNCLASSIFIED))

    @property
    def bounds_only(self) -> bool:
        """Whether so many lack a part that the shares of the others are no estimate."""
        return bool(self.doubtful.sum() > MOST_UNCLASSIFIED * self.considered.sum())


class ScoreComposition(Measure):
    """Of the items asked as published and in other orders: the share right in every form, as
    published only, in other forms only, never. A reply without a choice is not right; items with an
    unread form are left out and counted.
    """

    title = "What the score is made of"
    counted = "items"
    names: ClassVar[Sequence[str]] = PARTS
    asked: ClassVar[dict[str, str]] = {PUBLISHED: ORIGINAL, ORDERS: "order"}
    """The probes that are joined, by what they are called; the last is where the value stands."""

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        by_reader = {name: _by_reader(every, probe) for name, probe in self.asked.items()}
        for reader in by_reader[PUBLISHED]:
            made = {name: found[reader] for name, found in by_reader.items() if reader in found}
            if len(made) == len(self.asked):
                *_, last = made.values()
                yield joined(made, last.probe, last.condition)

    def undefined_reason(self, cell: Cell) -> str | None:
        found = Sorted.of(cell)
        if cell.read.any() and found.bounds_only:
            mixed = (found.complete & found.doubtful).any()
            also = ", or were answered both right and wrong as published" if mixed else ""
            return f"more than 5 % of the items lack a reply to some form{also}"
        return self.goldless(cell)

    def goldless(self, cell: Cell) -> str | None:
        """Why there is no item at all."""
        some = considered(cell).any() or not cell.read.any()
        return None if some else "no item has a gold answer in every form"

    def rows(self, cell: Cell) -> Rows:
        found = Sorted.of(cell)
        hits = found.part[:, None] == np.arange(len(PARTS))
        return of_items(hits, found.part != UNCLASSIFIED, found.considered)


class CompositionQuestionless(ScoreComposition):
    """Of the items of each part of score_composition, and of all: the share that is answered right
    when the question is withheld.
    """

    title = "Right without the question, by part of the score"
    names = (*PARTS, "all")
    layout = "halves"
    asked = ScoreComposition.asked | {QUESTIONLESS: QUESTIONLESS_PROBE}

    def undefined_reason(self, cell: Cell) -> str | None:
        return self.goldless(cell)

    def rows(self, cell: Cell) -> Rows:
        part = Sorted.of(cell).part
        right, known = part_means(cell, cell.correct == 1, QUESTIONLESS).T
        within = np.column_stack([part[:, None] == np.arange(len(PARTS)), part != UNCLASSIFIED])
        found = grouped(right[:, None], known[:, None] > 0, within[:, None])
        n = int(found.rows[:, -1].sum())
        return Rows(found.rows, n, int(considered(cell).sum()) - n)

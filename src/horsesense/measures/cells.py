"""What measures are computed from: the readings of one probe, condition and reader, as arrays.

A cell is a small core, which every cell has, and named groups of columns, which only some have.
A measure names the groups that it needs and is given no cell without them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from horsesense.readers.causes import CAUSES, Cause
from horsesense.readers.reading import STATUSES
from horsesense.trials.condition import PLAIN, Condition

STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
MISSING = -1
"""Status code of a trial that was asked and has no reading."""
NOT_ASKED = -2
"""Status code of a place in a cell where there is no trial."""
NO_OPTION = -999
"""Content of a reading that chose nothing in particular; never equal to another such."""

HELD_OUT: Final = "_held_out"
"""Ends the name of a reader's cells without the items that it was fitted on."""

Bools = npt.NDArray[np.bool_]


ABSENT: Final = "absent"
"""In the metadata of a field with one value per trial, (items, repetitions): the value where
there is no trial."""
PER_ITEM: Final = "per item"
"""In the metadata of a field with one value per item, (items,)."""
PART = 100_000
"""Trials of a part of a cell (see `Cell.parts`)."""


@dataclass(frozen=True, eq=False)
class Columns:
    """A group of columns that some cells have; a group of your own is a dataclass of this kind.

    A part of a cell has the fields of one value per trial (`ABSENT`) or per item (`PER_ITEM`) for
    its items, the same items of a field that is a cell, and every other field as it is.
    """


G = TypeVar("G", bound=Columns)


@dataclass(frozen=True, eq=False)
class Scores(Columns):
    """Numbers of the readings (see `Reading`), NaN where there is none."""

    confidence: npt.NDArray[np.float32] = field(metadata={ABSENT: np.nan})
    score: npt.NDArray[np.float32] = field(metadata={ABSENT: np.nan})


@dataclass(frozen=True, eq=False)
class ChosenSets(Columns):
    """Of cells in which a reply may choose several positions, or none.

    Attributes:
        chosen: bit s is set if position s was chosen; 0 where there is no reading. Whole numbers
            of Python (dtype object) where there are more than 62 positions.
        marked: the position that the probe is about, or -1 (see `trials.extras.Marked`).
    """

    chosen: npt.NDArray[Any] = field(metadata={ABSENT: 0})
    marked: npt.NDArray[np.int16] = field(metadata={ABSENT: -1})

    @property
    def count(self) -> npt.NDArray[np.int64]:
        """How many positions each reply chose."""
        return np.asarray(np.bitwise_count(self.chosen).astype(np.int64))

    def holds(self, position: npt.NDArray[np.int16]) -> Bools:
        """Whether each reply chose the given position; False where that is below 0."""
        kind = self.chosen.dtype
        bit = np.left_shift(np.array(1, kind), np.maximum(position, 0).astype(kind))
        return np.asarray(np.not_equal(self.chosen & bit, 0) & (position >= 0))


@dataclass(frozen=True, eq=False)
class Verdicts(Columns):
    """Of cells that ask freely: index into `readers.formats.free_response.CLASSES`, or -1."""

    verdict: npt.NDArray[np.int8] = field(metadata={ABSENT: -1})


@dataclass(frozen=True, eq=False)
class NearNames(Columns):
    """Whether another class name is near that of the item's own (see `items.class_names`)."""

    near: Bools = field(metadata={ABSENT: False})


@dataclass(frozen=True, eq=False)
class InOtherWords(Columns):
    """Whether a reply says "none" in words of its own (see `readers.reading.IN_OTHER_WORDS`)."""

    says: Bools = field(metadata={ABSENT: False})


@dataclass(frozen=True, eq=False)
class Bundles(Columns):
    """Of cells whose prompts hold several problems.

    Attributes:
        bundle: number of the bundle that an item stands in, or -1.
        problem: its place there, from 0, or -1.
        excess: see `Reading`.
        classes: the labels that all items share; empty where each has options of its own.
    """

    bundle: npt.NDArray[np.int32] = field(metadata={ABSENT: -1})
    problem: npt.NDArray[np.int16] = field(metadata={ABSENT: -1})
    excess: npt.NDArray[np.int32] = field(metadata={ABSENT: 0})
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class People(Columns):
    """Of cells whose answers came from several people: the number of each answer's person, or -1.

    One person answers an item at most once.
    """

    person: npt.NDArray[np.int32] = field(metadata={ABSENT: -1})


@dataclass(frozen=True, eq=False)
class Replies(Columns):
    """What became of each prompt, and what a harness that has to decide makes of its reply.

    Attributes:
        cause: index into `readers.causes.CAUSES`, or -1.
        correct: as the cell's own, with a reply that no reader can read as a wrong one.
    """

    cause: npt.NDArray[np.int8] = field(metadata={ABSENT: -1})
    correct: npt.NDArray[np.int8] = field(metadata={ABSENT: -1})

    def of(self, *causes: Cause) -> Bools:
        """Where one of these causes holds."""
        return np.asarray(np.isin(self.cause, [CAUSES.index(cause) for cause in causes]))


@dataclass(frozen=True, eq=False)
class Unchanged(Columns):
    """Of cells with trials whose prompt is that of the item as published, word for word.

    Attributes:
        same: which trials these are; they were asked once, and are no other form of the item.
    """

    same: Bools = field(metadata={ABSENT: False})


@dataclass(frozen=True, eq=False)
class Parts(Columns):
    """Of a joined cell: what it was put together from.

    Attributes:
        names: of the cells, in order.
        part: which of them each column belongs to, (repetitions,).
    """

    names: tuple[str, ...]
    part: npt.NDArray[np.intp]

    def of(self, name: str) -> Bools:
        """Which columns belong to a part, (repetitions,); none to a part that is not there."""
        return np.equal(self.part, self.names.index(name) if name in self.names else -1)


@dataclass(frozen=True, eq=False)
class Subjects(Columns):
    """Where items have subjects: number of each item's subject in `names`, (items,)."""

    subject: npt.NDArray[np.intp] = field(metadata={PER_ITEM: True})
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Cell:
    """All readings of one probe, condition and reader, as arrays (items x repetitions).

    Attributes:
        probe, condition, reader: what the cell holds.
        item: number of each item in its set, (items,), ascending.
        k: number of options shown, (items,).
        status: index into STATUSES, MISSING or NOT_ASKED, (items, repetitions).
        position: chosen position where exactly one was chosen, else -1.
        option: chosen content, or NO_OPTION.
        gold_at: position of the right answer, or -1.
        correct: 1 right, 0 wrong, -1 where no gold is known or there is no reading.
        answer_format: the kind of answer asked for (see `trials.AnswerFormat`).
        by_scores: whether the reader read scores and not words.
        groups: further columns, at most one group of a kind: `cell[Scores].confidence`.
    """

    probe: str
    condition: Condition = PLAIN
    reader: str
    item: npt.NDArray[np.int64] = field(metadata={PER_ITEM: True})
    k: npt.NDArray[np.int64] = field(metadata={PER_ITEM: True})
    status: npt.NDArray[np.int8] = field(metadata={ABSENT: NOT_ASKED})
    position: npt.NDArray[np.int16] = field(metadata={ABSENT: -1})
    option: npt.NDArray[np.int16] = field(metadata={ABSENT: NO_OPTION})
    gold_at: npt.NDArray[np.int16] = field(metadata={ABSENT: -1})
    correct: npt.NDArray[np.int8] = field(metadata={ABSENT: -1})
    answer_format: str = "letter"
    by_scores: bool = False
    groups: tuple[Columns, ...] = ()

    def __contains__(self, kind: type[Columns]) -> bool:
        """Whether the cell has a group of columns."""
        return self.get(kind) is not None

    def __getitem__(self, kind: type[G]) -> G:
        """A group of columns; KeyError tells which is not there."""
        found = self.get(kind)
        if found is None:
            raise KeyError(f"a cell of {self.probe} has no {kind.__name__}; say that you need it")
        return found

    def get(self, kind: type[G]) -> G | None:
        """A group of columns; None where the cell has none of the kind."""
        return next((group for group in self.groups if isinstance(group, kind)), None)

    def having(self, *groups: Columns) -> Cell:
        """The same with further groups of columns, or with others in their place."""
        return replace(self, groups=(*self.less(*map(type, groups)).groups, *groups))

    def less(self, *kinds: type[Columns]) -> Cell:
        """The same without some groups of columns."""
        return replace(self, groups=tuple(g for g in self.groups if type(g) not in kinds))

    def trimmed(self, repetitions: int) -> Cell:
        """The same with so many trials of each item at most."""
        return self._of(lambda columns: _each(columns, lambda values, _: values[:, :repetitions]))

    def changed(self) -> Cell:
        """The same without the trials that put the prompt of the item as published."""
        found = self.get(Unchanged)
        if found is None:
            return self
        same = found.same
        return self._of(
            lambda columns: _each(
                columns,
                lambda values, absent: np.where(same, np.array(absent, values.dtype), values),
            )
        )

    def _of(self, made: Callable[[Cell | Columns], dict[str, Any]]) -> Cell:
        """The same with those fields of the cell, and of every group, that `made` gives anew."""
        groups = tuple(replace(group, **made(group)) for group in self.groups)
        return replace(self, **made(self), groups=groups)

    def one_by_one(self) -> tuple[Cell, npt.NDArray[np.intp]]:
        """Every trial as a row of its own, and the row of this cell that it comes from."""
        row, _ = np.nonzero(self.asked)

        def made(columns: Cell | Columns) -> dict[str, Any]:
            per_item = {name: getattr(columns, name)[row] for name in _having(columns, PER_ITEM)}
            return per_item | _each(columns, lambda values, _: values[self.asked][:, None])

        return self._of(made), row

    def parts(self, trials: int | None = None) -> Iterator[tuple[slice, Cell]]:
        """The cell in parts of so many trials (`PART`) and whole items: which items, and the part.

        A cell beside it (`other`) has the same items in each part, as far as it has them. Columns
        are views of those of the cell.
        """
        width = self.status.shape[1]
        most = max(1, (PART if trials is None else trials) // max(1, width))
        if len(self.item) <= most:
            yield slice(0, len(self.item)), self
            return
        for start in range(0, len(self.item), most):
            of = slice(start, min(start + most, len(self.item)))
            yield of, self.of_items(of).having(PartOf(self.whole))

    def of_items(self, of: slice | Bools) -> Cell:
        """The same with some of the items alone; a cell beside it has those between them."""
        ends = self.item[of][[0, -1]] if len(self.item[of]) else None

        def made(columns: Cell | Columns) -> dict[str, Any]:
            cut = {name: getattr(columns, name)[of] for name in _having(columns, PER_ITEM, ABSENT)}
            beside = (f.name for f in fields(columns) if isinstance(getattr(columns, f.name), Cell))
            return cut | {name: getattr(columns, name)._between(ends) for name in beside}

        return self._of(made)

    def _between(self, ends: npt.NDArray[np.int64] | None) -> Cell:
        """The items from the first of two numbers to the last; none without numbers."""
        if ends is None:
            return self.of_items(slice(0, 0))
        start = np.searchsorted(self.item, ends[0], side="left")
        return self.of_items(slice(start, np.searchsorted(self.item, ends[1], side="right")))

    @property
    def whole(self) -> Cell:
        """What the cell is a part of; itself where it is none."""
        found = self.get(PartOf)
        return self if found is None else found.cell

    def against(self, other: Cell) -> Cell:
        """The same, to be compared with another cell of the same items."""
        return self.having(Other(other))

    @property
    def other(self) -> Cell:
        """What the cell is compared with."""
        return self[Other].cell

    @property
    def held_out(self) -> bool:
        """Whether items that the reader was fitted on are left out."""
        return self.reader.endswith(HELD_OUT)

    @property
    def read(self) -> Bools:
        """Where there is a reading."""
        return np.greater_equal(self.status, 0)

    @property
    def known(self) -> Bools:
        """Where there is a reading that is right or wrong."""
        return self.read & np.greater_equal(self.correct, 0)

    @property
    def asked(self) -> Bools:
        """Where there is a trial."""
        return np.not_equal(self.status, NOT_ASKED)

    @property
    def valid(self) -> Bools:
        """Where a position was chosen."""
        return np.equal(self.status, STATUS_CODE["answer"])

    @property
    def n_missing(self) -> int:
        """Trials that were asked and have no reading."""
        return int((self.status == MISSING).sum())

    def among(self, items: npt.NDArray[np.int64]) -> Cell:
        """The same without items that are not among some numbers."""
        kept = np.isin(self.item, items)
        return self if kept.all() else self.of_items(kept)


def _having(columns: Cell | Columns, *kinds: str) -> list[str]:
    """Names of the fields with one of these in their metadata."""
    return [f.name for f in fields(columns) if any(kind in f.metadata for kind in kinds)]


def _each(
    columns: Cell | Columns, of: Callable[[npt.NDArray[Any], Any], npt.NDArray[Any]]
) -> dict[str, Any]:
    """Every field of one value per trial as `of` (values, absent) makes it."""
    named = [f for f in fields(columns) if ABSENT in f.metadata]
    return {f.name: of(getattr(columns, f.name), f.metadata[ABSENT]) for f in named}


@dataclass(frozen=True, eq=False)
class Other(Columns):
    """The cell that this one is compared with."""

    cell: Cell


@dataclass(frozen=True, eq=False)
class PartOf(Columns):
    """The cell that this one is a part of."""

    cell: Cell

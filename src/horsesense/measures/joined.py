"""The usual ways in which measures join cells, beside taking every cell alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Final, get_args

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, item_means
from horsesense.measures.cells import ABSENT, Cell, Columns, Parts
from horsesense.trials.condition import Condition
from horsesense.trials.orders import Design
from horsesense.trials.trial import AnswerFormat

EVERY_FORMAT: Final[frozenset[AnswerFormat]] = frozenset(get_args(AnswerFormat))

ORIGINAL: Final = "original"
"""The probe that changes nothing."""
RECORDED_ORDERS: Final = "recorded"
"""The design of orders that a log happens to hold; the first of them is the original's own."""
TEXT: Final = "text"
FIRST_TOKEN: Final = "first_token"
"""The readers of what is said, and of what is most likely to be said first."""


def balanced(condition: Condition) -> bool:
    """Whether each option visits each position equally often, if a condition names its orders.

    Orders that a log happens to hold do not, nor do designs that leave most options in place.
    """
    design = condition.get("design", "cyclic")
    return design != RECORDED_ORDERS and Design.parse(design).balanced


def drawn_orders(condition: Condition) -> bool:
    """Whether its orders are a sample of the orders of an item; those of a log may be."""
    design = condition.get("design", "cyclic")
    return design == RECORDED_ORDERS or Design.parse(design).drawn


class AgainstOriginal(Measure):
    """Every probe against the items as published, by the same reader; `cell.other` are those.

    Of the probe, only trials that change the prompt: a design of orders may hold the published
    one too, and a difference from itself would draw every effect towards 0.

    Attributes:
        same_wording: whether a form in another wording is compared with the items in that wording,
            where those were asked.
    """

    same_wording: ClassVar[bool] = False

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        original = {c.reader: c for c in every if c.probe == ORIGINAL and not c.condition}
        for cell in every:
            if cell.probe != ORIGINAL and cell.reader in original and self.fits(cell):
                reworded = in_wording_of(cell, every) if self.same_wording else None
                yield cell.changed().against(reworded or _published(original[cell.reader], cell))


def _published(original: Cell, cell: Cell) -> Cell:
    """What a cell is compared with: of a log's orders the first, as the others are the cell's."""
    return original.trimmed(1) if cell.condition.matches(design=RECORDED_ORDERS) else original


def in_wording_of(cell: Cell, every: Iterable[Cell]) -> Cell | None:
    """The items as published in the wording of a cell that has one of its own, where they were
    asked: in orders of the same design, or of any."""
    own = cell.condition
    if "asking" not in own or own.matches(prompt="with_gold"):
        return None
    wanted = {"prompt": "with_gold", "asking": own["asking"]}
    found = [c for c in every if c.reader == cell.reader and c.condition.matches(**wanted)]
    alike = (c for c in found if c.condition.get("design") == own.get("design"))
    return next(alike, found[0] if found else None)


class AgainstReader(Measure):
    """The same trials by another reader, whose cell is `cell.other`, of the items that both read.

    Attributes:
        other_reader: its name.
    """

    other_reader: ClassVar[str]

    def cells(self, every: Sequence[Cell]) -> Iterable[Cell]:
        others = {(c.probe, c.condition): c for c in every if c.reader == self.other_reader}
        for cell in every:
            other = others.get((cell.probe, cell.condition))
            if other is not None and other.reader != cell.reader and self.fits(cell):
                yield cell.against(other.among(cell.item))


class OfProbe(Measure):
    """A measure of the cells of certain probes alone, whatever kind of answer they ask for."""

    answer_format = EVERY_FORMAT


def families(
    cells: Iterable[Cell], by: str, *, but: Sequence[str] = ()
) -> Iterator[tuple[Condition, dict[str, Cell]]]:
    """Cells of one reader whose conditions differ in `by` (and in the settings `but`) alone.

    Yields what their conditions have in common, and the cells by their value of `by`.
    """
    found: dict[tuple[str, Condition], dict[str, Cell]] = {}
    for cell in cells:
        if by in cell.condition:
            shared = cell.condition.without(by, *but)
            found.setdefault((cell.reader, shared), {})[cell.condition[by]] = cell
    return ((shared, parts) for (_, shared), parts in found.items())


def part_means(cell: Cell, hits: npt.NDArray[Any], part: str) -> Floats:
    """Rows (mean over an item's trials of one part, 1); zeros for items without any."""
    return item_means(hits, cell.read & cell[Parts].of(part))


def sparing(cell: Cell) -> Cell:
    """The cell as if replies that choose nothing were right."""
    return replace(cell, correct=np.where(cell.read & ~cell.valid, np.int8(1), cell.correct))


def joined(named: Mapping[str, Cell], probe: str, condition: Condition) -> Cell:
    """Several cells of one reader side by side, for measures that compare them item by item.

    Items are those of any of the cells; an item that a cell lacks was not asked there. The kind
    of answer and, where they differ, the number of options are those of the first cell.
    """
    made = list(named.values())
    item = np.unique(np.concatenate([cell.item for cell in made]))
    rows = [np.searchsorted(item, cell.item) for cell in made]
    part = np.repeat(np.arange(len(made)), [cell.status.shape[1] for cell in made])

    def laid(kind: type, found: Sequence[Cell | Columns | None]) -> dict[str, Any]:
        """Every field of one value per trial, laid side by side."""
        out = {}
        for name, absent in ((f.name, f.metadata.get(ABSENT)) for f in fields(kind)):
            there = {n: getattr(each, name) for n, each in enumerate(found) if each is not None}
            if absent is not None:
                dtype = next(iter(there.values())).dtype
                out[name] = np.full((len(item), len(part)), absent, dtype=dtype)
                for number, array in there.items():
                    out[name][np.ix_(rows[number], np.flatnonzero(part == number))] = array
        return out

    k = np.zeros(len(item), dtype=np.int64)
    for cell, row in zip(reversed(made), reversed(rows), strict=True):
        k[row] = cell.k
    kinds = dict.fromkeys(type(group) for cell in made for group in cell.groups)
    groups = [
        replace(next(g for g in found if g is not None), **laid(kind, found))
        for kind in kinds
        if any(ABSENT in f.metadata for f in fields(kind))  # others cannot stand side by side
        for found in [[cell.get(kind) for cell in made]]
    ]
    return replace(
        made[0],
        probe=probe,
        condition=condition,
        item=item,
        k=k,
        **laid(Cell, made),
        groups=(*groups, Parts(tuple(named), part)),
    )

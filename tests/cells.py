"""Cells made by hand, for tests of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from horsesense.measures.base import Estimate, Measure
from horsesense.measures.cells import MISSING, NO_OPTION, STATUS_CODE, Cell
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES
from horsesense.measures.signature import Signature

SIGNATURE = Signature("d", "1", "m", "p", "t", "", "r", "accuracy", "", "0", "0")


def cell_of(
    contents: Sequence[Sequence[int | None]],
    gold: Sequence[int],
    *,
    k: int = 4,
    probe: str = "order",
    reader: str = "text",
    positions: Sequence[Sequence[int]] | None = None,
    gold_at: Sequence[Sequence[int]] | None = None,
) -> Cell:
    """A cell from chosen contents (None: no valid answer; -99: no reading at all)."""
    missing = np.array([[c == -99 for c in row] for row in contents])
    none = np.array([[c is None for c in row] for row in contents])
    content = np.array([[NO_OPTION if c in (None, -99) else c for c in row] for row in contents])
    status = np.where(none, STATUS_CODE["ambiguous"], STATUS_CODE["answer"])
    status = np.where(missing, MISSING, status).astype(np.int8)
    right = np.array(gold)[:, None]
    correct = np.where(missing, -1, content == right)
    shown = content if positions is None else np.array(positions)
    gold_shown = np.broadcast_to(right, content.shape) if gold_at is None else np.array(gold_at)
    return Cell(
        probe=probe,
        reader=reader,
        item=np.arange(len(contents)),
        k=np.full(len(contents), k),
        status=status,
        position=np.where(missing | none, -1, shown).astype(np.int16),
        option=content.astype(np.int16),
        gold_at=gold_shown.astype(np.int16),
        correct=correct.astype(np.int8),
    )


def letters(text: str) -> list[list[int | None]]:
    """One trial per item: "AB X" -> [[0], [1], [None], [None]] (X and space are no answer)."""
    return [[None if c in " X" else ord(c) - 65] for c in text]


def study_of(cells: Sequence[Cell], **settings: Any) -> Context:
    """A study of nothing but some cells, each item a cluster of its own."""
    items = 1 + max(int(cell.item.max()) for cell in cells)
    given = {"cluster": np.arange(items), "signature": lambda *_: SIGNATURE, **settings}
    return Context("d", "m", **given)


def measured(cells: Sequence[Cell], *measures: Measure | str, **settings: Any) -> list[Estimate]:
    """The estimates of measures or of what has their names, of all without any."""
    of = [MEASURES.get(m) if isinstance(m, str) else m for m in measures] or [*MEASURES]
    return [one.estimate for one in found_all(cells, of, study_of(cells, **settings))]


def values(measure: str, cell: Cell) -> dict[str, float]:
    """Group -> value of a measure on a cell."""
    found = MEASURES.get(measure)
    assert found.undefined_reason(cell) is None
    totals = found.rows(cell).rows.sum(axis=0)
    return dict(zip(found.groups(cell), map(float, found.value(totals)), strict=True))

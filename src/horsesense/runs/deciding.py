"""What decides when asking may stop: whose readings, and the value of each item under a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.findings.early import BANDED
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.base import Measure
from horsesense.measures.cells import MISSING, Cell
from horsesense.measures.contrast import AccuracyChange
from horsesense.measures.validity import ValidRate
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.runs.prepare import Study
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
Key = tuple[str, Condition]
"""Probe and condition."""

CHANGE, SCORE = AccuracyChange(), Accuracy()
SHARES: Mapping[str, Measure] = dict(zip(BANDED, (SCORE, ValidRate()), strict=True))
"""Shares of one reply an item, which have a band."""


def deciding_reader(study: Study) -> Reader:
    """The reader whose readings decide: settled before the first answer.

    What a reply says, where there are replies; else the first reader that needs neither a fit nor
    a model of its own. UsageError where there is none.
    """
    replies = study.capabilities.text and study.settings.max_tokens > 0
    plain = [r for r in study.readers() if not isinstance(r, FittedReader | BulkReader)]
    ranked = sorted(plain, key=lambda reader: (reader.name == "text") is not replies)
    if not ranked:
        raise UsageError(
            "--until needs a reader that decides as answers come.",
            hint="Add text or first_token to --readers.",
        )
    return ranked[0]


def differences(cells: Sequence[Cell], measure: Measure) -> dict[Key, dict[int, float]]:
    """Item number -> value of its rows, by probe and condition; NaN where an answer is missing.

    `measure` has rows of one value per item and 1 where it enters (as `AccuracyChange`).
    """
    found: dict[Key, dict[int, float]] = {}
    for cell in measure.cells(cells):
        if measure.undefined_reason(cell) is None:
            rows = measure.rows(cell).rows
            whole = (rows[:, 1] > 0) & ~_incomplete(cell, cell)
            if measure is CHANGE:
                whole &= ~_incomplete(cell, cell.other)
            values, there = np.where(whole, rows[:, 0], np.nan), cell.asked.any(axis=1)
            pairs = zip(cell.item[there].tolist(), values[there], strict=True)
            found[cell.probe, cell.condition] = dict(pairs)
    return found


def _incomplete(cell: Cell, of: Cell) -> npt.NDArray[np.bool_]:
    """Which items of a cell lack an answer in another."""
    return np.isin(cell.item, of.item[(of.status == MISSING).any(axis=1)])

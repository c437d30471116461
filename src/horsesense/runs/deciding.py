"""What decides when asking may stop: whose readings, and the value of each item under a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.findings.early import BANDED
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.base import Measure
from horsesense.measures.cells import MISSING, STATUS_CODE, Cell, Other
from horsesense.measures.contrast import AccuracyChange
from horsesense.measures.validity import ValidRate
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.runs.prepare import Study
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
Key = tuple[str, Condition]
"""Probe and condition."""
Ends = tuple[float, float]
"""The lowest and the highest that a value can be: not the same where an answer is missing."""

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


def differences(cells: Sequence[Cell], measure: Measure) -> dict[Key, dict[int, Ends]]:
    """Item number -> ends of the value of its rows, by probe and condition.

    A missing answer may have been right or wrong, each of several orders on its own.

    `measure` has rows of one value per item and 1 where it enters (as `AccuracyChange`).
    """
    found: dict[Key, dict[int, Ends]] = {}
    for cell in measure.cells(cells):
        if measure.undefined_reason(cell) is None:
            supposed = (measure.rows(_supposing(cell, right)).rows for right in (False, True))
            low, high = (
                np.where(rows[:, 1] > 0, rows[:, 0], end)
                for rows, end in zip(supposed, (-1.0, 1.0), strict=True)
            )
            there = cell.asked.any(axis=1)
            ends = zip(low[there].tolist(), high[there].tolist(), strict=True)
            pairs = zip(cell.item[there].tolist(), ends, strict=True)
            found[cell.probe, cell.condition] = dict(pairs)
    return found


def _supposing(cell: Cell, right: bool) -> Cell:
    """The cell as if its missing answers were right, or wrong, and those beside it were not."""
    lost, status = cell.status == MISSING, STATUS_CODE["answer" if right else "empty"]
    supposed = replace(
        cell,
        status=np.where(lost, status, cell.status).astype(cell.status.dtype),
        correct=np.where(lost, right, cell.correct).astype(cell.correct.dtype),
    )
    return supposed.against(_supposing(cell.other, not right)) if Other in cell else supposed

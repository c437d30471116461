"""What measures are computed from: the readings of one probe, condition and reader, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from horsesense.readers.reading import STATUSES

STATUS_CODE = {status: code for code, status in enumerate(STATUSES)}
MISSING = -1
"""Status code of a trial that was asked and has no reading."""
NOT_ASKED = -2
"""Status code of a place in a cell where there is no trial."""
NO_OPTION = -999
"""Content of a reading that chose nothing in particular; never equal to another such."""

HELD_OUT: Final = "_held_out"
"""Ends the name of a reader's cells without the items that it was fitted on."""


@dataclass(frozen=True, eq=False)
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
        chosen: bit s is set if position s was chosen; 0 where there is no reading. Of cells that
            ask for several letters, and of bundles; None elsewhere.
        bundle: number of the bundle that an item stands in, or -1; problem: its place there,
            from 0; excess: see `Reading`. Of cells whose prompts hold several problems.
        classes: the labels that all items share; likewise, empty where each has options of its own.
        marked: the position that the probe is about, or -1 (`Trial.extras["marked"]`); likewise.
        verdict: index into `readers.no_hint.CLASSES`, or -1; of cells that ask freely.
        confidence, score: of the readings (see `Reading`), NaN where there is none.
        parts: names of the cells that a joined cell was put together from (see `joined`).
        part: which of them each column belongs to, (repetitions,).
        subject: number of each item's subject in `subjects`, (items,); None where there are none.
        pseudo: weight of what is expected of a subject (see `by_subject`), (1,).
    """

    probe: str
    condition: str
    reader: str
    item: npt.NDArray[np.int64]
    k: npt.NDArray[np.int64]
    status: npt.NDArray[np.int8]
    position: npt.NDArray[np.int16]
    option: npt.NDArray[np.int16]
    gold_at: npt.NDArray[np.int16]
    correct: npt.NDArray[np.int8]
    answer_format: str = "letter"
    chosen: npt.NDArray[np.int64] | None = None
    marked: npt.NDArray[np.int16] | None = None
    verdict: npt.NDArray[np.int8] | None = None
    confidence: npt.NDArray[np.float32] | None = None
    score: npt.NDArray[np.float32] | None = None
    bundle: npt.NDArray[np.int32] | None = None
    problem: npt.NDArray[np.int16] | None = None
    excess: npt.NDArray[np.int32] | None = None
    classes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    part: npt.NDArray[np.intp] | None = None
    subject: npt.NDArray[np.intp] | None = None
    subjects: tuple[str, ...] = ()
    pseudo: npt.NDArray[np.float64] | None = None

    @property
    def read(self) -> npt.NDArray[np.bool_]:
        """Where there is a reading."""
        return np.greater_equal(self.status, 0)

    @property
    def asked(self) -> npt.NDArray[np.bool_]:
        """Where there is a trial."""
        return np.not_equal(self.status, NOT_ASKED)

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Where a position was chosen."""
        return np.equal(self.status, STATUS_CODE["answer"])

    @property
    def n_missing(self) -> int:
        """Trials that were asked and have no reading."""
        return int((self.status == MISSING).sum())


def joined(named: Mapping[str, Cell], probe: str, condition: str) -> Cell:
    """Several cells of one reader side by side, for measures that compare them item by item.

    Items are those of any of the cells; an item that a cell lacks was not asked there. The kind
    of answer and, where they differ, the number of options are those of the first cell.
    """
    item = np.unique(np.concatenate([cell.item for cell in named.values()]))
    rows = [np.searchsorted(item, cell.item) for cell in named.values()]
    made = list(named.values())
    part = np.repeat(np.arange(len(made)), [cell.status.shape[1] for cell in made])

    def beside(name: str, absent: int | float) -> Any:
        arrays = [getattr(cell, name) for cell in made]
        kind = next((a.dtype for a in arrays if a is not None), None)
        if kind is None:
            return None
        out = np.full((len(item), len(part)), absent, dtype=kind)
        for number, array in enumerate(arrays):
            if array is not None:
                out[np.ix_(rows[number], np.flatnonzero(part == number))] = array
        return out

    k = np.zeros(len(item), dtype=np.int64)
    for cell, row in zip(reversed(made), reversed(rows), strict=True):
        k[row] = cell.k
    return Cell(
        probe, condition, made[0].reader, item, k,
        beside("status", NOT_ASKED), beside("position", -1), beside("option", NO_OPTION),
        beside("gold_at", -1), beside("correct", -1), made[0].answer_format,
        beside("chosen", 0), beside("marked", -1), beside("verdict", -1),
        beside("confidence", np.nan), beside("score", np.nan),
        beside("bundle", -1), beside("problem", -1), beside("excess", 0), made[0].classes,
        tuple(named), part,
    )  # fmt: skip

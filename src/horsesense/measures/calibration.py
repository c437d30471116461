"""Whether token scores mean what they say: confidence against being right.

Confidence is the share of the chosen label in the mass of all labels; after PriDe, with the prior
for labels taken out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horsesense.measures.area import Area, Ranks
from horsesense.measures.base import Floats, Measure, Rows, ratio
from horsesense.measures.cells import Bools, Cell, Scores
from horsesense.measures.families import GAPS
from horsesense.measures.parts import of_whole

BINS = 10


class Scored(Measure):
    """A measure of answers that come with a score; it says nothing of other readers."""

    answer_format = frozenset(("letter",))
    needs = (Scores,)
    of_gold = True

    def where(self, cell: Cell) -> bool:
        return bool(_used(cell).any())


def _used(cell: Cell) -> Bools:
    """Valid answers with a score and a known gold."""
    return cell.valid & ~np.isnan(cell[Scores].score) & (cell.correct >= 0)


def _missing(cell: Cell) -> int:
    """Trials without such an answer."""
    return int((cell.asked & ~_used(cell)).sum())


def _sure_and_right(cell: Cell) -> tuple[Floats, Floats, Bools]:
    used = _used(cell)
    sure = np.where(used, cell[Scores].confidence, 0.0).astype(np.float64)
    return sure, np.where(used, cell.correct == 1, 0.0).astype(np.float64), used


class Brier(Scored):
    """Mean squared difference of confidence and being right; 0 is perfect."""

    title = "Brier score of the chosen answer"

    def rows(self, cell: Cell) -> Rows:
        sure, right, used = _sure_and_right(cell)
        squares = np.where(used, (sure - right) ** 2, 0)
        rows = np.column_stack([squares.sum(axis=1), used.sum(axis=1)]).astype(np.float64)
        return Rows(rows, int(used.sum()), _missing(cell))

    def baseline(self, cell: Cell) -> float | None:
        """Of a model that always states its own accuracy."""
        _, right, used = _sure_and_right(cell)
        share = right.sum() / used.sum()
        return float(share * (1 - share))


class CalibrationError(Scored):
    """Mean distance of confidence and accuracy over ten bins with as many answers each (equal mass;
    Guo et al. 2017).

    Noise alone makes it positive: see `ece_null`, drawn from a calibrated model.
    """

    name = "ece"
    title = "Expected calibration error"
    family = GAPS

    def rows(self, cell: Cell) -> Rows:
        sure, right, used = _sure_and_right(cell)
        gaps = np.where(used, sure - right, 0)
        bins = np.searchsorted(_edges(cell), sure, side="left")
        sums = [np.where(bins == b, gaps, 0).sum(axis=1) for b in range(BINS)]
        rows = np.column_stack([*sums, used.sum(axis=1)]).astype(np.float64)
        return Rows(rows, int(used.sum()), _missing(cell))

    def value(self, totals: Floats) -> Floats:
        return ratio(np.abs(totals[..., :-1]).sum(axis=-1, keepdims=True), totals[..., -1:])

    def null(self, cell: Cell, seed: int) -> Floats | None:
        """Values where every confidence is exactly the chance of being right."""
        rng = np.random.default_rng(seed)
        sure = cell[Scores].confidence[_used(cell)].astype(np.float64)
        bins = np.searchsorted(_edges(cell), sure, side="left")
        expected = np.bincount(bins, sure, BINS)
        draws = np.empty(200)
        for draw in range(len(draws)):
            right = np.bincount(bins[rng.random(len(sure)) < sure], minlength=BINS)
            draws[draw] = np.abs(expected - right).sum() / len(sure)
        return draws


@of_whole
def _edges(cell: Cell) -> Floats:
    """Confidences between one bin and the next: as many answers in each, equal ones together."""
    sure = cell[Scores].confidence[_used(cell)].astype(np.float64)
    return np.quantile(sure, np.linspace(0, 1, BINS + 1)[1:-1])


class ConfidenceAuroc(Area, Scored):
    """Area under the ROC curve of confidence, right answers against wrong ones: the chance that a
    right one has more, ties counting half.
    """

    title = "Right answers told from wrong ones by their confidence"

    def undefined_reason(self, cell: Cell) -> str | None:
        reason = super().undefined_reason(cell)
        if reason is not None:
            return reason
        found = cell.correct[_used(cell)]
        return None if found.min() < found.max() else "all answers are right, or all are wrong"

    def rows(self, cell: Cell) -> Rows:
        used = _used(cell)
        good, bad = used & (cell.correct == 1), used & (cell.correct == 0)
        rows = _ranks(cell).rows(cell[Scores].confidence, good, bad)
        return Rows(rows, int(used.sum()), _missing(cell))


@of_whole
def _ranks(cell: Cell) -> Ranks:
    def those(part: Cell, correct: int) -> npt.NDArray[np.float32]:
        sure: npt.NDArray[np.float32] = part[Scores].confidence
        return np.asarray(sure[_used(part) & (part.correct == correct)])

    return Ranks.of((those(part, 1), those(part, 0)) for _, part in cell.parts())

"""Whether token scores mean what they say: confidence against being right.

Confidence is the share of the chosen label in the mass of all labels; after PriDe, with the prior
for labels taken out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows, no_gold, ratio
from horsesense.measures.cells import Cell, Scores
from horsesense.measures.families import AREA, GAPS
from horsesense.measures.true_false import placements

BINS = 10


class Scored(Measure):
    """A measure of answers that come with a score; it says nothing of other readers."""

    answer_format = frozenset(("letter",))
    needs = (Scores,)

    def fits(self, cell: Cell) -> bool:
        return super().fits(cell) and bool(_used(cell).any())

    def undefined_reason(self, cell: Cell) -> str | None:
        return no_gold(cell)


def _used(cell: Cell) -> npt.NDArray[np.bool_]:
    """Valid answers with a score and a known gold."""
    used: npt.NDArray[np.bool_] = cell.valid & ~np.isnan(cell[Scores].score) & (cell.correct >= 0)
    return used


def _sure_and_right(cell: Cell) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    used = _used(cell)
    sure = np.where(used, cell[Scores].confidence, 0.0).astype(np.float64)
    return sure, np.where(used, cell.correct == 1, 0.0).astype(np.float64), used


class Brier(Scored):
    name = "brier"
    title = "Brier score of the chosen answer"
    summary = "Mean squared difference of confidence and being right; 0 is perfect."

    def rows(self, cell: Cell) -> Rows:
        sure, right, used = _sure_and_right(cell)
        squares = np.where(used, (sure - right) ** 2, 0)
        rows = np.column_stack([squares.sum(axis=1), used.sum(axis=1)]).astype(np.float64)
        return Rows(rows, int(used.sum()), int(cell.asked.sum() - used.sum()))

    def baseline(self, cell: Cell) -> float | None:
        """Of a model that always states its own accuracy."""
        _, right, used = _sure_and_right(cell)
        share = right.sum() / used.sum()
        return float(share * (1 - share))


class CalibrationError(Scored):
    """Noise alone makes it positive: see `ece_null`, drawn from a calibrated model."""

    name = "ece"
    title = "Expected calibration error"
    summary = (
        "Mean distance of confidence and accuracy over ten bins with as many answers each (equal "
        "mass; Guo et al. 2017)."
    )
    family = GAPS

    def rows(self, cell: Cell) -> Rows:
        sure, right, used = _sure_and_right(cell)
        gaps = np.where(used, sure - right, 0)
        bins = _bins(sure, used)
        sums = [np.where(bins == b, gaps, 0).sum(axis=1) for b in range(BINS)]
        rows = np.column_stack([*sums, used.sum(axis=1)]).astype(np.float64)
        return Rows(rows, int(used.sum()), int(cell.asked.sum() - used.sum()))

    def value(self, totals: Floats) -> Floats:
        return ratio(np.abs(totals[..., :-1]).sum(axis=-1, keepdims=True), totals[..., -1:])

    def null(self, cell: Cell, seed: int) -> Floats | None:
        """Values where every confidence is exactly the chance of being right."""
        rng = np.random.default_rng(seed)
        sure, _, used = _sure_and_right(cell)
        bins, chance = _bins(sure, used)[used], sure[used]
        draws = np.empty(200)
        for draw in range(len(draws)):
            gaps = chance - (rng.random(len(chance)) < chance)
            sums = np.bincount(bins, weights=gaps, minlength=BINS)
            draws[draw] = np.abs(sums).sum() / len(chance)
        return draws


def _bins(sure: Floats, used: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Bin of each answer by rank, equal values together; -1 for those that do not enter."""
    edges = np.quantile(sure[used], np.linspace(0, 1, BINS + 1)[1:-1])
    return np.where(used, np.searchsorted(edges, sure, side="left"), -1)


class ConfidenceAuroc(Scored):
    """Rows carry placements, as in `option_auroc`."""

    name = "confidence_auroc"
    title = "Right answers told from wrong ones by their confidence"
    summary = (
        "Area under the ROC curve of confidence, right answers against wrong ones: the chance "
        "that a right one has more, ties counting half."
    )
    family = AREA

    def undefined_reason(self, cell: Cell) -> str | None:
        reason = super().undefined_reason(cell)
        if reason is not None:
            return reason
        found = cell.correct[_used(cell)]
        return None if found.min() < found.max() else "all answers are right, or all are wrong"

    def rows(self, cell: Cell) -> Rows:
        sure, right, used = _sure_and_right(cell)
        good, bad = used & (right == 1), used & (right == 0)
        above: Floats = np.zeros_like(sure)
        above[good] = placements(sure[good], sure[bad])
        above[bad] = 1 - placements(sure[bad], sure[good])
        entered = used.any(axis=1)
        columns = [
            (above * good).sum(axis=1), good.sum(axis=1),
            (above * bad).sum(axis=1), bad.sum(axis=1),
            float(above[good].mean()) * entered, entered,
        ]  # fmt: skip
        return Rows(np.column_stack(columns).astype(np.float64), int(used.sum()),
                    int(cell.asked.sum() - used.sum()))  # fmt: skip

    def value(self, totals: Floats) -> Floats:
        good, bad, area = (
            ratio(totals[..., i : i + 1], totals[..., i + 1 : i + 2]) for i in (0, 2, 4)
        )
        return np.clip(good + bad - area, 0.0, 1.0)

    def baseline(self, cell: Cell) -> float | None:
        return 0.5

"""The same by subject: a benchmark of many subjects is not one number.

Subjects are small, so that what sets them apart is largely noise; where a value is positive by
noise alone it is drawn towards that of all subjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, no_gold, ratio
from horsesense.measures.parts import restricted
from horsesense.measures.slots import Recall, Rstd, too_many_slots
from horsesense.readings import STATUSES
from horsesense.table import Cell

_NONE, _REFUSAL = STATUSES.index("none"), STATUSES.index("refusal")
SHOWN_UNDER = ("original", "order")
MOST_WEIGHT = 1e6
"""Trials per slot that stand for certainty: subjects do not differ beyond noise."""


class BySubject(Measure):
    """Groups are the subjects; computed for the items as published and reordered alone."""

    compares = "family"

    def families(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        for cell in cells:
            if cell.probe in SHOWN_UNDER and len(cell.subjects) > 1:
                yield cell

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell.subjects

    def spread(self, cell: Cell, values: Floats) -> Floats:
        """(items, subjects * d): an item's values (items, d) in the columns of its subject."""
        assert cell.subject is not None
        n, d = values.shape
        rows = np.zeros((n, len(cell.subjects), d))
        rows[np.arange(n), cell.subject] = values
        return rows.reshape(n, -1)


class StatusBySubject(BySubject):
    status = _REFUSAL

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        values = [(cell.status == self.status).sum(axis=1), cell.read.sum(axis=1)]
        rows = self.spread(cell, np.column_stack(values).astype(np.float64))
        return Rows(rows, int(cell.read.sum()), cell.n_missing)

    def value(self, totals: Floats) -> Floats:
        return ratio(totals[..., 0::2], totals[..., 1::2])


class RefusalBySubject(StatusBySubject):
    name = "refusal_by_subject"
    title = "Refusals by subject"
    summary = "Share of replies that decline to answer, by subject."


class NoneBySubject(StatusBySubject):
    name = "none_by_subject"
    title = "No option right, by subject"
    summary = "Share of replies that say that no option is right, by subject."
    status = _NONE


class RstdBySubject(Rstd):
    """Each family is one subject of a cell, which `parts` names.

    Shrinkage is by pseudo-counts: every item of the subject carries its share of `weight` trials
    per slot with the recall that is expected there, so that rows still add up.
    """

    name = "rstd_by_subject"
    title = "Spread of recalls by subject"
    summary = (
        "RStD of each subject in points, its recalls drawn towards its own mean plus what the "
        "slot has over all subjects, the more the more of their spread is noise (moment "
        "estimate); of a hundred items, the plain value is mostly noise."
    )
    compares = "family"

    def families(self, cells: Sequence[Cell]) -> Iterator[Cell]:
        for cell in cells:
            if cell.probe in SHOWN_UNDER and len(cell.subjects) > 1 and not self.why_not(cell):
                yield from self._by_subject(cell)

    def _by_subject(self, cell: Cell) -> Iterator[Cell]:
        hits, asked = _recalls(cell)
        expected, weight = _expected(hits, asked)
        for number, subject in enumerate(cell.subjects):
            of = np.flatnonzero(cell.subject == number)
            if asked[number].any():
                pseudo = np.array([*(weight * expected[number]), weight])
                part = restricted(cell, of)
                yield replace(part, parts=(subject,), pseudo=pseudo / len(of))

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell.parts

    def why_not(self, cell: Cell, other: Cell | None = None) -> str | None:
        return too_many_slots(cell) or no_gold(cell)

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        found = super().rows(cell)
        assert cell.pseudo is not None
        *hits, asked = cell.pseudo
        # A slot beyond those of the subject's own items was never asked about.
        k = found.rows.shape[1] // 2
        added = np.array([*hits[:k], *[asked] * k])
        return Rows(found.rows + added, found.n, found.n_missing)

    def null(self, cell: Cell, seed: int) -> Floats | None:
        return None


def _recalls(cell: Cell) -> tuple[Floats, Floats]:
    """Hits and golds of each subject and slot, (subjects, k) each."""
    assert cell.subject is not None
    rows = Recall().rows(cell).rows
    sums = np.zeros((len(cell.subjects), rows.shape[1]))
    np.add.at(sums, cell.subject, rows)
    half = rows.shape[1] // 2
    return sums[:, :half], sums[:, half:]


def _expected(hits: Floats, asked: Floats) -> tuple[Floats, float]:
    """Recalls expected of each subject and slot, and how many trials per slot they are worth."""
    overall = hits.sum() / asked.sum()
    by_slot = np.nan_to_num(ratio(hits.sum(axis=0), asked.sum(axis=0)), nan=overall) - overall
    level = ratio(hits.sum(axis=1), asked.sum(axis=1))[:, None]
    expected = np.clip(np.nan_to_num(level, nan=overall) + by_slot, 0, 1)
    used = asked > 0
    noise = expected * (1 - expected)
    gaps = (ratio(hits, asked) - expected)[used] ** 2
    true = float(np.mean(gaps) - np.mean(noise[used] / asked[used]))
    return expected, min(MOST_WEIGHT, float(noise[used].mean()) / true if true > 0 else MOST_WEIGHT)

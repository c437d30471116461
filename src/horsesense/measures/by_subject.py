"""The same by subject: a benchmark of many subjects is not one number.

Subjects are small, so that what sets them apart is largely noise; where a value is positive by
noise alone it is drawn towards that of all subjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, grouped, ratio
from horsesense.measures.cells import MISSING, STATUS_CODE, Bools, Cell, Columns, Subjects
from horsesense.measures.counting import unanswered
from horsesense.measures.families import OfSpread
from horsesense.measures.joined import ORIGINAL
from horsesense.measures.positions import Recall, Rstd, permuted_rstd, spread
from horsesense.readers.reading import Status
from horsesense.stats.two_way import by_cluster

MOST_WEIGHT = 1e6
"""Trials per position that stand for certainty: subjects do not differ beyond noise."""


class BySubject(Measure):
    """Groups are the subjects; computed for the items as published and reordered alone."""

    needs = (Subjects,)
    layout = "halves"
    probe_names = (ORIGINAL, "order")

    def where(self, cell: Cell) -> bool:
        return len(cell[Subjects].names) > 1

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell[Subjects].names


def _within(cell: Cell) -> Bools:
    """Of which subject each item is, (items, 1, subjects)."""
    return np.equal(cell[Subjects].subject[:, None, None], np.arange(len(cell[Subjects].names)))


def replying(cell: Cell, status: Status) -> Rows:
    """Replies of one status, by subject."""
    hits, lost = cell.status == STATUS_CODE[status], cell.status == MISSING
    return grouped(hits, cell.read, _within(cell), lost)


@BySubject.of("Accuracy by subject")
def accuracy_by_subject(cell: Cell) -> Rows:
    """Share of right answers, by subject: 0 of a subject whose items are all refused."""
    lost = (cell.status == MISSING) & (cell.gold_at >= 0)
    return grouped(cell.correct == 1, cell.known, _within(cell), lost)


@BySubject.of("Refusals by subject")
def refusal_by_subject(cell: Cell) -> Rows:
    """Share of replies that decline to answer, by subject."""
    return replying(cell, "refusal")


@BySubject.of("No option right, by subject")
def none_by_subject(cell: Cell) -> Rows:
    """Share of replies that say that no option is right, by subject."""
    return replying(cell, "none")


@dataclass(frozen=True, eq=False)
class Focus(Columns):
    """The subject that a value is about, and the weight of what is expected of it."""

    subject: str
    weight: float


class RstdBySubject(Rstd):
    """RStD of each subject in points, its recalls drawn towards its own mean plus what the position
    has over all subjects, the more the more of their spread is noise (moment estimate); of a
    hundred items, the plain value is mostly noise.

    Each value is about a whole cell with one subject in focus.

    Columns: hits and golds per position of the subject, the same of all items, and a last one that
    adds up to the weight of what is expected. The interval is that of the subject's own recalls,
    with their noise taken out.
    """

    title = "Spread of recalls by subject"
    probe_names = (ORIGINAL,)
    needs = (Subjects,)
    shrunken = True
    family = OfSpread(lambda d: (slice(0, (d - 1) // 4), slice((d - 1) // 4, (d - 1) // 2)))

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        for cell in super().cells(every):
            if self.undefined_reason(cell) is None:
                hits, asked = _recalls(cell)
                weight = _weight(hits, asked) if self.shrunken else 0.0
                for number, subject in enumerate(cell[Subjects].names):
                    if asked[number].any():
                        yield cell.having(Focus(subject, weight))

    def where(self, cell: Cell) -> bool:
        return len(cell[Subjects].names) > 1

    def groups(self, cell: Cell) -> Sequence[str]:
        return (cell[Focus].subject,)

    def undefined_reason(self, cell: Cell) -> str | None:
        return Recall.undefined_reason(self, cell)

    def rows(self, cell: Cell) -> Rows:
        subjects, focus = cell[Subjects], cell[Focus]
        of = np.equal(subjects.subject, subjects.names.index(focus.subject))
        every = Recall().rows(cell).rows
        weight = np.full(len(of), focus.weight / len(cell.whole.item))
        rows = np.column_stack([every * of[:, None], every, weight])
        known = cell.read & (cell.gold_at >= 0)
        return Rows(rows, int(known[of].sum()), int(unanswered(cell)[of].sum()))

    def value(self, totals: Floats) -> Floats:
        hits, asked, all_hits, all_asked = np.split(totals[..., :-1], 4, axis=-1)
        weight = totals[..., -1:]
        expected = _expected(hits, asked, all_hits, all_asked)
        return spread(ratio(hits + weight * expected, asked + weight))

    def null(self, cell: Cell, seed: int) -> Floats | None:
        return None


class RstdBySubjectRaw(RstdBySubject):
    """RStD of each subject in points, of its own recalls alone, as published: 0 of a subject whose
    items are all refused. Of few items noise makes most of it: the row
    `rstd_by_subject_raw_null` of estimates.csv says how much.
    """

    title = "Spread of recalls by subject, as it is"
    shrunken = False

    def null(self, cell: Cell, seed: int) -> Floats | None:
        subjects = cell[Subjects]
        own = subjects.subject == subjects.names.index(cell[Focus].subject)
        return permuted_rstd(cell.less(Focus).of_items(own), seed)


def _recalls(cell: Cell) -> tuple[Floats, Floats]:
    """Hits and golds of each subject and position, (subjects, k) each."""
    rows, subjects = Recall().rows(cell).rows, cell[Subjects]
    hits, asked = np.hsplit(by_cluster(rows, subjects.subject, len(subjects.names)), 2)
    return hits, asked


def _expected(hits: Floats, asked: Floats, all_hits: Floats, all_asked: Floats) -> Floats:
    """Recalls expected of a subject: its own mean plus what each position has over all."""
    overall = ratio(all_hits.sum(axis=-1, keepdims=True), all_asked.sum(axis=-1, keepdims=True))
    level = ratio(hits.sum(axis=-1, keepdims=True), asked.sum(axis=-1, keepdims=True))
    return np.clip(level + ratio(all_hits, all_asked) - overall, 0, 1)


def _weight(hits: Floats, asked: Floats) -> float:
    """How many trials per position the expected recalls are worth: noise over true variance."""
    expected = _expected(hits, asked, hits.sum(axis=0), asked.sum(axis=0))
    used = asked > 0
    if not used.any():
        return MOST_WEIGHT
    noise = expected * (1 - expected)
    gaps = (ratio(hits, asked) - expected)[used] ** 2
    true = float(np.mean(gaps) - np.mean(noise[used] / asked[used]))
    return min(MOST_WEIGHT, float(noise[used].mean()) / true) if true > 0 else MOST_WEIGHT

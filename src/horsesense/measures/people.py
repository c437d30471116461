"""Answers of several people: which rows and weights an interval over items and people is made of.

Outcomes of one item go together, and so do those of one person. Of a measure of one cell every
answer becomes an outcome of its own, with its item and its person. Of a measure that joins several
cells (forms that different people saw) the weight of each answer in the value is found by turning
it from wrong to right; that is exact where the value is linear in them, which is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.errors import install
from horsesense.measures.base import Floats, Measure, Rows
from horsesense.measures.cells import NO_OPTION, Cell, Other, Parts, People
from horsesense.measures.families import Answers, Crossed
from horsesense.measures.samples import Draws
from horsesense.stats import rater_agreement as raters
from horsesense.stats.two_way import by_cluster


def over_people(measure: Measure, cell: Cell, rows: Rows) -> Rows:
    """The rows of a measure with what its interval over items and people needs."""
    if not any(kind in cell for kind in (Other, Parts, Draws)):
        each, row = cell.one_by_one()
        if measure.undefined_reason(each) is None:
            found = measure.rows(each)
            person = each[People].person[:, 0].astype(np.intp)
            sums = by_cluster(found.rows, row, len(cell.item))
            return found._replace(rows=sums, crossed=Crossed(found.rows, row, person))
    return rows._replace(answers=_answers(measure, cell, rows))


class _Side(NamedTuple):
    """A cell whose answers enter, and how the measure's cell looks with others in its place."""

    cell: Cell
    within: Cell
    own: bool

    def with_correct(self, correct: npt.NDArray[np.int8]) -> Cell:
        changed = replace(self.cell, correct=correct)
        return changed if self.own else self.within.against(changed)


def _sides(cell: Cell) -> Iterator[_Side]:
    yield _Side(cell, cell, True)
    if Other in cell and People in cell.other:
        yield _Side(cell.other, cell, False)


def _answers(measure: Measure, cell: Cell, rows: Rows) -> Answers | None:
    """The weight of every answer; None where the value is not linear in right and wrong."""
    parts: list[tuple[Floats, Floats, Floats, npt.NDArray[np.intp], npt.NDArray[np.intp]]] = []
    for side in _sides(cell):
        people = side.cell[People].person
        labels = side.cell[Parts].part if Parts in side.cell else np.zeros(people.shape[1], int)
        place = np.searchsorted(side.cell.item, cell.item)
        place = np.minimum(place, len(side.cell.item) - 1)
        there = side.cell.item[place] == cell.item
        known = side.cell.correct >= 0
        right = side.cell.correct == 1
        centre = [right[:, labels == n][known[:, labels == n]] for n in range(labels.max() + 1)]
        for column in np.flatnonzero(known.any(axis=0)):
            turned = side.cell.correct.copy()
            turned[:, column] = np.where(known[:, column], ~right[:, column], turned[:, column])
            changed = measure.rows(side.with_correct(turned)).rows - rows.rows
            row = np.flatnonzero(there & known[place, column])
            y = right[place[row], column].astype(np.float64)
            mean = np.full(len(row), centre[labels[column]].mean())
            slope = changed[row] / (1 - 2 * y)[:, None]
            parts.append((slope, y, mean, row, people[place[row], column].astype(np.intp)))
    if not parts:
        return None
    slope, y, mean, row, person = (np.concatenate(each) for each in zip(*parts, strict=True))
    total = rows.rows.sum(axis=0)
    weight = measure.value(total + slope) - measure.value(total)
    value = measure.value(total)
    # Linear in the answers and nothing else: their weights alone give the value.
    if not np.allclose((weight * y[:, None]).sum(axis=0), value, atol=1e-9, equal_nan=False):
        return None
    return Answers(weight, y, mean, row, person)


def agreements(
    cells: Sequence[Cell], cluster: npt.NDArray[np.intp], level: float
) -> list[dict[str, Any]]:
    """How far people agree who saw the same item in the same form, by form.

    Compared is what they chose: the published option whatever its place was, or "none", a refusal,
    "I do not know". Words that name nothing agree with nothing, and count as a value that nobody
    else has. Forms that no two people saw are left out.

    Args:
        cells: of a run that people answered.
        cluster: of each item.
        level: of the interval of alpha.
    """
    found = []
    for cell in cells:
        if People not in cell or ((cell.status >= 0).sum(axis=1) < 2).all():
            continue
        ratings = _ratings(cell)
        told: dict[str, Any] = {
            "probe": cell.probe,
            "condition": cell.condition.format(),
            "reader": cell.reader,
            "items": int(((~np.isnan(ratings)).sum(axis=0) >= 2).sum()),
            "people": int((~np.isnan(ratings)).any(axis=1).sum()),
            "cohen_kappa": raters.mean_cohen_kappa(ratings),
            "fleiss_kappa": raters.fleiss_kappa(raters.counts_of(ratings)),
            "alpha": None,
            "low": None,
            "high": None,
            "note": "",
        }
        if raters.have_krippendorff():
            alpha = raters.alpha_with_interval(ratings, cluster[cell.item], level)
            told |= {"alpha": alpha.value, "low": alpha.low, "high": alpha.high}
        else:
            told["note"] = f"Krippendorff's alpha needs {install('people')}"
        found.append(told)
    return found


def by_person(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """What each person got right in each form: mean, least and most over people (Know-No, figure
    3). Forms without a right answer are left out.
    """
    found = []
    for cell in cells:
        if People not in cell or not cell.known.any():
            continue
        person, right = cell[People].person[cell.known], cell.correct[cell.known] == 1
        hits, asked = np.bincount(person, right), np.bincount(person)
        shares = hits[asked > 0] / asked[asked > 0]
        told = {"probe": cell.probe, "condition": cell.condition.format(), "reader": cell.reader}
        ends = {"mean": shares.mean(), "least": shares.min(), "most": shares.max()}
        found.append({**told, "people": len(shares), **{k: float(v) for k, v in ends.items()}})
    return found


def _ratings(cell: Cell) -> Floats:
    """What each person chose of each item, (people, items), NaN where they were not asked."""
    person = cell[People].person
    numbers = {int(p): n for n, p in enumerate(np.unique(person[cell.read]))}
    ratings = np.full((len(numbers), len(cell.item)), np.nan)
    alone = float(cell.option.max(initial=0)) + 1
    for row, column in zip(*np.nonzero(cell.read), strict=True):
        value = float(cell.option[row, column])
        if value == NO_OPTION:
            value = alone = alone + 1
        ratings[numbers[int(person[row, column])], row] = value
    return ratings

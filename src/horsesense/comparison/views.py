"""Views of several runs: the same items, asked and read in the same way, with the scores of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.comparison.align import SharedItems, Side
from horsesense.errors import UsageError
from horsesense.measures import lost
from horsesense.measures.base import Measure, Rows
from horsesense.measures.cells import Bools, Cell, People
from horsesense.measures.registry import MEASURES
from horsesense.stats.change import Change
from horsesense.stats.share import Share
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
COMPARED = (
    "accuracy_as_graded",
    "accuracy",
    "accuracy_valid",
    "accuracy_hard_as_graded",
    "accuracy_hard",
    "valid_rate",
)
"""Measures that give each item a score from 0 to 1; the first is the usual one."""
MAIN = COMPARED[:2]
"""What every view should have."""


class View(NamedTuple):
    """One way of asking and reading that all models went through.

    Attributes:
        prompts: which of the prompts, "" for the main ones.
        probe, condition, reader: as in the tables.
    """

    prompts: str
    probe: str
    condition: Condition
    reader: str


class Outcomes(NamedTuple):
    """Answers of people to shared items, (answers,) each.

    Attributes:
        item: number of the shared item.
        person: who answered.
        value: score of the answer.
    """

    item: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    value: Floats


@dataclass(frozen=True)
class Pair:
    """The difference of two models, and what missing replies leave open of it.

    Attributes:
        n: items that both models have a score for.
        seen: over these.
        least, most: over the items that were asked, if what is missing were as bad, and as good,
            for the first of the two as it can be (bounds: Manski 1989).
    """

    n: int
    seen: Change
    least: Change
    most: Change

    @property
    def estimate(self) -> float:
        """The difference seen, or the nearest that can be true, whatever is missing."""
        return min(max(self.seen.estimate, self.least.estimate), self.most.estimate)

    def p_above(self, null: float = 0.0) -> float:
        """p of a true difference of at most `null`, whatever is missing."""
        return self.least.p_above(null)

    def p_below(self, null: float = 0.0) -> float:
        """p of a true difference of at least `null`, whatever is missing."""
        return self.most.p_below(null)

    def interval(self, level: float) -> tuple[float, float] | None:
        """The differences that are not rejected, whatever is missing."""
        least, most = self.least.interval(level), self.most.interval(level)
        return None if least is None or most is None else (least[0], most[1])


@dataclass(frozen=True, eq=False)
class ViewScores:
    """The scores of all models in one view, item by item.

    Attributes:
        view, label: which, and its name for tables.
        values: score of each item, (items, models), NaN where some model has none.
        cluster: of each item, (items,).
        n_missing: shared items that were asked and that some model has no score for.
        ranked: whether a higher score is a better model.
        people: number of a "model" that is several people -> their single answers.
        several: whether items have several answers by design.
        least, most: the scores if missing replies were as bad, and as good, as they can be; by
            default none is missing.
    """

    view: View
    label: str
    values: Floats
    cluster: npt.NDArray[np.intp]
    n_missing: int
    ranked: bool = True
    people: Mapping[int, Outcomes] = field(default_factory=dict)
    several: bool = False
    least: Floats | None = None
    most: Floats | None = None

    def answers(self, model: int) -> Outcomes:
        """The single answers of people to items with a score of every model."""
        found = self.people[model]
        here = self.used[found.item]
        return Outcomes(found.item[here], found.person[here], found.value[here])

    def pair(self, one: int, other: int) -> Pair:
        """Two models item by item; of people, answer by answer.

        Answers of people share items and persons; each is held against the model's score of the
        item.
        """
        for people, model, sign in ((one, other, 1), (other, one, -1)):
            if people in self.people:
                found = self.answers(people)
                differences = sign * (found.value - self.values[found.item, model])
                seen = Change.two_way(differences, self.cluster[found.item], found.person)
                return Pair(self.n, seen, seen, seen)
        differences = self.values[:, one] - self.values[:, other]
        seen, n = self._change(differences), int(np.isfinite(differences).sum())
        if self.least is None or self.most is None:
            return Pair(n, seen, seen, seen)
        ends = (self.least[:, one] - self.most[:, other], self.most[:, one] - self.least[:, other])
        return Pair(n, seen, *map(self._change, ends))

    def _change(self, differences: Floats) -> Change:
        used = np.isfinite(differences)
        seen = differences[used]
        sums, pairs = (self._by_cluster(each, used) for each in (seen, np.ones(len(seen))))
        return Change.of(sums, pairs)

    def _by_cluster(self, values: Floats, used: Bools) -> Floats:
        n = int(self.cluster.max()) + 1
        sums = np.bincount(self.cluster[used], weights=values, minlength=n)
        return sums.astype(np.float64)

    def share(self, model: int) -> Share:
        """The score of a model, or of people over items and persons."""
        if model not in self.people:
            return Share.of(self.sums[:, model], self.pairs)
        found = self.answers(model)
        ones = np.ones(len(found.value))
        return Share.two_way(found.value, ones, self.cluster[found.item], found.person)

    @cached_property
    def used(self) -> Bools:
        """Items with a score of every model."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @property
    def n(self) -> int:
        return int(self.used.sum())

    @cached_property
    def pairs(self) -> Floats:
        """Items of each cluster, (clusters,)."""
        return self._by_cluster(np.ones(self.n), self.used)

    @cached_property
    def sums(self) -> Floats:
        """Scores of each cluster, (clusters, models)."""
        columns = self.values[self.used].T
        return np.column_stack([self._by_cluster(column, self.used) for column in columns])

    @property
    def means(self) -> Floats:
        """The score of each model, (models,)."""
        found: Floats = self.sums.sum(axis=0) / self.n
        return found


class LeftOut(NamedTuple):
    """A view that is not compared, and why."""

    label: str
    reason: str


def measure_of(name: str) -> Measure:
    """The measure that models are compared by; UsageError for one that is no mean over items."""
    if name not in COMPARED:
        raise UsageError.unknown("measure to compare models by", name, COMPARED)
    return MEASURES.get(name)


def views(
    sides: Sequence[Side], shared: SharedItems, measure: Measure, prompts: str, reader: str
) -> Iterator[ViewScores | LeftOut]:
    """Every view of some runs, the items as published first, then the probes, then the readers.

    Probes are compared by the main reader, the items as published by every reader.
    """
    first = sides[0]
    there = dict.fromkeys(key for side in sides for key in side.cells)
    main = [key for key in there if key[2] == reader]
    others = [key for key in there if key[0] == "original" and key[2] != reader]
    for key in (*sorted(main, key=lambda k: k[0] != "original"), *others):
        view = View(prompts, *key)
        label = _label(sides, view, reader)
        reason = _differs(sides, view)
        if reason:
            yield LeftOut(label, reason)
            continue
        cells = [measure.about(side.cells[key]) for side in sides]
        people = {n: c.one_by_one()[0] for n, c in enumerate(cells) if People in c}
        asked_of = [people.get(n, c) for n, c in enumerate(cells)]
        undefined = next((r for c in asked_of if (r := _undefined(measure, c))), None)
        if undefined:
            if measure.name in MAIN or key[0] != "original":
                yield LeftOut(label, undefined)
            continue
        held = list(zip(cells, shared.number, strict=True))
        values = np.column_stack([_scores(measure.rows(c), c, n) for c, n in held])
        ends = [_bounds(measure, c, n) for c, n in held]
        least, most = (np.column_stack(each) for each in zip(*ends, strict=True))
        asked = np.isin(shared.number[0], cells[0].item)
        missing = int((asked & np.isnan(values).any(axis=1)).sum())
        ranked = first.results.probes[key[0]]["invariant"] != "chance"
        single = {n: _outcomes(measure, c, shared.number[n]) for n, c in people.items()}
        several = any(c.asked.sum(axis=1).max(initial=0) > 1 for c in cells)
        found = ViewScores(view, label, values, shared.cluster, missing, ranked, single, several)
        scores = replace(found, least=least, most=most)
        yield scores if scores.n else LeftOut(label, "no shared item has a score of every model")


def _undefined(measure: Measure, cell: Cell) -> str | None:
    if cell.answer_format not in measure.answer_format:
        return "its prompts hold several problems, or ask for no single answer"
    return measure.undefined_reason(cell)


def _scores(found: Rows, cell: Cell, number: npt.NDArray[np.intp]) -> Floats:
    """The score of each shared item, NaN where it has none."""
    rows = found.rows
    scores = np.full(int(max(cell.item.max(initial=0), number.max())) + 1, np.nan)
    used = rows[:, 1] > 0
    scores[cell.item[used]] = rows[used, 0] / rows[used, 1]
    return scores[number]


def _bounds(measure: Measure, cell: Cell, number: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """The lowest and the highest score of each shared item, whatever its missing replies are."""
    ends = lost.ends(measure, cell, 0) if lost.lacks(cell) else None
    if ends is None:
        found = _scores(measure.rows(cell), cell, number)
        return found, found
    return _scores(ends.low, cell, number), _scores(ends.high, cell, number)


def _outcomes(measure: Measure, each: Cell, number: npt.NDArray[np.intp]) -> Outcomes:
    """The single answers of people (`Cell.one_by_one`) to the shared items."""
    rows = measure.rows(each).rows
    place = {int(item): n for n, item in enumerate(number)}
    item = np.array([place.get(int(n), -1) for n in each.item], dtype=np.intp)
    used = (rows[:, 1] > 0) & (item >= 0)
    person = each[People].person[:, 0].astype(np.intp)
    return Outcomes(item[used], person[used], rows[used, 0] / rows[used, 1])


def _differs(sides: Sequence[Side], view: View) -> str | None:
    """Why a view is not the same in all runs; None where it is."""
    key = (view.probe, view.condition, view.reader)
    lacking = [side.name for side in sides if key not in side.cells]
    if lacking:
        return f"{', '.join(lacking)} {'lacks' if len(lacking) == 1 else 'lack'} such a reading"
    made = {side.made.get((view.probe, str(view.condition)), ("?", ""))[0] for side in sides}
    if len(made) > 1:
        return f"the probe was set up differently: {'; '.join(sorted(made))}"
    return None


def _label(sides: Sequence[Side], view: View, reader: str) -> str:
    """The name of a view, from the first run that has it."""
    side = next(s for s in sides if (view.probe, view.condition, view.reader) in s.cells)
    label = side.results.label(view.probe, view.condition)
    named = label if view.reader == reader else f"{label}, read by {view.reader}"
    return f"{named}, {view.prompts}" if view.prompts else named

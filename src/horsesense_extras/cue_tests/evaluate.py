"""All vectors on all splits of one task: predictions of items, their worth, and their luck."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.rng import seed_of
from horsesense_extras.cue_tests import scores
from horsesense_extras.cue_tests.cheap import CueTable
from horsesense_extras.cue_tests.features import READABILITY, THIRTEEN
from horsesense_extras.cue_tests.result import Cue, CueRow
from horsesense_extras.cue_tests.splits import Split
from horsesense_extras.cue_tests.strongest import strongest_cues
from horsesense_extras.cue_tests.sweep import (
    Method,
    Outcome,
    Source,
    Unit,
    count_level,
    dense_tables,
    run_unit,
    vector_names,
    workers,
)
from horsesense_extras.cue_tests.task import Task
from horsesense_extras.cue_tests.tokens import LEVELS

Ints = npt.NDArray[np.int64]

BEST: Final = "best vector"
"""The vector, too, is chosen inside the training part of each split."""
SHUFFLES: Final = 999


@dataclass(frozen=True)
class Evaluation:
    """What the vectors predict.

    Attributes:
        items: numbers of the items that were predicted.
        predicted: vector -> label numbers, (repeats, items); also for `BEST`.
        classifiers: vector -> the classifier chosen in most splits.
        p_values: vector -> one-sided p.
        cues: strongest first.
        widened: how much larger the variance of `predicted` is for folds that train on each other.
    """

    items: Ints
    predicted: dict[str, Ints]
    classifiers: dict[str, str]
    p_values: dict[str, float]
    cues: tuple[Cue, ...]
    widened: float


class Ticker:
    """Counts units over all parts of the work, and tells a listener."""

    def __init__(self, listener: Callable[[int, int], None] | None) -> None:
        self.done = self.total = 0
        self._listener = listener

    def expect(self, n: int) -> None:
        """`n` more units are coming."""
        self.total += n

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        for outcome in outcomes:
            self.done += 1
            if self._listener is not None:
                self._listener(self.done, self.total)
            yield outcome


def evaluate(
    task: Task,
    splits: Sequence[Split],
    groups: Ints,
    method: Method,
    *,
    jobs: int = 1,
    ticker: Ticker | None = None,
    lean: bool = False,
) -> Evaluation:
    """Run every vector on every split.

    Args:
        task, splits, groups, method: what to predict, and how.
        jobs: processes.
        ticker: told of every unit done.
        lean: no cues by name.
    """
    ticker = ticker or Ticker(None)
    items = np.unique(np.concatenate([split.test for split in splits]))
    outcomes: list[Outcome] = []
    cues: tuple[Cue, ...] = ()
    for source, vectors, table in _sources(task, groups, method):
        # The widest vectors come last in the list and take longest: they start first.
        units = [Unit(s, v) for v in reversed(vectors) for s in range(len(splits))]
        ticker.expect(len(units))
        with workers(source, splits, jobs) as start:
            named = None
            if not lean and "word" in source.counts:
                named = start(strongest_cues, table)
            results = [start(run_unit, unit) for unit in units]
            outcomes += ticker.watch(result() for result in results)
            cues = named() if named else cues
    predicted = _assembled(outcomes, splits, items, method.faithful)
    repeats = 1 + max(split.repeat for split in splits)
    widened = scores.overlap(len(splits) // repeats, repeats)
    values = scores.permutation_ps(
        list(predicted.values()),
        task.gold[items],
        groups[items],
        task.strata[items],
        SHUFFLES,
        seed_of(method.seed, "items", "luck"),
        widened,
    )
    p_values = dict(zip(predicted, values, strict=True))
    return Evaluation(items, predicted, _most_chosen(outcomes), p_values, cues, widened)


def _sources(
    task: Task, groups: Ints, method: Method
) -> Iterator[tuple[Source, list[str], CueTable]]:
    """Features of one level at a time, so that few counts are held together."""
    tables, table = dense_tables(task)
    names = [READABILITY] if method.faithful else list(tables)
    for level in LEVELS:
        names = [*names, *vector_names(task, level)]
        yield Source(task, count_level(task, level), tables, groups, method), names, table
        names = []


def _ordered(vectors: Iterable[str]) -> list[str]:
    """As in the published heat map, then what the paper does not have."""
    rank = {name: i for i, name in enumerate(THIRTEEN)}
    return sorted(vectors, key=lambda name: rank.get(name, len(rank)))


def _assembled(
    outcomes: Sequence[Outcome], splits: Sequence[Split], items: Ints, faithful: bool
) -> dict[str, Ints]:
    """Predictions of each vector, and of the vector that each split chose."""
    by_split: dict[int, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        by_split[outcome.unit.split][outcome.unit.vector] = outcome
    repeats = 1 + max(splits[s].repeat for s in by_split)
    vectors = _ordered(by_split[0])
    predicted = {v: np.full((repeats, len(items)), -1) for v in [*vectors, BEST]}
    for s, found in by_split.items():
        at = np.searchsorted(items, splits[s].test)
        for vector, outcome in found.items():
            predicted[vector][splits[s].repeat, at] = outcome.predicted
        best = max(_by_preference(vectors, faithful), key=lambda v: found[v].chosen_by)
        predicted[BEST][splits[s].repeat, at] = found[best].predicted
    return predicted


def _by_preference(vectors: Sequence[str], faithful: bool) -> list[str]:
    """Ties of the best vector go to the first of these (specification, section 1)."""
    first = [READABILITY, "1-gram TF word"] if faithful else []
    return [*first, *(v for v in vectors if v not in first)]


def _most_chosen(outcomes: Sequence[Outcome]) -> dict[str, str]:
    chosen: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        chosen[outcome.unit.vector][outcome.classifier.name] += 1
    return {vector: counts.most_common(1)[0][0] for vector, counts in chosen.items()}


def cue_rows(
    task: Task, evaluation: Evaluation, groups: Ints, *, grouped: bool
) -> tuple[tuple[CueRow, ...], CueRow]:
    """A row per vector, and the row of the best vector."""
    rows = {v: _row(task, evaluation, groups, v, grouped) for v in evaluation.predicted}
    best = rows.pop(BEST)
    return tuple(rows.values()), best


def _row(task: Task, evaluation: Evaluation, groups: Ints, vector: str, grouped: bool) -> CueRow:
    gold = task.gold[evaluation.items]
    predicted = evaluation.predicted[vector]
    n_labels = len(task.labels)
    low, high = scores.interval(
        predicted, gold, n_labels, groups[evaluation.items], widened=evaluation.widened
    )
    correct = scores.accuracy(predicted, gold)
    return CueRow(
        dataset=task.name,
        features=vector,
        classifier=evaluation.classifiers.get(vector, "chosen in each split"),
        kappa=_defined(scores.kappa(predicted, gold, n_labels)),
        kappa_uniform=scores.kappa_uniform(correct, float(task.chances[evaluation.items].mean())),
        balanced_accuracy=scores.balanced_accuracy(predicted, gold, n_labels),
        majority=scores.majority(gold),
        low=_defined(low),
        high=_defined(high),
        p_value=evaluation.p_values.get(vector, float("nan")),
        n=len(gold),
        labels=n_labels,
        grouped=grouped,
    )


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value

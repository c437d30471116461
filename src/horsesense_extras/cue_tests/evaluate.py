"""All vectors on all splits of one task: predictions of items, their worth, and their luck."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csc_array
from scipy.stats import hypergeom, norm

from horsesense.progress import Progress
from horsesense.rng import seed_of
from horsesense.stats.multiplicity import benjamini_hochberg
from horsesense_extras.cue_tests import scores
from horsesense_extras.cue_tests.features import (
    LEVELS,
    READABILITY,
    THIRTEEN,
    Bools,
    Floats,
    Ints,
    plain,
)
from horsesense_extras.cue_tests.result import Cue, CueRow
from horsesense_extras.cue_tests.scores import Split
from horsesense_extras.cue_tests.sweep import (
    CLASSIFIERS,
    Method,
    Outcome,
    Source,
    Unit,
    count_level,
    dense_tables,
    fitted,
    prepare,
    run_unit,
    targets,
    vector_names,
    workers,
)
from horsesense_extras.cue_tests.task import ALL, CueTable, Task

NGRAM_VECTOR: Final = "2-gram presence word"
MOST: Final = 20
EXAMPLES: Final = 2
AROUND: Final = 60  # characters shown on either side of an n-gram
SAME: Final = 0.9
"""Two n-grams that share this much of their rows are one cue."""


EVIDENCE: Final = 0.05
"""Largest adjusted p of a cue that is listed."""


class Candidate(NamedTuple):
    """A column whose weight for a label has the same sign in every fold."""

    column: int
    label: int
    weight: float
    p_adjusted: float = 1.0


def strongest_cues(source: Source, splits: Sequence[Split], table: CueTable) -> tuple[Cue, ...]:
    """The `MOST` strongest cues.

    A weight counts as strong if it is large next to how often its feature varies (weight times
    standard deviation), has one sign in all folds of the first repeat, and speaks *for* a label.
    Among these, listed are the cues whose label is more frequent with them than luck explains:
    Benjamini and Hochberg's false discovery rate of 5 % over all n-grams, and over all cheap cues.
    """
    folds = [split for split in splits if split.repeat == 0]
    presence = csc_array(source.counts["word"].both)
    share = np.diff(presence.indptr) / presence.shape[0]
    ngrams = _stable(source, folds, NGRAM_VECTOR, np.sqrt(share * (1 - share)))
    ngrams = _evident(source, presence, ngrams)
    cheap = _stable(source, folds, ALL, np.ones(table.x.shape[1]))
    cheap = _evident(source, csc_array(_sides(table)), cheap)
    found = [_ngram_cue(source, presence, c) for c in _distinct(presence, ngrams)]
    found += [_cheap_cue(source.task, table, c) for c in cheap[:MOST]]
    return tuple(sorted(found, key=lambda cue: -cue.weight)[:MOST])


def _evident(
    source: Source, presence: csc_array, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """The candidates whose label goes with them, in their order, with adjusted p.

    Fisher's exact test, one-sided, times the labels among which the one was chosen; where items
    are grouped, at least the p of the groups' sums. Columns that are no candidates count as tests.
    """
    if not candidates:
        return []
    task, y = source.task, targets(source.task)
    columns = np.array([c.column for c in candidates])
    labels = np.array([c.label for c in candidates])
    chosen = presence[:, columns].astype(bool)
    support = np.diff(chosen.indptr)
    said = y[chosen.indices] == np.repeat(labels, support)
    both = np.bincount(np.repeat(np.arange(len(columns)), support), said, len(columns))
    totals = np.bincount(y, minlength=int(labels.max()) + 1)[labels]
    p = hypergeom.sf(both - 1, len(y), totals, support)
    p *= len(task.labels) if task.kind == "labels" else 1
    group = np.repeat(source.groups, np.diff(task.starts))
    if len(np.unique(source.groups)) < len(task):
        for place in np.flatnonzero(p <= EVIDENCE):
            has = np.zeros(len(y))
            has[chosen.indices[chosen.indptr[place] : chosen.indptr[place + 1]]] = 1
            p[place] = max(p[place], _grouped_p(has, y == labels[place], group))
    tests = np.ones(max(presence.shape[1], len(p)))
    tests[: len(p)] = np.minimum(p, 1)
    adjusted = benjamini_hochberg(tests.tolist())
    pairs = zip(candidates, adjusted, strict=False)
    return [c._replace(p_adjusted=value) for c, value in pairs if value <= EVIDENCE]


def _grouped_p(has: Floats, is_label: Bools, group: Ints) -> float:
    """One-sided p of the covariance of a cue and a label, groups being independent."""
    moved = (has - has.mean()) * (is_label - is_label.mean())
    sums = np.bincount(group, weights=moved)
    spread = float(np.sqrt((sums**2).sum()))
    return float(norm.sf(sums.sum() / spread)) if spread > 0 else 1.0


def _sides(table: CueTable) -> Bools:
    """Which rows have each cheap cue: a number counts as present where it is large."""
    middle = np.median(table.x, axis=0)
    at_top = middle == table.x.max(axis=0)
    return np.where(at_top, table.x >= middle, table.x > middle)


def _stable(source: Source, folds: Sequence[Split], vector: str, spread: Floats) -> list[Candidate]:
    """Columns by mean standardised weight, for the label each speaks for most."""
    task = source.task
    n_labels = len(task.labels) if task.kind == "labels" else 2
    total = np.zeros((n_labels, len(spread)))
    agree = np.zeros((n_labels, len(spread)), np.int64)
    for split in folds:
        items = split.fit if split.refit is None else split.refit
        prepared = prepare(source, vector, items)
        weights = fitted(source, CLASSIFIERS[0], prepared, items).weights
        total[:, prepared.columns] += weights
        agree[:, prepared.columns] += np.sign(weights).astype(np.int64)
    mean = total / len(folds) * spread
    mean[agree < len(folds)] = 0.0
    if task.kind == "options":
        mean[0] = 0.0  # what speaks against an option is not listed as a cue for it
    label = np.argmax(mean, axis=0)
    best = mean[label, np.arange(len(spread))]
    order = np.argsort(-best, kind="stable")
    return [Candidate(int(c), int(label[c]), float(best[c])) for c in order if best[c] > 0]


def _distinct(presence: csc_array, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first `MOST` candidates, each standing in other rows than those before it."""
    kept: list[Candidate] = []
    held: list[set[int]] = []
    for candidate in candidates:
        rows = set(presence[:, [candidate.column]].indices.tolist())
        if not any(len(rows & other) >= SAME * len(rows | other) for other in held):
            kept.append(candidate)
            held.append(rows)
        if len(kept) == MOST:
            break
    return kept


def _ngram_cue(source: Source, presence: csc_array, candidate: Candidate) -> Cue:
    name = source.counts["word"].names[candidate.column]
    has = np.zeros(len(source.task.texts), bool)
    has[presence[:, [candidate.column]].indices] = True
    return _cue(source.task, name, "n-gram", candidate, has, name.split(" ")[0])


def _cheap_cue(task: Task, table: CueTable, candidate: Candidate) -> Cue:
    """A cheap cue; a number counts as present where it is on the side that speaks for the label."""
    values = table.x[:, candidate.column]
    name = table.names[candidate.column]
    has = _sides(table)[:, candidate.column]
    if len(np.unique(values)) > 2:
        at_top = bool(np.median(values) == values.max())
        name = f"{name}: {'at its largest' if at_top else 'above the median'}"
    return _cue(task, name, table.families[candidate.column], candidate, has, "")


def _cue(task: Task, name: str, kind: str, candidate: Candidate, has: Bools, shown: str) -> Cue:
    y = targets(task)
    names = task.labels if task.kind == "labels" else ("wrong option", "right option")
    counts = np.bincount(y[has], minlength=len(names))
    totals = np.bincount(y, minlength=len(names))
    typical = np.flatnonzero(has & (y == candidate.label))[:EXAMPLES]
    owner = np.searchsorted(task.starts, typical, side="right") - 1
    return Cue(
        name=name,
        kind=kind,
        label=names[candidate.label],
        weight=candidate.weight,
        counts=dict(zip(names, counts.tolist(), strict=True)),
        totals=dict(zip(names, totals.tolist(), strict=True)),
        examples=tuple(
            (task.ids[item], _around(task.texts[row], shown))
            for item, row in zip(owner, typical, strict=True)
        ),
        p_adjusted=candidate.p_adjusted,
    )


def _around(text: str, shown: str) -> str:
    """The text around the first `shown`; its beginning where that is not found."""
    at = max(plain(text).find(shown), 0) if shown else 0
    begin, end = max(at - AROUND, 0), at + AROUND
    cut = " ".join(text[begin:end].split())
    return ("… " if begin else "") + cut + (" …" if end < len(text) else "")


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


def evaluate(
    task: Task,
    splits: Sequence[Split],
    groups: Ints,
    method: Method,
    *,
    jobs: int = 1,
    shown: Progress | None = None,
    lean: bool = False,
) -> Evaluation:
    """Run every vector on every split.

    Args:
        task, splits, groups, method: what to predict, and how.
        jobs: processes.
        shown: told of every unit done.
        lean: no cues by name.
    """
    shown = shown or Progress("trying features", 0)
    items = np.unique(np.concatenate([split.test for split in splits]))
    outcomes: list[Outcome] = []
    cues: tuple[Cue, ...] = ()
    for source, vectors, table in _sources(task, groups, method, shown, len(splits)):
        # The widest vectors come last in the list and take longest: they start first.
        units = [Unit(s, v) for v in reversed(vectors) for s in range(len(splits))]
        with workers(source, splits, jobs) as start:
            named = None
            if not lean and "word" in source.counts:
                named = start(strongest_cues, table)
            results = [start(run_unit, unit) for unit in units]
            for result in results:
                outcomes.append(result())
                shown()
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
    task: Task, groups: Ints, method: Method, shown: Progress, splits: int
) -> Iterator[tuple[Source, list[str], CueTable]]:
    """Features of one level at a time, so that few counts are held together; `shown` has the units
    of all levels beforehand, and so the time left."""
    tables, table = dense_tables(task)
    names = {level: vector_names(task, level) for level in LEVELS}
    names[LEVELS[0]] = [*([READABILITY] if method.faithful else tables), *names[LEVELS[0]]]
    shown.total = (shown.total or 0) + splits * sum(map(len, names.values()))
    for level, vectors in names.items():
        yield Source(task, count_level(task, level), tables, groups, method), vectors, table


def _assembled(
    outcomes: Sequence[Outcome], splits: Sequence[Split], items: Ints, faithful: bool
) -> dict[str, Ints]:
    """Predictions of each vector, and of the vector that each split chose."""
    by_split: dict[int, dict[str, Outcome]] = defaultdict(dict)
    for outcome in outcomes:
        by_split[outcome.unit.split][outcome.unit.vector] = outcome
    repeats = 1 + max(splits[s].repeat for s in by_split)
    # As in the published heat map, then what the paper does not have.
    rank = {name: place for place, name in enumerate(THIRTEEN)}
    vectors = sorted(by_split[0], key=lambda name: rank.get(name, len(rank)))
    # Ties of the best vector go to the first of these (specification, section 1).
    first = [READABILITY, "1-gram TF word"] if faithful else []
    preferred = [*first, *(v for v in vectors if v not in first)]
    predicted = {v: np.full((repeats, len(items)), -1) for v in [*vectors, BEST]}
    for s, found in by_split.items():
        at = np.searchsorted(items, splits[s].test)
        for vector, outcome in found.items():
            predicted[vector][splits[s].repeat, at] = outcome.predicted
        best = max(preferred, key=lambda v: found[v].chosen_by)
        predicted[BEST][splits[s].repeat, at] = found[best].predicted
    return predicted


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

"""The sweep: every feature vector on every split, the classifier chosen inside the training part.

The work is cut into units, one split and one vector each. Units read shared arrays and give back
predictions, so they run in forked processes without copying the texts.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from horsesense.rng import seed_of
from horsesense_extras.cue_tests.features import (
    NGRAMS,
    READABILITY,
    Counts,
    Floats,
    Ints,
    Level,
    Prepared,
    count_ngrams,
    prepare_dense,
    prepare_ngrams,
    readability,
)
from horsesense_extras.cue_tests.scores import Split, accuracy, kappa
from horsesense_extras.cue_tests.task import CueTable, Task, cues_of_options, cues_of_texts

MANY_LABELS: Final = 30
"""Above this number of labels only the first classifier is tried: one-per-label models and
multinomial ones cost the number of labels times as much and choose no differently."""


@dataclass(frozen=True)
class Classifier:
    """A logistic regression: its penalty ("L2" or "L1") and inverse strength C."""

    penalty: str
    c: float

    @property
    def name(self) -> str:
        return f"{self.penalty} C={self.c:g}"


CLASSIFIERS: Final = (Classifier("L2", 1.0), Classifier("L1", 1.0), Classifier("L1", 0.1))
"""In the order in which ties are resolved (specification, section 1)."""


@dataclass(frozen=True)
class Fitted:
    """Weights of a linear model.

    Attributes:
        weights: (labels, columns); for two labels the rows are opposite.
        intercepts: (labels,); -inf for labels that the training items do not have.
    """

    weights: Floats
    intercepts: Floats

    def scores(self, x: Any) -> Floats:
        """Score of each label for each row, (rows, labels)."""
        return np.asarray(x @ self.weights.T) + self.intercepts

    def predict(self, x: Any) -> Ints:
        best: Ints = np.argmax(self.scores(x), axis=1)
        return best


def fit(
    classifier: Classifier, x: Any, y: Ints, n_labels: int, *, faithful: bool = False
) -> Fitted:
    """Fit one classifier.

    Args:
        classifier: penalty and strength.
        x: sparse (csr) or dense rows, float64.
        y: label numbers, 0 to n_labels - 1.
        n_labels: how many labels the task has, present in `y` or not.
        faithful: stop the L2 fit after 100 iterations, as in the paper.
    """
    from sklearn import config_context

    present = np.unique(y)
    weights = np.zeros((n_labels, x.shape[1]))
    intercepts = np.full(n_labels, -np.inf)
    if len(present) < 2 or x.shape[1] == 0:
        intercepts[present] = np.log(np.bincount(y, minlength=n_labels)[present])
        return Fitted(weights, intercepts)
    model = _model(classifier, len(present), faithful)
    # Checking types and finiteness again costs more than many of these fits.
    cheap = config_context(skip_parameter_validation=True, assume_finite=True)
    with cheap, warnings.catch_warnings():
        # Not converging is part of the published method; the default's limit is far off.
        warnings.simplefilter("ignore")
        model.fit(x, y)
    parts = getattr(model, "estimators_", [model])
    coefficients = np.concatenate([part.coef_ for part in parts])
    offsets = np.concatenate([part.intercept_ for part in parts])
    if len(present) == 2:
        coefficients = np.concatenate([-coefficients, coefficients])
        offsets = np.concatenate([-offsets, offsets])
    weights[present] = coefficients
    intercepts[present] = offsets
    return Fitted(weights, intercepts)


def _model(classifier: Classifier, labels: int, faithful: bool) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    if classifier.penalty == "L2":
        return LogisticRegression(C=classifier.c, max_iter=100 if faithful else 1000)
    one = LogisticRegression(l1_ratio=1.0, C=classifier.c, solver="liblinear", random_state=0)
    return one if labels == 2 else OneVsRestClassifier(one)


T = TypeVar("T")

PAIRED: Final = "question and option"
"""Options with the words that they share with the question in columns of their own."""
_BY_NAME: Final = {vector.name: vector for vector in NGRAMS}


@dataclass(frozen=True)
class Method:
    """How features are made and models fitted.

    Attributes:
        faithful: as the paper's released code does.
        presence_bug: presence is counts, as in that code.
        seed: of all draws.
    """

    faithful: bool = False
    presence_bug: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Source:
    """The features of a task before any split has been seen.

    Attributes:
        task: what is predicted.
        counts: n-gram counts of the rows, for the levels that are loaded.
        tables: dense feature vectors by name, (rows, columns).
        groups: group number of each item.
        method: see `Method`.
    """

    task: Task
    counts: dict[str, Counts]
    tables: dict[str, Floats]
    groups: Ints
    method: Method = field(default_factory=Method)


class Unit(NamedTuple):
    """One vector on one split."""

    split: int
    vector: str


class Outcome(NamedTuple):
    """What a unit found.

    Attributes:
        unit: what was done.
        predicted: label number of each test item.
        classifier: which one was chosen.
        chosen_by: its score on the items that chose it.
    """

    unit: Unit
    predicted: Ints
    classifier: Classifier
    chosen_by: float


def count_level(task: Task, level: Level) -> dict[str, Counts]:
    """The counts a level needs; for options also those of the option paired with its question."""
    found: dict[str, Counts] = {level: count_ngrams(task.texts, level)}
    if task.kind == "options" and level == "word":
        pairs = [_paired(t, q) for t, q in zip(task.texts, task.seconds, strict=True)]
        found[PAIRED] = count_ngrams(pairs, level)
    return found


def _paired(option: str, question: str) -> str:
    """The option, then its words again, marked, where the question has them too.

    A linear model gives all options of an item the same amount for the question's own words, so
    what a question adds to its options is what they have in common.
    """
    asked = set(question.lower().split())
    marked = [f"shared_{word}" for word in option.lower().split() if word in asked]
    return " ".join([option, *marked])


def dense_tables(task: Task) -> tuple[dict[str, Floats], CueTable]:
    """Readability and the cheap cues, as dense vectors by name, and the cue columns."""
    if task.kind == "labels":
        cues = cues_of_texts(task.texts, task.seconds)
    else:
        cues = cues_of_options(task.texts, task.seconds, task.starts)
    tables = {READABILITY: readability(task.texts)}
    return tables | {name: cues.x[:, columns] for name, columns in cues.vectors().items()}, cues


def vector_names(task: Task, level: Level) -> list[str]:
    """The n-gram vectors of one level."""
    names = [vector.name for vector in NGRAMS if vector.level == level]
    return [*names, PAIRED] if task.kind == "options" and level == "word" else names


def run_unit(source: Source, splits: Sequence[Split], unit: Unit) -> Outcome:
    """Fit, choose, refit, predict."""
    split, task = splits[unit.split], source.task
    best, best_score, model, prepared = CLASSIFIERS[0], -np.inf, None, None
    candidates = CLASSIFIERS if len(task.labels) <= MANY_LABELS else CLASSIFIERS[:1]
    if split.refit is None or len(candidates) > 1:
        prepared = prepare(source, unit.vector, split.fit)
        for classifier in candidates:
            tried = fitted(source, classifier, prepared, split.fit)
            score = _choosing_score(source, tried, prepared, split.choose)
            if score > best_score:
                best, best_score, model = classifier, score, tried
    if split.refit is not None:
        prepared = prepare(source, unit.vector, split.refit)
        model = fitted(source, best, prepared, split.refit)
    assert model is not None
    assert prepared is not None
    predicted = _predict(source, model, prepared, split.test)
    return Outcome(unit, predicted.astype(np.int32), best, float(best_score))


def prepare(source: Source, vector: str, items: Ints) -> Prepared:
    """A vector for all rows as fitted on `items`."""
    rows, y, method = rows_of(source.task, items), targets(source.task), source.method
    if vector in source.tables:
        return prepare_dense(source.tables[vector], rows, scale=not method.faithful)
    ngrams = _BY_NAME["2-gram presence word" if vector == PAIRED else vector]
    counts = source.counts[PAIRED if vector == PAIRED else ngrams.level]
    bug = method.presence_bug and vector != PAIRED
    return prepare_ngrams(counts, ngrams, rows, y, presence_bug=bug)


def fitted(source: Source, classifier: Classifier, prepared: Prepared, items: Ints) -> Fitted:
    """A classifier fitted on `items`."""
    rows = rows_of(source.task, items)
    n_labels = len(source.task.labels) if source.task.kind == "labels" else 2
    y = targets(source.task)[rows]
    return fit(classifier, prepared.x[rows], y, n_labels, faithful=source.method.faithful)


def rows_of(task: Task, items: Ints) -> Ints:
    """The rows of the given items, in their order."""
    if task.kind == "labels":
        return items
    widths = task.starts[items + 1] - task.starts[items]
    ends = np.cumsum(widths)
    return np.repeat(task.starts[items] - ends + widths, widths) + np.arange(ends[-1])


def targets(task: Task) -> Ints:
    """What a classifier learns of each row: its label, or whether it is the right option."""
    if task.kind == "labels":
        return task.gold
    right = np.zeros(task.starts[-1], np.int64)
    right[task.starts[:-1] + task.gold] = 1
    return right


def _predict(source: Source, model: Fitted, prepared: Prepared, items: Ints) -> Ints:
    """Label number, or position of the option with the highest score; ties are drawn by lot."""
    task = source.task
    rows = rows_of(task, items)
    scores = model.scores(prepared.x[rows])
    if task.kind == "labels":
        return np.asarray(np.argmax(scores, axis=1))
    lots = np.random.default_rng(seed_of(source.method.seed, "items", "ties")).random(
        task.starts[-1]
    )
    order = np.lexsort([lots[rows], scores[:, 1]])
    owner = np.repeat(np.arange(len(items)), task.starts[items + 1] - task.starts[items])
    best = np.zeros(len(items), np.int64)
    best[owner[order]] = rows[order]
    return best - task.starts[items]


def _choosing_score(source: Source, model: Fitted, prepared: Prepared, items: Ints) -> float:
    """Accuracy as in the paper; by default kappa, which a constant predictor cannot win."""
    predicted, gold = _predict(source, model, prepared, items), source.task.gold[items]
    if source.method.faithful:
        return accuracy(predicted, gold)
    return float(np.nan_to_num(kappa(predicted, gold, len(source.task.labels))))


_SHARED: dict[str, Any] = {}  # what forked workers see


def _share(source: Source, splits: Sequence[Split]) -> None:
    # Matrices are small and sparse: threads inside a fit only wait for each other.
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    _SHARED["source"], _SHARED["splits"] = source, splits


def _shared(work: Callable[..., T], *more: Any) -> T:
    return work(_SHARED["source"], _SHARED["splits"], *more)


Start = Callable[..., Callable[[], Any]]
"""Begins `work(source, splits, *more)`; what comes back waits for its result."""


@contextmanager
def workers(source: Source, splits: Sequence[Split], jobs: int) -> Iterator[Start]:
    """`jobs` processes that see the source and its splits without a copy; or this one."""
    from threadpoolctl import threadpool_limits

    if jobs == 1:
        with threadpool_limits(1):
            yield lambda work, *more: partial(work, source, splits, *more)
        return

    # Forked workers see the arrays without a copy; elsewhere they are sent once per worker.
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_share, initargs=(source, splits)
    ) as pool:
        try:
            yield lambda work, *more: pool.submit(_shared, work, *more).result
        finally:
            pool.shutdown(cancel_futures=True)

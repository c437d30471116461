"""A subset, or weights, of the items in which the cues no longer predict the label.

An item's weight falls with the chance that cues give its label: items whose label the cues give
away weigh little, surprising ones much. The chance that cues give comes from
classifiers that never saw the item, made honest by calibration. Keeping each item with a chance
in proportion to its weight gives the subset. What cues are left is found by another round.

A fifth of the groups is set aside first. Kappa before and after is measured there, with weights
that none of its items helped to fit; the weights of the result are then fitted to all items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.progress import Progress, progress
from horsesense.rng import seed_of, unit
from horsesense_extras.cue_tests import scores
from horsesense_extras.cue_tests.features import Bools, Floats, Ints
from horsesense_extras.cue_tests.groups import Grouping, find_groups
from horsesense_extras.cue_tests.scores import k_fold
from horsesense_extras.cue_tests.sweep import (
    CLASSIFIERS,
    Fitted,
    Method,
    Source,
    count_level,
    dense_tables,
    fit,
    fitted,
    prepare,
    rows_of,
)
from horsesense_extras.cue_tests.task import ALL, Task, make_task, need_packages

VECTORS: Final = ("1-gram presence word", "2-gram presence token", ALL)
"""What the cues are sought in: words, spelling and phrases, and the cheap cues."""
FOLDS: Final = 5
ROUNDS: Final = 4
HELD_BACK: Final = 5  # one fifth is for measuring
ENOUGH: Final = 0.05
"""Kappa below which no further round is worth its items."""


@dataclass(frozen=True)
class Balance:
    """A repaired set.

    Attributes:
        kept: ids of the subset, in the order of the items.
        weights: item id -> weight, mean 1.
        before, after: kappa on held-back items, all of them and the kept ones; each with its
            interval (kappa, low, high) and number of items.
        n: items in all.
        effective: sum(w)^2 / sum(w^2), items that the weighted set is worth.
        rounds: rounds of filtering that were needed.
        notes: what was left out.
    """

    kept: tuple[str, ...]
    weights: dict[str, float]
    before: tuple[float, float, float, int]
    after: tuple[float, float, float, int]
    n: int
    effective: float
    rounds: int
    notes: tuple[str, ...]


def balance(items: ItemSet, *, grouping: Grouping = "found", seed: int = 0) -> Balance:
    """Find the subset and the weights. No item is changed.

    Args:
        items: labelled texts or choice items.
        grouping: see `find_groups`.
        seed: of divisions and draws.

    Raises:
        UsageError: the items cannot be used, nothing would be left of a label, or the packages of
            the extra `cues` are not installed.
    """
    need_packages()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), progress(f"balancing {items.name}", 3) as tick:
        return _balance(items, grouping, seed, tick)


def _balance(items: ItemSet, grouping: Grouping, seed: int, tick: Progress) -> Balance:
    task = make_task(items)
    if task.kind == "options":
        raise UsageError(
            f"{task.name}: choice items with options of their own cannot be balanced by choosing "
            "items.",
            hint="A cue sits in their options; rewrite those that `horsesense cues` names.",
        )
    groups = find_groups(task, grouping).numbers
    table, _ = dense_tables(task)
    source = Source(task, {**count_level(task, "word"), **count_level(task, "token")}, table,
                    groups, Method(seed=seed))  # fmt: skip
    back = k_fold(task.gold, groups, HELD_BACK, seed_of(seed, "items", "held-back")) == 0
    chosen, measured = np.flatnonzero(~back), np.flatnonzero(back)
    filtered = _filter(source, chosen, measured, seed)
    tick()
    before = _kappa(source, chosen, measured)
    after = _kappa(source, chosen[filtered.kept], measured[filtered.kept_other])
    tick()
    final = _filter(source, np.arange(len(task)), np.empty(0, np.int64), seed)
    tick()
    _check(task, final.kept)
    weights = final.weights / final.weights.mean()
    return Balance(
        kept=tuple(task.ids[i] for i in np.flatnonzero(final.kept)),
        weights={i: float(w) for i, w in zip(task.ids, weights, strict=True)},
        before=before,
        after=after,
        n=len(task),
        effective=float(weights.sum() ** 2 / np.sum(weights**2)),
        rounds=final.rounds,
        notes=task.notes,
    )


@dataclass(frozen=True)
class _Filtered:
    """Weights and kept flags of the items fitted to, and of others that were not."""

    weights: Floats
    kept: Bools
    kept_other: Bools
    rounds: int


def _filter(source: Source, items: Ints, others: Ints, seed: int) -> _Filtered:
    """Weigh and thin out, round by round, until cues predict what is left no better than luck."""
    weights, kept = np.ones(len(items)), np.ones(len(items), bool)
    kept_other = np.ones(len(others), bool)
    for number in range(ROUNDS):
        now, then = items[kept], others[kept_other]
        own, foreign, left = _chances(source, now, then, seed_of(seed, "items", "round", number))
        if left < ENOUGH:
            return _Filtered(weights, kept, kept_other, number)
        gold = source.task.gold
        factor = _weight(own, gold[now], gold[now])
        weights[kept] *= factor
        # Draws belong to the item, so that dropping others changes nothing for it.
        kept[np.flatnonzero(kept)] = _drawn(source.task, now, factor, seed, number)
        if len(then):
            factor = _weight(foreign, gold[then], gold[now])
            kept_other[np.flatnonzero(kept_other)] = _drawn(source.task, then, factor, seed, number)
        _check(source.task, kept, items)
    return _Filtered(weights, kept, kept_other, ROUNDS)


def _weight(chances: Floats, gold: Ints, base: Ints) -> Floats:
    """Overlap weights (Li and Li 2019): share of the label / chance given the cues, times the
    harmonic mean of the chances. 1 where the cues say nothing, 0 where they decide fully.
    """
    inverse = 1 / np.maximum(chances, 1e-6)
    share = np.bincount(base, minlength=chances.shape[1]) / len(base)
    given = inverse[np.arange(len(gold)), gold]
    relative = share[gold] * given / (inverse * share).sum(axis=1)
    return np.asarray(relative * chances.shape[1])


def _drawn(task: Task, items: Ints, factor: Floats, seed: int, number: int) -> Any:
    """Which items are kept: each with the chance `factor`, for certain from 1."""
    lots = [unit(f"{seed}|{number}".encode(), task.ids[i].encode()) for i in items]
    return np.array(lots) < factor


def _check(task: Task, kept: Bools, items: Ints | None = None) -> None:
    gold = task.gold if items is None else task.gold[items]
    left = np.bincount(gold[kept], minlength=len(task.labels))
    if np.any(left[np.bincount(gold, minlength=len(task.labels)) > 0] < FOLDS):
        short = task.labels[int(np.argmin(left))]
        raise UsageError(
            f"{task.name}: the cues give the labels away so fully that fewer than {FOLDS} items "
            f"of {short!r} would be left.",
            hint="Add items in which the cues occur with another label, or rewrite some.",
        )


def _chances(source: Source, items: Ints, others: Ints, seed: int) -> tuple[Floats, Floats, float]:
    """Calibrated chance of each label by cues alone, for items out of fold and for others.

    Also the kappa that is left: that of the out-of-fold predictions, or 0 if that may be luck, for
    filtering against luck would plant its opposite.
    """
    gold, n_labels = source.task.gold[items], len(source.task.labels)
    fold, own = _out_of_fold(source, items, seed)
    calibrated = np.zeros((len(items), n_labels))
    for k in range(FOLDS):
        model = fit(CLASSIFIERS[0], own[fold != k], gold[fold != k], n_labels)
        calibrated[fold == k] = _probabilities(model, own[fold == k])
    predicted = calibrated.argmax(axis=1)[None, :]
    left = scores.kappa(predicted, gold, n_labels)
    low, _ = scores.interval(predicted, gold, n_labels, source.groups[items])
    foreign = np.zeros((0, n_labels))
    if len(others):
        model = fit(CLASSIFIERS[0], own, gold, n_labels)
        foreign = _probabilities(model, _scores(source, items, others))
    return calibrated, foreign, left if low > 0 else 0.0


def _out_of_fold(source: Source, items: Ints, seed: int) -> tuple[Ints, Floats]:
    """The fold of each item, and its scores by classifiers that were fitted on the other folds."""
    fold = k_fold(source.task.gold[items], source.groups[items], FOLDS, seed)
    found = np.zeros((len(items), len(source.task.labels) * len(VECTORS)))
    for k in range(FOLDS):
        found[fold == k] = _scores(source, items[fold != k], items[fold == k])
    return fold, found


def _scores(source: Source, train: Ints, test: Ints) -> Floats:
    """Scores of each label by each vector for `test`, from classifiers fitted on `train`."""
    parts = []
    for vector in VECTORS:
        prepared = prepare(source, vector, train)
        model = fitted(source, CLASSIFIERS[0], prepared, train)
        found = model.scores(prepared.x[rows_of(source.task, test)])
        parts.append(np.where(np.isfinite(found), found, -20.0))
    return np.concatenate(parts, axis=1)


def _probabilities(model: Fitted, found: Floats) -> Floats:
    from scipy.special import softmax

    raw = model.scores(found)
    # Two labels are one logistic curve, stored as opposite rows: the softmax needs half of each.
    halved = raw / 2 if raw.shape[1] == 2 else raw
    return np.asarray(softmax(halved, axis=1))


def _kappa(source: Source, train: Ints, test: Ints) -> tuple[float, float, float, int]:
    """Kappa, interval and number of the test items, by a fresh model on the training items."""
    gold, n_labels = source.task.gold, len(source.task.labels)
    if len(test) < FOLDS or len(np.unique(gold[test])) < 2:
        return float("nan"), float("nan"), float("nan"), len(test)
    _, stacked = _out_of_fold(source, train, seed_of(0, "items", "stack"))
    model = fit(CLASSIFIERS[0], stacked, gold[train], n_labels)
    predicted = model.predict(_scores(source, train, test))[None, :]
    low, high = scores.interval(predicted, gold[test], n_labels, source.groups[test])
    return scores.kappa(predicted, gold[test], n_labels), low, high, len(test)

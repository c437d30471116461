"""Splits, groups and scores of the cue search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from each import each
from horsesense.items.item import Item, ItemSet
from horsesense_extras.cue_tests import scores
from horsesense_extras.cue_tests.groups import find_groups
from horsesense_extras.cue_tests.scores import k_fold, published_draw, repeated
from horsesense_extras.cue_tests.task import make_task

ALONE = np.arange(200)


def labelled(texts: list[str], gold: list[int], clusters: list[str] | None = None) -> ItemSet:
    names = clusters or [""] * len(texts)
    items = tuple(
        Item(str(i), text, ("no", "yes"), label, cluster=cluster or None)
        for i, (text, label, cluster) in enumerate(zip(texts, gold, names, strict=True))
    )
    return ItemSet("toy", "label", items, ("no", "yes"))


def drawn(seed: int, accuracy: float, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, n)
    predicted = np.where(rng.random((2, n)) < accuracy, gold, rng.integers(0, 3, (2, n)))
    return predicted, gold


@each("seed", range(5))
def test_scores_equal_scikit_learns(seed: int) -> None:
    predicted, gold = drawn(seed, 0.4)
    kappas = [cohen_kappa_score(row, gold) for row in predicted]
    assert scores.kappa(predicted, gold, 3) == pytest.approx(np.mean(kappas))
    balanced = [balanced_accuracy_score(gold, row) for row in predicted]
    assert scores.balanced_accuracy(predicted, gold, 3) == pytest.approx(np.mean(balanced))


def test_the_interval_is_the_bootstraps() -> None:
    predicted, gold = drawn(1, 0.5, 400)
    low, high = scores.interval(predicted[:1], gold, 3, np.arange(400))
    rng = np.random.default_rng(0)
    picks = rng.integers(0, 400, (600, 400))
    drawn_kappas = [scores.kappa(predicted[0, p], gold[p], 3) for p in picks]
    assert (high - low) / 2 == pytest.approx(1.966 * np.std(drawn_kappas), rel=0.1)


def test_perfect_predictions_have_an_exact_lower_end() -> None:
    gold = np.arange(100) % 2
    low, high = scores.interval(gold[None], gold, 2, np.arange(100))
    assert high == 1
    assert low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 100)))  # Clopper-Pearson, 100 of 100
    # Four wrong predictions rule out next to nothing, though no two of them differ.
    four = np.array([0, 1, 0, 1])
    low, high = scores.interval(1 - four[None], four, 2, np.arange(4))
    assert (low, high) == (-1, pytest.approx((1 - 0.025**0.25 - 0.5) / 0.5))


def folded(rng: np.random.Generator, n: int, folds: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels by lot, and what ridge regressions on words predict of them, fold by fold."""
    x = (rng.random((n, 80)) < 1 / (1 + np.arange(80) / 6)) * 1.0
    gold = rng.integers(0, 2, n)
    fold = k_fold(gold, np.arange(n), folds, int(rng.integers(2**31)))
    predicted = np.empty((1, n), np.int64)
    for f in range(folds):
        train = fold != f
        moved = x[train] - x[train].mean(axis=0)
        pull = moved.T @ (gold[train] - gold[train].mean())
        weights = np.linalg.solve(moved.T @ moved + 10 * np.eye(80), pull)
        score = (x[~train] - x[train].mean(axis=0)) @ weights + gold[train].mean()
        predicted[0, ~train] = score > 0.5
    return predicted, gold


@pytest.mark.slow
def test_p_of_folds_that_train_on_each_other_is_valid() -> None:
    """Labels by lot: with the correction at most 5 % are p <= .05, and more without it."""
    rng, sets = np.random.default_rng(4), 400
    alarms = np.zeros(2)
    for _ in range(sets):
        predicted, gold = folded(rng, 150, 5)
        for place, widened in enumerate((scores.overlap(5, 1), 1.0)):
            [p] = scores.permutation_ps(
                [predicted], gold, np.arange(150), np.zeros(150, int), 99, 0, widened
            )
            alarms[place] += p <= 0.05
    assert alarms[0] / sets <= 0.05
    assert alarms[1] / sets > 0.06


@given(st.integers(0, 1000), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_folds_keep_groups_whole_and_labels_spread(seed: int, folds: int) -> None:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, 120)
    groups = np.where(rng.random(120) < 0.5, rng.integers(0, 15, 120), 100 + np.arange(120))
    fold = k_fold(gold, groups, folds, seed)
    assert set(fold) == set(range(folds))
    for group in np.unique(groups):
        assert len(set(fold[groups == group])) == 1
    alone = k_fold(gold, np.arange(120), folds, seed)
    for label in range(3):
        sizes = np.bincount(alone[gold == label], minlength=folds)
        assert sizes.max() - sizes.min() <= 1


def test_every_item_is_predicted_once_a_repeat_and_never_fitted_on() -> None:
    gold = np.arange(100) % 2
    splits = list(repeated(gold, np.arange(100) // 4, 5, 3, 0))
    for repeat in range(3):
        tests = np.concatenate([s.test for s in splits if s.repeat == repeat])
        assert sorted(tests) == list(range(100))
    for split in splits:
        assert not set(split.test) & set(split.refit)
        assert not set(split.fit) & set(split.choose)
        assert set(split.fit) | set(split.choose) == set(split.refit)
        assert not set(split.test // 4) & set(split.refit // 4)


def test_the_published_draw_divides_60_20_20() -> None:
    shuffle, split = published_draw(197)
    assert sorted(shuffle) == list(range(197))
    assert (len(split.fit), len(split.choose), len(split.test)) == (118, 40, 39)
    parts = np.concatenate([split.fit, split.choose, split.test])
    assert sorted(parts) == list(range(197))


TEMPLATE = "If the {} is to the left of the {}, is the {} then to the right of the {}?"
LONG = "On the first day of the long winter the old ship sailed north again"


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        ([f"{LONG}. {w}" for w in ("Did it?", "Was it cold then?")], "a sentence in common"),
        ([LONG, LONG.upper() + "!"], "nearly the same text"),
        ([TEMPLATE.format(*w) for w in (("cat", "dog") * 2, ("box", "jar") * 2)], "one template"),
    ],
)
def test_related_items_are_found(texts: list[str], rule: str) -> None:
    words = [
        "sun",
        "moon",
        "sea",
        "tree",
        "rock",
        "bird",
        "fish",
        "leaf",
        "snow",
        "rain",
        "wind",
        "fire",
    ]
    fillers = [f"{a} {b} {c}" for a in words for b in words[:2] for c in words[:1] if a != b]
    items = labelled([*texts, *fillers], [i % 2 for i in range(len(texts) + len(fillers))])
    groups = find_groups(make_task(items))
    assert groups.numbers[0] == groups.numbers[1]
    assert rule in groups.joined
    assert groups.n_grouped == 2

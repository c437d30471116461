"""Which items are trained on and which predicted, and how well predictions agree with labels.

Divisions are grouped, stratified and repeated. Predictions are arrays (repeats, items) of label
numbers; all items of a column share a label. Kappas of several repeats are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import t as student

from horsesense.errors import UsageError
from horsesense.rng import seed_of
from horsesense_extras.cue_tests.features import Floats, Ints

INNER_FOLDS: Final = 4
"""A quarter of the training items chooses the classifier."""
SPLIT_NAMES: Final = {
    "train": "train", "validation": "validation", "valid": "validation", "val": "validation",
    "dev": "validation", "test": "test",
}  # fmt: skip


@dataclass(frozen=True)
class Split:
    """One division of the items.

    Attributes:
        fit: items that each classifier is first fitted on.
        choose: items on which the classifier is chosen.
        refit: items that the chosen classifier is then fitted on; None keeps the first fit.
        test: items that are predicted.
        repeat: number of the repetition of the K folds.
    """

    fit: Ints
    choose: Ints
    refit: Ints | None
    test: Ints
    repeat: int = 0


def k_fold(gold: Ints, groups: Ints, folds: int, seed: int) -> Ints:
    """Fold of each item: labels spread evenly, groups kept whole.

    Items without company are dealt out label by label. Larger groups go first, largest to
    smallest, each to the fold that then has fewest of the labels it brings.
    """
    # Large groups first: whatever they unbalance, the single items after them can still even out.
    rng = np.random.default_rng(seed)
    _, group, size = np.unique(groups, return_inverse=True, return_counts=True)
    n_labels = int(gold.max()) + 1
    held = np.zeros((folds, n_labels))
    fold = np.full(len(gold), -1, np.int64)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(size)[:-1])
    shuffled = rng.permutation(len(size))
    for g in shuffled[np.argsort(-size[shuffled], kind="stable")]:
        if size[g] < 2:
            break
        brings = np.bincount(gold[members[g]], minlength=n_labels)
        # The random amount breaks ties alone: counts are whole numbers.
        at = int(np.argmin(held @ brings + rng.random(folds) * 1e-6))
        fold[members[g]] = at
        held[at] += brings
    for label in range(n_labels):
        alone = np.flatnonzero((fold < 0) & (gold == label))
        fold[rng.permutation(alone)] = _dealt(held[:, label], len(alone), rng)
    return fold


def _dealt(held: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Folds for `n` single items, each to the fold that has fewest of their label."""
    counts = (held[:, None] + np.arange(n)).ravel()
    fold, tie = np.repeat(np.arange(len(held)), n), np.repeat(rng.random(len(held)), n)
    return fold[np.lexsort((fold, tie, counts))[:n]]


def repeated(gold: Ints, groups: Ints, folds: int, repeats: int, seed: int) -> Iterator[Split]:
    """Repeated K folds, each with an inner validation part; one fold is a 60/20/20 split."""
    if folds == 1:
        fold = k_fold(gold, groups, 5, seed_of(seed, "items", "single"))
        fit, choose, test = (np.flatnonzero(part) for part in (fold < 3, fold == 3, fold == 4))
        yield Split(fit, choose, None, test)
        return
    for repeat in range(repeats):
        fold = k_fold(gold, groups, folds, seed_of(seed, "items", "folds", repeat))
        for k in range(folds):
            train = np.flatnonzero(fold != k)
            inner_seed = seed_of(seed, "items", "inner", repeat * folds + k)
            inner = k_fold(gold[train], groups[train], INNER_FOLDS, inner_seed)
            yield Split(
                fit=train[inner != 0],
                choose=train[inner == 0],
                refit=train,
                test=np.flatnonzero(fold == k),
                repeat=repeat,
            )


def published(names: list[str | None]) -> Split:
    """The split that the items name.

    Raises:
        UsageError: one of the three parts has no items.
    """
    parts = np.array([SPLIT_NAMES.get(name or "", "") for name in names])
    fit, choose, test = (np.flatnonzero(parts == p) for p in ("train", "validation", "test"))
    if not (len(fit) and len(choose) and len(test)):
        found = ", ".join(sorted({str(name) for name in names}))
        raise UsageError(
            f"The published method needs items of the splits train, validation and test; "
            f"these items have: {found}.",
            hint="Remove the `split` field to have the published 60/20/20 division drawn.",
        )
    return Split(fit, choose, None, test)


def published_draw(n: int) -> tuple[Ints, Split]:
    """The paper's shuffle of `n` rows and its 60/20/20 division of the shuffled rows.

    pandas' `sample` draws `RandomState.choice` without replacement; so does this.
    """
    shuffle = np.random.RandomState(42).choice(n, n, replace=False)
    state = np.random.RandomState(42)
    fit = state.choice(n, round(0.6 * n), replace=False)
    rest = np.setdiff1d(np.arange(n), fit)
    chosen = state.choice(len(rest), round(0.2 / (1 - 0.6) * len(rest)), replace=False)
    choose = rest[chosen]
    return shuffle, Split(fit, choose, None, np.setdiff1d(rest, choose))


def accuracy(predicted: Ints, gold: Ints) -> float:
    """Share of right predictions, averaged over repeats."""
    return float(np.mean(predicted == gold))


def kappa(predicted: Ints, gold: Ints, n_labels: int) -> float:
    """Cohen's kappa, averaged over repeats; 0 for a constant predictor.

    NaN where the gold and all predictions are one and the same label.
    """
    rows = [_kappa(row, gold, n_labels) for row in np.atleast_2d(predicted)]
    return float(np.mean(rows))


def _kappa(predicted: Ints, gold: Ints, n_labels: int) -> float:
    observed = np.mean(predicted == gold)
    expected = _shares(predicted, n_labels) @ _shares(gold, n_labels)
    return float((observed - expected) / (1 - expected)) if expected < 1 else float("nan")


def kappa_uniform(correct: float, chance: float) -> float:
    """(accuracy - chance) / (1 - chance): the "kappa" of the paper, with chance = 1 / labels."""
    return (correct - chance) / (1 - chance)


def balanced_accuracy(predicted: Ints, gold: Ints, n_labels: int) -> float:
    """Mean over the labels of the share of their items that are predicted right."""
    hits = np.bincount(gold, weights=np.mean(np.atleast_2d(predicted) == gold, axis=0))
    sizes = np.bincount(gold)
    return float(np.mean(hits[sizes > 0] / sizes[sizes > 0]))


def majority(gold: Ints) -> float:
    """Accuracy of always predicting the most frequent label."""
    return float(np.bincount(gold).max() / len(gold))


def is_constant(predicted: Ints) -> bool:
    """True if one label is predicted for every item in every repeat."""
    return bool(np.all(predicted == predicted.flat[0]))


def overlap(folds: int, repeats: int) -> float:
    """How much larger the variance of a mean over repeated folds is than that of as many items
    that were predicted once, by a classifier that saw none of them.

    Two folds train on each other's items: what two labels have in common by luck counts for both.
    The correction of Nadeau and Bengio (2003, "Inference for the generalization error"), for
    repeats as in Bouckaert and Frank (2004): 1 / repeats + folds / (folds - 1). A single part that
    is held out needs none.

    >>> overlap(1, 1), overlap(5, 1), overlap(5, 2)
    (1.0, 2.25, 1.75)
    """
    return 1 / repeats + folds / (folds - 1) if folds > 1 else 1.0


def interval(
    predicted: Ints,
    gold: Ints,
    n_labels: int,
    groups: Ints,
    level: float = 0.95,
    widened: float = 1.0,
) -> tuple[float, float]:
    """Interval of Cohen's kappa, groups of items being the units that are sampled.

    The infinitesimal jackknife, which is the limit of the cluster bootstrap: each item's
    influence on kappa, added up per group; Student's t with groups - 1 degrees of freedom.
    (Efron 1982, "The jackknife, the bootstrap and other resampling plans", chapter 6.)

    The variance is that of one division times `widened` (see `overlap`).

    NaN for a constant predictor or fewer than three groups. Where every prediction is right, or
    every one is wrong, the other end is that of the exact binomial interval for as many groups.
    """
    _, place = np.unique(groups, return_inverse=True)
    size = int(place.max()) + 1
    if size < 3 or is_constant(predicted):
        return float("nan"), float("nan")
    middle = kappa(predicted, gold, n_labels)
    if np.all(predicted == gold):
        expected = float(np.sum(_shares(gold, n_labels) ** 2))
        return 1 - (1 - ((1 - level) / 2) ** (1 / size)) / (1 - expected), 1.0
    if not np.any(predicted == gold):
        # The same accuracy is a higher kappa where less agreement is expected.
        most = 1 - ((1 - level) / 2) ** (1 / size)
        least = min(_shares(row, n_labels) @ _shares(gold, n_labels) for row in predicted)
        return middle, max(middle, float((most - least) / (1 - least)))
    sums = [np.bincount(place, weights=_influence(row, gold, n_labels)) for row in predicted]
    variance = widened * np.mean(np.sum(np.square(sums), axis=1)) * size / (size - 1)
    error = np.sqrt(variance) / len(gold)
    half = float(student.ppf((1 + level) / 2, size - 1)) * float(error)
    return max(middle - half, -1.0), min(middle + half, 1.0)


def _influence(predicted: Ints, gold: Ints, n_labels: int) -> Floats:
    """Derivative of kappa by each item's weight, times the number of items; sums to 0."""
    right = (predicted == gold).astype(float)
    given, true = _shares(predicted, n_labels), _shares(gold, n_labels)
    observed, expected = right.mean(), given @ true
    if expected >= 1:
        return np.zeros(len(gold))
    by_expected = given[gold] + true[predicted] - 2 * expected
    slope = (1 - observed) / (1 - expected) ** 2
    return np.asarray((right - observed) / (1 - expected) - slope * by_expected)


def _shares(labels: Ints, n_labels: int) -> Floats:
    return np.bincount(labels, minlength=n_labels) / len(labels)


def permuted(gold: Ints, groups: Ints, strata: Ints, rng: np.random.Generator) -> Ints:
    """`gold` redistributed at random within strata, whole groups moving together.

    Within a stratum the groups are put in random order and their labels laid down one after the
    other, so that the labels of a group stay neighbours. Items without a group move singly.
    """
    out = gold.copy()
    for stratum in np.unique(strata):
        at = np.flatnonzero(strata == stratum)
        at = at[np.argsort(groups[at], kind="stable")]
        _, place = np.unique(groups[at], return_inverse=True)
        order = np.argsort(rng.random(place[-1] + 1)[place], kind="stable")
        shift = int(rng.integers(len(at)))
        out[at] = gold[at[np.roll(order, shift)]]
    return out


def permutation_ps(
    predictions: Sequence[Ints],
    gold: Ints,
    groups: Ints,
    strata: Ints,
    draws: int,
    seed: int,
    widened: float = 1.0,
) -> list[float]:
    """One-sided p of each set of predictions against labels that are shuffled.

    The predictions stay fixed; shuffled labels keep their marginals, so kappa orders as the
    number of agreements does. The mean of the repeats is held against each single repeat on
    shuffled labels, whose distance from their mean is stretched to a variance `widened` times as
    large (see `overlap`). The observed arrangement is one draw.
    """
    rng = np.random.default_rng(seed)
    stacked = np.concatenate([np.atleast_2d(p) for p in predictions]).astype(np.int32)
    owner = np.repeat(np.arange(len(predictions)), [len(np.atleast_2d(p)) for p in predictions])
    sizes = np.bincount(owner)

    def agreements(labels: Ints) -> Ints:
        return np.asarray(np.count_nonzero(stacked == labels.astype(np.int32), axis=1))

    observed = np.bincount(owner, agreements(gold)) / sizes
    shuffled = np.stack([agreements(permuted(gold, groups, strata, rng)) for _ in range(draws)])
    middle = shuffled.mean(axis=0)
    stretched = middle + np.sqrt(widened) * (shuffled - middle)
    # Equal numbers of agreements count as such, whatever the last bit of a stretched one says.
    beyond = stretched >= observed[owner] - 1e-9
    extreme = np.bincount(owner, beyond.sum(axis=0)) / sizes
    return [float(p) for p in (extreme + 1) / (draws + 1)]

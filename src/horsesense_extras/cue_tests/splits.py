"""Which items are trained on and which predicted: grouped, stratified, repeated."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.rng import seed_of

Ints = npt.NDArray[np.int64]

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


def _dealt(held: npt.NDArray[np.float64], n: int, rng: np.random.Generator) -> list[int]:
    """Folds for `n` single items, each to the fold that has fewest of their label."""
    heap = list(zip(held.tolist(), rng.random(len(held)).tolist(), range(len(held)), strict=True))
    heapq.heapify(heap)
    dealt = []
    for _ in range(n):
        count, tie, fold = heap[0]
        heapq.heapreplace(heap, (count + 1, tie, fold))
        dealt.append(fold)
    return dealt


def repeated(gold: Ints, groups: Ints, folds: int, repeats: int, seed: int) -> Iterator[Split]:
    """Repeated K folds, each with an inner validation part; one fold is a 60/20/20 split."""
    if folds == 1:
        yield _single(gold, groups, seed)
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


def _single(gold: Ints, groups: Ints, seed: int) -> Split:
    fold = k_fold(gold, groups, 5, seed_of(seed, "items", "single"))
    return Split(
        fit=np.flatnonzero(fold < 3),
        choose=np.flatnonzero(fold == 3),
        refit=None,
        test=np.flatnonzero(fold == 4),
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

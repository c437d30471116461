"""The paper's thirteen feature vectors, and what each split of the items makes of them.

One count matrix per level is made once. Every vector is derived from it for the rows of one
training set: columns that occur in two training texts, weights, and the best 20,000 columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from horsesense_extras.cue_tests.tokens import Counts, Level, take_columns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Weight = Literal["presence", "TF", "TFIDF"]

MOST_COLUMNS: Final = 20_000
MIN_TEXTS: Final = 2


@dataclass(frozen=True)
class NgramVector:
    """1-grams, or 1- and 2-grams (`longest` 2), of one level with one weight."""

    longest: int
    weight: Weight
    level: Level

    @property
    def name(self) -> str:
        return f"{self.longest}-gram {self.weight} {self.level}"


NGRAMS: Final = tuple(
    NgramVector(longest, weight, level)
    for longest in (1, 2)
    for weight in ("presence", "TF", "TFIDF")
    for level in ("word", "token")
)
"""The twelve n-gram vectors, in the order of the paper's heat map."""
READABILITY: Final = "readability"
THIRTEEN: Final = (*(v.name for v in NGRAMS), READABILITY)


@dataclass(frozen=True)
class Prepared:
    """A feature vector for all rows, with columns and weights taken from the training rows.

    Attributes:
        x: (rows, columns), sparse or dense, float64.
        columns: column number in the source (`Counts`, 2-grams after 1-grams; or the dense table).
    """

    x: Any
    columns: Ints


def prepare_ngrams(
    counts: Counts, vector: NgramVector, train: Ints, y: Ints, *, presence_bug: bool = False
) -> Prepared:
    """The n-gram vector as fitted on the rows `train`, whose labels are `y[train]`.

    With `presence_bug`, presence is counts, as in the released code of the paper. Columns are
    chosen before anything is weighted: no whole vocabulary is ever held as float64.
    """
    matrices = [counts.one, counts.two][: vector.longest]
    if vector.weight == "presence" and not presence_bug:
        matrices = [_like(m, np.ones_like(m.data)) for m in matrices]
    texts = [_training_texts(m, train) for m in matrices]
    kept = [t >= MIN_TEXTS for t in texts]
    weights, scale = [np.ones(len(t)) for t in texts], np.ones(counts.one.shape[0])
    if vector.weight == "TFIDF":
        weights = [np.log((1 + len(train)) / (1 + t)) + 1.0 for t in texts]
        scale = _inverse_lengths(matrices, [w * k for w, k in zip(weights, kept, strict=True)])
    columns = np.flatnonzero(np.concatenate(kept))
    if len(columns) > MOST_COLUMNS:
        f = np.concatenate([anova_f(m, y[train], train, scale) for m in matrices])
        columns = columns[_best(f[columns])]
    return Prepared(_chosen(matrices, columns, np.concatenate(weights), scale), columns)


def _like(x: csr_array, data: npt.NDArray[Any]) -> csr_array:
    """Other values in the same places, which are shared."""
    return csr_array((data, x.indices, x.indptr), shape=x.shape)


def _training_texts(x: csr_array, train: Ints) -> Ints:
    """In how many training rows each column occurs."""
    inside = np.zeros(x.shape[0], bool)
    inside[train] = True
    return np.bincount(x.indices[np.repeat(inside, np.diff(x.indptr))], minlength=x.shape[1])


def _inverse_lengths(matrices: Sequence[csr_array], weights: Sequence[Floats]) -> Floats:
    """One over the Euclidean length of each weighted row; 1 where that is 0."""
    pairs = zip(matrices, weights, strict=True)
    length = np.sqrt(np.sum([_like(m, m.data**2) @ w**2 for m, w in pairs], axis=0))
    return np.asarray(1 / np.where(length > 0, length, 1.0))


def _best(f: Floats) -> Ints:
    """The 20,000 columns with the largest F; of ties the later ones, as in scikit-learn."""
    return np.sort(np.argsort(np.nan_to_num(f, nan=-np.inf), kind="stable")[-MOST_COLUMNS:])


def _chosen(
    matrices: Sequence[csr_array], columns: Ints, weights: Floats, scale: Floats
) -> csr_array:
    """The chosen columns of the matrices side by side, times the weights of columns and rows."""
    parts, first = [], 0
    for matrix in matrices:
        last = first + matrix.shape[1]
        parts.append(take_columns(matrix, columns[(first <= columns) & (columns < last)] - first))
        first = last
    x = csr_array(hstack(parts, format="csr"))
    each = weights[columns][x.indices] * np.repeat(scale, np.diff(x.indptr))
    return _like(x, x.data * each)


def anova_f(x: csr_array, y: Ints, rows: Ints, scale: Floats) -> Floats:
    """F of the one-way analysis of variance of each column by label; NaN where undefined.

    Args:
        x: (all rows, columns). A factor of a whole column would not change its F.
        y: labels of `rows`.
        rows: the rows that count.
        scale: factor of each of all rows.
    """
    labels, place = np.unique(y, return_inverse=True)
    sizes = np.bincount(place).astype(float)
    member = csr_array((scale[rows], (place, rows)), shape=(len(labels), x.shape[0]))
    sums = csr_array(member @ x)
    correction = np.asarray(sums.sum(axis=0)) ** 2 / len(y)
    between = sums.power(2).T @ (1 / sizes) - correction
    squared = np.zeros(x.shape[0])
    squared[rows] = scale[rows] ** 2
    total = _like(x, x.data**2).T @ squared - correction
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(
            (between / (len(labels) - 1)) / ((total - between) / (len(y) - len(labels)))
        )


def prepare_dense(table: Floats, train: Ints, *, scale: bool) -> Prepared:
    """A dense table; scaled by the mean and standard deviation of the training rows."""
    if scale:
        spread = table[train].std(axis=0)
        table = (table - table[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Prepared(table, np.arange(table.shape[1]))

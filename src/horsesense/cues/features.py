"""The paper's thirteen feature vectors, and what each split of the items makes of them.

One count matrix per level is made once. Every vector is derived from it for the rows of one
training set: columns that stand in two training texts, weights, and the best 20,000 columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, hstack

from horsesense.cues.tokens import Counts, Level, document_frequency, take_columns

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

    With `presence_bug`, presence is counts, as in the released code of the paper.
    """
    blocks = [(counts.one, 0), (counts.two, counts.one.shape[1])][: vector.longest]
    parts, columns = [], []
    for matrix, offset in blocks:
        kept = np.flatnonzero(document_frequency(matrix[train]) >= MIN_TEXTS)
        parts.append(take_columns(matrix, kept))
        columns.append(kept + offset)
    x = csr_array(hstack(parts, format="csr"))
    del parts  # whole vocabularies of large sets: float64 and copies wait for the selection
    if vector.weight == "presence" and not presence_bug:
        x.data[:] = 1.0
    if vector.weight == "TFIDF":
        x = _tfidf(x, train)
    column = np.concatenate(columns)
    if x.shape[1] > MOST_COLUMNS:
        best = _best_columns(x[train].astype(np.float64), y[train])
        x, column = take_columns(x, best), column[best]
    return Prepared(x.astype(np.float64), column)


def prepare_dense(table: Floats, train: Ints, *, scale: bool) -> Prepared:
    """A dense table; scaled by the mean and standard deviation of the training rows."""
    if scale:
        spread = table[train].std(axis=0)
        table = (table - table[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Prepared(table, np.arange(table.shape[1]))


def _tfidf(x: csr_array, train: Ints) -> csr_array:
    """Counts times ln((1 + n) / (1 + texts)) + 1, every row scaled to length 1."""
    texts = document_frequency(x[train])
    x = csr_array(x.astype(np.float64) * (np.log((1 + len(train)) / (1 + texts)) + 1.0)[None, :])
    length = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    return csr_array(diags_array(1 / np.where(length > 0, length, 1.0)) @ x)


def _best_columns(x: csr_array, y: Ints) -> Ints:
    """The 20,000 columns with the largest F; of ties the later ones, as in scikit-learn."""
    f = np.nan_to_num(anova_f(x, y), nan=-np.inf)
    return np.sort(np.argsort(f, kind="stable")[-MOST_COLUMNS:])


def anova_f(x: csr_array, y: Ints) -> Floats:
    """F of the one-way analysis of variance of each column by label; NaN where undefined."""
    labels, place = np.unique(y, return_inverse=True)
    sizes = np.bincount(place).astype(float)
    member = csr_array((np.ones(len(y)), (place, np.arange(len(y)))))
    sums = (member @ x).toarray()
    correction = sums.sum(axis=0) ** 2 / len(y)
    between = (sums**2 / sizes[:, None]).sum(axis=0) - correction
    total = np.asarray(x.multiply(x).sum(axis=0)).ravel() - correction
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(
            (between / (len(labels) - 1)) / ((total - between) / (len(y) - len(labels)))
        )

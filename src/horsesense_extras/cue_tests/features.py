"""The paper's thirteen feature vectors, and what each split of the items makes of them.

One count matrix per level is made once. Every vector is derived from it for the rows of one
training set: columns that occur in two training texts, weights, and the best 20,000 columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal
from warnings import catch_warnings

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from horsesense_extras.cue_tests.tokens import Counts, Level

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
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.feature_selection import f_classif

    whole = counts.both if vector.longest == 2 else counts.one
    columns = np.flatnonzero(_texts(whole[train]) >= MIN_TEXTS)
    x = csr_array(whole[:, columns].astype(np.float64))
    if vector.weight == "presence" and not presence_bug:
        x.data[:] = 1.0
    if vector.weight == "TFIDF" and len(columns):
        x = csr_array(TfidfTransformer().fit(x[train]).transform(x))
    if len(columns) > MOST_COLUMNS:
        with np.errstate(divide="ignore", invalid="ignore"), catch_warnings(action="ignore"):
            f = np.nan_to_num(f_classif(x[train], y[train])[0], nan=-np.inf)
        # Of ties the later ones, as in scikit-learn's choice.
        best = np.sort(np.argsort(f, kind="stable")[-MOST_COLUMNS:])
        x, columns = csr_array(x[:, best]), columns[best]
    return Prepared(x, columns)


def _texts(x: csr_array) -> Ints:
    """In how many rows each column occurs."""
    return np.bincount(x.indices, minlength=x.shape[1])


def prepare_dense(table: Floats, train: Ints, *, scale: bool) -> Prepared:
    """A dense table; scaled by the mean and standard deviation of the training rows."""
    if scale:
        spread = table[train].std(axis=0)
        table = (table - table[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Prepared(table, np.arange(table.shape[1]))

"""How far an item's answers agree with each other."""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows, complete, no_replicates
from horsesense.table import NO_CONTENT, Cell


def content_counts(cell: Cell) -> npt.NDArray[np.int64]:
    """For each place of a cell, how often its content was chosen by its item; 0 off the trials.

    A reading without content agrees with nothing but itself (specification, section 3.2).
    """
    same = cell.content[:, :, None] == cell.content[:, None, :]
    both = cell.read[:, :, None] & cell.read[:, None, :]
    counts = (same & both).sum(axis=2)
    counts[(cell.content == NO_CONTENT) & cell.read] = 1
    return np.where(cell.read, counts, 0)


@cache
def chance_agreement(n: int, k: int) -> float:
    """Expected plurality agreement of `n` uniform guesses among `k` options.

    >>> round(chance_agreement(4, 4), 5)
    0.53125
    """
    at_most = [_ways(n, k, most) / k**n for most in range(n + 1)]
    mean: float = sum(m * (at_most[m] - at_most[m - 1]) for m in range(1, n + 1)) / n
    return mean


def _ways(n: int, k: int, most: int) -> float:
    """Sequences of length `n` over `k` symbols in which none occurs more than `most` times."""
    series = np.zeros(n + 1)
    series[0] = 1.0
    one = np.array([1 / factorial(j) if j <= most else 0.0 for j in range(n + 1)])
    for _ in range(k):
        series = np.convolve(series, one)[: n + 1]
    return float(series[n] * factorial(n))


class PluralityAgreement(Measure):
    name = "plurality_agreement"
    title = "Agreement with itself"
    summary = (
        "Share of an item's answers that name its most frequent content, mean over items (CS of "
        "REVAS, section 3.2; Robinson et al. 2023 over all orders). Depends on the number of "
        "orders and options: compare with its chance level only."
    )
    counted = "items"

    def why_not(self, cell: Cell, other: Cell | None = None) -> str | None:
        return no_replicates(cell)

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        used = complete(cell)
        share = content_counts(cell).max(axis=1) / np.maximum(cell.asked.sum(axis=1), 1)
        rows = np.column_stack([np.where(used, share, 0), used]).astype(np.float64)
        return Rows(rows, int(used.sum()), int((~used).sum()))

    def baseline(self, cell: Cell) -> float | None:
        pairs = zip(cell.asked.sum(axis=1), cell.k, strict=True)
        return float(np.mean([chance_agreement(int(n), int(k)) for n, k in pairs]))


class AnswerEntropy(Measure):
    name = "answer_entropy"
    title = "Entropy of answers"
    summary = (
        "Entropy in nats of the contents that an item's trials chose, mean over items (Look at "
        "the Text, section 5.4); at most ln of the number of trials, on which it depends."
    )
    unit = "nats"
    counted = "items"

    def why_not(self, cell: Cell, other: Cell | None = None) -> str | None:
        return no_replicates(cell)

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        used = complete(cell)
        rows = np.column_stack([np.where(used, entropy(cell), 0), used]).astype(np.float64)
        return Rows(rows, int(used.sum()), int((~used).sum()))


def entropy(cell: Cell) -> Floats:
    """Entropy in nats per item: each trial adds -ln(p of its content) / n."""
    counts = content_counts(cell)
    n = np.maximum(cell.read.sum(axis=1, keepdims=True), 1)
    logs = np.log(np.where(counts > 0, counts, n) / n)
    per_item: Floats = -(logs / n).sum(axis=1) + 0.0
    return per_item

"""Several answers to the very same prompt: one of them right, all of them, or most of them.

The answer as published and those of the probe `repeat` are samples of one distribution. They are
taken as graded: a reply that cannot be read is wrong, and agrees with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from horsesense.measures.accuracy import guessed, judged
from horsesense.measures.base import Floats, Measure, Rows, of_items, weighted_mean
from horsesense.measures.cells import Cell
from horsesense.measures.contrast import REPEAT
from horsesense.measures.gold import goldless
from horsesense.measures.graded import graded, to_the_letter
from horsesense.measures.joined import ORIGINAL, joined
from horsesense.measures.score_variance import ScoreVariance, of_answers, right_or_wrong
from horsesense.measures.strata import plurality_right
from horsesense.measures.undefined import unread
from horsesense.stats.components import variances

Counts = npt.NDArray[np.int64]
SHARES: Final = ("items", "samples")
"""The parts of the variance of a right answer."""


def samples(every: Sequence[Cell]) -> Iterator[Cell]:
    """The answers of each reader to the items as published and to the same prompts again."""
    published = {c.reader: c.first() for c in every if c.probe == ORIGINAL and not c.condition}
    for again in every:
        if again.probe == REPEAT and again.reader in published:
            parts = {ORIGINAL: published[again.reader], REPEAT: again}
            yield joined(parts, REPEAT, again.condition)


def all_drawn(marked: Counts, n: Counts, k: int) -> Floats:
    """Chance that k of n samples, drawn without replacement, are all marked: C(marked, k)/C(n, k).

    >>> all_drawn(np.array([3, 1]), np.array([4, 4]), 2).tolist()
    [0.5, 0.0]
    """
    drawn = np.arange(k)
    left = np.maximum(marked[:, None] - drawn, 0) / np.maximum(n[:, None] - drawn, 1)
    return np.asarray(left.prod(axis=1))


class OfSamples(Measure):
    """What is computed on `samples`."""

    counted = "items"
    of_gold = True
    tells_range = True

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        return filter(self.fits, samples(every))


class PassHatK(OfSamples):
    """Chance that all of k answers to the same prompt are right, C(c, k)/C(n, k) of c right among n
    (Yao et al. 2024), as graded.

    A group is a number k of samples: powers of two, and as many as there are.
    """

    wrong: ClassVar[bool] = False
    """Whether it is 1 less the chance that all are wrong."""

    layout = "halves"
    name = "pass_hat_k"
    title = "All of k samples right (pass^k)"

    def about(self, cell: Cell) -> Cell:
        return super().about(graded(cell))

    def sizes(self, cell: Cell) -> list[int]:
        """The numbers of samples, from 1 to all."""
        most = cell.status.shape[1]
        return sorted({2**power for power in range(most.bit_length())} | {most})

    def groups(self, cell: Cell) -> Sequence[str]:
        return [str(size) for size in self.sizes(cell)]

    def rows(self, cell: Cell) -> Rows:
        marked = (cell.known & (cell.correct == int(not self.wrong))).sum(axis=1)
        n, sizes = cell.known.sum(axis=1), self.sizes(cell)
        enough = n[:, None] >= sizes
        values = self._turned(np.column_stack([all_drawn(marked, n, size) for size in sizes]))
        missing = (~enough & (unread(cell) & ~goldless(cell))[:, None]).sum(axis=0).tolist()
        rows = np.concatenate([np.where(enough, values, 0.0), enough], axis=1)
        return Rows(rows, int(enough[:, 0].sum()), missing[-1], missing=missing)

    def baselines(self, cell: Cell) -> Sequence[float | None]:
        """Of independent guesses."""
        guess = self._turned(guessed(cell))[:, None]
        made = self._turned(guess ** self.sizes(cell))
        entered = self.split(self.mapped(cell).rows)[1]
        return [weighted_mean(*pair) for pair in zip(made.T, entered.T, strict=True)]

    def _turned(self, chance: Floats) -> Floats:
        return 1 - chance if self.wrong else chance


class PassAtK(PassHatK):
    """Chance that at least one of k answers to the same prompt is right, by the unbiased estimator
    (Chen et al. 2021, section 2.1), as graded. Guessing alone gives much of it.
    """

    wrong = True

    name = "pass_at_k"
    title = "One of k samples right (pass@k)"


class MajorityAtN(OfSamples):
    """Share of items whose most frequent answer to the same prompt is right, over all its samples;
    of answers that are equally frequent, the share that is right. As graded: a reply without a
    choice agrees with none.
    """

    name = "majority_at_n"
    title = "Most frequent of n samples right (majority@n)"

    def about(self, cell: Cell) -> Cell:
        return super().about(to_the_letter(cell))

    def groups(self, cell: Cell) -> Sequence[str]:
        return [str(cell.status.shape[1])]

    def rows(self, cell: Cell) -> Rows:
        return of_items(plurality_right(cell), judged(cell), unread(cell))


class SampleVariance(ScoreVariance):
    """Variance of right answers between items and between samples of the answer to one prompt:
    one-way analysis of variance, the nested one of score_variance without orders. As graded.
    """

    name = "sample_variance"
    title = "Variance of right answers, items and samples"
    needs = ()

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        return (graded(cell) for cell in samples(every) if self.fits(cell))

    def groups(self, cell: Cell) -> Sequence[str]:
        return SHARES

    def rows(self, cell: Cell) -> Rows:
        right = right_or_wrong(cell)
        return of_answers(cell, right, right)

    def value(self, totals: Floats) -> Floats:
        return variances(totals)[..., [0, 2]]

"""Several answers to the very same prompt: one of them right, all of them, or most of them.

The answer as published and those of the probe `repeat` are samples of one distribution. They are
taken as graded: a reply that cannot be read is wrong, and agrees with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from horsesense.measures.accuracy import guessed, judged
from horsesense.measures.agreement import plurality_right
from horsesense.measures.base import Estimate, Floats, Measure, Rows, Unit, of_items, weighted_mean
from horsesense.measures.cells import Cell, Columns
from horsesense.measures.contrast import ORDER, REPEAT, paired
from horsesense.measures.counting import goldless, unread
from horsesense.measures.families import VARIANCE
from horsesense.measures.graded import graded, to_the_letter
from horsesense.measures.joined import ORIGINAL, drawn_orders, joined
from horsesense.stats.components import COLUMNS, Components, item_rows, variances
from horsesense.stats.share import Share
from horsesense.stats.two_way import Ints

SHARES: Final = ("items", "samples")
"""The parts of the variance of a right answer."""


def samples(every: Sequence[Cell]) -> Iterator[Cell]:
    """The answers of each reader to the items as published and to the same prompts again."""
    published = {c.reader: c.trimmed(1) for c in every if c.probe == ORIGINAL and not c.condition}
    for again in every:
        if again.probe == REPEAT and again.reader in published:
            parts = {ORIGINAL: published[again.reader], REPEAT: again}
            yield joined(parts, REPEAT, again.condition)


def all_drawn(marked: Ints, n: Ints, k: int) -> Floats:
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
    title = "All of k samples right (pass^k)"
    as_if = staticmethod(graded)

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

    title = "One of k samples right (pass@k)"


class MajorityAtN(OfSamples):
    """Share of items whose most frequent answer to the same prompt is right, over all its samples;
    of answers that are equally frequent, the share that is right. As graded: a reply without a
    choice agrees with none.
    """

    title = "Most frequent of n samples right (majority@n)"
    as_if = staticmethod(to_the_letter)

    def groups(self, cell: Cell) -> Sequence[str]:
        return [str(cell.status.shape[1])]

    def rows(self, cell: Cell) -> Rows:
        return of_items(plurality_right(cell), judged(cell), unread(cell))


PARTS = ("items", "orders", "draws")


@dataclass(frozen=True, eq=False)
class Draws(Columns):
    """The items as published, and the very same prompts again."""

    original: Cell
    again: Cell


class ScoreVariance(Measure):
    """Variance of right answers between items, between orders of an item, and between draws of the
    answer to one prompt: nested analysis of variance (Searle, Casella and McCulloch 1992), over
    items that have two of each. Without bias, so that it can be negative; the interval is of what a
    variance can be.

    Of the cells of the probe `order`, with the group `Draws` beside them.
    """

    title = "Variance of right answers"
    family = VARIANCE
    counted = "items"
    unit: ClassVar[Unit] = "variance"
    needs: ClassVar[tuple[type[Columns], ...]] = (Draws,)
    of_gold = True
    span = (-1.0, 1.0)
    names: ClassVar[Sequence[str]] = PARTS

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        original = {c.reader: c for c in every if c.probe == ORIGINAL and not c.condition}
        again = {c.reader: c for c in every if c.probe == REPEAT}
        for cell in every:
            if cell.probe == ORDER and cell.reader in original and cell.reader in again:
                joined = cell.having(Draws(original[cell.reader], again[cell.reader]))
                if self.fits(joined):
                    yield joined

    def rows(self, cell: Cell) -> Rows:
        draws = cell[Draws]
        again = [_beside(cell, other) for other in (draws.original, draws.again)]
        return of_answers(cell, right_or_wrong(cell), np.concatenate(again, axis=1))

    def value(self, totals: Floats) -> Floats:
        return variances(totals)


def of_answers(cell: Cell, over_orders: Floats, again: Floats) -> Rows:
    """What each item adds (`item_rows`); one that lacks an answer is left out."""
    rows = item_rows(over_orders, again)
    rows = np.where(unread(cell)[:, None], 0.0, rows).reshape(-1, COLUMNS)
    used = int((rows[:, 0] > 0).sum())
    return Rows(rows, used, int(cell.asked.any(axis=1).sum()) - used)


def right_or_wrong(cell: Cell) -> Floats:
    """1 right, 0 wrong, NaN where that is not known, (items, repetitions)."""
    return np.where(cell.known, cell.correct == 1, np.nan).astype(np.float64)


def _beside(cell: Cell, other: Cell) -> Floats:
    """Right answers of another cell to the items of this one."""
    mine, theirs = paired(cell, other)
    found = np.full((len(cell.item), other.status.shape[1]), np.nan)
    found[mine] = right_or_wrong(other)[theirs]
    return found


class InUse(NamedTuple):
    """How the items of a score over orders were asked.

    Attributes:
        orders: mean number of orders of an item.
        drawn: whether other orders could have been drawn; all shifts of an order are no sample.
        clusters: of items, how many there are.
        effect: by how much clusters multiply the squared error of the score; None where they are
            too few to tell.
    """

    orders: float
    drawn: bool
    clusters: int
    effect: float | None


def in_use(cells: Sequence[Cell], cluster: Ints) -> dict[tuple[str, str], InUse]:
    """(condition, reader) -> how the items were asked, of the probe `order`.

    Args:
        cells: all of a run.
        cluster: of each item of the set.
    """
    return {
        (cell.condition.format(), cell.reader): InUse(
            float(cell.asked.sum(axis=1).mean()),
            drawn_orders(cell.condition),
            *_clustering(ScoreVariance().rows(cell).rows, cluster[cell.item]),
        )
        for cell in ScoreVariance().cells(cells)
        if len(cell.item)
    }


def _clustering(rows: Floats, cluster: Ints) -> tuple[int, float | None]:
    """How many clusters there are, and the design effect that the score's interval rests on."""
    used = rows[:, 0] > 0
    means, _, place = rows[used, 1], *np.unique(cluster[used], return_inverse=True)
    whole = (np.bincount(place, each).astype(np.float64) for each in (means, np.ones(len(means))))
    share = Share.of(*whole)
    alone = Share.of(means, np.ones(len(means)))
    return share.clusters, None if share.reason else alone.effective / share.effective


def designs(
    estimates: Sequence[Estimate], asked: Mapping[tuple[str, str], InUse]
) -> Iterator[dict[str, Any]]:
    """What one more item, order, or draw would buy, for each way in which items were reordered.

    Args:
        estimates: all of a run; those of `score_variance` are used.
        asked: (condition, reader) -> how the items were asked; nothing is said of what is not
            there, nor where clusters are too few.

    Yields:
        condition, reader, the variances, the design in use (items, clusters, orders, draws), its
        standard error, with clusters of items as units (`again`: of the same items asked again, in
        new orders if orders were `drawn`), `shares` of its square, and `more`: what one more of
        each makes of the two, and the prompts it takes; no more orders where none were drawn.
    """
    found: dict[tuple[str, str], dict[str, Estimate]] = {}
    for e in estimates:
        if e.measure == ScoreVariance.name and e.value is not None:
            found.setdefault((e.condition.format(), e.reader), {})[e.group] = e
    for key, parts in found.items():
        used = asked.get(key)
        if set(parts) == set(PARTS) and used is not None and used.effect is not None:
            components = Components(*(parts[name].value or 0.0 for name in PARTS))
            made = _design(components, parts["items"].n, used, used.effect)
            yield {"condition": key[0], "reader": key[1]} | made


def _design(variance: Components, items: int, used: InUse, effect: float) -> dict[str, Any]:
    orders = used.orders
    now = {"items": items, "orders": orders, "draws": 1}
    prompts = {"items": orders, "orders": items, "draws": items * orders}
    components = variance
    if not used.drawn:
        # The mean over all of its orders is the item's own: nothing of it is left to chance.
        components = Components(variance.items + variance.orders / orders, 0.0, variance.draws)
    alone = components.shares(**now)
    clustered = effect * sum(alone) - alone.orders - alone.draws
    components = components._replace(items=items * max(clustered, 0.0))
    shares = components.shares(**now)
    return {
        "variance": variance._asdict(),
        **now,
        "clusters": used.clusters,
        "drawn": used.drawn,
        **_errors(shares),
        "shares": {name: part / (sum(shares) or 1.0) for name, part in shares._asdict().items()},
        "more": {
            name: {
                "prompts": prompts[name],
                **_errors(components.shares(**{**now, name: now[name] + 1})),
            }
            for name in PARTS
            if used.drawn or name != "orders"
        },
    }


def _errors(shares: Components) -> dict[str, float]:
    """Standard error of a score over new items, and over the same items asked again."""
    return {
        "standard_error": sqrt(sum(shares)),
        "again": sqrt(shares.orders + shares.draws),
    }


class SampleVariance(ScoreVariance):
    """Variance of right answers between items and between samples of the answer to one prompt:
    one-way analysis of variance, the nested one of score_variance without orders. As graded.
    """

    title = "Variance of right answers, items and samples"
    needs = ()
    names = SHARES

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        return (graded(cell) for cell in samples(every) if self.fits(cell))

    def rows(self, cell: Cell) -> Rows:
        right = right_or_wrong(cell)
        return of_answers(cell, right, right)

    def value(self, totals: Floats) -> Floats:
        return variances(totals)[..., [0, 2]]

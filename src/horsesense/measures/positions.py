"""Whether the position of an option matters: recalls per position, their spread, preferences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, Rows, grouped, ratio
from horsesense.measures.cells import MISSING, Bools, Cell, People
from horsesense.measures.counting import complete, no_gold, unanswered
from horsesense.measures.families import SHARE, Family, OfPosition, OfSpread
from horsesense.measures.joined import RECORDED_ORDERS, balanced
from horsesense.probes.base import LETTERS
from horsesense.stats.relabelled import even_spread
from horsesense.stats.two_way import Ints

Places = npt.NDArray[np.int16]


def position_names(cell: Cell) -> tuple[str, ...]:
    """Names of the positions, by letters, whatever labels were shown."""
    return LETTERS[: _width(cell)] if _width(cell) <= len(LETTERS) else ()


def _width(cell: Cell) -> int:
    return int(cell.whole.k.max(initial=0))


def too_many_positions(cell: Cell) -> str | None:
    """Recall per position means something for options with places, not for 77 class names."""
    return None if position_names(cell) else "the answers have no positions, or more than 26"


class Recall(Measure):
    """Share of right answers among trials whose right answer stands in the position."""

    layout = "halves"
    title = "Recall per position"

    def undefined_reason(self, cell: Cell) -> str | None:
        return too_many_positions(cell) or no_gold(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return position_names(cell)

    def rows(self, cell: Cell) -> Rows:
        within = cell.gold_at[:, :, None] == np.arange(_width(cell))
        known = cell.read & (cell.gold_at >= 0)
        return grouped(cell.position == cell.gold_at, known, within, unanswered(cell))


class Rstd(Recall):
    """Standard deviation (population form) of the recalls per position, in points (RStD, Zheng et
    al. 2024). Positions without gold are left out. Noise alone makes it positive: the
    row `rstd_null` of estimates.csv says how far.

    A model that refuses everything has 0 here: never to be read without accuracy.
    """

    title = "Spread of recalls"
    unit = "points"
    family = OfSpread(lambda d: (slice(0, d // 2), slice(d // 2, d)))

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("",)

    def undefined_reason(self, cell: Cell) -> str | None:
        positions = np.unique(cell.gold_at[cell.gold_at >= 0])
        one = "the right answer always stands in the same position" if len(positions) == 1 else None
        return super().undefined_reason(cell) or one

    def value(self, totals: Floats) -> Floats:
        return spread(super().value(totals))

    def null(self, cell: Cell, seed: int) -> Floats | None:
        return permuted_rstd(cell, seed)

    def drawn(self, cell: Cell, rows: Rows) -> Floats:
        """Those with the right answer in one position: permuted within items, others may go
        together, but two of these may be draws of one prompt."""
        return np.asarray(rows.rows[:, _width(cell) :].max(axis=1))


def spread(recalls: Floats) -> Floats:
    """Standard deviation of the last axis in points, (..., 1); NaN entries are left out."""
    defined = ~np.isnan(recalls)
    n = defined.sum(axis=-1, keepdims=True)
    mean = ratio(np.where(defined, recalls, 0).sum(axis=-1, keepdims=True), n)
    squares = np.where(defined, recalls - mean, 0) ** 2
    return 100 * np.sqrt(ratio(squares.sum(axis=-1, keepdims=True), n))


def permuted_rstd(cell: Cell, seed: int, draws: int = 200) -> Floats:
    """`rstd` when rightness has nothing to do with the position: (draws,) points.

    Within each item the right answers keep their number but change trials; with one trial per
    item, rightness changes items. The positions of the gold stay where they are.
    """
    rng = np.random.default_rng(seed)
    known = cell.read & (cell.gold_at >= 0)
    hit = (cell.correct == 1) & known
    width = _width(cell)
    asked = np.bincount(cell.gold_at[known], minlength=width)
    if known.shape[1] == 1:
        at = rng.multivariate_hypergeometric(asked, int(hit.sum()), draws)
    else:
        some = hit.any(axis=1) & (known & ~hit).any(axis=1)  # others draw the same each time
        wins = np.arange(known.shape[1]) < hit.sum(axis=1, keepdims=True)
        every = known, wins, cell.gold_at
        parts = [(one := some[of], *(array[of][one] for array in every)) for of, _ in cell.parts()]
        each = ([_shuffled(rng, *part) for part in parts] for _ in range(draws))
        at = np.array([np.bincount(np.concatenate(one), minlength=width) for one in each])
        at += np.bincount(cell.gold_at[hit & ~some[:, None]], minlength=width)
    return Rstd().value(np.column_stack([at, np.broadcast_to(asked, (draws, width))]))[:, 0]


def _shuffled(
    rng: np.random.Generator, some: Bools, known: Bools, wins: Bools, gold_at: Places
) -> Places:
    """Where the gold of the right answers stands once these went to random trials of their item."""
    # Sort each item's known trials into a random order and hand out its hits there.
    order = np.where(known, rng.random((len(some), known.shape[1]))[some], 2.0).argsort(axis=1)
    return np.asarray(np.take_along_axis(gold_at, order, axis=1)[wins])


class PositionPreference(Measure):
    """Share of answers to items with the position that choose it. Where each option visits each
    position equally often, a model that reads the options has the mean of 1/k there.
    """

    layout = "halves"
    whole = True
    title = "Choice per position"

    def undefined_reason(self, cell: Cell) -> str | None:
        return too_many_positions(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return position_names(cell)

    def families(self, cell: Cell) -> Sequence[Family]:
        """Where every position has the same content as often, relabelling them is a null."""
        even = cell.probe == "order" and balanced(cell.condition) and People not in cell
        return [OfPosition(place) if even else SHARE for place in range(_width(cell))]

    def rows(self, cell: Cell) -> Rows:
        """Each item's choices, about what an even spread gives to items like it.

        Items that differ in it are thereby not taken for items that were answered differently; the
        totals stay as they are, and nothing changes where all items have as many options.
        """
        hits, trials, missing = self.counts(cell)
        rows = self.of_counts(cell, hits, trials)
        # Every item has the first position.
        return Rows(rows, int(trials[:, 0].sum()), int(missing[0]), missing=missing.tolist())

    def of_counts(self, cell: Cell, hits: Floats, trials: Floats) -> Floats:
        """The same from such counts as those of `counts`."""
        chance = self.chances(cell)
        about = (even_spread(chance, trials) - chance[:, None]) * trials
        return np.concatenate([hits + _adding_up_to_nothing(about, trials), trials], axis=1)

    def counts(self, cell: Cell) -> tuple[Floats, Floats, Ints]:
        """Choices of each position and answers of items that have it, (items, positions) each, and
        the answers that are missing there, (positions,)."""
        chosen = (cell.valid & (cell.position >= 0))[:, :, None]
        hits = (cell.position[:, :, None] == np.arange(_width(cell))) & chosen
        trials = chosen.sum(axis=1) * self.there(cell)
        missing = (cell.status == MISSING).sum(axis=1) @ self.there(cell)
        return hits.sum(axis=1).astype(np.float64), trials.astype(np.float64), missing

    def there(self, cell: Cell) -> Ints:
        """1 where an item has a position, (items, positions)."""
        return (np.arange(_width(cell)) < cell.k[:, None]).astype(np.intp)

    def chances(self, cell: Cell) -> Floats:
        """What an even spread gives to a position of each item, (items,)."""
        return np.asarray(1.0 / cell.k)

    def baselines(self, cell: Cell) -> Sequence[float | None]:
        """What it gives to each position over the answers that were given to items that have it."""
        return [float(x) for x in even_spread(self.chances(cell), self.counts(cell)[1])]


def _adding_up_to_nothing(about: Floats, trials: Floats) -> Floats:
    """The same to 1e-12, with sums of exactly 0, (items, positions): totals stay whole numbers."""
    whole = np.round(about * 2.0**40)
    first = (trials > 0).argmax(axis=0), np.arange(whole.shape[1])
    whole[first] -= whole.sum(axis=0)
    return np.asarray(whole / 2.0**40)


class PositionLocked(PositionPreference):
    """Share of items with the position for which it was chosen in every trial, whatever it held."""

    title = "Same position in every order"
    counted = "items"

    def families(self, cell: Cell) -> Sequence[Family]:
        return [SHARE] * _width(cell)

    def undefined_reason(self, cell: Cell) -> str | None:
        if cell.probe != "order" or cell.status.shape[1] < 2:
            return "needs several orders of each item"
        return too_many_positions(cell)

    def counts(self, cell: Cell) -> tuple[Floats, Floats, Ints]:
        """Items locked to each position, and items that have it: used ones, and others."""
        used = complete(cell)
        positions = np.arange(_width(cell))
        same = np.where(cell.asked[:, :, None], cell.position[:, :, None] == positions, True)
        locked = same.all(axis=1) & used[:, None]
        if cell.condition.matches(design=RECORDED_ORDERS):
            # Nobody saw to it that another option stands there in every order.
            locked &= (cell.option.max(axis=1) > cell.option.min(axis=1))[:, None]
        there = self.there(cell)
        return locked.astype(np.float64), (used[:, None] * there).astype(np.float64), ~used @ there

    def chances(self, cell: Cell) -> Floats:
        return np.asarray(1.0 / cell.k ** cell.asked.sum(axis=1))

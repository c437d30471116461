"""Items by how far their answers agree: how many there are, and how often they are right.

An answer that holds in every order does not prove knowledge; these rows show what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from horsesense.measures.accuracy import Accuracy
from horsesense.measures.agreement import most_frequent, option_counts
from horsesense.measures.base import Floats, Measure, Rows, grouped, of_items, ratio
from horsesense.measures.cells import Bools, Cell
from horsesense.measures.gold import goldless
from horsesense.measures.parts import of_whole
from horsesense.measures.undefined import complete, no_gold, unread


def agreement(cell: Cell) -> Floats:
    """Plurality agreement of each item, (items,); NaN for items that were not fully answered."""
    shares = ratio(most_frequent(cell) * 1.0, cell.asked.sum(axis=1) * 1.0)
    return np.where(complete(cell), shares, np.nan)


@of_whole
def levels(cell: Cell) -> Floats:
    """The different agreements of items, in hundredths, ascending."""
    found = np.round(agreement(cell), 2)
    return np.unique(found[~np.isnan(found)])


def strata(cell: Cell) -> Bools:
    """Which level an item belongs to, (items, levels)."""
    return np.equal(np.round(agreement(cell), 2)[:, None], levels(cell))


class AgreementShare(Measure):
    """Share of items whose answers agree to the given degree (see plurality_agreement)."""

    name = "agreement_share"
    title = "Items by agreement"
    counted = "items"
    of_repeats = True

    def undefined_reason(self, cell: Cell) -> str | None:
        none = None if complete(cell).any() else "no item was answered in all its trials"
        return super().undefined_reason(cell) or none

    def groups(self, cell: Cell) -> Sequence[str]:
        return [f"{level:.2f}" for level in levels(cell)]

    def rows(self, cell: Cell) -> Rows:
        within = strata(cell)
        return of_items(within, within.any(axis=1), unread(cell))


class StratumAccuracy(AgreementShare):
    """Accuracy, mean over trials, of the items whose answers agree to the given degree."""

    name = "stratum_accuracy"
    layout = "halves"
    title = "Accuracy by agreement"

    def undefined_reason(self, cell: Cell) -> str | None:
        return super().undefined_reason(cell) or no_gold(cell)

    def rows(self, cell: Cell) -> Rows:
        right, known = self.right(cell).T
        within = strata(cell)
        used = within.any(axis=1) & (known > 0)
        found = grouped(right[:, None], used[:, None], within[:, None])
        return found._replace(n_missing=int((unread(cell) & ~goldless(cell)).sum()))

    def right(self, cell: Cell) -> Floats:
        """(items, 2): how right an item is, and whether that is known."""
        return Accuracy().rows(cell).rows


class StratumPlurality(StratumAccuracy):
    """Share of items whose most frequent answer is right, by agreement; where m options are equally
    frequent and one of them is right, the item counts 1/m.
    """

    name = "stratum_plurality_accuracy"
    title = "Accuracy of the most frequent answer, by agreement"

    def right(self, cell: Cell) -> Floats:
        return np.column_stack([plurality_right(cell), cell.known.any(axis=1)]).astype(np.float64)


def plurality_right(cell: Cell) -> Floats:
    """How right the most frequent answer of each item is, (items,): 1/m where m options are as
    frequent and one of them is right; 0 where that is not known."""
    counts = option_counts(cell)
    top = (counts == counts.max(axis=1, keepdims=True)) & cell.read
    # Each of the m tied options stands in `most` trials, so the share of top trials that
    # are right is 1/m if one of the tied contents is, and 0 otherwise.
    hits = (top & (cell.correct == 1)).sum(axis=1)
    shares = hits / np.maximum(top.sum(axis=1), 1)
    return np.where(cell.known.any(axis=1), shares, 0.0)

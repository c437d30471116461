"""What kind of reply came back, and whether two readers of it agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, item_means, ratio
from horsesense.readings import STATUSES
from horsesense.table import NO_CONTENT, Cell
from horsesense.trials import Asks

_EVERY_KIND: frozenset[Asks] = frozenset(get_args(Asks))


class ValidRate(Measure):
    asks = _EVERY_KIND
    name = "valid_rate"
    title = "Valid answers"
    summary = "Share of replies that choose an option."
    proportion = True

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        return Rows(item_means(cell.valid, cell.read), int(cell.read.sum()), cell.n_missing)


class StatusShare(Measure):
    asks = _EVERY_KIND
    name = "status_share"
    title = "Kinds of reply"
    summary = "Share of replies of each status; the shares sum to 1."

    def groups(self, cell: Cell) -> Sequence[str]:
        return STATUSES

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        hits = cell.status[:, :, None] == np.arange(len(STATUSES))
        rows = np.column_stack([hits.sum(axis=1), cell.read.sum(axis=1)]).astype(np.float64)
        return Rows(rows, int(cell.read.sum()), cell.n_missing)

    def value(self, totals: Floats) -> Floats:
        return ratio(totals[..., :-1], totals[..., -1:])


class MismatchRate(Measure):
    """The second cell holds the same trials under another reader."""

    name = "mismatch_rate"
    title = "First token against text"
    summary = (
        "Share of trials whose first-token answer is not what the text says; a text that gives "
        "no answer counts as a mismatch (Look at the Text, section 5.4)."
    )
    compares = "reader"
    proportion = True

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        assert other is not None
        both = cell.read & other.read
        agree = (cell.content == other.content) & (cell.content != NO_CONTENT)
        missing = int((cell.asked & ~both).sum())
        return Rows(item_means(~agree, both), int(both.sum()), missing)


class MismatchValid(MismatchRate):
    name = "mismatch_valid"
    title = "First token against text, valid answers"
    summary = "mismatch_rate over the trials in which both readers found a chosen option."

    def rows(self, cell: Cell, other: Cell | None = None) -> Rows:
        assert other is not None
        both = cell.valid & other.valid
        missing = int((cell.asked & ~(cell.read & other.read)).sum())
        return Rows(item_means(cell.content != other.content, both), int(both.sum()), missing)

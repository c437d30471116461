"""What kind of reply came back, and whether two readers of it agree."""

from __future__ import annotations

import numpy as np

from horsesense.measures.base import Floats, Measure, Rows, of_trials, ratio
from horsesense.measures.cells import NO_OPTION, Bools, Cell
from horsesense.measures.contrast import differences, paired, right
from horsesense.measures.families import DIFFERENCE, OfCounts
from horsesense.measures.joined import EVERY_FORMAT, FIRST_TOKEN, TEXT, AgainstReader
from horsesense.readers.logprobs.option_text import NAME as OPTION_TEXT
from horsesense.readers.reading import STATUSES
from horsesense.stats.smooth import Pseudo

_READ = tuple(status for status in STATUSES if status != "unclear")
"""What is unclear is not read: it is among the missing."""


class ValidRate(Measure):
    """Share of replies that choose an option, mean over items."""

    answer_format = EVERY_FORMAT
    title = "Valid answers"

    def rows(self, cell: Cell) -> Rows:
        return of_trials(cell, cell.valid, cell.read)


@Measure.of("Kinds of reply", answer_format=EVERY_FORMAT, names=_READ)
def status_share(cell: Cell) -> Rows:
    """Share of all replies of each status; the shares sum to 1. Each reply counts once, so that
    items with more forms count more; in valid_rate each item counts once.
    """
    hits = cell.status[:, :, None] == np.arange(len(_READ))
    rows = np.column_stack([hits.sum(axis=1), cell.read.sum(axis=1)]).astype(np.float64)
    return Rows(rows, int(cell.read.sum()), cell.n_missing)


class MismatchRate(AgainstReader):
    """Share of trials whose first-token answer is not what the text says; a text that gives no
    answer counts as a mismatch (Look at the Text, section 5.4).

    Of readers of scores; `cell.other` holds the same trials as their texts say.
    """

    title = "First token against text"
    other_reader = TEXT

    def where(self, cell: Cell) -> bool:
        return cell.by_scores and not cell.held_out

    def rows(self, cell: Cell) -> Rows:
        differ = (cell.option != cell.other.option) | (cell.option == NO_OPTION)
        both = read_by_both(cell)
        return of_trials(cell, differ, both, int((cell.asked & ~both).sum()))


def read_by_both(cell: Cell) -> Bools:
    """Where the cell and its other have a reading."""
    return cell.read & cell.other.read


class MismatchValid(MismatchRate):
    """mismatch_rate over the trials in which both readers found a chosen option."""

    title = "First token against text, valid answers"

    def rows(self, cell: Cell) -> Rows:
        return other_option(cell)


def other_option(cell: Cell) -> Rows:
    """Where two readers that both found an option found different ones."""
    other, missing = cell.other, int((cell.asked & ~read_by_both(cell)).sum())
    return of_trials(cell, cell.option != other.option, cell.valid & other.valid, missing)


@AgainstReader.of(
    "Option text against letter",
    other_reader=FIRST_TOKEN,
    answer_format=frozenset(("letter",)),
    where=lambda cell: cell.reader.partition("(")[0] == OPTION_TEXT,
)
def letter_difference(cell: Cell) -> Rows:
    """Share of trials in which the likeliest option text and the likeliest letter are of different
    options, over the trials in which both choose one.

    The other cell holds the same trials by their letters, as the first token says. The difference
    of the two accuracies is `score_gain`.
    """
    return other_option(cell)


def _agreement_cells(d: int) -> Pseudo:
    """Pairs of positions that pseudo-counts are given to: as much in all as two by two cells get,
    half of them agreeing; columns as in the rows of `MismatchKappa`."""
    k = (d - 2) // 2
    here, there = (side.ravel() for side in np.indices((k, k)))
    same = here == there
    margins = [np.equal(side[:, None], np.arange(k)) for side in (here, there)]
    cells = np.column_stack([same, np.ones(k * k), *margins]).astype(np.float64)
    trials = np.zeros(d)
    trials[1] = 1
    return Pseudo(cells, np.where(same, 2 / k, 2 / max(k * (k - 1), 1)), trials)


class MismatchKappa(MismatchRate):
    """Cohen's kappa of the positions that first token and text choose; a text that gives no answer
    agrees with nothing. 0 is what two readers with these preferences have by chance.

    Rows: agreements, trials, and how often either reader chose each position.
    """

    title = "First token with text, beyond chance"
    unit = "kappa"
    family = OfCounts(pseudo=_agreement_cells)
    span = (-1.0, 1.0)

    def rows(self, cell: Cell) -> Rows:
        both = read_by_both(cell)
        positions = np.arange(int(cell.whole.k.max(initial=1)))
        mine, theirs = (
            (c.position[:, :, None] == positions) & both[:, :, None] for c in (cell, cell.other)
        )
        agree = (mine & theirs).sum(axis=(1, 2))
        columns = [agree, both.sum(axis=1), mine.sum(axis=1), theirs.sum(axis=1)]
        missing = int((cell.asked & ~both).sum())
        return Rows(np.column_stack(columns).astype(np.float64), int(both.sum()), missing)

    def value(self, totals: Floats) -> Floats:
        n = totals[..., 1:2]
        mine, theirs = np.split(totals[..., 2:], 2, axis=-1)
        chance = (ratio(mine, n) * ratio(theirs, n)).sum(axis=-1, keepdims=True)
        return ratio(ratio(totals[..., :1], n) - chance, 1 - chance)


@AgainstReader.of(
    "Accuracy beyond the first token's",
    of_gold=True,
    counted="items",
    other_reader=FIRST_TOKEN,
    answer_format=frozenset(("letter",)),
    family=DIFFERENCE,
)
def score_gain(cell: Cell) -> Rows:
    """Accuracy by this reader minus accuracy by the first token, over the same items.

    `cell.other` holds the same trials as the first token says.
    """
    other = cell.other
    mine, theirs = paired(cell, other)
    rows = np.zeros((len(cell.item), 2))
    rows[mine] = differences((right(cell), mine), (right(other), theirs))
    there = np.zeros(len(cell.item), dtype=np.bool_)
    there[mine] = np.any(cell.asked[mine], axis=1) & np.any(other.asked[theirs], axis=1)
    used = rows[:, 1] > 0
    return Rows(rows, int(used.sum()), int((there & ~used).sum()))

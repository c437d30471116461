"""What is said of each option alone: yes or no, and how surely (specification, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from horsesense.measures.area import Area, Ranks
from horsesense.measures.base import (
    Floats,
    Rows,
    Unit,
    grouped,
    item_means,
    of_items,
    of_trials,
    ratio,
)
from horsesense.measures.cells import Bools, Cell, Scores
from horsesense.measures.families import SHARE, Family, OfCounts, OfQuotient
from horsesense.measures.joined import FIRST_TOKEN, OfProbe, sparing
from horsesense.readers.reading import STATUSES
from horsesense.stats.smooth import Pseudo

_AMBIGUOUS = STATUSES.index("ambiguous")


def accepting_position(cell: Cell) -> int:
    """The position of the reply that accepts the proposed answer: Yes, or No to "is it wrong?"."""
    return 1 if cell.condition.matches(polarity="negative") else 0


def about_gold(cell: Cell) -> Bools:
    """Trials that propose the right option."""
    gold: Bools = np.equal(cell.gold_at, accepting_position(cell)) & cell.asked
    return gold


class TrueFalseConsistency(OfProbe):
    """Share of right options that are accepted (gold), and of wrong ones that are rejected
    (distractors), each proposed alone; a reply that is neither yes nor no counts against.
    """

    name = "true_false_consistency"
    layout = "halves"
    title = "Judgements that fit the answer"
    probe_names = ("true_false",)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("gold", "distractors")

    def rows(self, cell: Cell) -> Rows:
        gold = about_gold(cell)
        within = np.stack([gold, ~gold], axis=2)
        return grouped(cell.correct == 1, cell.read, within, cell.asked & ~cell.read)


def _judgement_cells(d: int) -> Pseudo:
    """Right and wrong judgements of right and of wrong options; columns as in the rows above."""
    cells = np.array([[1.0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 1]])
    return Pseudo(cells, np.ones(4), np.array([0.0, 0, 1, 1]))


class TrueFalseNotWrong(TrueFalseConsistency):
    """The same, where a reply that is neither yes nor no counts as one that fits: share of right
    options that are not rejected (gold), and of wrong ones that are not accepted (distractors).
    """

    name = "true_false_not_wrong"
    title = "Judgements that are not wrong"

    def about(self, cell: Cell) -> Cell:
        return sparing(super().about(cell))


class TrueFalseBalanced(TrueFalseConsistency):
    """Mean of both shares of true_false_consistency; always yes and always no have 0.5."""

    name = "true_false_balanced_accuracy"
    title = "Judgements, balanced"
    family = OfCounts(pseudo=_judgement_cells)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("",)

    def value(self, totals: Floats) -> Floats:
        both: Floats = super().value(totals).mean(axis=-1, keepdims=True)
        return both

    def baseline(self, cell: Cell) -> float | None:
        return 0.5


class TrueFalseAccuracy(OfProbe):
    """Share of right judgements over all proposed options. Its baseline is always no: 0.75 for
    three wrong options to a right one.
    """

    name = "true_false_accuracy"
    title = "Right judgements"
    probe_names = ("true_false",)

    def rows(self, cell: Cell) -> Rows:
        return of_trials(cell, cell.correct == 1, cell.read)

    def chances(self, cell: Cell) -> Floats:
        """Of always no."""
        return item_means(~about_gold(cell), cell.read)[:, 0]


def acceptance(cell: Cell, *, relative: bool = False) -> Floats:
    """Probability that the proposed answer is accepted, (items, options); NaN without scores.

    Over the whole vocabulary, all spellings together; `relative` divides by that of yes and no.
    """
    score = cell[Scores].score
    best = cell[Scores].confidence.astype(np.float64)
    share = np.where(cell.position == accepting_position(cell), best, 1 - best)
    share = np.where(cell.status == _AMBIGUOUS, 0.5, share)
    mass = 1.0 if relative else np.exp(score.astype(np.float64))
    return np.where(cell.read & ~np.isnan(score), share * mass, np.nan)


class ConfidenceRatio(OfProbe):
    """Mean probability of yes as the first token, all spellings, over the whole vocabulary: to the
    right option (gold), to the wrong one with the highest (strongest_distractor), and the ratio of
    the second mean to the first, above 1 where wrong options are the surer ones (REVAS, section
    3.2).

    The ratio is one of means, as all published ratios are; not a mean of ratios.
    """

    name = "option_confidence"
    title = "Probability of yes"
    counted = "items"
    probe_names = ("option_confidence",)
    needs = (Scores,)
    relative = False

    def fits(self, cell: Cell) -> bool:
        return cell.reader == FIRST_TOKEN and super().fits(cell)

    def groups(self, cell: Cell) -> Sequence[str]:
        return ("gold", "strongest_distractor", "ratio")

    def families(self, cell: Cell) -> Sequence[Family]:
        return (SHARE, SHARE, OfQuotient(above=1, below=0, count=2))

    def units(self, cell: Cell) -> Sequence[Unit]:
        return ("fraction", "fraction", "ratio")

    def rows(self, cell: Cell) -> Rows:
        sure = acceptance(cell, relative=self.relative)
        gold = about_gold(cell)
        known = ~np.isnan(sure)
        every = (known == cell.asked).all(axis=1)
        used = every & gold.any(axis=1) & (cell.asked & ~gold).any(axis=1)
        own = np.where(gold & known, sure, 0).sum(axis=1)
        strongest = np.where(known & ~gold, sure, 0).max(axis=1)
        return of_items(np.column_stack([own, strongest]), used, cell.asked.any(axis=1))

    def value(self, totals: Floats) -> Floats:
        means = super().value(totals)
        return np.concatenate([means, ratio(means[..., 1:], means[..., :1])], axis=-1)


class OptionConfidenceRelative(ConfidenceRatio):
    """option_confidence with the probability of yes divided by that of yes and no."""

    name = "option_confidence_relative"
    title = "Probability of yes against no"
    relative = True


class OptionAuroc(Area, OfProbe):
    """Area under the ROC curve of the probability of yes, right options against wrong ones of all
    items: the chance that a right option gets more than a wrong one, ties counting half.
    """

    name = "option_auroc"
    title = "Right options told from wrong ones"
    counted = "items"
    probe_names = ("option_confidence",)
    needs = (Scores,)
    whole = True

    def fits(self, cell: Cell) -> bool:
        return cell.reader == FIRST_TOKEN and super().fits(cell)

    def rows(self, cell: Cell) -> Rows:
        sure, gold = acceptance(cell), about_gold(cell)
        known: Bools = np.isfinite(sure)
        good, bad, used = known & gold, known & ~gold, known.any(axis=1)
        rows = Ranks.of([(sure[good], sure[bad])]).rows(sure, good, bad)
        return Rows(rows, int(used.sum()), int((cell.asked.any(axis=1) & ~used).sum()))

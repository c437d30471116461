"""What is said of each option alone: yes or no, and how surely (specification, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from horsesense.measures.area import Area, Ranks
from horsesense.measures.base import Floats, Rows, grouped, item_means, of_items, of_trials, ratio
from horsesense.measures.cells import Bools, Cell, ChosenSets, Parts, Scores
from horsesense.measures.families import DIFFERENCE, SHARE, Family, OfCounts, OfQuotient
from horsesense.measures.joined import (
    FIRST_TOKEN,
    TEXT,
    OfProbe,
    families,
    joined,
    part_means,
    sparing,
)
from horsesense.probes.earlier import DERIVED
from horsesense.probes.second_look import ARMS
from horsesense.readers.reading import STATUSES
from horsesense.stats.smooth import Pseudo

_AMBIGUOUS = STATUSES.index("ambiguous")


def accepting_position(cell: Cell) -> int:
    """The position of the reply that accepts the proposed answer: Yes, or No to "is it wrong?"."""
    return 1 if cell.condition.matches(polarity="negative") else 0


def about_gold(cell: Cell) -> Bools:
    """Trials that propose the right option."""
    return np.equal(cell.gold_at, accepting_position(cell)) & cell.asked


class TrueFalseConsistency(OfProbe):
    """Share of right options that are accepted (gold), and of wrong ones that are rejected
    (distractors), each proposed alone; a reply that is neither yes nor no counts against.
    """

    layout = "halves"
    title = "Judgements that fit the answer"
    probe_names = ("true_false",)
    names: ClassVar[Sequence[str]] = ("gold", "distractors")

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

    title = "Judgements that are not wrong"
    as_if = staticmethod(sparing)


class TrueFalseBalancedAccuracy(TrueFalseConsistency):
    """Mean of both shares of true_false_consistency; always yes and always no have 0.5."""

    title = "Judgements, balanced"
    family = OfCounts(pseudo=_judgement_cells)
    chance = 0.5
    names = ("",)

    def value(self, totals: Floats) -> Floats:
        return np.asarray(super().value(totals).mean(axis=-1, keepdims=True))


def _wrong_ones(cell: Cell) -> Floats:
    """Of always no."""
    return item_means(~about_gold(cell), cell.read)[:, 0]


@OfProbe.of("Right judgements", probe_names=("true_false",), chances=_wrong_ones)
def true_false_accuracy(cell: Cell) -> Rows:
    """Share of right judgements over all proposed options. Its baseline is always no: 0.75 for
    three wrong options to a right one.
    """
    return of_trials(cell, cell.correct == 1, cell.read)


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
    names = ("gold", "strongest_distractor", "ratio")
    units = ("fraction", "fraction", "ratio")

    def where(self, cell: Cell) -> bool:
        return cell.reader == FIRST_TOKEN

    def families(self, cell: Cell) -> Sequence[Family]:
        return (SHARE, SHARE, OfQuotient(above=1, below=0, count=2))

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

    title = "Probability of yes against no"
    relative = True


class OptionConfidenceDerived(ConfidenceRatio):
    """option_confidence of the items that were answered right in every derived form too, as far as
    such forms were asked: fewer and more options, and "none of the above" (REVAS, section 3.1).
    """

    title = "Probability of yes, items right in every derived form"

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        derived = [c for c in every if c.probe in DERIVED and not c.held_out]
        reader = TEXT if any(c.reader == TEXT for c in derived) else FIRST_TOKEN
        derived = [c for c in derived if c.reader == reader]
        if {c.probe for c in derived} <= {"order"}:
            return
        wrong = [c.item[(c.asked & (c.correct != 1)).any(axis=1)] for c in derived]
        for cell in super().cells(every):
            yield cell.among(np.setdiff1d(cell.item, np.concatenate(wrong)))

    def undefined_reason(self, cell: Cell) -> str | None:
        none = None if cell.item.size else "no item was answered right in every derived form"
        return none or super().undefined_reason(cell)


class OptionAuroc(Area, OfProbe):
    """Area under the ROC curve of the probability of yes, right options against wrong ones of all
    items: the chance that a right option gets more than a wrong one, ties counting half.
    """

    title = "Right options told from wrong ones"
    counted = "items"
    probe_names = ("option_confidence",)
    needs = (Scores,)
    whole = True

    def where(self, cell: Cell) -> bool:
        return cell.reader == FIRST_TOKEN

    def rows(self, cell: Cell) -> Rows:
        sure, gold = acceptance(cell), about_gold(cell)
        known: Bools = np.isfinite(sure)
        good, bad, used = known & gold, known & ~gold, known.any(axis=1)
        rows = Ranks.of([(sure[good], sure[bad])]).rows(sure, good, bad)
        return Rows(rows, int(used.sum()), int((cell.asked.any(axis=1) & ~used).sum()))


class OfSets(OfProbe):
    """Of replies that may name several options."""

    probe_names = ("multi_select",)
    needs = (ChosenSets,)


@OfSets.of("Several options chosen")
def multi_rate(cell: Cell) -> Rows:
    """Share of replies that name two options or more when all correct ones are asked for."""
    return of_trials(cell, cell[ChosenSets].count >= 2, cell.read)


@OfSets.of("The right option alone")
def multi_exact(cell: Cell) -> Rows:
    """Share of replies that name the right option and no other."""
    hits = cell[ChosenSets].holds(cell.gold_at) & (cell[ChosenSets].count == 1)
    return of_trials(cell, hits, cell.read)


@OfSets.of("Share of the right option")
def multi_precision(cell: Cell) -> Rows:
    """1 / (number of options named) where the right one is among them, else 0."""
    share = cell[ChosenSets].holds(cell.gold_at) / np.maximum(cell[ChosenSets].count, 1)
    return of_trials(cell, share, cell.read)


def _named(cell: Cell, position: npt.NDArray[np.int16]) -> Rows:
    """Replies that name a position, of those that name several, and of all."""
    selection = cell[ChosenSets]
    several = np.stack([selection.count >= 2, np.ones_like(cell.read)], axis=2)
    found = grouped(selection.holds(position), cell.read & (position >= 0), several)
    return found._replace(n_missing=cell.n_missing)


@OfSets.of("Right option among those named", layout="halves", names=("multi", "all"))
def recall_gold(cell: Cell) -> Rows:
    """Share of replies that name the right option: of those that name several (multi, as
    published), and of all.
    """
    return _named(cell, cell.gold_at)


@OfSets.of("Misleading option among those named", layout="halves", names=("multi", "all"))
def recall_misleading(cell: Cell) -> Rows:
    """Share of replies that name the option that was wrongly chosen before: of those that name
    several (multi, as published), and of all.
    """
    return _named(cell, cell[ChosenSets].marked)


class RecoveryRate(OfProbe):
    """Share of wrongly answered items that are answered right when the misleading option is
    replaced (REVAS), when another one is (other), and when nothing is (unchanged); and by how much
    the first exceeds each control, over items that have both.

    Without the controls the rate cannot be read: wrong items get better on any second look.
    """

    layout = "halves"
    title = "Right at the second look"
    counted = "items"
    probe_names = ("misleading_replaced",)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """The arms side by side."""
        for shared, arms in families(super().cells(every), "arm"):
            if "misleading" in arms:
                yield joined(arms, "misleading_replaced", shared)

    def _arms(self, cell: Cell) -> list[str]:
        return [arm for arm in ARMS if arm in cell[Parts].names]

    def groups(self, cell: Cell) -> Sequence[str]:
        arms = self._arms(cell)
        return [*arms, *(f"misleading-{arm}" for arm in arms[1:])]

    def families(self, cell: Cell) -> Sequence[Family]:
        arms = self._arms(cell)
        return [*[SHARE] * len(arms), *[DIFFERENCE] * (len(arms) - 1)]

    def rows(self, cell: Cell) -> Rows:
        (first, used), *controls = (
            part_means(cell, cell.correct == 1, arm).T for arm in self._arms(cell)
        )
        differences = [np.where(used * known, first - right, 0.0) for right, known in controls]
        hits = [first, *(right for right, _ in controls), *differences]
        among = [used, *(known for _, known in controls), *(used * known for _, known in controls)]
        n = int(used.sum())
        missing = int(cell.asked.any(axis=1).sum()) - n
        return Rows(np.column_stack([*hits, *among]), n, missing)

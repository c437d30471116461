"""Whether it is noticed that the right answer is missing (Know-No; specification, section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from horsesense.measures.base import Floats, Rows, Unit, grouped, of_items, of_trials, ratio
from horsesense.measures.cells import Bools, Cell, InOtherWords, NearNames, Parts, Scores, Verdicts
from horsesense.measures.counting import unread
from horsesense.measures.families import SHARE, Family, OfCounts
from horsesense.measures.graded import graded
from horsesense.measures.joined import OfProbe, families, joined, part_means, sparing
from horsesense.probes.gold_absent import HINTS
from horsesense.readers.reading import CLASSES
from horsesense.stats import functions
from horsesense.trials.condition import Condition
from horsesense.trials.trial import NONE_OPTION


def together(cell: Cell, hits: Bools, parts: Sequence[str]) -> Rows:
    """The mean of each part of a joined cell, for the items that were read in all of them."""
    means = [part_means(cell, hits, part) for part in parts]
    used: Bools = np.all([rows[:, 1] > 0 for rows in means], axis=0)
    return of_items(np.column_stack([rows[:, 0] for rows in means]), used, unread(cell))


class WithoutGold(OfProbe):
    """Of the prompts of one wording and design, side by side.

    Attributes:
        lenient: whether a reply may say in words of its own that no option is right.
        parts: the prompts without which there is no value; without any, those that there are.
    """

    lenient: ClassVar[bool] = False
    parts: ClassVar[Sequence[str]] = ()
    counted = "items"
    probe_names = ("gold_absent",)

    def where(self, cell: Cell) -> bool:
        return not cell.condition.matches(positions="every")

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        found = families(super().cells(every), "prompt", but=("positions", "wording"))
        for shared, prompts in found:
            if any(hint in prompts for hint in HINTS):
                yield joined(prompts, "gold_absent", shared)

    def undefined_reason(self, cell: Cell) -> str | None:
        missing = [part for part in self.parts if part not in cell[Parts].names]
        return f"nothing was read under {', '.join(missing)}" if missing else None

    def rows(self, cell: Cell) -> Rows:
        hits, own_words = np.equal(cell.correct, 1), cell.get(InOtherWords)
        if own_words is not None and not self.lenient:
            hits &= ~own_words.says
        names = cell[Parts].names
        return together(cell, hits, self.parts or [hint for hint in HINTS if hint in names])


class AccuracyWithoutGold(WithoutGold):
    """Share of replies that notice that no option is right, by prompt and (mean) averaged over the
    prompts, each over its orders first, for items that were asked all of them (Know-No). Where a
    hint offers words for it, or a label, only these count.
    """

    title = "Accuracy without the right answer"

    def groups(self, cell: Cell) -> Sequence[str]:
        hints = [hint for hint in HINTS if hint in cell[Parts].names]
        return [*hints, "mean"] if len(hints) == len(HINTS) else hints

    def split(self, totals: Floats) -> tuple[Floats, Floats]:
        hits, n = totals[..., :-1], totals[..., -1:]
        if hits.shape[-1] == len(HINTS):
            hits = np.concatenate([hits, hits.mean(axis=-1, keepdims=True)], axis=-1)
        return hits, np.broadcast_to(n, hits.shape)


class AccuracyWithoutGoldLenient(AccuracyWithoutGold):
    """The same, where a reply to a hint may say in any words that no option is right, as it may
    without a hint (the twin of accuracy_without_gold).
    """

    title = "Accuracy without the right answer, in any words"
    lenient = True


class AccuracyWithoutGoldAsGraded(AccuracyWithoutGold):
    """accuracy_without_gold with a reply that cannot be read as a wrong one (Know-No)."""

    title = "Accuracy without the right answer, as graded"
    as_if = staticmethod(graded)


class WithoutGoldNotWrong(AccuracyWithoutGoldLenient):
    """The same, where a reply that chooses no option counts as one that notices it: share of
    replies that choose no wrong option.
    """

    title = "Not wrong without the right answer"
    as_if = staticmethod(sparing)


class AccuracyWithoutGoldByName(WithoutGold):
    """Accuracy without the right answer, mean over the prompts, of items with another class name
    near their own (see `items.class_names`), where it is not certain that no name is right, and of
    the others.
    """

    title = "Accuracy without the right answer, by class name"
    needs = (NearNames,)
    layout = "halves"
    parts = HINTS
    names = ("near", "apart")

    def rows(self, cell: Cell) -> Rows:
        found = super().rows(cell)
        mean, used = found.rows[:, :-1].mean(axis=1), found.rows[:, -1] > 0
        near = cell[NearNames].near.any(axis=1)
        within = np.stack([near, ~near], axis=1)
        rows = grouped(mean[:, None], used[:, None], within[:, None]).rows
        return found._replace(rows=rows)


class OmniAccuracy(WithoutGold):
    """Mean of the accuracy with the right answer and the mean accuracy without it over the three
    prompts (Know-No). Its baseline is a model that always says none: 0.5.

    Always saying "none" has 0.5, more than some published models: see `baseline`.
    """

    title = "OmniAccuracy"

    parts = ("with_gold", *HINTS)
    chance = 0.5

    def split(self, totals: Floats) -> tuple[Floats, Floats]:
        hits: Floats = (totals[..., :1] + totals[..., 1:-1].mean(axis=-1, keepdims=True)) / 2
        return hits, totals[..., -1:]


class OmniAccuracyAsGraded(OmniAccuracy):
    """omni_accuracy with a reply that cannot be read as a wrong one (Know-No)."""

    title = "OmniAccuracy as graded"
    as_if = staticmethod(graded)


class OmniAccuracyLenient(OmniAccuracy):
    """OmniAccuracy where a reply to a hint may say in any words that no option is right (the twin
    of omni_accuracy).
    """

    title = "OmniAccuracy, in any words"
    lenient = True


class AccuracyBesideNone(OfProbe):
    """Share of right answers with the options as published (with_gold) and with a none-option in
    place of a wrong one (gold_plus_none), of items that were asked both (Know-No, table 4, which
    compares different items).
    """

    title = "Accuracy with and without a none-option"
    counted = "items"
    probe_names = ("gold_plus_none",)

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        found = {(c.reader, c.condition): c for c in every if c.probe == "gold_absent"}
        for cell in super().cells(every):
            same = cell.condition.without("wording").with_(prompt="with_gold")
            if (cell.reader, same) in found:
                pair = {"with_gold": found[cell.reader, same], "gold_plus_none": cell}
                yield joined(pair, cell.probe, cell.condition)

    def groups(self, cell: Cell) -> Sequence[str]:
        return cell[Parts].names

    def rows(self, cell: Cell) -> Rows:
        return together(cell, cell.correct == 1, cell[Parts].names)


def _spared(cell: Cell) -> bool:
    """Whether the right option stands beside the none-option."""
    return cell.probe == "gold_plus_none" or cell.condition.matches(place="distractor")


@OfProbe.of(
    "None where the right answer is shown",
    probe_names=("gold_plus_none", "none_of_the_above"),
    where=_spared,
    chances=lambda cell: 1 / cell.k,
)
def false_none_rate(cell: Cell) -> Rows:
    """Share of replies that say none although the right option is shown beside it."""
    return of_trials(cell, cell.option == NONE_OPTION, cell.read)


def _d_prime(totals: Floats) -> Floats:
    """d' (..., 1) of counts of hits, misses, false alarms and rejections, none of them 0."""
    hits, misses, alarms, rejections = np.split(totals, 4, axis=-1)
    hit, alarmed = hits / (hits + misses), alarms / (alarms + rejections)
    return np.asarray(functions.ndtri(hit) - functions.ndtri(alarmed))


class GoldDetection(OfProbe):
    """z(share of none where the right answer is missing) - z(share of none where it is shown), each
    share with 1/2 added to its count and 1 to its total; 0 is no detection. The same none-option is
    offered in both.

    Rows: hits, misses, false alarms and rejections.
    """

    title = "Detection of the right answer (d')"
    unit: ClassVar[Unit] = "d_prime"
    family: ClassVar[Family | None] = OfCounts(_d_prime)
    counted = "items"
    probe_names = ("gold_plus_none", "none_of_the_above")
    chance = 0.0

    def cells(self, every: Sequence[Cell]) -> Iterator[Cell]:
        """The same none-option with the right answer missing, and shown, side by side."""
        found = {(cell.probe, cell.condition, cell.reader): cell for cell in every}
        for cell in super().cells(every):
            twin = _absent_twin(cell)
            if twin is not None and (*twin, cell.reader) in found:
                pair = {"absent": found[*twin, cell.reader], "present": cell}
                yield joined(pair, cell.probe, cell.condition)

    def rows(self, cell: Cell) -> Rows:
        found = together(cell, cell.option == NONE_OPTION, ("absent", "present"))
        absent, present, used = found.rows.T
        return found._replace(
            rows=np.column_stack([absent, used - absent, present, used - present])
        )

    def value(self, totals: Floats) -> Floats:
        none = totals.sum(axis=-1, keepdims=True) == 0
        return np.where(none, np.nan, _d_prime(totals + 0.5))


def _absent_twin(cell: Cell) -> tuple[str, Condition] | None:
    """Probe and condition that offer the same none-option with the right answer missing."""
    if cell.probe == "gold_plus_none":
        return "gold_absent", cell.condition.with_(prompt="hint_option", positions="last")
    if cell.condition.matches(place="distractor"):
        return cell.probe, cell.condition.with_(place="kept")
    return None


class GoldDetectionBalanced(GoldDetection):
    """Mean of the share of none where the right answer is missing and the share of other replies
    where it is shown; always none and never none both have 0.5.
    """

    title = "Detection of the right answer"
    unit: ClassVar[Unit] = "fraction"
    family = SHARE
    chance = 0.5

    def split(self, totals: Floats) -> tuple[Floats, Floats]:
        found, missed, alarms, _ = np.split(totals, 4, axis=-1)
        n = found + missed
        return (found + n - alarms) / 2, n

    def value(self, totals: Floats) -> Floats:
        return ratio(*self.split(totals))


@OfProbe.of(
    "Kinds of reply without a hint",
    answer_format=frozenset(("free",)),
    needs=(Verdicts,),
    names=(*CLASSES, "other"),
)
def response_class(cell: Cell) -> Rows:
    """Share of replies of each class (Know-No, figure 4), where the right answer is missing and
    nothing says so; needs_review is what no rule decides, and counts as wrong.

    Refusals, "I do not know" and empty replies are "other": none of the paper's five.
    """
    verdict = np.where(cell.read, cell[Verdicts].verdict, -1)
    hits = verdict[:, :, None] == np.arange(len(CLASSES))
    other = cell.read & ~hits.any(axis=2)
    columns = [hits.sum(axis=1), other.sum(axis=1), cell.read.sum(axis=1)]
    rows = np.column_stack(columns).astype(np.float64)
    return Rows(rows, int(cell.read.sum()), cell.n_missing)


@OfProbe.of("Published spelling of a class name", probe_names=("delimiter",), needs=(Scores,))
def leak_rate(cell: Cell) -> Rows:
    """Share of replies that write a class name with the published sign, although the prompt joins
    its parts by another one (Know-No, question 4).
    """
    score = cell[Scores].score
    known = cell.read & ~np.isnan(score)
    return of_trials(cell, score == 1, known, int((cell.asked & ~known).sum()))

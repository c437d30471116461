"""What training changed: scores before and after, item by item, over trainings that were repeated.

Two questions have two intervals. What these very trainings changed is a mean over items. What such
a training changes is a mean over items and seeds, since another seed gives another model; it is
the answer to "does it help?".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from horsesense.comparison.align import SharedItems, Side, shared_items
from horsesense.comparison.views import LeftOut, ViewScores, views
from horsesense.measures.families import DIFFERENCE, MEAN, SHARE, Crossed, Inference, PairEvidence
from horsesense.measures.registry import MEASURES
from horsesense.probes.registry import parse_probes
from horsesense.stats.two_way import by_cluster
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

BEFORE = "before"
MEASURED = ("accuracy", "accuracy_hard", "plurality_agreement")
"""What is compared; the last two where an item is shown several times."""
CHOICE: Final = "Table 8, choice: in the original order and with none of the above"
JUDGED: Final = "Table 8, True/False: right and wrong options of each item at equal weight"
COLUMNS: Final = (CHOICE, JUDGED)
"""The columns of REVAS's table 8, of trainings in two stages."""
PAIRS: Final = {
    ("negative", "positive"): "",
    ("mixed", "positive"): "wrong answers marked wrong, in place of half of the right ones,",
    ("pos+sft", "sft"): "texts that state right answers, before tuning,",
    ("pos+neg+sft", "sft"): "texts that state right and wrong answers, before tuning,",
    ("pos+neg+sft", "pos+sft"): (
        "texts that call wrong answers incorrect, in place of half of those with right ones,"
    ),
}
"""The paper's questions: arms that are compared with each other, and in words what differs."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """What was scored, in what `view` (in words)."""

    measure: str
    view: str
    reader: str
    probe: str


@dataclass(frozen=True)
class Score(Scored):
    """One arm in one view: a mean over items, of each seed.

    Attributes:
        arm: which; `BEFORE` for the base.
        values: the score of each seed, in the order of the seeds; one value before training.
        n: items.
        chance: the score of guessing; None where that means nothing.
        items_low, items_high: interval over items, of these trainings; None where there is none.
        low, high: interval over items and seeds, of any such training; None likewise.
    """

    arm: str
    values: tuple[float, ...]
    n: int
    chance: float | None = None
    items_low: float | None = None
    items_high: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def value(self) -> float:
        """The mean over the seeds."""
        return sum(self.values) / len(self.values)


@dataclass(frozen=True)
class Effect(Scored):
    """The difference of two arms in one view, item by item.

    Attributes:
        first, second: arms, or `BEFORE`; the value is the first less the second.
        values: the difference of each seed.
        value: their mean, between -1 and 1.
        items_low, items_high: interval over items, of these trainings; None with `items_note`.
        low, high: interval over items and seeds, of any such training; None with `note`.
        n, clusters, seeds: items, independent ones, and trainings of each arm.
        missing: items without a score of some model.
    """

    first: str
    second: str
    values: tuple[float, ...]
    value: float
    items_low: float | None
    items_high: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    seeds: int
    missing: int
    items_note: str = ""
    note: str = ""

    @property
    def shown(self) -> bool:
        """Whether the interval over items and seeds leaves out 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True)
class Training:
    """All scores and effects of an experiment.

    Attributes:
        arms: in the order in which they were named.
        seeds: how many trainings of each.
        level: of the intervals.
        scores, effects: of all views, the main ones first.
        left_out: views that are not compared, and why.
    """

    arms: tuple[str, ...]
    seeds: int
    level: float
    scores: tuple[Score, ...]
    effects: tuple[Effect, ...]
    left_out: tuple[LeftOut, ...]

    def as_json(self) -> dict[str, Any]:
        """Every field by name; an effect also says whether it is shown."""
        return {
            "arms": list(self.arms),
            "seeds": self.seeds,
            "level": self.level,
            "scores": [asdict(score) | {"value": score.value} for score in self.scores],
            "effects": [asdict(effect) | {"shown": effect.shown} for effect in self.effects],
            "left_out": [row._asdict() for row in self.left_out],
        }


def contrasts(arms: Sequence[str], control: str) -> Iterator[tuple[str, str]]:
    """What is compared with what: each arm with the base and the control, and what negatives add.

    >>> list(contrasts(["positive", "mixed"], "shuffled"))
    [('positive', 'before'), ('mixed', 'before'), ('mixed', 'positive')]
    """
    yield from ((arm, BEFORE) for arm in arms)
    if control in arms:
        yield from ((arm, control) for arm in arms if arm != control)
    yield from (pair for pair in PAIRS if set(pair) <= set(arms))


def compare_arms(
    before: Side,
    after: Mapping[str, Sequence[Side]],
    *,
    control: str,
    level: float = 0.95,
    columns: bool = False,
) -> Training:
    """Compare a base with what training made of it.

    Probes that choose their items by earlier answers are left out: their items differ from model
    to model.

    Args:
        before: the run of the base.
        after: arm -> its runs, one a seed, in the same order for each arm.
        control: the arm that all others are compared with, where it is there.
        level: of the intervals.
        columns: whether the columns of table 8 are wanted too.

    Raises UsageError where the runs share no item.
    """
    sides = [before, *(side for runs in after.values() for side in runs)]
    seeds = min(map(len, after.values()))
    place = {arm: 1 + seeds * n for n, arm in enumerate(after)}
    shared = shared_items(sides)
    scores: list[Score] = []
    effects: list[Effect] = []
    left_out: dict[LeftOut, None] = {}
    for measure, found in chain(_columns(sides, shared) if columns else (), _found(sides, shared)):
        if isinstance(found, LeftOut):
            left_out[found] = None
            continue
        each = {arm: found.values[:, p : p + seeds] for arm, p in place.items()}
        each[BEFORE] = np.repeat(found.values[:, :1], seeds, axis=1)
        view = found.view
        cell = before.cells[view.probe, view.condition, view.reader]
        scored = np.isin(cell.item, shared.number[0][found.used])
        chance = MEASURES.get(measure).baseline(cell.of_items(scored))
        scores += [
            _score(measure, found, arm, each[arm], chance, level) for arm in (BEFORE, *after)
        ]
        effects += [
            _effect(measure, found, (one, other), each[one] - each[other], level)
            for one, other in contrasts(list(after), control)
        ]
    there = {score.view for score in scores}
    others = tuple(row for row in left_out if row.label not in there)
    return Training(tuple(after), seeds, level, tuple(scores), tuple(effects), others)


def _columns(sides: Sequence[Side], shared: SharedItems) -> Iterator[tuple[str, ViewScores]]:
    """The columns of table 8, of each reader; and right judgements, each as often as it is asked.

    How many of the paper's True/False questions had Yes for an answer is not known. Here the right
    option and the wrong ones of an item weigh the same, so that always No has one half.
    """
    for reader in sides[0].results.readers:
        named = {name: _views(sides, shared, name, reader) for name in ("accuracy", _JUDGEMENTS)}
        parts = [
            each
            for each in named["accuracy"]
            if each.view.probe == "original"
            or (
                each.view.probe == "none_of_the_above" and each.view.condition.matches(place="kept")
            )
        ]
        if len(parts) == 2:
            values = (parts[0].values + parts[1].values) / 2
            yield "accuracy", replace(parts[0], label=CHOICE, values=values)
        for each in named[_JUDGEMENTS]:
            if not each.view.condition.matches(items="all", polarity="positive"):
                continue
            held = zip(sides, shared.number, strict=True)
            values = np.column_stack([_judged(side, each.view[1:], n) for side, n in held])
            yield "true_false_balanced_accuracy", replace(each, label=JUDGED, values=values)
            yield _JUDGEMENTS, each


_JUDGEMENTS: Final = "true_false_accuracy"


def _views(
    sides: Sequence[Side], shared: SharedItems, measure: str, reader: str
) -> list[ViewScores]:
    found = views(sides, shared, MEASURES.get(measure), "", reader)
    return [each for each in found if isinstance(each, ViewScores) and each.view.reader == reader]


def _judged(side: Side, key: tuple[str, Condition, str], number: npt.NDArray[np.intp]) -> Floats:
    """The mean of right judgements of the right option and of wrong ones, of each shared item."""
    cell = side.cells[key]
    rows = MEASURES.get("true_false_consistency").rows(cell).rows
    with np.errstate(invalid="ignore"):  # an item without a reading has no score
        found = (rows[:, :2] / rows[:, 2:]).mean(axis=1)
    scores = np.full(int(max(cell.item.max(initial=0), number.max())) + 1, np.nan)
    scores[cell.item] = found
    return scores[number]


def _found(
    sides: Sequence[Side], shared: SharedItems
) -> Iterator[tuple[str, ViewScores | LeftOut]]:
    """Scores of every measure and view; of each reader, the reordered options first."""
    first = sides[0]
    signatures = {probe: signature for (probe, _), (signature, _) in first.made.items()}
    chosen = {name for name, spec in signatures.items() if parse_probes([spec])[-1].stage > 1}
    for name in MEASURED:
        measure = MEASURES.get(name)
        for reader in first.results.readers:
            found = list(views(sides, shared, measure, "", reader))
            found.sort(key=lambda s: isinstance(s, LeftOut) or s.view.probe != "order")
            for scores in found:
                if isinstance(scores, LeftOut):
                    if name == MEASURED[0]:
                        yield name, scores
                elif scores.view.reader != reader:
                    continue
                elif scores.view.probe in chosen:
                    yield name, LeftOut(scores.label, "its items depend on the model's answers")
                elif name == MEASURED[0] or scores.view.probe != "original":
                    yield name, scores


def _score(
    measure: str, scores: ViewScores, arm: str, values: Floats, chance: float | None, level: float
) -> Score:
    used = values[scores.used]
    told = used[:, :1] if arm == BEFORE else used
    means = tuple(float(mean) for mean in told.mean(axis=0))
    items, both = intervals(told, scores.cluster[scores.used], level, least=0.0)
    ends = items.low, items.high, both.low, both.high
    return Score(*_named(measure, scores), arm, means, scores.n, chance, *ends)


def _named(measure: str, scores: ViewScores) -> tuple[str, str, str, str]:
    """The fields of `Scored`."""
    return measure, scores.label, scores.view.reader, scores.view.probe


def _effect(
    measure: str, scores: ViewScores, arms: tuple[str, str], values: Floats, level: float
) -> Effect:
    """One contrast from the differences of all shared items, (items, seeds)."""
    used = values[scores.used]
    cluster = scores.cluster[scores.used]
    seeds = used.shape[1]
    items, both = intervals(used, cluster, level)
    return Effect(
        *_named(measure, scores),
        *arms,
        values=tuple(float(mean) for mean in used.mean(axis=0)),
        value=float(used.mean()),
        items_low=items.low,
        items_high=items.high,
        low=both.low,
        high=both.high,
        n=scores.n,
        clusters=len(np.unique(cluster)),
        seeds=seeds,
        missing=scores.n_missing,
        items_note=items.note,
        note=both.note,
    )


def intervals(
    values: Floats, cluster: npt.NDArray[np.intp], level: float, least: float = -1.0
) -> tuple[Inference, Inference]:
    """What can be said of a mean of differences or scores, (items, seeds), from `least` to 1.

    Over items, of these trainings: the paired score test over clusters, or Clopper-Pearson's of a
    score. Over items and seeds, of any such training: Student's, since a pair of seeds is too few
    for the other.
    """
    family = DIFFERENCE if least < 0 else SHARE
    means = values.mean(axis=1, keepdims=True)
    items = family.infer(_evidence(means, cluster, least), level)
    return items, _over_seeds(values, cluster, level, items, least)


def _over_seeds(
    values: Floats, cluster: npt.NDArray[np.intp], level: float, items: Inference, least: float
) -> Inference:
    """Student's interval of a mean whose outcomes share items and trainings.

    It reaches at least as far as the interval over items would with Student's t for the seeds:
    where few outcomes differ, or none, their own variance says too little, and the pseudo-pair of
    the test over items says how little.
    """
    n, seeds = values.shape
    if seeds < 2:
        return Inference(note="no interval: one training says nothing of another")
    if items.low is None or items.high is None:
        return Inference(note=items.note)
    crossed = Crossed(
        np.column_stack([values.ravel(), np.ones(values.size)]),
        np.repeat(cluster, seeds),
        np.tile(np.arange(seeds, dtype=np.intp), n),
    )
    found = MEAN.infer(_evidence(values, cluster, least, crossed), level)
    value, tail = float(values.mean()), (1 + level) / 2
    stretch = float(stdtrit(seeds - 1, tail) / ndtri(tail))
    ends = (value + stretch * (items.low - value), value + stretch * (items.high - value))
    low = min(ends[0], ends[0] if found.low is None else found.low)
    high = max(ends[1], ends[1] if found.high is None else found.high)
    how = found.how or f"Student's t ({plural(seeds, 'training')})"
    return Inference(max(low, least), min(high, 1.0), how)


def _evidence(
    values: Floats, cluster: npt.NDArray[np.intp], least: float, shared: Crossed | None = None
) -> PairEvidence:
    rows = np.column_stack([values.sum(axis=1), np.full(len(values), 1.0)])
    rows[:, 1] = values.shape[1]
    numbers, place = np.unique(cluster, return_inverse=True)
    return PairEvidence(
        rows=by_cluster(rows, place, len(numbers)),
        value=lambda totals: totals[..., 0] / totals[..., 1],
        ratio=lambda totals: (totals[..., 0], totals[..., 1]),
        low=least,
        high=1.0,
        shared=shared,
    )

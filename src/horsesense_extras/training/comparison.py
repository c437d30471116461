"""What training changed: scores before and after, item by item, over trainings that were repeated.

Two questions have two intervals. What these very trainings changed is a mean over items. What such
a training changes is a mean over items and seeds, since another seed gives another model; it is
the answer to "does it help?".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from horsesense.comparison.align import SharedItems, Side, shared_items
from horsesense.comparison.views import LeftOut, ViewScores, views
from horsesense.measures.families import DIFFERENCE, MEAN, Crossed, Inference, PairEvidence
from horsesense.measures.registry import MEASURES
from horsesense.probes.registry import parse_probes
from horsesense.stats.two_way import by_cluster

BEFORE = "before"
MEASURED = ("accuracy", "accuracy_hard", "plurality_agreement")
"""What is compared; the last two where an item is shown several times."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """One arm in one view: a mean over items, of each seed.

    Attributes:
        measure, view, reader, probe: what was scored; `view` in words.
        arm: which; `BEFORE` for the base.
        values: the score of each seed, in the order of the seeds; one value before training.
        n: items.
        chance: the score of guessing; None where that means nothing.
    """

    measure: str
    view: str
    reader: str
    probe: str
    arm: str
    values: tuple[float, ...]
    n: int
    chance: float | None = None

    @property
    def value(self) -> float:
        """The mean over the seeds."""
        return sum(self.values) / len(self.values)


@dataclass(frozen=True)
class Effect:
    """The difference of two arms in one view, item by item.

    Attributes:
        measure, view, reader, probe: what was scored.
        first, second: arms, or `BEFORE`; the value is the first less the second.
        values: the difference of each seed.
        value: their mean, between -1 and 1.
        items_low, items_high: interval over items, of these trainings; None with `items_note`.
        low, high: interval over items and seeds, of any such training; None with `note`.
        n, clusters, seeds: items, independent ones, and trainings of each arm.
        missing: items without a score of some model.
    """

    measure: str
    view: str
    reader: str
    probe: str
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
    if "positive" in arms:
        yield from ((arm, "positive") for arm in arms if arm in ("mixed", "negative"))


def compare_arms(
    before: Side,
    after: Mapping[str, Sequence[Side]],
    *,
    control: str,
    level: float = 0.95,
) -> Training:
    """Compare a base with what training made of it.

    Probes that choose their items by earlier answers are left out: their items differ from model
    to model.

    Args:
        before: the run of the base.
        after: arm -> its runs, one a seed, in the same order for each arm.
        control: the arm that all others are compared with, where it is there.
        level: of the intervals.

    Raises UsageError where the runs share no item.
    """
    sides = [before, *(side for runs in after.values() for side in runs)]
    seeds = min(map(len, after.values()))
    place = {arm: 1 + seeds * n for n, arm in enumerate(after)}
    shared = shared_items(sides)
    scores: list[Score] = []
    effects: list[Effect] = []
    left_out: dict[LeftOut, None] = {}
    for measure, found in _found(sides, shared):
        if isinstance(found, LeftOut):
            left_out[found] = None
            continue
        each = {arm: found.values[:, p : p + seeds] for arm, p in place.items()}
        each[BEFORE] = np.repeat(found.values[:, :1], seeds, axis=1)
        view = found.view
        cell = before.cells[view.probe, view.condition, view.reader]
        scored = np.isin(cell.item, shared.number[0][found.used])
        chance = MEASURES.get(measure).baseline(cell.of_items(scored))
        scores += [_score(measure, found, arm, each[arm], chance) for arm in (BEFORE, *after)]
        effects += [
            _effect(measure, found, (one, other), each[one] - each[other], level)
            for one, other in contrasts(list(after), control)
        ]
    return Training(tuple(after), seeds, level, tuple(scores), tuple(effects), tuple(left_out))


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
    measure: str, scores: ViewScores, arm: str, values: Floats, chance: float | None
) -> Score:
    used = values[scores.used]
    told = used[:, :1] if arm == BEFORE else used
    means = tuple(float(mean) for mean in told.mean(axis=0))
    view = scores.view
    return Score(measure, scores.label, view.reader, view.probe, arm, means, scores.n, chance)


def _effect(
    measure: str, scores: ViewScores, arms: tuple[str, str], values: Floats, level: float
) -> Effect:
    """One contrast from the differences of all shared items, (items, seeds)."""
    used = values[scores.used]
    cluster = scores.cluster[scores.used]
    seeds = used.shape[1]
    items, both = intervals(used, cluster, level)
    return Effect(
        measure,
        scores.label,
        scores.view.reader,
        scores.view.probe,
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
    differences: Floats, cluster: npt.NDArray[np.intp], level: float
) -> tuple[Inference, Inference]:
    """What can be said of a mean of differences, (items, seeds), each between -1 and 1.

    Over items, of these trainings: the paired score test over clusters. Over items and seeds, of
    any such training: Student's, since a pair of seeds is too few for the other.
    """
    items = DIFFERENCE.infer(_evidence(differences.mean(axis=1, keepdims=True), cluster), level)
    return items, _over_seeds(differences, cluster, level, items)


def _over_seeds(
    differences: Floats, cluster: npt.NDArray[np.intp], level: float, items: Inference
) -> Inference:
    """Student's interval of a mean whose outcomes share items and trainings.

    It reaches at least as far as the interval over items would with Student's t for the seeds:
    where few outcomes differ, or none, their own variance says too little, and the pseudo-pair of
    the test over items says how little.
    """
    n, seeds = differences.shape
    if seeds < 2:
        return Inference(note="no interval: one training says nothing of another")
    if items.low is None or items.high is None:
        return Inference(note=items.note)
    crossed = Crossed(
        np.column_stack([differences.ravel(), np.ones(differences.size)]),
        np.repeat(cluster, seeds),
        np.tile(np.arange(seeds, dtype=np.intp), n),
    )
    found = MEAN.infer(_evidence(differences, cluster, crossed), level)
    value, tail = float(differences.mean()), (1 + level) / 2
    stretch = float(stdtrit(seeds - 1, tail) / ndtri(tail))
    ends = (
        value + stretch * (items.low - value),
        value + stretch * (items.high - value),
    )
    low = min(ends[0], ends[0] if found.low is None else found.low)
    high = max(ends[1], ends[1] if found.high is None else found.high)
    how = found.how or f"Student's t ({seeds} trainings)"
    return Inference(max(low, -1.0), min(high, 1.0), how)


def _evidence(
    differences: Floats, cluster: npt.NDArray[np.intp], shared: Crossed | None = None
) -> PairEvidence:
    rows = np.column_stack([differences.sum(axis=1), np.full(len(differences), 1.0)])
    rows[:, 1] = differences.shape[1]
    numbers, place = np.unique(cluster, return_inverse=True)
    return PairEvidence(
        rows=by_cluster(rows, place, len(numbers)),
        value=lambda totals: totals[..., 0] / totals[..., 1],
        ratio=lambda totals: (totals[..., 0], totals[..., 1]),
        low=-1.0,
        high=1.0,
        shared=shared,
    )

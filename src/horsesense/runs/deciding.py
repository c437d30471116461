"""What decides when asking may stop: whose readings, and the value of each item under a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.findings.early import BANDED
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.agreement import PluralityAgreement
from horsesense.measures.base import Measure, weighted_mean
from horsesense.measures.cells import MISSING, STATUS_CODE, Cell, Other
from horsesense.measures.composition import CompositionQuestionless, ScoreComposition
from horsesense.measures.contrast import AccuracyChange, Again, SwitchBeyondRepeat, ValidChange
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.positions import PositionLocked, PositionPreference
from horsesense.measures.validity import MismatchValid, ValidRate
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.runs.prepare import Study
from horsesense.stats.ratio_bets import Ratio
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
Key = tuple[str, Condition]
"""Probe and condition."""
Place = tuple[str, Condition, str]
"""Probe, condition and reader."""
Ends = tuple[float, float]
"""The lowest and the highest that a value can be: not the same where an answer is missing."""

CHANGE, SCORE, COMPOSITION = AccuracyChange(), Accuracy(), ScoreComposition()
_SUPPOSABLE = (SCORE, ValidRate(), ValidChange())
"""Measures of being right, or of choosing: a missing answer was so or was not."""
BOUNDED: Mapping[str, Measure] = dict(
    zip(
        BANDED,
        (
            *_SUPPOSABLE,
            SwitchBeyondRepeat(),
            PositionPreference(),
            PositionLocked(),
            PluralityAgreement(),
            MismatchValid(),
        ),
        strict=True,
    )
)
"""Ratios of what each item adds, within known bounds: they have a band at every look."""
COMPOSED = (COMPOSITION, CompositionQuestionless())
"""What a score is made of."""
TOLD: Mapping[str, Measure] = {m.name: m for m in (*BOUNDED.values(), *COMPOSED)}
"""The same, and others that nobody is accused by."""


def deciding_reader(study: Study) -> Reader:
    """The reader whose readings decide: settled before the first answer.

    What a reply says, where there are replies; else the first reader that needs neither a fit nor
    a model of its own. UsageError where there is none.
    """
    replies = study.capabilities.text and study.settings.max_tokens > 0
    plain = [r for r in study.readers() if not isinstance(r, FittedReader | BulkReader)]
    ranked = sorted(plain, key=lambda reader: (reader.name == "text") is not replies)
    if not ranked:
        raise UsageError(
            "--until needs a reader that decides as answers come.",
            hint="Add text or first_token to --readers.",
        )
    return ranked[0]


def differences(cells: Sequence[Cell], measure: Measure) -> dict[Key, dict[int, Ends]]:
    """Item number -> ends of the value of its rows, by probe and condition.

    A missing answer may have been right or wrong, each of several orders on its own.

    `measure` has rows of one value per item and 1 where it enters (as `AccuracyChange`).
    """
    found: dict[Key, dict[int, Ends]] = {}
    for cell in measure.cells(cells):
        if measure.undefined_reason(cell) is None:
            there = cell.asked.any(axis=1)
            values, defined = _supposed(cell, measure)
            ends = np.where(defined, values, np.array([[-1.0], [1.0]]))[:, there].T
            pairs = zip(cell.item[there].tolist(), map(tuple, ends.tolist()), strict=True)
            found[cell.probe, cell.condition] = dict(pairs)
    return found


def _supposed(cell: Cell, measure: Measure) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The lowest and the highest value of each item, and whether there is one, (2, items) each."""
    rows = [measure.rows(_supposing(cell, right)).rows for right in (False, True)]
    return np.stack([r[:, 0] for r in rows]), np.stack([r[:, 1] > 0 for r in rows])


def _supposing(cell: Cell, right: bool) -> Cell:
    """The cell as if its missing answers were right, or wrong, and those beside it were not.

    Of an item without a right answer among others that show one, it is neither.
    """
    lost, status = cell.status == MISSING, STATUS_CODE["answer" if right else "empty"]
    shows = (cell.gold_at >= 0).any(axis=1, keepdims=True)
    judged = lost & (shows | ~shows.any())
    supposed = replace(
        cell,
        status=np.where(lost, status, cell.status).astype(cell.status.dtype),
        correct=np.where(judged, right, cell.correct).astype(cell.correct.dtype),
    )
    return supposed.against(_supposing(cell.other, not right)) if Other in cell else supposed


@dataclass(frozen=True)
class Added:
    """What the items of a cell add to a measure.

    Attributes:
        item: their numbers, (items,).
        groups: name of each group of the measure -> what they add to it, and its null.
        asked: name of each group -> how many items were asked about it, whatever came back.
    """

    item: npt.NDArray[np.int64]
    groups: Mapping[str, tuple[Ratio, float | None]]
    asked: Mapping[str, int]


def added(cells: Sequence[Cell], measure: Measure) -> dict[Place, Added]:
    """What each item adds to a bounded measure, by probe, condition and reader."""
    found: dict[Place, Added] = {}
    for cell in measure.cells(cells):
        if measure.undefined_reason(cell) is None:
            ratios = _ratios(cell, measure)
            parts = zip(ratios, _nulls(cell, measure, ratios), strict=True)
            names = measure.groups(cell)
            groups = dict(zip(names, parts, strict=True))
            asked = dict(zip(names, _asked(cell, measure, ratios), strict=True))
            found[cell.probe, cell.condition, cell.reader] = Added(cell.item, groups, asked)
    return found


def _asked(cell: Cell, measure: Measure, ratios: Sequence[Ratio]) -> list[int]:
    """Of how many items each group was asked; of a measure of right answers, where one is known.

    A reply that chooses no option has no place in a preference, but its item was asked.
    """
    if measure in _SUPPOSABLE or measure in COMPOSED:
        return [int((ratio.weight > 0).sum()) for ratio in ratios]
    asked = cell.asked.any(axis=1)
    if isinstance(measure, PositionPreference):
        return [int((asked & (place < cell.k)).sum()) for place in range(len(ratios))]
    return [int(asked.sum())] * len(ratios)


def _nulls(cell: Cell, measure: Measure, ratios: Sequence[Ratio]) -> Sequence[float | None]:
    """What guessing gives to each group: to the items that bets are on, those of lost answers too.

    Values about an item's own null (`PositionPreference`) have theirs taken out already.
    """
    chances = measure.chances(cell)
    if chances is None:
        return measure.baselines(cell)
    return [weighted_mean(chances, ratio.weight) for ratio in ratios]


def _ratios(cell: Cell, measure: Measure) -> list[Ratio]:
    """One for each group; a missing answer counts as the worst for each bet."""
    least = -1.0 if measure.family is DIFFERENCE else 0.0
    if measure in _SUPPOSABLE:
        (low, high), defined = _supposed(cell, measure)
        there = np.where(defined.all(axis=0) & cell.asked.any(axis=1), 1.0, 0.0)
        return [Ratio(low * there, high * there, there, least=least)]
    lost, kept = _lost(cell, measure)
    top, bottom = measure.split(measure.rows(cell).rows * kept[:, None])
    largest = 1.0 if measure.counted == "items" else float(cell.asked.sum(axis=1).max(initial=1))
    ratios = []
    for group, lean in enumerate(_leaning(cell, measure)):
        away = lost
        if isinstance(measure, PositionPreference):
            away = lost * (group < cell.k)
        low, high = (top[:, group] + end * away for end in (least - lean, 1 + lean))
        ratios.append(Ratio(low, high, bottom[:, group] + away, largest, least, lean))
    return ratios


def _lost(cell: Cell, measure: Measure) -> tuple[Floats, Floats]:
    """How much of each item is lost, and whether what is left of it counts, (items,) each.

    Of a measure that counts items, or compares cells, a lost answer loses the item, in whichever
    cell it belongs to.
    """
    if measure.counted != "items" and Other not in cell:
        return (cell.status == MISSING).sum(axis=1, dtype=np.float64), np.ones(len(cell.item))
    beside = [cell.other] if Other in cell else []
    beside += [cell[Again].cell] if Again in cell else []
    unread = [c.item[(c.status == MISSING).any(axis=1)] for c in (cell, *beside)]
    lost = np.isin(cell.item, np.concatenate(unread)).astype(np.float64)
    return lost, 1 - lost


def _leaning(cell: Cell, measure: Measure) -> list[float]:
    """How far a value about its item's own null lies beyond what values can be, by group."""
    if not isinstance(measure, PositionPreference):
        return [0.0] * len(measure.groups(cell))
    chance = measure.chance(cell)
    return [
        0.0 if null is None else float(np.abs(chance - null).max(initial=0.0))
        for null in measure.baselines(cell)
    ]

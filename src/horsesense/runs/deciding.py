"""What decides when asking may stop: whose readings, and the value of each item under a probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.findings.early import BANDED
from horsesense.findings.guesses import BEYOND_ORDERS
from horsesense.measures import lost
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.agreement import PluralityAgreement
from horsesense.measures.base import Measure, weighted_mean
from horsesense.measures.cells import Cell
from horsesense.measures.composition import CompositionQuestionless, ScoreComposition
from horsesense.measures.contrast import AccuracyChange, AnswerSwitchBeyondRepeat, ValidChange
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

CHANGE, SCORE, COMPOSITION = AccuracyChange(), Accuracy(), ScoreComposition()
_BY_ITEM = (SCORE, CHANGE, ValidRate(), ValidChange())
"""Of these an item weighs something only if it has the answer that they are about."""
BOUNDED: Mapping[str, Measure] = dict(
    zip(
        BANDED,
        (
            *_BY_ITEM,
            AnswerSwitchBeyondRepeat(),
            BEYOND_ORDERS,
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
            hint="Add text to --readers."
            if study.settings.max_tokens
            else "Give more --max-tokens, or --readers option_text.",
        )
    return ranked[0]


def _ends(cell: Cell, measure: Measure) -> list[lost.Ends]:
    """Rows as low and as high as missing replies can make them, one pair for each group."""
    groups = range(len(measure.groups(cell)))
    if not lost.lacks(cell):
        rows = measure.rows(cell)
        return [lost.Ends(rows, rows) for _ in groups]
    return [ends for place in groups if (ends := lost.ends(measure, cell, place)) is not None]


class Added(NamedTuple):
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
            chances, parts = measure.chances(cell), []
            for place, ends in enumerate(_ends(cell, measure)):
                ratio = _ratio(cell, measure, ends, place)
                null = None if chances is None else weighted_mean(chances, ratio.weight)
                parts.append((_leaning(ratio, measure, chances, null), null))
            names = measure.groups(cell)
            asked = _asked(cell, measure, [ratio for ratio, _ in parts])
            found[cell.probe, cell.condition, cell.reader] = Added(
                cell.item,
                dict(zip(names, parts, strict=True)),
                dict(zip(names, asked, strict=True)),
            )
    return found


def _asked(cell: Cell, measure: Measure, ratios: Sequence[Ratio]) -> list[int]:
    """Of how many items each group was asked; of a measure of right answers, where one is known.

    A reply that chooses no option has no place in a preference, but its item was asked.
    """
    if measure in (*_BY_ITEM, *COMPOSED):
        return [int((ratio.weight > 0).sum()) for ratio in ratios]
    asked = cell.asked.any(axis=1)
    if isinstance(measure, PositionPreference):
        return [int((asked & (place < cell.k)).sum()) for place in range(len(ratios))]
    return [int(asked.sum())] * len(ratios)


def _ratio(cell: Cell, measure: Measure, ends: lost.Ends, place: int) -> Ratio:
    """A missing answer counts as the worst for each bet."""
    (low, weight), (high, _) = (measure.split(end.rows) for end in ends)
    by_trial = measure.counted == "trials" and isinstance(measure, PositionPreference)
    largest = float(cell.asked.sum(axis=1).max(initial=1)) if by_trial else 1.0
    least = -1.0 if measure.family is DIFFERENCE else 0.0
    return Ratio(low[:, place], high[:, place], weight[:, place], largest, least)


def _leaning(ratio: Ratio, measure: Measure, chances: Floats | None, null: float | None) -> Ratio:
    """The same, knowing how far a value about its item's own null lies beyond what values can be.

    Only values of positions are (`PositionPreference`).
    """
    if chances is None or null is None or not isinstance(measure, PositionPreference):
        return ratio
    return ratio._replace(lean=float(np.abs(chances - null).max(initial=0.0)))

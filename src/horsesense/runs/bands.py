"""Bands of a study that could stop early over items like those asked, at one look.

They rest on what each item adds to a measure: of a ratio of what items add, within known bounds,
there is a band at every look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.findings.early import BANDED
from horsesense.items.item import ItemSet
from horsesense.measures import lost
from horsesense.measures.base import Measure, weighted_mean
from horsesense.measures.cells import Cell
from horsesense.measures.families import DIFFERENCE
from horsesense.measures.positions import PositionPreference
from horsesense.measures.registry import MEASURES
from horsesense.stats.ratio_bets import Ratio, in_random_order
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
Key = tuple[str, Condition]
"""Probe and condition."""
Place = tuple[str, Condition, str]
"""Probe, condition and reader."""
SIZE = 0.05
"""Only how bold the bets are."""

CHANGE, SCORE = MEASURES.get("accuracy_change"), MEASURES.get("accuracy")
_BY_ITEM = (SCORE, CHANGE, MEASURES.get("valid_rate"), MEASURES.get("valid_change"))
"""Of these an item weighs something only if it has the answer that they are about."""
BOUNDED: Mapping[str, Measure] = {name: MEASURES.get(name) for name in BANDED}
COMPOSED = (MEASURES.get("score_composition"), MEASURES.get("composition_questionless"))
"""What a score is made of."""
TOLD: Mapping[str, Measure] = {**BOUNDED, **{m.name: m for m in COMPOSED}}
"""The same, and others that nobody is accused by."""


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
                leans = isinstance(measure, PositionPreference)
                if leans and chances is not None and null is not None:
                    # A value about its item's own null may lie so far beyond what values can be.
                    ratio = ratio._replace(lean=float(np.abs(chances - null).max(initial=0.0)))
                parts.append((ratio, null))
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


def clusters(items: ItemSet) -> npt.NDArray[np.intp]:
    """Cluster number of each item; an item without a cluster is one of its own."""
    if all(item.cluster is None for item in items):
        return np.arange(len(items))
    names = [("c", i.cluster) if i.cluster is not None else ("i", i.id) for i in items]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def _together(parts: Sequence[tuple[Ratio, float | None]]) -> tuple[Ratio, float | None]:
    """What the items of several cells add to a number, about one null: the mean of theirs."""
    if len(parts) == 1:
        return parts[0]
    ratios, weight = [ratio for ratio, _ in parts], np.concatenate([r.weight for r, _ in parts])
    nulls = [null or 0.0 for _, null in parts]
    whole = sum(null * float(r.weight.sum()) for r, null in zip(ratios, nulls, strict=True))
    mean = whole / (float(weight.sum()) or 1.0)
    moved = [(mean - null) * r.weight for r, null in zip(ratios, nulls, strict=True)]
    together = Ratio(
        np.concatenate([r.low + by for r, by in zip(ratios, moved, strict=True)]),
        np.concatenate([r.high + by for r, by in zip(ratios, moved, strict=True)]),
        weight,
        max(r.largest for r in ratios),
        ratios[0].least,
        max(r.lean + abs(mean - null) for r, null in zip(ratios, nulls, strict=True)),
    )
    return together, None if parts[0][1] is None else mean


class Seen(NamedTuple):
    """What was seen of a number.

    Attributes:
        items: numbers of the items that have a place in it, in the random order.
        ratio: what they add to it.
        asked: how many were asked, whatever came back.
        null: what guessing gives to them; None where that is not known.
    """

    items: npt.NDArray[np.int64]
    ratio: Ratio
    asked: int = 0
    null: float | None = None


@dataclass(frozen=True)
class Bands:
    """What the answers so far leave possible of every bounded measure, by betting.

    A band is about as many items as there could be, not about these alone. Single items come one by
    one, so that it holds at every look. More of a cluster comes between two looks: where items have
    clusters, these are the units, and an error is shared out over all looks.

    Attributes:
        cells: of readers that no answer was needed to fit.
        batch: items between two looks.
        cluster: number of each item's cluster; None where each item is one of its own.
    """

    items: ItemSet
    cells: Sequence[Cell]
    seed: int
    batch: int
    cluster: npt.NDArray[np.intp] | None = None
    _kept: dict[str, dict[Place, list[Added]]] = field(default_factory=dict)

    @cached_property
    def ranks(self) -> npt.NDArray[np.intp]:
        """Place of each item in the random order."""
        number = {item.id: place for place, item in enumerate(self.items)}
        ranks = np.empty(len(number), dtype=np.intp)
        for rank, name in enumerate(in_random_order(list(number), self.seed)):
            ranks[number[name]] = rank
        return ranks

    @cached_property
    def _clusters(self) -> npt.NDArray[np.intp] | None:
        """Place of each item's cluster in an order that is random; None for items alone."""
        if self.cluster is None or len(np.unique(self.cluster)) == len(self.items):
            return None
        numbers = in_random_order([str(n) for n in np.unique(self.cluster)], self.seed)
        rank = {int(number): place for place, number in enumerate(numbers)}
        return np.array([rank[int(number)] for number in self.cluster], dtype=np.intp)

    def take(self, cells: Sequence[Cell], measure: str) -> None:
        """Take note of what the items of further cells add to a measure."""
        kept = self._kept.setdefault(measure, {})
        for place, values in added(cells, TOLD[measure]).items():
            kept.setdefault(place, []).append(values)

    def places(self, measure: str) -> Iterator[tuple[Place, str]]:
        """By whom and where a measure was taken, and the groups of each."""
        for place, parts in self._kept.get(measure, {}).items():
            for group in dict.fromkeys(group for each in parts for group in each.groups):
                yield place, group

    def seen(self, measure: str, place: Place, group: str = "") -> Seen | None:
        """What the items that have a place in a number added to it; None where none has."""
        if measure in TOLD and measure not in self._kept:
            self.take(self.cells, measure)
        every = self._kept.get(measure, {}).get(place, ())
        if not (parts := [each for each in every if group in each.groups]):
            return None
        ratio, null = _together([each.groups[group] for each in parts])
        items = np.concatenate([each.item for each in parts])
        order = np.argsort(self.ranks[items], kind="stable")
        order = order[ratio.weight[order] > 0]
        asked = sum(each.asked[group] for each in parts)
        return Seen(items[order], ratio.of(order), asked, null) if len(order) else None

    def band(self, seen: Seen, alpha: float) -> tuple[float, float]:
        """Its band, with an error of `alpha` on either side."""
        ratio, alpha = self._bets(seen, alpha)
        return ratio.band(SIZE, alpha)

    def lies(self, seen: Seen, low: float, high: float, alpha: float) -> bool:
        """Whether the band lies between two bounds, of which either may be infinite."""
        ratio, alpha = self._bets(seen, alpha)
        return ratio.within(low, high, SIZE, alpha)

    def _bets(self, seen: Seen, alpha: float) -> tuple[Ratio, float]:
        """What is bet on, and the error of each side at this look."""
        if self._clusters is None:
            return seen.ratio, alpha
        looks = -(-len(self.items) // self.batch)
        return seen.ratio.of_clusters(self._clusters[seen.items]), alpha / looks

"""Bands of a study that could stop early over items like those asked, at one look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.items.item import ItemSet
from horsesense.measures.cells import Cell
from horsesense.runs.deciding import TOLD, Added, Place, added
from horsesense.stats.ratio_bets import Ratio, in_random_order

SIZE = 0.05
"""Only how bold the bets are."""


def clusters(items: ItemSet) -> npt.NDArray[np.intp]:
    """Cluster number of each item; an item without a cluster is one of its own."""
    if all(item.cluster is None for item in items):
        return np.arange(len(items))
    names = [("c", i.cluster) if i.cluster is not None else ("i", i.id) for i in items]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


class Seen(NamedTuple):
    """Numbers of the items that have a place in a number, in the random order, and their parts;
    and how many were asked, whatever came back."""

    items: npt.NDArray[np.int64]
    ratio: Ratio
    asked: int = 0


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
    _kept: dict[str, dict[Place, Added]] = field(default_factory=dict)

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

    def added(self, measure: str) -> dict[Place, Added]:
        """What each item added to a measure, by probe, condition and reader."""
        if measure not in self._kept:
            self._kept[measure] = added(self.cells, TOLD[measure])
        return self._kept[measure]

    def seen(self, measure: str, place: Place, group: str = "") -> Seen | None:
        """What the items that have a place in a number added to it; None where none has."""
        values = self.added(measure).get(place) if measure in TOLD else None
        if values is None or group not in values.groups:
            return None
        ratio, _ = values.groups[group]
        order = np.argsort(self.ranks[values.item], kind="stable")
        order = order[ratio.weight[order] > 0]
        found = Seen(values.item[order], ratio.of(order), values.asked[group])
        return found if len(order) else None

    def null(self, measure: str, place: Place, group: str = "") -> float | None:
        """What guessing gives to the items that have a place in a number."""
        return self.added(measure)[place].groups[group][1]

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

"""Areas under ROC curves: the chance that one of the good has more than one of the bad."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Floats, Measure, ratio
from horsesense.measures.cells import Bools
from horsesense.measures.families import AREA, Family

Values = npt.NDArray[Any]


class Area(Measure):
    """Rows carry the placements of both samples, so that their ratio of totals is the first-order
    expansion of the area: exact on the full sample, and its resamples have the right spread."""

    family: ClassVar[Family | None] = AREA
    chance = 0.5

    def value(self, totals: Floats) -> Floats:
        good, bad, area = (
            ratio(totals[..., i : i + 1], totals[..., i + 1 : i + 2]) for i in (0, 2, 4)
        )
        return np.clip(good + bad - area, 0.0, 1.0)


class Ranks(NamedTuple):
    """Values of the good and of the bad, ascending, and the area that they make."""

    good: Values
    bad: Values
    area: float

    @classmethod
    def of(cls, parts: Iterable[tuple[Values, Values]]) -> Self:
        """From the values of some good and some bad ones, part by part."""
        good_parts, bad_parts = zip(*parts, strict=True)
        good, bad = (np.sort(np.concatenate(some)) for some in (good_parts, bad_parts))
        above = np.concatenate([placements(some, bad) for some in good_parts])
        return cls(good, bad, float(above.mean()) if len(good) and len(bad) else np.nan)

    def rows(self, values: Values, good: Bools, bad: Bools) -> Floats:
        """(items, 6): placements of good and of bad trials and their numbers, and the area for the
        items that have some."""
        used = np.asarray((good | bad).any(axis=1))
        above: Floats = np.zeros(good.shape)
        above[good] = placements(values[good], self.bad)
        above[bad] = 1 - placements(values[bad], self.good)
        columns = [
            (above * good).sum(axis=1), good.sum(axis=1),
            (above * bad).sum(axis=1), bad.sum(axis=1), self.area * used, used,
        ]  # fmt: skip
        return np.where(used[:, None], np.column_stack(columns), 0.0)


def placements(values: Values, order: Values) -> Floats:
    """Share of the values in `order` (ascending) below each of `values`, ties counting half."""
    if not len(order):
        return np.full(len(values), np.nan)
    below = np.searchsorted(order, values, side="left")
    upto = np.searchsorted(order, values, side="right")
    return (below + upto) / (2 * len(order))

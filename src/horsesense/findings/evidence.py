"""What a finding rests on: one share or paired difference, its tests, and what is missing of it."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, inf, log10
from typing import Literal, NamedTuple, Self

from horsesense.measures.estimate import Computed, LeftOpen
from horsesense.stats import functions
from horsesense.stats.change import FEWEST, Change
from horsesense.stats.share import Share
from horsesense.trials.condition import Condition

Way = Literal["above", "below", "both", "lacks"]
"""Which truth is a fault: one above the null, below it, on either side of it; or, for "lacks",
one that does not reach the null plus the size that matters."""
Interval = tuple[float, float] | None


class Evidence(NamedTuple):
    """One statistic of a run, with the inference that belongs to it.

    Attributes:
        about: the share or the paired difference.
        measure, probe, condition, reader, group: what was measured, and where.
        n, counted: trials or items behind it.
        baseline: what guessing gives, where the measure knows it.
        missing: trials or items that lack a reply.
        unknown: what missing replies leave open; None where that is nothing, or not known.
        finds: what finds it (see `open_ended`).
    """

    about: Share | Change
    measure: str
    probe: str
    condition: Condition
    reader: str
    group: str
    n: int
    counted: str
    baseline: float | None
    missing: int = 0
    unknown: LeftOpen | None = None
    finds: Callable[[], LeftOpen | None] | None = None

    @classmethod
    def of(cls, found: Computed) -> Self | None:
        """The evidence of an estimate; None where it is no share and no paired difference."""
        e, about, finds = found
        if about is None or about.n <= 0:
            return None
        where = e.measure, e.probe, e.condition, e.reader, e.group
        return cls(about, *where, e.n, e.counted, e.baseline, e.n_missing, finds=finds)

    def open_ended(self) -> Self:
        """The same, held to whatever the missing replies may have been (bounds: Manski 1989)."""
        unknown = self.finds() if self.finds is not None else None
        if unknown is None:
            return self
        baseline = self.baseline if unknown.baseline is None else unknown.baseline
        return self._replace(unknown=unknown, baseline=baseline)

    def as_if(self, worth: float) -> Self:
        """The same if each trial told as much as so many; only where no reply is missing."""
        if not isinstance(self.about, Share) or self.unknown is not None:
            return self
        return self._replace(about=self.about._replace(effective=worth * self.about.effective))

    @property
    def value(self) -> float:
        return self.about.estimate

    @property
    def few(self) -> bool:
        """Whether its items are worth too few independent ones for a verdict on others."""
        return self.about.worth < FEWEST

    def interval(self, level: float) -> Interval:
        """The values that are not rejected at this level, whatever is missing."""
        ends = [about.interval(level) for about in self._each]
        known = [end for end in ends if end is not None]
        if len(known) < len(ends):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def p_above(self, null: float) -> float:
        """p of a true value of at most `null`, whatever is missing."""
        return max(about.p_above(null) for about in self._each)

    def p_below(self, null: float) -> float:
        """p of a true value of at least `null`, whatever is missing."""
        return max(about.p_below(null) for about in self._each)

    @property
    def _each(self) -> tuple[Share | Change, ...]:
        """What is behind the value, and behind the lowest and the highest that it can be."""
        return (self.about, *(self.unknown[:2] if self.unknown is not None else ()))

    def p_found(self, way: Way, null: float, size: float) -> float:
        """p of "there is no such fault"."""
        sides = faulty(way, null, size)
        return min(1.0, len(sides) * min(self._outside(*side) for side in sides))

    def p_ruled_out(self, way: Way, null: float, size: float) -> float:
        """p of "there is such a fault, of at least the size that matters"."""
        return self._outside(*harmless(way, null, size))

    def _outside(self, low: float, high: float) -> float:
        """p of a true value that is not between these, one of which may be infinite."""
        above = self.p_above(low) if low > -inf else 0.0
        return max(above, self.p_below(high) if high < inf else 0.0)


def faulty(way: Way, null: float, size: float) -> list[tuple[float, float]]:
    """Between which values there is a fault."""
    above = [(null, inf)] if way in ("above", "both") else []
    below = [] if way == "above" else [(-inf, null + size if way == "lacks" else null)]
    return above + below


def harmless(way: Way, null: float, size: float) -> tuple[float, float]:
    """Between which values there is no fault of at least the size that matters."""
    low = {"above": -inf, "lacks": null}.get(way, null - size)
    return low, null + size if way in ("above", "both") else inf


def within(interval: Interval, low: float, high: float) -> bool:
    """Whether an interval lies strictly between two bounds; an interval of None never does."""
    return interval is not None and low < interval[0] and interval[1] < high


def badness(value: float, way: Way, null: float) -> float:
    """How far a value lies on the side that is a fault."""
    off = value - null
    return abs(off) if way == "both" else off if way == "above" else -off


ALPHA = 0.05
POWER = 0.8
MOST = 10_000_000
"""Items beyond which no number is named."""


def items_needed(e: Evidence, way: Way, null: float, size: float, items: int) -> int | None:
    """The order of the number, for a power of .8, of items like the `items` that were asked.

    The distance that must show is the size that matters; of what should lie above the null, how far
    it was seen to. None where the items that were asked are as many, or no number would do.
    """
    distance = e.value - null if way == "lacks" else size
    if distance <= 0 or not items:
        return None
    one = float(functions.ndtri(1 - ALPHA))
    power = float(functions.ndtri((1 + POWER) / 2 if way == "both" else POWER))
    number = items * ((one + power) * e.about.error / distance) ** 2
    step = 10 ** floor(log10(max(number, 1)))
    rounded = int(ceil(number / step) * step)
    return rounded if items < rounded <= MOST else None

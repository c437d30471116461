"""What a sentence rests on: one share or paired difference, at any level of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, Self

import numpy as np
from scipy.special import betainc
from scipy.stats import norm

from horsesense.measures.estimate import Found
from horsesense.stats.equivalence import Interval, ruled_out
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from horsesense.trials.condition import Condition

Way = Literal["above", "below", "both", "lacks"]
"""Which truth is a fault: one above the null, below it, on either side of it; or, for "lacks",
one that does not reach the null plus the size that matters."""


@dataclass(frozen=True)
class Evidence:
    """One statistic of a run, with the inference that belongs to it.

    Attributes:
        about: the share or the paired difference.
        measure, probe, condition, reader, group: what was measured, and where.
        n, counted: trials or items behind it.
        baseline: what guessing gives, where the measure knows it.
    """

    about: Shares | Paired
    measure: str
    probe: str
    condition: Condition
    reader: str
    group: str
    n: int
    counted: str
    baseline: float | None

    @classmethod
    def of(cls, found: Found) -> Self | None:
        """The evidence of an estimate; None where it is no share and no paired difference."""
        e, about = found
        if about is None or about.n <= 0:
            return None
        where = e.measure, e.probe, e.condition, e.reader, e.group
        return cls(about, *where, n=e.n, counted=e.counted, baseline=e.baseline)

    @property
    def value(self) -> float:
        return self.about.estimate

    def interval(self, level: float) -> Interval:
        return self.about.interval(level)

    def p_found(self, way: Way, null: float, size: float) -> float:
        """p of "there is no such fault"; 1 where nothing can be said."""
        if way == "both":
            p = self.about.p(null) if isinstance(self.about, Shares) else self.about.p()
            return 1.0 if p is None else p
        return self._side(*faulty(way, null, size))

    def p_ruled_out(self, way: Way, null: float, size: float) -> float:
        """p of "there is such a fault, of at least the size that matters"; 1 likewise."""
        return self._side(*harmless(way, null, size))

    def _side(self, low: float, high: float) -> float:
        """p of a truth outside of (low, high), from intervals; for shares also exact.

        The intervals of shares were simulated for nulls of .2 and more; near 0 and 1 they are
        held to the binomial tail of the effective sample (Korn and Graubard 1998).
        """
        if self.interval(0.5) is None:
            return 1.0
        p = ruled_out(self.interval, low, high)
        p = 1.0 if p >= 0.5 else p
        if isinstance(self.about, Shares):
            p = max(p, binomial_tail(self.about, low, high))
        return p


def faulty(way: Way, null: float, size: float) -> tuple[float, float]:
    """Between which values there is a fault, of a way with one side."""
    return {
        "above": (null, inf),
        "below": (-inf, null),
        "lacks": (-inf, null + size),
    }[way]


def harmless(way: Way, null: float, size: float) -> tuple[float, float]:
    """Between which values there is no fault of at least the size that matters."""
    return {
        "above": (-inf, null + size),
        "below": (null - size, inf),
        "lacks": (null, inf),
        "both": (null - size, null + size),
    }[way]


def binomial_tail(share: Shares, low: float, high: float) -> float:
    """The larger chance of what was seen, or more, at either bound; effective hits and trials."""
    n = share.effective
    hits = n * share.estimate
    above = below = 0.0
    if low > 0:
        above = float(betainc(hits, n - hits + 1, low)) if hits > 0 else 1.0
    if high < 1:
        below = float(betainc(n - hits, hits + 1, 1 - high)) if hits < n else 1.0
    return max(above, below)


def items_needed(
    evidence: Evidence, way: Way, null: float, size: float, alpha: float
) -> int | None:
    """Clusters at which the matter would be settled with a power of .8; None where unknown.

    Where the value is nearer to the null than the size that matters, to rule the fault out if
    there is none; else to find it if it is as large as it looks.
    """
    about = evidence.about
    ends = about.interval(1 - 2 * alpha)
    if ends is None:
        return None
    z = float(norm.isf(alpha))
    away = abs(about.estimate - null)
    target, power = (away, 0.8) if away >= size else (size, 0.8 if way == "lacks" else 0.9)
    reach = (ends[1] - ends[0]) / 2 * (z + float(norm.ppf(power))) / z
    # Where nothing varies, widths shrink with the number of clusters and not with its root.
    return int(np.ceil(about.clusters * (reach / target) ** (1 if constant(about) else 2)))


def constant(about: Shares | Paired) -> bool:
    """Whether every cluster said the same."""
    return about.smallest == 0 if isinstance(about, Paired) else about.estimate in (0, 1)

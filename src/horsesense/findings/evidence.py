"""What a sentence rests on: one share or paired difference, at any level of confidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import betainc
from scipy.stats import norm

from horsesense.measures.base import Floats, Measure, Rows
from horsesense.measures.cells import Cell
from horsesense.stats.bootstrap import by_cluster
from horsesense.stats.equivalence import Interval, ruled_out
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares

Way = Literal["above", "below", "both", "lacks"]
"""Which truth is a fault: one above the null, below it, on either side of it; or, for "lacks",
one that does not reach the null plus the size that matters."""


@dataclass(frozen=True)
class Evidence:
    """One statistic of a run, with the inference that belongs to it.

    Attributes:
        about: the share or the paired difference.
        probe, condition, reader, group: where it was measured; condition as text.
        n, counted: trials or items behind it.
        baseline: what guessing gives, where the measure knows it.
    """

    about: Shares | Paired
    probe: str
    condition: str
    reader: str
    group: str
    n: int
    counted: str
    baseline: float | None

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
        if way == "lacks":
            return self._side(-inf, null + size)
        return self._side(null, inf) if way == "above" else self._side(-inf, null)

    def p_ruled_out(self, way: Way, null: float, size: float) -> float:
        """p of "there is such a fault, of at least the size that matters"; 1 likewise."""
        if way == "both":
            return self._side(null - size, null + size)
        if way == "lacks":
            return self._side(null, inf)
        return self._side(-inf, null + size) if way == "above" else self._side(null - size, inf)

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


def evidence_of(
    measure: Measure, cell: Cell, cluster: npt.NDArray[np.intp], number: int
) -> Iterator[Evidence]:
    """The evidence of each group of a measure that is a ratio of sums.

    Args:
        measure: its rows are hits of each group, then what they are divided by: one column for
            all groups or one for each.
        cell: one of the measure's cells.
        cluster: cluster number of each item of the run.
        number: how many clusters there are.
    """
    if measure.undefined_reason(cell) is not None:
        return
    rows = measure.rows(cell)
    groups = measure.groups(cell)
    baseline = measure.baseline(cell)
    for place, group in enumerate(groups):
        about = _about(measure, rows, place, len(groups), cluster[cell.item], number)
        if about.n > 0:
            yield Evidence(
                about,
                cell.probe,
                cell.condition.format(),
                cell.reader,
                group,
                int(rows.n),
                measure.counted,
                baseline,
            )


def _about(
    measure: Measure,
    rows: Rows,
    place: int,
    groups: int,
    cluster: npt.NDArray[np.intp],
    number: int,
) -> Shares | Paired:
    kind = Paired if measure.difference else Shares
    if rows.crossed is not None:
        hits, n = _columns(rows.crossed.rows, place, groups)
        first, second = cluster[rows.crossed.item], rows.crossed.bundle
        if measure.difference:
            return Paired.two_way(hits, first, second)
        return Shares.two_way(hits, n, first, second)
    return kind.of(*_columns(by_cluster(rows.rows, cluster, number), place, groups))


def _columns(sums: Floats, place: int, groups: int) -> tuple[Floats, Floats]:
    """Hits of a group, and what they are divided by; without a column of its own, their mean."""
    if sums.shape[1] == groups:
        return sums[:, place] if place < groups - 1 else sums[:, :-1].mean(axis=1), sums[:, -1]
    shared = sums.shape[1] == groups + 1
    return sums[:, place], sums[:, -1 if shared else groups + place]

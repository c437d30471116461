"""Shares, and means of values from 0 to 1, in clusters: exact limits of as many trials as they are
worth.

Clusters whose trials agree are worth fewer independent trials: n over the design effect (Kish
1965), the variance of the clusters' sums about the share over that of independent trials. A tenth
of a cluster that agrees is added to both, so that it is defined, and without a jump, where nothing
varies; then the trials are worth as many as there are clusters of one size. Limits and p are those
of Clopper and Pearson (1934) for the effective hits and trials, less what Student's t asks where
few clusters tell the design effect (Korn and Graubard 1998).

Assumptions: clusters are independent, or outcomes share one of two clusterings (`two_way`).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, Self

from horsesense.stats import functions
from horsesense.stats.binomial import limits
from horsesense.stats.change import TOO_FEW
from horsesense.stats.two_way import Clustering, Floats, Ints, clusterings

AGREEING = 0.1
"""What the added cluster counts for."""


class Share(NamedTuple):
    """All that the inference about one share needs.

    Attributes:
        hits: sum of the values, each from 0 to 1.
        n: number of trials.
        effective: the number of independent trials that tell as much.
        clusters: how many there are; of two clusterings, the smaller number.
        worth: how many clusters of one size they are worth.
    """

    hits: float
    n: float
    effective: float
    clusters: int
    worth: float

    @classmethod
    def of(cls, hits: Floats, trials: Floats) -> Self:
        """From the clusters' hits and trials, (clusters,) each; those without trials are out."""
        used = trials > 0
        return cls._of(Clustering(hits[used], trials[used]))

    @classmethod
    def two_way(cls, hits: Floats, trials: Floats, first: Ints, second: Ints) -> Self:
        """From single outcomes that share a cluster of the first or of the second kind."""
        return cls._of(*clusterings(hits, trials, first, second))

    @classmethod
    def _of(cls, *parts: Clustering) -> Self:
        hits, n = float(parts[0].x.sum()), float(parts[0].m.sum())
        share = hits / n if n else 0.0
        squares = [float(((part.x - share * part.m) ** 2).sum()) for part in parts]
        sizes = [float((part.m**2).sum()) / n if n else 0.0 for part in parts]
        if len(parts) > 1:
            squares.append(squares[0] + squares[1] - squares[2])
        size = sum(sizes[:2]) - (len(parts) > 1)
        alike = n * share * (1 - share)
        each = (alike + AGREEING * size) / (max(squares) + AGREEING * size**2) if n else 0.0
        clusters = min(len(part.m) for part in parts[:2])
        return cls(hits, n, n * each, clusters, n / max(sizes[:2]) if n else 0.0)

    @property
    def estimate(self) -> float:
        """The share."""
        return min(max(self.hits / self.n, 0.0), 1.0)

    @property
    def trials(self) -> float:
        """The number of independent trials that limits and p are those of."""
        alone, few = functions.stdtrit([max(self.n - 1, 0.5), max(self.worth - 1, 0.5)], 0.975)
        return self.effective * float(alone / few) ** 2

    @property
    def reason(self) -> str:
        """Why there is no interval; "" where there is one."""
        return "" if self.clusters > 1 and self.worth > 1.5 else TOO_FEW

    @property
    def error(self) -> float:
        """Standard error, of one more hit and one more miss."""
        share = (self.effective * self.estimate + 0.5) / (self.effective + 1)
        return sqrt(share * (1 - share) / self.effective)

    def p_above(self, null: float) -> float:
        """p of a true share of at most `null`: the chance of as many hits or more."""
        return _as_many(self.trials * self.estimate, self.trials, null)

    def p_below(self, null: float) -> float:
        """p of a true share of at least `null`: the chance of as few hits or fewer."""
        return _as_many(self.trials * (1 - self.estimate), self.trials, 1 - null)

    def p(self, null: float) -> float:
        """Two-sided p of a true share."""
        return min(1.0, 2 * min(self.p_above(null), self.p_below(null)))

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The shares that are not rejected; None where there is a `reason`."""
        if self.reason:
            return None
        return limits(self.trials * self.estimate, self.trials, (1 - level) / 2)


def _as_many(hits: float, n: float, null: float) -> float:
    """The chance of as many hits or more of `n` trials."""
    if hits <= 0 or null >= 1:
        return 1.0
    return float(functions.betainc(hits, n - hits + 1, max(null, 0.0)))

"""Shares, and means of values with known bounds, in clusters: Wilson's interval for as many
independent trials as the clusters are worth.

The effective number of trials compares the variance of independent 0/1 trials with that of the
clusters' sums; a pseudo-cluster keeps it defined, and without a jump, where nothing varies. It is
used with Student's t in Wilson's score test (Wilson 1927; the effective sample size of Korn and
Graubard 1998), which is then inverted, so that interval and p agree.

Assumptions: clusters are independent, or outcomes share one of two clusterings (see `two_way`);
every value lies in [0, 1]. One cluster has neither interval nor p.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from horsesense.stats.two_way import Clustering, Floats, clusterings


@dataclass(frozen=True, slots=True)
class Shares:
    """All that the inference about one share needs.

    Attributes:
        hits: sum of the values, each between 0 and 1.
        n: number of trials (M, summed over clusters).
        spread: sum of squares of (hits of a cluster - share x its trials), A.
        mean_size: sum of M squared over n (Q); 1 where each cluster has one trial.
        single: whether no cluster has more than one trial.
        clusters: how many there are; of two clusterings, the smaller number.
    """

    hits: float
    n: float
    spread: float
    mean_size: float
    single: bool
    clusters: int

    @classmethod
    def of(cls, hits: Floats, trials: Floats) -> Self:
        """From the clusters' hits and trials, (clusters,) each; those without trials are out."""
        used = trials > 0
        return cls._of(Clustering(hits[used], trials[used]))

    @classmethod
    def two_way(
        cls,
        hits: Floats,
        trials: Floats,
        first: npt.NDArray[np.intp],
        second: npt.NDArray[np.intp],
    ) -> Self:
        """From single outcomes that share a cluster of the first or of the second kind."""
        return cls._of(*clusterings(hits, trials, first, second))

    @classmethod
    def _of(cls, *parts: Clustering) -> Self:
        """From one clustering, or from the first, the second and their intersection."""
        hits, n = float(parts[0].x.sum()), float(parts[0].m.sum())
        share = hits / n if n else 0.0
        spreads = [float(((part.x - share * part.m) ** 2).sum()) for part in parts]
        joint = [spreads[0] + spreads[1] - spreads[2]] if len(parts) > 1 else []
        shown = parts[:2]
        sizes = [float((part.m**2).sum()) / n if n else 0.0 for part in shown]
        return cls(
            hits=hits,
            n=n,
            spread=max(*spreads[:2], *joint) if joint else spreads[0],
            mean_size=sum(sizes) - (len(sizes) - 1),
            single=all(bool((part.m <= 1).all()) for part in shown),
            clusters=min(len(part.m) for part in shown),
        )

    @property
    def estimate(self) -> float:
        """The share."""
        return min(max(self.hits / self.n, 0.0), 1.0)

    @property
    def effective(self) -> float:
        """The number of independent trials that tell as much; the clusters' if nothing varies."""
        q = self.mean_size
        weight = 0.25 if self.single else 0.5
        independent = self.n * self.estimate * (1 - self.estimate)
        return self.n * (independent + weight * q) / (self.spread + weight * q * q)

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The shares that are not rejected; None for a single cluster."""
        if self.clusters < 2:
            return None
        n, share = self.effective, self.estimate
        c = float(stdtrit(self.clusters, (1 + level) / 2))
        middle = n * share + c * c / 2
        reach = c * sqrt(n * share * (1 - share) + c * c / 4)
        low, high = (middle - reach) / (n + c * c), (middle + reach) / (n + c * c)
        # At the ends of the range the limit is the end itself, whatever its last bit says.
        return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))

    def p(self, null: float) -> float | None:
        """Two-sided p of a supposed share in [0, 1]; None for a single cluster."""
        if self.clusters < 2:
            return None
        if not 0 < null < 1:
            return 1.0 if self.estimate == null else 0.0
        distance = abs(self.estimate - null) * sqrt(self.effective / (null * (1 - null)))
        return 2 * float(stdtr(self.clusters, -distance))

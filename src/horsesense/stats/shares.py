"""Shares, and means of values with known bounds, in clusters: Wilson's interval for as many
independent trials as the clusters are worth.

The effective number of trials compares the variance of independent 0/1 trials with that of the
clusters' sums; a pseudo-cluster keeps it defined, and without a jump, where nothing varies. It is
used with Student's t in Wilson's score test (Wilson 1927; the effective sample size of Korn and
Graubard 1998), which is then inverted, so that interval and p agree.

Where clusters differ in size, both variances are weighted by size, so that clusters whose trials
all agree are worth exactly the number n^2 / sum M^2 of equal clusters (Kish 1965), whatever the
small ones say; Student's t has as many degrees of freedom; and the sums are freed of what each
cluster pulls the share towards itself (CR2: Bell and McCaffrey 2002). Where large clusters are
nearer to one half than small ones, their weight would make the trials more variable than the
share, from which Wilson's formula takes their variance: it counts for no more than that. None of it
changes anything where all clusters have one size.

The normal tail is too light for the first hits: one hit in n was left out at truths below .18/n,
where there is one in 16 % of studies. p is therefore never below the binomial chance of as many
hits or more (of as few, above the share) in as many trials as the clusters are worth, and each end
is at least as far as the limit at which that chance is the whole of alpha: on the other side there
is nothing to miss. Brown, Cai and DasGupta (2001, section 4.1.1) do so with chi-squared quantiles
for the first two or three hits. Here the further of two limits counts, both of them continuous in
the number of hits; at 95 % the score's is the further one from about ten hits on.

Assumptions: clusters are independent, or outcomes share one of two clusterings (see `two_way`);
every value lies in [0, 1]. One cluster alone, or with next to nothing beside it, has neither
interval nor p.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions
from horsesense.stats.binomial import limits
from horsesense.stats.hidden import Sizes, counted
from horsesense.stats.two_way import Clustering, Floats, clusterings

ONE_CLUSTER = "all trials belong to one independent cluster"
ONE_LARGE = "one independent cluster holds more than two thirds of all trials"
FEWEST = 1.5
"""Equal clusters that the clusters must be worth; below, one has more than two thirds of n."""

ROUNDING = 1e-9
SINGLE, SEVERAL = 0.25, 0.5
"""What the pseudo-cluster counts for, of single trials and of clusters of several."""


@dataclass(frozen=True, slots=True)
class Shares:
    """All that the inference about one share needs.

    Attributes:
        hits: sum of the values, each between 0 and 1.
        n: number of trials (M, summed over clusters).
        squares: sum over trials of (value - share)^2 x the size of the cluster, V; n Q times the
            variance of independent trials, and at most as if all clusters had a size of Q.
        spread: sum of squares of (hits of a cluster - share x its trials), A, by CR2.
        mean_size: sum of M squared over n (Q); 1 where each cluster has one trial.
        single: whether no cluster has more than one trial.
        clusters: how many there are; of two clusterings, the smaller number.
        even: how many clusters of one size they are worth; `clusters` where all have one size.
        lumps: in how large lumps hits, and misses, come; 1 for independent trials, 0 where every
            cluster has as many; of two clusterings, the larger.
        sizes: numbers of trials of clusters, and how many have each; of two clusterings none.
        unlike: whether trials have expectations of their own (`of_unlike`): however little hits
            vary about them, they are worth no more trials than there are.
    """

    hits: float
    n: float
    squares: float
    spread: float
    mean_size: float
    single: bool
    clusters: int
    even: float
    lumps: tuple[float, float] = (1.0, 1.0)
    sizes: Sizes = ()
    unlike: bool = False

    @classmethod
    def of(cls, hits: Floats, trials: Floats) -> Self:
        """From the clusters' hits and trials, (clusters,) each; those without trials are out."""
        used = trials > 0
        return cls._of(Clustering(hits[used], trials[used]))

    @classmethod
    def of_unlike(cls, hits: Floats, about: Floats, trials: Floats) -> Self:
        """From the clusters' hits, and the same as if all trials had one expectation.

        Trials that follow expectations of their own vary less about them; those that do not only
        seem to vary. Neither spread is smaller on average than that of the hits, and the smaller
        one counts.
        """
        found = cls.of(hits, trials)
        spread = min(found.spread, cls.of(about, trials).spread)
        return replace(found, spread=spread, unlike=True)

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
        spreads = [_spread(part, share, n) for part in parts]
        joint = [spreads[0] + spreads[1] - spreads[2]] if len(parts) > 1 else []
        shown, single = parts[:2], float(_squares(parts[0], share).sum())
        squares = [float((part.m * _squares(part, share)).sum()) for part in shown]
        sizes = [float((part.m**2).sum()) / n if n else 0.0 for part in shown]
        mean_size = sum(sizes) - (len(sizes) - 1)
        return cls(
            hits=hits,
            n=n,
            squares=min(sum(squares) - (len(shown) - 1) * single, mean_size * single),
            spread=max(*spreads[:2], *joint) if joint else spreads[0],
            mean_size=mean_size,
            single=all(bool((part.m <= 1).all()) for part in shown),
            clusters=min(len(part.m) for part in shown),
            even=n / max(sizes) if n else 0.0,
            lumps=(
                max(_lump(part, part.x) for part in shown),
                max(_lump(part, part.m - part.x) for part in shown),
            ),
            sizes=counted(parts[0].m) if len(parts) == 1 else (),
        )

    @property
    def estimate(self) -> float:
        """The share."""
        return min(max(self.hits / self.n, 0.0), 1.0)

    @property
    def lowest(self) -> float:
        """The lowest value that there can be."""
        return 0.0

    @property
    def effective(self) -> float:
        """The number of independent trials that tell as much; the clusters' if nothing varies."""
        q = self.mean_size
        weight = SINGLE if self.single else SEVERAL
        worth = self.n * (self.squares / q + weight * q) / (self.spread + weight * q * q)
        return min(worth, self.n) if self.unlike else worth

    @property
    def reason(self) -> str:
        """Why there is neither interval nor p; "" where there are."""
        if self.clusters < 2:
            return ONE_CLUSTER
        return ONE_LARGE if self.even < FEWEST else ""

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The shares that are not rejected; None where there is a `reason`."""
        if self.reason:
            return None
        c = float(functions.stdtrit(self.even, (1 + level) / 2))
        low, high = score_ends(self.estimate, self.effective, c)
        least, most = limits(self.effective * self.estimate, self.effective, 1 - level)
        return min(low, least), max(high, most)

    def p(self, null: float) -> float | None:
        """Two-sided p of a supposed share in [0, 1]; None where there is a `reason`."""
        if self.reason:
            return None
        if not 0 < null < 1:
            return 1.0 if self.estimate == null else 0.0
        distance = abs(self.estimate - null) * sqrt(self.effective / (null * (1 - null)))
        return max(2 * float(functions.stdtr(self.even, -distance)), self._tail(null))

    def tail_ends(self, alpha: float) -> tuple[float, float]:
        """Clopper and Pearson's limits (1934) of effective hits and trials, `alpha` beyond each.

        One cluster that is hit as a whole is one event, however many trials it has, whatever the
        variance of many small clusters beside it says: trials are worth no more than their number
        over the size of the lumps in which the rare outcome came.
        """
        for_hits, for_misses = (
            min(self.effective, self.n / max(lump, ROUNDING)) for lump in self.lumps
        )
        low, _ = limits(for_hits * self.estimate, for_hits, alpha)
        _, high = limits(for_misses * self.estimate, for_misses, alpha)
        return low, high

    def _tail(self, null: float) -> float:
        """The chance at `null` of as many hits or more, if it is below the share; or as few."""
        up, trials = null < self.estimate, self.effective
        hits = trials * (self.estimate if up else 1 - self.estimate)
        return float(functions.betainc(hits, trials - hits + 1, null if up else 1 - null))


def score_ends(share: float, n: float, c: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share of `n` independent trials, `c` standard errors wide."""
    middle = n * share + c * c / 2
    reach = c * sqrt(n * share * (1 - share) + c * c / 4)
    low, high = (middle - reach) / (n + c * c), (middle + reach) / (n + c * c)
    # At the ends of the range the limit is the end itself, whatever its last bit says.
    return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))


def _spread(part: Clustering, share: float, n: float) -> float:
    """Sum of squares of the clusters' sums about the share, by CR2; as it is for equal sizes."""
    clusters = len(part.m)
    if clusters < 2:
        return 0.0
    leverage = part.m / n
    freed = (1 - 1 / clusters) / (1 - leverage)
    return float((freed * (part.x - share * part.m) ** 2).sum())


def _lump(part: Clustering, hits: Floats) -> float:
    """Size of the lumps in which hits come: 1 and the pairs of hits of a cluster beyond those that
    independent trials have, for each hit. Whole clusters: their mean size, weighted by size.

    Where everything or nothing is a hit, 1.
    """
    total, n = float(hits.sum()), float(part.m.sum())
    if not 0 < total < n:
        return 1.0
    share = total / n
    beyond = float((hits * (hits - 1)).sum()) - share**2 * float((part.m * (part.m - 1)).sum())
    return max(0.0, 1 + beyond / (total * (1 - share)))


def _squares(part: Clustering, share: float) -> Floats:
    """Sum over the trials of each cluster of (value - share)^2, as of 0/1 values, (clusters,).

    Values about means of their own (`measures.positions`) may lie beyond 0 and 1. Cut off there,
    those of a rare share add up to more hits than there were: all squares together are then made
    n p (1 - p), which they are wherever nothing is cut off.
    """
    share = min(max(share, 0.0), 1.0)
    ones = np.clip(part.x, 0.0, part.m)
    squares = np.asarray(ones * (1 - share) ** 2 + (part.m - ones) * share**2)
    total = float(squares.sum())
    if not total or np.abs(ones - part.x).max() < ROUNDING:
        return squares
    return np.asarray(squares * (float(part.m.sum()) * share * (1 - share) / total))

"""Difference of two groups' means within strata: an exact conditional test, and a score interval.

The difference is the mean over strata of the difference between one group and the other, weighted
by n1 n0 / (n1 + n0) (Mantel and Haenszel 1959; Greenland and Robins 1985). Its numerator is the sum
of the first group's values less what it would be on average if values were dealt out at random
within each stratum. So p is that of such a deal: for right and wrong answers exact, by the
convolution of hypergeometric distributions (Fisher 1935; in strata Birch 1964), twice the smaller
tail; for other values from random deals, the observed one counted among them (Dwass 1957). It holds
for any number of values, however rare the wrong ones are.

The interval is the stratified score interval of Miettinen and Nurminen (1985, Statistics in
Medicine 4, 213-226), whose variance at a supposed difference is that of the likeliest shares with
this difference. Its test of 0 is the normal approximation of the exact test. An end that lies on
the other side of 0 than the exact test says is moved there, so that p < alpha exactly where the
interval at 1 - alpha leaves out 0.

**Clusters.** Values of one cluster may agree, and whole clusters fall into one group. The variance
is then larger by 1 + rho (V1 / V0 - 1): rho is the correlation of two values of a cluster, from all
pairs; V1 and V0 are the variances if clusters agreed wholly and not at all (Kish 1965, for this
statistic). A pseudo-cluster that agrees keeps rho from 0 where hardly anything varies. It is larger
at least by what the clusters' sums about both groups' means show. p is the larger one of the exact
p and of a gamma distribution with that variance and as much skewness as so much fewer values have
(Pearson 1895, type III), with a continuity correction of as many, and with Student's t for as many
clusters as carry the variance (Satterthwaite 1946). The interval has the same variance and t; as
far as values of a cluster agree, a supposed difference may come in whole clusters, as binomial.

Assumptions: without an effect, values of one stratum are equally likely in both groups; clusters
are independent; values lie in [0, 1]. The combination for clusters is made here; its error rates
are measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions
from horsesense.stats.change import BESIDE

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FEWEST = 4.0
"""Clusters that must carry the variance where they matter at all."""
DEALS = 19_999
"""Random deals of values that are not right or wrong."""
MANY = 999
"""Different values from which on there are only as many deals."""
NO_PAIR = "no label has items of both kinds"
FEW_CLUSTERS = "too few independent groups to compare, or one of them holds too much"
PSEUDO = 0.5
"""What the pseudo-cluster counts for."""


@dataclass(frozen=True)
class WithinStrata:
    """Values of two groups in strata that have both.

    Attributes:
        values: each in [0, 1].
        first: whether each is of the first group.
        strata, clusters: numbers from 0.
    """

    values: Floats
    first: Bools
    strata: Ints
    clusters: Ints

    @classmethod
    def of(cls, values: Floats, first: Bools, strata: Ints, clusters: Ints) -> WithinStrata:
        """From all values; strata of one group alone are left out."""
        number = np.unique(strata, return_inverse=True)[1].reshape(-1)
        ones, others = (np.bincount(number, kind) for kind in (first, ~first))
        used = ((ones > 0) & (others > 0))[number] if len(number) else np.zeros(0, bool)
        return cls(
            values[used],
            first[used],
            np.unique(number[used], return_inverse=True)[1].reshape(-1),
            np.unique(clusters[used], return_inverse=True)[1].reshape(-1),
        )

    @cached_property
    def _n(self) -> tuple[Floats, Floats]:
        """Numbers of values in each stratum, of the first group and of the other."""
        return self._in_both(np.ones(len(self.values)))

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Sums of values in each stratum, of the first group and of the other."""
        return self._in_both(self.values)

    def _in_both(self, values: Floats) -> tuple[Floats, Floats]:
        """Sums over the values of each stratum, of the first group and of the other."""
        sums: Floats = np.zeros((2, int(self.strata.max(initial=-1)) + 1))
        np.add.at(sums, (1 - self.first, self.strata), values)
        return sums[0], sums[1]

    @cached_property
    def _weights(self) -> Floats:
        n1, n0 = self._n
        weights: Floats = n1 * n0 / (n1 + n0)
        return weights

    @cached_property
    def _score(self) -> float:
        """The first group's sum less its mean over all deals."""
        (n1, n0), (x1, x0) = self._n, self._sums
        return float(np.sum(x1 - n1 * (x1 + x0) / (n1 + n0)))

    @property
    def estimate(self) -> float | None:
        """The weighted mean difference; None where no stratum has both groups."""
        return self._score / float(self._weights.sum()) if len(self.values) else None

    @cached_property
    def _binary(self) -> bool:
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    @cached_property
    def _apart(self) -> tuple[Floats, Floats]:
        """Values, and membership of the first group, less their means in the stratum."""
        (n1, n0), (x1, x0) = self._n, self._sums
        n = n1 + n0
        return self.values - ((x1 + x0) / n)[self.strata], self.first - (n1 / n)[self.strata]

    @cached_property
    def _leverage(self) -> Floats:
        """What each value weighs, by the scatter of its stratum."""
        (n1, n0), (x1, x0) = self._n, self._sums
        share = (x1 + x0 + 0.5) / (n1 + n0 + 1)
        each: Floats = self._apart[1] * np.sqrt(share * (1 - share))[self.strata]
        return each

    def _carried(self, each: Floats) -> tuple[float, float]:
        """V1 / V0 of values that weigh as much, and how many clusters carry V1."""
        whole = np.bincount(self.clusters, each) ** 2
        carried = np.maximum(whole, np.bincount(self.clusters, each**2))
        return float(whole.sum() / np.sum(each**2)), float(carried.sum() ** 2 / (carried**2).sum())

    @cached_property
    def correlation(self) -> float:
        """Of two values of one cluster, between 0 and 1."""
        sizes = np.bincount(self.clusters)
        q = float((sizes**2).sum() / sizes.sum())
        apart = self._apart[0]
        spread = np.sqrt(
            np.bincount(self.strata, apart**2) / np.maximum(np.bincount(self.strata) - 1, 1)
        )[self.strata]
        sums, most = np.bincount(self.clusters, apart), np.bincount(self.clusters, spread)
        # The mean is that of the clusters themselves, which takes one of them off.
        freed = len(sizes) / max(len(sizes) - 1, 1)
        pairs = float(freed * (sums**2).sum() - (apart**2).sum())
        pseudo = PSEUDO * q * (q - 1)
        known = float((most**2).sum() - (spread**2).sum()) + pseudo
        return min(max((pairs + pseudo) / known, 0.0), 1.0) if known > 0 else 0.0

    @cached_property
    def _seen_effect(self) -> float:
        """By how much clusters increased the variance of the difference as it was seen."""
        (n1, n0), (x1, x0) = self._n, self._sums
        mean = np.where(self.first, (x1 / n1)[self.strata], (x0 / n0)[self.strata])
        size = np.where(self.first, n1[self.strata], -n0[self.strata])
        pulls = self._weights[self.strata] * (self.values - mean) / size
        single = float(np.sum(pulls**2))
        sums = np.bincount(self.clusters, pulls)
        freed = len(sums) / max(len(sums) - 1, 1)
        return freed * float(np.sum(sums**2)) / single if single > 0 else 1.0

    @property
    def _alone(self) -> bool:
        """Whether no cluster has two values."""
        return len(self.values) == int(self.clusters.max()) + 1

    @cached_property
    def _supposed_effect(self) -> float:
        """By how much the correlation of values of a cluster increases the variance."""
        return max(1.0, 1.0 + self.correlation * (self._carried(self._leverage)[0] - 1.0))

    @cached_property
    def design_effect(self) -> float:
        """By how much clusters increase the variance; 1 for values on their own."""
        return 1.0 if self._alone else max(self._supposed_effect, self._seen_effect)

    @cached_property
    def _lumps(self) -> float:
        """Sum of the squared parts of a difference that clusters with both groups have."""
        n1, n0 = self._n
        part = self._weights / self._weights.sum()
        of_one = np.bincount(self.clusters, (part / n1)[self.strata] * self.first)
        of_other = np.bincount(self.clusters, (part / n0)[self.strata] * ~self.first)
        return float(np.sum(np.minimum(of_one, of_other) ** 2))

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of Student's t: of the clusters, as far as these can matter."""
        found = []
        for each in (self._leverage, np.abs(self._leverage)):
            ratio, carrying = self._carried(each)
            part = max(1 - 1 / ratio, 0.0) if ratio > 0 else 0.0
            found.append((carrying - 1) / part**2 if part > 1e-9 else np.inf)
        return min(found)

    @property
    def reason(self) -> str:
        """Why there is neither p nor interval; "" where there are."""
        if not len(self.values):
            return NO_PAIR
        clusters = int(self.clusters.max()) + 1
        if clusters == len(self.values):
            return ""
        few = clusters < FEWEST or self.freedom < FEWEST - 1
        return FEW_CLUSTERS if few else ""

    def p(self) -> float | None:
        """Two-sided p of no difference; None where there is a `reason`."""
        return None if self.reason else self._p

    @cached_property
    def _p(self) -> float:
        exact = self._exact() if self._binary else self._dealt()
        return max(exact, self._clustered()) if self.design_effect > 1 else exact

    def _exact(self) -> float:
        """Twice the smaller tail of the convolution of hypergeometric distributions."""
        (n1, n0), (x1, x0) = self._n, self._sums
        whole, least = np.ones(1), 0
        for ones, others, right in zip(n1, n0, x1 + x0, strict=True):
            low, high = int(max(0, right - others)), int(min(ones, right))
            k = np.arange(low, high + 1.0)
            chances = _choose(ones, k) + _choose(others, right - k) - _choose(ones + others, right)
            whole, least = np.convolve(whole, np.exp(chances)), least + low
        at = round(float(x1.sum())) - least
        whole = whole / whole.sum()
        return min(1.0, 2 * float(min(whole[: at + 1].sum(), whole[at:].sum())))

    def _dealt(self) -> float:
        """The same of any values, from random deals; the seed is fixed, so that p is."""
        rng = np.random.default_rng(0)
        deals = DEALS if len(np.unique(self.values)) <= MANY else MANY
        dealt = np.zeros(deals)
        for stratum, ones in enumerate(self._n[0].astype(np.int64)):
            kinds, counts = np.unique(self.values[self.strata == stratum], return_counts=True)
            wanted, left = np.full(deals, ones), int(counts.sum())
            for kind, count in zip(kinds, counts, strict=True):
                left -= int(count)
                drawn = rng.hypergeometric(int(count), left, wanted)
                dealt += drawn * kind
                wanted -= drawn
        seen, rounding = float(self._sums[0].sum()), 1e-9 * len(self.values)
        above = 1 + int((dealt >= seen - rounding).sum())
        below = 1 + int((dealt <= seen + rounding).sum())
        return min(1.0, 2 * min(above, below) / (deals + 1))

    def _clustered(self) -> float:
        """Two-sided p by the gamma distribution and Student's t."""
        (n1, n0), apart, effect = self._n, self._apart[0], self.design_effect
        n = n1 + n0
        squares = np.bincount(self.strata, apart**2)
        variance = effect * float(np.sum(self._weights * squares / (n - 1)))
        further = abs(self._score) - 0.5 * effect * self._binary
        if variance <= 0 or further <= 0:
            return 1.0
        cubes = np.bincount(self.strata, apart**3)
        third = self._weights * (n0 - n1) * cubes / ((n - 1) * np.maximum(n - 2, 1))
        skewness = effect**2 * float(third.sum()) / variance**1.5 * np.sign(self._score)
        tail = _gamma_tail(further / sqrt(variance), skewness)
        if tail <= 0:
            return 0.0
        z = -float(functions.ndtri(min(tail, 0.5)))
        if not np.isfinite(self.freedom):
            return min(1.0, 2 * tail)
        return 2 * float(functions.stdtr(self.freedom, -z))

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The differences that are not rejected; None where there is a `reason`."""
        seen = self.estimate
        if self.reason or seen is None:
            return None
        quantile = float(
            functions.stdtrit(self.freedom, (1 + level) / 2)
            if self.design_effect > 1 and np.isfinite(self.freedom)
            else functions.ndtri((1 + level) / 2)
        )
        low, high = (self._end(seen, quantile, end) for end in (-1.0, 1.0))
        if self._p >= 1 - level:
            return min(low, 0.0), max(high, 0.0)
        return (max(low, BESIDE), high) if seen > 0 else (low, min(high, -BESIDE))

    def _end(self, seen: float, quantile: float, end: float) -> float:
        """The supposed difference on one side that is just not rejected, by bisection."""
        inner, outer = seen, end
        for _ in range(34):
            middle = (inner + outer) / 2
            if abs(seen - middle) <= quantile * sqrt(self._variance(middle)):
                inner = middle
            else:
                outer = middle
        return outer

    def _variance(self, difference: float) -> float:
        """Of the estimate, if the difference were this in every stratum."""
        (n1, n0), (x1, x0), w = self._n, self._sums, self._weights
        p1, p0 = likeliest(x1, n1, x0, n0, difference)
        n = n1 + n0
        each = (p1 * (1 - p1) / n1 + p0 * (1 - p0) / n0) * n / (n - 1)
        single = self._evenness * float(np.sum(w**2 * each)) / float(w.sum()) ** 2
        if self._alone:
            return single
        # As far as values of a cluster agree, a difference may come in whole clusters.
        lumps = self.correlation * abs(difference) * (1 - abs(difference)) * self._lumps
        return max(self._supposed_effect * single + lumps, self._seen_effect * single)

    @cached_property
    def _evenness(self) -> float:
        """Variance of the values over that of right and wrong answers with their means."""
        if self._binary:
            return 1.0
        (n1, n0), (x1, x0) = self._n, self._sums
        share = (x1 + x0) / (n1 + n0)
        binary = float(np.sum((n1 + n0) * share * (1 - share)))
        # One right or wrong value more keeps it above 0 where nothing varies.
        return (float(np.sum(self._apart[0] ** 2)) + 1) / (binary + 1)


def likeliest(x1: Floats, n1: Floats, x0: Floats, n0: Floats, d: float) -> tuple[Floats, Floats]:
    """The likeliest shares of two groups whose difference is `d`: the root of a cubic (Miettinen
    and Nurminen 1985, appendix)."""
    n, x = n1 + n0, x1 + x0
    square = ((n1 + 2 * n0) * d - n - x) / (3 * n)
    linear = ((n0 * d - n - 2 * x0) * d + x) / n
    constant = x0 * d * (1 - d) / n
    q = square**3 - linear * square / 2 + constant / 2
    root = np.sqrt(np.maximum(square**2 - linear / 3, 0.0)) * np.where(q < 0, -1.0, 1.0)
    cosine = np.divide(q, root**3, out=np.zeros(len(q)), where=root != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1.0, 1.0))) / 3
    p0 = np.clip(2 * root * np.cos(angle) - square, max(0.0, -d), min(1.0, 1.0 - d))
    return p0 + d, p0


def _choose(n: Floats | float, k: Floats | float) -> Floats:
    """Logarithm of the number of ways to choose k of n."""
    found: Floats = (
        functions.gammaln(np.asarray(n) + 1.0)
        - functions.gammaln(np.asarray(k) + 1.0)
        - functions.gammaln(np.asarray(n) - np.asarray(k) + 1.0)
    )
    return found


def _gamma_tail(z: float, skewness: float) -> float:
    """P(Z >= z) for a gamma variable of mean 0, variance 1 and this skewness (mirrored below 0)."""
    if abs(skewness) < 1e-4:
        return float(functions.stdtr(1e9, -z))
    shape = 4 / skewness**2
    at = shape + z * 2 / skewness if skewness > 0 else shape - z * 2 / abs(skewness)
    if skewness > 0:
        return float(functions.gammaincc(shape, max(at, 0.0)))
    # Mirrored: Z = -(G - mean), G <= mean - z.
    return 1 - float(functions.gammaincc(shape, at)) if at > 0 else 0.0

"""Paired differences between -1 and 1, in clusters: a score test with pseudo-pairs, inverted.

The variance at a supposed difference is that of the clusters' sums about it, with a pair of
pseudo-clusters: at 0 the sign-flip variance and a continuity pair of the smallest difference that
occurs; away from 0 a pair of the clusters' mean size, one at each end of the range. A difference
also needs as much discordance as its own size (Tango 1998). The interval is the set of supposed
differences that are not rejected, so that p < alpha exactly where it leaves out 0.

Below p = .05 the normal tail is too heavy for a few clusters that differ: nine single pairs in one
direction have p = .0067 by it, and .0039 by McNemar's exact test. There p is also held to the
binomial tail of as many equal flips as have the fourth moment of the clusters' sums, (sum d^2)^2 /
sum d^4: McNemar's exact test where all that differ differ by as much. Where it rejects what the
normal tail does not, the interval ends just beside 0; no other end depends on it.

Where few clusters differ and the level is high, the score's ends away from 0 are up to twice as far
as they need be. Such an end is therefore no further than the difference of the exact limits of
gains and losses (Clopper and Pearson 1934): where nothing differs, the largest change that all
clusters can miss with a chance of alpha, large ones as likely as is worst. Each limit is missed as
often as that; both at once, as their difference needs where both matter, far less often. Clusters
that differ in part count as that part of one, which is no less than Stringer's bound for such parts
(Bickel 1992).

Differences of means over several forms of an item are skewed, and have a null of their own
(`forms`). Where items stand alone, or nearly all do, p is that of drawing the published form at
random, and at 0 the interval's variance that which makes the normal tail this p; elsewhere the
variance is at least that of such a draw. It fades towards the estimate: if that is the truth, an
item's forms are as unlike as they were seen to be.

Assumptions: clusters are independent, or outcomes share one of two clusterings (see `two_way`);
each single difference lies in [-1, 1]. With up to 3 clusters, or where a few large ones have
most of the pairs, nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import erfc, sqrt
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from horsesense.stats import functions
from horsesense.stats.binomial import limits
from horsesense.stats.forms import Forms, Labels
from horsesense.stats.hidden import Sizes, as_good_as, counted
from horsesense.stats.lost_prompts import Lost
from horsesense.stats.two_way import Clustering, Floats, clusterings

ROUNDING = 1e-12
FEWEST = 4
"""Clusters below which a paired difference has neither interval nor p."""
FEWEST_EVEN = 2.0
"""Clusters of one size that they must be worth, n^2 / sum M^2 (Kish 1965); 1.84 is the least for
an interval at 95 %."""
MOSTLY_ALONE = 1.25
"""Mean size of the clusters that items stand in, up to which forms are labelled anew: items of a
cluster are drawn together there, which costs more than it gives in larger ones that share little
(measured: docs/statistics.md)."""
HINGE = 1.959963984540054
"""The quantile, of p = .05, beyond which tails are those of flips of the clusters."""
BESIDE = 1e-9
"""The end of an interval that leaves out 0 and nothing beyond it."""
FEW_PAIRS = "too few independent clusters to compare"
FEW_LARGE = "a few large independent clusters hold most of the pairs"


class Moments(NamedTuple):
    """Sums over clusters: d the sum of a cluster's differences, M the number of its pairs.

    Attributes:
        dd, dm, mm: sums of d squared, d times M, and M squared.
        size: the sum of |d|.
        fourth: the sum of d to the fourth; 0 where it is not known, which leaves the normal tail.
    """

    dd: float
    dm: float
    mm: float
    size: float
    fourth: float = 0.0


@dataclass(frozen=True, slots=True)
class Paired:
    """All that the inference about one mean difference needs.

    Attributes:
        total: sum of the differences.
        n: number of pairs.
        mean_size: sum of M squared over n (Q); 1 where each cluster has one pair.
        smallest: smallest non-zero |d| of a cluster of at least mean size; 0 where all are 0.
        step: smallest non-zero |d| of any cluster; 0 where all are 0.
        whole: whether all differences are whole numbers, and not means over several forms.
        clusters: how many there are; of two clusterings, the smaller number.
        differing: how many of them have a sum other than 0; of two clusterings, the fewer.
        moments: of the clustering; of two, also of the other and of both together.
        noise: by how much the variance of no difference is larger than the squares; at least 1 but
            for `normal`.
        labels: of items that all or nearly all stand alone, the published form among several drawn
            at random; of positions, the position.
        centre: of a share that is compared with a known one, the known one, from which its
            differences are taken: `estimate`, `interval` and `tail` are of the share.
        least, most: the range of a difference.
        sizes: numbers of pairs that clusters have, and how many have each; of two clusterings none.
        several: whether differences are means over several forms by design, whatever they show.
        lost: of outcomes that share prompts, those whose replies were lost (see `lost`).
    """

    total: float
    n: float
    mean_size: float
    smallest: float
    step: float
    whole: bool
    clusters: int
    differing: int
    moments: tuple[Moments, ...]
    noise: float = 1.0
    labels: Labels | None = field(default=None, compare=False)
    centre: float = 0.0
    least: float = -1.0
    most: float = 1.0
    sizes: Sizes = ()
    several: bool = False
    lost: tuple[Lost, ...] = ()

    @classmethod
    def of(cls, differences: Floats, pairs: Floats, forms: Forms | None = None) -> Self:
        """From the clusters' sums of differences and numbers of pairs, (clusters,) each; and from
        the items' forms, where their differences are means over several."""
        used = pairs > 0
        found = cls._of(forms, Clustering(differences[used], pairs[used]))
        if forms is None or found.mean_size > MOSTLY_ALONE:
            return found
        if forms.cluster is None and pairs.max(initial=0) > 1:
            return found
        return replace(found, labels=forms.labels())

    @classmethod
    def two_way(
        cls,
        differences: Floats,
        first: npt.NDArray[np.intp],
        second: npt.NDArray[np.intp],
        forms: Forms | None = None,
        if_lost: Floats | None = None,
    ) -> Self:
        """From single differences that share a cluster of the first or of the second kind; and,
        where a cluster of the second can be lost, what they then are, (outcomes, ways to lose)."""
        found = cls._of(forms, *clusterings(differences, np.ones(len(differences)), first, second))
        if if_lost is None:
            return found
        return replace(
            found, lost=tuple(Lost.of(differences, each, first, second) for each in if_lost.T)
        )

    @classmethod
    def _of(cls, forms: Forms | None, *parts: Clustering) -> Self:
        """From one clustering, or from the first, the second and their intersection."""
        shown = parts[:2]
        moments = tuple(_moments(part) for part in parts)
        if len(parts) > 1:
            one, other, both = moments
            # The sign of d M is not that of a variance: its sum follows from the other two.
            joint = Moments(
                max(one.dd, other.dd, one.dd + other.dd - both.dd),
                one.dm + other.dm - both.dm,
                max(one.mm, other.mm, one.mm + other.mm - both.mm),
                min(one.size, other.size),
            )
            moments = (one, other, joint)
        n = float(parts[0].m.sum())
        sizes = [float((part.m**2).sum()) / n if n else 0.0 for part in shown]
        return cls(
            total=float(parts[0].x.sum()),
            n=n,
            mean_size=sum(sizes) - (len(sizes) - 1),
            smallest=max(_smallest(part) for part in shown),
            step=min(_step(part) for part in shown),
            whole=_whole(parts[0]),
            clusters=min(len(part.m) for part in shown),
            differing=min(int((np.abs(part.x) > ROUNDING).sum()) for part in shown),
            moments=moments,
            noise=1.0 if forms is None else forms.noise,
            sizes=counted(parts[0].m) if len(parts) == 1 else (),
            several=forms is not None and forms.several,
        )

    def normal(self) -> Self:
        """Without an exact p, for other numbers of items than were seen: with its variance."""
        if self.labels is None:
            return self
        # Differences of copies may cancel, and no sum differ.
        dd = self.moments[0].dd
        return replace(self, labels=None, noise=self.labels.variance / dd if dd else self.noise)

    @property
    def single(self) -> bool:
        """Whether pairs are single outcomes, and not means over several forms."""
        return self.whole and self.labels is None and not self.several

    @property
    def estimate(self) -> float:
        """The mean difference, or the share."""
        return self.centre + self.total / self.n

    def p(self) -> float | None:
        """Two-sided p of no difference; None where there is a `reason`.

        Six pairs that differ, all in one direction, have p < .05, five do not, as in McNemar's
        exact test. It is never below the level at which intervals end: where clusters differ much
        in size, a few of them cannot say more.
        """
        if self.reason:
            return None
        if self.smallest == 0:
            return 1.0
        return max([self._null_p(), *(each.p(abs(self.estimate)) for each in self._against())])

    def _against(self) -> list[Lost]:
        """What further losses would bring the difference nearer to 0, and beyond."""
        return [each for each in self.lost if each.cost * self.total < 0]

    def _null_p(self) -> float:
        if self.labels is not None:
            return max(self.labels.p, erfc(self._furthest() / sqrt(2)))
        return self._tail(self._score())

    def _score(self) -> float:
        """The score at no difference, in standard errors, at most that at which intervals end."""
        variance = self.noise * max(m.dd for m in self.moments) + 2 * self.smallest**2
        return min(abs(self.total) / sqrt(variance), self._furthest())

    def _furthest(self) -> float:
        """The quantile at which intervals end."""
        wide = self.n + 2 * self.mean_size
        return min(wide / sqrt(self._size(m)) for m in self.moments)

    def _tail(self, score: float) -> float:
        """Two-sided p of a score at no difference."""
        p = erfc(score / sqrt(2))
        fourth = self.moments[-1].fourth
        if score <= HINGE or len(self.moments) > 1 or not fourth:
            return p
        beyond = self.smallest**2 - self.step**2, self.smallest**4 - self.step**4
        squares = self.noise * self.moments[0].dd + 2 * beyond[0]
        flips = squares**2 / (fourth + 2 * beyond[1])
        ahead = abs(self.total) * sqrt(flips / squares)
        behind = max((flips - ahead) / 2, 0.0)
        exact = 2 * float(functions.betainc(flips - behind, behind + 1, 0.5))
        return max(min(p, exact), erfc(self._furthest() / sqrt(2)))

    def one_way_ends(self, alpha: float) -> tuple[float, float]:
        """The differences beyond which a total as small as this has a chance of at most `alpha`.

        As if all that differ did so in one direction, by as much as a cluster does (`_lump`): at
        the ends of a range near 0 the number of changes is then binomial, and the score's normal
        tail too light by a factor of 2 to 4 at levels below .005. Nothing is said of an end on the
        other side of 0 than the total, which is the estimate: see `hidden`. But a share above its
        known one may be of few large gains, of which more were lost by chance among many small
        losses: its upper end is at least that of the gains less the losses that were seen.
        """
        differ = [self._lump(m) for m in self.moments if m.size]
        size = max(differ, default=self.mean_size)
        ends = []
        for sign in (-1.0, 1.0):
            seen = sign * self.total / size
            most = max(self.n / size, seen)
            far = self.centre + sign * limits(seen, most, alpha)[1]
            ends.append(min(max(far, self.lowest), 1.0) if seen >= 0 else self.estimate)
        if self.centre:
            gains, losses = ((self.moments[0].size + s * self.total) / 2 for s in (1, -1))
            most = limits(gains / size, max(self.n, gains) / size, alpha)[1]
            ends[1] = max(ends[1], min(self.centre + most - losses / self.n, 1.0))
        return ends[0], ends[1]

    def _lump(self, m: Moments) -> float:
        """By how much a cluster differs, of those that do: a mean weighted by its size.

        Of whole differences by its square, so that one text that changes beside many single items
        does not pass for one of these.
        """
        return sqrt(m.fourth / m.dd) if self.whole and m.fourth else m.dd / m.size

    @property
    def lowest(self) -> float:
        """The lowest value that there can be: of a difference -1, of a share 0."""
        return 0.0 if self.centre else -1.0

    @property
    def reason(self) -> str:
        """Why there is neither p nor interval at any level; "" where there are."""
        if self.clusters < FEWEST:
            return FEW_PAIRS
        return FEW_LARGE if self.n < FEWEST_EVEN * self.mean_size else ""

    def _size(self, m: Moments) -> float:
        """Sum of the squared sizes of the clusters, with those of the pseudo-clusters."""
        return m.mm + 2 * self.mean_size**2

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The differences that are not rejected; None where nothing can be said at this level."""
        if self.reason:
            return None
        z = float(functions.ndtri((1 + level) / 2))
        if z >= self._furthest():
            return None
        sign = -1.0 if self.total < 0 else 1.0
        low = max(min(self._end(m, z, sign, -1) for m in self.moments), -1.0)
        high = min(max(self._end(m, z, sign, 1) for m in self.moments), 1.0)
        if self.sizes and not self.centre:
            least, most = self._exact_ends((1 - level) / 2)
            low, high = max(low, min(least, 0.0)), min(high, max(most, 0.0))
        if self.smallest and self._null_p() < 1 - level:
            low = max(low, BESIDE)
        # The pseudo-clusters draw towards 0, at low levels by more than the interval is wide.
        seen = abs(self.total) / self.n
        low, high = min(low, seen), max(high, seen)
        low, high = (low, high) if sign > 0 else (-high, -low)
        for each in self.lost:
            end = sign * seen + (1 if each.cost > 0 else -1) * each.reach(1 - level)
            low, high = min(low, end), max(high, end)
        return max(self.centre + low, self.lowest), min(self.centre + high, 1.0)

    def _exact_ends(self, alpha: float) -> tuple[float, float]:
        """Gains at least less losses at most, and the reverse, each by its exact limits; mirrored
        for a total below 0. Of clusters of several sizes nothing is sure to be gained or lost."""
        size, total, clusters = (
            self.moments[0].size,
            abs(self.total),
            as_good_as(self.sizes, alpha),
        )
        each, even = self.n / clusters, len(self.sizes) == 1
        gained = limits(min((size + total) / (2 * each), clusters), clusters, alpha)
        lost = limits(max((size - total) / (2 * each), 0.0), clusters, alpha)
        return even * gained[0] - lost[1], gained[1] - even * lost[0]

    def _end(self, m: Moments, z: float, sign: float, end: int) -> float:
        """The lower or upper root of the test's acceptance, mirrored for a total below 0.

        What the null has more, or less, than the squares is there in full at 0 and below, and gone
        at the estimate. What is less goes as squares about a supposed difference do, so that the
        variance is nowhere below both that at 0 and that at the estimate.
        """
        total, dm, q, zz = abs(self.total), sign * m.dm, self.mean_size, z * z
        wide = self.n + 2 * q
        squares = zz * (m.dd + 2 * self.smallest**2)
        more = self._beyond(m, z) - squares if end < 0 else 0.0
        a = wide**2 - zz * self._size(m)
        c = total**2 - squares - more
        far = q * (self.most if sign * end > 0 else -self.least)
        least = zz * self.n * far * far / (2 * (m.size + far))
        b = -total * wide + zz * dm
        if end < 0 and c <= 0:
            return _root(a, b + least, c, end)
        per = self.n / total if total else 0.0
        if more < 0:
            return _root(a - more * per**2, b - least + more * per, c, end)
        return _root(a, b - least + more * per / 2, c, end)

    def _beyond(self, m: Moments, z: float) -> float:
        """The square of the total beyond which no difference is rejected at `z`."""
        if self.labels is None:
            return z * z * (self.noise * m.dd + 2 * self.smallest**2)
        more = self.labels.reach(z) - self.labels.off
        return max(abs(self.total) + self.labels.scale * more, 0.0) ** 2


def _root(a: float, b: float, c: float, sign: int) -> float:
    """A root of a x^2 + 2 b x + c, computed without cancellation."""
    reach = sqrt(max(b * b - a * c, 0.0))
    if sign * b <= 0:
        return (-b + sign * reach) / a
    far = -b - sign * reach
    return c / far if far else 0.0


def _moments(part: Clustering) -> Moments:
    d, m = part
    return Moments(
        float((d**2).sum()),
        float((d * m).sum()),
        float((m**2).sum()),
        float(np.abs(d).sum()),
        float((d**4).sum()),
    )


def _step(part: Clustering) -> float:
    """Smallest |d| above rounding; 0 if all are 0.

    Of means over several forms, which may be as small as you like, it is the sum of d squared over
    that of |d|, in which tiny ones count for little.
    """
    sizes = np.abs(part.x)
    differ = sizes[sizes > ROUNDING]
    if not len(differ):
        return 0.0
    return float(differ.min() if _whole(part) else (differ**2).sum() / differ.sum())


def _whole(part: Clustering) -> bool:
    """Whether all differences are whole numbers, and not means over several forms."""
    return bool((np.abs(part.x - np.round(part.x)) < 1e-6).all())


def _smallest(part: Clustering) -> float:
    """`_step`, or, if larger, the |d| that a cluster of mean size would have at the least rate.

    The second is the smallest |d| / M times Q (of means over forms, that of all that differ): among
    small clusters, a difference of one small cluster would say nothing of the steps in which the
    sum of a few large ones moves.
    """
    differ = np.abs(part.x) > ROUNDING
    if not differ.any():
        return 0.0
    mean_size = float((part.m**2).sum() / part.m.sum())
    sizes, pairs = np.abs(part.x[differ]), part.m[differ]
    rate = (sizes / pairs).min() if _whole(part) else sizes.sum() / pairs.sum()
    return max(_step(part), float(rate) * mean_size)

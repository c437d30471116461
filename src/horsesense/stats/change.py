"""Mean changes between paired replies, in clusters: signs of the clusters' sums drawn at random.

Of "no change", p is the chance of the signs (`flips`): McNemar's exact test of single items. Of any
other change delta the score (S - n delta) / sqrt(V) is held to the normal distribution, where V is
the sum of the squares of d - delta m over the clusters, which is the variance of the signs; or, if
it is larger, what a change of delta needs at least (Tango 1998): n |delta| r - delta^2 sum m^2, if
clusters that change do so by r. The interval is every delta that is not rejected, found from two
quadratic equations.

Outcomes that share an item or a prompt have the variance of both clusterings (`two_way`).
Assumptions: clusters are independent, and a single change lies between -1 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, Self

import numpy as np

from horsesense.stats import flips, functions
from horsesense.stats.two_way import Clustering, Floats, Ints, clusterings

ROUNDING = 1e-9
FEWEST = 8.0
"""Clusters of one size that the clusters must be worth for a verdict on others like them."""
BESIDE = 1e-9
"""The end of an interval that leaves out no change, and nothing beyond it."""
TOO_FEW = "too few independent items or texts"


class _Squares(NamedTuple):
    """Sums over clusters of d squared, d m and m squared."""

    dd: float
    dm: float
    mm: float

    @classmethod
    def of(cls, part: Clustering) -> Self:
        d, m = part
        return cls(float(d @ d), float(d @ m), float(m @ m))


@dataclass(frozen=True, eq=False)
class Change:
    """A mean paired difference, or a share about a known one.

    Attributes:
        parts: sums of differences and numbers of pairs of the clusters; of outcomes that share two
            kinds of clusters, one part for each kind.
        squares: of every part, and of both together.
        centre: what the differences are taken from, where the value is a share: the known one.
        exact: p of "not above the centre", where a better test than that of signs is known.
    """

    parts: tuple[Clustering, ...]
    squares: tuple[_Squares, ...] = field(repr=False)
    centre: float = 0.0
    exact: float | None = None

    @classmethod
    def of(
        cls, differences: Floats, pairs: Floats, centre: float = 0.0, exact: float | None = None
    ) -> Self:
        """From the clusters' sums of differences and numbers of pairs, (clusters,) each."""
        used = pairs > 0
        part = Clustering(differences[used], pairs[used])
        return cls((part,), (_Squares.of(part),), centre, exact)

    @classmethod
    def two_way(cls, differences: Floats, first: Ints, second: Ints) -> Self:
        """From single differences that share a cluster of the first or of the second kind."""
        *parts, both = clusterings(differences, np.ones(len(differences)), first, second)
        one, other = map(_Squares.of, parts)
        joint = _Squares(
            *(a + b - c for a, b, c in zip(one, other, _Squares.of(both), strict=True))
        )
        joint = joint._replace(
            dd=max(one.dd, other.dd, joint.dd), mm=max(one.mm, other.mm, joint.mm)
        )
        return cls(tuple(parts), (one, other, joint))

    @property
    def total(self) -> float:
        """Sum of the differences."""
        return float(self.parts[0].x.sum())

    @property
    def n(self) -> float:
        """Number of pairs."""
        return float(self.parts[0].m.sum())

    @property
    def estimate(self) -> float:
        """The mean difference, or the share."""
        return self.centre + self.total / self.n

    @property
    def clusters(self) -> int:
        """How many there are; of two kinds, the smaller number."""
        return min(len(part.m) for part in self.parts)

    @property
    def worth(self) -> float:
        """How many clusters of one size they are worth, n^2 / sum m^2 (Kish 1965)."""
        return min(self.n**2 / float((part.m**2).sum()) for part in self.parts) if self.n else 0.0

    @property
    def reason(self) -> str:
        """Why there is no interval at 95 %; "" where there is one."""
        return "" if self.worth > 4 else TOO_FEW

    @property
    def error(self) -> float:
        """Standard error if there is no change; of one more cluster that changes."""
        return sqrt(max(s.dd for s in self.squares) + self._lump**2) / self.n

    @property
    def _lump(self) -> float:
        """By how much a cluster changes that does, one that changes as a whole included."""
        size = self.n / self.worth
        each = ((self.squares[i].dd, float(np.abs(p.x).sum())) for i, p in enumerate(self.parts))
        return max((dd + size**2) / (total + size) for dd, total in each)

    def p_above(self, null: float = 0.0) -> float:
        """p of a true value of at most `null`: small where the value lies above."""
        return self._p(null - self.centre, 1)

    def p_below(self, null: float = 0.0) -> float:
        """p of a true value of at least `null`: small where the value lies below."""
        return self._p(null - self.centre, -1)

    def p(self, null: float = 0.0) -> float:
        """Two-sided p of a true value."""
        return min(1.0, 2 * min(self.p_above(null), self.p_below(null)))

    def _p(self, delta: float, sign: int) -> float:
        if abs(delta) > ROUNDING:
            return float(functions.ndtr(-sign * self._score(delta)))
        if self.exact is not None and sign > 0:
            return self.exact
        each = [flips.tail(sign * part.x) for part in self.parts]
        if len(self.parts) > 1:
            each.append(float(functions.ndtr(-sign * self._score(0.0))))
        return max(each)

    def _score(self, delta: float) -> float:
        off = self.total - delta * self.n
        seen = max(s.dd - 2 * delta * s.dm + delta**2 * s.mm for s in self.squares)
        most = max(s.mm for s in self.squares)
        variance = max(seen, self.n * abs(delta) * self._lump - delta**2 * most)
        return off / sqrt(variance) if variance > ROUNDING else 0.0

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """The values that are not rejected; None where nothing can be said at this level."""
        z = float(functions.ndtri((1 + level) / 2))
        if self.reason or z * z >= self.worth:
            return None
        sign = -1.0 if self.total < 0 else 1.0
        ends = [self._accepted(s, z, sign) for s in self.squares]
        low, high = max(min(e[0] for e in ends), -1.0), min(max(e[1] for e in ends), 1.0)
        rejected = self.p(self.centre) < 1 - level
        low = max(low, BESIDE) if rejected else min(low, 0.0)
        low, high = (low, high) if sign > 0 else (-high, -low)
        if not self.centre:
            return low, high
        return max(self.centre + low, 0.0), min(self.centre + high, 1.0)

    def _accepted(self, s: _Squares, z: float, sign: float) -> tuple[float, float]:
        """Between which changes the score is at most z, mirrored for a total below 0."""
        total, n, zz = abs(self.total), self.n, z * z
        c, needed = total**2 - zz * s.dd, zz * n * self._lump / 2
        low, high = _roots(n**2 - zz * s.mm, zz * sign * s.dm - total * n, c)
        least, most = _roots(n**2 + zz * s.mm, -total * n - needed, total**2)
        if c <= 0:
            least, _ = _roots(n**2 + zz * s.mm, needed - total * n, total**2)
        return min(low, least), max(high, most)


def _roots(a: float, b: float, c: float) -> tuple[float, float]:
    """Of a x^2 + 2 b x + c; its least value twice where there are none."""
    reach = sqrt(max(b * b - a * c, 0.0))
    return (-b - reach) / a, (-b + reach) / a

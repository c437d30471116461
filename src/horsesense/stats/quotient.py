"""The quotient of two means of the same items: Fieller's interval (Fieller 1954).

A quotient t is kept where the mean of `above - t * below` can be 0 by Student's test over
clusters. The set is an interval where the mean below is told from 0, and else has no end.

Clusters that differ in size have Student's t for as many equal ones as they are worth (Kish 1965),
and sums freed of their own pull (CR2: Bell and McCaffrey 2002), as in `shares`; with equal sizes
neither changes anything. Assumptions: independent clusters; means that are about normal.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, Self

import numpy as np

from horsesense.stats import functions
from horsesense.stats.smooth import FEWEST, ROUNDING
from horsesense.stats.two_way import Floats, worth


class Quotient(NamedTuple):
    """Two totals over the same clusters, with the variances of the totals.

    Attributes:
        above, below: the totals.
        aa, ab, bb: their variances and covariance.
        clusters: how many there are.
        even: how many clusters of one size they are worth.
    """

    above: float
    below: float
    aa: float
    ab: float
    bb: float
    clusters: int
    even: float

    @classmethod
    def of(cls, above: Floats, below: Floats, n: Floats) -> Self:
        """From sums of each cluster and its number of items, (clusters,) each."""
        used = n > 0
        sums, n = np.column_stack([above, below])[used], n[used]
        k = len(n)
        totals = sums.sum(axis=0)
        rest = sums - n[:, None] * (totals / max(float(n.sum()), 1.0))
        if k > 1:  # freed of what each cluster pulls the means towards itself
            rest /= np.sqrt(1 - n / n.sum())[:, None]
        spread = rest.T @ rest
        variances = float(spread[0, 0]), float(spread[0, 1]), float(spread[1, 1])
        return cls(float(totals[0]), float(totals[1]), *variances, k, worth(n))

    def interval(self, level: float) -> tuple[float, float] | None:
        """The quotients that are not rejected; None where they have no end or nothing varies."""
        if self.even < FEWEST or self.below <= 0:
            return None
        t = float(functions.stdtrit(self.even - 1, (1 + level) / 2)) ** 2
        a = self.below**2 - t * self.bb
        b = self.above * self.below - t * self.ab
        c = self.above**2 - t * self.aa
        if a <= 0 or b * b < a * c:
            return None
        reach = sqrt(b * b - a * c) / a
        return (b / a - reach, b / a + reach) if reach > ROUNDING else None

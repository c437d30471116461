"""A share that a reader counted, corrected by a sample that a person labelled.

With f the reader's 0 or 1 of all N replies, y the person's of n of them, drawn at random, the share
is mean_N(f) + mean_n(y - f): prediction-powered inference (Angelopoulos et al. 2023, lambda = 1).
It is right whatever the reader is; a poor reader makes it wider, not wrong.

Its error has two parts that do not correlate: the mean of y over the N replies varies with the
items (Clopper-Pearson limits of as many trials as the clusters are worth), and the mean of y - f
with which n of the N were drawn, by 1 - n/N of its variance. y - f is the share of +1 less that of
-1, each with Clopper-Pearson limits, so that a sample without a disagreement has a width too.
Distances from the estimate to the limits are added in squares, with the correlation of the two
shares (Zou and Donner 2008). benchmarks/corrected_coverage.py measures the coverage.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from horsesense.stats.binomial import limits
from horsesense.stats.share import Share
from horsesense.stats.two_way import Bools, Ints

Bounded = tuple[float, float, float]
"""A share, and its limits."""


@dataclass(frozen=True)
class Corrected:
    """A reader's share, and what the sample says of it; all as fractions.

    Attributes:
        n, of: labelled replies, and all of them.
        plain: the reader's share over all.
        score: the corrected share; None without a sample.
        alone: the share of the labelled replies alone; None without a sample.
        sensitivity, specificity: of right and of wrong ones (by the person) the share that the
            reader takes for right and for wrong; None where there are none.
        rogan_gladen: (plain + specificity - 1) / (sensitivity + specificity - 1), cut to 0 to 1
            (Rogan and Gladen 1978); None where the divisor is not above 0.
    """

    n: int
    of: int
    plain: float
    score: Bounded | None
    alone: Bounded | None
    sensitivity: Bounded | None
    specificity: Bounded | None
    rogan_gladen: float | None


def corrected(
    read: Bools, sampled: Ints, person: Bools, cluster: Ints, level: float = 0.95
) -> Corrected:
    """The share of right replies, from all that a reader read and some that a person did.

    Args:
        read: whether the reader takes a reply for right, (N,), N above 0.
        sampled: which replies the person labelled, (n,) places without repeats.
        person: whether they are right, (n,).
        cluster: of each reply, (N,) numbers from 0.
        level: of all intervals.
    """
    n, of, alpha = len(sampled), len(read), (1 - level) / 2
    plain, seen = float(read.mean()), read[sampled]

    def share(hits: Bools) -> Bounded | None:
        number = len(hits)
        found = int(hits.sum())
        return (found / number, *limits(found, number, alpha)) if number else None

    sensitivity, specificity = share(seen[person]), share(~seen[~person])
    gain = sensitivity[0] + specificity[0] - 1 if sensitivity and specificity else 0.0
    fair = (plain + specificity[0] - 1) / gain if specificity and gain > 0 else None
    more, less = share(person & ~seen), share(~person & seen)
    score = alone = None
    if more and less:
        labelled = _in_clusters(person, cluster[sampled])
        effective = min(_in_clusters(read, cluster).trials, labelled.trials * of / n)
        alone = _exact(labelled.estimate, labelled.trials, alpha)
        value = min(max(plain + more[0] - less[0], 0.0), 1.0)
        whole = _exact(value, effective, alpha)
        down = sqrt((value - whole[1]) ** 2 + (1 - n / of) * _apart(more, less))
        up = sqrt((whole[2] - value) ** 2 + (1 - n / of) * _apart(less, more))
        score = value, max(value - down, 0.0), min(value + up, 1.0)
    cut = None if fair is None else min(max(fair, 0.0), 1.0)
    return Corrected(n, of, plain, score, alone, sensitivity, specificity, cut)


def _in_clusters(hits: Bools, cluster: Ints) -> Share:
    right, all_of = (np.bincount(cluster, one) for one in (hits, np.ones(len(hits))))
    return Share.of(np.asarray(right, np.float64), np.asarray(all_of, np.float64))


def _exact(share: float, n: float, alpha: float) -> Bounded:
    return (share, *limits(share * n, n, alpha))


def _apart(high: Bounded, low: Bounded) -> float:
    """Squared distance from `high` less `low`, two shares of one sample, to its lower limit."""
    down, up = high[0] - high[1], low[2] - low[0]
    rest = (1 - high[0]) * (1 - low[0])
    against = sqrt(high[0] * low[0] / rest) if rest else 0.0
    return down**2 + up**2 + 2 * against * down * up

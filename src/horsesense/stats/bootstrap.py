"""Cluster bootstrap of any statistic that is a function of per-cluster sums.

Every measure gives, for each cluster, a row of numbers that are added up (hits, trials, ...), and
a function from totals to its value. Resampling clusters then is one product of a matrix of counts
with those rows, shared by all measures of a study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.stats import norm
from scipy.stats import t as student

from horsesense.rng import seed_of

Floats = npt.NDArray[np.float64]
CHUNK = 250


class Resampler:
    """Bootstrap counts of `n` clusters, drawn once and shared by all statistics.

    Args:
        n: number of clusters.
        draws: number of resamples.
        seed: the study's seed.
    """

    def __init__(self, n: int, draws: int = 1000, seed: int = 0) -> None:
        self.n = n
        self.draws = draws
        rng = np.random.default_rng(seed_of(seed, str(n), "bootstrap"))
        counts = np.empty((draws, n), dtype=np.uint8)
        for row in counts:
            # A cluster is drawn 256 times or more with a chance below 1e-500.
            row[:] = np.bincount(rng.integers(0, n, n), minlength=n)
        self._counts = counts

    def totals(self, sums: Floats) -> Floats:
        """Totals of each resample: (draws, d) from per-cluster sums (n, d)."""
        return np.concatenate([chunk @ sums for chunk in self._chunks()])

    def _chunks(self) -> Iterator[Floats]:
        for start in range(0, self.draws, CHUNK):
            yield self._counts[start : start + CHUNK].astype(np.float64)

    def interval(
        self, sums: Floats, value: Callable[[Floats], Floats], level: float = 0.95
    ) -> tuple[Floats, Floats]:
        """Expanded percentile interval of `value(totals)`; shape of one value each.

        `value` maps totals (..., d) to values (..., m). Draws in which it is undefined (NaN) are
        left out. The percentiles are widened by Student's t for the number of clusters that
        contribute (Hesterberg 2015, "What teachers should know about the bootstrap", 4.3).
        """
        values = value(self.totals(sums))
        clusters = int(np.any(sums != 0, axis=1).sum())
        tail = expanded_tail(clusters, level)
        with np.errstate(invalid="ignore"):
            low, high = np.nanquantile(values, [tail, 1 - tail], axis=0)
        return low, high


def expanded_tail(clusters: int, level: float) -> float:
    """Tail probability of the expanded percentile interval for this many clusters."""
    if clusters < 2:
        return 0.0
    widened = np.sqrt(clusters / (clusters - 1)) * student.ppf((1 - level) / 2, clusters - 1)
    return float(norm.cdf(widened))


def by_cluster(values: Floats, cluster: npt.NDArray[np.intp], n: int) -> Floats:
    """Add per-item rows (items, d) up to per-cluster rows (n, d)."""
    out = np.zeros((n, values.shape[1]))
    np.add.at(out, cluster, values)
    return out

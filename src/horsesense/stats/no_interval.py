"""Why there is no interval at a level of confidence: the data allow none, or none so sure."""

from __future__ import annotations

from math import sqrt

from horsesense.stats import functions
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares

NO_INTERVAL = "there is no interval"
"""How sentences say it."""
FEW = "too few independent clusters for so high a level"
UNEVEN = "independent clusters differ too much in size for so high a level"


def why_no_interval(about: Shares | Paired, level: float) -> str:
    """The cause, in words, of a share or difference that has no interval at `level`.

    Where there are intervals at lower levels, these are the ends of the score test: it rejects no
    difference beyond (n + 2Q) / sqrt(sum M^2 + 2Q^2) standard errors, and as many clusters of one
    size would reach sqrt(clusters + 2). Where that is enough, their sizes are the cause.
    """
    if about.reason:
        return about.reason
    even = sqrt(about.clusters + 2)
    return UNEVEN if float(functions.ndtri((1 + level) / 2)) < even else FEW

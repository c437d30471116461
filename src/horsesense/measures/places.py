"""The family of how often a position is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horsesense.measures.families import Family, Inference, PairEvidence, inference, method_of
from horsesense.stats.change import TOO_FEW
from horsesense.stats.relabelled import preference


@dataclass(frozen=True)
class OfPosition(Family):
    """How often a position is chosen, of items in orders that bring each option to each position
    as often; against the mean of 1 / options.

    Attributes:
        place: the position; rows of single items have choices, and then answers, of each.
    """

    place: int

    def infer(self, evidence: PairEvidence, level: float) -> Inference:
        assert evidence.items is not None
        rows, cluster = evidence.items
        choices, trials = np.split(rows, 2, axis=1)
        found = preference(choices, trials, cluster, self.place)
        how = method_of("relabelled positions", found.clusters, evidence)
        ends = found.interval(level)
        return inference(ends, how, f"no interval: {TOO_FEW}")._replace(about=found)

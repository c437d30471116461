"""Families of shares of a position, among items that may differ in their number of options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from horsesense.measures.families import (
    SHARE,
    Evidence,
    Family,
    Inference,
    Items,
    inference,
    method_of,
)
from horsesense.stats.guessed import Guessed
from horsesense.stats.no_interval import why_no_interval
from horsesense.stats.positions import preference
from horsesense.stats.shares import Shares
from horsesense.stats.two_way import by_cluster

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class OfPlace(Family):
    """A share of the answers to items that have a position, which an even spread gives to it with a
    chance of each item's own.

    Attributes:
        place: the position; rows of single items have choices, as if each had the mean chance, and
            then answers, of each.
        chances: what an even spread gives to each item, (items,).
    """

    place: int
    chances: Floats

    def infer(self, evidence: Evidence, level: float) -> Inference:
        """As of any share where all chances are one."""
        if evidence.items is None or evidence.shared is not None:
            return SHARE.infer(evidence, level)
        about, trials, chances, cluster = self._used(evidence.items)
        if (chances == chances[:1]).all():
            return SHARE.infer(evidence, level)
        hits = self._hits(about, trials, chances)
        _, number = np.unique(cluster, return_inverse=True)
        sums = by_cluster(np.column_stack([hits, about, trials]), number, int(number.max()) + 1)
        share = Shares.of_unlike(*sums.T)
        how = method_of("Wilson score", share.clusters, evidence)
        found = inference(share.interval(level), how, f"no interval: {share.reason}")
        return found._replace(about=share)

    def _used(self, items: Items) -> tuple[Floats, Floats, Floats, Ints]:
        """Of the items with answers: choices, answers, chances and clusters, (items,) each."""
        about, trials = (part[:, self.place] for part in np.split(items.rows, 2, axis=1))
        used = trials > 0
        return about[used], trials[used], self.chances[used], items.cluster[used]

    def _hits(self, about: Floats, trials: Floats, chances: Floats) -> Floats:
        """The choices as they were made, whole numbers."""
        even = float(chances @ trials) / float(trials.sum())
        return np.asarray(np.rint(about - (even - chances) * trials))


class OfGuessed(OfPlace):
    """A share of the items that have a position, which guessing hits with a chance of each item's
    own; in tables a share of a place like any other."""

    def infer(self, evidence: Evidence, level: float) -> Inference:
        found = super().infer(evidence, level)
        if evidence.items is None or found.about is None or not isinstance(found.about, Shares):
            return found
        about, trials, chances, cluster = self._used(evidence.items)
        hits = self._hits(about, trials, chances)
        return found._replace(about=Guessed.among(found.about, hits, chances, cluster))


@dataclass(frozen=True)
class OfPosition(Family):
    """How often a position is chosen, of items in orders that bring each option to each position
    as often; against the mean of 1 / options.

    Attributes:
        place: the position; rows of single items have choices, and then answers, of each.
    """

    place: int

    def infer(self, evidence: Evidence, level: float) -> Inference:
        assert evidence.items is not None
        rows, cluster = evidence.items
        choices, trials = np.split(rows, 2, axis=1)
        found = preference(choices, trials, cluster, self.place)
        reason = f"no interval: {why_no_interval(found, level)}"
        how = method_of("relabelled positions", found.clusters, evidence)
        return inference(found.interval(level), how, reason)._replace(about=found)

"""Whether answers prefer a position: its choices against the positions relabelled within items.

Of an item whose orders bring each option to each position as often, a model that reads the options
chooses every position as often as any other, or, where it guesses, might as well have chosen any
other as often. Given how often an item's positions were chosen, each is then the one in question
with the same chance, and the number of its choices in all items is a sum of independent draws
(Pitman's permutation test, 1937). Items that are known choose each position once and add nothing to
its noise. The chance of a number as large is exact, found from the characteristic function (Hong
2013, for sums of unequal coins).

Items of a cluster are relabelled together. Those of other numbers of options, which cannot be, are
drawn with the same quantile, which is as far apart as they can go.

If some items favour the position and others avoid it, it is chosen as often as any other on average
and with more noise than that. Squares of clusters that speak against the total are then larger than
they would be with a preference in one direction, and the variance is larger by what they have in
excess, and those that speak for it in proportion, so that distances count for less. A preference in
one direction tilts the draws, so that larger numbers are more likely by a factor for each choice
(exponential tilting; Esscher 1932), as far as the total goes; what is expected, and its standard
error, are those of tilted draws with this total. Without the tilt a total that noise made large
hides the noise: the same clusters make the one larger and the other smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import lcm, pi, sqrt
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from horsesense.stats.forms import SAME, Labels
from horsesense.stats.paired import Paired
from horsesense.stats.two_way import Floats

Ints = npt.NDArray[np.intp]
LEAST_TAIL = 1e-12
"""Chances below are those of rounding."""
STEEPEST = 40.0
"""Largest tilt: of two numbers of choices, the next larger one is e^40 times as likely."""
HALVINGS = 40


def even_spread(chance: Floats, trials: Floats) -> Floats:
    """The mean chance, (items,), over the trials of each position, (items, positions).

    Exactly the chance where all items have the same; NaN where a position has no trial.
    """
    distinct, which = np.unique(chance, return_inverse=True)
    counts = np.zeros((len(distinct), trials.shape[1]))
    np.add.at(counts, which, trials)
    with np.errstate(invalid="ignore"):
        return np.asarray(distinct @ (counts / counts.sum(axis=0)))


def preference(about: Floats, trials: Floats, cluster: Ints, place: int) -> Paired:
    """How much more often a position is chosen than by an even spread, which is the centre.

    Args:
        about: choices of each position, as if each item had the mean chance of the position
            (`measures.positions`), (items, positions).
        trials: answers of each item that has the position, else 0, (items, positions).
        cluster: number of each item's cluster, (items,).
        place: the position, which was there in at least one answer.
    """
    options = (trials > 0).sum(axis=1)
    chance = 1.0 / np.maximum(options, 1)
    even = np.nan_to_num(even_spread(chance, trials))
    choices = np.rint(about - (even - chance[:, None]) * trials)
    used = trials[:, place] > 0
    choices, answers, options = choices[used], trials[used, place], options[used]
    _, number = np.unique(cluster[used], return_inverse=True)
    sums = np.zeros((int(number.max()) + 1, 2))
    np.add.at(sums, number, np.column_stack([choices[:, place] - answers / options, answers]))
    pairs = Paired.of(sums[:, 0], sums[:, 1])
    labels = _labels(sums[:, 0], [*_kinds(choices, options, number)])
    ends = -1.0 / int(options.min()), 1 - 1.0 / max(int(options.max()), 2)
    return replace(pairs, centre=float(even[place]), labels=labels, least=ends[0], most=ends[1])


class _Kind(NamedTuple):
    """Clusters that are alike: the choices that a position may have there, from 0 on and each with
    the same chance, the least of them, and how many clusters there are."""

    choices: Floats
    clusters: int

    @property
    def off(self) -> Floats:
        """From their mean."""
        return np.asarray(self.choices - self.choices.mean())


def _kinds(choices: Floats, options: Ints, number: Ints) -> Iterator[_Kind]:
    """The kinds of clusters: choices of their positions, in increasing order."""
    together, first, group = np.unique(
        np.column_stack([number, options]), axis=0, return_index=True, return_inverse=True
    )
    sums = np.zeros((len(together), choices.shape[1]))
    np.add.at(sums, group.ravel(), choices)
    mixed = np.bincount(together[:, 0])[together[:, 0]] > 1
    for k in np.unique(options):
        rows = np.sort(sums[~mixed & (options[first] == k), :k], axis=1)
        alike, clusters = np.unique(rows - rows[:, :1], axis=0, return_counts=True)
        yield from (_Kind(row, int(n)) for row, n in zip(alike, clusters, strict=True))
    for one in np.unique(together[mixed, 0]):
        own = np.flatnonzero(together[:, 0] == one)
        many = lcm(*(int(together[g, 1]) for g in own))
        parts = [np.sort(sums[g, : (k := int(together[g, 1]))]).repeat(many // k) for g in own]
        whole = np.sum(parts, axis=0)
        yield _Kind(whole - whole[0], 1)


def _labels(off: Floats, kinds: list[_Kind]) -> Labels | None:
    """The position drawn at random in each cluster; None where it never was off an even spread."""
    if np.abs(off).max() < SAME:
        return None
    variance = sum(kind.clusters * float((kind.off**2).mean()) for kind in kinds)
    total = float(off.sum())
    sign = -1.0 if total < 0 else 1.0
    numbers, shares = _sums(kinds, variance)
    centre = sum(kind.clusters * float(kind.choices.mean()) for kind in kinds)
    ahead = np.round(sign * (numbers - centre) / SAME) * SAME
    order = np.argsort(ahead)
    ahead, beyond = ahead[order], np.cumsum(shares[order][::-1])[::-1]
    # What was seen may lie further away than all that has a chance to speak of.
    ahead, beyond = np.append(ahead, max(ahead[-1], abs(total)) + SAME), np.append(beyond, 0.0)
    # Of both sides, as intervals are: twice the chance of one.
    tails = np.clip(2 * beyond, LEAST_TAIL, 1.0)
    return Labels(
        off=abs(total),
        scale=1.0,
        deviation=sqrt(variance),
        stretch=sqrt(1 + _excess(sign * off, sign, kinds) / variance),
        distances=ahead[ahead >= 0],
        tails=np.minimum.accumulate(tails[ahead >= 0]),
    )


def _sums(kinds: list[_Kind], variance: float) -> tuple[Floats, Floats]:
    """Numbers of choices beyond the least, and the chance of each, to about 1e-13.

    All but those so far from the mean that Bernstein's inequality leaves less than that.
    """
    span = sum(kind.clusters * int(kind.choices.max()) for kind in kinds)
    mean = sum(kind.clusters * float(kind.choices.mean()) for kind in kinds)
    most = max(float(kind.choices.max()) for kind in kinds)
    reach = 10 * most + sqrt(100 * most**2 + 60 * variance)
    size = int(min(span, 2 * reach)) + 2
    turn = -2j * pi / size * np.arange(size // 2 + 1)
    product = np.ones(len(turn), dtype=np.complex128)
    for kind in kinds:
        values, counts = np.unique(kind.choices, return_counts=True)
        chance = counts / counts.sum()
        product *= (np.exp(np.outer(turn, values)) @ chance) ** kind.clusters
    numbers = np.arange(size) + max(0, round(mean) - size // 2)
    return numbers.astype(np.float64), np.fft.irfft(product, size)[numbers % size]


def _excess(ahead: Floats, sign: float, kinds: list[_Kind]) -> float:
    """By how much the variance is larger than relabelling's if some clusters favour the position
    and others avoid it; 0 where what speaks against the total is no more than a preference leaves.
    """
    drawn = _Drawn.of(sign, kinds)
    even, tilted = drawn.chances(0.0), drawn.chances(drawn.tilt(float(ahead.sum())))
    against = np.minimum(drawn.off, 0.0) ** 2
    noise = drawn.variances(tilted, against, against)
    other = drawn.variances(tilted, drawn.off, drawn.off)
    if other > 0:
        # Of studies with this total, which is what the tilt was chosen by.
        noise -= drawn.variances(tilted, drawn.off, against) ** 2 / other
    more = float((np.minimum(ahead, 0.0) ** 2).sum()) - drawn.mean(tilted, against)
    more = max(more - sqrt(max(noise, 0.0)), 0.0)
    return more * drawn.mean(even, drawn.off**2) / drawn.mean(even, against) if more else 0.0


class _Drawn(NamedTuple):
    """What clusters of some kinds may be off an even spread by, one kind after the other.

    Attributes:
        off: all that there may be, in the direction of the total.
        first, sizes: where each kind begins, and how many it has.
        clusters: of each kind.
    """

    off: Floats
    first: Ints
    sizes: Ints
    clusters: Floats

    @classmethod
    def of(cls, sign: float, kinds: list[_Kind]) -> Self:
        sizes = np.array([len(kind.choices) for kind in kinds])
        clusters = np.array([float(kind.clusters) for kind in kinds])
        off = np.concatenate([sign * kind.off for kind in kinds])
        return cls(off, np.cumsum(sizes) - sizes, sizes, clusters)

    def chances(self, tilt: float) -> Floats:
        """Of each, times the clusters, if more choices are more likely by a factor of e^tilt."""
        top = np.maximum.reduceat(self.off, self.first).repeat(self.sizes)
        weights = np.exp(tilt * (self.off - top))
        each = self.clusters / np.add.reduceat(weights, self.first)
        return np.asarray(weights * each.repeat(self.sizes))

    def tilt(self, total: float) -> float:
        """At which clusters are together off by so much, on average; at most `STEEPEST`."""
        low, high = 0.0, STEEPEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            less = self.mean(self.chances(middle), self.off) < total
            low, high = (middle, high) if less else (low, middle)
        return low

    def mean(self, chances: Floats, values: Floats) -> float:
        """Of the sum over the clusters."""
        return float((chances * values).sum())

    def variances(self, chances: Floats, one: Floats, other: Floats) -> float:
        """Covariance of two such sums."""
        means = (np.add.reduceat(chances * x, self.first) for x in (one, other))
        product = next(means) * next(means) / self.clusters
        return float((chances * one * other).sum() - product.sum())

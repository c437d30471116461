"""Labels drawn anew: positions within items, and right answers among the options.

If the label says nothing, each of an item's labels is the one in question with the same chance,
given how often each was chosen. The number of its choices in all items is then a sum of independent
draws, whose chance is exact (Pitman 1937), found from the characteristic function.

- A position is preferred: over orders that bring each option to each position as often, each of an
  item's positions is the one in question. Items that are known choose each position once and add
  nothing. Items of a cluster are relabelled together; those of other numbers of options, which
  cannot be, are drawn with one quantile, as far apart as they can go.
- Better than guessing: each of an item's options is the right one, given how often each was chosen
  in all orders. Who always answers one position chooses each option once, and is right once in
  k orders whatever is drawn; who always chooses one option is right in all orders or in none.
  Copies of an item have one right option between them: they are one item here.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm, pi, sqrt
from typing import NamedTuple

import numpy as np

from horsesense.stats.change import Change
from horsesense.stats.two_way import Floats, Ints, by_cluster

ROUNDING = 1e-6
LEAST = 1e-15
"""Chances below are those of rounding."""


class _Kind(NamedTuple):
    """Clusters that are alike: numbers of choices of their labels, from 0 on, and how many there
    are."""

    choices: Floats
    clusters: int


def even_spread(chance: Floats, trials: Floats) -> Floats:
    """The mean chance, (items,), over the trials of each position, (items, positions).

    Exactly the chance where all items have the same; NaN where a position has no trial.
    """
    distinct, which = np.unique(chance, return_inverse=True)
    counts = np.zeros((len(distinct), trials.shape[1]))
    np.add.at(counts, which, trials)
    with np.errstate(invalid="ignore"):
        return np.asarray(distinct @ (counts / counts.sum(axis=0)))


def preference(about: Floats, trials: Floats, cluster: Ints, place: int) -> Change:
    """How often a position is chosen, about an even spread.

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
    columns = np.column_stack([choices[:, place] - answers / options, answers])
    off, pairs = by_cluster(columns, number, int(number.max()) + 1).T
    p = tail([*_kinds(choices, options, number)], float(off.sum()))
    return Change.of(off, pairs, float(even[place]), p)


def better_than_guessing(choices: Floats, options: Ints, right: Floats) -> float:
    """p of guesses, given how often each option was chosen.

    Args:
        choices: how often each item's options were chosen in all orders, (items, options); those
            of copies are summed, option by option.
        options: how many each item has, (items,).
        right: how often the right one was, (items,).
    """
    kinds = [*_kinds(choices, options, np.arange(len(options)))]
    return tail(kinds, float((right - choices.sum(axis=1) / options).sum()))


def tail(kinds: list[_Kind], off: float) -> float:
    """The chance of a number of choices as far above its mean, or further."""
    mean = sum(kind.clusters * float(kind.choices.mean()) for kind in kinds)
    variance = sum(kind.clusters * float(kind.choices.var()) for kind in kinds)
    if variance < ROUNDING:
        return 1.0
    numbers, chances = _sums(kinds, mean, variance)
    return float(np.clip(chances[numbers >= mean + off - ROUNDING].sum(), LEAST, 1.0))


def _kinds(choices: Floats, options: Ints, number: Ints) -> Iterator[_Kind]:
    """The kinds of clusters: choices of their labels, in increasing order, less the fewest."""
    together, first, group = np.unique(
        np.column_stack([number, options]), axis=0, return_index=True, return_inverse=True
    )
    sums = by_cluster(choices, group.ravel(), len(together))
    mixed = np.bincount(together[:, 0])[together[:, 0]] > 1
    for k in np.unique(options):
        rows = np.sort(sums[~mixed & (options[first] == k), :k], axis=1)
        alike, clusters = np.unique(rows, axis=0, return_counts=True)
        yield from (_Kind(row, int(n)) for row, n in zip(alike, clusters, strict=True))
    for one in np.unique(together[mixed, 0]):
        own = np.flatnonzero(together[:, 0] == one)
        many = lcm(*(int(together[g, 1]) for g in own))
        parts = [np.sort(sums[g, : (k := int(together[g, 1]))]).repeat(many // k) for g in own]
        yield _Kind(np.sum(parts, axis=0), 1)


def _sums(kinds: list[_Kind], mean: float, variance: float) -> tuple[Floats, Floats]:
    """Numbers of choices and the chance of each, to about 1e-13: all but those so far from the mean
    that Bernstein's inequality leaves less than that."""
    span = sum(kind.clusters * int(kind.choices.max()) for kind in kinds)
    most = max(float(kind.choices.max()) for kind in kinds)
    reach = 10 * most + sqrt(100 * most**2 + 60 * variance)
    size = int(min(span, 2 * reach)) + 2
    turn = -2j * pi / size * np.arange(size // 2 + 1)
    product = np.ones(len(turn), dtype=np.complex128)
    for kind in kinds:
        values, counts = np.unique(kind.choices, return_counts=True)
        product *= (np.exp(np.outer(turn, values)) @ (counts / counts.sum())) ** kind.clusters
    numbers = np.arange(size) + max(0, round(mean) - size // 2)
    return numbers.astype(np.float64), np.fft.irfft(product, size)[numbers % size]

"""What replies would show without any fault: guesses, and a model that never answers differently.

Better than guessing: over all orders that were asked, each option of an item is the right one with
the same chance, given how often each was chosen (`stats.relabelled`).

A model that never differs when it is asked again shows no noise there, and yet guesses differently
in every form. The noise of its answers is how often they differ between two orders of the same
options, item by item.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

from horsesense.findings.evidence import Evidence
from horsesense.measures.cells import MISSING, NO_OPTION, Bools, Cell
from horsesense.measures.contrast import REPEAT, paired
from horsesense.measures.estimate import LeftOpen
from horsesense.measures.joined import ORIGINAL
from horsesense.stats.change import Change
from horsesense.stats.relabelled import better_than_guessing
from horsesense.stats.two_way import Floats, Ints, by_cluster

ORDER = "order"


class Guesses:
    """What the cells of a run say of its noise.

    Args:
        cells: of all readers.
        cluster: number of each item's cluster, (items,).
    """

    def __init__(self, cells: Iterable[Cell], cluster: Ints) -> None:
        self._cells = {(c.probe, c.reader, c.condition): c for c in cells}
        self._cluster = cluster

    def p(self, e: Evidence) -> float | None:
        """p of guesses, over the orders that show each option in each position as often; None
        where no such orders were asked: the score is then held against its own share."""
        cell = self._orders(e.reader)
        if cell is None:
            return None
        k, width = cell.k, int(cell.k.max(initial=0))
        used = (cell.gold_at >= 0).any(axis=1) & (cell.asked.sum(axis=1) == k)
        chosen = np.stack([(cell.option == o).sum(axis=1) for o in range(width)], axis=1)
        right = (cell.correct == 1).sum(axis=1)
        if not used.any():
            return None
        chosen = _lost_to_wrong(cell, chosen)
        return better_than_guessing(chosen[used].astype(float), k[used], right[used].astype(float))

    def _orders(self, reader: str) -> Cell | None:
        """The cell of the cyclic orders that most items have."""
        found = [
            c
            for (probe, by, condition), c in self._cells.items()
            if probe == ORDER and by == reader and condition.get("design", "").startswith("cyclic")
        ]
        return max(found, key=lambda c: len(c.item), default=None)

    @cached_property
    def _never_differs(self) -> frozenset[str]:
        """Readers of whom no item was answered differently when asked again."""
        found = set()
        for (probe, reader, _), again in self._cells.items():
            first = self._of(ORIGINAL, reader)
            if probe != REPEAT or first is None:
                continue
            mine, theirs = paired(again, first)
            one, two = again.option[mine], first.option[theirs][:, :1]
            both = again.valid[mine] & first.valid[theirs][:, :1]
            if both.any() and not (both & (one != two)).any():
                found.add(reader)
        return frozenset(found)

    def _of(self, probe: str, reader: str) -> Cell | None:
        return next((c for (p, r, _), c in self._cells.items() if (p, r) == (probe, reader)), None)

    def unknown_noise(self, e: Evidence) -> bool:
        """Whether nothing tells how often such a model answers differently without any reason."""
        return e.reader in self._never_differs and self.beyond_orders(e) is None

    def beyond_orders(self, e: Evidence) -> Evidence | None:
        """By how much more often a form changes answers than another order of the options does,
        and what missing replies leave open of it; None where asking again shows the noise, or
        fewer than two other orders were asked."""
        if e.reader not in self._never_differs:
            return None
        here = self._cells.get((e.probe, e.reader, e.condition))
        first, orders = self._of(ORIGINAL, e.reader), self._orders(e.reader)
        if here is None or first is None or orders is None:
            return None
        size = len(self._cluster)
        about = self._beyond(_switches(here, first, size), _between(orders, size))
        if about is None:
            return None
        unknown = None
        if any((cell.status == MISSING).any() for cell in (here, first, orders)):
            least, most = (
                self._beyond(_switches(here, first, size, so), _between(orders, size, not so))
                for so in (False, True)
            )
            unknown = None if least is None or most is None else LeftOpen(least, most, None)
        return replace(e, about=about, unknown=unknown)

    def _beyond(self, changed: Floats, noise: Floats) -> Change | None:
        items = np.flatnonzero(~np.isnan(changed) & ~np.isnan(noise))
        if not len(items):
            return None
        columns = np.column_stack([(changed - noise)[items], np.ones(len(items))])
        _, number = np.unique(self._cluster[items], return_inverse=True)
        sums = by_cluster(columns, number, int(number.max()) + 1)
        return Change.of(sums[:, 0], sums[:, 1])


def _lost_to_wrong(cell: Cell, chosen: Ints) -> Ints:
    """The choices of each option if every missing reply was the wrong one that was chosen most.

    No better reply can be supposed of what is missing, and none that leaves more to chance.
    """
    rows = np.arange(len(cell.item))
    right = cell.correct == 1
    gold = np.where(right.any(axis=1), cell.option[rows, right.argmax(axis=1)], NO_OPTION)
    shut = np.arange(chosen.shape[1]) >= cell.k[:, None]
    shut |= np.arange(chosen.shape[1]) == gold[:, None]
    found = chosen.copy()
    found[rows, np.where(shut, -1, chosen).argmax(axis=1)] += (cell.status == MISSING).sum(axis=1)
    return found


def _switches(cell: Cell, first: Cell, size: int, lost_differ: bool | None = None) -> Floats:
    """How often each item's replies choose another option than as published, NaN where neither;
    of what is missing, supposed to do so or not."""
    mine, theirs = paired(cell, first)
    one, two = cell.option[mine], first.option[theirs][:, :1]
    both = cell.valid[mine] & first.valid[theirs][:, :1]
    both &= (one != NO_OPTION) & (two != NO_OPTION)
    lost = (cell.status[mine] == MISSING) | (first.status[theirs][:, :1] == MISSING)
    lost &= cell.asked[mine]
    return _mean(cell.item[mine], *_supposing(both & (one != two), both, lost, lost_differ), size)


def _between(orders: Cell, size: int, lost_differ: bool | None = None) -> Floats:
    """How often two orders of an item disagree, over all pairs of orders; of what is missing,
    supposed to do so or not."""
    pairs = [*combinations(range(orders.option.shape[1]), 2)]
    if not pairs:
        return np.full(size, np.nan)
    left, right = np.array(pairs).T
    chosen = orders.valid & (orders.option != NO_OPTION)
    both = chosen[:, left] & chosen[:, right]
    differ = both & (orders.option[:, left] != orders.option[:, right])
    gone = orders.status == MISSING
    lost = (gone[:, left] | gone[:, right]) & orders.asked[:, left] & orders.asked[:, right]
    return _mean(orders.item, *_supposing(differ, both, lost, lost_differ), size)


def _supposing(hits: Bools, among: Bools, lost: Bools, differ: bool | None) -> tuple[Bools, Bools]:
    """Hits, and among what, if what is missing counts as one, or as none; None: left out."""
    return (hits, among) if differ is None else (hits | (lost & differ), among | lost)


def _mean(item: Ints, hits: Bools, among: Bools, size: int) -> Floats:
    found, n = np.full(size, np.nan), among.sum(axis=1)
    found[item[n > 0]] = (hits.sum(axis=1) / np.maximum(n, 1))[n > 0]
    return found

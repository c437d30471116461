"""What replies would show without any fault: guesses, and a model that never answers differently.

Better than guessing: over all orders that were asked, each option of an item is the right one with
the same chance, given how often each was chosen (`stats.relabelled`). Copies of an item have one
right option between them, by its text.

A model that never differs when it is asked again shows no noise there, and yet guesses differently
in every form. The noise of its answers is how often they differ between two orders of the same
options, item by item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any, Final, NamedTuple, Self, cast

import numpy as np

from horsesense.findings.evidence import Evidence, Way
from horsesense.items.item import ItemSet, same_text
from horsesense.measures.cells import MISSING, Bools, Cell
from horsesense.measures.contrast import (
    REPEAT,
    SwitchBeyondOrders,
    SwitchBeyondRepeat,
    neutral,
    paired,
    right,
)
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.joined import ORIGINAL
from horsesense.stats.relabelled import better_than_guessing
from horsesense.stats.two_way import Floats, Ints, by_cluster
from horsesense.trials.condition import Condition

BEYOND_ORDERS = SwitchBeyondOrders()
INSTEAD: Final = {SwitchBeyondRepeat.name: BEYOND_ORDERS.name}
"""By what a model is judged that never differs when asked again, for what it would be judged by."""
MOST_DRAWN = 1_000
"""Items up to which a change may hang on a few skewed differences."""


class Copies(NamedTuple):
    """Items that ask the same and have the same right answer.

    Attributes:
        number: one for each item and all its copies, (items,).
        places: of items with copies, where each option stands among theirs.
    """

    number: Ints
    places: Mapping[int, Ints]

    @classmethod
    def of(cls, items: ItemSet) -> Self:
        """Those of a set, found by their texts (`ItemSet.copies`)."""
        number, places = np.arange(len(items)), dict[int, Ints]()
        at = {item.id: n for n, item in enumerate(items)}
        for group in items.copies:
            first = dict[str | None, int]()
            for item in group:
                texts, n = [*map(same_text, item.options)], at[item.id]
                number[n] = first.setdefault(None if item.gold is None else texts[item.gold], n)
                places[n] = np.argsort(np.argsort(texts, kind="stable"))
        return cls(number, places)

    def contents(self, cell: Cell) -> Ints:
        """Which option each reply chose, (items, trials), by numbers that copies share."""
        found = cell.option.astype(np.intp)
        for row in np.flatnonzero(np.isin(cell.item, [*self.places])):
            own = found[row]
            place = self.places[int(cell.item[row])]
            found[row] = np.where(own >= 0, place[np.maximum(own, 0)], own)
        return found


class Guesses:
    """What the cells of a run say of its noise.

    Args:
        cells: of all readers.
        cluster: number of each item's cluster, (items,).
        copies: items that ask the same; None where there are none.
    """

    def __init__(self, cells: Iterable[Cell], cluster: Ints, copies: Copies | None = None) -> None:
        self._cells = {(c.probe, c.reader, c.condition): c for c in cells}
        self._cluster = cluster
        self._copies = copies or Copies(np.arange(len(cluster)), {})

    def p(self, e: Evidence) -> float | None:
        """p of guesses, over the orders that show each option in each position as often; None
        where no such orders were asked: the score is then held against its own share."""
        cell = self._orders(e.reader)
        if cell is None:
            return None
        cell = cell.of_items((cell.gold_at >= 0).any(axis=1) & (cell.asked.sum(axis=1) == cell.k))
        if not len(cell.item):
            return None
        chosen = self._copies.contents(cell)[:, :, None] == np.arange(width := int(cell.k.max()))
        right = chosen & (cell.correct == 1)[:, :, None]
        counts = [chosen.sum(axis=1), right.sum(axis=1), (cell.status == MISSING).sum(axis=1)]
        _, first, number = np.unique(
            self._copies.number[cell.item], return_index=True, return_inverse=True
        )
        sums = by_cluster(np.column_stack(counts), number, len(first))
        choices, hits, lost = sums[:, :width], sums[:, width:-1], sums[:, -1]
        options = cell.k[first]
        _lose_to_wrong(choices, hits > 0, options, lost)
        return better_than_guessing(choices, options, hits.sum(axis=1))

    def first_drawn(self, e: Evidence, way: Way) -> float:
        """p that the reply in the original order is one drawn from all replies to its item.

        Where many replies stand beside one, random signs take too little for chance: guesses are
        seldom right, so that the differences of a few items are skewed. 0.0 where each item has one
        reply, where there are too many items for that to matter, and of groups.
        """
        here, first = self._cells.get(_where_asked(e)), self._of(ORIGINAL, e.reader)
        if here is None or first is None or e.group:
            return 0.0
        mine, theirs = paired(here, first)
        hits, among = (np.asarray(found)[mine] for found in right(here))
        hit, known = (np.asarray(found)[theirs] for found in right(first))
        m, used = among.sum(axis=1), (known.sum(axis=1) == 1) & among.any(axis=1)
        if m.max(initial=0) < 2 or used.sum() > MOST_DRAWN:
            return 0.0
        own = np.any((hit & known)[used], axis=1)
        share = ((hits & among)[used].sum(axis=1) + own) / (m[used] + 1)
        chance = reduce(lambda pmf, p: np.convolve(pmf, [1 - p, p]), share, np.ones(1))
        at = int(own.sum())
        fewer, more = float(chance[: at + 1].sum()), float(chance[at:].sum())
        return {"above": fewer, "below": more}.get(way, min(1.0, 2 * min(fewer, more)))

    def _orders(self, reader: str) -> Cell | None:
        """The cell of the cyclic orders that most items have."""
        found = [c for c in self._cells.values() if c.reader == reader and neutral(c)]
        return max(found, key=lambda c: len(c.item), default=None)

    @cached_property
    def _never_differs(self) -> frozenset[str]:
        """Readers of whom no item was answered differently when asked again."""
        told = differs([*self._cells.values()])
        return frozenset(reader for reader, any_does in told.items() if not any_does)

    def _of(self, probe: str, reader: str) -> Cell | None:
        return next((c for (p, r, _), c in self._cells.items() if (p, r) == (probe, reader)), None)

    def unknown_noise(self, e: Evidence) -> bool:
        """Whether nothing tells how often such a model answers differently without any reason."""
        return e.reader in self._never_differs and self.beyond_orders(e) is None

    def beyond_orders(self, e: Evidence) -> Evidence | None:
        """By how much more often a form changes answers than another order of the options does,
        and what missing replies leave open of it; None where asking again shows the noise, or
        fewer than two other orders were asked."""
        return self._beyond.get(_where_asked(e)) if e.reader in self._never_differs else None

    @cached_property
    def _beyond(self) -> dict[tuple[str, str, Condition], Evidence]:
        context = Context("", "", self._cluster, cast(Any, lambda *where: None))
        found = found_all([*self._cells.values()], [BEYOND_ORDERS], context)
        return {_where_asked(e): e.open_ended() for e in filter(None, map(Evidence.of, found))}


def differs(cells: Sequence[Cell]) -> dict[str, bool]:
    """Whether any item was answered differently when asked again, by reader; without those of
    whom there is nothing to compare."""
    first = {c.reader: c for c in cells if c.probe == ORIGINAL and not c.condition}
    found: dict[str, bool] = {}
    for again in cells:
        if again.probe == REPEAT and again.reader in first:
            hits, among = BEYOND_ORDERS.changes(again.against(first[again.reader]))
            if among.any():
                found[again.reader] = found.get(again.reader, False) or bool((hits & among).any())
    return found


def _where_asked(e: Evidence) -> tuple[str, str, Condition]:
    return e.probe, e.reader, e.condition


def _lose_to_wrong(choices: Floats, right: Bools, options: Ints, lost: Floats) -> None:
    """Count every missing reply as the wrong option that was chosen most.

    No better reply can be supposed of what is missing, and none that leaves more to chance.
    """
    shut = (np.arange(choices.shape[1]) >= options[:, None]) | right
    choices[np.arange(len(lost)), np.where(shut, -1, choices).argmax(axis=1)] += lost

"""What replies would show without any fault: guesses, and a model that never answers differently.

Better than guessing: over all orders that were asked, each option of an item is the right one with
the same chance, given how often each was chosen (`stats.relabelled`). Copies of an item have one
right option between them, by its text.

Where each item was asked in one order, right answers may stand more often in the positions that the
model chooses more often: what that gives is neither knowledge nor a leak (`Guesses.by_position`).

A model that never differs when it is asked again shows no noise there, and yet guesses differently
in every form. The noise of its answers is how often they differ between two orders of the same
options, item by item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Self, cast

import numpy as np

from horsesense.findings.evidence import Evidence, Way
from horsesense.items.item import ItemSet, same_text
from horsesense.measures import contrast
from horsesense.measures.base import item_means
from horsesense.measures.cells import MISSING, Bools, Cell
from horsesense.measures.contrast import REPEAT, Counting
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.joined import ORIGINAL, in_wording_of
from horsesense.stats.relabelled import ROUNDING, better_than_guessing
from horsesense.stats.two_way import Floats, Ints, by_cluster
from horsesense.trials.condition import Condition

BEYOND_ORDERS = contrast.SwitchBeyondOrders()
INSTEAD: Final = {contrast.AnswerSwitchBeyondRepeat.name: BEYOND_ORDERS.name}
"""By what a model is judged that never differs when asked again, for what it would be judged by."""
AS_WELL = "over all orders, guesses would do as well"
"""Why a score whose own interval leaves guessing out is not shown to be better."""
MOST_WORTH = 2.0
"""Trials that one is worth at most where its position tells most of whether it is right."""
MOST_DRAWN = 1_000
"""Clusters up to which a change may hang on a few skewed differences."""


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

    def by_position(self, e: Evidence, whole: bool = True) -> tuple[float, float] | None:
        """The share that would be right if the positions chosen did not depend on the texts, and
        how many trials each is worth against it.

        A choice is right as often as right answers stand in its position, among items with as many
        options and one more that is even, so that no item tells its own. A missing reply chooses
        the best position; one that chooses nothing guesses evenly. What varies by position alone
        varies in both shares alike, and is no noise of their difference (the variance over
        permutations: Hoeffding 1951). None of groups, and of the score where orders tell more, all
        of which were asked (`whole`).
        """
        cell = self._cells.get(_where_asked(e))
        ordered = whole and e.probe == ORIGINAL and self._orders(e.reader) is not None
        if cell is None or e.group or ordered or e.measure != "accuracy":
            return None
        k, shown = np.broadcast_to(cell.k[:, None], cell.gold_at.shape), cell.gold_at >= 0
        places = np.arange(cell.k.max(initial=1) + 1)
        even = np.where(places < places[:, None], 1 / np.maximum(places, 1)[:, None], 0)
        gold, chosen = np.zeros((2, *even.shape))
        for counts, at in ((gold, cell.gold_at), (chosen, cell.position)):
            used = shown & (at >= 0)
            np.add.at(counts, (k[used], at[used]), 1)
        share, choice = (
            (counts + even) / (counts.sum(axis=1, keepdims=True) + 1) for counts in (gold, chosen)
        )
        lost = cell.status == MISSING
        right = np.where(lost, share.max(axis=1)[k], 1 / k)
        right = np.where(cell.position >= 0, share[k, np.maximum(cell.position, 0)], right) * shown
        means = item_means(right, cell.known if e.unknown is None else cell.known | lost)
        if not means.any():
            return None
        of, q = gold.sum(axis=1), (share * choice).sum(axis=1)
        apart = of @ (q + q**2 - (share * choice * (share + choice)).sum(axis=1))
        worth = min(MOST_WORTH, float(of @ (q - q**2)) / max(float(apart), ROUNDING))
        return float(means[:, 0].sum() / means[:, 1].sum()), worth

    def drawn(self, e: Evidence, way: Way) -> float:
        """p that what a form changes is chance: that a reply is one drawn from all to its item.

        Of accuracy it is the reply in the original order, or in the form's own wording where that
        was asked (as of accuracy_change), and all are those under the form too. Of another option
        chosen, where asking again never differs, it is the reply under the form, and all are those
        in other orders too. Where many replies stand beside one, random signs take too little for
        chance: the differences of a few clusters are skewed. 0.0 where not one reply stands beside
        many, where there are too many clusters for that to matter, and of groups.
        """
        here, first = self._cells.get(_where_asked(e)), self._of(ORIGINAL, e.reader)
        if here is None or first is None or e.group:
            return 0.0
        if e.measure == "accuracy_change":
            base = in_wording_of(here, self._cells.values()) or first
            fewer, more = self._drawn(base, here, contrast.right)
            return {"above": fewer, "below": more}.get(way, min(1.0, 2 * min(fewer, more)))
        orders = self._orders(e.reader)
        if e.reader not in self._never_differs or orders is None:
            return 0.0
        one, others = (c.among(first.item).against(first) for c in (here, orders.changed()))
        return self._drawn(one, others, contrast.AnswerSwitchBeyondRepeat().changes)[1]

    def _drawn(self, one: Cell, others: Cell, counted: Counting) -> tuple[float, float]:
        """p of so few hits, and of so many, were each item's one reply drawn from its replies in
        both cells: the same one of all items of a cluster, which may be copies."""
        rows, width = contrast.paired(one, others), one.option.shape[1]
        hits, among = (
            np.column_stack([found[at] for found, at in zip(both, rows, strict=True)])
            for both in zip(counted(one), counted(others), strict=True)
        )
        n = among[:, width:].sum(axis=1)
        used = np.flatnonzero((among[:, :width].sum(axis=1) == 1) & (n > 0))
        number = np.unique(self._cluster[one.item[rows[0][used]]], return_inverse=True)[1]
        if n[used].max(initial=0) < 2 or number.max(initial=0) >= MOST_DRAWN:
            return 0.0, 0.0
        chance = np.ones(1)
        for cluster in range(number.max(initial=-1) + 1):
            replies = [hits[row, among[row]] for row in used[number == cluster]]
            every = np.lcm.reduce([len(each) for each in replies])
            counts = np.sum([np.resize(each, every) for each in replies], axis=0)
            chance = np.convolve(chance, np.bincount(counts) / every)
        at = int((hits & among)[used, :width].sum())
        return float(chance[: at + 1].sum()), float(chance[at:].sum())

    def _orders(self, reader: str) -> Cell | None:
        """The cell of the cyclic orders that most items have."""
        found = [c for c in self._cells.values() if c.reader == reader and contrast.neutral(c)]
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

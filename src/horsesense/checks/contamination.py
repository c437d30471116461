"""Has a model seen the items? The rank of the published order of options among permutations.

A model that was trained on a set finds the options likelier in the order in which they were
published than in others (Ni and others 2024; for the order of items Oren and others 2023). Where
published orders are exchangeable with any other order, the published one's rank is uniform for
every model that has not seen it, whatever the model prefers: the test is then valid without a
second model. Orders that follow a rule are not exchangeable. Options that are numbers, or that
point at one another, are left out, and orders that are sorted by the alphabet or by length more
(or less) often than by chance forbid the test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import erfc, factorial, sqrt
from typing import Final

import numpy as np

from horsesense.checks.shares import letter
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, order_dependent, repeats_options
from horsesense.models.base import Asked, Model
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.progress import Progress
from horsesense.rng import Dice, seed_of

ORDERS: Final = 8
"""Orders scored for each item, the published one among them."""
FEWEST: Final = 20
"""Items below which the normal distribution of the mean rank is not relied on."""
SORTED: Final = 0.01
"""Level at which orders count as sorted, for each of two ways of sorting."""


@dataclass(frozen=True)
class Contamination:
    """What the published orders tell.

    Attributes:
        n: items that were scored.
        left_out: items whose order has a meaning, or that could not be scored.
        rank: mean relative rank of the published order, 0 (least likely) to 1; 0.5 by chance.
        p: one-sided p that it ranks higher than by chance; None where the test is not valid.
        reason: why it is not valid; "" where it is.
        ranks: item id -> its relative rank.
    """

    n: int
    left_out: int
    rank: float | None
    p: float | None
    reason: str
    ranks: dict[str, float]

    def sentence(self, model: str) -> str:
        """What was found, in words."""
        if self.rank is None or self.p is None:
            return f"Whether {model} prefers the published orders cannot be told: {self.reason}."
        told = "is likelier than by chance" if self.p < 0.05 else "is not likelier than by chance"
        return (
            f"To {model} the published order of the options {told}: mean relative rank"
            f" {self.rank:.2f} among {ORDERS} orders of {self.n:,} items (0.50 by chance,"
            f" p = {self.p:.2g}; {self.left_out:,} items left out)."
        )


async def contamination(
    items: ItemSet, model: Model, *, most: int = 100, seed: int = 0
) -> Contamination:
    """Test whether a model that scores texts prefers the published orders.

    Args:
        model: one that has been entered.
        most: items to score, drawn by the seed.
        seed: of the items and the orders.

    Raises:
        UsageError: the items have no options of their own.
        ModelError: the model cannot be reached.
    """
    if items.kind != "choice":
        raise UsageError("The items have no options of their own whose order could be known.")
    suited = [item for item in items if exchangeable(item)]
    sorts = sorted_by(suited)
    if sorts:
        why = f"the published options are sorted by {' and '.join(sorts)}"
        return Contamination(0, len(items), None, None, why, {})
    ranked = sorted(suited, key=lambda item: seed_of(seed, item.id, "contamination"))[:most]
    if len(ranked) < FEWEST:
        why = f"{len(ranked)} items have options in no order, and {FEWEST} are needed"
        return Contamination(0, len(items), None, None, why, {})
    if not (await model.capabilities()).continuations:
        why = f"{model.name} does not score texts, as a model hf:NAME does"
        return Contamination(0, len(items), None, None, why, {})
    shown = Progress("scoring orders", len(ranked))
    scores = []
    for item in ranked:
        scores.append(await _scores(item, model, orders(item, seed)))
        shown(1)
    shown.close()
    known = {i.id: s for i, s in zip(ranked, scores, strict=True) if s is not None}
    left_out = len(items) - len(suited) + len(ranked) - len(known)
    if len(known) < FEWEST:
        why = f"only {len(known)} items could be scored, and {FEWEST} are needed"
        return Contamination(len(known), left_out, None, None, why, {})
    ranks = {item: relative_rank(s, 0) for item, s in known.items()}
    rank, p = rank_test([len(s) for s in known.values()], list(ranks.values()))
    return Contamination(len(known), left_out, rank, p, "", ranks)


def exchangeable(item: Item) -> bool:
    """Whether the order of an item's options can be without a meaning."""
    if len(item.options) < 3 or order_dependent(item.options) or repeats_options(item.options):
        return False
    return not any(char.isdigit() for option in item.options for char in option)


def sorted_by(items: Sequence[Item]) -> list[str]:
    """By what the published orders are sorted, up or down, more than by chance.

    The number of pairs in descending order has, over random orders, the mean k (k - 1) / 4 and
    the variance k (k - 1) (2 k + 5) / 72 (Kendall's tau); ties count half.
    """
    found = []
    ways = {"the alphabet": lambda text: text.casefold(), "length": len}
    for name, key in ways.items():
        total = expected = variance = 0.0
        for item in items:
            values = [key(option) for option in item.options]
            k = len(values)
            total += sum((a > b) + 0.5 * (a == b) for a, b in combinations(values, 2))
            expected += k * (k - 1) / 4
            variance += k * (k - 1) * (2 * k + 5) / 72
        if variance and erfc(abs(total - expected) / sqrt(2 * variance)) < SORTED:
            found.append(name)
    return found


def orders(item: Item, seed: int) -> list[tuple[int, ...]]:
    """The published order first, then others by chance, all different."""
    k = len(item.options)
    published = tuple(range(k))
    if factorial(k) <= ORDERS:
        return [published, *(p for p in permutations(published) if p != published)]
    found = {published: None}
    repetition = 0
    while len(found) < ORDERS:
        drawn = Dice(seed, item.id, "contamination", repetition).permutation(k)
        found[drawn] = None
        repetition += 1
    return list(found)


def relative_rank(scores: Sequence[float], place: int) -> float:
    """Rank of one score among all, from 0 to 1; ties in the middle."""
    values = np.asarray(scores)
    below = (values < values[place]).sum() + 0.5 * ((values == values[place]).sum() - 1)
    return float((below + 0.5) / len(values))


def rank_test(sizes: Sequence[int], ranks: Sequence[float]) -> tuple[float, float]:
    """Mean relative rank and its one-sided p under uniform ranks (normal; ties only lower it)."""
    variance = sum((m * m - 1) / (12 * m * m) for m in sizes)
    z = (sum(ranks) - 0.5 * len(ranks)) / sqrt(variance)
    return float(np.mean(ranks)), 0.5 * erfc(z / sqrt(2))


async def _scores(item: Item, model: Model, shown: Sequence[tuple[int, ...]]) -> list[float] | None:
    """Log-probability of the listed options after the question, in each order."""
    request = request_of(item, shown)
    answer = (await model.respond([Asked(request.key(model.identity), request)]))[0]
    if not isinstance(answer, Response):
        return None
    texts = request.params.continuations
    if any(text not in answer.continuations for text in texts):
        return None
    return [answer.continuations[text][0] for text in texts]


def request_of(item: Item, shown: Sequence[tuple[int, ...]]) -> Request:
    """The question as plain text, with every order of the options as a continuation."""
    text = f"{item.context}\n{item.question}" if item.context else item.question
    continuations = tuple(listed(item, order) for order in shown)
    return Request(None, text, SamplingParams(max_tokens=0, continuations=continuations))


def listed(item: Item, order: Sequence[int]) -> str:
    """The options in an order, as benchmarks print them."""
    return "".join(f"\n{letter(n)}. {item.options[at]}" for n, at in enumerate(order))

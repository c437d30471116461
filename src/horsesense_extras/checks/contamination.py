"""Has a model seen the items? The rank of the published order of options among permutations.

A model that was trained on a set finds the options likelier in the order in which they were
published than in others (Ni and others 2024; for the order of items Oren and others 2023). A model
that merely knows the answers may like to see the right one first, and few benchmarks spread their
golds evenly: so the gold stays where it is, and the published order is compared with other orders
of the wrong options alone. Where these are exchangeable, its rank is uniform for every model that
has not seen it, whatever the model prefers: the test is then valid without a second model. Orders
that follow a rule are not exchangeable. Options that are numbers, or that point at one another, are
left out. Of sorted orders the test is told how far they are sorted: a model that ranked orders by
the alphabet or by length alone would give the published ones a mean rank other than 0.5, and only
what lies above that is evidence.

Completion: given the options but the last, does the model go on with the published one?
"""

from __future__ import annotations

import asyncio
import re
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
from horsesense.stats import functions
from horsesense.stats.words import plural

ORDERS: Final = 8
"""Orders scored for each item at most, the published one among them."""
FEWEST: Final = 20
"""Items below which the normal distribution of the mean rank is not relied on."""
SORTED: Final = 0.2
"""Distance of the mean rank from 0.5, by sortedness alone, from which on there is no test."""


@dataclass(frozen=True)
class Contamination:
    """What the published orders tell.

    Attributes:
        n: items that were scored.
        left_out: items whose order has a meaning, or that could not be scored.
        rank: mean relative rank of the published order, 0 (least likely) to 1.
        chance: the highest mean rank that a model which has not seen the items would give by
            chance alone: 0.5 and as much as the orders are sorted.
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
    chance: float = 0.5

    def sentence(self, model: str) -> str:
        """What was found, in words."""
        if self.rank is None or self.p is None:
            return f"Whether {model} prefers the published orders cannot be told: {self.reason}."
        told = "is likelier than by chance" if self.p < 0.05 else "is not likelier than by chance"
        return (
            f"To {model} the published order of the options {told}: mean relative rank"
            f" {self.rank:.2f} among orders that leave the right answer in its place, {self.n:,}"
            f" items (up to {self.chance:.2f} by chance, p = {self.p:.2g};"
            f" {plural(self.left_out, 'item')}"
            " left out)."
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
    ranked = sorted(suited, key=lambda item: seed_of(seed, item.id, "contamination"))[:most]
    if len(ranked) < FEWEST:
        return Contamination(0, len(items), None, None, too_few(len(ranked), items), {})
    way, chance = most_sorted(ranked, seed)
    if chance > 0.5 + SORTED:
        why = f"the published options are too often sorted by {way}"
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
        why = f"only {plural(len(known), 'item')} could be scored, and {FEWEST} are needed"
        return Contamination(len(known), left_out, None, None, why, {})
    ranks = {item: relative_rank(s, 0) for item, s in known.items()}
    rank, p = rank_test([len(s) for s in known.values()], list(ranks.values()), chance)
    return Contamination(len(known), left_out, rank, p, "", ranks, chance)


def too_few(n: int, items: ItemSet) -> str:
    """Why there is no test, where so few items are suited."""
    if all(item.gold is None for item in items):
        return "the right answers are not known, and have to be kept in their places"
    return f"{plural(n, 'item', 'have')} wrong options in no order, and {FEWEST} are needed"


def exchangeable(item: Item) -> bool:
    """Whether the order of an item's wrong options can be without a meaning."""
    if item.gold is None or len(item.options) < 3:
        return False
    if order_dependent(item.options) or repeats_options(item.options):
        return False
    return not any(char.isdigit() for option in item.options for char in option)


def most_sorted(items: Sequence[Item], seed: int) -> tuple[str, float]:
    """By what published orders are sorted most, up or down, and the mean rank, 0.5 to 1, that a
    model would give them if it ranked orders by nothing else."""
    ways = {"the alphabet": lambda text: text.casefold(), "length": len}
    found = [("nothing", 0.5)]
    for name, key in ways.items():
        ranks = []
        for item in items:
            values = [key(option) for option in item.options]
            shown = ([values[at] for at in order] for order in orders(item, seed))
            rising = [sum((a < b) - (a > b) for a, b in combinations(v, 2)) for v in shown]
            ranks.append(relative_rank(rising, 0))
        found.append((name, 0.5 + abs(float(np.mean(ranks)) - 0.5)))
    return max(found, key=lambda way: way[1])


def orders(item: Item, seed: int) -> list[tuple[int, ...]]:
    """The published order first, then others of the wrong options by chance, all different."""
    wrong = [at for at in range(len(item.options)) if at != item.gold]

    def placed(others: Sequence[int]) -> tuple[int, ...]:
        return with_gold(item, [wrong[at] for at in others])

    k = len(wrong)
    if factorial(k) <= ORDERS:
        return [placed(order) for order in permutations(range(k))]
    found = {placed(range(k)): None}
    repetition = 0
    while len(found) < ORDERS:
        drawn = Dice(seed, item.id, "contamination", repetition).permutation(k)
        found[placed(drawn)] = None
        repetition += 1
    return list(found)


def with_gold(item: Item, wrong: Sequence[int]) -> tuple[int, ...]:
    """An order of the wrong options, with the right one, where there is one, in its place."""
    if item.gold is None:
        return tuple(wrong)
    return (*wrong[: item.gold], item.gold, *wrong[item.gold :])


def relative_rank(scores: Sequence[float], place: int) -> float:
    """Rank of one score among all, from 0 to 1; ties in the middle."""
    values = np.asarray(scores)
    below = (values < values[place]).sum() + 0.5 * ((values == values[place]).sum() - 1)
    return float((below + 0.5) / len(values))


def rank_test(
    sizes: Sequence[int], ranks: Sequence[float], chance: float = 0.5
) -> tuple[float, float]:
    """Mean relative rank and its one-sided p under uniform ranks with the mean `chance` (normal;
    ties and a `chance` above 0.5 only lower the variance)."""
    variance = sum((m * m - 1) / (12 * m * m) for m in sizes)
    z = (sum(ranks) - chance * len(ranks)) / sqrt(variance)
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


WORDS: Final = 5
"""First words of the left-out option that must be repeated, or all where it has fewer."""
TOKENS: Final = 24
SORTED_P: Final = 0.05
"""Level at which what stands last counts as sorted, for each of two ways of sorting."""
INSTRUCTION: Final = (
    "Here is the beginning of a published test item. Go on with it word for word from where it"
    " stops, and write nothing else.\n\n"
)


@dataclass(frozen=True)
class Completion:
    """How often the last option was completed.

    Attributes:
        n: items that were asked in both orders.
        left_out: items whose order has a meaning, whose right answer is last, or without a reply.
        published, other: items completed in the published order, and in another one.
        p: one-sided, that the published order is completed more often (McNemar, exact); None where
            the test is not valid.
        reason: why it is not valid; "" where it is.
    """

    n: int
    left_out: int
    published: int
    other: int
    p: float | None
    reason: str

    def sentence(self, model: str) -> str:
        """What was found, in words."""
        if self.p is None:
            return f"Whether {model} completes the items from memory cannot be told: {self.reason}."
        told = "more often" if self.p < 0.05 else "not more often"
        return (
            f"{model} completes the last option {told} in the published order than in another:"
            f" {self.published:,} and {self.other:,} of {plural(self.n, 'item')}"
            f" (p = {self.p:.2g}; {plural(self.left_out, 'item')} left out)."
        )


async def completion(items: ItemSet, model: Model, *, most: int = 100, seed: int = 0) -> Completion:
    """Test whether a model goes on with the options as they were published.

    Args:
        model: one that has been entered.
        most: items to ask, drawn by the seed; two requests each.
        seed: of the items and the other orders.

    Raises:
        UsageError: the items have no options of their own.
        ModelError: the model cannot be reached.
    """
    if items.kind != "choice":
        raise UsageError("The items have no options of their own whose order could be known.")
    suited = [i for i in items if exchangeable(i) and i.gold != len(i.options) - 1]
    ranked = sorted(suited, key=lambda item: seed_of(seed, item.id, "completion"))[:most]
    if reason := _invalid(items, ranked, seed):
        return Completion(0, len(items), 0, 0, None, reason)
    offers = await model.capabilities()
    if not offers.text:
        return Completion(0, len(items), 0, 0, None, f"{model.name} generates no text")
    asker = _Asker(model, offers.completion, Progress("completing options", 2 * len(ranked)))
    pairs = await asyncio.gather(*(asker.pair(item, seed) for item in ranked))
    asker.progress.close()
    asked = [(one, two) for one, two in pairs if one is not None and two is not None]
    left_out = len(items) - len(suited) + len(ranked) - len(asked)
    if len(asked) < FEWEST:
        reason = f"only {plural(len(asked), 'item', 'were')} answered, and {FEWEST} are needed"
        return Completion(len(asked), left_out, 0, 0, None, reason)
    published, other = (sum(hits) for hits in zip(*asked, strict=True))
    return Completion(len(asked), left_out, published, other, sign_test(asked), "")


def sign_test(pairs: Sequence[tuple[bool, bool]]) -> float:
    """One-sided p that the first of each pair is true more often; ties tell nothing."""
    more = sum(one and not two for one, two in pairs)
    differ = sum(one != two for one, two in pairs)
    return float(functions.binom.sf(more - 1, differ, 0.5)) if differ else 1.0


def completes(reply: str, option: str) -> bool:
    """Whether a reply begins with the first words of an option, but for case and punctuation."""
    wanted, said = _words(option)[:WORDS], _words(reply)
    return bool(wanted) and said[: len(wanted)] == wanted


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _invalid(items: ItemSet, ranked: Sequence[Item], seed: int) -> str:
    """Why there is no test: too few items, or published orders that tell what comes last."""
    if len(ranked) < FEWEST:
        last = sum(item.gold == len(item.options) - 1 for item in items)
        where = f"; in {plural(last, 'item')} the right answer is the last, which is not left out"
        return too_few(len(ranked), items) + where * bool(last)
    ways = {"the alphabet": lambda text: text.casefold(), "length": len}
    for name, key in ways.items():
        pairs = [[key(item.options[o[-1]]) for o in _two_orders(item, seed)] for item in ranked]
        later = sum(one > two for one, two in pairs)
        differ = sum(one != two for one, two in pairs)
        if differ and functions.binomtest(later, differ).pvalue < SORTED_P:
            return f"the published options are too often sorted by {name}"
    return ""


def _two_orders(item: Item, seed: int) -> tuple[Sequence[int], Sequence[int]]:
    """The published order and another one of the wrong options, which ends with another one."""
    published, repetition = tuple(range(len(item.options))), 0
    others = [at for at in published if at != item.gold]
    while True:
        drawn = Dice(seed, item.id, "completion", repetition).permutation(len(others))
        if drawn[-1] != len(others) - 1:
            return published, with_gold(item, [others[at] for at in drawn])
        repetition += 1


class _Asker:
    """Asks as many at once as the model likes."""

    def __init__(self, model: Model, plain: bool, progress: Progress) -> None:
        self.model = model
        self.plain = plain
        self.progress = progress
        self._free = asyncio.Semaphore(model.max_connections)

    async def pair(self, item: Item, seed: int) -> tuple[bool | None, bool | None]:
        """Whether the last option is completed, in the published order and in another one."""
        published, other = _two_orders(item, seed)
        return await self._hit(item, published), await self._hit(item, other)

    async def _hit(self, item: Item, order: Sequence[int]) -> bool | None:
        label = letter(len(order) - 1)
        shown = f"{item.context}\n{item.question}" if item.context else item.question
        shown += listed(item, order[:-1]) + f"\n{label}."
        params = SamplingParams(max_tokens=TOKENS)
        if self.plain:
            request = Request(None, shown, params)
        else:
            request = Request((("user", INSTRUCTION + shown),), None, params)
        async with self._free:
            [answer] = await self.model.respond([Asked(request.key(self.model.identity), request)])
        self.progress(1)
        if not isinstance(answer, Response):
            return None
        return completes(re.sub(rf"^\s*{label}[.)]\s", "", answer.text), item.options[order[-1]])

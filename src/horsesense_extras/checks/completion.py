"""Does a model complete the options word for word as they were published?

A model that has learnt a set by heart goes on with the next option where the text breaks off (Xu
and others 2024, n-gram accuracy). How often a clean model does so by guessing is not known, so the
same is asked with the wrong options in another order. The right one stays where it is, and is never
the one to complete: a model that knows the answer would name it unseen. Where the orders of wrong
options are exchangeable, a model that has not seen them completes both equally often. It needs
generated text alone, which every server gives.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from horsesense.checks.shares import letter
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.models.base import Asked, Model
from horsesense.models.messages import Request, Response, SamplingParams
from horsesense.progress import Progress
from horsesense.rng import Dice, seed_of
from horsesense.stats import functions
from horsesense_extras.checks.contamination import FEWEST, exchangeable, listed, too_few, with_gold

WORDS: Final = 5
"""First words of the left-out option that must be repeated, or all where it has fewer."""
TOKENS: Final = 24
SORTED: Final = 0.05
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
            f" {self.published:,} and {self.other:,} of {self.n:,} items"
            f" (p = {self.p:.2g}; {self.left_out:,} items left out)."
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
        reason = f"only {len(asked)} items were answered, and {FEWEST} are needed"
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
        where = f"; in {last:,} items the right answer is the last, which is not left out"
        return too_few(len(ranked), items) + where * bool(last)
    ways = {"the alphabet": lambda text: text.casefold(), "length": len}
    for name, key in ways.items():
        pairs = [[key(item.options[o[-1]]) for o in _orders(item, seed)] for item in ranked]
        later = sum(one > two for one, two in pairs)
        differ = sum(one != two for one, two in pairs)
        if differ and functions.binomtest(later, differ).pvalue < SORTED:
            return f"the published options are too often sorted by {name}"
    return ""


def _orders(item: Item, seed: int) -> tuple[Sequence[int], Sequence[int]]:
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
        published, other = _orders(item, seed)
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

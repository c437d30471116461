"""Has a model seen the set? By the orders that it prefers, and by what it completes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from horsesense.items.item import Item, ItemSet
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Response
from horsesense.rng import unit
from horsesense_extras.checks.contamination import (
    completes,
    completion,
    contamination,
    most_sorted,
    rank_test,
    relative_rank,
    sign_test,
)

WORDS = ("apple", "bread", "cider", "dates", "eggs", "figs", "grape", "honey")


class Scorer(HoldsNothing):
    """Scores at random, higher where the right option, if it knows it, comes first; to one that
    has seen the items, the published order is likelier."""

    name = identity = "scorer"
    batch_size = max_connections = 1

    def __init__(self, published: dict[str, str], right: Iterable[Item] = ()) -> None:
        self.published = published
        self.right = {item.question: item.options[item.gold or 0] for item in right}

    async def capabilities(self) -> Capabilities:
        return Capabilities(continuations=True)

    async def respond(self, batch: Sequence[Asked]) -> list[Response]:
        request = batch[0].request
        question = request.text or ""
        seen, right = self.published.get(question), self.right.get(question, "-")

        def likes(text: str) -> float:
            first = text.startswith(f"\nA. {right}\n")
            return unit(text.encode(), question.encode()) + 0.5 * (text == seen) + 0.3 * first

        scores = {text: (likes(text), 1) for text in request.params.continuations}
        return [Response("", None, continuations=scores)]


def made(n: int, seed: int = 0, golds: Sequence[float] = (0.25,) * 4) -> ItemSet:
    rng = np.random.default_rng(seed)
    drawn = ((tuple(rng.choice(WORDS, 4, replace=False)), rng.choice(4, p=golds)) for _ in range(n))
    items = (
        Item(f"q{i}", f"{seed} {i}?", shown, int(gold)) for i, (shown, gold) in enumerate(drawn)
    )
    return ItemSet("made", "choice", tuple(items))


def listed(item: Item) -> str:
    return "".join(f"\n{'ABCD'[n]}. {text}" for n, text in enumerate(item.options))


def test_a_model_that_has_seen_the_orders_is_found() -> None:
    items = made(60)
    seen = Scorer({item.question: listed(item) for item in items})
    found = asyncio.run(contamination(items, seen))
    assert found.p < 0.001
    assert "likelier than by chance" in found.sentence("m")


@pytest.mark.thorough
def test_false_alarms_on_clean_models() -> None:
    """200 clean sets at 5 %: more than 19 rejections would come once in 250 such tests."""
    results = [asyncio.run(contamination(made(20, seed), Scorer({}))) for seed in range(200)]
    assert sum(r.p is not None and r.p < 0.05 for r in results) <= 19
    assert sum(r.p is None for r in results) <= 12


@pytest.mark.parametrize(
    "golds",
    [
        (1, 0, 0, 0),
        pytest.param((0, 0, 0, 1), marks=pytest.mark.slow),
        pytest.param((0.32, 0.26, 0.22, 0.2), marks=pytest.mark.slow),
    ],
)
def test_a_model_that_knows_the_answers_has_not_seen_the_orders(golds: Sequence[float]) -> None:
    """Wherever golds stand: GPQA puts all of them first, MedMCQA too many."""
    sets = [made(40, seed, golds) for seed in range(100)]
    results = [asyncio.run(contamination(items, Scorer({}, items))) for items in sets]
    assert sum(r.p is not None and r.p < 0.05 for r in results) <= 11
    assert sum(r.p is None for r in results) <= 6


def test_the_rank_test_has_its_level() -> None:
    rng = np.random.default_rng(1)
    ranks = (rng.integers(8, size=(4_000, 30)) + 0.5) / 8
    p = np.array([rank_test([8] * 30, row)[1] for row in ranks])
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.012)
    assert relative_rank([3.0, 1.0, 2.0, 4.0], 0) == 0.625


def test_orders_with_a_rule_forbid_the_test() -> None:
    items = ItemSet(
        "made",
        "choice",
        tuple(Item(i.id, i.question, tuple(sorted(i.options)), 0) for i in made(60)),
    )
    assert most_sorted(items.items, 0)[0] == "the alphabet"
    found = asyncio.run(contamination(items, Scorer({})))
    assert found.p is None
    assert "sorted by the alphabet" in found.sentence("m")


FIRST = (1, 0, 0, 0)
"""The right answer is the first option."""


class Reciter(HoldsNothing):
    """Completes with a word by chance; some texts it knows by heart."""

    name = identity = "reciter"
    batch_size = 1
    max_connections = 8

    def __init__(
        self,
        known: Sequence[Item] = (),
        *,
        chat: bool = False,
        share: float = 1.0,
        knows_answers: bool = False,
    ) -> None:
        self.knows_answers = knows_answers
        self.known = {item.question: item for item in known}
        self.chat = chat
        self.share = share

    async def capabilities(self) -> Capabilities:
        return Capabilities(completion=not self.chat)

    async def respond(self, batch: Sequence[Asked]) -> list[Response | Failure]:
        request = batch[0].request
        text = request.text or (request.messages or (("", ""),))[0][1]
        assert (request.text is None) == self.chat
        lines = text.split("\n")
        item = next((i for q, i in self.known.items() if q in lines), None)
        draw = unit(text.encode(), b"recite")
        if item is not None and self.knows_answers:
            right = item.options[item.gold or 0]
            return [Response(f" {right}" if not any(right in line for line in lines) else " ?")]
        if item is not None and draw < self.share:
            published = [
                f"{letter}. {option}" for letter, option in zip("ABCD", item.options, strict=True)
            ]
            if lines[-4:-1] == published[:3]:
                return [Response(f" {item.options[-1]}\nAnswer: A")]
        return [Response(WORDS[int(draw * 8)])]


@pytest.mark.parametrize("chat", [False, True])
def test_a_model_that_remembers_completes(chat: bool) -> None:
    items = made(60, golds=FIRST)
    found = asyncio.run(completion(items, Reciter(items.items, chat=chat, share=0.5)))
    assert found.p < 0.001
    assert found.published > found.other
    assert "more often in the published order" in found.sentence("m")


@pytest.mark.slow
def test_false_alarms_of_completion_on_clean_models() -> None:
    """The exact test is below its level: with 200 sets more than 19 rejections are no chance."""
    results = [asyncio.run(completion(made(40, seed, FIRST), Reciter())) for seed in range(200)]
    assert sum(r.p is not None and r.p < 0.05 for r in results) <= 19
    assert sum(r.published + r.other for r in results) > 1_000, "guesses do hit"


def test_a_model_that_knows_the_answers_has_not_seen_the_items() -> None:
    """It would name a right option that is not listed: that one is never left out."""
    items = made(60, golds=(0.2, 0.2, 0.2, 0.4))
    found = asyncio.run(completion(items, Reciter(items.items, knows_answers=True)))
    assert (found.published, found.other) == (0, 0)
    assert found.left_out == sum(item.gold == 3 for item in items)
    last = asyncio.run(completion(made(60, golds=(0, 0, 0, 1)), Reciter()))
    assert last.p is None


def test_what_counts_as_completed() -> None:
    assert completes(" The cat sat on the mat, and", "the cat sat on the sofa")
    assert not completes("The cat sat in", "the cat sat on the sofa")
    assert completes("Mercury.", "mercury")
    assert not completes("", "mercury")
    assert not completes("!", "!")
    assert sign_test([(True, True), (False, False)]) == 1.0
    assert sign_test([(True, False)] * 5) == pytest.approx(1 / 32)

"""The test by order: valid where orders are exchangeable, silent where they are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import pytest

from horsesense.items.item import Item, ItemSet
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Response
from horsesense.rng import unit
from horsesense_extras.checks.contamination import (
    contamination,
    most_sorted,
    rank_test,
    relative_rank,
)

WORDS = ("apple", "bread", "cider", "dates", "eggs", "figs", "grape", "honey")


class Scorer:
    """Scores at random, higher where the right option, if it knows it, comes first; to one that
    has seen the items, the published order is likelier."""

    name = identity = "scorer"
    batch_size = max_connections = 1

    def __init__(self, published: dict[str, str], right: Iterable[Item] = ()) -> None:
        self.published = published
        self.right = {item.question: item.options[item.gold or 0] for item in right}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None

    async def capabilities(self) -> Capabilities:
        return Capabilities(continuations=True)

    def count_tokens(self, request: object) -> None:
        return None

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
    items = tuple(
        Item(
            f"q{i}",
            f"{seed} {i}?",
            tuple(rng.choice(WORDS, 4, replace=False)),
            int(rng.choice(4, p=golds)),
        )
        for i in range(n)
    )
    return ItemSet("made", "choice", items)


def listed(item: Item) -> str:
    return "".join(f"\n{'ABCD'[n]}. {text}" for n, text in enumerate(item.options))


def test_a_model_that_has_seen_the_orders_is_found() -> None:
    items = made(60)
    seen = Scorer({item.question: listed(item) for item in items})
    found = asyncio.run(contamination(items, seen))
    assert found.p is not None
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

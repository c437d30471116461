"""Completion of options: found in a model that remembers, silent in one that does not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Self

import numpy as np
import pytest

from horsesense.items.item import Item, ItemSet
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Response
from horsesense.rng import unit
from horsesense_extras.checks.contamination import completes, completion, sign_test

WORDS = ("apple", "bread", "cider", "dates", "eggs", "figs", "grape", "honey")


class Reciter:
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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None

    async def capabilities(self) -> Capabilities:
        return Capabilities(completion=not self.chat)

    def count_tokens(self, request: object) -> None:
        return None

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


def made(n: int, seed: int = 0, golds: Sequence[float] = (1, 0, 0, 0)) -> ItemSet:
    rng = np.random.default_rng(seed)
    places = rng.choice(4, n, p=golds)
    items = tuple(
        Item(f"q{i}", f"{seed} {i}?", tuple(rng.choice(WORDS, 4, replace=False)), int(places[i]))
        for i in range(n)
    )
    return ItemSet("made", "choice", items)


@pytest.mark.parametrize("chat", [False, True])
def test_a_model_that_remembers_is_found(chat: bool) -> None:
    items = made(60)
    found = asyncio.run(completion(items, Reciter(items.items, chat=chat, share=0.5)))
    assert found.p is not None
    assert found.p < 0.001
    assert found.published > found.other
    assert "more often in the published order" in found.sentence("m")


@pytest.mark.slow
def test_false_alarms_on_clean_models() -> None:
    """The exact test is below its level: with 200 sets more than 19 rejections are no chance."""
    results = [asyncio.run(completion(made(40, seed), Reciter())) for seed in range(200)]
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

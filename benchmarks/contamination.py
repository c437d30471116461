"""False alarms and power of the test by order, on SmolLM2 before and after training on items.

    python benchmarks/contamination.py ../shared/data/medmcqa/medmcqa_dev.jsonl.gz 200 2

Options are shuffled first, so that the "published" orders are exchangeable by construction. The
clean model gives the false alarms: any of the scored orders is declared the published one, 10,000
times. The trained model has seen each item in its published order as often as the last argument
says; power is the share of 2,000 samples of 30, 60 and 100 of them, drawn with replacement, that
are found out.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import torch

from horsesense.items.item import Item
from horsesense.items.load import load_items
from horsesense.models.base import Asked
from horsesense.models.messages import Response
from horsesense.rng import Dice
from horsesense_extras.checks.contamination import (
    exchangeable,
    listed,
    orders,
    rank_test,
    relative_rank,
    request_of,
)
from horsesense_extras.models.hf.local import LocalModel
from horsesense_extras.models.hf.tokens import Tokens
from horsesense_extras.models.hf.weights import find_weights, load

RATE = 2e-5


def shuffled(item: Item) -> Item:
    """The item with its options in an order of our own, which is published from now on."""
    order = Dice(1, item.id, "shuffle").permutation(len(item.options))
    gold = None if item.gold is None else order.index(item.gold)
    return replace(item, options=tuple(item.options[at] for at in order), gold=gold)


def scores(model: LocalModel, items: list[Item]) -> list[list[float]]:
    """Log-probabilities of every order of every item, the published one first."""
    found = []
    for item in items:
        request = request_of(item, orders(item, 0))
        answer = model.answer([Asked(request.key("x"), request)])[0]
        assert isinstance(answer, Response), answer
        found.append([answer.continuations[t][0] for t in request.params.continuations])
    return found


def train(model: LocalModel, items: list[Item], epochs: int) -> None:
    """Full fine-tuning on question and options in the published order."""
    torch.manual_seed(0)
    network = model.model.train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.0)
    for epoch in range(epochs):
        for item in items:
            text = item.question + listed(item, range(len(item.options)))
            ids = torch.tensor([model.tokens._completion(text)])
            loss = network(input_ids=ids, labels=ids).loss
            loss.backward()
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        print(f"epoch {epoch + 1}: last loss {loss.item():.2f}", flush=True)
    network.eval()


def rejected(found: list[list[float]], places: np.ndarray, rows: np.ndarray) -> float:
    """The p of the test on some items, with the published order at given places."""
    ranks = [relative_rank(found[r], int(p)) for r, p in zip(rows, places, strict=True)]
    return rank_test([len(found[r]) for r in rows], ranks)[1]


def main(source: str, n: int, epochs: int) -> None:
    """Print the false alarms of the clean model and the power on the trained one."""
    suited = [i for i in load_items(source, split="*") if exchangeable(i) and not i.context]
    suited = [i for i in suited if len(i.question) + sum(map(len, i.options)) < 250][:n]
    items = [shuffled(item) for item in suited]
    loaded, tokenizer = load(find_weights("smollm2"), "float32", "cpu")
    model = LocalModel(loaded, Tokens(tokenizer))
    model.try_trie()
    rng = np.random.default_rng(0)
    every = np.arange(len(items))
    started = time.time()
    clean = scores(model, items)
    sizes = np.array([len(row) for row in clean])
    alarms = [rejected(clean, rng.integers(sizes), every) < 0.05 for _ in range(10_000)]
    zeros = np.zeros(len(items), np.int64)
    print(f"{len(items)} items, {sizes.mean():.1f} orders each; {time.time() - started:.0f} s")
    print(f"clean: p = {rejected(clean, zeros, every):.3f}; false alarms {np.mean(alarms):.3f}")
    train(model, items, epochs)
    seen = scores(model, items)
    ranks = [relative_rank(row, 0) for row in seen]
    p = rejected(seen, zeros, every)
    print(f"trained, {epochs} epochs: mean rank {np.mean(ranks):.3f}, p = {p:.2g}")
    for size in (30, 60, 100):
        draws = [rng.integers(len(items), size=size) for _ in range(2_000)]
        power = np.mean([rejected(seen, zeros[:1].repeat(size), rows) < 0.05 for rows in draws])
        print(f"power with {size} items {power:.3f}")
    print(f"{time.time() - started:.0f} s in all")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

"""How often the p of `rstd_null` and of `ece_null` is below .05 where there is nothing to find.

    python benchmarks/null_values.py --studies 1000

Items are right half of the time wherever the right answer stands, or as often as their confidence
says. *Correlation*: of right answers within a cluster (beta-binomial; 1: they all agree). A cluster
of several items has copies: one text, with the right answer in one place. The last column is the
p that the same draws would give where none is shown.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from horsesense.measures.base import Measure
from horsesense.measures.cells import STATUS_CODE, Cell, Scores
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES

Bools = npt.NDArray[np.bool_]
SHAPES = (
    ("rstd", 30, 1, 1, 0.0),
    ("rstd", 100, 1, 1, 0.0),
    ("rstd", 30, 1, 4, 0.3),
    ("rstd", 100, 1, 4, 0.3),
    ("rstd", 100, 1, 4, 0.8),
    ("rstd", 30, 4, 1, 0.3),
    ("rstd", 30, 4, 1, 1.0),
    ("ece", 30, 1, 1, 0.0),
    ("ece", 100, 1, 1, 0.0),
    ("ece", 400, 1, 1, 0.0),
    ("ece", 100, 1, 4, 1.0),
)
"""Measure, clusters, items of each, orders of an item, and the correlation."""


def spread(
    rng: np.random.Generator, clusters: int, items: int, orders: int, correlation: float
) -> Cell:
    """Answers that are right half of the time, in all shifts of each item's options."""
    if correlation == 1:
        rate = rng.integers(0, 2, clusters).astype(np.float64)
    elif correlation:
        rate = rng.beta(*[(1 / correlation - 1) / 2] * 2, clusters)
    else:
        rate = np.full(clusters, 0.5)
    gold = np.repeat(rng.integers(0, 4, clusters), items)[:, None]
    right = rng.random((clusters * items, orders)) < np.repeat(rate, items)[:, None]
    return cell((gold + np.arange(orders)) % 4, right)


def calibrated(rng: np.random.Generator, items: int, orders: int) -> Cell:
    """Answers that are right as often as they say, the same in every order of an item."""
    sure = rng.uniform(0.25, 1, (items, 1))
    right = rng.random((items, 1)) < sure
    one = cell(np.zeros((items, orders), np.int16), np.repeat(right, orders, axis=1))
    confidence = np.repeat(sure, orders, axis=1).astype(np.float32)
    return one.having(Scores(confidence, np.zeros_like(confidence)))


def cell(gold_at: npt.NDArray[np.integer], right: Bools) -> Cell:
    """Valid answers, (items, orders)."""
    shape = right.shape
    return Cell(
        probe="order",
        reader="first_token",
        item=np.arange(shape[0]),
        k=np.full(shape[0], 4),
        status=np.full(shape, STATUS_CODE["answer"], np.int8),
        position=np.where(right, gold_at, (gold_at + 1) % 4).astype(np.int16),
        option=np.where(right, 0, 1).astype(np.int16),
        gold_at=gold_at.astype(np.int16),
        correct=right.astype(np.int8),
    )


def rejects(measure: Measure, one: Cell, items: int, seed: int) -> tuple[bool, bool]:
    """Whether a p is shown, and whether it is below .05, or would be."""
    cluster = np.arange(len(one.item)) // items
    context = Context("d", "m", cluster, lambda *_: None, seed=seed)  # type: ignore[arg-type, return-value]
    value, null = (each.estimate for each in found_all([one], [measure], context))
    if null.p_value is not None:
        return True, null.p_value < 0.05
    drawn = measure.null(one, seed)
    assert drawn is not None
    return False, (1 + (drawn >= value.value).sum()) / (1 + len(drawn)) < 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    print("| null value of | clusters | items each | orders | correlation | p < .05 | if shown |")
    print("|---|---|---|---|---|---|---|")
    for number, (name, clusters, items, orders, correlation) in enumerate(SHAPES):
        rng = np.random.default_rng([7, number])
        found = []
        for study in range(studies):
            if name == "rstd":
                one = spread(rng, clusters, items, orders, correlation)
            else:
                one = calibrated(rng, clusters, orders)
            found.append(rejects(MEASURES.get(name), one, items, study))
        shown = all(p for p, _ in found)
        share = f"{np.mean([low for _, low in found]):.3f}"
        both = f"{share} | –" if shown else f"no p | {share}"
        print(
            f"| `{name}` | {clusters} | {items} | {orders} | {correlation:g} | {both} |", flush=True
        )


if __name__ == "__main__":
    main()

"""Items locked to a position among items of different numbers of options: power, alarms, coverage.

    python benchmarks/locked_mixed.py --studies 1000
    python benchmarks/locked_mixed.py --studies 1000 --part clusters

A share of the items is answered by position A in all orders, others are known, or guessed in each
order anew. Answers to all shifts of every item go through the production measure and the verdict's
evidence. *Found* is the share of studies whose one-sided p is at or below a level: *before*, with
the interval of any share; *now*, by the chances of guesses; *exact*, by the sum of the items' own
chances, convolved item by item, written here anew. *Covered* is the share of 95 % intervals that
hold the truth. *Innocent* models lock nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import product

import numpy as np

from horsesense.findings.evidence import Evidence
from horsesense.measures.cells import NOT_ASKED, STATUS_CODE, Cell
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.positions import PositionLocked
from horsesense.stats.shares import Shares
from positions_mixed import over_orders

LEVELS = (0.025, 0.00125, 0.0003)
SIZE = 0.05
MEASURE = PositionLocked()
SETS: Mapping[str, Sequence[int]] = {
    "133 of 2, 133 of 3, 134 of 5": [2] * 133 + [3] * 133 + [5] * 134,
    "200 of 2, 200 of 4": [2] * 200 + [4] * 200,
    "100 of 2, 300 of 4": [2] * 100 + [4] * 300,
    "20 of 2, 380 of 4": [2] * 20 + [4] * 380,
    "300 of 2, 60 of 10": [2] * 300 + [10] * 60,
    "40 of 2, 20 of 4": [2] * 40 + [4] * 20,
    "400 of 4": [4] * 400,
    "133 of 3, 134 of 5": [3] * 133 + [5] * 134,
}
MODELS = (
    (0.0, 0.0), (0.0, 0.5), (0.05, 0.6), (0.1, 0.0), (0.1, 0.6), (0.1, 0.9), (0.15, 0.6),
    (0.2, 0.6), (-1.0, 1.0),
)  # fmt: skip
"""Shares of the items that are locked, and of the others that are known; -1 for as many locked ones
as guesses would lock."""
IN_CLUSTERS = ((0.0, 0.0), (0.0, 0.5), (0.1, 0.6), (0.2, 0.6))
CLUSTERS: Mapping[str, Sequence[int]] = {
    "100 of 4": [4] * 100,
    "30 of 10": [10] * 30,
    "200 of 1, 20 of 10": [1] * 200 + [10] * 20,
    "100 of 1, 10 of 30": [1] * 100 + [30] * 10,
}
SHARED = ("nothing", "knowing", "answers")
"""What the items of a cluster share: nothing, being known or locked, or their guesses too."""


def cell_of(k: np.ndarray, locked: np.ndarray) -> Cell:
    """Answers by A to all orders of some items, and by each position once to the others."""
    n, width = len(k), int(k.max())
    order = np.broadcast_to(np.arange(width), (n, width))
    position = np.where(locked[:, None], 0, order)
    status = np.where(order < k[:, None], STATUS_CODE["answer"], NOT_ASKED)
    return over_orders(k, status, position, np.zeros_like(position))


def evidence(k: np.ndarray, locked: np.ndarray, cluster: np.ndarray) -> Evidence:
    """Of position A."""
    context = Context("d", "m", cluster, signature=lambda *_: None)  # type: ignore[arg-type]
    found = map(Evidence.of, found_all([cell_of(k, locked)], [MEASURE], context))
    return next(e for e in found if e is not None and e.group == "A")


def any_share(e: Evidence) -> Evidence:
    """The same without the chances of guesses."""
    return replace(e, about=Shares(*(getattr(e.about, field.name) for field in fields(Shares))))


def chance_of(k: np.ndarray) -> np.ndarray:
    """That guesses choose A in all of k orders."""
    return np.asarray(1.0 / k ** k.astype(float))


def exact_tails(chances: np.ndarray) -> np.ndarray:
    """Chance of each number of hits, or more."""
    number = np.ones(1)
    for p in chances:
        number = np.convolve(number, [1 - p, p])
    return np.asarray(number[::-1].cumsum()[::-1])


def drawn(
    k: np.ndarray, lock: float, know: float, of: np.ndarray, shared: str, rng: np.random.Generator
) -> np.ndarray:
    """Which items are locked; `of` numbers the clusters."""
    n, whole = len(k), int(of.max()) + 1

    def luck(together: bool) -> np.ndarray:
        return rng.random(whole)[of] if together else rng.random(n)

    locked = luck(shared != "nothing") < lock
    known = luck(shared != "nothing") < know
    return np.asarray(locked | ~known & (luck(shared == "answers") < chance_of(k)))


def row(k: np.ndarray, model: tuple[float, float], of: np.ndarray, shared: str, studies: int,
        seed: Sequence[int]) -> str:  # fmt: skip
    """The end of a row of the table."""
    chances = chance_of(k)
    lock = model[0] if model[0] >= 0 else float(chances.mean())
    truth = lock + (1 - lock) * (1 - model[1]) * float(chances.mean())
    tails, single = exact_tails(chances), len(set(of.tolist())) == len(k)
    found, covered = np.zeros((len(LEVELS), 3)), np.zeros(2)
    for number in range(studies):
        locked = drawn(k, lock, model[1], of, shared, np.random.default_rng([*seed, number]))
        now = evidence(k, locked, of)
        both = any_share(now), now
        p = [e.p_found("above", e.baseline or 0.0, SIZE) for e in both]
        p.append(tails[int(locked.sum())])
        found += np.array(p) <= np.array(LEVELS)[:, None]
        ends = [e.interval(0.95) for e in both]
        covered += [end is None or end[0] <= truth <= end[1] for end in ends]
    shown = found[:, : 3 if single else 2] / studies
    at = [" / ".join([*(f"{x:.3f}" for x in level), *["-"] * (not single)]) for level in shown]
    null = f"{chances.mean():.4f} | {truth:.4f}"
    return f" {null} | {' | '.join(at)} | {covered[0] / studies:.3f} / {covered[1] / studies:.3f} |"


HEAD = (
    "guessing | truth | found at .025: before / now / exact | at .00125 | at .0003 | covered: "
    "before / now"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--part", choices=("items", "clusters"), default="items")
    options = parser.parse_args()
    start = time.process_time()
    print(f"| items | locked | known | {HEAD} |\n|{'---|' * 8}")
    if options.part == "items":
        for place, (name, sizes) in enumerate(SETS.items()):
            k = np.array(sizes)
            for number, model in enumerate(MODELS):
                told = row(k, model, np.arange(len(k)), "nothing", options.studies, [place, number])
                print(f"| {name} | {model[0]:g} | {model[1]:g} |{told}", flush=True)
    else:
        for place, (name, sizes) in enumerate(CLUSTERS.items()):
            of = np.repeat(np.arange(len(sizes)), sizes)
            k = np.resize([2, 3, 5], len(of))
            for number, (shared, model) in enumerate(product(SHARED, IN_CLUSTERS)):
                told = row(k, model, of, shared, options.studies, [9, place, number])
                start_of = f"| {name}, {shared} shared | {model[0]:g} | {model[1]:g} |"
                print(f"{start_of}{told}", flush=True)
    print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

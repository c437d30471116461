"""Verdicts on positions where items differ in their numbers of options and some are refused.

    python benchmarks/positions_mixed.py --studies 1000
    python benchmarks/positions_mixed.py --studies 1000 --part coverage

Answers to all shifts of every item, drawn here, through the production measure and the production
tests at .05 over the positions together. Innocent models know a share and guess evenly; guilty ones
prefer position C where an item has it. Refusals depend on the number of options. `found` and
`cleared` are the shares of studies in which a position is found or every one is ruled out; `alone`
is how often C is found from the items that have it, asked alone. The part `coverage` is about the
95 % intervals of tables: of items locked to A by a model that knows all others, and of choices of
guesses that were asked in one order, the least covered position.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from horsesense.findings.evidence import Evidence
from horsesense.measures.cells import MISSING, NO_OPTION, NOT_ASKED, STATUS_CODE, Cell
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.positions import PositionLocked, PositionPreference
from horsesense.trials.condition import Condition

ALPHA, SIZE = 0.05, 0.05
MEASURES = (PositionPreference(), PositionLocked())


@dataclass(frozen=True)
class Case:
    """Items by their number of options, and what the model does.

    Attributes:
        items: how many items have a number of options.
        know: share of the items that are known.
        prefer: what position C is chosen by above 1/k where the item has it, when guessing.
        lock: share of the items that have C and are answered by it in every order.
        silent: share of the answers that are refused, by number of options.
        lost: share of the replies that are missing.
        each: items of a cluster; all of one cluster have the same number of options.
    """

    items: Mapping[int, int]
    know: float = 0.0
    prefer: float = 0.0
    lock: float = 0.0
    silent: Mapping[int, float] = None  # type: ignore[assignment]
    lost: float = 0.0
    each: int = 1


def study(case: Case, rng: np.random.Generator) -> tuple[Cell, np.ndarray]:
    """The answers to every shift of every item, and the clusters of the items."""
    k = np.repeat([*case.items], [*case.items.values()])
    n, width = len(k), int(k.max())
    shift = np.arange(width)
    asked = shift < k[:, None]
    chance = np.where(shift < k[:, None], 1 / k[:, None], 0.0)
    has = k > 2
    chance[has] -= case.prefer / (k[has, None] - 1) * (shift < k[has, None])
    chance[has, 2] += case.prefer * (1 + 1 / (k[has] - 1))
    ends = chance.cumsum(axis=1)
    guess = (rng.random((n, width, 1)) > ends[:, None, :]).sum(axis=2)
    guess = np.minimum(guess, k[:, None] - 1)
    guess = np.where((has & (rng.random(n) < case.lock))[:, None], 2, guess)
    # The right option stands at each position once, beginning anywhere.
    gold = (rng.integers(0, k)[:, None] + shift) % k[:, None]
    position = np.where(rng.random((n, 1)) < case.know, gold, guess)
    refused = np.array([(case.silent or {}).get(size, 0.0) for size in k])
    status = np.where(
        rng.random((n, width)) < refused[:, None], STATUS_CODE["refusal"], STATUS_CODE["answer"]
    )
    status = np.where(rng.random((n, width)) < case.lost, MISSING, status)
    status = np.where(asked, status, NOT_ASKED)
    return over_orders(k, status, position, gold), np.arange(n) // case.each


def over_orders(k: np.ndarray, status: np.ndarray, position: np.ndarray, gold: np.ndarray) -> Cell:
    """A cell of such answers: options of each item, (items,); what was said in each order, the
    position chosen where it was an answer, and that of the right option, (items, orders)."""
    chosen, asked = status == STATUS_CODE["answer"], status != NOT_ASKED
    position = np.where(chosen, position, -1)
    content = np.where(chosen, (position - gold) % k[:, None], NO_OPTION)
    return Cell(
        probe="order",
        condition=Condition(design="cyclic"),
        reader="text",
        item=np.arange(len(k)),
        k=k,
        status=status.astype(np.int8),
        position=position.astype(np.int16),
        option=content.astype(np.int16),
        gold_at=np.where(asked, gold, -1).astype(np.int16),
        correct=np.where(chosen, position == gold, -1).astype(np.int8),
    )


def judged(cell: Cell, cluster: np.ndarray) -> dict[str, tuple[bool, bool, bool]]:
    """By measure: whether a position is found, whether C is, and whether all are ruled out."""
    context = Context("d", "m", cluster, signature=lambda *_: None)  # type: ignore[arg-type]
    told: dict[str, tuple[bool, bool, bool]] = {}
    for measure in MEASURES:
        found = [
            evidence
            for one in found_all([cell], [measure], context)
            if (evidence := Evidence.of(one)) is not None
        ]
        level = ALPHA / max(1, len(found))
        there = {e.group: e.p_found("above", e.baseline or 0.0, SIZE) <= level for e in found}
        small = [e.p_ruled_out("above", e.baseline or 0.0, SIZE) <= level for e in found]
        told[measure.name] = any(there.values()), there.get("C", False), all(small)
    return told


def having(cell: Cell, cluster: np.ndarray) -> tuple[Cell, np.ndarray]:
    """The items that have position C, as if they had been asked alone; clusters are kept."""
    rows = np.flatnonzero(cell.k > 2)
    arrays = {
        name: getattr(cell, name)[rows]
        for name in ("k", "status", "position", "option", "gold_at", "correct")
    }
    return replace(cell, item=np.arange(len(rows)), **arrays), cluster[rows]


SETS: Mapping[str, Mapping[int, int]] = {
    "200 of 2, 200 of 4": {2: 200, 4: 200},
    "40 of 2, 20 of 4": {2: 40, 4: 20},
    "150 of 3, 50 of 5, 20 of 10": {3: 150, 5: 50, 10: 20},
    "300 of 2, 60 of 10": {2: 300, 10: 60},
}
INNOCENT: Mapping[str, Mapping[str, object]] = {
    "guesses": {},
    "knows .5": {"know": 0.5},
    "knows .5, refuses .6 of the longest": {"know": 0.5, "silent": 0.6},
    "refuses .9 of the shortest, loses .1": {"silent": -0.9, "lost": 0.1},
    "knows .5, clusters of 10": {"know": 0.5, "each": 10},
}
GUILTY: Mapping[str, Mapping[str, object]] = {
    "guesses, C +.10": {"prefer": 0.1},
    "guesses, C +.10, refuses .6 of the longest": {"prefer": 0.1, "silent": 0.6},
    "guesses, C +.10, clusters of 10": {"prefer": 0.1, "each": 10},
    "knows .9, locked to C .10": {"know": 0.9, "lock": 1.0},
}
EDGE: Mapping[str, Mapping[str, object]] = {
    "guesses, C +.05": {"prefer": 0.05},
    "guesses, C +.05, refuses .6 of the longest": {"prefer": 0.05, "silent": 0.6},
}


def made(items: Mapping[int, int], settings: Mapping[str, object]) -> Case:
    """A case; a negative share of refusals is of the items with the fewest options."""
    silent = float(settings.get("silent", 0.0))  # type: ignore[arg-type]
    where = min(items) if silent < 0 else max(items)
    return Case(items, **{**settings, "silent": {where: abs(silent)}})  # type: ignore[arg-type]


def table(title: str, models: Mapping[str, Mapping[str, object]], studies: int) -> None:
    print(f"\n{title}\n\n| items | model | measure | found | C found | alone | cleared |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for number, (items, (model, settings)) in enumerate(product(SETS, models.items())):
        counts = {m.name: np.zeros(4) for m in MEASURES}
        for s in range(studies):
            cell, cluster = study(made(SETS[items], settings), np.random.default_rng([s, number]))
            whole, alone = judged(cell, cluster), judged(*having(cell, cluster))
            for name, (any_found, c, cleared) in whole.items():
                counts[name] += any_found, c, alone[name][1], cleared
        for name, found in counts.items():
            shares = " | ".join(f"{share:.3f}" for share in found / studies)
            print(f"| {items} | {model} | `{name}` | {shares} |", flush=True)


COVERED: Mapping[str, Mapping[int, int]] = {
    "20 of 2, 20 of 4": {2: 20, 4: 20},
    "10 each of 2, 3, 5, 10": {2: 10, 3: 10, 5: 10, 10: 10},
    "40 of 4": {4: 40},
    "50 of 2, 50 of 4": {2: 50, 4: 50},
}
RARE = (0.02, 0.05, 0.1)


def intervals(cell: Cell, measure: PositionPreference) -> list[tuple[float, float]]:
    """The 95 % interval of each position, as tables have it."""
    context = Context("d", "m", np.arange(len(cell.k)), signature=lambda *_: None)  # type: ignore[arg-type]
    found = (e for e, *_ in found_all([cell], [measure], context))
    return [(0.0, 1.0) if e.low is None or e.high is None else (e.low, e.high) for e in found]


def locked_to_a(k: np.ndarray, share: float, rng: np.random.Generator) -> Cell:
    """Answers to all shifts: some items by A, the others right."""
    n, width = len(k), int(k.max())
    order = np.broadcast_to(np.arange(width), (n, width))
    position = np.where((rng.random(n) < share)[:, None], 0, order)
    status = np.where(order < k[:, None], STATUS_CODE["answer"], NOT_ASKED)
    return over_orders(k, status, position, order)


def guessed_once(k: np.ndarray, rng: np.random.Generator) -> Cell:
    """Even guesses in one order."""
    status = np.full((len(k), 1), STATUS_CODE["answer"])
    cell = over_orders(k, status, rng.integers(0, k)[:, None], np.zeros((len(k), 1), int))
    return replace(cell, probe="options_only", condition=Condition())


def coverage(studies: int) -> None:
    heads = "".join(f" {share:g} locked |" for share in RARE)
    print(f"\n| items |{heads} guesses in one order |\n{'|---' * (len(RARE) + 2)}|", flush=True)
    for number, (name, items) in enumerate(COVERED.items()):
        k = np.repeat([*items], [*items.values()])
        rates = np.array([(1 / k[k > place]).mean() for place in range(int(k.max()))])
        covered, once = np.zeros(len(RARE)), np.zeros(len(rates))
        for s in range(studies):
            rng = np.random.default_rng([s, number, 7])
            for place, share in enumerate(RARE):
                low, high = intervals(locked_to_a(k, share, rng), PositionLocked())[0]
                covered[place] += low <= share <= high
            ends = np.array(intervals(guessed_once(k, rng), PositionPreference()))
            once += (ends[:, 0] <= rates) & (rates <= ends[:, 1])
        shares = " | ".join(f"{c / studies:.3f}" for c in [*covered, once.min()])
        print(f"| {name} | {shares} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--part", choices=("verdicts", "coverage"), default="verdicts")
    options = parser.parse_args()
    start = time.process_time()
    if options.part == "coverage":
        coverage(options.studies)
    else:
        for title, models in (("Innocent", INNOCENT), ("Guilty", GUILTY), ("At the size", EDGE)):
            table(title, models, options.studies)
    print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

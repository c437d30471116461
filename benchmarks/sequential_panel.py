"""How much a decision costs when it is taken early, and how often it is wrong.

    python benchmarks/sequential_panel.py [--runs 4000] [--studies 10000] [--jobs 2]

The claim: with ten findings, an error budget of 5 % over all of them and a look after every batch,
decisions against a smallest size of 5 points take on average at most 5, 8 and 15 % of 14,042 items
and 40, 45 and 60 % of 1,000 (for discordances of .1, .2 and .4), and in at most 5 % of all studies
is any of the ten wrong, be their effects just above or just below 5 points.

Reference: the fixed design, which asks 100 %.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from horsesense.stats.sequential import OPEN, RULED_OUT, UP, Decision, Design

EFFECTS = (0.0, 0.02, 0.08, 0.1, 0.2, 0.3)
DISCORDANCE = (0.1, 0.2, 0.4)
BATCH = {14_042: 50, 1_000: 25}
BARS = {14_042: (5, 8, 15), 1_000: (40, 45, 60)}
DELTA, BUDGET, FINDINGS = 0.05, 0.05, 10
TOGETHER = 500
"""Sequences that are simulated side by side."""

Signs = npt.NDArray[np.int8]


def counts(units: int, discordance: float, net: int) -> tuple[int, int]:
    """Items that get better and worse: their difference is exactly `net`."""
    changed = max(round(units * discordance), abs(net))
    changed += (changed - net) % 2
    return (changed + net) // 2, (changed - net) // 2


def sequences(units: int, up: int, down: int, rows: int, seed: Sequence[int]) -> Signs:
    """The same differences in `rows` random orders."""
    d = np.zeros(units, dtype=np.int8)
    d[:up], d[up : up + down] = 1, -1
    return np.random.default_rng(seed).permuted(np.tile(d, (rows, 1)), axis=1)


def decisions(d: Signs, batch: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Code of each sequence, and items asked: whole batches, until it is decided."""
    rows, units = d.shape
    decision = Decision(Design(units, DELTA, BUDGET / FINDINGS), rows)
    left, code = np.arange(rows), np.zeros(rows, dtype=np.int8)
    asked = np.full(rows, units)
    for start in range(0, units, batch):
        decision.extend(d[left, start : start + batch].astype(np.float64))
        done = decision.code != OPEN
        code[left[done]] = decision.code[done]
        asked[left[done]] = min(start + batch, units)
        left = left[~done]
        if not len(left):
            break
        decision.keep(~done)
    return code, asked


def one(
    units: int, discordance: float, net: int, right: int, task: tuple[int, int]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Whether each of some sequences was decided wrongly, and what it asked."""
    number, rows = task
    seed = (units, round(100 * discordance), net, number)
    d = sequences(units, *counts(units, discordance, net), rows, seed)
    code, asked = decisions(d, BATCH[units])
    return code != right, asked


def many(
    pool: ProcessPoolExecutor, units: int, discordance: float, net: int, right: int, rows: int
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    tasks = [(n, min(TOGETHER, rows - start)) for n, start in enumerate(range(0, rows, TOGETHER))]
    found = list(pool.map(partial(one, units, discordance, net, right), tasks))
    return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def cost(pool: ProcessPoolExecutor, units: int, discordance: float, runs: int) -> Iterator[float]:
    """Mean share of items asked, in %, by effect."""
    for effect in EFFECTS:
        right = UP if effect >= DELTA else RULED_OUT
        _, asked = many(pool, units, discordance, round(effect * units), right, runs)
        yield 100 * float(asked.mean()) / units


def family_error(
    pool: ProcessPoolExecutor, units: int, discordance: float, studies: int, *, above: bool
) -> float:
    """Share of studies with a wrong decision among ten independent findings at the boundary."""
    edge = int(np.ceil(DELTA * units - 1e-9))
    net, right = (edge, UP) if above else (edge - 1, RULED_OUT)
    wrong, _ = many(pool, units, discordance, net, right, studies * FINDINGS)
    return float(wrong.reshape(studies, FINDINGS).any(axis=1).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000, help="findings per effect")
    parser.add_argument("--studies", type=int, default=10_000, help="studies at the boundary")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--units", type=int, choices=list(BARS), help="this N alone")
    parser.add_argument("--discordance", type=float, choices=DISCORDANCE, help="this one alone")
    given = parser.parse_args()
    started = time.perf_counter()
    heads = [f"{100 * effect:g}" for effect in EFFECTS]
    print(f"| N | disc. | {' | '.join(heads)} | mean (bar) | error above / below |")
    print("|---" * (len(EFFECTS) + 4) + "|")
    with ProcessPoolExecutor(given.jobs) as pool:
        for units, bars in BARS.items():
            if given.units not in (None, units):
                continue
            for discordance, bar in zip(DISCORDANCE, bars, strict=True):
                if given.discordance not in (None, discordance):
                    continue
                shares = list(cost(pool, units, discordance, given.runs))
                above, below = (
                    family_error(pool, units, discordance, given.studies, above=side)
                    for side in (True, False)
                )
                cells = " | ".join(f"{share:.1f}" for share in shares)
                print(
                    f"| {units:,} | {discordance:g} | {cells} | {np.mean(shares):.1f} ({bar})"
                    f" | {above:.3f} / {below:.3f} |",
                    flush=True,
                )
    print(f"\n{given.runs:,} findings per effect, {given.studies:,} studies at the boundary,")
    print(f"{time.perf_counter() - started:.0f} s on {given.jobs} processes")


if __name__ == "__main__":
    main()

"""How much a decision costs when it is taken early, and how often it is wrong.

    python benchmarks/sequential_panel.py [--runs 4000] [--studies 10000] [--jobs 2]
    python benchmarks/sequential_panel.py --units 14042 --effects 3 4 6 7 --runs 500 --studies 0
    python benchmarks/sequential_panel.py --clusters --runs 2000 --studies 1000

The claim: with ten findings, an error budget of 4 % over all of them (what audits give to changes
of accuracy: four fifths of 5 %) and a look after every batch,
decisions against a smallest size of 5 points take on average at most 5, 8 and 15 % of 14,042 items
and 40, 45 and 60 % of 1,000 (for discordances of .1, .2 and .4), and in at most 4 % of all studies
is any of the ten wrong, be their effects just above or just below 5 points.

--clusters compares two ways to ask items that stand in clusters of 1 to 8 and change together: item
by item, as audits do, and cluster by cluster, where the increments are bounded by the largest
cluster. The target of both is the mean over the N items.

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
from horsesense.findings.accusation import ALPHA
from horsesense.stats.sequential import OPEN, RULED_OUT, UP, Decision, Design

from horsesense.findings.early import SHARE

EFFECTS = (0.0, 0.02, 0.08, 0.1, 0.2, 0.3)
DISCORDANCE = (0.1, 0.2, 0.4)
BATCH = {14_042: 50, 1_000: 25}
BARS = {14_042: (5, 8, 15), 1_000: (40, 45, 60)}
DELTA, BUDGET, FINDINGS = 0.05, SHARE * ALPHA, 10
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


def decisions(
    d: Signs | npt.NDArray[np.float64], batch: int, design: Design | None = None
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """Code of each sequence, and units asked: whole batches, until it is decided."""
    rows, units = d.shape
    decision = Decision(design or Design(units, DELTA, BUDGET / FINDINGS), rows)
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


def cost(
    pool: ProcessPoolExecutor,
    units: int,
    discordance: float,
    runs: int,
    effects: Sequence[float] = EFFECTS,
) -> Iterator[float]:
    """Mean share of items asked, in %, by effect."""
    for effect in effects:
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


ITEMS, LARGEST, TOGETHERNESS = 1_000, 8, (0.0, 0.3, 1.0)
"""Of the comparison of clusters: items, the largest cluster, and correlations within clusters."""


def clustered(discordance: float, net: int, together: float, rng: np.random.Generator) -> Signs:
    """Differences of items in clusters of 1 to `LARGEST`, (clusters, LARGEST); 2 where no item is.

    A share `together` of the items that change does so in whole clusters, the others one by one, so
    that this is about the correlation of two items of a cluster. The total is exactly `net`.
    """
    sizes = rng.integers(1, LARGEST + 1, ITEMS)
    sizes = sizes[: np.searchsorted(sizes.cumsum(), ITEMS) + 1]
    sizes[-1] -= sizes.sum() - ITEMS
    d = np.full((len(sizes), LARGEST), 2, dtype=np.int8)
    there = np.arange(LARGEST) < sizes[:, None]
    d[there] = 0
    whole = iter(rng.permutation(len(sizes)))
    ups_and_downs = counts(ITEMS, discordance, net)
    left = []
    for sign, count in zip((1, -1), ups_and_downs, strict=True):
        together_left = round(together * count)
        while together_left > 0:
            row = next(whole)
            members = min(int(sizes[row]), together_left)
            d[row, :members] = sign
            together_left -= members
        left.append(count - round(together * count))
    free = rng.permutation(np.flatnonzero(d == 0))[: sum(left)]
    d.flat[free[: left[0]]], d.flat[free[left[0] :]] = 1, -1
    return d


def of_clusters(sizes: npt.NDArray[np.int64]) -> Design:
    """Clusters that are asked as wholes: a unit is a cluster's sum over the largest size.

    The mean of such units over C clusters is the mean over the N items times N / (C largest).
    """
    share = float(sizes.mean()) / LARGEST
    return Design(len(sizes), DELTA * share, BUDGET / FINDINGS, 1.5 * share / LARGEST)


def both_ways(
    discordance: float, net: int, right: int, together: float, rows: int, seed: Sequence[int]
) -> list[tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]]:
    """Whether each of some sequences was decided wrongly, and the share of items that it asked:
    item by item, and cluster by cluster; a new population for every `FINDINGS` times ten."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(0, rows, 10 * FINDINGS):
        d = clustered(discordance, net, together, rng)
        there = d != 2
        single = rng.permuted(np.tile(d[there], (10 * FINDINGS, 1)), axis=1)
        code, asked = decisions(single, BATCH[ITEMS])
        sizes = there.sum(axis=1)
        order = rng.permuted(np.tile(np.arange(len(d)), (10 * FINDINGS, 1)), axis=1)
        sums = np.where(there, d, 0).sum(axis=1) / LARGEST
        # As many clusters at a look as hold a batch of items.
        batch = round(BATCH[ITEMS] / sizes.mean())
        of_whole, units = decisions(sums[order], batch, of_clusters(sizes))
        items = np.take_along_axis(sizes[order].cumsum(axis=1), units[:, None] - 1, axis=1)[:, 0]
        found.append((code != right, asked / ITEMS, of_whole != right, items / ITEMS))
    wrong, asked, wrong_whole, asked_whole = map(np.concatenate, zip(*found, strict=True))
    return [(wrong, asked), (wrong_whole, asked_whole)]


def clusters(runs: int, studies: int, only: float | None) -> None:
    """The table of the comparison, for one discordance or all."""
    heads = " | ".join(f"{100 * effect:g}" for effect in EFFECTS)
    print(f"| disc. | correlation | asked by | {heads} | mean | error above / below |")
    print("|---" * (len(EFFECTS) + 5) + "|")
    edge = round(DELTA * ITEMS)
    for place, discordance in enumerate(DISCORDANCE):
        for together in TOGETHERNESS if only in (None, discordance) else ():
            seed = place, round(10 * together)
            asked = [
                both_ways(
                    discordance,
                    round(effect * ITEMS),
                    UP if effect >= DELTA else RULED_OUT,
                    together,
                    runs,
                    (*seed, round(100 * effect)),
                )
                for effect in EFFECTS
            ]
            errors = [
                both_ways(discordance, net, right, together, studies * FINDINGS, (*seed, 100 + net))
                for net, right in ((edge, UP), (edge - 1, RULED_OUT))
            ]
            for way, name in enumerate(("item", "cluster")):
                shares = [100 * float(found[way][1].mean()) for found in asked]
                above, below = (
                    float(found[way][0].reshape(studies, FINDINGS).any(axis=1).mean())
                    for found in errors
                )
                cells = " | ".join(f"{share:.1f}" for share in shares)
                print(
                    f"| {discordance:g} | {together:g} | {name} | {cells}"
                    f" | {np.mean(shares):.1f} | {above:.3f} / {below:.3f} |",
                    flush=True,
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000, help="findings per effect")
    parser.add_argument("--studies", type=int, default=10_000, help="studies at the boundary")
    parser.add_argument("--effects", type=float, nargs="+", help="these alone, in points")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--units", type=int, choices=list(BARS), help="this N alone")
    parser.add_argument("--discordance", type=float, choices=DISCORDANCE, help="this one alone")
    parser.add_argument("--clusters", action="store_true", help="items in clusters alone")
    given = parser.parse_args()
    started = time.perf_counter()
    if given.clusters:
        clusters(given.runs, given.studies, given.discordance)
        print(f"\n{time.perf_counter() - started:.0f} s")
        return
    effects = EFFECTS if given.effects is None else [e / 100 for e in given.effects]
    heads = [f"{100 * effect:g}" for effect in effects]
    print(f"| N | disc. | {' | '.join(heads)} | mean (bar) | error above / below |")
    print("|---" * (len(effects) + 4) + "|")
    with ProcessPoolExecutor(given.jobs) as pool:
        for units, bars in BARS.items():
            if given.units not in (None, units):
                continue
            for discordance, bar in zip(DISCORDANCE, bars, strict=True):
                if given.discordance not in (None, discordance):
                    continue
                shares = list(cost(pool, units, discordance, given.runs, effects))
                errors = [
                    family_error(pool, units, discordance, given.studies, above=side)
                    for side in ((True, False) if given.studies else ())
                ]
                of = f" ({bar})" if given.effects is None else ""
                told = " / ".join(f"{error:.3f}" for error in errors) or "-"
                cells = " | ".join(f"{share:.1f}" for share in shares)
                print(
                    f"| {units:,} | {discordance:g} | {cells} | {np.mean(shares):.2f}{of}"
                    f" | {told} |",
                    flush=True,
                )
    print(f"\n{given.runs:,} findings per effect, {given.studies:,} studies at the boundary,")
    print(f"{time.perf_counter() - started:.0f} s on {given.jobs} processes")


if __name__ == "__main__":
    main()

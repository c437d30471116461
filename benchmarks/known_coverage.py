"""Coverage of the share known, and how often it is refused, over simulated studies.

    python benchmarks/known_coverage.py --studies 2000 --out KNOWN.jsonl
    python benchmarks/known_coverage.py --studies 0 --refusals 200
    python benchmarks/known_coverage.py --studies 0 --clusters 500
    python benchmarks/known_coverage.py --studies 0 --half-sure 25

Truths: know {0, .1, .3, .5, .7, .9, 1} x three position biases of guesses, 400 new items of four
options in every study. With --refusals, also models that the classes do not describe, with the
check of the fit (slower). With --clusters, items in clusters: of which knowing is shared, or the
whole answer, with an intra-cluster correlation of 0, .3 and 1. With --half-sure, a model that knows
.4 and is right about each other item in each form with a chance of the item's own, evenly from 0
to 1: what the share known is not, by number of options and of items. Every study has a seed of its
own. A cell of the first table is appended to --out when its studies are done, and is not run again:
the same command goes on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import orjson

from horsesense.rng import seed_of
from horsesense.stats.known import share_known

ITEMS = 400
KNOW = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
BIASES = ((0.25, 0.25, 0.25, 0.25), (0.4, 0.3, 0.2, 0.1), (0.7, 0.1, 0.1, 0.1))
Choices = npt.NDArray[np.int64]


def choices(
    rng: np.random.Generator, know: float, bias: tuple[float, ...], slip: float = 0.0
) -> Choices:
    """Positions chosen where the right option stands at h, (items, k)."""
    k = len(bias)
    knows = rng.random((ITEMS, 1)) < know
    slips = np.where(rng.random((ITEMS, k)) < slip, rng.integers(1, k, (ITEMS, k)), 0)
    guesses = rng.choice(k, (ITEMS, k), p=bias)
    return np.where(knows, (np.arange(k) + slips) % k, guesses)


def first_token(rng: np.random.Generator, said: Choices, differ: float) -> Choices:
    """Another position than what is said, in a share of the forms."""
    k = said.shape[1]
    other = (said + rng.integers(1, k, said.shape)) % k
    return np.where(rng.random(said.shape) < differ, other, said)


def coverage(studies: int, out: Path) -> None:
    """Every truth: written down when it is done, and printed."""
    rows = [orjson.loads(line) for line in out.read_bytes().splitlines()] if out.exists() else []
    done = {(row["know"], row["bias"]): row for row in rows if row["studies"] == studies}
    print("know | bias | covered | mean | s.d. | mean width")
    for know in KNOW:
        for number, bias in enumerate(BIASES):
            row = done.get((know, bias[0])) or covered(know, number, studies)
            if (know, bias[0]) not in done:
                with out.open("ab") as file:
                    file.write(orjson.dumps(row) + b"\n")
            shares = " | ".join(f"{row[name]:.4f}" for name in ("covered", "mean", "sd", "width"))
            print(f"{know} | {bias[0]:g} | {shares}", flush=True)


def covered(know: float, number: int, studies: int) -> dict[str, float]:
    """One truth: how often the interval holds it, and how wide it is."""
    bias = BIASES[number]
    found = [
        share_known(
            choices(np.random.default_rng([s, int(100 * know), number]), know, bias), draws=0
        )
        for s in range(studies)
    ]
    low, value, high = (
        np.array([getattr(f, name) for f in found], float) for name in ("low", "value", "high")
    )
    return {
        "know": know,
        "bias": bias[0],
        "studies": studies,
        "covered": float(((low - 1e-9 <= know) & (know <= high + 1e-9)).mean()),
        "mean": float(value.mean()),
        "sd": float(value.std()),
        "width": float((high - low).mean()),
    }


def refusals(studies: int) -> None:
    flat, biased = BIASES[0], BIASES[2]
    cases: dict[str, Callable[[np.random.Generator], Choices]] = {
        "fits, flat": lambda rng: choices(rng, 0.6, flat),
        "fits, biased": lambda rng: choices(rng, 0.6, biased),
        "slips .02": lambda rng: choices(rng, 0.6, flat, 0.02),
        "slips .05": lambda rng: choices(rng, 0.6, flat, 0.05),
        "slips .10": lambda rng: choices(rng, 0.6, flat, 0.10),
        "first token differs .1": lambda rng: first_token(rng, choices(rng, 0.6, flat), 0.1),
        "first token differs .3": lambda rng: first_token(rng, choices(rng, 0.6, flat), 0.3),
    }
    print("\nknow .6 | refused | coverage where answered")
    for number, (name, draw) in enumerate(cases.items()):
        found = [
            share_known(draw(np.random.default_rng([s, 9, number])), seed=s) for s in range(studies)
        ]
        given = [f for f in found if f.low is not None and f.high is not None]
        refused = 1 - len(given) / studies
        covered = [f.low <= 0.6 <= f.high for f in given]  # type: ignore[operator]
        print(f"{name} | {refused:.3f} | {np.mean(covered) if covered else float('nan'):.3f}")


def half_sure(studies: int) -> None:
    """How often models that know .4, and are half sure of the rest, are refused."""
    print("\n| options | items | refused | covered, of those answered | mean value |")
    print("|---|---|---|---|---|")
    for k, n in ((4, 60), (4, 200), (3, 60), (3, 200), (3, 400), (4, 400), (3, 1000)):
        found = []
        for s in range(studies):
            rng = np.random.default_rng([s, k, n])
            sure = np.where(rng.random((n, 1)) < 0.4, 1.0, rng.random((n, 1)))
            wrong = rng.integers(1, k, (n, k)) * (rng.random((n, k)) >= sure)
            found.append(share_known((np.arange(k) + wrong) % k, seed=s))
        given = [f for f in found if f.value is not None]
        covered = sum((f.low or 0.0) <= 0.4 <= (f.high or 1.0) for f in given)
        mean = np.mean([f.value for f in given]) if given else float("nan")
        refused = f"{studies - len(given)} of {studies}"
        print(f"| {k} | {n} | {refused} | {covered} of {len(given)} | {mean:.2f} |", flush=True)


def sizes(rng: np.random.Generator, shape: str) -> npt.NDArray[np.int64]:
    """Items of each cluster."""
    if shape == "60 of 1 to 25":
        return rng.choice([1, 2, 3, 5, 10, 25], 60, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
    number, size = shape.split(" of ")
    return np.full(int(number), int(size))


def in_clusters(
    rng: np.random.Generator,
    know: float,
    bias: tuple[float, ...],
    each: Choices,
    icc: float,
    whole: bool,
) -> tuple[Choices, npt.NDArray[np.intp]]:
    """Choices and clusters, of `each` that many items.

    An item shares its cluster's knowledge with a chance of sqrt(icc), and with `whole` its guesses.
    """
    cluster = np.repeat(np.arange(len(each)), each)
    n, k = len(cluster), len(bias)
    shared = (rng.random(n) < np.sqrt(icc))[:, None]
    knows = np.where(shared, (rng.random(n) < know)[cluster][:, None], rng.random((n, 1)) < know)
    guesses = rng.choice(k, (n, k), p=bias)
    if whole:
        guesses = np.where(shared, guesses[cluster], guesses)
    return np.where(knows, np.arange(k), guesses), cluster


SHAPES = ("100 of 4", "30 of 4", "40 of 10", "60 of 1 to 25")


def clustered(studies: int, checks: int) -> None:
    """Coverage without the check of the fit, and how often the check refuses what fits."""
    print("\nclusters | shared | icc | know | bias | covered | mean width | refused")
    for shape, whole, icc, know, bias in product(
        SHAPES, (False, True), (0.0, 0.3, 1.0), (0.3, 0.9), (BIASES[0], BIASES[2])
    ):
        if whole and not icc:
            continue
        ends, refused = [], 0
        for s in range(studies):
            rng = np.random.default_rng([s, seed_of(5, f"{shape} {whole} {icc}", "known") % 2**31])
            table, cluster = in_clusters(rng, know, bias, sizes(rng, shape), icc, whole)
            found = share_known(table, draws=0, clusters=cluster)
            ends.append((found.low, found.high))
            if s < checks:
                refused += share_known(table, draws=59, seed=s, clusters=cluster).low is None
        low, high = np.array(ends, float).T
        covered = ((low - 1e-9 <= know) & (know <= high + 1e-9)).mean()
        part = f"{refused / checks:.3f}" if checks else "-"
        print(
            f"{shape} | {'answers' if whole else 'knowing'} | {icc:g} | {know:g} | {bias[0]:g} | "
            f"{covered:.3f} | {(high - low).mean():.3f} | {part}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("known_coverage.jsonl"))
    parser.add_argument("--refusals", type=int, default=0)
    parser.add_argument("--clusters", type=int, default=0, help="studies of clustered items")
    parser.add_argument("--checks", type=int, default=0, help="of these, with check of the fit")
    parser.add_argument("--half-sure", type=int, default=0, help="studies a cell")
    options = parser.parse_args()
    start = time.perf_counter()
    if options.studies:
        coverage(options.studies, options.out)
    if options.refusals:
        refusals(options.refusals)
    if options.clusters:
        clustered(options.clusters, options.checks)
    if options.half_sure:
        half_sure(options.half_sure)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

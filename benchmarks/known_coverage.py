"""Coverage of the share known, and how often it is refused, over simulated studies.

    python benchmarks/known_coverage.py --studies 2000 --out KNOWN.jsonl
    python benchmarks/known_coverage.py --studies 0 --refusals 200
    python benchmarks/known_coverage.py --studies 0 --clusters 500
    python benchmarks/known_coverage.py --studies 0 --half-sure 25
    python benchmarks/known_coverage.py --studies 0 --outsiders 40
    python benchmarks/known_coverage.py --studies 0 --three 400

Truths: know {0, .1, .3, .5, .7, .9, 1} x three position biases of guesses, 400 new items of four
options in every study. With --refusals, also models that the classes do not describe, with the
check of the fit (slower). With --clusters, items in clusters: of which knowing is shared, or the
whole answer, with an intra-cluster correlation of 0, .3 and 1. With --half-sure, a model that knows
.4 and is right about each other item in each form with a chance of the item's own, evenly from 0
to 1: what the share known is not, by number of options and of items. With --outsiders, the power
that the best test of the fit could have against that model, and how often this and other models
outside of the classes are refused, without the least number of items of three options. With
--three, coverage where the classes hold with three options. Every study has a seed of its own. A
cell of the first table is appended to --out when its studies are done, and is not run again: the
same command goes on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import orjson
from scipy.optimize import minimize
from scipy.special import ndtr

from horsesense.rng import seed_of
from horsesense.stats import known
from horsesense.stats.known import share_known
from horsesense.stats.known_classes import MOST_SLIPS

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
            with patch.object(known, "FEWEST_OF_THREE", 30):
                found.append(share_known(half_sure_of(rng, n, k), seed=s))
        print(f"| {k} | {n} | {told(found, 0.4)} |", flush=True)


def half_sure_of(rng: np.random.Generator, n: int, k: int) -> Choices:
    """Knows .4; right about each other item in each form with a chance of the item's own."""
    sure = np.where(rng.random((n, 1)) < 0.4, 1.0, rng.random((n, 1)))
    wrong = rng.integers(1, k, (n, k)) * (rng.random((n, k)) >= sure)
    return np.asarray((np.arange(k) + wrong) % k)


def mixed(rng: np.random.Generator, n: int, k: int, bias: npt.NDArray[np.float64]) -> Choices:
    """Knows .6, and guesses each other item by its row of `bias`, (n, k)."""
    ends = np.cumsum(bias, axis=1)[:, None, :]
    guesses = (rng.random((n, k, 1)) > ends).sum(axis=2).clip(0, k - 1)
    return np.where(rng.random((n, 1)) < 0.6, np.arange(k), guesses)


def leaning(k: int) -> npt.NDArray[np.float64]:
    return np.append(np.full(k - 1, 0.3 / (k - 1)), 0.7)


def two_sorts(rng: np.random.Generator, n: int, k: int) -> Choices:
    """One half of the items is guessed at the last position, the other at the first."""
    first = rng.random((n, 1)) < 0.5
    return mixed(rng, n, k, np.where(first, leaning(k), leaning(k)[::-1]))


def late_slips(rng: np.random.Generator, n: int, k: int) -> Choices:
    """Known items slip to another position in .3 where the right option stands last."""
    knows = rng.random((n, 1)) < 0.6
    slips = np.zeros((n, k), int)
    slips[:, -1] = np.where(rng.random(n) < 0.3, rng.integers(1, k, n), 0)
    return np.where(knows, (np.arange(k) + slips) % k, rng.integers(0, k, (n, k)))


def excluding(rng: np.random.Generator, n: int, k: int) -> Choices:
    """Of the items that are not known, one wrong option is never chosen."""
    wrong = rng.integers(1, k, n)
    content = rng.integers(0, k - 1, (n, k))
    content = content + (content >= wrong[:, None])
    knows = rng.random((n, 1)) < 0.6
    return np.where(knows, np.arange(k), (np.arange(k) + content) % k)


def copies(rng: np.random.Generator, n: int, k: int) -> Choices:
    """Of each item there are four, answered alike, which nobody says are one cluster."""
    return np.repeat(mixed(rng, n // 4, k, np.full((n // 4, k), 1 / k)), 4, axis=0)


def insider(rng: np.random.Generator, n: int, k: int) -> Choices:
    return mixed(rng, n, k, np.tile(leaning(k), (n, 1)))


SORTS: dict[str, tuple[float, Callable[[np.random.Generator, int, int], Choices]]] = {
    "as the classes say": (0.6, insider),
    "half sure of .6": (0.4, half_sure_of),
    "two sorts of guesses": (0.6, two_sorts),
    "slips .3 at the last position": (0.6, late_slips),
    "one option excluded": (0.6, excluding),
    "copies of four, not declared": (0.6, copies),
}


def outsiders(studies: int) -> None:
    """Refused and covered, models within the classes and outside of them; 0.6 is known, or .4."""
    print("\n| truth | options | items | refused | covered, of those answered | mean value |")
    print("|---|---|---|---|---|---|")
    for (name, (truth, draw)), (k, n) in product(SORTS.items(), ((4, 400), (3, 400), (3, 1000))):
        found = []
        for s in range(studies):
            rng = np.random.default_rng([s, k, n])
            table = draw(rng, n, k)
            with patch.object(known, "FEWEST_OF_THREE", 30):
                found.append(share_known(table, seed=s, draws=99))
        print(f"| {name} | {k} | {n} | {told(found, truth)} |", flush=True)


def three(studies: int) -> None:
    """Coverage where the classes hold, 1,000 items of three options, without the check."""
    print("\n| know | q flat | q (.5, .3, .2) | q (.8, .1, .1) |\n|---|---|---|---|")
    for know in (0.0, 0.4, 0.8):
        held = []
        for number, bias in enumerate(((1, 1, 1), (5, 3, 2), (8, 1, 1))):
            inside = 0
            for s in range(studies):
                rng = np.random.default_rng([s, 1000, int(10 * know), number])
                guesses = rng.choice(3, (1000, 3), p=np.array(bias) / sum(bias))
                table = np.where(rng.random((1000, 1)) < know, np.arange(3), guesses)
                f = share_known(table, draws=0)
                assert f.low is not None
                assert f.high is not None
                inside += f.low - 1e-9 <= know <= f.high + 1e-9
            held.append(f"{inside / studies:.3f}")
        print(f"| {know:g} | {' | '.join(held)} |", flush=True)


def told(found: list[known.Known], truth: float) -> str:
    """Of studies of one truth: how many are refused, and what the others cover."""
    given = [f for f in found if f.value is not None]
    covered = sum((f.low or 0.0) <= truth <= (f.high or 1.0) for f in given)
    mean = f"{np.mean([f.value for f in given if f.value is not None]):.2f}" if given else "-"
    refused = f"{len(found) - len(given)} of {len(found)}"
    return f"{refused} | {covered} of {len(given)} | {mean}"


def most_power() -> None:
    """Power at .05 of the most powerful test against a model that is half sure of .6.

    By Neyman and Pearson, of that model against the nearest one within the classes, both known, by
    normal approximation of the log-likelihood ratio over all patterns: no test of the fit that
    refuses the nearest model in .05 refuses the other more often. As both lean to no position,
    neither does the nearest. With three options also of all six orders of an item.
    """
    print("\n| options | forms | nearest: known, slips | 60 | 100 | 200 | 400 | 1000 |")
    print("|---|---|---|---|---|---|---|---|")
    sizes = np.array([60, 100, 200, 400, 1000])
    sure = (np.arange(1000) + 0.5) / 1000
    for k, forms in ((3, 3), (3, 6), (4, 4), (5, 5)):
        contents = np.array([*product(range(k), repeat=forms)])
        same = np.stack([(contents == c).sum(axis=1) for c in range(k)], axis=1)
        by_right = [
            np.mean(sure**j * ((1 - sure) / (k - 1)) ** (forms - j)) for j in range(forms + 1)
        ]
        true = 0.4 * (same[:, 0] == forms) + 0.6 * np.array(by_right)[same[:, 0]]

        def within(at: npt.ArrayLike, same: Choices = same, k: int = k, forms: int = forms) -> Any:
            p, b, e = np.asarray(at)
            held = (1 - e) ** same * (e / (k - 1)) ** (forms - same)
            return p * held[:, 0] + b * held[:, 1:].mean(axis=1) + (1 - p - b) / k**forms

        least = minimize(
            lambda at, true=true, within=within: (
                true @ np.log(true / np.maximum(within(at), 1e-300))
            ),
            [0.5, 0.05, 0.03],
            bounds=[(0.0, 1.0), (0.0, 0.3), (1e-6, MOST_SLIPS)],
        )
        near = within(least.x)
        ratio = np.log(true / near)
        (mean, spread), (near_mean, near_spread) = (
            (p @ ratio, (p @ ratio**2 - (p @ ratio) ** 2) ** 0.5) for p in (true, near)
        )
        limit = sizes * near_mean + 1.645 * sizes**0.5 * near_spread
        powers = ndtr((sizes * mean - limit) / (sizes**0.5 * spread))
        shown = " | ".join(f"{x:.2f}" for x in powers)
        print(f"| {k} | {forms} | {least.x[0]:.2f}, {least.x[2]:.3f} | {shown} |", flush=True)


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
    parser.add_argument("--three", type=int, default=0, help="studies a cell")
    parser.add_argument("--outsiders", type=int, default=0, help="studies a cell")
    options = parser.parse_args()
    start = time.perf_counter()
    if options.studies:
        coverage(options.studies, options.out)
    if options.refusals:
        refusals(options.refusals)
    if options.clusters:
        clustered(options.clusters, options.checks)
    if options.three:
        three(options.three)
    if options.outsiders:
        most_power()
        outsiders(options.outsiders)
    if options.half_sure:
        half_sure(options.half_sure)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

"""Shares of items with several trials each: the test in use beside the best that keeps its level.

    python benchmarks/trials_power.py
    python benchmarks/trials_power.py --part sizes

Items of three trials, alike and independent of each other. How many items have 0, 1, 2 or 3 hits is
all that there is, and every such outcome is enumerated: nothing is drawn. *Correlated* trials of an
item are beta-binomial, from independent ones to items that are hit or missed as wholes.

*binomial* takes all trials for independent. *best* is the most powerful of all tests, randomised
ones too, against the truth given (independent trials), among those that reject no null of mean and
correlation on a grid more often than the level: a linear programme (Neyman and Pearson's lemma with
a least favourable mixture). *student* is Student's t of the items' means.

`--part sizes`: of items with one trial, the outcomes that the test in use and the binomial judge
differently, of all outcomes; of 40 to 400 items with three, drawn, how often each of both rejects.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import product

import numpy as np
from horsesense.stats.shares import Shares
from scipy.optimize import linprog
from scipy.special import betaln, gammaln
from scipy.stats import binom, t

from horsesense.findings.evidence import Evidence, Way
from horsesense.stats import shares
from horsesense.trials.condition import Condition

TRIALS = 3
CORRELATIONS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
CELLS: Sequence[tuple[int, float, float, Way, Sequence[float]]] = (
    (40, 0.9, 0.0016, "below", (0.7, 0.75, 0.8)),
    (40, 0.5, 0.0025, "below", (0.28, 0.32, 0.36)),
    (40, 0.5, 0.025, "below", (0.36, 0.4)),
    (40, 0.9, 0.025, "below", (0.8, 0.84)),
)
"""Items, null, level, which side is a fault, and truths."""
ONE_TRIAL: Sequence[tuple[float, Way]] = (
    (0.01, "above"), (0.95, "below"), (1 / 256, "above"), (0.25, "above"), (0.5, "below"),
)  # fmt: skip
LEVELS = (0.05, 0.025, 0.005, 0.0025, 0.0016, 0.0005)
SIZES = (40, 100, 400)
DRAWN = (
    *((0.9, 0.0016, items, truth) for items, truth in zip(SIZES, (0.8, 0.83, 0.87), strict=True)),
    *((0.5, 0.0025, items, truth) for items, truth in zip(SIZES, (0.32, 0.39, 0.44), strict=True)),
)
"""Null, level, items and truth; a share that is too low is a fault."""


def outcomes(items: int) -> np.ndarray:
    """How many items have 0, 1, 2 and 3 hits, (outcomes, 4)."""
    three, two, one = np.mgrid[: items + 1, : items + 1, : items + 1].reshape(3, -1)
    none = items - three - two - one
    return np.column_stack([none, one, two, three])[none >= 0]


def of_item(mean: float, correlation: float) -> np.ndarray:
    """Chance of each number of hits of an item."""
    x = np.arange(TRIALS + 1)
    if correlation == 0:
        return np.asarray(binom.pmf(x, TRIALS, mean))
    if correlation == 1:
        return np.where(x == 0, 1 - mean, np.where(x == TRIALS, mean, 0.0))
    a, b = (part * (1 / correlation - 1) for part in (mean, 1 - mean))
    choose = gammaln(TRIALS + 1) - gammaln(x + 1) - gammaln(TRIALS - x + 1)
    return np.asarray(np.exp(choose + betaln(x + a, TRIALS - x + b) - betaln(a, b)))


def of_any_item(mean: float, steps: int = 9) -> list[np.ndarray]:
    """Chances of 0, 1, 2 and 3 hits of an item with that mean, from all over what there can be."""
    found, each = [], TRIALS * (1 - mean)
    for none in np.linspace(0, min(each / TRIALS, 1 - mean), steps):
        left = each - TRIALS * none
        for one in np.linspace(0, left / 2, steps):
            item = np.array([none, one, left - 2 * one, 0.0])
            item[TRIALS] = 1 - item.sum()
            if item.min() > -1e-9:
                found.append(np.maximum(item, 0.0))
    return found


def chances(every: np.ndarray, item: np.ndarray) -> np.ndarray:
    """Of all outcomes, given those of an item."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(every > 0, every * np.log(item), 0.0)
        each = np.where((every > 0) & (item == 0), -np.inf, each)
    ways = gammaln(every.sum(axis=1) + 1) - gammaln(every + 1).sum(axis=1)
    return np.asarray(np.exp(ways + each.sum(axis=1)))


def in_use(every: np.ndarray, null: float, way: Way, level: float) -> np.ndarray:
    """Which outcomes the verdict's interval leaves the null out of."""
    found = np.zeros(len(every), bool)
    for number, counts in enumerate(every):
        hits = np.repeat(np.arange(TRIALS + 1.0), counts)
        found[number] = leaves_out(hits, TRIALS, null, way, level)
    return found


def leaves_out(hits: np.ndarray, trials: int, null: float, way: Way, level: float) -> bool:
    """Whether the verdict's interval leaves the null out, of so many hits of each item."""
    about = Shares.of(hits, np.full(len(hits), float(trials)))
    e = Evidence(about, "m", "p", Condition(), "text", "", 0, "trials", null)
    ends = e.interval(1 - 2 * level, way)
    return ends is not None and (ends[0] > null if way == "above" else ends[1] < null)


def by_size(studies: int) -> None:
    """Tables of items with one trial, and of more items with three."""
    print("| items with one trial | null | outcomes and levels that differ | of |")
    print("|---|---|---|---|")
    for (null, way), n in product(ONE_TRIAL, SIZES):
        hits = np.arange(n + 1)
        tail = binom.sf(hits - 1, n, null) if way == "above" else binom.cdf(hits, n, null)
        apart = 0
        for x, level in product(hits, LEVELS):
            found = leaves_out(np.repeat([1.0, 0.0], [x, n - x]), 1, null, way, level)
            apart += found != (tail[x] <= level)
        print(f"| {n} | {null:.4g} | {apart} | {(n + 1) * len(LEVELS):,} |", flush=True)
    print("\n| null | level | items | truth | in use | binomial | ratio |")
    print(f"|{'---|' * 7}")
    rng = np.random.default_rng(21)
    for null, level, n, truth in DRAWN:
        found = np.zeros(2)
        for _ in range(studies):
            hits = rng.binomial(TRIALS, truth, n) * 1.0
            exact = binom.cdf(hits.sum(), TRIALS * n, null) <= level
            found += leaves_out(hits, TRIALS, null, "below", level), exact
        row = f"{found[0] / studies:.3f} | {found[1] / studies:.3f} | {found[0] / found[1]:.2f}"
        print(f"| {null} | {level} | {n} of {TRIALS} | {truth} | {row} |", flush=True)


def students(every: np.ndarray, null: float, level: float) -> np.ndarray:
    """Which outcomes Student's t of the items' means rejects, of shares that are too low."""
    n, x = every[0].sum(), np.arange(TRIALS + 1) / TRIALS
    mean = every @ x / n
    spread = np.sqrt(np.maximum(every @ x**2 / n - mean**2, 0) / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (mean - null) / spread
    return np.asarray(t.cdf(score, n - 1) <= level)


def best(nulls: np.ndarray, other: np.ndarray, level: float) -> float:
    """Power of the best test against an alternative that rejects no null more often than that."""
    used = other > 1e-13
    limit = np.full(len(nulls), level)
    found = linprog(-other[used], nulls[:, used], limit, bounds=(0, 1), method="highs")
    return float(-found.fun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pseudo", type=float, default=shares.SEVERAL, help="pseudo-cluster")
    parser.add_argument("--part", choices=("outcomes", "sizes"), default="outcomes")
    parser.add_argument("--studies", type=int, default=2000, help="that are drawn")
    options = parser.parse_args()
    shares.SEVERAL = options.pseudo
    if options.part == "sizes":
        by_size(options.studies)
        return
    start = time.process_time()
    head = "in use | best, correlated | ratio | best, any | ratio | binomial | student"
    print(f"| items | null | level | truth | {head} |\n|{'---|' * 11}")
    sizes = []
    for items, null, level, way, truths in CELLS:
        every = outcomes(items)
        total = every @ np.arange(TRIALS + 1)
        tests = {
            "in use": in_use(every, null, way, level),
            "binomial": binom.cdf(total, items * TRIALS, null) <= level,
            "student": students(every, null, level),
        }
        nulls = np.array([chances(every, of_item(null, rho)) for rho in CORRELATIONS])
        wide = np.array([chances(every, item) for item in of_any_item(null)])
        for truth in truths:
            other = chances(every, of_item(truth, 0.0))
            power = {name: float(other[test].sum()) for name, test in tests.items()}
            row = f"{power['in use']:.3f}"
            for among in (nulls, np.concatenate([nulls, wide])):
                most = best(among, other, level)
                row += f" | {most:.3f} | {power['in use'] / most:.2f}"
            row += f" | {power['binomial']:.3f} | {power['student']:.3f}"
            print(f"| {items} of {TRIALS} | {null} | {level} | {truth} | {row} |", flush=True)
        for name, test in tests.items():
            alarms, others = (table[:, test].sum(axis=1) / level for table in (nulls, wide))
            shown = (f"{alarms[CORRELATIONS.index(rho)]:.2f}" for rho in (0.0, 0.1, 0.3, 1.0))
            worst = f"{max(alarms.max(), others.max()):.2f}"
            said = f"| {items} of {TRIALS} | {null} | {level} | {name} |"
            sizes.append(f"{said} {' | '.join(shown)} | {worst} |")
    print(f"\n| items | null | level | test | 0 | .1 | .3 | 1 | most |\n|{'---|' * 9}")
    print("\n".join(sizes))
    print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

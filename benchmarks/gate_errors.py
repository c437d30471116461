"""How often does a gate against a baseline fail by chance, and how often for a loss?

    python benchmarks/gate_errors.py --gates 400
    python benchmarks/gate_errors.py --gates 1000 --part texts

Each gate compares two runs in several views of the same items; an answer is lost or gained in one
view as in another half of the time. Where the true loss is as large as the tolerance in every view,
a check may fail in at most 5 % of the gates. "Twice": with Bonferroni's level corrected again by
the weights with which models are compared.

`--part texts`: how often one check passes. Single answers are lost and gained alike, and whole
texts are lost besides, just so many that more is lost than tolerated (at most half of the level may
pass), or none. Then sets of other sizes in which none is.
"""

from __future__ import annotations

import argparse
import itertools
import time
from types import SimpleNamespace
from typing import cast

import numpy as np
from horsesense.comparison.ends import ends_of
from horsesense.stats.paired import Paired

from horsesense.comparison import compare
from horsesense.comparison.align import Scores, View
from horsesense.comparison.gates.gate import AFTER, BEFORE, _regression
from horsesense.trials.condition import PLAIN

LEVEL, TOLERANCE = 0.95, 0.02
VIEWS = 10
RATE = 0.005
"""Of single answers that are lost, and gained."""
NAMES = (AFTER, BEFORE)


def views(rng: np.random.Generator, n: int, lost: float, gained: float) -> list[Scores]:
    """Answers to n items before and now; as many in every view are lost, and gained, by chance."""
    own = rng.random((1, n))
    again = rng.random((VIEWS, n)) < 0.5
    drawn = np.where(again, own, rng.random((VIEWS, n)))
    before = np.where((lost <= drawn) & (drawn < lost + gained), 0.0, 1.0)
    now = np.where(drawn < lost, 0.0, 1.0)
    return [
        Scores(View("", f"v{v}", PLAIN, "text"), f"v{v}", np.column_stack([now[v], before[v]]),
               np.arange(n), 0)
        for v in range(VIEWS)
    ]  # fmt: skip


def fails(scores: list[Scores], twice: bool) -> list[bool]:
    """Which checks fail; with `twice`, Bonferroni's level is corrected by Holm's weights again."""
    level = 1 - (1 - LEVEL) / VIEWS if twice else LEVEL
    stand = SimpleNamespace(value=0.0)
    found = SimpleNamespace(
        by_view={s.label: dict.fromkeys(NAMES, stand) for s in scores},
        missing={s.label: 0 for s in scores},
        stopped=(),
    )
    return [
        _regression(d, TOLERANCE, "accuracy", cast("compare.Comparison", found)).state == "failed"
        for d in compare._differences(NAMES, scores, level, not twice)
    ]


Shape = tuple[int, int, int]
TEXTS: tuple[tuple[Shape, float, int], ...] = (
    ((2000, 5, 40), 0.02, 10),
    ((1000, 1, 60), 0.02, 10),
    ((300, 8, 10), 0.02, 10),
    ((300, 8, 10), 0.05, 1),
    ((1000, 20, 10), 0.02, 10),
    ((0, 60, 10), 0.02, 10),
)
"""Single items, texts and the size of a text; the tolerance, and the number of views."""
EVEN: tuple[Shape, ...] = (
    (500, 0, 1),
    (1000, 0, 1),
    (5000, 0, 1),
    (0, 500, 4),
    (0, 300, 10),
    (1000, 100, 5),
    (0, 100, 10),
)


def passes(lost: np.ndarray, m: np.ndarray, tolerance: float, views: int) -> np.ndarray:
    """Whether a check of one of several views passes, and whether it would by the interval of the
    paired test; of the answers that clusters of m items lose."""
    both = (ends_of(Paired.of(-lost, m), 1 - 0.05 / views, losses) for losses in (True, False))
    return np.array([ends is not None and ends[0] >= -tolerance for ends in both])


def clusters(shape: Shape) -> np.ndarray:
    single, few, large = shape
    return np.repeat([1.0, float(large)], [single, few])


def named(shape: Shape) -> str:
    single, few, large = shape
    parts = (f"{k:,} of {m}" for k, m in ((single, 1), (few, large)) if k)
    return ", ".join(parts)


def share_of_gates(
    rng: np.random.Generator, shape: Shape, whole: float, rate: float, of: tuple[float, int],
    gates: int,
) -> str:  # fmt: skip
    """The share of checks that pass where texts are lost with a chance, and each item is lost and
    gained by `rate` alike; of a tolerance and a number of views."""
    m, found = clusters(shape), np.zeros(2)
    items = m.astype(int)
    for _ in range(gates):
        lost = rng.binomial(items, rate) - rng.binomial(items, rate) * 1.0
        gone = (m == shape[2]) & (rng.random(len(m)) < whole)
        found += passes(np.where(gone, m, lost), m, *of)
    return " | ".join(f"{share:.4f}" for share in found / gates)


def texts(rng: np.random.Generator, gates: int) -> None:
    head = "items | tolerance, views | loses more: passes | by the paired interval | loses nothing"
    print(f"| {head} | by the paired interval |\n|{'---|' * 6}")
    for shape, tolerance, views in TEXTS:
        chance = 1.01 * tolerance * clusters(shape).sum() / (shape[1] * shape[2])
        told = " | ".join(
            share_of_gates(rng, shape, whole, RATE, (tolerance, views), gates)
            for whole in (chance, 0.0)
        )
        print(f"| {named(shape)} | {tolerance}, {views} | {told} |", flush=True)
    head = "items | lost and gained | tolerance, views | passes | by the paired interval"
    print(f"\n| {head} |\n|{'---|' * 5}")
    for shape, rate, views in itertools.product(EVEN, (RATE, 0.02), (1, 10)):
        told = share_of_gates(rng, shape, 0.0, rate, (TOLERANCE, views), gates)
        row = f"{rate:.1%} | {TOLERANCE}, {views} | {told}"
        print(f"| {named(shape)} | {row} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("failing", "texts"), default="failing")
    parser.add_argument("--gates", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    compare.minimum_detectable = lambda *_: None  # type: ignore[assignment]
    start = time.perf_counter()
    rng = np.random.default_rng(given.seed)
    if given.part == "texts":
        texts(rng, given.gates)
        return
    print("| items | lost | gained | true loss | a check fails | twice | one check | twice |")
    print("|---|---|---|---|---|---|---|---|")
    for n, (loss, gained) in itertools.product(
        (61, 200, 1000), ((0.02, 0.0), (0.02, 0.04), (0.06, 0.03), (0.12, 0.03), (0.2, 0.0))
    ):
        counts = np.zeros(4)
        for _ in range(given.gates):
            scores = views(rng, n, loss + gained, gained)
            once, twice = fails(scores, twice=False), fails(scores, twice=True)
            counts += [any(once), any(twice), np.mean(once), np.mean(twice)]
        a, b, c, d = counts / given.gates
        print(
            f"| {n:,} | {loss + gained:.0%} | {gained:.0%} | {loss:.0%}"
            f" | {a:.3f} | {b:.3f} | {c:.3f} | {d:.3f} |",
            flush=True,
        )
    print(f"\n{given.gates} gates each, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

"""How often does a gate against a baseline fail by chance, and how often for a loss?

    python benchmarks/gate_errors.py --gates 400

Each gate compares two runs in several views of the same items; an answer is lost or gained in one
view as in another half of the time. Where the true loss is as large as the tolerance in every view,
a check may fail in at most 5 % of the gates. "Twice": with Bonferroni's level corrected again by
the weights with which models are compared.
"""

from __future__ import annotations

import argparse
import itertools
import time
from types import SimpleNamespace
from typing import cast

import numpy as np

from horsesense.comparison import compare
from horsesense.comparison.align import Scores, View
from horsesense.comparison.gates.gate import AFTER, BEFORE, _regression
from horsesense.trials.condition import PLAIN

LEVEL, TOLERANCE = 0.95, 0.02
VIEWS = 10
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gates", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    compare.minimum_detectable = lambda *_: None  # type: ignore[assignment]
    start = time.perf_counter()
    rng = np.random.default_rng(given.seed)
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

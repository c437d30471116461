"""How often 95 % intervals of accuracy hold the truth when items and prompts are crossed.

    python benchmarks/multi_problem_coverage.py

Shares of 1,000 simulated studies (standard error 0.7 points at 95 %). Items are unequally hard
(beta, mean 0.7, 400 of them), prompts hold 20, and a share of the replies is lost as a whole.
Nested: 60 prompts that share items; disjoint: 20 prompts that share none. Beside the interval in
use (items and prompts), intervals that cluster by one of the two alone.
"""

from __future__ import annotations

import numpy as np

from horsesense.stats.share import Share

RUNS, ITEMS, SIZE = 1000, 400, 20


def coverage(design: str, lost: float) -> dict[str, float]:
    """Share of simulated studies whose interval holds the truth, by clustering."""
    hits = {"items and prompts": 0, "items alone": 0, "prompts alone": 0}
    truth = 0.7 * (1 - lost)
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        easy = rng.beta(2.8, 1.2, ITEMS)
        drawn = [rng.choice(ITEMS, SIZE, replace=False) for _ in range(60)]
        item = np.concatenate(drawn) if design == "nested" else rng.permutation(ITEMS)
        prompts = len(item) // SIZE
        prompt = np.repeat(np.arange(prompts), SIZE)
        kept = (rng.random(prompts) >= lost)[prompt]
        right = (rng.random(len(item)) < easy[item]) & kept
        hit, trials = right.astype(float), np.ones(len(item))
        found = {"items and prompts": Share.two_way(hit, trials, item, prompt)}
        for name, cluster in {"items alone": item, "prompts alone": prompt}.items():
            found[name] = Share.of(np.bincount(cluster, hit), np.bincount(cluster) * 1.0)
        for name, shares in found.items():
            low, high = shares.interval()
            hits[name] += low <= truth <= high
    return {name: n / RUNS for name, n in hits.items()}


def main() -> None:
    print("| design | replies lost | items and prompts | items alone | prompts alone |")
    print("|---|--:|--:|--:|--:|")
    for design in ("nested", "disjoint"):
        for lost in (0.0, 0.1):
            cells = [f"{value:.3f}" for value in coverage(design, lost).values()]
            print(f"| {design} | {lost:.0%} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

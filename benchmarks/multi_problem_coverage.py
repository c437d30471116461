"""How often 95 % intervals of accuracy hold the truth when items and prompts are crossed.

    python benchmarks/multi_problem_coverage.py --studies 4000

Items are unequally hard (beta, mean 0.7, 400 of them), prompts hold 20, and a share of the replies
is lost as a whole. Nested: prompts that share items; disjoint: 20 prompts that share none. Beside
the interval in use (items and prompts), intervals that cluster by one of the two alone.
"""

from __future__ import annotations

import argparse

import numpy as np

from horsesense.stats.share import Share

ITEMS, SIZE = 400, 20


def coverage(design: str, prompts: int, lost: float, runs: int) -> dict[str, float]:
    """Share of simulated studies whose interval holds the truth, by clustering."""
    hits = {"items and prompts": 0, "items alone": 0, "prompts alone": 0}
    truth = 0.7 * (1 - lost)
    for run in range(runs):
        rng = np.random.default_rng(run)
        easy = rng.beta(2.8, 1.2, ITEMS)
        drawn = [rng.choice(ITEMS, SIZE, replace=False) for _ in range(prompts)]
        item = np.concatenate(drawn) if design == "nested" else rng.permutation(ITEMS)
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
    return {name: n / runs for name, n in hits.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    runs = parser.parse_args().studies
    print("| design | prompts | replies lost | items and prompts | items alone | prompts alone |")
    print("|---|--:|--:|--:|--:|--:|")
    for design, prompts in (("nested", 60), ("nested", 20), ("nested", 12), ("disjoint", 20)):
        for lost in (0.0, 0.1):
            cells = [f"{value:.3f}" for value in coverage(design, prompts, lost, runs).values()]
            print(f"| {design} | {prompts} | {lost:.0%} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

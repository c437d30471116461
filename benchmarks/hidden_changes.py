"""Changes of whole clusters beside noise of single items: how often they are ruled out falsely.

    python benchmarks/hidden_changes.py [--studies 3000]

Reference: the truth is a fall, or a share, of the size that matters or a little more, so that a
test at a level rules it out in at most that share of studies. Clusters change as a whole with a
chance of their own; besides, each item gains and loses by itself. Then the items that are named for
ruling a change out, for clusters of one size and of several, after pilots that do not.
"""

from __future__ import annotations

import argparse
from functools import cache

import numpy as np
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares

from horsesense.findings.evidence import Evidence, clusters_needed
from horsesense.stats.two_way import Floats
from horsesense.trials.condition import PLAIN

SIZE = 0.05
ONE_LARGE = (
    (400, 1, 30, 0.72, 0.01),
    (600, 1, 40, 0.82, 0.01),
    (1000, 1, 60, 0.90, 0.01),
    (2000, 1, 150, 0.75, 0.01),
    (2000, 1, 150, 0.75, 0.05),
    (400, 8, 10, 0.31, 0.01),
    (400, 15, 10, 0.19, 0.01),
    (400, 20, 5, 0.25, 0.01),
    (400, 30, 5, 0.19, 0.01),
)
"""Single items, clusters and their size, the chance that one is lost, and of each item to be."""
ALIKE = ((50, 10, 0.058, 0.016, 0.008), (40, 20, 0.075, 0.03, 0.005), (100, 4, 0.058, 0.02, 0.012))
"""Clusters of one size, the chance that one is lost, and of each item to gain and to lose."""
RATES = (0.02, 0.1)
"""Items that change by themselves, in either direction together."""


def evidence(about: Paired | Shares) -> Evidence:
    return Evidence(about, "m", "p", PLAIN, "text", "", int(about.n), "items", None)


@cache
def cleared(changes: tuple[tuple[float, float, int], ...], level: float) -> bool:
    """Whether a fall is ruled out, by (difference, size, number) of the clusters."""
    d, m, number = np.array(changes).T
    about = Paired.of(d.repeat(number.astype(int)), m.repeat(number.astype(int)))
    return evidence(about).p_ruled_out("below", 0.0, SIZE) <= level


def wrong(
    rng: np.random.Generator, sizes: Floats, whole: Floats, up: float, down: float, level: float
) -> bool:
    """Whether a study rules a fall out."""
    items = sizes.astype(int)
    d = rng.binomial(items, up) - rng.binomial(items, down) * 1.0
    d = np.where(rng.random(len(sizes)) < whole, -sizes, d)
    if d.sum() < -SIZE * sizes.sum():
        return False
    kinds, number = np.unique(np.column_stack([d, sizes]), axis=0, return_counts=True)
    return cleared(
        tuple((*map(float, k), int(n)) for k, n in zip(kinds, number, strict=True)), level
    )


def differences(rng: np.random.Generator, studies: int) -> None:
    print("| clusters | truth | items gain, lose | at .0025 | at .0009 |\n|---|---|---|---|---|")
    rows = []
    for single, few, large, chance, rate in ONE_LARGE:
        sizes = np.repeat([1.0, float(large)], [single, few])
        whole = np.repeat([0.0, chance], [single, few])
        rows.append((f"{single} of 1, {few} of {large}", sizes, whole, rate, rate))
    for clusters, size, chance, up, down in ALIKE:
        sizes = np.full(clusters, float(size))
        rows.append((f"{clusters} of {size}", sizes, np.full(clusters, chance), up, down))
    for name, sizes, whole, up, down in rows:
        truth = float((sizes * ((1 - whole) * (up - down) - whole)).sum() / sizes.sum())
        shares = [
            np.mean([wrong(rng, sizes, whole, up, down, level) for _ in range(studies)])
            for level in (0.0025, 0.0009)
        ]
        told = " | ".join(f"{share:.4f}" for share in shares)
        print(f"| {name} | {100 * truth:.1f} | {up}, {down} | {told} |", flush=True)


def shares(rng: np.random.Generator, studies: int) -> None:
    """Texts that give themselves away as a whole beside items that guess; .05 above .25."""
    print("\n| clusters | the text is not hit | ruled out at .0025 |\n|---|---|---|")
    for single, large in ((1200, 100), (2000, 150), (3000, 250)):
        sizes = np.array([1.0] * single + [float(large)])
        chance = SIZE * sizes.sum() / (0.75 * large)
        found = 0
        for _ in range(studies // 3):
            hits = rng.binomial(sizes.astype(int), 0.25) * 1.0
            if rng.random() < chance:
                continue
            found += evidence(Shares.of(hits, sizes)).p_ruled_out("above", 0.25, SIZE) <= 0.0025
        told = f"{1 - chance:.2f} | {found / (studies // 3):.4f}"
        print(f"| {single} of 1, 1 of {large} | {told} |", flush=True)


def named(rng: np.random.Generator, pilots: int) -> None:
    print("\n| pilot | change | level | named: median |\n|---|---|---|---|")
    for level in (0.005, 0.0006):
        for rate in RATES:
            for name, of in (("60 of 4", [4.0]), ("60 of 1 to 6", [1.0, 2, 3, 4, 5, 6])):
                sizes = np.resize(np.array(of), 60)
                items = sizes.astype(int)
                numbers = []
                for _ in range(pilots):
                    d = rng.binomial(items, rate / 2) - rng.binomial(items, rate / 2) * 1.0
                    e = evidence(Paired.of(d, sizes))
                    need = clusters_needed(e, "both", 0.0, SIZE, level, none=True)
                    if need is not None:
                        numbers.append(need * sizes.mean())
                print(f"| {name} | {rate} | {level} | {np.median(numbers):,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=3000)
    studies = parser.parse_args().studies
    rng = np.random.default_rng(17)
    differences(rng, studies)
    shares(rng, studies)
    named(rng, max(studies // 30, 10))


if __name__ == "__main__":
    main()

"""Differences where a few clusters are large: what is found, and what finding more would cost.

    python benchmarks/unequal_power.py [--studies 1000]

"Lost": every item is lost alone with the chance given. "Even": the same, but that large clusters
gain all their items instead, just so often that nothing is lost on average. Sign flips of clusters
find the first more often, and accuse the second: with the chance in "none gains" a study of the
second has no cluster that gains, and then cannot be told from one of the first, by any test. So no
test that keeps its level finds the first more often than level / chance.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
from horsesense.stats.paired import Paired

FLIPS = 2000
LEVELS = (0.05, 0.005)
SHAPES = {
    "100 of 1, 4 of 100": (100, 1, 4, 100, 0.4),
    "30 of 2, 4 of 30": (30, 2, 4, 30, 0.4),
    "50 of 1, 1 of 50": (50, 1, 1, 50, 0.2),
    "100 of 1, 10 of 30": (100, 1, 10, 30, 0.1),
    "300 of 1, 5 of 20": (300, 1, 5, 20, 0.1),
}

Floats = npt.NDArray[np.float64]


def flipped(rng: np.random.Generator, d: Floats) -> float:
    """Two-sided p of the total, by flips of the clusters' signs."""
    totals = rng.choice([-1.0, 1.0], (FLIPS, len(d))) @ d
    return float((1 + (np.abs(totals) >= abs(d.sum()) - 1e-9).sum()) / (FLIPS + 1))


def found(rng: np.random.Generator, sizes: Floats, lost: float, gaining: float, n: int) -> Floats:
    """How often each test rejects at each level: (2, levels), ours first."""
    p = np.ones((n, 2))
    for study in range(n):
        d = -rng.binomial(sizes.astype(int), lost).astype(np.float64)
        gains = (sizes > 2) & (rng.random(len(sizes)) < gaining)
        d[gains] = sizes[gains]
        ours = Paired.of(d, sizes).p()
        p[study] = 1.0 if ours is None else ours, flipped(rng, d)
    return np.array([(p < level).mean(axis=0) for level in LEVELS]).T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    n = parser.parse_args().studies
    print("| clusters | lost | level | lost: found | by flips | even: accused | by flips", end="")
    print(" | none gains |\n|" + "---|" * 8)
    for name, (few, small, many, large, lost) in SHAPES.items():
        rng = np.random.default_rng(7)
        sizes = np.repeat([float(small), float(large)], [few, many])
        gaining = lost * sizes.sum() / (many * large * (1 + lost))
        guilty, even = (found(rng, sizes, lost, share, n) for share in (0.0, gaining))
        for i, level in enumerate(LEVELS):
            told = " | ".join(f"{x:.3f}" for x in (*guilty[:, i], *even[:, i]))
            print(
                f"| {name} | {lost} | {level} | {told} | {(1 - gaining) ** many:.3f} |", flush=True
            )


if __name__ == "__main__":
    main()

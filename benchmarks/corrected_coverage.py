"""How often 95 % intervals of a score corrected by a labelled sample hold the truth, by reader.

    python benchmarks/corrected_coverage.py --studies 2000

Each study has 1,000 replies, right with a chance of 60 % or 95 %. The readers: good, 98 % of its
readings are right; biased, it takes 20 % of wrong replies for right; useless, a coin; perfect. In
clusters of five, half of the clusters have replies that are all alike. A cell is the share of
intervals that hold the truth and their mean width in points; beside it the labelled replies alone.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from numpy.typing import NDArray

from horsesense.stats.corrected import corrected

Bools = NDArray[np.bool_]
N = 1_000


def right(chance: float, size: int, dice: np.random.Generator) -> Bools:
    """Whether replies are right, in clusters of one size."""
    own = dice.random((N // size, size)) < chance
    alike = dice.random(N // size) < 0.5
    return np.where(alike[:, None], own[:, :1], own).ravel()


def reading(reader: str, truth: Bools, dice: np.random.Generator) -> Bools:
    """What a reader takes for right."""
    if reader == "perfect":
        return truth
    if reader == "useless":
        return dice.random(N) < 0.5
    if reader == "biased":
        return truth | (dice.random(N) < 0.2)
    return truth ^ (dice.random(N) < 0.02)


def cells(reader: str, chance: float, n: int, size: int, studies: int) -> list[str]:
    """Coverage and mean width: corrected, and of the sample alone."""
    dice = np.random.default_rng(1)
    cluster = np.arange(N) // size
    ends = np.empty((studies, 2, 2))
    for study in ends:
        truth = right(chance, size, dice)
        sampled = dice.choice(N, n, replace=False)
        found = corrected(reading(reader, truth, dice), sampled, truth[sampled], cluster)
        assert found.score is not None
        assert found.alone is not None
        study[:] = found.score[1:], found.alone[1:]
    held = ((ends[..., 0] <= chance) & (chance <= ends[..., 1])).mean(axis=0)
    width = 100 * (ends[..., 1] - ends[..., 0]).mean(axis=0)
    return [f"{h:.3f} ({w:.1f})" for h, w in zip(held, width, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2_000)
    studies = parser.parse_args().studies
    print("| Replies are | Right | Reader | n | Corrected (width) | Sample alone (width) |")
    print("|---|---:|---|---:|---:|---:|")
    readers = ("good", "biased", "useless", "perfect")
    plain = product((1,), (0.6, 0.95), readers, (30, 100, 300))
    for size, chance, reader, n in (*plain, *product((5,), (0.6,), readers, (100,))):
        told = " | ".join(cells(reader, chance, n, size, studies))
        kind = "independent" if size == 1 else "in clusters"
        print(f"| {kind} | {100 * chance:.0f} % | {reader} | {n} | {told} |")


if __name__ == "__main__":
    main()

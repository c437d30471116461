"""Coverage of quotients, functions of counts and refitted statistics in very unequal clusters.

    python benchmarks/unequal_families.py [--studies 1500]

Quotients: confidences in a right and in a wrong option, beta variables that share an effect of
their cluster. Functions of counts and the jackknife (with Student's interval, and with Wilson's as
for areas): balanced accuracy, truth .7, where a share of the clusters is right or wrong as a whole.
95 % intervals.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from horsesense.stats.quotient import Quotient
from horsesense.stats.smooth import jackknife, smooth
from horsesense.stats.two_way import by_cluster

Floats = npt.NDArray[np.float64]
Ends = tuple[float, float] | None
QUOTIENTS = ({1: 10}, {4: 30}, {8: 10}, {1: 18, 30: 2})
COUNTS = ({4: 33}, {1: 30, 40: 3}, {1: 100, 100: 4}, {1: 100, 30: 10})
SKILL = 0.7


def confidences(rng: np.random.Generator, sizes: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Confidences in a wrong and in the right option, summed over each cluster."""
    effect = np.repeat(rng.normal(size=len(sizes)), sizes)
    right = 1 / (1 + np.exp(-0.5 - effect))
    below = rng.beta(2 * right + 0.3, 2.3 - 2 * right)
    above = rng.beta(0.8, np.maximum(2.2 + effect / 3, 0.4))
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    return np.add.reduceat(above, starts), np.add.reduceat(below, starts)


def judgements(rng: np.random.Generator, sizes: npt.NDArray[np.intp], whole: float) -> Floats:
    """Right and wrong judgements of right and of wrong options, (items, 4), by cluster."""
    decided = rng.random(len(sizes)) < SKILL
    skill = np.where(rng.random(len(sizes)) < whole, decided, SKILL)
    right = rng.random(sizes.sum()) < 0.5
    good = rng.random(sizes.sum()) < np.repeat(skill, sizes)
    return np.column_stack([right & good, right & ~good, ~right & good, ~right & ~good]) * 1.0


def balanced(totals: Floats) -> Floats:
    a, b, c, d = np.moveaxis(totals, -1, 0)
    mean: Floats = (a / (a + b) + c / (c + d)) / 2
    return mean


def line(name: str, clusters: dict[int, int], whole: str, ends: list[Ends], truth: float) -> None:
    given = [e for e in ends if e is not None]
    covered = np.mean([low <= truth <= high for low, high in given])
    wide = np.mean([high - low for low, high in given])
    made = ", ".join(f"{n} of {size}" for size, n in clusters.items())
    none = 1 - len(given) / len(ends)
    print(f"| {name} | {made} | {whole} | {covered:.3f} | {wide:.2f} | {none:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1500)
    studies = range(parser.parse_args().studies)
    rng = np.random.default_rng(1)
    above, below = confidences(rng, np.ones(1_000_000, dtype=np.intp))
    truth = float(above.mean() / below.mean())
    print("| statistic | clusters | whole clusters | covered | width | no interval |")
    for clusters in QUOTIENTS:
        sizes = np.repeat([*clusters], [*clusters.values()])
        drawn = (confidences(rng, sizes) for _ in studies)
        ends = [Quotient.of(*sums, sizes.astype(np.float64)).interval(0.95) for sums in drawn]
        line("quotient", clusters, "-", ends, truth)
    for clusters in COUNTS:
        sizes = np.repeat([*clusters], [*clusters.values()])
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        for whole in (1.0, 0.3):
            rows = [judgements(rng, sizes, whole) for _ in studies]
            counts = [
                smooth(by_cluster(r, cluster, len(sizes)), balanced, None, 0.0, 1.0, (r, cluster))
                for r in rows
            ]
            line(
                "function of counts", clusters, f"{whole:g}", [f.interval() for f in counts], SKILL
            )
            refits = [jackknife(r, balanced, 0.0, 1.0, cluster) for r in rows]
            line(
                "jackknife, Student", clusters, f"{whole:g}", [f.interval() for f in refits], SKILL
            )
            areas = [f.as_share() for f in refits]
            line("jackknife, Wilson", clusters, f"{whole:g}", areas, SKILL)


if __name__ == "__main__":
    main()

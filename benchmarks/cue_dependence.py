"""How often models seem to use cues that they do not use, and how often the interval holds.

    python benchmarks/cue_dependence.py [--studies 400] [--part single|grouped|models|power]

The claim: of models whose answers have nothing to do with the cues, at most 6 % have p <= .05,
however few items are answered wrongly or predicted by cues, and however many stand in groups; the
95 % interval of the difference holds the truth in at least 93 % of studies from 30 groups up and in
92 % below; and single items have the power of Fisher's exact test.

Reference: the Wald test by a sandwich error with a normal quantile, and Fisher's exact test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.stats import fisher_exact, norm

from horsesense.stats.within_strata import WithinStrata

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """A kind of study.

    Attributes:
        n: items.
        easy: share that cues predict.
        right: share of the items of each label that are answered right where cues fail.
        more: so much more where cues predict the label.
        size: items of a group; several for groups of unlike sizes, each as often in turn.
        whole: whether cues predict groups as wholes.
        alike: correlation of the answers in a group.
        models: several for the mean of as many models, which agree half of the time.
    """

    n: int
    easy: float
    right: tuple[float, ...]
    more: float = 0.0
    size: tuple[int, ...] = (1,)
    whole: bool = False
    alike: float = 0.0
    models: int = 1

    def groups(self) -> npt.NDArray[np.int64]:
        sizes: list[int] = []
        while sum(sizes) < self.n:
            sizes += self.size
        return np.repeat(np.arange(len(sizes)), sizes)[: self.n]

    def name(self) -> str:
        sizes = {size: self.size.count(size) for size in self.size}
        size = ", ".join(
            f"{size} ({count} of {len(self.size)})" if len(sizes) > 1 else f"{size}"
            for size, count in sizes.items()
        )
        return (
            f"{self.n:,} | {size} | {'group' if self.whole else 'item'} | {self.alike:g} |"
            f" {self.easy:g} | {' and '.join(f'{right:g}' for right in self.right)}"
        )

    def draw(self, rng: np.random.Generator) -> WithinStrata:
        """One study; labels have the same chance of being predicted, but for the last item."""
        groups = self.groups()
        label = rng.integers(0, len(self.right), self.n)
        lot = rng.random(groups[-1] + 1)[groups] if self.whole else rng.random(self.n)
        easy = lot < self.easy
        share = np.array(self.right)[label] + self.more * easy
        answers = []
        common = rng.random(self.n)
        for _ in range(self.models):
            own = rng.random(self.n)
            if self.models > 1:
                own = np.where(rng.random(self.n) < 0.5, common, own)
            shared = rng.random(groups[-1] + 1)[groups]
            lots = np.where(rng.random(self.n) < np.sqrt(self.alike), shared, own)
            answers.append(lots < share)
        right = np.mean(answers, axis=0)
        return WithinStrata.of(right, easy, label, groups)


def wald(data: WithinStrata) -> float | None:
    """Two-sided p by the sum of squared influences over groups and a normal quantile."""
    if not len(data.values):
        return None
    influence = np.zeros(len(data.values))
    total = weights = 0.0
    for label in np.unique(data.strata):
        one, other = ((data.strata == label) & (data.first == kind) for kind in (True, False))
        n1, n0 = int(one.sum()), int(other.sum())
        weight = n1 * n0 / (n1 + n0)
        m1, m0 = data.values[one].mean(), data.values[other].mean()
        total, weights = total + weight * (m1 - m0), weights + weight
        influence[one] = weight * (data.values[one] - m1) / n1
        influence[other] = -weight * (data.values[other] - m0) / n0
    sums = np.bincount(data.clusters, influence)
    error = np.sqrt(np.sum(sums**2) * len(sums) / max(len(sums) - 1, 1))
    return 2 * float(norm.sf(abs(total) / error)) if error > 0 else None


SINGLE = [
    Cell(40, 0.15, (0.9,)),
    Cell(60, 0.5, (0.6,)),
    Cell(220, 0.25, (0.8,)),
    Cell(220, 0.25, (0.95,)),
    Cell(220, 0.25, (0.98,)),
    Cell(220, 0.25, (0.6, 0.95)),
    Cell(1000, 0.25, (0.98,)),
    Cell(1000, 0.03, (0.97,)),
    Cell(1000, 0.97, (0.97,)),
]
GROUPED = [
    Cell(count * size, easy, (right,), size=(size,), whole=whole, alike=alike)
    for count, size in ((3, 20), (5, 20), (10, 20), (30, 4), (100, 4))
    for easy, right in ((0.25, 0.95), (0.5, 0.7))
    for whole in (True, False)
    for alike in (0.3, 1.0)
] + [
    Cell(n, easy, (right,), size=size, whole=whole, alike=alike)
    for n, size in ((400, (1, 1, 1, 1, 2, 2, 4, 8)),)
    for easy, right in ((0.25, 0.95), (0.5, 0.7))
    for whole in (True, False)
    for alike in (0.3, 1.0)
]
MODELS = [
    Cell(60, 0.3, (0.8,), models=5),
    Cell(220, 0.25, (0.95,), models=5),
    Cell(220, 0.25, (0.98,), models=3),
    Cell(400, 0.25, (0.8, 0.95), models=5, size=(4,), whole=True, alike=0.3),
]


def level(cell: Cell, studies: int, rng: np.random.Generator) -> str:
    """Shares with p <= .05, two-sided; said to do better; without p; by Wald's test, of all."""
    found = better = none = walds = 0
    for _ in range(studies):
        data = cell.draw(rng)
        p, seen = data.p(), data.estimate
        none += p is None
        if p is not None and seen is not None:
            found += p <= 0.05
            better += p <= 0.05 and seen > 0
        by_wald = wald(data)
        walds += by_wald is not None and by_wald <= 0.05
    there = max(studies - none, 1)
    return (
        f"| {cell.name()} | {walds / studies:.3f} | {found / there:.3f} | {better / there:.3f}"
        f" | {none / studies:.2f} |"
    )


def coverage(cell: Cell, studies: int, rng: np.random.Generator) -> str:
    """Shares of intervals that hold the truth, and that lie above it or below; mean width."""
    held = above = below = there = 0
    width = 0.0
    for _ in range(studies):
        ends = cell.draw(rng).interval()
        if ends is not None:
            there += 1
            held += ends[0] <= cell.more <= ends[1]
            above += ends[0] > cell.more
            below += ends[1] < cell.more
            width += ends[1] - ends[0]
    n = max(there, 1)
    return (
        f"| {cell.name()} | {100 * cell.more:g} | {held / n:.3f} | {above / n:.3f} |"
        f" {below / n:.3f} | {width / n:.3f} | {1 - there / studies:.2f} |"
    )


def power(cell: Cell, studies: int, rng: np.random.Generator) -> str:
    """Shares with p <= .05: here, and by Fisher's test (two-sided, doubled and by likelihood)."""
    here = doubled = likely = 0
    for _ in range(studies):
        data = cell.draw(rng)
        right, easy = data.values == 1, data.first
        counts = [[int((right & k).sum()), int((~right & k).sum())] for k in (easy, ~easy)]
        here += (data.p() or 0) <= 0.05 and data.p() is not None
        tails = [fisher_exact(counts, alternative=side).pvalue for side in ("less", "greater")]
        doubled += 2 * min(tails) <= 0.05
        likely += fisher_exact(counts).pvalue <= 0.05
    return (
        f"| {cell.n:,} | {cell.easy:g} | {cell.right[0]:g} | {100 * cell.more:g} |"
        f" {here / studies:.3f} | {doubled / studies:.3f} | {likely / studies:.3f} |"
    )


ITEMS = "items | of a group | cues predict by | correlation | predicted | right"
TRUTHS = {0.95: 0.04, 0.98: 0.02, 0.97: 0.03, 0.9: 0.08, 0.8: 0.1, 0.7: 0.15, 0.6: 0.2}


Row = Callable[[Cell, int, np.random.Generator], str]


def table(title: str, heads: str, cells: Sequence[Cell], row: Row, studies: int) -> None:
    print(f"\n{title}\n\n| {heads} |\n|{'---|' * (heads.count('|') + 1)}")
    for number, cell in enumerate(cells):
        print(row(cell, studies, np.random.default_rng((7, number))), flush=True)


def with_effects(cells: Sequence[Cell]) -> list[Cell]:
    """The cells with an effect, and the other way round."""
    return [
        replace(cell, more=more)
        for cell in cells
        for more in (TRUTHS[max(cell.right)], -min(3 * TRUTHS[max(cell.right)], 0.3))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--part", choices=("single", "grouped", "models", "power"))
    given = parser.parse_args()
    started = time.perf_counter()
    for part, cells in (("single", SINGLE), ("grouped", GROUPED), ("models", MODELS)):
        if given.part in (None, part):
            heads = f"{ITEMS} | Wald | here | here, better | no p"
            table(f"p <= .05 without an effect, {part}", heads, cells, level, given.studies)
            heads = f"{ITEMS} | effect | held | above | below | width | no interval"
            table(f"95 % intervals, {part}", heads, with_effects(cells), coverage, given.studies)
    if given.part in (None, "power"):
        cells = [c for c in with_effects(SINGLE) if len(c.right) == 1]
        heads = (
            "items | predicted | right | effect | here | Fisher, doubled | Fisher, by likelihood"
        )
        table("Power", heads, cells, power, given.studies)
    print(f"\n{given.studies:,} studies a row, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()

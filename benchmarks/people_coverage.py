"""How often 95 % intervals over items and people hold the truth, with simulated people.

    python benchmarks/people_coverage.py --studies 1000 --inattentive 0.1

Right answers have the log-odds 2.5 + item + person, both normal; in booklets for four forms each
person sees a quarter of the items in one form. The truth is that of all items and all people.
Each cell is the share of intervals that hold it, and their mean width in points.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from numpy.typing import NDArray

from horsesense.stats.change import Change
from horsesense.stats.share import Share

MEAN, GUESS = 2.5, -1.1
Ends = tuple[float | None, float | None] | None


def study(
    items: int, people: int, spread: float, inattentive: float, dice: np.random.Generator
) -> list[Ends]:
    """Intervals of one form: over items and people, over items alone, and against a model."""
    ease, skill = dice.normal(0, 1, items), dice.normal(0, spread, people)
    guesses = dice.random(people) < inattentive
    item, person = np.nonzero((np.arange(items)[:, None] + np.arange(people)) % 4 == 0)
    right = drawn(np.where(guesses[person], GUESS, MEAN + ease[item] + skill[person]), dice)
    model = drawn(MEAN + ease, dice)[item]
    alone = Share.of(np.bincount(item, right), np.bincount(item).astype(float))
    return [
        Share.two_way(right, np.ones(len(right)), item, person).interval(),
        alone.interval(),
        Change.two_way(right - model, item, person).interval(),
    ]


def drawn(logit: NDArray[np.float64], dice: np.random.Generator) -> NDArray[np.float64]:
    return (dice.random(len(logit)) < 1 / (1 + np.exp(-logit))).astype(float)


def truths(spread: float, inattentive: float) -> tuple[float, float, float]:
    """The same three numbers over all items and people, by 400,000 draws."""
    dice = np.random.default_rng(1)
    ease = dice.normal(0, 1, 400_000)
    both = ease + spread * dice.normal(0, 1, 400_000)
    reading = float((1 / (1 + np.exp(-(MEAN + both)))).mean())
    share = (1 - inattentive) * reading + inattentive / (1 + np.exp(-GUESS))
    return share, share, share - float((1 / (1 + np.exp(-(MEAN + ease)))).mean())


def told(found: list[Ends], truth: float) -> str:
    """Share of intervals that hold the truth, and their mean width."""
    known = [(low, high) for low, high in filter(None, found) if low is not None and high]
    if not known:
        return "none"
    held = np.mean([low <= truth <= high for low, high in known])
    return f"{held:.3f} ({100 * np.mean([high - low for low, high in known]):.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--inattentive", type=float, default=0.0, help="share who only guess")
    given = parser.parse_args()
    print("| items | people | sd people | items and people | items alone | people - model |")
    print("|--:|--:|--:|--:|--:|--:|")
    sizes = ((100, 4), (40, 12), (100, 12), (100, 40))
    for (items, people), spread in product(sizes, (0.0, 1.0)):
        dice = np.random.default_rng([items, people, int(spread)])
        studies = [
            study(items, people, spread, given.inattentive, dice) for _ in range(given.studies)
        ]
        truth = truths(spread, given.inattentive)
        cells = [told([s[n] for s in studies], truth[n]) for n in range(3)]
        print(f"| {items} | {people} | {spread} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

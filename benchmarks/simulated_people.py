"""Fill the booklets of a test as people of known ability would, for a trial of the whole way.

    python benchmarks/simulated_people.py TEST --to FILES --known 0.9

Each person knows an item with log-odds around --known, persons and items normal with standard
deviation 1 and .7; who knows it answers rightly, or says that none is right; others guess.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from horsesense_extras.people.booklets import code_of
from horsesense_extras.people.runs import HumanTest, Question


def answer(question: Question, known: bool, dice: np.random.Generator) -> str:
    """What somebody answers who knows the right answer, or does not."""
    variant = question.trial.variant
    offered = variant.labels or variant.options
    if not known:
        return str(dice.choice(offered))
    return "none of these" if variant.gold_at is None else offered[variant.gold_at]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("test", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--known", type=float, default=0.9, help="share of items, 0 to 1")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    test, dice = HumanTest.load(given.test), np.random.default_rng(given.seed)
    if not 0 <= given.known <= 1:
        parser.error(f"--known is a share from 0 to 1, not {given.known:g}")
    mean = float(logit(given.known))  # infinite at 0 and 1: nobody and everybody knows everything
    hard = {item.id: dice.normal(0, 1) for item in test.items}
    given.to.mkdir(parents=True, exist_ok=True)
    for number, booklet in enumerate(test.booklets, 1):
        able = mean + dice.normal(0, 0.7)
        with (given.to / f"{number:02d}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["booklet", "number", "answer"])
            for place, question in enumerate(booklet, 1):
                odds = able - hard[question.trial.variant.item_id]
                known = dice.random() < expit(odds)
                row = [code_of(test.id, number), place, answer(question, bool(known), dice)]
                writer.writerow(row)


if __name__ == "__main__":
    main()

"""How often 95 % intervals of the variances of items, orders and draws hold the truth.

    python benchmarks/components.py [--studies 500]

A population of four kinds of items by three kinds of orders, each with its chance of a right
answer; studies of 10 to 400 items see four orders of an item, and one prompt two or five times.
"""

from __future__ import annotations

import argparse

import numpy as np

from horsesense.rng import seed_of
from horsesense.stats.components import item_rows, variances
from horsesense.stats.smooth import jackknife

CHANCES = np.array([[0.95, 0.9, 0.2], [0.6, 0.1, 0.3], [1.0, 1.0, 1.0], [0.0, 0.5, 0.1]])
TRUTH = (
    CHANCES.mean(axis=1).var(),
    CHANCES.var(axis=1).mean(),
    (CHANCES * (1 - CHANCES)).mean(),
)
ORDERS = 4


def study(rng: np.random.Generator, items: int, draws: int) -> np.ndarray:
    """Rows of the items of one study."""
    kind = rng.integers(0, len(CHANCES), items)
    over = CHANCES[kind[:, None], rng.integers(0, 3, (items, ORDERS))]
    again = CHANCES[kind, rng.integers(0, 3, items)][:, None]
    return item_rows(
        (rng.random(over.shape) < over) * 1.0, (rng.random((items, draws)) < again) * 1.0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=500)
    studies = parser.parse_args().studies
    print("| items | draws of a prompt | variance of items | of orders | of draws | no interval |")
    print("|---|---|---|---|---|---|")
    least, error = 1.0, (0.95 * 0.05 / studies) ** 0.5
    for items in (10, 30, 100, 400):
        for draws in (2, 5):
            rng = np.random.default_rng(seed_of(5, f"{items}|{draws}", "components"))
            held, known = np.zeros(3), np.zeros(3)
            for _ in range(studies):
                rows = study(rng, items, draws)
                for part in range(3):
                    found = jackknife(rows, lambda t, part=part: variances(t)[..., part])
                    ends = found.interval()
                    if ends is not None:
                        known[part] += 1
                        held[part] += ends[0] <= TRUTH[part] <= ends[1]
            least = min(least, *(held / known))
            cells = " | ".join(f"{share:.3f}" for share in held / known)
            print(f"| {items} | {draws} | {cells} | {1 - known.min() / studies:.3f} |", flush=True)
    print(
        f"\nA row is of {studies} studies: a share of .95 has a standard error of {error:.3f}. The"
        f" lowest share, {least:.3f}, lies {(0.95 - least) / error:.1f} standard errors below .95."
        " No interval: share of studies without one, of the variance that has the fewest."
    )


if __name__ == "__main__":
    main()

"""False alarms of the verdict's one-sided tests of shares, at the levels that a correction leaves,
for nulls near 0 and in clusters of very different sizes; and what clusters cost in power.

    python benchmarks/rare_shares.py [--studies 1500]
    python benchmarks/rare_shares.py --part lacks

Reference: the truth is the null, so that a test at a level rejects in at most that share of
studies. Items of a cluster agree by chance alone (correlation 0) or always (1).

`--part lacks`: who knows just enough not to be accused of guessing. Texts are known as wholes or
not at all beside single items that are guessed; then the agreement over the orders of single items,
of which few are known.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import product

import numpy as np
from horsesense.stats.shares import Shares

from horsesense.findings.evidence import Evidence
from horsesense.measures.agreement import chance_agreement
from horsesense.stats.two_way import Floats
from horsesense.trials.condition import Condition

LEVELS = np.array([0.05, 0.005, 0.001])
SHAPES: dict[str, list[int]] = {
    "100 of 1": [1] * 100,
    "400 of 1": [1] * 400,
    "300 of 1, 5 of 20": [1] * 300 + [20] * 5,
    "300 of 1, 2 of 20": [1] * 300 + [20] * 2,
    "200 of 1, 20 of 10": [1] * 200 + [10] * 20,
    "100 of 1, 10 of 30": [1] * 100 + [30] * 10,
    "12 each of 1, 3, 5, 9, 25": [1, 3, 5, 9, 25] * 12,
    "100 of 4": [4] * 100,
    "10 of 10": [10] * 10,
}
"""Sizes of the clusters."""
TEXTS = ((1500, 5, 100), (500, 4, 50), (300, 5, 20), (1000, 30, 10))
"""Single items, texts, and items of a text."""
LACKS_LEVELS = np.array([0.05, 0.005, 0.0025, 0.0005])
LACKING, BEYOND = 0.05, 0.0005
"""What is no better than guessing, and by how much the truth lies beyond."""
NULLS = (("found above .01", 0.01), ("found above 1/256", 1 / 256), ("found above .25", 0.25))
NULLS += (("found below .95", 0.95), ("ruled out: .05 above 0", 0.05))


def evidence(hits: Floats, sizes: Floats) -> Evidence:
    """One share in clusters, as a verdict takes it."""
    about = Shares.of(hits, sizes)
    return Evidence(about, "share", "", Condition(), "text", "", int(about.n), "items", None)


def p_of(what: str, null: float, e: Evidence) -> float:
    """p of the accusation, or of being cleared of a fault of .05."""
    if what.startswith("ruled out"):
        return e.p_ruled_out("above", 0.0, null)
    return e.p_found("below" if "below" in what else "above", null, 0.0)


def hits(rng: np.random.Generator, sizes: Floats, truth: float, together: float) -> Floats:
    """Hits of each cluster; its items follow one draw with the chance sqrt(together)."""
    follow = rng.binomial(sizes.astype(int), np.sqrt(together))
    own = rng.random(len(sizes)) < truth
    return np.asarray(follow * own + rng.binomial(sizes.astype(int) - follow, truth), dtype=float)


def accused(drawn: Callable[[], Floats], sizes: Floats, guess: float, studies: int) -> str:
    """The share of studies that are no better than guessing, at each level."""
    p = [evidence(drawn(), sizes).p_found("lacks", guess, LACKING) for _ in range(studies)]
    return " | ".join(f"{x:.4f}" for x in (np.array(p)[:, None] <= LACKS_LEVELS).mean(axis=0))


def lacks(rng: np.random.Generator, studies: int) -> None:
    """Tables of known texts, and of items that agree with themselves over many orders."""
    head = " | ".join(f"at {level:g}" for level in LACKS_LEVELS)
    print(f"| clusters | {head} |\n|{'---|' * 5}")
    for single, few, large in TEXTS:
        sizes = np.repeat([1.0, float(large)], [single, few])
        known = (LACKING + BEYOND) / 0.75 * sizes.sum() / (few * large) * (sizes > 1)

        def scores(sizes: Floats = sizes, known: Floats = known) -> Floats:
            whole = rng.random(len(sizes)) < known
            return np.where(whole, sizes, rng.binomial(sizes.astype(int), 0.25))

        told = accused(scores, sizes, 0.25, studies)
        print(f"| {single:,} of 1, {few} of {large} | {told} |", flush=True)
    print(f"\n| items | orders | known | {head} |\n|{'---|' * 7}")
    for items, orders in product((40, 100), (4, 24)):
        guess = chance_agreement(orders, 4)
        share = (LACKING + BEYOND) / (1 - guess)

        def agreement(items: int = items, orders: int = orders, share: float = share) -> Floats:
            most = rng.multinomial(orders, [0.25] * 4, items).max(axis=1) / orders
            return np.where(rng.random(items) < share, 1.0, most)

        told = accused(agreement, np.ones(items), guess, studies)
        print(f"| {items} | {orders} | {share:.3f} | {told} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1500)
    parser.add_argument("--part", choices=("nulls", "lacks"), default="nulls")
    options = parser.parse_args()
    studies, rng = options.studies, np.random.default_rng(11)
    if options.part == "lacks":
        lacks(rng, studies)
        return
    print(
        "| clusters | test | correlation | at .05 | at .005 | at .001 |\n|---|---|---|---|---|---|"
    )
    for shape, of in SHAPES.items():
        sizes = np.array(of, dtype=np.float64)
        for what, null in NULLS:
            for together in (0, 1) if sizes.max() > 1 else (0,):
                p = [
                    p_of(what, null, evidence(hits(rng, sizes, null, together), sizes))
                    for _ in range(studies)
                ]
                shares = (np.array(p)[:, None] <= LEVELS).mean(axis=0)
                told = " | ".join(f"{share:.4f}" for share in shares)
                print(f"| {shape} | {what} | {together} | {told} |", flush=True)
    print("\n| 100 clusters of 4 | correlation | found at .005 |\n|---|---|---|")
    sizes = np.full(100, 4.0)
    for truth, null in ((0.05, 0.01), (0.03, 1 / 256)):
        for together in (0, 0.3):
            p = [
                p_of("found above", null, evidence(hits(rng, sizes, truth, together), sizes))
                for _ in range(studies)
            ]
            found = float(np.mean(np.array(p) <= 0.005))
            print(f"| truth {truth}, null {null:.4f} | {together} | {found:.3f} |", flush=True)


if __name__ == "__main__":
    main()

"""How often an audit that stops early accuses a model without a fault, one finding at a time.

    python benchmarks/sequential_accusations.py [--studies 5000]

A finding of N items is simulated alone: fair differences (its null), or a true fall. It is looked
at after each batch of 25 and stops as audits do. *Decided* is the share of studies in which the
bets find a change of 5 points among these N items; *accused* that in which the paired test of the
items asked rejects as well, at half of the finding's level, beside that level (bar for a null: 1).
"""

from __future__ import annotations

import argparse

import numpy as np

from horsesense.findings.early import STOPS
from horsesense.stats.paired import Paired
from horsesense.stats.sequential import DOWN, UP, Decision, Design

ALPHA = 0.04 / 7
"""Level of one of seven findings."""
BATCH = 25


def studied(n: int, discordance: float, fall: float, size: int, studies: int) -> tuple[float, ...]:
    """Shares of studies decided and accused, and the mean share of the items asked."""
    rng = np.random.default_rng(7)
    drawn = rng.random((studies, n // size))
    down = (discordance + fall) / 2
    d = np.where(drawn < down, -1.0, np.where(drawn < discordance, 1.0, 0.0)).repeat(size, axis=1)
    order = rng.permuted(np.tile(np.arange(n), (studies, 1)), axis=1)
    d = np.take_along_axis(d, order, axis=1)
    decision = Decision(Design(n, 0.05, ALPHA), studies).extend(d)
    asked = np.minimum(n, -(-decision.at // BATCH) * BATCH)
    decided = np.isin(decision.code, (UP, DOWN))
    accused = 0
    for study in np.flatnonzero(decided):
        seen = order[study, : asked[study]] // size
        sums = np.bincount(seen, d[study, : asked[study]])
        about = Paired.of(sums, np.bincount(seen).astype(np.float64))
        p, up = about.p(), decision.code[study] == UP
        accused += p is not None and p <= ALPHA / STOPS and (about.estimate > 0) == up
    return float(decided.mean()), accused / studies, float(asked.mean() / n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=5000)
    studies = parser.parse_args().studies
    head = "N | cluster | discordance | true fall | decided | accused | accused / level | asked"
    print(f"| {head} |\n|{'---|' * 8}")
    for fall, sizes in ((0.0, (1, 4)), (0.1, (1,)), (0.2, (1,))):
        for n in (40, 100, 200, 400, 1000):
            for size in sizes:
                for discordance in (0.2, 0.5) if fall else (0.3, 0.5, 0.8):
                    found = studied(n, discordance, fall, size, studies)
                    share = f"{found[1] / ALPHA:.2f}" if not fall else "-"
                    print(
                        f"| {n} | {size} | {discordance} | {fall} | {found[0]:.3f} | {found[1]:.4f}"
                        f" | {share} | {found[2]:.2f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()

"""How often an audit that stops early accuses a model without a fault, one finding at a time.

    python benchmarks/sequential_accusations.py [--studies 5000]

A finding of N items is simulated alone: fair differences (its null), or a true fall. It is looked
at after each batch of 25 and stops as audits do. *Decided* is the share of studies in which the
bets find a change of 5 points among these N items; *accused* that in which the paired test of the
items asked rejects as well, at half of the finding's level, beside that level (bar for a null: 1).
With --lost some answers are missing, and the test must also reject with each against it.
"""

from __future__ import annotations

import argparse

import numpy as np
from horsesense.stats.paired import Paired
from horsesense.stats.sequential import DOWN, UP, Decision, Design, Floats

from horsesense.findings.early import STOPS

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


def lost(
    n: int, discordance: float, fall: float, share: float, which: str, studies: int
) -> tuple[float, ...]:
    """Shares of studies that are decided, accused by the items with every answer, and accused by
    all with what is missing against the accusation; and the mean share of the items asked."""
    rng = np.random.default_rng(7)
    drawn, down = rng.random((studies, n)), (discordance + fall) / 2
    same = rng.random((studies, n)) < 0.6
    before = np.where(drawn < down, 1.0, np.where(drawn < discordance, 0.0, same))
    after = np.where(drawn < down, 0.0, np.where(drawn < discordance, 1.0, before))
    d = after - before
    if which == "favourable":
        gone = (d > 0) & (rng.random(d.shape) < 2 * share / (discordance - fall))
        no_before = no_after = gone
    else:
        no_before, no_after = (rng.random(d.shape) < share for _ in range(2))
    low = np.where(no_after, 0.0, after) - np.where(no_before, 1.0, before)
    high = np.where(no_after, 1.0, after) - np.where(no_before, 0.0, before)
    decision = Decision(Design(n, 0.05, ALPHA), studies).extend(np.stack([low, high]))
    asked = np.minimum(n, -(-decision.at // BATCH) * BATCH)
    decided = np.isin(decision.code, (UP, DOWN))
    alone = both = 0
    for study in np.flatnonzero(decided):
        up, seen = decision.code[study] == UP, slice(asked[study])
        whole = ~(no_before | no_after)[study, seen]
        if rejects(d[study, seen][whole], up):
            alone += 1
            both += rejects((low if up else high)[study, seen], up)
    return float(decided.mean()), alone / studies, both / studies, float(asked.mean() / n)


def rejects(d: Floats, up: bool) -> bool:
    """Whether the paired test of single items finds a change in this direction."""
    about = Paired.of(d, np.ones(len(d)))
    p = about.p()
    return p is not None and p <= ALPHA / STOPS and (about.estimate > 0) == up


def tell_lost(studies: int) -> None:
    """The tables of accusations with missing answers."""
    print("| N | discordance | lost | which | decided | alone / level | both / level |")
    print(f"|{'---|' * 7}")
    for n, discordance in ((100, 0.5), (200, 0.5), (200, 0.8), (400, 0.5)):
        for share in (0.01, 0.03, 0.05):
            for which in ("favourable", "either"):
                decided, alone, both, _ = lost(n, discordance, 0.0, share, which, studies)
                told = f"{decided:.3f} | {alone / ALPHA:.2f} | {both / ALPHA:.2f}"
                print(f"| {n} | {discordance} | {share:.0%} | {which} | {told} |", flush=True)
    print("\n| N | discordance | true fall | lost | asked | accused, alone | both |")
    print(f"|{'---|' * 7}")
    for n in (200, 400, 1000):
        for discordance, fall in ((0.2, 0.1), (0.3, 0.2)):
            for share in (0.0, 0.01, 0.03):
                _, alone, both, asked = lost(n, discordance, fall, share, "either", 500)
                told = f"{share:.0%} | {asked:.2f} | {alone:.3f} | {both:.3f}"
                print(f"| {n} | {discordance} | {fall} | {told} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=5000)
    parser.add_argument("--lost", action="store_true", help="with missing answers")
    given = parser.parse_args()
    studies = given.studies
    if given.lost:
        tell_lost(studies)
        return
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

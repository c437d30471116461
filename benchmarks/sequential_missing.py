"""What lost replies cost an audit that stops early, and whether they mislead it.

    python benchmarks/sequential_missing.py [--studies 200]

1,000 items, right in .7 as published; each of three other orders changes that in .2 of them, with
or without a change of accuracy. Lost is a share of all replies, or, of the replies to other orders,
twice that share of the wrong ones. One finding at the level of one of seven. *Bounded*: a lost
reply may have been right or wrong (as audits do); *void*: an item that lacks a reply may have
changed in any way. Printed are the mean share of the items that was asked, and how the studies
ended: found above, ruled out, found below, cannot tell.
"""

from __future__ import annotations

import argparse

import numpy as np
from horsesense.stats.sequential import CANNOT_TELL, DOWN, RULED_OUT, UP, Decision, Design

ITEMS, RIGHT, FLIPPED, ORDERS = 1000, 0.7, 0.2, 3
DESIGN = Design(ITEMS, 0.05, 0.04 / 7)


def replies(studies: int, change: float) -> tuple[np.ndarray, np.ndarray]:
    """Whether each reply is right: as published, and in the other orders."""
    rng = np.random.default_rng(1)
    base = rng.random((studies, ITEMS)) < RIGHT
    losing, winning = ((FLIPPED + sign * change) / 2 for sign in (-1, 1))
    chance = np.where(base, losing / RIGHT, winning / (1 - RIGHT))
    return base, base[..., None] ^ (rng.random((*base.shape, ORDERS)) < chance[..., None])


def row(change: float, lost: float, where: str, studies: int) -> str:
    base, orders = replies(studies, change)
    rng = np.random.default_rng(2)
    shares = np.where(orders, 0.0, 2 * lost) if where == "wrong" else np.full(orders.shape, lost)
    gone = rng.random(orders.shape) < shares
    unread = rng.random(base.shape) < (0 if where == "wrong" else lost)
    low = np.where(gone, 0, orders).mean(axis=-1) - np.where(unread, 1, base)
    high = np.where(gone, 1, orders).mean(axis=-1) - np.where(unread, 0, base)
    void = np.where(low < high, np.nan, low)
    cells = [f"{100 * change:+.0f}", f"{100 * lost:.0f} %", where]
    for d in (np.stack([low, high]), void):
        found = Decision(DESIGN, studies).extend(d)
        cells.append(f"{100 * found.at.mean() / ITEMS:.0f} %")
        ends = [(found.code == code).mean() for code in (UP, RULED_OUT, DOWN, CANNOT_TELL)]
        cells.append(" / ".join(f"{share:.2f}" for share in ends))
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=200)
    studies = parser.parse_args().studies
    print("| change | lost | which | bounded: asked | ends | void: asked | ends |")
    print("|---|---|---|---|---|---|---|")
    for change in (0.0, -0.1):
        for lost, where in ((0.0, "any"), (0.01, "any"), (0.03, "any"), (0.03, "wrong")):
            print(row(change, lost, where, studies), flush=True)


if __name__ == "__main__":
    main()

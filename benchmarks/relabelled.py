"""Differences of means over several forms: false alarms, with and without labelling forms anew.

    python benchmarks/relabelled.py [--studies 4000]

"guesses": knows a share of the items and else chooses one position in every order, so that one of
the K orders is right; accuracy over the other orders less that as published, whose truth is 0.
"samples": each reply is the item's main answer with chance q, else one of the others; changed
answers under K - 1 orders less those of one repeat. "squares": the variance is that of the squares
alone; "labelled": at least that of labelling forms anew, as for forms with a change in common and
items in clusters; "drawn": the exact p of drawing the published form, for orders of items alone.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
from horsesense.stats.paired import Paired

from horsesense.stats.forms import Forms

LEVELS = (0.05, 0.005, 0.0005)
GUESSES = (
    (10, 0.0, 12), (10, 0.6, 25), (10, 0.6, 100), (10, 0.9, 100), (10, 0.9, 400), (8, 0.6, 25),
    (5, 0.0, 12), (5, 0.3, 100), (4, 0.0, 25), (4, 0.3, 100), (4, 0.6, 400), (3, 0.3, 40),
)  # fmt: skip
SAMPLES = (
    (4, 0.98, 100), (4, 0.98, 400), (4, 0.9, 40), (5, 0.98, 100), (10, 0.98, 100), (10, 0.8, 100),
)  # fmt: skip
"""Options; share known, or chance of the main answer; items."""

Floats = npt.NDArray[np.float64]


def guessed(rng: np.random.Generator, k: int, know: float, n: int) -> tuple[Floats, Floats]:
    """Means over the other orders, and as published."""
    position = rng.integers(0, k, n)
    known = rng.random(n) < know
    published = np.where(known, 1.0, position == 0)
    return np.where(known, 1.0, (position != 0) / (k - 1)), published


def sampled(rng: np.random.Generator, k: int, q: float, n: int) -> tuple[Floats, Floats]:
    """Changes under the other orders, and of a repeat."""
    answer = np.where(rng.random((n, k + 1)) < q, 0, rng.integers(1, k, (n, k + 1)))
    changed = answer[:, 1:] != answer[:, :1]
    return changed[:, 1:].mean(axis=1), changed[:, 0].astype(np.float64)


def alarms(rng: np.random.Generator, kind: str, k: int, share: float, n: int, studies: int) -> str:
    """How often a true null is rejected at each level, for all three tests."""
    p = np.ones((studies, 3))
    others, once = np.full(n, k - 1.0), np.ones(n)
    for study in range(studies):
        here, base = (guessed if kind == "guesses" else sampled)(rng, k, share, n)
        forms = [Forms.of(others * here, others, base, once, alike) for alike in (0, k - 1)]
        for at, seen in enumerate((None, *forms)):
            found = Paired.of(here - base, once, seen).p()
            p[study, at] = 1.0 if found is None else found
    return " | ".join(f"{(p[:, at] < a).mean():.4f}" for at in range(3) for a in LEVELS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000)
    studies = parser.parse_args().studies
    heads = [f"{name}: {level}" for name in ("squares", "labelled", "drawn") for level in LEVELS]
    print(f"| model | options | share | items | {' | '.join(heads)} |\n|{'---|' * 13}")
    for kind, cells in (("guesses", GUESSES), ("samples", SAMPLES)):
        for k, share, n in cells:
            rng = np.random.default_rng([k, n, round(100 * share)])
            told = alarms(rng, kind, k, share, n, studies)
            print(f"| {kind} | {k} | {share} | {n} | {told} |", flush=True)


if __name__ == "__main__":
    main()

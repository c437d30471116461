"""How often are equal models called unequal where one loses replies, and which losses do gates see?

    python benchmarks/measured.py gate_errors --studies 1000

"Better": two models that know .6 of the items, in one view; one loses a share of all replies, and
only replies that are wrong. "As seen" leaves items without both replies out; "with bounds" is what
`compare` and `gate` do. "Gates": runs with ten views of the same items (half of the answers of a
view are those of the first one) and a tolerance of 2 points; as many answers are lost and gained by
chance in each, and some more lost. A loss of 2 points is tolerated: at most 5 % of these may fail.
"""

from __future__ import annotations

import argparse
from math import sqrt

import numpy as np
import numpy.typing as npt

from horsesense.comparison.compare import weights
from horsesense.comparison.views import View, ViewScores
from horsesense.rng import seed_of
from horsesense.stats.multiplicity import weighted_holm
from horsesense.trials.condition import PLAIN

Floats = npt.NDArray[np.float64]
ALPHA, KNOW, VIEWS, TOLERANCE = 0.05, 0.6, 10, 0.02
NOISE = 0.05
"""Share of the answers that are lost, and as many gained, by chance."""


def scores(now: Floats, before: Floats) -> ViewScores:
    """Two runs in one view; NaN is a missing reply."""
    both = np.column_stack([now, before])
    ends = (np.where(np.isnan(both), end, both) for end in (0.0, 1.0))
    lost = int(np.isnan(both).any(axis=1).sum())
    view = View("", "original", PLAIN, "text")
    return ViewScores(view, "v", both, np.arange(len(both)), lost, True, {}, False, *ends)


def better(rng: np.random.Generator, n: int, lost: float) -> tuple[bool, bool]:
    """Whether either of two equal models is better, as seen and with bounds."""
    now, before = (rng.random((2, n)) < KNOW).astype(float)
    wrong = np.flatnonzero(now == 0)
    now[rng.permutation(wrong)[: round(lost * n)]] = np.nan
    pair = scores(now, before).pair(0, 1)
    return pair.seen.p() < ALPHA, 2 * min(pair.p_above(), pair.p_below()) < ALPHA


def fails(rng: np.random.Generator, n: int, loss: float, views: int) -> bool:
    """Whether a gate fails."""
    own, p_values = rng.random(n), []
    for place in range(views):
        drawn = own if not place else np.where(rng.random(n) < 0.5, own, rng.random(n))
        before = np.where((NOISE + loss <= drawn) & (drawn < 2 * NOISE + loss), 0.0, 1.0)
        now = np.where(drawn < NOISE + loss, 0.0, 1.0)
        p_values.append(scores(now, before).pair(0, 1).p_below(-TOLERANCE))
    return min(weighted_holm(p_values, weights(views))) < ALPHA


def told(hits: float, studies: int) -> str:
    """A share and its standard error."""
    share = hits / studies
    return f"{share:.3f} ± {sqrt(share * (1 - share) / studies):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=1000)
    studies: int = parser.parse_args().studies
    rng = np.random.default_rng(seed_of(0, "gate errors", ""))
    print("| items | replies lost where wrong | called better as seen | with bounds | studies |")
    print("|---|---|---|---|---|")
    for n, lost in ((400, 0.0), (400, 0.04), (400, 0.1), (400, 0.2)):
        hits = np.sum([better(rng, n, lost) for _ in range(studies)], axis=0)
        shares = " | ".join(told(hit, studies) for hit in hits)
        print(f"| {n} | {lost:.0%} | {shares} | {studies:,} |", flush=True)
    print("\n| items | views | true loss | gates that fail | gates |\n|---|---|---|---|---|")
    for n, loss in ((500, 0.02), (500, 0.05), (200, 0.02), (200, 0.1)):
        for views in (1, VIEWS):
            hit = sum(fails(rng, n, loss, views) for _ in range(studies))
            row = f"{n} | {views} | {loss:.0%} | {told(hit, studies)} | {studies:,}"
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()

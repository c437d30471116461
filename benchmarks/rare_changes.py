"""Differences of single pairs of which few or none change: how often their intervals miss, and how
wide they are beside exact ones.

    python benchmarks/rare_changes.py

Reference: every outcome (gained, lost) is enumerated and weighted by its exact chance, for a grid
of both rates; nothing is drawn. Widths are compared with the shortest that an interval can have
whose ends move with gains and losses and miss no truth too often, whatever the rates are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import multinomial

from horsesense.findings.evidence import Evidence
from horsesense.stats.binomial import limits
from horsesense.stats.paired import Paired
from horsesense.trials.condition import PLAIN

MOST = {12: 12, 40: 40, 100: 50, 400: 75}
"""By number of pairs, the most gains, and losses, that are enumerated."""
LEVELS = (0.95, 0.995, 0.9995)
RATES = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4)
WIDTHS = (0.95, 0.995, 0.999)


def about(gained: int, lost: int, n: int) -> Paired:
    changes = np.repeat([1.0, -1.0, 0.0], [gained, lost, n - gained - lost])
    return Paired.of(changes, np.ones(n))


def score_alone(pairs: Paired) -> Paired:
    """The same without exact limits, which are for clusters of exactly one pair."""
    return replace(pairs, mean_size=1 + 1e-12)


def worlds(n: int) -> Iterator[tuple[float, float]]:
    """Rates of gains and losses of which few studies exceed what is enumerated."""
    for up, down in product(RATES, RATES):
        changed = n * max(up, down)
        if up + down <= 1 and (MOST[n] == n or changed + 5 * changed**0.5 <= MOST[n]):
            yield up, down


def misses(n: int, level: float) -> tuple[float, float, float]:
    """The most often that an end misses the truth, over its share of 1 - level: of the score test
    alone, with exact limits, and in a verdict."""
    top = range(MOST[n] + 1)
    outcomes = [(up, down) for up, down in product(top, top) if up + down <= n]
    counts = np.array([(up, down, n - up - down) for up, down in outcomes])
    whole = [about(up, down, n) for up, down in outcomes]
    kinds = (
        [score_alone(p).interval(level) for p in whole],
        [p.interval(level) for p in whole],
        [Evidence(p, "m", "p", PLAIN, "text", "", n, "items", None).interval(level) for p in whole],
    )
    highs = [np.array([1.0 if ends is None else ends[1] for ends in kind]) for kind in kinds]
    most = [0.0, 0.0, 0.0]
    for up, down in worlds(n):
        chance = multinomial.pmf(counts, n, [up, down, 1 - up - down])
        for i, high in enumerate(highs):
            most[i] = max(most[i], float(chance[high < up - down - 1e-12].sum()))
    alpha = (1 - level) / 2
    return most[0] / alpha, most[1] / alpha, most[2] / alpha


def shortest(gained: int, n: int, level: float) -> float:
    """Width that no exact interval is below, of at most one gain and no loss.

    The upper end is at least that of losses that never occur. Of one gain, the lower end is at most
    the difference at which one gain or more without a loss has a chance of alpha, for the rate of
    gains that makes it largest.
    """
    alpha = (1 - level) / 2
    high = limits(gained, n, alpha)[1]
    if not gained:
        return 2 * high
    ups = np.geomspace(1e-5, 0.5, 2000)

    def beyond(low: float) -> float:
        fit = ups[2 * ups + low < 1]
        return float(((1 - fit - low) ** n - (1 - 2 * fit - low) ** n).max()) - alpha

    return high + float(brentq(beyond, 1e-9, 0.99))


def main() -> None:
    print("| pairs | level | score alone | with exact limits | in a verdict |")
    print("|---|---|---|---|---|")
    for n, level in product(MOST, LEVELS):
        row = misses(n, level)
        print(f"| {n} | {level} | " + " | ".join(f"{m:.2f}" for m in row) + " |", flush=True)
    print("\n| pairs | level | none changed: score alone | now | one changed: score alone | now |")
    print("|---|---|---|---|---|---|")
    for n, level in product(MOST, WIDTHS):
        row = ()
        for gained in (0, 1):
            for pairs in (score_alone(about(gained, 0, n)), about(gained, 0, n)):
                low, high = pairs.interval(level) or (-1.0, 1.0)
                row += ((high - low) / shortest(gained, n, level),)
        print(f"| {n} | {level} | " + " | ".join(f"{r:.2f}" for r in row) + " |", flush=True)


if __name__ == "__main__":
    main()

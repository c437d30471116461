"""Differences of single pairs of which few or none change: how often their intervals miss, and how
wide they are beside exact ones.

    python benchmarks/rare_changes.py

Reference: every outcome (gained, lost) is enumerated and weighted by its exact chance, for a grid
of both rates; nothing is drawn. Widths of single outcomes are compared with the shortest that an
interval can have whose ends move with gains and losses and miss no truth too often, whatever the
rates are; mean widths with those of exact unconditional intervals: all differences at which no rate
of losses makes a study at least as far off, by Tango's score (1998, section 2), rarer than half of
1 - level at either end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt
from horsesense.stats.paired import Paired
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy
from scipy.stats import multinomial

from horsesense.findings.evidence import Evidence
from horsesense.stats.binomial import limits
from horsesense.trials.condition import PLAIN

MOST = {12: 12, 20: 20, 40: 40, 100: 100, 400: 75}
"""By number of pairs, the most gains, and losses, that are enumerated."""
LEVELS = (0.95, 0.995, 0.9995)
RATES = (
    *(0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.17, 0.23, 0.3, 0.4),
    *(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0),
)
WIDTHS = (0.95, 0.995, 0.999)

STEPS = {12: 0.005, 40: 0.004, 100: 0.004}
"""By number of pairs, the distance of the differences of which exact intervals are made."""
MEAN_RATES = (
    *((0.005, 0.005), (0.02, 0.02), (0.05, 0.05), (0.1, 0.1), (0.2, 0.2)),
    *((0.02, 0.0), (0.05, 0.01), (0.1, 0.02), (0.2, 0.05)),
)
"""Gains and losses of the studies whose mean widths are compared."""
LARGEST = 50
"""The most gains, and losses, that are enumerated for them."""

Floats = npt.NDArray[np.float64]


def about(gained: int, lost: int, n: int) -> Paired:
    changes = np.repeat([1.0, -1.0, 0.0], [gained, lost, n - gained - lost])
    return Paired.of(changes, np.ones(n))


def score_alone(pairs: Paired) -> Paired:
    """The same without exact limits, which need the sizes of clusters."""
    return replace(pairs, sizes=())


def worlds(n: int) -> Iterator[tuple[float, float]]:
    """Rates of gains and losses of which few studies exceed what is enumerated."""
    for up, down in product(RATES, RATES):
        changed = n * max(up, down)
        if up + down <= 1 + 1e-12 and (MOST[n] == n or changed + 5 * changed**0.5 <= MOST[n]):
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
        chance = multinomial.pmf(counts, n, [up, down, max(1 - up - down, 0.0)])
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


def scores(gained: Floats, lost: Floats, n: int, difference: float) -> Floats:
    """Tango's statistic of each outcome at a true difference."""
    b = -gained - lost + (2 * n - gained + lost) * difference
    root = np.sqrt(np.maximum(b * b + 8 * n * lost * difference * (1 - difference), 0))
    spread = n * ((root - b) / (2 * n) + difference * (1 - difference))
    off = gained - lost - n * difference
    certain = np.where(np.abs(off) < 1e-9, 0.0, np.sign(off) * 1e9)
    return np.where(spread > 1e-12, off / np.sqrt(np.maximum(spread, 1e-300)), certain)


def exact_highs(
    gained: Floats, lost: Floats, n: int, levels: tuple[float, ...]
) -> dict[float, Floats]:
    """By level, the upper end of each outcome's exact unconditional interval."""
    same = n - gained - lost
    ways = (gammaln(n + 1) - gammaln(gained + 1) - gammaln(lost + 1) - gammaln(same + 1))[:, None]
    highs = {level: np.full(len(gained), -1.0) for level in levels}
    for difference in np.arange(-1 + STEPS[n], 1, STEPS[n]):
        least, most = max(0.0, -difference), (1 - difference) / 2
        down = least + (most - least) * np.concatenate([[0.0], np.geomspace(1e-5, 1, 40)])
        up = np.clip(down + difference, 0, 1)
        chance = np.exp(
            ways
            + xlogy(gained[:, None], up)
            + xlogy(lost[:, None], down)
            + xlogy(same[:, None], np.clip(1 - up - down, 0, 1))
        )
        z = scores(gained, lost, n, float(difference))
        order = np.argsort(z, kind="stable")
        below = np.cumsum(chance[order], axis=0)
        last = np.searchsorted(z[order], z[order] + 1e-9, side="right") - 1
        p = np.empty(len(z))
        p[order] = below[last].max(axis=1)
        for level in levels:
            highs[level][p > (1 - level) / 2] = difference + STEPS[n] / 2
    return highs


def mean_widths(n: int) -> Iterator[tuple[float, list[float]]]:
    """By level, the mean width over that of the exact interval, for each of `MEAN_RATES`."""
    top = range(min(n, LARGEST) + 1)
    outcomes = [(up, down) for up, down in product(top, top) if up + down <= n]
    place = {outcome: i for i, outcome in enumerate(outcomes)}
    mirrored = [place[down, up] for up, down in outcomes]
    counts = np.array(outcomes, float)
    highs = exact_highs(counts[:, 0], counts[:, 1], n, WIDTHS)
    whole = np.column_stack([counts, n - counts.sum(axis=1)])
    for level in WIDTHS:
        exact = highs[level] + highs[level][mirrored]
        ends = [about(up, down, n).interval(level) or (-1.0, 1.0) for up, down in outcomes]
        ours = np.array([high - low for low, high in ends])
        ratios = []
        for up, down in MEAN_RATES:
            chance = multinomial.pmf(whole, n, [up, down, 1 - up - down])
            ratios.append(float(chance @ ours / (chance @ exact)))
        yield level, ratios


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
    print("\n| pairs | level | " + " | ".join(f"{up}, {down}" for up, down in MEAN_RATES) + " |")
    print("|---" * (2 + len(MEAN_RATES)) + "|")
    for n in STEPS:
        for level, ratios in mean_widths(n):
            print(f"| {n} | {level} | " + " | ".join(f"{r:.2f}" for r in ratios) + " |", flush=True)


if __name__ == "__main__":
    main()

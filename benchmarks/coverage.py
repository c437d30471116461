"""How often 95 % intervals hold the truth, and how often tests of true nulls reject.

Run it as `python benchmarks/coverage.py --studies 4000 --out table.md`; `--studies 200` takes
seconds. Simulated studies go through the inference of `horsesense.stats` without a report: shares
(also of bundles with shared failures), paired differences, smooth functions of counts, and spreads
of recalls, over numbers of clusters, truths, trials a cluster and correlation within clusters.

A cell fails only where its Monte-Carlo bound, corrected over all cells (Bonferroni, one-sided,
5 % in all), excludes the bar: coverage at least 93 % from 30 clusters and 92 % below; false alarms
at most 6 %. Studies without an interval count as held out of the coverage, and their share is told.

`--part unequal` is about clusters of very different sizes, whose trials all agree or go together;
large and small ones at one rate or at two. `--part lost` is about replies of shared prompts that
may be lost: how often a change is found where gains make up for losses, and how often a gain is
where nothing is lost, beside the most that any test can that keeps its level.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from scipy.special import ndtri
from scipy.stats import beta, binom

from horsesense.rng import seed_of
from horsesense.stats.pride import estimate_prior, item_prior
from horsesense.stats.smooth import Pseudo, smooth
from horsesense.stats.spread import Spread, correlation

CLUSTERS = (5, 10, 30, 100, 400)
SIZES = ((1, 0.0), (4, 0.0), (4, 0.3), (4, 1.0))
"""Trials a cluster, and the correlation within clusters."""
RARE = (0.05, 0.16, 0.35, 0.8, 1.5)
"""Misses, or clusters of them, that are expected in a study of a share near 1."""
MADE_UP = (
    *((10, size, size, 0.7, 0.1, 1) for size in (10, 20, 40, 50)),
    (10, 20, 20, 0.7, 0.15, 1),
    *((30, size, size, 0.7, lost, 1) for size in (20, 50) for lost in (0.05, 0.1)),
    (100, 50, 50, 0.7, 0.05, 1),
    (100, 20, 20, 0.7, 0.05, 1),
    (5, 10, 10, 0.7, 0.1, 1),
    (30, 10, 10, 0.7, 0.2, 1),
    (30, 50, 50, 0.4, 0.1, 1),
    (30, 50, 50, 0.9, 0.05, 1),
    (100, 50, 50, 0.9, 0.02, 1),
    (200, 20, 20, 0.7, 0.02, 1),
    (100, 5, 5, 0.7, 0.1, 1),
    (200, 4, 4, 0.7, 0.1, 1),
    (20, 5, 40, 0.7, 0.1, 1),
    (40, 2, 30, 0.7, 0.1, 1),
    (60, 10, 50, 0.8, 0.05, 1),
    (100, 2, 20, 0.7, 0.1, 1),
    (40, 20, 20, 0.7, 0.1, 2),
    (60, 10, 30, 0.7, 0.05, 3),
)
"""Prompts, of two sizes in turn; the share right, the share of replies lost, prompts an item."""
CUT = tuple(
    (k, size, size, 0.7, lost, 1, kept)
    for (k, size, lost), kept in product(
        ((10, 20, 0.2), (10, 50, 0.2), (30, 50, 0.1), (100, 50, 0.05)), (0.5, 0.1)
    )
)
"""The same, and the share of its problems that a lost reply still answers."""
GAINS = (
    (10, 20, 0.1),
    (30, 20, 0.06),
    (30, 20, 0.1),
    (100, 20, 0.03),
    (100, 50, 0.03),
    (100, 10, 0.06),
    (100, 5, 0.07),
    (100, 2, 0.1),
    (400, 2, 0.05),
)
"""Prompts and their problems, right in .7, and by how much that is more than of single ones."""
LEVELS = (0.05, 0.005)
FALSE_ALARMS = 0.06

LARGE = (
    ((30, 1, 3, 40), 0.5),
    ((100, 1, 4, 100), 0.5),
    ((50, 1, 1, 50), 0.8),
    ((50, 1, 1, 50), 0.25),
    ((30, 2, 4, 30), 0.5),
    ((40, 1, 2, 60), 0.25),
    ((30, 1, 1, 60), 0.8),
    ((29, 1, 1, 29), 0.9),
    ((100, 1, 10, 30), 0.8),
    ((100, 1, 10, 30), 0.95),
    ((30, 1, 10, 10), 0.95),
    ((300, 1, 5, 20), 0.95),
    ((30, 4, 30, 4), 0.5),
    ((50, 4, 50, 4), 0.95),
)
"""Small clusters and their trials, large ones and theirs; and a truth. The last are equal ones."""
BY_SIZE = (
    *product(
        ((1500, 1, 40, 10), (1000, 1, 50, 5), (2000, 1, 30, 20), (300, 1, 30, 10)),
        ((0.98, 0.6), (0.005, 0.22)),
    ),
    *(((few, 1, more, 10), (0.9, 0.98)) for few, more in ((1500, 40), (300, 30))),
)
"""Such clusters, and the rates of small and of large ones, which are right or wrong as wholes."""
DIFFER = ((0.0, 0.2), (0.0, 1.0), (0.3, 1.0))
"""Differences of unequal clusters, and the share of clusters that differ."""


class Cell(NamedTuple):
    """A kind of study: what is simulated, by which settings, and what is true."""

    family: str
    clusters: int
    settings: tuple[float, ...]
    truth: float
    null: bool


class Outcome(NamedTuple):
    """Of one cell: numbers of studies, of those with an interval, held, rejected; mean width."""

    cell: Cell
    studies: int
    known: int
    held: int
    alarms: int
    width: float


class Said(NamedTuple):
    """Of one study."""

    interval: tuple[float, float] | None
    p: float | None


def trials(rng: np.random.Generator, k: int, m: int, icc: float, truth: float) -> np.ndarray:
    """0/1 trials, (clusters, m), whose clusters are beta distributed with this correlation."""
    if icc == 1:
        return np.repeat(rng.random((k, 1)) < truth, m, axis=1) * 1.0
    level = np.full(k, truth)
    if icc > 0 and 0 < truth < 1:
        scale = 1 / icc - 1
        level = rng.beta(truth * scale, (1 - truth) * scale, k)
    return (rng.random((k, m)) < level[:, None]) * 1.0


def share(rng: np.random.Generator, cell: Cell) -> Said:
    m, icc = cell.settings
    x = trials(rng, cell.clusters, int(m), icc, cell.truth).sum(axis=1)
    found = Shares.of(x, np.full(cell.clusters, m))
    return Said(found.interval(), found.p(cell.truth))


def sizes(settings: tuple[float, ...]) -> np.ndarray:
    """Trials of small clusters and of large ones, (clusters,)."""
    few, small, more, large = settings
    return np.repeat([small, large], [int(few), int(more)])


def unequal_share(rng: np.random.Generator, cell: Cell) -> Said:
    *shape, icc, level = cell.settings
    m = sizes(tuple(shape))
    x = trials(rng, len(m), int(m.max()), icc, cell.truth)
    hits = np.where(np.arange(m.max()) < m[:, None], x, 0).sum(axis=1)
    found = Shares.of(hits, m)
    return Said(found.interval(level), found.p(cell.truth))


def share_by_size(rng: np.random.Generator, cell: Cell) -> Said:
    """Whole clusters, large ones at another rate; as many of each as told, or drawn to be."""
    *shape, small, large, drawn, level = cell.settings
    m = sizes(tuple(shape))
    m = rng.choice(m, len(m)) if drawn else m
    found = Shares.of(m * (rng.random(len(m)) < np.where(m > shape[1], large, small)), m)
    return Said(found.interval(level), found.p(cell.truth))


def unequal_difference(rng: np.random.Generator, cell: Cell) -> Said:
    """Whole clusters that differ, in a share of them."""
    *shape, discordance, level = cell.settings
    m = sizes(tuple(shape))
    u, ahead = rng.random(len(m)), (discordance + cell.truth) / 2
    found = Paired.of(m * np.where(u < ahead, 1.0, np.where(u < discordance, -1.0, 0.0)), m)
    return Said(found.interval(level), found.p() if cell.null else None)


def bundle(rng: np.random.Generator, cell: Cell) -> Said:
    """Prompts of 10 problems; a share of the replies is lost as a whole; items stand in two."""
    level, lost = cell.settings
    k, size = cell.clusters, 10
    items = k * size // 2
    hard = rng.beta(4 * level, 4 * (1 - level), items) if level < 1 else np.ones(items)
    item = np.concatenate([rng.permutation(items), rng.permutation(items)])
    prompt = np.arange(2 * items) // size
    right = (rng.random(2 * items) < hard[item]) & (rng.random(k) >= lost)[prompt]
    found = Shares.two_way(right * 1.0, np.ones(2 * items), item, prompt)
    return Said(found.interval(), found.p(cell.truth))


def difference(rng: np.random.Generator, cell: Cell) -> Said:
    """Pairs that differ in a share of trials, in clusters of several with a correlation."""
    m, icc, discordance = cell.settings
    ahead = (discordance + cell.truth) / 2
    k, m = cell.clusters, int(m)
    shape = (k, 1) if icc == 1 else (k, m)
    u = rng.random(shape)
    if 0 < icc < 1:  # a trial is its cluster's with a chance of sqrt(icc)
        u = np.where(rng.random((k, m)) < np.sqrt(icc), rng.random((k, 1)), u)
    d = np.where(u < ahead, 1.0, np.where(u < discordance, -1.0, 0.0))
    sums = d.sum(axis=1) * (m if icc == 1 else 1)
    found = Paired.of(sums, np.full(k, float(m)))
    return Said(found.interval(), found.p() if cell.null else None)


def lost_difference(rng: np.random.Generator, cell: Cell) -> Said:
    """Two tasks about the same bundles of 10; whole replies of either fail."""
    level, lost = cell.settings
    k, size = cell.clusters, 10
    items = k * size // 2
    item = np.concatenate([rng.permutation(items), rng.permutation(items)])
    prompt = np.arange(2 * items) // size
    hard = rng.beta(4 * level, 4 * (1 - level), items)[item]
    one, other = (
        (rng.random(2 * items) < hard) & (rng.random(k) >= lost)[prompt] for _ in range(2)
    )
    if_lost = np.column_stack([-1.0 * other, 1.0 * one])
    found = Paired.two_way(one * 1.0 - other, item, prompt, if_lost=if_lost)
    return Said(found.interval(), found.p())


def made_up_for(rng: np.random.Generator, cell: Cell) -> Said:
    """Replies are lost as a whole in shared prompts; one by one as much is lost in single items."""
    small, large, level, lost, again = cell.settings
    sizes = np.resize([int(small), int(large)], cell.clusters)
    found = beside_single(rng, sizes, level, lost, lost, int(again))
    return Said(found.interval(), found.p())


def beside_single(
    rng: np.random.Generator,
    sizes: npt.NDArray[np.int64],
    level: float,
    lost: float,
    lower: float,
    again: int = 1,
    kept: float = 0.0,
) -> Paired:
    """Problems in prompts, right in `level`, beside the same one by one, right in that times
    1 - `lower`. `lost` of the replies answer only the first of their problems, a share `kept`."""
    prompt, n = np.repeat(np.arange(len(sizes)), sizes), int(sizes.sum()) // again
    item = np.concatenate([rng.permutation(n) for _ in range(again)])
    prompt = prompt[: len(item)]
    place = np.arange(len(prompt)) - np.repeat(np.cumsum(sizes) - sizes, sizes)[: len(item)]
    hard = rng.beta(4 * level, 4 * (1 - level), n)
    right = rng.random(len(item)) < hard[item]
    right &= (rng.random(len(sizes)) >= lost)[prompt] | (place < kept * sizes[prompt])
    single = ((rng.random(n) < hard * (1 - lower)) * 1.0)[item]
    return Paired.two_way(right - single, item, prompt, if_lost=-single[:, None])


def found_at(studies: int, of: tuple[Any, ...], seed: str) -> str:
    """The share of studies in which a change is found, at each level."""
    rng = np.random.default_rng(seed_of(12, seed, "coverage"))
    p = [beside_single(rng, *of).p() for _ in range(studies)]
    shares = ((np.array([1.0 if x is None else x for x in p]) <= level).mean() for level in LEVELS)
    return " | ".join(f"{share:.3f}" for share in shares)


def lost_replies(studies: int) -> None:
    """Tables of changes that are none, and of gains."""
    head = "prompts | problems | share right | lost | still answered | prompts an item"
    print(f"| {head} | at .05 | at .005 |\n|{'---|' * 8}")
    for row in (*((*of, 0.0) for of in MADE_UP), *CUT):
        k, small, large, level, lost, again, kept = row
        of = (np.resize([small, large], k), level, lost, lost * (1 - kept), again, kept)
        told = found_at(studies, of, str(row))
        problems = f"{small}" if small == large else f"{small} and {large}"
        print(f"| {k} | {problems} | {level} | {lost} | {kept:g} | {again} | {told} |", flush=True)
    print("\n| prompts | problems | gain | at .05 | at .005 | at most, .05 | .005 |")
    print("|---|---|---|---|---|---|---|")
    for k, size, gain in GAINS:
        lower = gain / 0.7
        told = found_at(studies, (np.full(k, size), 0.7, 0.0, lower), f"gain {k} {size} {gain}")
        most = " | ".join(f"{min(level / (1 - lower) ** k, 1):.3f}" for level in LEVELS)
        print(f"| {k} | {size} | {gain} | {told} | {most} |", flush=True)


def balanced(t: np.ndarray) -> np.ndarray:
    a, b, c, d = (t[..., i] for i in range(4))
    return (a / (a + b) + c / (c + d)) / 2


def d_prime(t: np.ndarray) -> np.ndarray:
    a, b, c, d = (t[..., i] for i in range(4))
    return ndtri(a / (a + b)) - ndtri(c / (c + d))


def kappa(t: np.ndarray) -> np.ndarray:
    a, b, c, d = (t[..., i] for i in range(4))
    n = a + b + c + d
    chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
    return ((a + d) / n - chance) / (1 - chance)


def counts(rng: np.random.Generator, cell: Cell) -> np.ndarray:
    """Hits, misses, false alarms, rejections of clusters, each of both kinds."""
    m, icc, hit, alarm = cell.settings
    x, y = (trials(rng, cell.clusters, int(m), icc, p).sum(axis=1) for p in (hit, alarm))
    return np.column_stack([x, m - x, y, m - y])


def of_counts(value: Callable[[np.ndarray], np.ndarray], low: float, high: float):
    def study(rng: np.random.Generator, cell: Cell) -> Said:
        found = smooth(counts(rng, cell), value, Pseudo.plain(4), low, high)
        return Said(found.interval(), found.p(cell.truth))

    return study


def spread(rng: np.random.Generator, cell: Cell) -> Said:
    """Recalls of positions, one trial an item, the items dealt over the positions."""
    level, gap, k, orders = cell.settings
    k, n = int(k), cell.clusters
    true = np.full(k, level)
    true[0] += gap
    if orders:  # each item stands in every position
        easy = rng.random((n, 1))
        hits, asked = (easy < true) * 1.0, np.ones((n, k))
    else:
        asked = np.eye(k)[np.arange(n) % k]
        hits = (rng.random((n, 1)) < true) * asked
    shares = [Shares.of(h, m) for h, m in zip(hits.T, asked.T, strict=True)]
    worth = np.array([s.effective for s in shares])
    recalls = np.array([s.estimate for s in shares])
    found = Spread.of(recalls * worth, worth, correlation(hits, asked))
    assert found is not None
    return Said(found.interval(), found.p() if cell.null else None)


def label_prior(rng: np.random.Generator, cell: Cell) -> Said:
    """One entry of PriDe's prior; each answer under each shift of the options has noise."""
    positions, entry, noise, contents = cell.settings
    k, n = int(positions), cell.clusters
    shown = (np.arange(k)[:, None] + np.arange(k)) % k
    deserved = contents * rng.standard_normal((n, k))[:, shown]
    logs = np.log(priors(k)) + deserved + noise * rng.gumbel(size=(n, k, k))
    found = estimate_prior(item_prior(np.exp(logs)), "geometric")
    low, high = found.interval()
    return Said((float(low[int(entry)]), float(high[int(entry)])), None)


def priors(k: int) -> np.ndarray:
    """(.4, .3, .2, .1) for four labels."""
    weights = np.arange(k, 0, -1.0)
    return np.asarray(weights / weights.sum())


STUDIES: dict[str, Callable[[np.random.Generator, Cell], Said]] = {
    "share": share,
    "share near 1": share,
    "share of bundles": bundle,
    "difference": difference,
    "difference of bundles": lost_difference,
    "difference made up for": made_up_for,
    "balanced accuracy": of_counts(balanced, 0, 1),
    "d'": of_counts(d_prime, -np.inf, np.inf),
    "kappa": of_counts(kappa, -1, 1),
    "spread of recalls": spread,
    "prior of a label": label_prior,
}
UNEQUAL: dict[str, Callable[[np.random.Generator, Cell], Said]] = {
    "share of unequal clusters": unequal_share,
    "share of clusters at rates by size": share_by_size,
    "difference of unequal clusters": unequal_difference,
}


def grid() -> Iterable[Cell]:
    for k, (m, icc), truth in product(CLUSTERS, SIZES, (0.5, 0.8, 0.95, 1.0)):
        yield Cell("share", k, (m, icc), truth, 0 < truth < 1)
    for k, (m, icc), rare in product(CLUSTERS, SIZES, RARE):
        yield Cell("share near 1", k, (m, icc), 1 - rare / k, True)
        if m > 1:
            yield Cell("share near 1", k, (m, icc), 1 - rare / (k * m), True)
    for k, level, lost in product(CLUSTERS[1:], (0.5, 0.8, 0.95), (0.0, 0.1)):
        yield Cell("share of bundles", k, (level, lost), level * (1 - lost), True)
        yield Cell("difference of bundles", k, (level, lost), 0.0, True)
    for k, *settings in MADE_UP:
        yield Cell("difference made up for", k, tuple(settings), 0.0, True)
    effects = ((0.0, 0.02), (0.0, 0.1), (0.0, 0.4), (0.05, 0.1), (0.2, 0.3), (0.5, 0.5), (1.0, 1.0))
    for k, (m, icc), (effect, discordance) in product(CLUSTERS, SIZES, effects):
        yield Cell("difference", k, (m, icc, discordance), effect, effect == 0)
    pairs = ((0.5, 0.5), (0.8, 0.2), (0.95, 0.05))
    for k, (m, icc), (hit, alarm) in product(CLUSTERS, SIZES, pairs):
        t = np.array([hit, 1 - hit, alarm, 1 - alarm])
        for name, value in (("balanced accuracy", balanced), ("d'", d_prime), ("kappa", kappa)):
            yield Cell(name, k, (m, icc, hit, alarm), float(value(t)), True)
    shapes = product(CLUSTERS[2:], (0.5, 0.8, 0.95), (0.0, -0.2), (4, 10), (0, 1))
    for k, level, gap, positions, orders in shapes:
        true = np.full(positions, level)
        true[0] += gap
        yield Cell(
            "spread of recalls", k, (level, gap, positions, orders), float(np.std(true)), not gap
        )
    shapes = product(CLUSTERS[:4], (4, 20), (0, 1), (1.0, 2.0), (0.0, 2.0))
    for n, k, last, noise, contents in shapes:
        entry = last * (k - 1)
        yield Cell("prior of a label", n, (k, entry, noise, contents), priors(k)[entry], False)


def unequal_grid() -> Iterable[Cell]:
    """Each setting at 95 % and at 99 %."""
    share_of, by_size, difference_of = UNEQUAL
    for (shape, truth), icc in product(LARGE, (1.0, 0.3)):
        for level in (0.95, 0.99):
            yield Cell(share_of, shape[0] + shape[2], (*shape, icc, level), truth, True)
    for (shape, rates), drawn in product(BY_SIZE, (0.0, 1.0)):
        few, _, more, large = shape
        truth = float(np.average(rates, weights=(few, more * large)))
        for level in (0.95, 0.99):
            yield Cell(by_size, few + more, (*shape, *rates, drawn, level), truth, True)
    for shape, (effect, discordance) in product(dict.fromkeys(s for s, _ in LARGE), DIFFER):
        for level in (0.95, 0.99):
            settings = (*shape, discordance, level)
            yield Cell(difference_of, shape[0] + shape[2], settings, effect, not effect)


def simulated(job: tuple[Cell, int]) -> Outcome:
    cell, studies = job
    rng = np.random.default_rng(seed_of(11, str(cell[:4]), "coverage"))
    known = held = alarms = 0
    width = 0.0
    study = {**STUDIES, **UNEQUAL}[cell.family]
    for _ in range(studies):
        interval, p = study(rng, cell)
        if interval is not None:
            known += 1
            held += interval[0] - 1e-9 <= cell.truth <= interval[1] + 1e-9
            width += interval[1] - interval[0]
        alarms += p is not None and p < 0.05
    return Outcome(cell, studies, known, held, alarms, width / max(known, 1))


def bar(cell: Cell) -> float:
    return 0.92 if cell.clusters < 30 else 0.93


def uncovered(o: Outcome, cells: int) -> bool:
    """Whether the coverage is below the bar beyond the Monte-Carlo error of all cells."""
    return o.known > 0 and bool(binom.cdf(o.held, o.known, bar(o.cell)) < 0.05 / cells)


def alarming(o: Outcome, cells: int) -> bool:
    return o.cell.null and bool(binom.sf(o.alarms - 1, o.studies, FALSE_ALARMS) < 0.05 / cells)


def table(outcomes: list[Outcome]) -> str:
    """A row a family, and the cells that fail."""
    lines = [
        "| statistic | cells | coverage below 30 clusters, least | from 30, least | cells below "
        "the bar | false alarms, most | cells above the bar | without interval, most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    failed = []
    for family in STUDIES:
        own = [o for o in outcomes if o.cell.family == family]
        if not own:
            continue
        few, many = (
            [o.held / o.known for o in own if o.known and (o.cell.clusters < 30) == side]
            for side in (True, False)
        )
        low = [o for o in own if uncovered(o, len(outcomes))]
        high = [o for o in own if alarming(o, len(outcomes))]
        failed += [(o, "coverage") for o in low] + [(o, "false alarms") for o in high]
        nulls = [o.alarms / o.studies for o in own if o.cell.null]
        worst = f"{max(nulls):.3f}" if nulls else "–"
        least = [f"{min(side):.3f}" if side else "–" for side in (few, many)]
        lines.append(
            f"| {family} | {len(own)} | {least[0]} | {least[1]} | {len(low)} | "
            f"{worst} | {len(high)} | {max(1 - o.known / o.studies for o in own):.3f} |"
        )
    lines += ["", f"{len(failed)} failing cells" + (":" if failed else ".")]
    for o, why in failed:
        rate = o.held / o.known if why == "coverage" else o.alarms / o.studies
        upper = beta.ppf(0.975, o.held + 1, o.known - o.held) if why == "coverage" else rate
        lines.append(
            f"- {o.cell.family}, {o.cell.clusters} clusters, {o.cell.settings}, truth "
            f"{o.cell.truth:.3g}: {why} {rate:.3f} (up to {upper:.3f})"
        )
    return "\n".join(lines) + "\n"


def unequal_table(outcomes: list[Outcome]) -> str:
    """A row a setting, with its coverage at 95 % and at 99 %."""
    lines = [
        "| statistic | clusters | worth | truth | whole clusters | 95 % | width | 99 % "
        "| false alarms | without |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for usual, wide in zip(outcomes[::2], outcomes[1::2], strict=True):
        few, small, more, large, *told, _ = usual.cell.settings
        m = sizes((few, small, more, large))
        at = (
            f"{few} of {small}, {more} of {large}" if small != large else f"{few + more} of {small}"
        )
        what = {
            "share of unequal clusters": "correlation {:g}",
            "share of clusters at rates by size": "{:g} of small, {:g} of large",
            "difference of unequal clusters": "{:g} differ",
        }[usual.cell.family].format(*told) + ", sizes drawn" * (told[-1] == 1 and len(told) == 3)
        covered = [f"{o.held / o.known:.3f}" if o.known else "–" for o in (usual, wide)]
        alarms = f"{usual.alarms / usual.studies:.3f}" if usual.cell.null else "–"
        lines.append(
            f"| {usual.cell.family.split()[0]} | {at} | {m.sum() ** 2 / (m**2).sum():.1f} "
            f"| {usual.cell.truth:.3g} | {what} | {covered[0]} | {usual.width:.2f} | {covered[1]} "
            f"| {alarms} | {1 - usual.known / usual.studies:.3f} |"
        )
    usual = outcomes[::2]
    failed = (
        sum(uncovered(o, len(usual)) for o in usual),
        sum(alarming(o, len(usual)) for o in usual),
    )
    lines += ["", f"{failed[0]} cells below the bar of coverage, {failed[1]} above that of alarms."]
    return "\n".join(lines) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=1000)
    options.add_argument("--family", choices=list(STUDIES), help="this one alone")
    options.add_argument("--part", choices=("grid", "unequal", "lost"), default="grid")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--out", type=Path)
    chosen = options.parse_args()
    if chosen.part == "lost":
        lost_replies(chosen.studies)
        return
    unequal = chosen.part == "unequal"
    every = unequal_grid() if unequal else grid()
    cells = [c for c in every if chosen.family in (None, c.family)]
    began = time.monotonic()
    with ProcessPoolExecutor(chosen.workers) as pool:
        jobs = ((cell, chosen.studies) for cell in cells)
        outcomes = list(pool.map(simulated, jobs, chunksize=8))
    text = unequal_table(outcomes) if unequal else table(outcomes)
    took = (
        f"{len(cells)} cells, {chosen.studies:,} studies each, {time.monotonic() - began:.0f} s\n"
    )
    print(text + "\n" + took)
    if chosen.out:
        chosen.out.write_text(text + "\n" + took, encoding="utf-8")


if __name__ == "__main__":
    main()

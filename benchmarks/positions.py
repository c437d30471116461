"""Whether a position is preferred: power, coverage and false alarms of the test by relabelling.

    python benchmarks/positions.py --studies 1000
    python benchmarks/positions.py --studies 1000 --part clusters
    python benchmarks/positions.py --studies 1500 --part locked

Answers to all shifts of every item, drawn here, through the production test. A model knows a share
of the items and guesses positions at the others by a prior; the position asked about is the first.
*found* is the share of studies whose one-sided p is at or below .025 (.00125), *best* that of the
exact convolution over items, written here anew; *covered* is the share of 95 % (99.75 %) intervals
that hold the truth, *width* their mean width at 95 %, *ruled out* the share in which five points or
more are, at .00125. `--part locked`: how often they are, by level, where few items are locked to
the position and make just more than that, and where it is not preferred.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from horsesense.stats.positions import preference

from horsesense.findings.evidence import Evidence
from horsesense.trials.condition import Condition

LEVELS = (0.025, 0.00125)
SIZE = 0.05
Settings = Mapping[str, Any]
FLAT = (1.0, 1.0, 1.0, 1.0)

MODELS: Sequence[Settings] = (
    *({"know": know, "prior": FLAT} for know in (0, 0.3, 0.6, 0.9, 0.95)),
    {"know": 0.9, "prior": (40, 20, 20, 20)},
    {"know": 0.95, "prior": (50, 17, 17, 16)},
    {"know": 0.95, "prior": (45, 19, 18, 18)},
    {"know": 0.9, "prior": (70, 10, 10, 10)},
    {"know": 0.95, "prior": (70, 10, 10, 10)},
    {"know": 0.6, "prior": (36, 22, 21, 21)},
    {"know": 0, "prior": (30, 24, 23, 23)},
    {"know": 0, "prior": (25, 40, 20, 15)},
    {"know": 0.9, "prior": (0, 1, 1, 1)},
    {"know": 0.5, "prior": (1, 0, 0, 0)},
    {"know": 0.3, "prior": FLAT, "sure": True},
    {"know": 0.9, "prior": FLAT, "sure": True},
    {"know": 0.6, "prior": FLAT, "lost": 0.2},
    {"know": 0.6, "prior": (50, 17, 17, 16), "lost": 0.2},
    {"know": 0.6, "prior": FLAT, "torn": 0.2},
)
ITEMS = (5, 10, 30, 100, 400)
OTHER: Sequence[Settings] = (
    {"know": 0, "prior": (1, 1)},
    {"know": 0.9, "prior": (1, 1)},
    {"know": 0.9, "prior": (80, 20)},
    {"know": 0.6, "prior": (1,) * 10},
    {"know": 0.9, "prior": (37, *(7,) * 9)},
)
CLUSTERS: Mapping[str, Sequence[int]] = {
    "10 of 4": (4,) * 10,
    "30 of 4": (4,) * 30,
    "100 of 4": (4,) * 100,
    "30 of 1, 3 of 40": (1,) * 30 + (40,) * 3,
    "100 of 1, 4 of 100": (1,) * 100 + (100,) * 4,
    "100 of 1, 10 of 30": (1,) * 100 + (30,) * 10,
}
IN_CLUSTERS: Sequence[Settings] = (
    {"know": 0, "prior": FLAT},
    {"know": 0.6, "prior": FLAT, "shared": "knowing"},
    {"know": 0.6, "prior": FLAT, "shared": "answers"},
    {"know": 0.6, "prior": FLAT, "shared": "answers", "sure": True},
    {"know": 0.6, "prior": (50, 17, 17, 16), "shared": "knowing"},
    {"know": 0.6, "prior": (50, 17, 17, 16), "shared": "answers"},
)

LOCKED: Sequence[tuple[int, Settings]] = (
    (40, {"know": 1, "prior": FLAT, "lock": 0.1, "avoid": 0.0996}),
    (100, {"know": 1, "prior": FLAT, "lock": 0.1, "avoid": 0.0996}),
    (100, {"know": 0, "prior": (1,) * 10, "lock": 0.0501 / 0.9}),
    (100, {"know": 0.5, "prior": (1,) * 5, "lock": 0.0501 / 0.8}),
    (40, {"know": 0.5, "prior": FLAT, "lock": 0.0501 / 0.75}),
    (100, {"know": 0, "prior": FLAT}),
    (100, {"know": 0.6, "prior": FLAT}),
)
"""Items, and models: shares that are locked to the first position, or never choose it."""
LOCKED_LEVELS = (0.05, 0.0025, 0.0005)


def study(model: Settings, cluster: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choices of each position, (items, positions), as float; of lost replies none."""
    prior = np.array(model["prior"], float) / sum(model["prior"])
    k, n = len(prior), len(cluster)
    shared = model.get("shared", "")
    known = rng.random(n) < model["know"]
    if shared:
        known = known[np.unique(cluster, return_index=True)[1]][cluster]
    lean = np.broadcast_to(prior, (n, k))
    if "torn" in model:  # half of the items favour the first position as much as others avoid it
        other = rng.choice([-1.0, 1.0], n) * model["torn"]
        lean = prior + other[:, None] * np.where(np.arange(k) == 0, 1, -1 / (k - 1))
    draws = rng.random((n, k))
    if model.get("sure"):  # the same position in all orders of an item
        draws[:] = draws[:, :1]
    if shared == "answers":
        draws = draws[np.unique(cluster, return_index=True)[1]][cluster]
    guess = (draws[:, :, None] > lean.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    place = np.where(known[:, None], np.arange(k), guess)
    if "lock" in model:
        other = rng.random((n, 1))
        place = np.where(other < model["lock"], 0, place)
        avoids = other >= 1 - model.get("avoid", 0.0)
        place = np.where(avoids, rng.integers(1, k, (n, k)), place)
    kept = rng.random((n, k)) >= model.get("lost", 0.0)
    return np.stack([((place == p) & kept).sum(axis=1) for p in range(k)], axis=1).astype(float)


def exact(counts: np.ndarray) -> float:
    """Chance of as many choices of the first position, or more, relabelled within rows."""
    chance = np.ones(1)
    for row in counts.astype(int):
        chance = np.convolve(chance, np.bincount(row) / len(row))
    return float(chance[int(counts[:, 0].sum()) :].sum())


def evidence(counts: np.ndarray, cluster: np.ndarray) -> Evidence:
    """Of the first position, as a verdict takes it."""
    k = counts.shape[1]
    answers = np.repeat(counts.sum(axis=1, keepdims=True), k, axis=1)
    about = preference(counts, answers, cluster, 0)
    return Evidence(about, "m", "order", Condition(), "text", "A", len(counts), "trials", 1 / k)


def told(model: Settings, cluster: np.ndarray, studies: int, seed: list[int]) -> str:
    """The end of a row of the table."""
    prior = model["prior"]
    k, n = len(prior), len(cluster)
    truth = model["know"] / k + (1 - model["know"]) * prior[0] / sum(prior)
    sums, intervals, widths = np.zeros(7), 0, []
    single = len(set(cluster.tolist())) == n
    for number in range(studies):
        counts = study(model, cluster, np.random.default_rng([*seed, number]))
        e = evidence(counts, cluster)
        about = e.about
        found = e.p_found("above", 1 / k, SIZE)
        best = exact(counts) if single else np.nan
        sums[:4] += found <= LEVELS[0], best <= LEVELS[0], found <= LEVELS[1], best <= LEVELS[1]
        sums[6] += e.p_ruled_out("above", 1 / k, SIZE) <= LEVELS[1]
        ends = [about.interval(1 - 2 * level) for level in LEVELS]
        intervals += ends[0] is not None
        for place, end in enumerate(ends):
            sums[4 + place] += end is None or end[0] <= truth <= end[1]
        if ends[0] is not None:
            widths.append(ends[0][1] - ends[0][0])
    shares = [f"{share:.3f}" for share in sums / studies]
    if not single:
        shares[1] = shares[3] = "-"
    width = f"{np.mean(widths):.3f}" if widths else "-"
    without = 1 - intervals / studies
    return f" {truth:.4f} | {' | '.join(shares)} | {width} | {without:.3f} |"


def few_locked(studies: int) -> None:
    """The table of few locked items."""
    print("| items | options | model | truth | ruled out at .05 | .0025 | .0005 |")
    print(f"|{'---|' * 7}")
    for number, (n, model) in enumerate(LOCKED):
        k, lock, avoid = len(model["prior"]), model.get("lock", 0.0), model.get("avoid", 0.0)
        p = []
        for one in range(studies):
            counts = study(model, np.arange(n), np.random.default_rng([7, number, one]))
            p.append(evidence(counts, np.arange(n)).p_ruled_out("above", 1 / k, SIZE))
        shares = (np.array(p)[:, None] <= LOCKED_LEVELS).mean(axis=0)
        said = f"{lock:.3f} locked, {avoid:g} avoid it, {model['know']} of the rest known"
        truth = f"{lock + (1 - lock - avoid) / k:.4f}"
        row = " | ".join(f"{share:.3f}" for share in shares)
        print(f"| {n} | {k} | {said} | {truth} | {row} |", flush=True)


def named(model: Settings) -> str:
    """A model in words."""
    prior = model["prior"]
    flat = len(set(prior)) == 1
    said = f"knows {model['know']}, {'flat' if flat else ', '.join(f'{p:g}' for p in prior[:4])}"
    said += f" of {len(prior)}" if len(prior) != 4 else ""
    said += ", one position in all orders" if model.get("sure") else ""
    said += f", loses {model['lost']}" if "lost" in model else ""
    said += f", torn by {model['torn']}" if "torn" in model else ""
    return said + (f", {model['shared']} shared" if "shared" in model else "")


HEAD = (
    "model | items | truth | found .025 | best | found .00125 | best | covered 95 % | "
    "99.75 % | ruled out | width | no interval"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--part", choices=("items", "clusters", "locked"), default="items")
    options = parser.parse_args()
    start = time.process_time()
    if options.part == "locked":
        few_locked(options.studies)
        return
    print(f"| {HEAD} |\n|{'---|' * (HEAD.count('|') + 1)}")
    if options.part == "items":
        sets = {str(n): np.arange(n) for n in ITEMS}
        cells = [(m, n) for m in MODELS for n in sets] + [
            (m, n) for m in OTHER for n in ("30", "100")
        ]
    else:
        sets = {name: np.repeat(np.arange(len(s)), s) for name, s in CLUSTERS.items()}
        cells = [(m, n) for m in IN_CLUSTERS for n in sets]
    for number, (model, name) in enumerate(cells):
        row = told(model, sets[name], options.studies, [number])
        print(f"| {named(model)} | {name} |{row}", flush=True)
    print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

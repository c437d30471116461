"""Does `find_cues` tell the truth? Generated sets whose truth is known.

    python benchmarks/cues_truth.py null      # random labels: how often called predictable?
    python benchmarks/cues_truth.py planted   # a planted cue: found, named, interval covers?

Each set has `--items` texts of a dozen words drawn from a Zipf distribution, and two labels. In
planted sets a third of the items carry a cue word of their label. The interval of a set should
cover the mean kappa of all sets, which is what the procedure gives at this number of items.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator

import numpy as np

from horsesense.items.item import Item, ItemSet
from horsesense_extras.cue_tests.api import find_cues
from horsesense_extras.cue_tests.result import CueResult

CUES = ("seldom", "often")


def generated(seed: int, n: int, cue_rate: float, words: int = 12) -> ItemSet:
    """Texts without meaning and labels by lot; with `cue_rate`, a word that gives the label."""
    rng = np.random.default_rng(seed)
    middles = ("al", "en", "or", "iv")
    vocabulary = [f"{a}{b}{c}" for a in "bdfgk" for b in middles for c in "aeiomnst"]
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    chosen = rng.choice(len(vocabulary), (n, words), p=weights / weights.sum())
    labels = rng.integers(0, 2, n)
    items = []
    for i, row in enumerate(chosen):
        text = [vocabulary[w] for w in row]
        if rng.random() < cue_rate:
            text[int(rng.integers(words))] = CUES[labels[i]]
        items.append(Item(str(i), " ".join(text), ("no", "yes"), int(labels[i])))
    return ItemSet(f"generated {seed}", "label", tuple(items), ("no", "yes"))


def results(seeds: range, n: int, cue_rate: float, repeats: int | None) -> Iterator[CueResult]:
    for seed in seeds:
        items = generated(seed, n, cue_rate)
        yield find_cues(items, grouping="none", seed=seed, repeats=repeats, jobs=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", choices=["null", "planted"])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument(
        "--repeats", type=int, help="of the folds; the tool's own choice by default"
    )
    parser.add_argument("--first", type=int, default=0, help="seed of the first set")
    args = parser.parse_args()
    started = time.process_time()
    rate = 0.0 if args.truth == "null" else 0.34
    seeds = range(args.first, args.first + args.sets)
    found = list(results(seeds, args.items, rate, args.repeats))
    rows = [result.verdict.row for result in found]
    kappas = np.array([row.kappa for row in rows])
    middle = kappas.mean()
    summary = {
        "truth": args.truth,
        "sets": len(found),
        "items": args.items,
        "repeats": args.repeats,
        "mean kappa": round(float(middle), 4),
        "sd of kappa": round(float(kappas.std(ddof=1)), 4),
        "called predictable": float(np.mean([r.verdict.predictable for r in found])),
        "p <= 0.05": float(np.mean([row.p_value <= 0.05 for row in rows])),
        "interval covers the mean": float(np.mean([r.low <= middle <= r.high for r in rows])),
        "mean half width": round(float(np.mean([(r.high - r.low) / 2 for r in rows])), 4),
        "both cue words among the five strongest": float(
            np.mean([{*CUES} <= {cue.name for cue in r.cues[:5]} for r in found])
        ),
        "cpu seconds a set": round((time.process_time() - started) / len(found), 2),
    }
    print(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()

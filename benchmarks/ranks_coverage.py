"""Do ranks and orders hold what they promise? Studies of models whose true scores are known.

    python benchmarks/ranks_coverage.py --studies 400
    python benchmarks/ranks_coverage.py --studies 2000 --part missing

Each study has models x views x items, answers from a logistic model with item difficulties that
all models and views share. Printed by number of models and items: how often everything that is
said of ranks is right, how often a true difference is shown, and how often the order is said to
change where it does not and where it does.

`--part missing`: two models that know the same .6 of the items and guess the others evenly, one of
which loses replies that are wrong: how often one of them is called better, by the share of the
items that so are missing.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import defaultdict

import numpy as np

from horsesense.comparison import compare
from horsesense.comparison.align import Scores, View
from horsesense.trials.condition import PLAIN

LEVEL = 0.95
VIEWS = 6
STEPS = {"tied": 0.0, "near": 0.3, "apart": 1.0}
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def expected(logit: np.ndarray, spread: float) -> np.ndarray:
    """Mean of the logistic function over normal difficulties."""
    p = 1 / (1 + np.exp(-(logit[..., None] + spread * NODES)))
    return p @ WEIGHTS / WEIGHTS.sum()


def study(rng: np.random.Generator, logits: np.ndarray, n: int, size: int) -> list[Scores]:
    """Answers in every view, (views, models) of logits; items come in clusters of `size`."""
    views, models = logits.shape
    cluster = np.arange(n) // size
    shared = rng.standard_normal(cluster.max() + 1)[cluster] if size > 1 else 0.0
    part = np.sqrt(0.5) if size > 1 else 1.0
    difficulty = np.sqrt(1 - part**2) * shared + part * rng.standard_normal(n)
    # Half of an answer's noise is the model's own for the item, and comes back in every view.
    own = rng.logistic(size=(1, n, models))
    again = rng.random((views, n, models)) < 0.5
    noise = np.where(again, own, rng.logistic(size=(views, n, models)))
    right = noise < logits[:, None, :] + 1.0 * difficulty[None, :, None]
    return [
        Scores(View("", f"v{v}", PLAIN, "text"), f"v{v}", right[v].astype(float), cluster, 0)
        for v in range(views)
    ]


def logits_of(models: int, step: float, turned: bool) -> np.ndarray:
    """Equal steps; further views are harder, and in half of them the order is turned round."""
    base = 0.5 + step * np.linspace(1, -1, models) * (models - 1) / 2
    found = np.stack([base - 0.3 * v for v in range(VIEWS)])
    if turned:
        found[VIEWS // 2 :] = found[VIEWS // 2 :, ::-1]
    return found


def missing(studies: int, seed: int) -> None:
    """The table of models that lose what is wrong."""
    print("| items | missing | one is called better |\n|---|---|---|")
    names, view = ["whole", "loses"], View("", "v", PLAIN, "text")
    for n, share in itertools.product((100, 400), (0.0, 0.04, 0.08, 0.12)):
        rng, called = np.random.default_rng([seed, n, round(100 * share)]), 0
        for _ in range(studies):
            known = rng.random((n, 1)) < 0.6
            right = (known | (rng.random((n, 2)) < 0.25)) * 1.0
            gone = (right[:, 1] == 0) & (rng.random(n) < share / 0.3)
            right[gone] = np.nan
            scores = Scores(view, "v", right, np.arange(n), int(gone.sum()))
            called += any(d.better for d in compare._differences(names, [scores], LEVEL))
        print(f"| {n} | {share:.0%} | {called / studies:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("ranks", "missing"), default="ranks")
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    compare.minimum_detectable = lambda *_: None  # type: ignore[assignment]
    if given.part == "missing":
        missing(given.studies, given.seed)
        return
    start, cells = time.perf_counter(), 0
    counts: dict[tuple[str, int, int], np.ndarray] = defaultdict(lambda: np.zeros(9))
    worst: dict[tuple[str, int, int], float] = defaultdict(lambda: 1.0)
    rng = np.random.default_rng(given.seed)
    for models, n, (gap, step), size, turned in itertools.product(
        (2, 3, 5, 8), (40, 200, 1000), STEPS.items(), (1, 4), (False, True)
    ):
        if turned and gap == "tied":
            continue
        cells += 1
        logits = logits_of(models, step, turned)
        truth = expected(logits, 1.0)
        names = [f"m{k}" for k in range(models)]
        key, right = (gap, models, n), 0
        for _ in range(given.studies):
            found = study(rng, logits, n, size)
            told = {
                (d.view, d.first, d.second): d for d in compare._differences(names, found, LEVEL)
            }
            decided = {s.label: compare._decided(names, s.label, told) for s in found}
            orders = list(compare._orders(names, found, decided, LEVEL))
            wrong, shown, pairs = False, 0, 0
            for v, better in enumerate(decided.values()):
                true = truth[v][:, None] > truth[v][None, :] + 1e-9
                wrong |= bool((better & ~true).any())
                shown, pairs = shown + int((better & true).sum()), pairs + int(true.sum())
            right += not wrong
            same = orders if not turned else orders[: VIEWS // 2 - 1]
            other = [] if not turned else orders[VIEWS // 2 - 1 :]
            counts[key] += [
                1, not wrong, shown, pairs,
                not turned and any(o.verdict == "changes" for o in same),
                not turned and any(o.beyond for o in same),
                not turned,
                sum(o.verdict == "changes" for o in other), len(other),
            ]  # fmt: skip
        worst[key] = min(worst[key], right / given.studies)
    print(
        "| gaps | models | items | all ranks right | least of its cells | true pairs shown |"
        " change said, none there | by tau alone | change said, where turned |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for (gap, models, n), c in counts.items():
        power = f"{c[2] / c[3]:.2f}" if c[3] else "–"
        turned_ = f"{c[7] / c[8]:.2f}" if c[8] else "–"
        said = f"{c[4] / c[6]:.3f} | {c[5] / c[6]:.3f} | {turned_}"
        held = f"{c[1] / c[0]:.3f} | {worst[gap, models, n]:.3f} | {power}"
        print(f"| {gap} | {models} | {n} | {held} | {said} |")
    print(f"\n{cells} cells, {given.studies} studies each, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

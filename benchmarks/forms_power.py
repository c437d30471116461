"""Differences of means over several forms: power, false alarms and coverage of the exact p.

    python benchmarks/forms_power.py [--studies 1000] [--part power alarms either copies]

Each item has K forms, one of them published, and the others' mean less the published one is tested.

power: against the exact permutation test of the same difference (which form of an item is the
    published one; distance from the mean), over effects that this test finds in 20 to 98 % of the
    studies. Known items are right in every form, others in one of K at random. "recited": a share
    of the items is right as published whatever happens, and known in no other form; "lost": a share
    is wrong as published. "variance alone": the p of forms that are not alike by design. With the
    coverage of 95 % intervals about the true difference.
alarms: models whose published form is like the others. "one position": chooses one position of an
    item in every order; "label bias": chooses the first position with a chance of .7.
either: orders matter in both directions and on average not. "even": a share of the items is right
    as published alone, and as many wrong as published alone. "uneven": a share is right as
    published alone, and twice as many are wrong as published, and right in half of the others.
    "in common": no orders, but forms that all change in the same way; a share of the items is
    answered anew as published.
copies: as "alarms" and "power", where the first items come in clusters of several. "same": answered
    alike in every form; "published": alike as published alone; "own": each on its own.
    "variance alone": the p of clusters before. Besides, models that are right in .97 of all forms
    ("samples"). At the end, how often p < alpha where the interval has 0, or the reverse.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt
from horsesense.stats.paired import Paired

from horsesense.rng import seed_of
from horsesense.stats.forms import Forms

LEVELS = (0.05, 0.005, 0.0005)
USEFUL = (0.2, 0.98)
OPTIONS = (4, 10)
ITEMS = (12, 40, 100, 400)
EFFECTS = (0.02, 0.05, 0.1, 0.2, 0.4)
EITHER = ("even", "uneven", "in common")
PARTS = ("power", "alarms", "either", "copies")
AFTER = (0.05, 0.005, 0.0007)
COPIES = ((100, 2, 2), (100, 2, 4), (100, 12, 2), (400, 2, 2), (400, 30, 2), (400, 8, 4))
"""Items, clusters of several, and items in each."""

Floats = npt.NDArray[np.float64]
Study = tuple[Floats, Floats]
"""Right forms of the K - 1 others, and whether right as published, (items,) each."""


def generator(*name: object) -> np.random.Generator:
    return np.random.default_rng(seed_of(3, str(name), "forms"))


def guesses(rng: np.random.Generator, k: int, n: int, know: float) -> Study:
    known = rng.random(n) < know
    others = np.where(known, k - 1, rng.binomial(k - 1, 1 / k, n))
    return others * 1.0, np.where(known, 1.0, rng.random(n) < 1 / k)


def one_position(rng: np.random.Generator, k: int, n: int, know: float) -> Study:
    known, position = rng.random(n) < know, rng.integers(0, k, n)
    others = np.where(known, k - 1, position != 0)
    return others * 1.0, np.where(known, 1.0, position == 0)


def label_bias(rng: np.random.Generator, k: int, n: int, know: float) -> Study:
    known = rng.random(n) < know
    prior = np.full(k, 0.3 / (k - 1))
    prior[0] = 0.7
    gold = (rng.integers(0, k, (n, 1)) + np.arange(k)) % k  # its position in each shift
    right = (rng.random((n, k)) < prior[gold]) | known[:, None]
    return right[:, 1:].sum(axis=1) * 1.0, right[:, 0] * 1.0


def changed(rng: np.random.Generator, k: int, n: int, know: float, effect: float) -> Study:
    """Recited where the effect is above 0, lost below."""
    others, published = guesses(rng, k, n, know)
    hit = rng.random(n) < abs(effect)
    if effect < 0:
        return others, np.where(hit, 0.0, published)
    return np.where(hit, rng.binomial(k - 1, 1 / k, n), others), np.where(hit, 1.0, published)


def truth(k: int, know: float, effect: float) -> float:
    """The mean difference that `changed` has on average."""
    return -effect * (1 - 1 / k) if effect > 0 else -effect * (know + (1 - know) / k)


def either(rng: np.random.Generator, k: int, n: int, share: float, kind: str) -> Study:
    if kind == "in common":
        alike = rng.random(n) < 0.6
        own = np.where(rng.random(n) < share, rng.random(n) < 0.6, alike)
        return alike * (k - 1.0), own * 1.0
    even = kind == "even"
    place = np.digitize(rng.random(n), [share, share * (2 if even else 3)])
    others, published = guesses(rng, k, n, 0.5)
    half = np.where(rng.random(n) < 0.5, (k - 1) // 2, k // 2)
    wrong = np.full(n, k - 1.0) if even else half
    return np.choose(place, [0 * others, wrong, others]), np.choose(place, [1, 0, published]) * 1.0


def forms(study: Study, k: int) -> Forms:
    others, published = study
    once = np.ones(len(others))
    return Forms.of(others, (k - 1) * once, published, once, k - 1)


def paired(seen: Forms) -> Paired:
    return Paired.of(seen.differences(), np.ones(len(seen.m)), seen)


def permuted(study: Study, k: int) -> float:
    """p of every way to choose the published form of each item."""
    others, published = study
    chance = (others + published) / k
    number = np.ones(1)
    for p in chance[(chance > 0) & (chance < 1)]:
        number = np.convolve(number, [1 - p, p])
    away = np.arange(len(number)) + (chance == 1).sum() - chance.sum()
    far = np.abs(away) >= abs(published.sum() - chance.sum()) - 1e-9
    return float(number[far].sum())


def power(studies: int) -> Iterator[str]:
    heads = [f"{x} at {a}" for a in LEVELS for x in ("variance alone", "in use")]
    yield f"| options | items | cells | {' | '.join(heads)} | covered, least | before |"
    yield "|---" * (len(heads) + 5) + "|"
    every: list[tuple[int, Floats]] = []
    for k, n in product(OPTIONS, ITEMS):
        found, held = [], []
        for know, size, sign in product((0.0, 0.6, 0.9), EFFECTS, (1, -1)):
            rng, effect = generator("power", k, n, know, sign * size), sign * size
            p, within, true = np.ones((studies, 3)), np.zeros((studies, 2)), truth(k, know, effect)
            for at in range(studies):
                study = changed(rng, k, n, know, effect)
                seen = forms(study, k)
                tests = [paired(replace(seen, alike=alike)) for alike in (0, k - 1)]
                p[at] = *(test.p() for test in tests), permuted(study, k)
                ends = [test.interval() for test in tests]
                within[at] = [low <= true <= high for low, high in ends]
            found.append((p[:, :, None] < LEVELS).mean(axis=0))
            held.append(within.mean(axis=0))
        cells = np.array(found)  # (cells, tests, levels)
        every.append((k, cells))
        ends = np.array(held).min(axis=0)
        yield f"| {k} | {n} | {told(cells)} | {ends[1]:.3f} | {ends[0]:.3f} |"
    for k in OPTIONS:
        yield f"| {k} | all | {told(np.concatenate([c for of, c in every if of == k]))} | | |"


def told(cells: Floats) -> str:
    """Cells that the permutation test finds usefully often, and the ratios, least and median."""
    shown, number = [], 0
    for level in range(len(LEVELS)):
        best = cells[:, 2, level]
        useful = (best >= USEFUL[0]) & (best <= USEFUL[1])
        number += int(useful.sum())
        for test in (0, 1):
            ratio = cells[useful, test, level] / best[useful]
            shown.append(f"{ratio.min():.2f}, {np.median(ratio):.2f}" if len(ratio) else "–")
    return " | ".join([str(number), *shown])


def alarms(studies: int) -> Iterator[str]:
    heads = (f"most at {a}" for a in LEVELS)
    yield f"| model | options | cells | {' | '.join(heads)} | covered, least |\n|{'---|' * 7}"
    models: dict[str, Callable[..., Study]] = {
        "guesses": guesses, "one position": one_position, "label bias": label_bias
    }  # fmt: skip
    for (name, model), k in product(models.items(), (2, *OPTIONS)):
        found, held = [], []
        for n, know in product(ITEMS, (0.0, 0.3, 0.6, 0.9, 1.0)):
            rng = generator("alarms", name, k, n, know)
            tests = [paired(forms(model(rng, k, n, know), k)) for _ in range(studies)]
            p, ends = [test.p() for test in tests], [test.interval() for test in tests]
            found.append([np.mean([x < a for x in p]) for a in LEVELS])
            held.append(np.mean([low <= 0 <= high for low, high in ends]))
        most = " | ".join(f"{x:.4f}" for x in np.max(found, axis=0))
        yield f"| {name} | {k} | {len(found)} | {most} | {min(held):.3f} |"


def both_ways(studies: int) -> Iterator[str]:
    tests = ("variance alone", "in use", "permutation")
    heads = (f"{x} at {a}" for a in LEVELS[:2] for x in tests)
    yield f"| orders | share | options | items | {' | '.join(heads)} |\n|{'---|' * 10}"
    for kind, share, k, n in product(EITHER, (0.05, 0.2), OPTIONS, (40, 400)):
        rng = generator("either", kind, share, k, n)
        p = np.ones((studies, 3))
        for at in range(studies):
            study = either(rng, k, n, share, kind)
            own = (paired(replace(forms(study, k), alike=alike)).p() for alike in (0, k - 1))
            p[at] = *own, permuted(study, k)
        shown = " | ".join(
            f"{(p[:, test] < a).mean():.3f}" for a in LEVELS[:2] for test in range(3)
        )
        yield f"| {kind} | {share} | {k} | {n} | {shown} |"


def samples(rng: np.random.Generator, k: int, n: int, know: float) -> Study:
    return rng.binomial(k - 1, 0.97, n) * 1.0, (rng.random(n) < 0.97) * 1.0


def together(study: Study, first: npt.NDArray[np.intp], way: str) -> Study:
    """Items that answer like the first of their cluster, in all forms or as published."""
    others, published = study
    if way == "own":
        return study
    return (others[first] if way == "same" else others), published[first]


def in_clusters(study: Study, k: int, first: npt.NDArray[np.intp]) -> tuple[Paired, Paired]:
    """By the variance alone, and in use."""
    seen = forms(study, k)
    _, cluster = np.unique(first, return_inverse=True)
    sums = np.bincount(cluster, weights=seen.differences()), np.bincount(cluster) * 1.0
    return Paired.of(*sums, seen), Paired.of(*sums, replace(seen, cluster=cluster))


def copies(studies: int) -> Iterator[str]:
    heads = (f"{x} at {a}" for a in AFTER for x in ("variance alone", "in use"))
    yield f"| model | options | items | clusters | alike | {' | '.join(heads)} |\n|{'---|' * 11}"
    models: dict[str, Callable[..., Study]] = {
        "knows .6, guesses": lambda rng, k, n: guesses(rng, k, n, 0.6),
        "knows .9, guesses": lambda rng, k, n: guesses(rng, k, n, 0.9),
        "knows .3, label bias": lambda rng, k, n: label_bias(rng, k, n, 0.3),
        "samples": lambda rng, k, n: samples(rng, k, n, 0.0),
        "knows all, .06 lost": lambda rng, k, n: changed(rng, k, n, 1.0, -0.06),
        "knows .6, .1 recited": lambda rng, k, n: changed(rng, k, n, 0.6, 0.1),
    }
    torn = asked = 0
    for (name, model), k, (n, clusters, size) in product(models.items(), OPTIONS, COPIES):
        first = np.arange(n)
        first[: clusters * size] -= first[: clusters * size] % size
        ways = ("same", "own", "published") if name == "samples" else ("same", "own")
        for way in ways:
            rng, p = generator("copies", name, k, n, clusters, way), np.ones((studies, 2))
            for at in range(studies):
                study = together(model(rng, k, n), first, way)
                tests = in_clusters(study, k, first)
                p[at] = [test.p() for test in tests]
                for alpha in AFTER:
                    low, high = tests[1].interval(1 - alpha)
                    torn += (p[at, 1] < alpha) == (low <= 0 <= high)
                    asked += 1
            told = (f"{(p[:, test] < a).mean():.4f}" for a in AFTER for test in (0, 1))
            yield f"| {name} | {k} | {n} | {clusters} of {size} | {way} | {' | '.join(told)} |"
    yield f"\np and interval disagree {torn} times of {asked:,}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS)
    chosen = parser.parse_args()
    for part, lines in zip(PARTS, (power, alarms, both_ways, copies), strict=True):
        if part in chosen.part:
            print(f"\n{part}\n")
            for line in lines(chosen.studies):
                print(line, flush=True)


if __name__ == "__main__":
    main()

"""Whether the number of items that a verdict names settles what it could not tell.

    python benchmarks/items_needed.py [--model 'sim:prior?know=0.6&prior=1,1,1,1'] [--items 40]
        [--studies 25] [--most 600] [--shape any-3]
    python benchmarks/items_needed.py --pilots 100
    python benchmarks/items_needed.py --as-seen
    python benchmarks/items_needed.py --shares 200

Whole studies of the suite `basic`, made as by `verdict_errors.py`. For each sentence that names up
to `--most` items, a new study of that many is made, and counted where the same kind, probe and
reader is found or ruled out. Sentences with more items are left out, which favours small numbers.
With a `--shape` of verdict_shapes.py that loses replies, numbers are those of studies that lack
some, and suppose that every reply comes: new studies have every reply, as is supposed, and beside
them stand such that lose as many again.
With `--pilots`, instead: differences drawn without an effect, the number that each pilot names if
there is none, and whether a fresh study of as many clusters, whose sizes are drawn from those of
the pilot, rules a difference of 5 points out. With `--as-seen`: pilots that show exactly the true
effect, however much noise they show beside it, and the power of a study of as many items as each
names, by sums over all outcomes. With `--shares`: pilots of a share that is true as it is supposed,
and fresh studies of as many clusters as each names, also where the verdict would name none.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from scipy.stats import binom, multinomial

from horsesense.findings.evidence import Evidence, Way, clusters_needed
from horsesense.findings.finding import Finding
from horsesense.findings.verdict import verdict
from horsesense.trials.condition import PLAIN
from verdict_errors import Case, measured


def judged(case: Case, n: int, number: int) -> list[Finding]:
    """The verdict on one study."""
    return verdict(*measured(case, n, number))


def place(f: Finding) -> tuple[str, str, str]:
    return f.name, f.probe, f.reader


def settled(again: Iterable[Finding], f: Finding) -> bool:
    return any(place(g) == place(f) and g.kind != "cannot_tell" for g in again)


LEVELS = (0.05, 0.005, 0.0006)
"""The last is what the correction leaves to a change under one of six forms."""
TEST = "both", 0.0, 0.05
SHAPES = {
    "20 items": np.ones(20, int),
    "40 items": np.ones(40, int),
    "150 items": np.ones(150, int),
    "40 clusters of 4": np.full(40, 4),
    "100 items, 10 clusters of 30": np.repeat([1, 30], [100, 10]),
    "100 items, 4 clusters of 100": np.repeat([1, 100], [100, 4]),
    "300 items, 5 clusters of 20": np.repeat([1, 20], [300, 5]),
    "30 clusters of 2, 4 of 30": np.repeat([2, 30], [30, 4]),
}


def evidence(sums: np.ndarray, sizes: np.ndarray) -> Evidence:
    about = Paired.of(sums.astype(float), sizes.astype(float))
    n = int(sizes.sum())
    return Evidence(about, "accuracy_change", "p", PLAIN, "text", "", n, "items", None)


def without_effect(
    rng: np.random.Generator, sizes: np.ndarray, differ: float, whole: bool
) -> Evidence:
    """A difference of 0, of which a share of the pairs (or of whole clusters) are +1 or -1."""
    if whole:
        sums = sizes * rng.choice([1, -1, 0], len(sizes), p=[differ / 2, differ / 2, 1 - differ])
    else:
        up = rng.binomial(sizes, differ / 2)
        sums = up - rng.binomial(sizes - up, (differ / 2) / (1 - differ / 2))
    return evidence(sums, sizes)


def is_settled(e: Evidence, level: float) -> bool:
    return min(e.p_found(*TEST), e.p_ruled_out(*TEST)) <= level


def pilots(number: int) -> None:
    """How often the number that is named for no effect settles it."""
    print("| pilot | differ | level | pilots not settled | named: 10 %, 50 %, 90 % | settled |")
    print("|---|---|---|---|---|---|")
    for name, sizes in SHAPES.items():
        alone = bool((sizes == 1).all())
        worlds = ((0.1, False), (0.3, False)) if alone else ((0.1, True), (0.3, True), (0.2, False))
        for (differ, whole), level in product(worlds, LEVELS):
            rng, named, held = np.random.default_rng(5), [], 0
            for _ in range(number):
                pilot = without_effect(rng, sizes, differ, whole)
                if pilot.interval(1 - level) is None or is_settled(pilot, level):
                    continue
                clusters = clusters_needed(pilot, *TEST, level, none=True)
                if clusters is None:
                    continue
                again = rng.choice(sizes, clusters)
                named.append(round(clusters * sizes.mean()))
                fresh = without_effect(rng, again, differ, whole)
                held += fresh.p_ruled_out(*TEST) <= level
            of = " of whole clusters" if whole else ""
            ends = np.percentile(named, [10, 50, 90]).astype(int) if named else []
            told = ", ".join(f"{x:,}" for x in ends) or "none"
            part = f"{held / len(named):.2f}" if named else "-"
            row = name, f"{differ}{of}", f"{level:g}", len(named), told, part
            print(f"| {' | '.join(map(str, row))} |", flush=True)


def single(up: int, down: int, n: int) -> Evidence:
    return evidence(np.repeat([1, -1, 0], [up, down, n - up - down]), np.ones(n, int))


@cache
def finds(up: int, down: int, n: int, level: float) -> bool:
    return single(up, down, n).p_found(*TEST) <= level


def power(n: int, gains: float, losses: float, level: float) -> float:
    """Share of studies of `n` single items that find it, summed over all outcomes above 1e-4."""
    lost = range(int(binom.ppf(1e-4, n, losses)), int(binom.ppf(1 - 1e-4, n, losses)) + 1)
    whole = 0.0
    for down in lost:
        rest, share = n - down, gains / (1 - losses)
        most = int(binom.ppf(1 - 1e-4, rest, share))
        up = np.arange(int(binom.ppf(1e-4, rest, share)), most + 1)
        found = [finds(int(u), down, n, level) for u in up]
        whole += float(binom.pmf(down, n, losses) * (binom.pmf(up, rest, share) @ found))
    return whole


def share_of(rng: np.random.Generator, sizes: np.ndarray, true: float, whole: float) -> Evidence:
    """A share, of which a part of the clusters is right or wrong as a whole."""
    alike = rng.random(len(sizes)) < whole
    together = sizes * (rng.random(len(sizes)) < true)
    hits = np.where(alike, together, rng.binomial(sizes, true)).astype(float)
    return replace(evidence(hits, sizes), about=Shares.of(hits, sizes.astype(float)))


def shares(number: int) -> None:
    """How often the number that is named settles a share, whose truth is what is supposed."""
    print("| clusters | whole | truth | settles | pilots not settled | named, median | settled |")
    print("|---|---|---|---|---|---|---|")
    level = 0.003
    for name, sizes in {**SHAPES, "12 clusters of 10": np.full(12, 10)}.items():
        for (way, null, true, finds), whole in product(SHARES, (0.0, 0.3)):
            if whole and (sizes == 1).all():
                continue
            rng, named, held = np.random.default_rng(3), [], 0
            for _ in range(10 * number):
                pilot = share_of(rng, sizes, true, whole)
                test = way, null, 0.05
                if len(named) == number or pilot.interval(1 - 2 * level) is None:
                    break
                p = min(pilot.p_found(*test), pilot.p_ruled_out(*test))
                if p <= level or (finds and not 0.9 < pilot.value / true < 1.1):
                    continue
                clusters = clusters_needed(pilot, *test, level, none=not finds)
                if clusters is None:
                    continue
                named.append(round(clusters * sizes.mean()))
                fresh = share_of(rng, rng.choice(sizes, clusters), true, whole)
                held += (fresh.p_found if finds else fresh.p_ruled_out)(*test) <= level
            part = f"{held / len(named):.2f}" if named else "-"
            row = name, f"{whole:g}", f"{true:g} {way} {null:g}", "found" if finds else "ruled out"
            middle = f"{int(np.median(named)):,}" if named else "none"
            print(f"| {' | '.join(row)} | {len(named)} | {middle} | {part} |", flush=True)


SHARES: tuple[tuple[Way, float, float, bool], ...] = (
    ("above", 0.25, 0.25, False),
    ("above", 0.25, 0.35, True),
    ("below", 0.95, 0.95, False),
)
"""Way, null, true share, and whether it is to be found; to be ruled out, else."""


EFFECTS = (
    (12, 0.0, 2 / 12),
    (20, 0.0, 0.15),
    (40, 0.0, 0.1),
    (100, 0.0, 0.06),
    (20, 0.05, 0.25),
    (40, 0.025, 0.125),
    (40, 0.1, 0.2),
    (100, 0.03, 0.11),
)
"""Items of a pilot, and the shares of items that are truly gained and lost."""


def chances(gains: float, losses: float) -> list[float]:
    return [gains, losses, 1 - gains - losses]


def as_seen() -> None:
    """Power at the number that is named for an effect as large as it looks, if it is."""
    print("| pilot | gained | lost | level | named, likeliest pilot | power |")
    print("|---|---|---|---|---|---|")
    for (n, gains, losses), level in product(EFFECTS, LEVELS):
        effect, weight, held, likeliest = round(n * (losses - gains)), 0.0, 0.0, (0.0, 0)
        for up in range((n - effect) // 2 + 1):
            down = up + effect
            chance = float(multinomial.pmf([up, down, n - up - down], n, chances(gains, losses)))
            pilot = single(up, down, n)
            if chance < 1e-3 or is_settled(pilot, level):
                continue
            named = clusters_needed(pilot, *TEST, level)
            if named is None:
                continue
            likeliest = max(likeliest, (chance, named))
            weight, held = weight + chance, held + chance * power(named, gains, losses, level)
        told = f"{likeliest[1]:,} | {held / weight:.2f}" if weight else "settled | -"
        print(f"| {n} items | {gains:g} | {losses:.3g} | {level:g} | {told} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="sim:prior?know=0.6&prior=1,1,1,1")
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--studies", type=int, default=25)
    parser.add_argument("--most", type=int, default=600)
    parser.add_argument("--shape", default="plain")
    parser.add_argument("--pilots", type=int, default=0)
    parser.add_argument("--as-seen", action="store_true")
    parser.add_argument("--shares", type=int, default=0)
    given = parser.parse_args()
    if given.pilots:
        pilots(given.pilots)
    elif given.shares:
        shares(given.shares)
    elif given.as_seen:
        as_seen()
    else:
        studies(given)


def studies(given: argparse.Namespace) -> None:
    """How often the numbers in whole verdicts settle what they are named for."""
    case = Case("needed", "basic", given.model, shape=given.shape)
    fresh = {"settled": replace(case, shape="plain")}
    if given.shape != "plain":
        fresh["as many lost"] = case
    sentences = [
        (-(-f.items // 20) * 20, 1000 + 7 * number, f)
        for number in range(1, given.studies + 1)
        for f in judged(case, given.items, number)
        if f.kind == "cannot_tell" and f.items and f.items <= given.most
    ]
    named: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, ...]] = Counter()
    again: dict[tuple[int, int], dict[str, list[Finding]]] = {}
    for n, number, f in sorted(sentences, key=lambda s: s[:2]):
        if (n, number) not in again:
            again = {(n, number): {of: judged(one, n, number) for of, one in fresh.items()}}
        row = f.name, "as large as its size" if "as it looks" in f.sentence else "smaller"
        named[row] += 1
        for of, findings in again[n, number].items():
            held[*row, of] += settled(findings, f)
    print(f"| kind | it looks | sentences | {' | '.join(fresh)} |")
    print(f"|---|---|---|{'---|' * len(fresh)}")
    for name, looks in sorted(named):
        n = named[name, looks]
        shares = [f"{held[name, looks, of] / n:.2f}" for of in fresh]
        print(f"| `{name}` | {looks} | {n} | {' | '.join(shares)} |")
    shares = [
        f"{sum(n for row, n in held.items() if row[2] == of) / len(sentences):.2f}" for of in fresh
    ]
    print(f"| all | | {len(sentences)} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()

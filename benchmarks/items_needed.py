"""Whether the number of items that a verdict names settles what it could not tell.

    python benchmarks/items_needed.py [--model 'sim:prior?know=0.6&prior=1,1,1,1'] [--items 40]
        [--studies 25] [--most 600]
    python benchmarks/items_needed.py --pilots 100

Whole studies of the suite `basic`, made as by `verdict_errors.py`. For each sentence that names up
to `--most` items, a new study of that many is made, and counted where the same kind, probe and
reader is found or ruled out. Sentences with more items are left out, which favours small numbers.
With `--pilots`, instead: differences drawn without an effect, the number that each pilot names if
there is none, and whether a fresh study of as many clusters rules a difference of 5 points out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable

import numpy as np

from horsesense.findings.evidence import Evidence, clusters_needed
from horsesense.findings.finding import Finding
from horsesense.findings.verdict import verdict
from horsesense.stats.paired import Paired
from horsesense.trials.condition import PLAIN
from verdict_errors import Case, measured


def judged(case: Case, n: int, number: int) -> list[Finding]:
    """The verdict on one study."""
    return verdict(*measured(case, n, number))


def place(f: Finding) -> tuple[str, str, str]:
    return f.name, f.probe, f.reader


def settled(again: Iterable[Finding], f: Finding) -> bool:
    return any(place(g) == place(f) and g.kind != "cannot_tell" for g in again)


LEVEL = 0.05 * 0.5 / 7 / 6
"""What the correction leaves to a change under one of six forms."""


def without_effect(
    rng: np.random.Generator, sizes: np.ndarray, differ: float, whole: bool
) -> Evidence:
    """A difference of 0, of which a share of the pairs (or of whole clusters) are +1 or -1."""
    if whole:
        sums = sizes * rng.choice([1, -1, 0], len(sizes), p=[differ / 2, differ / 2, 1 - differ])
    else:
        up = rng.binomial(sizes, differ / 2)
        sums = up - rng.binomial(sizes - up, (differ / 2) / (1 - differ / 2))
    about = Paired.of(sums.astype(float), sizes.astype(float))
    return Evidence(
        about, "accuracy_change", "p", PLAIN, "text", "", int(sizes.sum()), "items", None
    )


def pilots(number: int) -> None:
    """How often the number that is named for no effect settles it."""
    print("| pilot | differ | pilots not settled | median clusters named | settled |")
    print("|---|---|---|---|---|")
    unequal = np.repeat([1, 30], [100, 10])
    for name, sizes, differ, whole in (
        ("20 items", np.ones(20, int), 0.1, False),
        ("20 items", np.ones(20, int), 0.3, False),
        ("40 items", np.ones(40, int), 0.1, False),
        ("40 items", np.ones(40, int), 0.3, False),
        ("150 items", np.ones(150, int), 0.1, False),
        ("100 items, 10 clusters of 30", unequal, 0.1, True),
    ):
        rng, named, held = np.random.default_rng(5), [], 0
        for _ in range(number):
            pilot = without_effect(rng, sizes, differ, whole)
            test = "both", 0.0, 0.05
            if min(pilot.p_found(*test), pilot.p_ruled_out(*test)) <= LEVEL:
                continue
            n = clusters_needed(pilot, *test, LEVEL, none=True)
            if pilot.interval(1 - LEVEL) is None or n is None:
                continue
            named.append(n)
            again = np.resize(sizes, n) if not whole else rng.permutation(np.resize(sizes, n))
            held += without_effect(rng, again, differ, whole).p_ruled_out(*test) <= LEVEL
        of = " of whole clusters" if whole else ""
        settled = held / max(1, len(named))
        row = name, f"{differ}{of}", len(named), int(np.median(named)), f"{settled:.2f}"
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="sim:prior?know=0.6&prior=1,1,1,1")
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--studies", type=int, default=25)
    parser.add_argument("--most", type=int, default=600)
    parser.add_argument("--pilots", type=int, default=0)
    given = parser.parse_args()
    if given.pilots:
        pilots(given.pilots)
    else:
        studies(given)


def studies(given: argparse.Namespace) -> None:
    """How often the numbers in whole verdicts settle what they are named for."""
    case = Case("needed", "basic", given.model)
    sentences = [
        (-(-f.items // 20) * 20, 1000 + 7 * number, f)
        for number in range(1, given.studies + 1)
        for f in judged(case, given.items, number)
        if f.kind == "cannot_tell" and f.items and f.items <= given.most
    ]
    named: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, str]] = Counter()
    again: dict[tuple[int, int], list[Finding]] = {}
    for n, number, f in sorted(sentences, key=lambda s: s[:2]):
        if (n, number) not in again:
            again = {(n, number): judged(case, n, number)}
        row = f.name, "as large as its size" if "as it looks" in f.sentence else "smaller"
        named[row] += 1
        held[row] += settled(again[n, number], f)
    print("| kind | it looks | sentences | settled |\n|---|---|---|---|")
    for name, looks in sorted(named):
        n, times = named[name, looks], held[name, looks]
        print(f"| `{name}` | {looks} | {n} | {times / n:.2f} |")


if __name__ == "__main__":
    main()

"""How often the findings besides changes of accuracy are wrong, with a look after every item.

    python benchmarks/sequential_further.py [--studies 2000] [--items 200 1000]
    python benchmarks/sequential_further.py --clusters --studies 1000

Models that know some items and else choose a position by chance are asked in four orders. Nine
findings of an order probe are held to their bands (`stats.ratio_bets`): each of the four positions
is preferred, or locked to, and the answers agree no more than guessing. *Wrong*: any of the nine is
found, or ruled out, that is not so, after any number of items; here they share 5 % equally, so that
there is something to count (bar 5 %). *At the level of a verdict*: the share that is left to them
in a run of the suite `basic`; `preferred` is how often the first position is found, and `asked` the
mean share of the items until the nine are decided, in batches of 25 (all, where they are not).

The fixed test of a run that asks everything, at the same level: `preferred, all asked`.

Then whether answers change more than when asked again, of which nothing is true, by the share of
items in which they differ: `wrong` at 5 % for this finding alone, and `asked` at the level of a
verdict with four such findings.

--clusters: a share of items in clusters that are hit as wholes, .25 in truth, after some of the
items: how often bets with each item as a unit, and with clusters, find it above .25, at .00125 a
side; and the test that asks all, at .0025. Then .6, of items that are hit by themselves. Last,
clusters whose size may go with their rate, with a look after every 25 items: how often the true
share was missed at any of them, at .05.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from horsesense.findings.accusation import ALPHA
from horsesense.findings.weights import MAIN_SHARE
from horsesense.stats.shares import Shares

from horsesense.findings.early import ROUTES, SHARE
from horsesense.findings.evidence import Way, faulty, harmless
from horsesense.measures.agreement import chance_agreement
from horsesense.runs.bands import SIZE as BOLD
from horsesense.stats.ratio_bets import Ratio

K, BATCH, SIZE = 4, 25, 0.05
MAIN, OTHERS = 3, 5
"""Kinds of a `basic` run that a band may decide: guessing, a position, the question withheld;
changed answers, fewer choices, a position whatever it holds, agreement, no choice."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """Knows a share of the items, and else chooses by `prior` whatever stands there."""

    know: float
    prior: tuple[float, ...]
    readable: float = 1.0


MODELS = (
    Model(0.6, (0.25,) * 4),
    Model(0.0, (0.25,) * 4),
    Model(0.3, (0.25,) * 4, readable=0.7),
    Model(0.0, (0.3, 0.7 / 3, 0.7 / 3, 0.7 / 3)),
    Model(0.3, (0.3, 0.7 / 3, 0.7 / 3, 0.7 / 3)),
    Model(0.5, (0.4, 0.2, 0.2, 0.2)),
    Model(0.6, (0.7, 0.1, 0.1, 0.1)),
)


@dataclass(frozen=True)
class Finding:
    """One of the nine: its values in a random order, its null and its truth."""

    name: str
    way: Way
    ratio: Ratio
    null: float
    truth: float
    main: bool
    members: int = K

    @property
    def weight(self) -> float:
        """Its part of the error rate of a verdict."""
        share = MAIN_SHARE / MAIN if self.main else (1 - MAIN_SHARE) / OTHERS
        return (1 - SHARE) * share / self.members / ROUTES

    def wrong(self, alpha: float) -> bool:
        """Whether a band left the truth for what is not so, after any number of units."""
        says = []
        for side in (faulty, harmless):
            low, high = side(self.way, self.null, SIZE)
            if not low < self.truth < high:
                says.append(self.ratio.within(low, high, BOLD, alpha))
        return any(says)

    def found(self, alpha: float) -> bool:
        return self.ratio.within(*faulty(self.way, self.null, SIZE), BOLD, alpha)

    def decided(self, units: int, alpha: float) -> bool:
        some = self.ratio.of(np.arange(units))
        return any(
            some.within(*side(self.way, self.null, SIZE), BOLD, alpha)
            for side in (faulty, harmless)
        )


def nine(model: Model, n: int, rng: np.random.Generator) -> list[Finding]:
    """What one study of a model says: forms are cyclic, the right option once in each position."""
    guesses = rng.choice(K, size=(n, K), p=model.prior)
    known = (rng.random(n) < model.know)[:, None]
    chosen = np.where(known, np.arange(K), guesses)
    read = rng.random((n, K)) < model.readable
    content = np.where(read, (chosen - np.arange(K)) % K, -1)
    counts = (content[:, :, None] == np.arange(K)).sum(axis=1)
    agreement = np.maximum(counts.max(axis=1), 1) / K
    weight, ones = read.sum(axis=1).astype(float), np.ones(n)
    found = []
    for place in range(K):
        hits = ((chosen == place) & read).sum(axis=1).astype(float)
        preference = model.know / K + (1 - model.know) * model.prior[place]
        ratio = Ratio(hits, hits, weight, float(K))
        found.append(Finding(f"preferred {place}", "above", ratio, 1 / K, preference, True))
        locked = (hits == K).astype(float)
        truth = (1 - model.know) * (model.prior[place] * model.readable) ** K
        ratio = Ratio(locked, locked, ones)
        found.append(Finding(f"locked {place}", "above", ratio, K**-K, truth, False))
    ratio = Ratio(agreement, agreement, ones)
    truth, chance = expected_agreement(model), chance_agreement(K, K)
    return [*found, Finding("agreement", "lacks", ratio, chance, truth, False, 1)]


def expected_agreement(model: Model, draws: int = 400_000) -> float:
    """By simulation; for readable guesses of a flat prior, exactly what guessing gives."""
    if model.know == 0 and len(set(model.prior)) == 1 and model.readable == 1:
        return chance_agreement(K, K)
    key = model.know, model.prior, model.readable
    if key not in _AGREEMENT:
        rng = np.random.default_rng(0)
        chosen = rng.choice(K, size=(draws, K), p=model.prior)
        chosen[rng.random(draws) < model.know] = np.arange(K)
        read = rng.random((draws, K)) < model.readable
        content = np.where(read, (chosen - np.arange(K)) % K, -1)
        counts = (content[:, :, None] == np.arange(K)).sum(axis=1)
        _AGREEMENT[key] = float(np.maximum(counts.max(axis=1), 1).mean() / K)
    return _AGREEMENT[key]


_AGREEMENT: dict[tuple[float, tuple[float, ...], float], float] = {}


def asked(findings: list[Finding]) -> float:
    """Share of the items at which all are decided, at the level of a verdict."""
    n = len(findings[0].ratio.low)
    looks = [*range(BATCH, n, BATCH), n]
    low, high = 0, len(looks) - 1
    while low < high:  # what is decided stays so
        middle = (low + high) // 2
        if all(f.decided(looks[middle], ALPHA * f.weight) for f in findings):
            high = middle
        else:
            low = middle + 1
    return looks[low] / n


def rows(n: int, studies: int) -> Iterator[str]:
    for number, model in enumerate(MODELS):
        rng = np.random.default_rng((n, number))
        wrong = preferred = fixed = 0
        shares = []
        for study in range(studies):
            findings = nine(model, n, rng)
            wrong += any(f.wrong(ALPHA / len(findings)) for f in findings)
            first = findings[0]
            alpha = ALPHA * first.weight
            preferred += first.found(alpha)
            share = Shares.of(first.ratio.low, first.ratio.weight)
            ends = share.interval(1 - 2 * alpha)
            fixed += ends is not None and ends[0] > first.null
            if study < studies // 10:
                shares.append(asked(findings))
        prior = ", ".join(f"{q:.2f}" for q in model.prior)
        excess = 100 * (findings[0].truth - 1 / K)
        cells = (
            n,
            model.know,
            prior,
            f"{excess:+.1f}",
            model.readable,
            f"{wrong / studies:.4f}",
            f"{preferred / studies:.2f}",
            f"{fixed / studies:.2f}",
            f"{100 * float(np.mean(shares)):.0f}",
        )
        yield "| " + " | ".join(map(str, cells)) + " |"


def changed(n: int, studies: int) -> Iterator[str]:
    """The same of changed answers, where they change as often as when asked again."""
    for discordance in (0.1, 0.2, 0.4):
        rng = np.random.default_rng((n, round(100 * discordance)))
        wrong, shares = 0, []
        for study in range(studies):
            share = [discordance / 2, 1 - discordance, discordance / 2]
            d = rng.choice([-1.0, 0.0, 1.0], n, p=share)
            ratio = Ratio(d, d, np.ones(n), least=-1.0)
            finding = Finding("changed", "above", ratio, 0.0, 0.0, False)
            wrong += finding.wrong(ALPHA)
            if study < studies // 10:
                shares.append(asked([finding]))
        told = n, discordance, f"{wrong / studies:.4f}", f"{100 * float(np.mean(shares)):.0f}"
        yield "| " + " | ".join(map(str, told)) + " |"


CLUSTERS: tuple[tuple[tuple[int, ...], int], ...] = (
    ((40,) * 10, 125),
    ((20,) * 20, 125),
    ((10,) * 40, 125),
    ((100,) * 10, 200),
    ((4,) * 100, 125),
    ((4,) * 250, 300),
    ((1,) * 300 + (20,) * 5, 200),
    ((1,) * 100 + (100,) * 4, 200),
)
"""Sizes of clusters, and the number of items that were asked."""
BY_SIZE = ((0.04, 0.9, 0.1), (0.08, 0.9, 0.1), (0.04, 0.6, 0.6), (0.08, 0.6, 0.6))
"""Share of 60 clusters that have 40 items, and the rates of those that have one, and of these."""


def above(
    rng: np.random.Generator, sizes: npt.NDArray[np.int64], asked: int, whole: bool, studies: int
) -> Floats:
    """How often .25 is left below, by items and by clusters as units, and by the fixed test: a true
    share of whole clusters, or .6 of single items."""
    cluster, found = np.repeat(np.arange(len(sizes)), sizes), np.zeros(3)
    for _ in range(studies):
        hits = (rng.random(len(sizes)) < 0.25)[cluster] if whole else rng.random(cluster.size) < 0.6
        hits = hits * 1.0
        seen = rng.permutation(len(hits))[:asked]
        ratio = Ratio(hits[seen], hits[seen], np.ones(asked))
        texts = ratio.of_clusters(rng.permutation(len(sizes))[cluster[seen]])
        share = Shares.of(np.bincount(cluster, hits), sizes * 1.0).interval(0.9975)
        found += (
            ratio.above(0.25, BOLD, 0.00125),
            texts.above(0.25, BOLD, 0.00125),
            (share is not None and share[0] > 0.25),
        )
    return found / studies


def missed(rng: np.random.Generator, large: float, rates: tuple[float, float]) -> bool:
    """Whether the bands of a study leave the true share out at some look."""
    truth = (1 - large) * rates[0] + large * 40 * rates[1]
    truth /= 1 - large + large * 40
    sizes = np.where(rng.random(60) < large, 40, 1)
    right = rng.random(60) < np.where(sizes > 1, rates[1], rates[0])
    cluster = np.repeat(rng.permutation(60), sizes)
    hits = np.repeat(right, sizes) * 1.0
    order = rng.permutation(len(hits))
    looks = [*range(BATCH, len(hits), BATCH), len(hits)]
    alpha = 0.025 / len(looks)
    for look in looks:
        some = order[:look]
        ratio = Ratio(hits[some], hits[some], np.ones(look)).of_clusters(cluster[some])
        if ratio.above(truth, BOLD, alpha) or ratio.below(truth, BOLD, alpha):
            return True
    return False


def in_clusters(studies: int) -> None:
    """The tables of clusters."""
    head = "clusters | items | seen | items as units | clusters as units | fixed test"
    print(f"| {head} | at .6: clusters | fixed test |\n|{'---|' * 8}")
    for number, (shape, asked) in enumerate(CLUSTERS):
        sizes, rng = np.array(shape), np.random.default_rng([3, number])
        null, power = (above(rng, sizes, asked, whole, studies) for whole in (True, False))
        name = ", ".join(f"{n} of {size}" for size, n in Counter(shape).items())
        told = " | ".join(f"{share:.3f}" for share in (*null, *power[1:]))
        print(f"| {name} | {int(sizes.sum()):,} | {asked} | {told} |", flush=True)
    print("\n| of 60 clusters have 40 items | share of small, large | missed |\n|---|---|---|")
    for number, (large, *rates) in enumerate(BY_SIZE):
        rng = np.random.default_rng([4, number])
        share = np.mean([missed(rng, large, (rates[0], rates[1])) for _ in range(studies)])
        print(f"| {large:g} | {rates[0]}, {rates[1]} | {share:.3f} |", flush=True)


HEAD = (
    "N | knows | prior | excess, points | readable | wrong | preferred | preferred, all asked |"
    " asked, %"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--items", type=int, nargs="+", default=[40, 200, 1000])
    parser.add_argument("--clusters", action="store_true", help="shares in clusters alone")
    given = parser.parse_args()
    if given.clusters:
        in_clusters(given.studies)
        return
    start = time.perf_counter()
    print(f"| {HEAD} |\n|{'---|' * (HEAD.count('|') + 1)}")
    for n in given.items:
        for row in rows(n, given.studies):
            print(row, flush=True)
    print("\n| N | answers that differ | wrong | asked, % |\n|---|---|---|---|")
    for n in given.items:
        for row in changed(n, given.studies):
            print(row, flush=True)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

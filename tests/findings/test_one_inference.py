"""The interval that a finding shows is the one that decided it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from horsesense.findings.evidence import Evidence, Way, faulty, harmless
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.places import Anywhere
from horsesense.findings.uncounted import LACK
from horsesense.findings.verdict import verdict
from horsesense.measures.estimate import Estimate, Found
from horsesense.stats.equivalence import within
from horsesense.stats.forms import Forms
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from horsesense.trials.condition import PLAIN, Condition

WAYS = {kind.name: kind.way for kind in KINDS}


def share(hits: int, n: int) -> Shares:
    return Shares.of((np.arange(n) < hits) * 1.0, np.ones(n))


def difference(up: int, down: int, n: int) -> Paired:
    return Paired.of(np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down]), np.ones(n))


def evidence(about: Shares | Paired) -> Evidence:
    return Evidence(about, "m", "p", PLAIN, "text", "", int(about.n), "items", 0.25)


def sizes(rng: np.random.Generator) -> np.ndarray:
    """Items alone, clusters of one size or of several, with or without a few large ones."""
    clusters = int(rng.choice([5, 12, 40, 100, 400]))
    most = int(rng.choice([1, 1, 4, 12]))
    trials = rng.integers(1, most + 1, clusters) if rng.random() < 0.5 else np.full(clusters, most)
    if rng.random() < 0.2:
        trials[:2] *= 8
    return trials


def shares(rng: np.random.Generator) -> Shares:
    """Rare and common outcomes, of trials or of whole clusters; sharing prompts or not."""
    trials, truth = sizes(rng), rng.choice([0.0, 0.004, 0.02, 0.1, 0.25, 0.5, 0.8, 0.95, 1.0])
    whole = rng.random(len(trials)) < rng.choice([0.0, 0.0, 0.5, 1.0])
    hits = np.where(
        whole, trials * rng.binomial(1, truth, len(trials)), rng.binomial(trials, truth)
    )
    if rng.random() < 0.1 and trials.max() == 1:
        n = len(trials)
        prompts = (rng.integers(0, max(n // k, 1), n) for k in (2, 3))
        return Shares.two_way(hits * 1.0, np.ones(n), *prompts)
    return Shares.of(hits * 1.0, trials * 1.0)


def differences(rng: np.random.Generator) -> Paired:
    """Changes in both directions or in one, of pairs or of whole clusters; means over forms."""
    trials, differ = sizes(rng), rng.choice([0.0, 0.01, 0.03, 0.1, 0.4])
    up = differ * rng.choice([0.0, 0.1, 0.5, 1.0])
    if rng.random() < 0.2 and trials.max() == 1:
        base = rng.binomial(1, 0.6, len(trials)) * 1.0
        others = rng.binomial(4, 0.6 - differ / 2, len(trials)) * 1.0
        four = np.full(len(trials), 4.0)
        once = np.ones(len(trials))
        return Paired.of(others / 4 - base, once, Forms.of(others, four, base, once))
    if rng.random() < 0.3:
        signs = rng.choice([1.0, -1.0, 0.0], len(trials), p=[up, differ - up, 1 - differ])
        return Paired.of(signs * trials, trials * 1.0)
    gained = rng.binomial(trials, up)
    lost = rng.binomial(trials - gained, (differ - up) / max(1 - up, differ - up, 1e-9))
    return Paired.of((gained - lost) * 1.0, trials * 1.0)


PLACES = (
    Anywhere("original", PLAIN, "text", ""),
    Anywhere("original", PLAIN, "first_token", ""),
    Anywhere("labels", PLAIN, "text", ""),
    Anywhere("order", PLAIN, "text", "A"),
    Anywhere("options_only", PLAIN, "text", ""),
    Anywhere("none_of_the_above", PLAIN, "text", ""),
    Anywhere("gold_absent", PLAIN, "text", "mean"),
    Anywhere("true_false", Condition(polarity="positive"), "text", "distractors"),
    Anywhere("select_one", PLAIN, "text", ""),
)
PROMISES = {"options_only": "chance", "labels": "same_answer", "order": "same_accuracy"}
RUN = SimpleNamespace(
    reader="text",
    readers=["text", "first_token"],
    probes={
        p.probe: {"title": p.probe, "invariant": PROMISES.get(p.probe, "none")} for p in PLACES
    },
    unasked={},
    by_people=False,
    lacking=LACK,
    not_covered=lambda e: "",
    ended="",
    never_asked=lambda _: 0,
    lost_shares=lambda _: (0.0, 0.0),
    some_gold=False,
    label=lambda probe, condition: probe,
)


def judged(rng: np.random.Generator) -> list[Finding]:
    """A verdict on random numbers of every kind."""
    found = []
    for measure in dict.fromkeys(kind.measure for kind in KINDS):
        (null, *_) = (kind.null for kind in KINDS if kind.measure == measure)
        for where in PLACES:
            about = differences(rng) if null == 0 else shares(rng)
            # What guessing gives to agreement, positions and items locked to one, and scores.
            baseline = float(rng.choice([0.01, 1 / 256, 0.25, 0.5]))
            lost = int(rng.integers(0, 3))
            estimate = Estimate(
                measure, about.estimate, None, None, 0.95, int(about.n), lost, "items", "fraction",
                "d", "m", *where[:3], where.group, None, baseline=baseline,  # type: ignore[arg-type]
            )  # fmt: skip
            found.append(Found(estimate, about))
    return verdict(RUN, found)


def test_what_is_found_leaves_out_the_null_and_what_is_ruled_out_lies_within_its_size() -> None:
    """And nothing else does: p was the larger of a score test's and a binomial tail, the interval
    the score test's alone, and a fault "cannot be told" stood beside a line that left out 0."""
    rng, seen = np.random.default_rng(11), Counter[str]()
    for _ in range(80):
        for f in judged(rng):
            if f.reason or f.low is None or f.high is None:
                continue  # blind, or no interval: the sentence has the reason
            ends, way = (f.low, f.high), WAYS[f.name]
            seen[f.kind] += 1
            assert f.low <= f.value <= f.high, f
            if f.kind != "ruled_out":
                assert leaves_out(ends, way, f.null, f.size) == (f.kind == "found"), f
                assert f.found_beyond is not None
                assert f.kind != "found" or not f.low <= f.found_beyond <= f.high, f
            if f.kind != "found":
                inside = within(ends, *harmless(way, f.null, f.size))
                assert inside == (f.kind == "ruled_out"), f
            if f.kind == "ruled_out" and way == "lacks":
                least = re.search(r", by at least ([\d.]+) points", f.sentence)
                assert (float(least[1]) if least else 0) <= 100 * (f.low - f.null), f
    assert min(seen[kind] for kind in ("found", "ruled_out", "cannot_tell")) > 80, seen


def leaves_out(ends: tuple[float, float], way: Way, null: float, size: float) -> bool:
    """Whether an interval leaves out the null on the side of the fault."""
    if way == "both":
        return not ends[0] <= null <= ends[1]
    return within(ends, *faulty(way, null, size))


@pytest.mark.parametrize("way", ["above", "below", "both", "lacks"])
def test_p_is_the_level_at_which_the_interval_leaves_out_the_null(way: Way) -> None:
    """Near its own level, too, where a rounding of either would show."""
    rng, near = np.random.default_rng(12), 0
    for _ in range(500):
        e = evidence(shares(rng) if rng.random() < 0.6 else differences(rng))
        null = 0.0 if isinstance(e.about, Paired) else float(rng.choice([0.01, 0.25, 0.5, 0.95]))
        size = float(rng.choice([0.02, 0.05, 0.1]))
        if way == "lacks" and isinstance(e.about, Paired):
            continue
        tails = 1 if way == "both" else 2
        for p, bounds, sides in (
            (e.p_found(way, null, size), None, tails),
            (e.p_ruled_out(way, null, size), harmless(way, null, size), 2),
        ):
            for alpha in (p * 0.999, p * 1.001, 0.05, 0.005, 0.0005):
                if not 1e-9 < alpha < 0.5 or abs(alpha - p) < 1e-4 * p:
                    continue
                ends = e.interval(1 - sides * alpha, way, found=bounds is None)
                inside = (
                    ends is not None and leaves_out(ends, way, null, size)
                    if bounds is None
                    else within(ends, *bounds)
                )
                assert inside == (p < alpha), (e.about, way, null, size, p, alpha, ends)
                near += abs(alpha / p - 1) < 0.01 if p else 0
    assert near > 100


def test_a_rare_kind_is_as_sure_as_its_tail() -> None:
    """4 of 100 against 1 %: P(X >= 4) = .018, and the line left out 1 % at .005."""
    e = evidence(share(4, 100))
    assert e.p_found("above", 0.01, 0.04) == pytest.approx(binom.sf(3, 100, 0.01), rel=0.05)
    ends = e.interval(1 - 2 * 0.005)
    assert ends is not None
    assert ends[0] < 0.01
    # 88 of 100 choose an option, of which 95 % should; and none of 8 of 400 moved by 5 points.
    assert evidence(share(88, 100)).interval(1 - 2 * 0.0036)[1] > 0.95  # type: ignore[index]
    assert evidence(difference(0, 8, 400)).interval(1 - 2 * 0.0009)[0] < -0.05  # type: ignore[index]


def test_intervals_of_higher_levels_hold_lower_ones() -> None:
    rng, levels = np.random.default_rng(13), (0.5, 0.8, 0.95, 0.99, 0.999, 0.9999)
    ways: list[tuple[Way, bool]] = [
        ("both", True),
        ("both", False),
        ("above", True),
        ("below", True),
    ]
    for _ in range(300):
        e = evidence(shares(rng) if rng.random() < 0.5 else differences(rng))
        way, found = ways[int(rng.integers(4))]
        ends = [e.interval(level, way, found=found) for level in levels]
        told = [i for i in ends if i is not None]
        assert ends[: len(told)] == told
        for inner, outer in pairwise(told):
            assert outer[0] <= inner[0] + 1e-12
            assert inner[1] <= outer[1] + 1e-12

"""Intervals and p-values: worked values, agreement with each other, coverage, false alarms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from math import log, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, binom, binomtest, norm
from scipy.stats import t as student

from horsesense.findings.evidence import Evidence
from horsesense.stats.forms import Forms
from horsesense.stats.paired import Paired
from horsesense.stats.power import as_single, minimum_detectable, power, smallest_change
from horsesense.stats.quotient import Quotient
from horsesense.stats.shares import Shares
from horsesense.stats.smooth import jackknife, smooth
from horsesense.stats.spread import Spread
from horsesense.stats.tests import wilson
from horsesense.stats.two_way import alike
from horsesense.trials.condition import PLAIN

Floats = npt.NDArray[np.float64]
CELLS = 10_000


def ones(n: int) -> Floats:
    return np.ones(n)


def pairs(plus: int, minus: int, n: int) -> Paired:
    d = np.array([1.0] * plus + [-1.0] * minus + [0.0] * (n - plus - minus))
    return Paired.of(d, ones(n))


@pytest.mark.parametrize(("hits", "n"), [(12, 30), (81, 263), (0, 20), (20, 20)])
def test_single_trials_have_wilsons_interval_with_students_quantile(hits: int, n: int) -> None:
    share = Shares.of(np.array([1.0] * hits + [0.0] * (n - hits)), ones(n))
    assert share.effective == pytest.approx(n)
    c = student.ppf(0.975, n)
    level = 2 * norm.cdf(c) - 1
    assert share.interval() == pytest.approx(wilson(hits, n, level), abs=1e-12)


@pytest.mark.parametrize("n", [8, 20, 30, 42, 60, 100])
def test_shares_are_covered_at_every_truth_however_near_the_ends(n: int) -> None:
    """By all outcomes: Wilson's lower end of one hit in n left out truths near .17/n in .16."""
    x = np.arange(n + 1)
    ends = np.array([Shares.of((np.arange(n) < h) * 1.0, ones(n)).interval() for h in x])
    beside = np.concatenate([ends.ravel() - 1e-9, ends.ravel() + 1e-9])
    near = np.linspace(0.01, 2, 200) / n
    truths = np.concatenate([beside[(beside > 0) & (beside < 1)], near, 1 - near])
    held = (ends[:, 0] <= truths[:, None]) & (truths[:, None] <= ends[:, 1])
    assert (binom.pmf(x, n, truths[:, None]) * held).sum(axis=1).min() >= (0.93 if n > 29 else 0.92)


def test_ends_of_shares_move_without_a_jump_where_another_limit_is_further() -> None:
    """One limit hands over to the other at about ten hits."""
    share = Shares.of((np.arange(400) < 1) * 1.0, ones(400))
    hits = np.linspace(0.01, 30, 3000)
    moved = (h / 400 for h in hits)
    lows = np.array(
        [
            replace(
                share, hits=400 * s, squares=400 * s * (1 - s), spread=400 * s * (1 - s)
            ).interval()[0]
            for s in moved
        ]
    )
    steps = np.diff(lows) * 400
    assert (steps > 0).all()
    assert steps.max() < 1.5 * (hits[1] - hits[0])


def lost_prompts(rng: np.random.Generator, sizes: Floats, lost: float, shift: float) -> Paired:
    """Items of one prompt each, .7 of them right; right one by one more often by `shift`."""
    prompt = np.repeat(np.arange(len(sizes)), sizes.astype(int))
    there = (rng.random(len(sizes)) >= lost)[prompt]
    right = (rng.random(len(prompt)) < 0.7) & there
    single = (rng.random(len(prompt)) < 0.7 + shift) * 1.0
    item = np.arange(len(prompt))
    return Paired.two_way(right - single, item, prompt, if_lost=-single[:, None])


@pytest.mark.parametrize(
    ("sizes", "lost"),
    [(50 * ones(10), 0.1), (50 * ones(30), 0.1), (np.tile([10.0, 50.0], 30), 0.05)],
)
def test_a_gain_of_replies_does_not_pass_where_others_may_be_lost(
    sizes: Floats, lost: float
) -> None:
    """What is lost with whole replies the others make up for; accused in .15 to .20, one in
    thirty of them at .005, before lost prompts were an unknown of their own."""
    rng = np.random.default_rng(1)
    p = np.array([lost_prompts(rng, sizes, lost, -0.7 * lost).p() for _ in range(300)])
    assert (p <= 0.05).mean() <= 0.06
    assert (p <= 0.005).mean() <= 0.01


def test_a_fall_is_found_as_before_where_replies_may_be_lost() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        found = lost_prompts(rng, 20 * ones(30), 0.0, 0.06)
        if found.total < 0:
            assert found.p() == replace(found, lost=()).p()


def test_p_and_interval_agree_where_replies_may_be_lost() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        lost, shift = rng.choice([0.0, 0.05, 0.2]), rng.choice([-0.1, -0.2, 0.0, 0.1])
        found = lost_prompts(rng, rng.integers(1, 30, rng.integers(5, 60)), lost, shift)
        alpha = rng.choice([0.005, 0.05, 0.2])
        ends = found.interval(1 - alpha)
        if ends is not None:
            assert (found.p() < alpha) == (not ends[0] <= 0 <= ends[1])


def test_trials_that_repeat_each_other_count_once() -> None:
    rng = np.random.default_rng(0)
    single = (rng.random(300) < 0.7).astype(float)
    four = Shares.of(4 * single, 4 * ones(300))
    assert four.effective == pytest.approx(300, rel=0.01)
    apart = Shares.of(rng.binomial(4, 0.7, 300).astype(float), 4 * ones(300))
    assert apart.effective == pytest.approx(1200, rel=0.15)
    alike = Shares.of(4 * ones(30), 4 * ones(30))
    assert alike.effective == pytest.approx(30)


def test_one_cluster_has_no_interval() -> None:
    assert Shares.of(np.array([3.0]), np.array([4.0])).interval() is None
    assert Shares.of(np.array([3.0]), np.array([4.0])).p(0.5) is None
    assert Paired.of(np.array([1.0, 0, 0]), ones(3)).interval() is None
    assert Paired.of(np.array([1.0, 0, 0]), ones(3)).p() is None
    assert smooth(np.array([[1.0, 2.0]]), lambda t: t[..., 0] / t.sum(axis=-1)).interval() is None


@pytest.mark.parametrize("n", [5, 10, 30, 100])
def test_width_is_at_most_a_tenth_over_the_exact_intervals(n: int) -> None:
    """Clopper and Pearson 1934, weighted by the chance of each count."""
    from scipy.stats import binom

    x = np.arange(n + 1)
    ours = np.array([np.diff(Shares.of((np.arange(n) < h) * 1.0, ones(n)).interval()) for h in x])
    low = np.nan_to_num(beta.ppf(0.025, x, n - x + 1))
    high = np.where(x == n, 1.0, beta.ppf(0.975, x + 1, np.maximum(n - x, 1)))
    for truth in (0.5, 0.8, 0.95):
        weight = binom.pmf(x, n, truth)
        assert weight @ ours[:, 0] <= 1.1 * (weight @ (high - low))


def test_six_to_nothing_is_found_and_five_to_nothing_is_not_as_in_mcnemars_exact_test() -> None:
    for plus in range(0, 30):
        for minus in range(0, 6):
            exact = binomtest(plus, plus + minus, 0.5).pvalue if plus + minus else 1.0
            ours = pairs(plus, minus, 100).p()
            assert ours is not None
            # The two differ by less than a step of the discrete test.
            assert (ours < 0.05) == (exact < 0.05) or abs(ours - exact) < 0.03, (plus, minus)
    assert pairs(6, 0, 40).p() < 0.05 < pairs(5, 0, 40).p()
    assert pairs(5, 0, 40).p() == pytest.approx(2 * norm.sf(5 / sqrt(7)))


def test_below_one_in_twenty_single_pairs_have_the_smaller_p_of_two_tests() -> None:
    for plus, minus in [(6, 0), (9, 0), (12, 0), (14, 2), (40, 20), (60, 20), (150, 90)]:
        exact = binomtest(plus, plus + minus, 0.5).pvalue
        score = 2 * norm.sf((plus - minus) / sqrt(plus + minus + 2))
        assert score < 0.05
        assert pairs(plus, minus, 400).p() == pytest.approx(min(score, exact), rel=1e-9)
        d = np.array([4.0] * plus + [-4.0] * minus + [0.0] * (400 - plus - minus))
        fours = Paired.of(d, 4 * ones(400)).p()  # whole clusters of four are single pairs
        assert fours == pytest.approx(min(score, exact), rel=1e-9)


def test_clusters_worth_few_have_no_p_below_the_level_at_which_intervals_end() -> None:
    sizes = unequal(100, 1, 4, 100).astype(float)
    lost = Paired.of(-sizes, sizes)
    assert lost.p() == pytest.approx(0.0298, abs=1e-4)
    assert lost.interval(0.9955) is not None
    assert lost.interval(0.9965) is None


def test_the_end_towards_no_difference_keeps_its_level() -> None:
    """Every outcome of 200 pairs, at rates of change up and down, weighted by its chance."""
    from scipy.stats import multinomial

    n, level = 200, 0.998
    outcomes = [(plus, minus) for plus in range(36) for minus in range(14)]
    lows = np.array([pairs(plus, minus, n).interval(level)[0] for plus, minus in outcomes])
    counts = np.array([(plus, minus, n - plus - minus) for plus, minus in outcomes])
    for up, down in [(0.005, 0), (0.01, 0), (0.03, 0), (0.06, 0), (0.02, 0.01), (0.04, 0.01)]:
        chance = multinomial.pmf(counts, n, [up, down, 1 - up - down])
        assert chance.sum() > 0.999
        assert chance[lows > up - down].sum() <= (1 - level) / 2


def random_clusters(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Clusters of 1 to 4 trials of one of several kinds."""
    k = int(rng.integers(2, 60))
    m = rng.integers(1, 5, k) if rng.random() < 0.5 else np.ones(k, dtype=int)
    level = rng.beta(*rng.choice([0.3, 1, 5, 30], 2), k)
    return np.array(rng.binomial(m, level), dtype=float), m.astype(float)


def test_p_of_rare_shares_and_intervals_agree() -> None:
    rng = np.random.default_rng(4)
    for _ in range(CELLS // 4):
        x, m = random_clusters(rng)
        few = np.where(rng.random(len(x)) < rng.choice([0.02, 0.1]), x, 0.0)
        share = Shares.of(few if rng.random() < 0.5 else m - few, m)
        alpha = rng.choice([0.01, 0.05, 0.2])
        null = float(np.clip(share.estimate + rng.choice([-1, 1]) * rng.exponential(0.05), 0, 1))
        ends = share.interval(1 - alpha)
        if ends is not None and min(abs(null - end) for end in ends) > 1e-9:
            assert (share.p(null) < alpha) == (not ends[0] <= null <= ends[1])


def about_own(hits: Floats, chances: Floats) -> Shares:
    """A share of single trials, each about a chance of its own."""
    return Shares.of_unlike(hits, hits + chances.mean() - chances, ones(len(hits)))


MIXED = [(2, 4), (2, 3, 5, 10), (2, 10)]


@pytest.mark.parametrize("options", MIXED)
@pytest.mark.parametrize("power", [1, None])
def test_values_about_their_own_chances_are_worth_no_more_trials_than_there_are(
    options: tuple[int, ...], power: int | None
) -> None:
    """None of 40 items locked was worth 119 trials, with an upper end of 3.3 %."""
    k = np.resize(options, 40).astype(float)
    chances = 1 / k ** (power or k)
    none = about_own(0 * k, chances)
    assert none.effective <= 40
    assert none.interval()[1] >= 1 - 0.05 ** (1 / 40)
    rng = np.random.default_rng(1)
    for rate in (0.05, 0.3, chances):
        share = about_own((rng.random(40) < rate) * 1.0, chances)
        assert share.effective <= 40
        assert share.squares == pytest.approx(40 * share.estimate * (1 - share.estimate))


@pytest.mark.parametrize("n", [30, 40, 100])
@pytest.mark.parametrize("options", [(2, 4), (2, 10)])
def test_rare_shares_of_items_with_unlike_chances_are_covered(
    n: int, options: tuple[int, int]
) -> None:
    """By all outcomes, of hits as rare in either kind; covered in .77 to .83 at .02 to .05."""
    half = n // 2
    x = np.arange(half + 1)
    k = np.repeat(options, half).astype(float)
    few, many = (x[:16] for _ in options)
    ends = np.array(
        [
            about_own(
                np.concatenate([np.arange(half) < a, np.arange(half) < b]) * 1.0, 1 / k**k
            ).interval()
            for a, b in product(few, many)
        ]
    )
    for truth in (0.02, 0.04, 0.05, 0.1):
        chance = np.outer(binom.pmf(few, half, truth), binom.pmf(many, half, truth)).ravel()
        assert chance.sum() > 0.99
        held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        assert chance @ held >= 0.93


def test_p_and_intervals_of_values_about_their_own_chances_agree() -> None:
    rng = np.random.default_rng(6)
    seen = [0, 0]
    for _ in range(CELLS // 10):
        k = rng.choice(MIXED[rng.integers(3)], int(rng.integers(5, 80))).astype(float)
        chances = 1 / k ** rng.choice([1.0, 2.0])
        share = about_own((rng.random(len(k)) < rng.choice([0.05, 0.3, 0.8])) * 1.0, chances)
        null, alpha = rng.random() ** 2, rng.choice([0.01, 0.05, 0.2])
        ends = share.interval(1 - alpha)
        if ends is None or min(abs(null - end) for end in ends) < 1e-9:
            continue
        out = not ends[0] <= null <= ends[1]
        assert (share.p(null) < alpha) == out
        seen[out] += 1
    assert min(seen) > 100


def test_p_of_shares_and_intervals_agree_on_random_cells() -> None:
    rng = np.random.default_rng(1)
    seen = [0, 0]
    for _ in range(CELLS):
        x, m = random_clusters(rng)
        share, null, alpha = Shares.of(x, m), rng.random(), rng.choice([0.01, 0.05, 0.2])
        p, interval = share.p(null), share.interval(1 - alpha)
        if p is None or interval is None:  # such as two clusters, of 1 and of 4
            assert p is interval is None
            continue
        out = not interval[0] <= null <= interval[1]
        assert (p < alpha) == out
        seen[out] += 1
    assert min(seen) > 1000


def random_differences(rng: np.random.Generator) -> Paired:
    one, m = random_clusters(rng)
    kind = rng.integers(3)
    if kind == 0:
        other = np.array(rng.binomial(m.astype(int), rng.random()), dtype=float)
    elif kind == 1:  # few that differ
        other = np.where(rng.random(len(m)) < 0.1, 0, one)
    else:
        return Paired.of((2 * rng.random(len(m)) - rng.random()) * m / 2, m)
    return Paired.of(one - other, m)


def test_p_of_differences_and_intervals_agree_on_random_cells() -> None:
    rng = np.random.default_rng(2)
    seen = [0, 0]
    for _ in range(CELLS):
        found, alpha = random_differences(rng), rng.choice([0.0005, 0.005, 0.05, 0.2])
        p, interval = found.p(), found.interval(1 - alpha)
        if interval is None:
            assert p is None or p >= alpha
            continue
        out = not interval[0] <= 0 <= interval[1]
        assert (p < alpha) == out
        assert interval[0] <= found.estimate <= interval[1]
        seen[out] += 1
    assert min(seen) > 1000


@pytest.mark.parametrize("level", [0.05, 0.3, 0.5, 0.7])
def test_an_interval_of_differences_holds_its_estimate_at_every_level(level: float) -> None:
    """Ten of 12 pairs gained, at a level of .5: .833 [.599, .832]."""
    rng = np.random.default_rng(5)
    for found in (
        pairs(10, 0, 12),
        pairs(0, 10, 12),
        *(random_differences(rng) for _ in range(500)),
    ):
        interval = found.interval(level)
        if interval is not None:
            assert interval[0] <= found.estimate <= interval[1]
            nested = found.interval((1 + level) / 2)
            assert nested is None or (nested[0] <= interval[0] and interval[1] <= nested[1])


def test_two_way_p_and_interval_agree() -> None:
    rng = np.random.default_rng(3)
    seen = [0, 0]
    for _ in range(1000):
        n = int(rng.integers(20, 200))
        first, second = rng.integers(0, n // 3, n), rng.integers(0, n // 5 + 4, n)
        d = rng.choice([-1.0, 0, 1], n, p=[0.05, 0.75, 0.2])
        found = Paired.two_way(d, first, second)
        interval = found.interval()
        assert interval is not None
        out = not interval[0] <= 0 <= interval[1]
        assert (found.p() < 0.05) == out
        seen[out] += 1
    assert min(seen) > 100


def test_a_second_clustering_that_is_the_same_changes_little() -> None:
    rng = np.random.default_rng(4)
    d = rng.choice([-1.0, 0, 1], 200, p=[0.1, 0.7, 0.2])
    alone = np.arange(200)
    one, two = Paired.of(d, ones(200)), Paired.two_way(d, alone, alone)
    assert two.interval() == pytest.approx(one.interval())
    hits = (d > 0) * 1.0
    shares = Shares.two_way(hits, ones(200), alone, alone)
    assert shares == replace(Shares.of(hits, ones(200)), sizes=())


def test_mirrored_differences_have_mirrored_intervals() -> None:
    low, high = pairs(20, 4, 100).interval()
    assert pairs(4, 20, 100).interval() == pytest.approx((-high, -low))


def test_nothing_that_differs_leaves_out_large_differences_only() -> None:
    low, high = pairs(0, 0, 100).interval()
    assert pairs(0, 0, 100).p() == 1.0
    assert high == pytest.approx(-low)
    # One-sided at .025: (1 - d)^100 = .025.
    assert high == pytest.approx(1 - 0.025**0.01)
    # In clusters likewise: two items that share a text change as one.
    assert Paired.of(np.zeros(100), 2 * ones(100)).interval() == pytest.approx((low, high))


@pytest.mark.parametrize(
    "sizes", [[1, 1, 2], [1] * 100 + [30] * 10, [2] * 30 + [5] * 20 + [30] * 4]
)
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_clusters_of_any_size_can_hide_no_larger_change(sizes: list[int], level: float) -> None:
    """Whatever the chances of each cluster to change, if together they stay away as often."""
    m, alpha = np.repeat(np.array(sizes, float), 4), (1 - level) / 2
    high = Paired.of(np.zeros(len(m)), m)._exact_ends(alpha)[1]
    rng = np.random.default_rng(len(sizes))
    most = 0.0
    for _ in range(2000):
        weights = rng.dirichlet(np.full(len(m), 0.3)) * m ** rng.integers(0, 3)
        change = float(-np.expm1(np.log(alpha) * weights / weights.sum()) @ m / m.sum())
        most = max(most, change)
        assert change <= high + 1e-12
    at = np.maximum(1 - _held(m, alpha) / m, 0)
    assert float(at @ m / m.sum()) == pytest.approx(high, rel=1e-6)
    assert most > 0.7 * high


@pytest.mark.parametrize(("sizes", "level"), [((400, 1, 8, 10), 0.99), ((250, 1, 1, 20), 0.95)])
def test_a_change_of_large_clusters_alone_is_not_ruled_out(
    sizes: tuple[int, int, int, int], level: float
) -> None:
    """Exactly: single items never change, large clusters do as a whole, 5 points in all."""
    small, one, few, large = sizes
    m = np.repeat([float(one), float(large)], [small, few])
    share = 0.05 * m.sum() / (few * large)
    lost = np.zeros(len(m))
    ruled_out = 0.0
    for k in range(few + 1):
        lost[small : small + k] = -large
        e = Evidence(Paired.of(lost, m), "", "", PLAIN, "text", "", len(m), "items", None)
        ends = e.interval(level)
        if ends is not None and ends[0] > -0.05:
            ruled_out += float(binom.pmf(k, few, min(share, 1.0)))
    assert ruled_out <= (1 - level) / 2


def _held(m: Floats, alpha: float) -> float:
    """w of the worst chances 1 - w / M, by bisection."""
    return float(
        brentq(lambda w: np.log(np.minimum(w / m, 1)).sum() - np.log(alpha), 1e-9, m.max())
    )


def test_a_lost_item_is_no_better_evidence_than_none() -> None:
    """Texts of two items at 99.92 %: nothing lost left 5.8 points open, one item 5.0."""
    sizes, lost = 2 * ones(200), np.zeros(200)
    none = Paired.of(lost, sizes).interval(0.9992)
    lost[0] = -1.0
    one = Paired.of(lost, sizes).interval(0.9992)
    assert none[1] < 0.04
    assert one[0] < none[0]


@pytest.mark.parametrize(("n", "level"), [(40, 0.995), (40, 0.999), (100, 0.999), (400, 0.999)])
def test_what_few_changes_leave_open_is_as_narrow_as_exact_limits(n: int, level: float) -> None:
    """None of 40 pairs at 99.9 %: up to 32.9 points were left open, of which 17.3 are."""
    none, one = pairs(0, 0, n).interval(level), pairs(1, 0, n).interval(level)
    assert none[1] == pytest.approx(1 - ((1 - level) / 2) ** (1 / n))
    assert none[0] == pytest.approx(-none[1])
    # One that changes can have been the only one that ever does, and can have been an accident.
    assert one[1] == pytest.approx(beta.isf((1 - level) / 2, 2, n - 1))
    assert -none[1] <= one[0] < 0


@pytest.mark.parametrize("n", [12, 40])
@pytest.mark.parametrize("level", [0.95, 0.995, 0.9995])
def test_exact_limits_miss_no_oftener_than_the_score_or_the_level(n: int, level: float) -> None:
    """All outcomes, at rates of gains and of losses, weighted by their chance."""
    from scipy.stats import multinomial

    outcomes = [(plus, minus) for plus in range(n + 1) for minus in range(n + 1 - plus)]
    counts = np.array([(plus, minus, n - plus - minus) for plus, minus in outcomes])
    whole = [pairs(plus, minus, n) for plus, minus in outcomes]
    # Clusters of a little more than one pair have the score's interval alone.
    scores = [replace(one, sizes=()) for one in whole]
    now, alone = (np.array([e.interval(level) or (-1, 1) for e in es]) for es in (whole, scores))
    assert (now[:, 0] >= alone[:, 0] - 1e-9).all()
    assert (now[:, 1] < alone[:, 1] - 0.01).any()
    most, before, rates = 0.0, 0.0, (0, 0.001, 0.01, 0.05, 0.12, 0.3, 0.45)
    for up, down in product(rates, rates):
        chance = multinomial.pmf(counts, n, [up, down, 1 - up - down])
        most = max(most, chance[now[:, 1] < up - down - 1e-12].sum())
        before = max(before, chance[alone[:, 1] < up - down - 1e-12].sum())
    assert most <= max(before, (1 - level) / 2) + 1e-12


@pytest.mark.parametrize("clusters", [10, 30, 100])
@pytest.mark.parametrize("truth", [0.5, 0.95])
@pytest.mark.parametrize("icc", [0.0, 1.0])
def test_shares_cover(clusters: int, truth: float, icc: float) -> None:
    """2,000 studies of 4 trials a cluster; the bound is the bar less 3 standard errors."""
    rng = np.random.default_rng(int(clusters + 100 * truth + 1000 * icc))
    held = 0
    for _ in range(2000):
        x = 4 * rng.binomial(1, truth, clusters) if icc else rng.binomial(4, truth, clusters)
        low, high = Shares.of(x.astype(float), 4 * ones(clusters)).interval()
        held += low <= truth <= high
    assert held / 2000 >= (0.92 if clusters < 30 else 0.93) - 0.017


@pytest.mark.parametrize("clusters", [10, 30, 100])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.4])
def test_differences_cover(clusters: int, effect: float) -> None:
    rng = np.random.default_rng(int(clusters + 1000 * effect))
    p = [0.1, 0.8 - effect, 0.1 + effect]
    held = alarms = 0
    for _ in range(2000):
        found = Paired.of(rng.choice([-1.0, 0, 1], clusters, p=p), ones(clusters))
        low, high = found.interval()
        held += low <= effect <= high
        alarms += found.p() < 0.05
    assert held / 2000 >= (0.92 if clusters < 30 else 0.93) - 0.017
    if not effect:
        assert alarms / 2000 <= 0.06 + 0.016


UNEQUAL = [((30, 1, 3, 40), 0.5), ((100, 1, 4, 100), 0.5), ((50, 1, 1, 50), 0.8)]
"""Small clusters and their trials, large ones and theirs; and a truth."""


def unequal(few: int, small: float, more: int, large: float) -> Floats:
    return np.repeat([small, large], [few, more])


@pytest.mark.parametrize(("shape", "truth"), UNEQUAL)
def test_shares_of_very_unequal_clusters_cover(
    shape: tuple[int, float, int, float], truth: float
) -> None:
    """1,000 studies of whole clusters, which the number of clusters covered in .77 to .88."""
    m, rng = unequal(*shape), np.random.default_rng(9)
    studies = [Shares.of(m * (rng.random(len(m)) < truth), m) for _ in range(1000)]
    held = [low <= truth <= high for low, high in (s.interval() for s in studies)]
    assert np.mean(held) >= 0.93 - 0.025
    assert np.mean([s.p(truth) < 0.05 for s in studies]) <= 0.06 + 0.023
    # Whole clusters are worth as many of one size at most.
    assert max(s.effective for s in studies) <= m.sum() ** 2 / (m**2).sum() + 1e-9


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("rates", [(0.98, 0.6), (0.005, 0.22)])
def test_shares_cover_where_large_clusters_have_a_rate_of_their_own(
    rates: tuple[float, float], drawn: bool
) -> None:
    """500 studies of 1,500 single trials and 40 wholes of 10: covered in .74 to .83 where
    the weighted variance of trials is not held to that of the share."""
    m, rng = unequal(1500, 1, 40, 10), np.random.default_rng(12)
    truth = (1500 * rates[0] + 400 * rates[1]) / 1900
    held = []
    for _ in range(500):
        sizes = rng.choice(m, len(m)) if drawn else m
        share = Shares.of(sizes * (rng.random(len(m)) < np.where(sizes > 1, *rates[::-1])), sizes)
        low, high = share.interval()
        held.append(low <= truth <= high)
    assert np.mean(held) >= 0.93 - 0.034


def test_two_way_shares_have_no_less_an_error_than_their_sums() -> None:
    """Prompts of 1 and of 10 problems at two rates, each problem in two prompts of its kind."""
    rng = np.random.default_rng(13)
    prompt = np.concatenate([np.arange(300), 300 + np.repeat(np.arange(30), 10)])
    item = np.concatenate([np.arange(300) // 2, 300 + np.arange(300) % 150])
    right = rng.random(330)[prompt] < np.where(prompt < 300, 0.98, 0.6)
    share = Shares.two_way(right * 1.0, ones(600), item, prompt)
    error = share.estimate * (1 - share.estimate) / share.effective
    assert error >= 0.98 * share.spread / share.n**2


@pytest.mark.parametrize("shape", [shape for shape, _ in UNEQUAL])
def test_differences_of_very_unequal_clusters_raise_no_false_alarms(
    shape: tuple[int, float, int, float],
) -> None:
    m, rng = unequal(*shape), np.random.default_rng(10)
    p = [Paired.of(m * rng.choice([-1.0, 1], len(m)), m).p() for _ in range(1000)]
    assert np.mean(np.array(p) < 0.05) <= 0.06 + 0.023


def test_clusters_of_one_size_are_as_many_as_they_are() -> None:
    rng = np.random.default_rng(11)
    for m in (1.0, 3.0, 7.0):
        x = rng.binomial(int(m), 0.6, 20).astype(float)
        share, spread = Shares.of(x, np.full(20, m)), float(((x - x.mean()) ** 2).sum())
        assert share.even == pytest.approx(20, rel=1e-12)
        assert share.spread == pytest.approx(spread, rel=1e-12)
        assert share.squares == pytest.approx(
            m * m * 20 * share.estimate * (1 - share.estimate), rel=1e-12
        )


def test_one_large_cluster_has_neither_interval_nor_p_and_the_reason_is_true() -> None:
    m = unequal(30, 1, 1, 200)
    share = Shares.of(m, m)
    assert (share.interval(), share.p(0.5)) == (None, None)
    assert "two thirds" in share.reason
    pairs = Paired.of(np.array([1.0] * 20 + [0.0]), unequal(20, 1, 1, 200))
    assert (pairs.interval(), pairs.p()) == (None, None)
    assert "a few large" in pairs.reason
    assert "too few" in Paired.of(ones(3), ones(3)).reason


def test_a_p_below_5_percent_has_an_interval_whatever_the_sizes() -> None:
    rng = np.random.default_rng(12)
    seen = 0
    for _ in range(2000):
        m = np.ceil(rng.lognormal(0, rng.choice([0.5, 2, 4]), int(rng.integers(2, 40))))
        alpha = rng.choice([0.001, 0.01, 0.05])
        found = Paired.of(m * rng.choice([0.0, 1], len(m), p=[0.2, 0.8]), m)
        p, interval = found.p(), found.interval(1 - alpha)
        assert (p is None) == (found.interval() is None) == bool(found.reason)
        if p is not None and p < alpha - 1e-12:
            assert interval is not None
            assert not interval[0] <= 0 <= interval[1]
            seen += 1
        share = Shares.of(m * rng.choice([0.0, 1], len(m)), m)
        assert (share.p(0.5) is None) == (share.interval() is None) == bool(share.reason)
    assert seen > 100


def balanced(totals: Floats) -> Floats:
    a, b, c, d = (totals[..., i] for i in range(4))
    return (a / (a + b) + c / (c + d)) / 2


def test_a_smooth_function_at_its_end_has_a_width_and_is_hautus_for_single_trials() -> None:
    rows = np.array([[1.0, 0, 0, 0]] * 20 + [[0, 0, 1.0, 0]] * 20)
    found = smooth(rows, balanced, low=0.0, high=1.0)
    # s = (40 + 1) / (40 + 1) = 1: half a trial in each cell
    assert found.estimate == pytest.approx(20.5 / 21)
    low, high = found.interval()
    assert low < 0.96
    assert high == 1.0
    assert found.p(found.estimate) == 1.0


def test_balanced_accuracy_covers() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1500):
        rows = np.zeros((40, 4))
        hits = rng.random(40) < 0.9
        rows[np.arange(40), np.where(np.arange(40) < 20, 0, 2) + ~hits] = 1
        low, high = smooth(rows, balanced, low=0, high=1).interval()
        held += low <= 0.9 <= high
    assert held / 1500 >= 0.93 - 0.02


def test_the_jackknife_of_a_mean_is_students_interval() -> None:
    values = np.random.default_rng(6).normal(size=25)
    rows = np.column_stack([values, ones(25)])
    found = jackknife(rows, lambda t: t[..., 0] / t[..., 1])
    assert found.se == pytest.approx(values.std(ddof=1) / 5)
    reach = student.ppf(0.975, 24) * found.se
    assert found.interval() == pytest.approx((values.mean() - reach, values.mean() + reach))
    assert jackknife(np.ones((9, 2)), lambda t: t[..., 0] / t[..., 1]).interval() is None


def test_few_large_clusters_are_worth_few() -> None:
    """18 clusters of one item and two of 30 had Student's t with 19 degrees of freedom."""
    sizes = np.repeat([1, 30], [18, 2])
    rng = np.random.default_rng(7)
    rows = np.column_stack([np.repeat(rng.uniform(0.2, 0.8, 20), sizes), ones(78)])
    cluster = np.repeat(np.arange(20), sizes)
    uneven = jackknife(rows, lambda t: t[..., 0] / t[..., 1], cluster=cluster)
    assert uneven.degrees == pytest.approx(78**2 / 1818 - 1)
    sums = np.bincount(cluster, weights=rows[:, 0])
    counts = smooth(np.column_stack([sums, sizes - sums]), lambda t: t[..., 0] / t.sum(axis=-1))
    assert counts.degrees == pytest.approx(uneven.degrees)
    assert Quotient.of(sums, sizes, sizes).even == pytest.approx(uneven.degrees + 1)
    alone = np.array([1.0, 1.0, 98.0])
    assert Quotient.of(alone * 0.5, alone, alone).interval(0.95) is None


def test_no_spread_is_inside_where_the_test_does_not_reject_it() -> None:
    rng = np.random.default_rng(7)
    seen = [0, 0]
    for _ in range(3000):
        k = int(rng.integers(2, 11))
        n = rng.integers(3, 60, k).astype(float)
        level = np.clip(rng.random() + rng.normal(0, rng.choice([0, 0.1, 0.3]), k), 0, 1)
        found = Spread.of(rng.binomial(n.astype(int), level).astype(float), n)
        assert found is not None
        low, high = found.interval()
        assert (found.p() <= 0.05) == (low > 0)
        assert low <= high
        assert low - 1e-9 <= max(found.corrected, low)
        seen[low > 0] += 1
    assert min(seen) > 300


def test_large_clusters_that_happen_to_agree_do_not_make_an_estimate_sure() -> None:
    """Whole clusters were covered in .63: three of 40 agree in more than a third of studies."""
    sizes = np.repeat([1, 40], [30, 3])
    cluster = np.repeat(np.arange(33), sizes)
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(300):
        right = np.repeat(rng.random(33) < 0.7, sizes)
        kinds = rng.random(len(cluster)) < 0.5
        rows = np.column_stack([kinds & right, kinds & ~right, ~kinds & right, ~kinds & ~right])
        low, high = jackknife(rows * 1.0, balanced, 0.0, 1.0, cluster).as_share()
        held += low <= 0.7 <= high
    assert held / 300 >= 0.93


def test_who_agrees_changes_nothing_where_clusters_have_one_size() -> None:
    rng = np.random.default_rng(9)
    place = np.repeat(np.arange(20), 4)
    for deviations in (rng.normal(size=80), np.repeat(rng.normal(size=20), 4)):
        assert alike(deviations, place, np.full(20, 4.0)) == pytest.approx(1)
    # One of the items of 12 small clusters deviates, and nothing in the large one.
    place, sizes = np.r_[np.arange(12), np.full(12, 12)], np.r_[ones(12), 12.0]
    deviations = np.r_[1.0, np.zeros(23)]
    assert alike(deviations, place, sizes) == pytest.approx((12 + 144) / 24)


@pytest.mark.parametrize("true", [(0.7,) * 4, (0.9, 0.6, 0.6, 0.6), (0.95,) * 4])
def test_the_spread_of_recalls_covers_where_there_is_none_and_where_there_is(
    true: tuple[float, ...],
) -> None:
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(1000):
        found = Spread.of(rng.binomial(50, true).astype(float), np.full(4, 50.0))
        assert found is not None
        low, high = found.interval()
        held += low <= np.std(true) <= high
    assert held / 1000 >= 0.93 - 0.021


def test_two_positions_at_least() -> None:
    assert Spread.of(np.array([3.0, 0]), np.array([5.0, 0])) is None


@pytest.mark.parametrize("alpha", [0.05, 0.002])
def test_power_is_that_of_all_outcomes_added_up(alpha: float) -> None:
    """Against an enumeration of every number of pairs ahead and behind."""
    n, base, change = 25, 0.1, 0.3
    ahead, behind = change + base / 2, base / 2
    total = 0.0
    from scipy.stats import multinomial

    for plus in range(n + 1):
        for minus in range(n + 1 - plus):
            if pairs(plus, minus, n).p() < alpha:
                chance = [ahead, behind, 1 - ahead - behind]
                total += multinomial.pmf([plus, minus, n - plus - minus], n, chance)
    assert power(n, base, change, alpha) == pytest.approx(total, abs=1e-6)


@cache
def p_of(plus: int, minus: int, n: int) -> float:
    return pairs(plus, minus, n).p()


@pytest.mark.parametrize("level", [0.05, 0.005])
@pytest.mark.parametrize(("n", "noise"), [(100, 0.1), (400, 0.02), (400, 0.3)])
def test_a_minimum_detectable_effect_is_found_four_times_in_five(
    n: int, noise: float, level: float
) -> None:
    rng = np.random.default_rng(int(n + 1000 * noise))
    found = []
    for _ in range(25):
        d = rng.choice([-1.0, 0, 1], n, p=[noise / 2, 1 - noise, noise / 2])
        x = minimum_detectable(Paired.of(d, ones(n)), level)
        assert x is not None
        p = [noise / 2, 1 - noise - x, noise / 2 + x]
        plus, minus = rng.multinomial(n, [p[2], p[0], p[1]], 200)[:, :2].T
        found += [p_of(a, b, n) < level for a, b in zip(plus, minus, strict=True)]
    assert 0.75 <= np.mean(found) <= 0.89


def test_no_minimum_detectable_effect_is_named_of_unequal_clusters_and_of_broken_differences() -> (
    None
):
    sizes = np.array([1.0] * 100 + [100.0] * 4)
    differences = np.where(np.arange(104) % 3 == 0, sizes, 0.0) * np.where(
        np.arange(104) % 2 == 0, 1, -1
    )
    assert minimum_detectable(Paired.of(differences, sizes)) is None
    orders = np.array([1 / 3, -1 / 3] * 10 + [0.0] * 80)
    assert minimum_detectable(Paired.of(orders, ones(100))) is None
    assert minimum_detectable(Paired.of(3 * orders, ones(100))) is not None


@pytest.mark.parametrize("alike", [3, 0])
@pytest.mark.parametrize("differing", [0, 1])
def test_none_is_named_of_means_over_forms_whatever_the_pilot_shows(
    alike: int, differing: int
) -> None:
    """Forms that are all alike, or whole items that differ, look like single answers."""
    here = np.where(np.arange(100) < differing, 0.0, 3.0)
    forms = Forms.of(here, 3 * ones(100), ones(100), ones(100), alike)
    found = Paired.of(forms.differences(), ones(100), forms)
    assert found.whole
    assert minimum_detectable(found) is None
    once = Forms.of(here / 3, ones(100), ones(100), ones(100))
    assert minimum_detectable(Paired.of(once.differences(), ones(100), once)) is not None
    item = np.arange(100)
    two_way = Paired.two_way(forms.differences(), item, item, forms)
    assert minimum_detectable(two_way) is None


@pytest.mark.parametrize("level", [0.05, 0.005, 0.0007])
@pytest.mark.parametrize("n", [30, 100, 1000])
def test_a_minimum_detectable_effect_of_a_pilot_without_a_difference(n: int, level: float) -> None:
    """Where nothing ever differs, it was found in .86 to .89 of the studies."""
    x = minimum_detectable(pairs(0, 0, n), level)
    assert x is not None
    assert 0.83 <= power(n, 0.0, x, level) <= 0.865
    assert minimum_detectable(pairs(0, 0, 29), level) is None, "too few for any level"


@pytest.mark.parametrize("alike", [True, False])
def test_a_few_copies_leave_a_minimum_detectable_effect(alike: bool) -> None:
    """One pair among 400 items left none where fewer than 15 of them differ."""
    one = Paired.of(np.eye(399)[7], 1.0 + np.eye(399)[0])
    assert minimum_detectable(one) == pytest.approx(minimum_detectable(pairs(1, 0, 400)), rel=0.01)
    rng, of = np.random.default_rng(4), np.arange(400)
    of[388:] = np.arange(12)
    sizes = np.bincount(of)[:388] * 1.0

    def drawn(effect: float) -> Paired:
        u = rng.random(400)
        d = np.where(u < 0.01 + effect, 1.0, np.where(u > 0.99, -1.0, 0.0))
        return Paired.of(np.bincount(of, weights=d[of] if alike else d)[:388], sizes)

    stated = [minimum_detectable(drawn(0.0), 0.005) for _ in range(20)]
    found = [drawn(x).p() < 0.005 for x in stated for _ in range(60)]
    assert 0.74 <= np.mean(found) <= 0.9
    more = np.array([2.0] * 13 + [1.0] * 374)
    assert minimum_detectable(Paired.of(0 * more, more)) is None, "13 pairs of 400"


def test_clusters_that_are_nearly_all_single_count_as_fewer_items() -> None:
    assert as_single(ones(400)) == 400
    assert as_single(np.append(ones(1538), [2.0, 2.0])) == 1538
    assert as_single(np.append(ones(360), 2 * ones(20))) == 364
    assert as_single(np.append(ones(358), 2 * ones(21))) is None, "mean size 1.105"
    assert as_single(np.append(ones(990), 10.0)) == 917
    assert as_single(np.zeros(0)) == 0


def test_no_minimum_detectable_effect_where_nothing_would_be_found() -> None:
    assert minimum_detectable(pairs(1, 1, 5)) is None
    few = Paired.of(np.array([1.0, -1, *np.zeros(48)]), np.full(50, 4.0))
    assert minimum_detectable(few) is None
    assert smallest_change(5, 0.2) is None
    assert minimum_detectable(pairs(2, 2, 100)) == pytest.approx(0.13, abs=0.05)


def test_entropy_is_a_mean_with_bounds() -> None:
    """Where nothing varies, a value of nats has the width of a share of its range."""
    share = Shares.of(0 * ones(12), ones(12))
    low, high = share.interval()
    assert (low, high * log(4)) == (0.0, pytest.approx(log(4) * wilson(0, 12)[1], rel=0.3))


def test_one_large_cluster_is_one_event_however_rare_the_outcome_is() -> None:
    sizes = np.array([1.0] * 300 + [20.0] * 2)
    whole = np.where(np.arange(302) == 300, 20.0, 0.0)
    share = Shares.of(whole, sizes)
    assert share.lumps[0] == pytest.approx(21, abs=1)
    assert share.tail_ends(0.05)[0] < 0.01
    spread = Shares.of(np.where(np.arange(302) < 20, 1.0, 0.0), sizes)
    assert spread.lumps[0] == pytest.approx(0.9, abs=0.1)
    assert spread.tail_ends(0.001)[0] > 0.01
    alone = Shares.of(np.array([1.0] * 20 + [0.0] * 380), ones(400))
    assert alone.lumps == (1.0, 1.0)
    balanced = Shares.of(ones(220), 2 * ones(220))
    assert balanced.lumps == (0.0, 0.0)
    assert balanced.tail_ends(1e-6)[1] < 0.55

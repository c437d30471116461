"""Differences of means over several forms, and differences that are ruled out."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from horsesense.findings.evidence import Evidence, scaled
from horsesense.measures.base import Rows
from horsesense.stats.forms import Forms
from horsesense.stats.paired import Paired
from horsesense.stats.power import minimum_detectable
from horsesense.trials.condition import PLAIN


def forms(right: list[float], base: list[float], options: int, alike: bool = True) -> Forms:
    """Of `options` forms of each item, one is published."""
    once = np.ones(len(base))
    others = (options - 1) * once
    return Forms.of(np.array(right), others, np.array(base), once, alike * (options - 1))


def pairs_of(seen: Forms) -> Paired:
    return Paired.of(seen.differences(), np.ones(len(seen.m)), seen)


def test_two_forms_have_mcnemars_variance_and_several_that_of_matched_sets() -> None:
    assert forms([1, 0, 1, 0], [0, 1, 1, 0], 2).variances().tolist() == [1, 1, 0, 0]
    # One of ten forms right, whichever: p (1 - p) (10 / 9)^2.
    assert forms([1, 0], [0, 1], 10).variances() == pytest.approx([0.09 * (10 / 9) ** 2] * 2)


def test_relabelling_an_items_forms_has_that_variance() -> None:
    rng = np.random.default_rng(0)
    drawn = np.array([rng.permutation([1.0] * 2 + [0.0] * 5) for _ in range(20_000)])
    d = drawn[:, :4].mean(axis=1) - drawn[:, 4:].mean(axis=1)
    one = Forms.of(*(np.array([x]) for x in (2.0, 4.0, 0.0, 3.0)))
    assert (d**2).mean() == pytest.approx(float(one.variances()[0]), rel=0.03)


def test_noise_is_at_least_what_was_seen() -> None:
    assert forms([0, 1], [1, 0], 2).noise == 1
    assert forms([1] * 4, [0] * 4, 10).noise == pytest.approx(9)
    assert forms([0] * 4, [0] * 4, 10).noise == 1
    assert Paired.of(np.ones(4), np.ones(4)).noise == 1


def test_the_forms_of_parts_are_those_of_the_whole() -> None:
    one, other = forms([1, 0], [0, 1], 4), forms([2], [1], 4)
    both = Forms.united([one, other])
    assert both.here.tolist() == [1, 0, 2]
    assert both.alike == 3
    assert not Forms.united([one, forms([2], [1], 4, alike=False)]).alike
    assert not Forms.united([one, forms([2], [1], 10)]).alike, "items differ in their orders"
    assert Forms.united([one, forms([], [], 10)]).alike == 3
    rows = [Rows(np.ones((len(own.m), 2)), 1, 0, forms=own) for own in (one, other)]
    parts = [(slice(2, 3), rows[1]), (slice(0, 2), rows[0])]
    assert Rows.united(parts).forms.here.tolist() == [1, 0, 2]


def test_p_is_that_of_every_way_to_draw_the_published_form() -> None:
    seen = forms([0, 0, 1, 0, 2, 1], [1, 1, 1, 0, 1, 0], 4)
    assert seen.labels().stretch == 1
    each = [[1.0] * int(r) + [0.0] * int(4 - r) for r in seen.here + seen.base]
    drawn = [sum(drawn) for drawn in product(*each)]
    centre = sum(map(sum, each)) / 4
    far = [abs(x - centre) >= abs(float(seen.base.sum()) - centre) - 1e-9 for x in drawn]
    assert pairs_of(seen).p() == pytest.approx(np.mean(far), rel=1e-8)
    one_side = pairs_of(replace(seen, sided=True))
    assert seen.base.sum() > centre
    assert one_side.p() == pytest.approx(2 * np.mean(np.array(drawn) >= seen.base.sum()))


def test_a_loss_of_rare_guesses_says_more_than_its_size() -> None:
    """Of four items, each right in one of ten forms, it is the published one in three."""
    known = [9.0] * 36, [1.0] * 36
    seen = forms([0, 0, 0, 1, *known[0]], [1, 1, 1, 0, *known[1]], 10)
    assert pairs_of(seen).p() == pytest.approx(binom.sf(2, 4, 0.1))
    assert pairs_of(seen).interval()[1] < 0
    before = pairs_of(replace(seen, alike=0))
    assert before.p() > 0.1
    assert before.interval()[0] < 0 < before.interval()[1]


@pytest.mark.parametrize("cluster", [1.0, 2.0])
def test_only_items_on_their_own_and_forms_alike_by_design_have_that_p(cluster: float) -> None:
    seen = forms([0] * 8 + [9] * 32, [1] * 40, 10)
    own = Paired.of(cluster * seen.differences(), np.full(40, cluster), seen)
    assert (own.labels is not None) == (cluster == 1)
    assert forms([0, 1], [1, 0], 2).labels() is None, "McNemar's test"
    assert forms([0, 9], [0, 1], 10).labels() is None, "nothing differs"
    assert forms([], [], 10).labels() is None
    assert replace(seen, alike=0).labels() is None
    assert replace(seen, m=2 * seen.m).labels() is None
    assert minimum_detectable(own) is None


def clustered(seen: Forms, first: np.ndarray) -> Paired:
    """Items that have the same number are one cluster."""
    _, cluster = np.unique(first, return_inverse=True)
    sums = np.bincount(cluster, weights=seen.differences()), np.bincount(cluster) * 1.0
    return Paired.of(*sums, replace(seen, cluster=cluster))


def test_one_copy_among_single_items_leaves_them_their_exact_p() -> None:
    """It took the exact p from all of them: p rose from 6e-8 to .0027."""
    seen = forms([3] * 201, [0] * 12 + [1] * 189, 4)
    alone, copied = pairs_of(seen), clustered(seen, np.maximum(np.arange(201), 1))
    assert pairs_of(replace(seen, cluster=np.arange(201))).p() == alone.p()
    assert alone.p() == pytest.approx(0.25**12, rel=1e-6)
    assert copied.p() == pytest.approx(0.25**11, rel=1e-6), "two that are one"
    assert copied.interval(1 - 1e-5)[1] > copied.interval(1 - 1e-5)[0] > 0


@pytest.mark.parametrize("answered", [[3, 2, 0], [3, 3, 3]])
def test_items_of_a_cluster_are_drawn_together(answered: list[int]) -> None:
    """One form for all of them, in each the right forms first; others on their own."""
    single, right = [1.0] * 9, [2.0, 1.0, 1.0]
    seen = forms([*answered, *single], [1, 0, 0, *[0, 1, 0] * 3], 4)
    right = seen.here + seen.base
    first = np.maximum(np.arange(12) - 2, 0)
    drawn = replace(seen, cluster=first).labels()
    own = np.ones(1)
    for each in right[3:]:
        own = np.convolve(own, [1 - each / 4, each / 4])
    number = np.zeros(13)
    for form in range(4):
        at = int((right[:3] > form).sum())
        number[at : at + len(own)] += own / 4
    centre = right.sum() / 4
    off = np.arange(13) - centre
    assert drawn.deviation == pytest.approx(np.sqrt(number @ off**2))
    far = np.abs(off) >= drawn.off - 1e-9
    assert replace(drawn, stretch=1.0).p == pytest.approx(number[far].sum())


def test_clusters_of_several_that_are_many_keep_the_variance() -> None:
    seen = forms([0] * 8 + [9] * 32, [1] * 40, 10)
    assert clustered(seen, np.maximum(np.arange(40), 2)).labels is not None, "one of three"
    assert clustered(seen, np.maximum(np.arange(40), 4)).labels is None, "one of five: 1.5"
    assert clustered(seen, np.arange(40) // 2).labels is None


def test_a_cluster_of_several_whose_differences_cancel() -> None:
    """More items like these were asked for by a division by 0."""
    seen = forms([3, 0, *[3] * 38], [0, 1, *[1] * 38], 4)
    seen = replace(seen, here=np.where(np.arange(40) == 1, 0, seen.here))
    found = clustered(seen, np.maximum(np.arange(40), 1))
    assert found.labels is not None
    assert found.moments[0].dd == 0
    assert found.p() == 1
    assert found.normal().labels is None
    low, high = found.interval()
    assert low <= 0 <= high


def test_forms_that_differ_in_either_direction_count_for_less() -> None:
    """30 items are right as published alone, 18 in all other forms."""
    seen = forms([0] * 30 + [9] * 18, [1] * 30 + [0] * 18, 10)
    drawn = seen.labels()
    assert replace(drawn, stretch=1.0).p < 1e-5
    assert 0.05 < drawn.p < binomtest(18, 48).pvalue
    assert forms([0] * 30 + [9] * 18, [1] * 48, 10).labels().stretch == 1


def test_what_a_change_takes_from_some_kinds_hides_nothing_of_others() -> None:
    """Of 40 items that are right in five forms of ten the published one is always right: fewer
    speak against the total than expected. Six that are right in all other forms do: as one sum the
    first hid the second."""
    ahead = forms([0] * 10 + [4] * 40, [1] * 50, 10)
    assert ahead.labels().stretch == 1
    both = forms([0] * 10 + [4] * 40 + [9] * 6, [1] * 50 + [0] * 6, 10)
    assert both.labels().stretch > 1.1


def random_forms(rng: np.random.Generator) -> Forms:
    """Some known, some guessed, some recited or lost as published; with replies missing."""
    n, options = int(rng.integers(4, 50)), int(rng.choice([3, 4, 10]))
    known, moved = rng.random(n) < rng.random(), rng.random(n) < rng.choice([0, 0.1, 0.5])
    asked = options - 1 - (rng.random((n, 1)) < rng.choice([0, 0.2]))[:, 0]
    base = np.where(moved, rng.random() < 0.5, known | (rng.random(n) < 1 / options))
    here = np.where(known, asked, rng.binomial(asked, 1 / options))
    return Forms.of(here * 1.0, asked * 1.0, base * 1.0, np.ones(n), options - 1)


def test_p_over_forms_and_intervals_agree_on_random_cells() -> None:
    rng = np.random.default_rng(7)
    seen = [0, 0]
    for number in range(3000):
        forms_of_items = random_forms(rng)
        item = np.arange(len(forms_of_items.m))
        # In half of the studies one or two clusters of several.
        found = clustered(forms_of_items, item - (item < 2 * rng.integers(3)) * (item % 2))
        if number % 2:
            found = pairs_of(forms_of_items)
        within = None
        for alpha in (0.0005, 0.005, 0.05, 0.2):
            p, interval = found.p(), found.interval(1 - alpha)
            if interval is None:
                assert p is None or p >= alpha
                continue
            out = not interval[0] <= 0 <= interval[1]
            assert (p < alpha) == out
            assert interval[0] <= found.estimate <= interval[1]
            if within is not None:
                assert within[0] <= interval[0] + 1e-12
                assert interval[1] <= within[1] + 1e-12
            within = interval
            seen[out] += 1
    assert seen[0] + seen[1] > 10_000
    assert min(seen) > 800


@pytest.mark.parametrize(("options", "know", "n"), [(10, 0.0, 25), (10, 0.6, 40), (5, 0.0, 12)])
def test_guessers_are_not_accused_by_the_rare_items_that_a_set_lacks(
    options: int, know: float, n: int
) -> None:
    rng = np.random.default_rng(options)
    alarms = np.zeros(3)
    n1, once = np.full(n, options - 1.0), np.ones(n)
    for _ in range(400):
        position, known = rng.integers(0, options, n), rng.random(n) < know
        here = np.where(known, 1.0, (position != 0) / n1)
        base = np.where(known, 1.0, position == 0)
        seen = [Forms.of(here * n1, n1, base, once, alike) for alike in (0, options - 1)]
        p = [Paired.of(here - base, once, own).p() for own in (None, *seen)]
        alarms += [x < 0.01 for x in p]
    assert max(alarms[1:]) <= 8 < alarms[0]


def test_a_tiny_difference_changes_little() -> None:
    five = Paired.of(np.array([1.0] * 5 + [0.0] * 35), np.ones(40))
    for least in (1e-6, -1e-6, -1 / 9):
        more = Paired.of(np.array([1.0] * 5 + [least] + [0.0] * 34), np.ones(40))
        assert more.p() > 0.05
        assert more.p() == pytest.approx(five.p(), abs=0.02)


@pytest.mark.parametrize(("size", "n"), [(0.05, 400), (0.02, 1000), (0.1, 100)])
def test_what_is_just_as_large_as_its_size_is_ruled_out_no_more_often_than_stated(
    size: float, n: int
) -> None:
    """All outcomes in one direction, weighted by their chance."""
    seen = np.arange(int(n * size) + 2)
    p = np.ones(len(seen))
    for x in seen:
        pairs = Paired.of((np.arange(n) < x) * -1.0, np.ones(n))
        evidence = Evidence(pairs, "m", "p", PLAIN, "text", "", n, "items", None)
        p[x] = evidence.p_ruled_out("both", 0.0, size)
    for alpha in (0.05, 0.005, 0.0005):
        assert binom.pmf(seen, n, size)[p < alpha].sum() <= alpha
    assert p.min() < 0.01


def test_the_nulls_variance_is_gone_at_the_estimate() -> None:
    """Changes under ten orders, none in the repeat: as wide as if squares were all, beyond it."""
    rng = np.random.default_rng(4)
    here, once = rng.binomial(10, 0.03, 300) / 10, np.ones(300)
    seen = Forms.of(10 * here, 10 * once, 0 * once, once)
    assert seen.noise > 4
    plain, pairs = Paired.of(here, once), Paired.of(here, once, seen)
    assert pairs.interval()[1] == plain.interval()[1]
    assert 0 < pairs.interval()[0] < plain.interval()[0]
    assert pairs.one_way_ends(0.025) == plain.one_way_ends(0.025)
    for level in (0.5, 0.9, 0.99, 0.999, 0.99999):
        low, high = pairs.interval(level)
        assert (pairs.p() < 1 - level) == (not low <= 0 <= high)


def test_more_items_like_these_are_judged_by_the_variance_of_drawing_the_published_form() -> None:
    rng = np.random.default_rng(5)
    others, base = rng.binomial(9, 0.1, 2000) * 1.0, (rng.random(2000) < 0.13) * 1.0
    pilot, whole = (pairs_of(forms(others[:n], base[:n], 10)) for n in (500, 2000))
    more = scaled(pilot, 4, whole.estimate)
    assert more.labels is None
    assert log(more.p()) == pytest.approx(log(whole.p()), rel=0.15)
    assert more.interval() == pytest.approx(whole.interval(), abs=0.005)


def test_items_with_other_numbers_of_orders_have_the_p_of_their_mean_difference() -> None:
    """A model that chooses the first of two or ten options in nine of ten answers. Its right answer
    stands there in .35 and .343 of the items: accuracy changes by -.24 and by .24, on average 0."""
    rng = np.random.default_rng(3)
    alarms, n, studies = np.zeros(2), 200, 200
    for _ in range(studies):
        parts = []
        for k, first in ((2, 0.35), (10, 0.343)):
            chances = np.full((n, k), 0.1 / (k - 1))
            chances[np.arange(n), np.where(rng.random(n) < first, 0, rng.integers(1, k, n))] = 0.9
            right = (rng.random((n, k)) < chances) * 1.0
            others, once = np.full(n, k - 1.0), np.ones(n)
            parts.append(Forms.of(right[:, 1:].sum(axis=1), others, right[:, 0], once, k - 1))
        seen = Forms.united(parts)
        alarms += [pairs_of(own).p() < 0.05 for own in (seen, replace(seen, alike=1))]
    assert (alarms <= 0.06 * studies).all()


def test_replies_lost_in_some_items_alone_move_no_p() -> None:
    """Half of the items keep one other order of nine; their published answers are .1 more often
    right than others, those of the other half .1 less often: .275 of studies had p <= .05, as the
    number of right published answers counts a difference of a half by 1/2, and by 9/10."""
    rng = np.random.default_rng(77)
    n, studies, alarms, exact = 200, 200, 0, 0
    half = np.arange(n) < n // 2
    orders, base = np.where(half, 1, 9), np.where(half, 0.6, 0.4)
    for _ in range(studies):
        here, right = rng.binomial(orders, 1 - base) * 1.0, (rng.random(n) < base) * 1.0
        seen = pairs_of(Forms.of(here, orders * 1.0, right, np.ones(n), 9))
        exact += seen.labels is not None
        alarms += seen.p() <= 0.05
    assert exact == studies
    assert alarms <= 0.09 * studies


def test_each_side_of_rare_answers_has_its_own_chance() -> None:
    """Of ten forms, of which one is right in most items, the number of right published answers is
    skewed: half of a p of both sides was up to 1.3 times the level on the side of the long tail."""
    seen = replace(forms([0.0] * 5 + [1.0] * 20, [1.0] * 5 + [0.0] * 20, 10), sided=True)
    labels = seen.labels()
    assert labels.stretch == 1
    assert labels.p == pytest.approx(2 * binom.sf(4, 25, 0.1))
    few = replace(forms([1.0] * 60, [0.0] * 60, 10), sided=True)
    assert few.labels().p == pytest.approx(2 * 0.9**60)

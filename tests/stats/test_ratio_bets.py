"""Bands of ratios over items like those asked: as wrong as their level allows, at every look."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from horsesense.stats.ratio_bets import Ratio
from horsesense.stats.sequential import Band, Design, ends_of
from studies import too_many

Floats = npt.NDArray[np.float64]
STUDIES = 300


def of_clusters(
    values: Floats, cluster: npt.NDArray[np.intp], delta: float, alpha: float
) -> tuple[float, float]:
    return Ratio(*values, np.ones(len(cluster))).of_clusters(cluster).band(delta, alpha)


def missed(ratio: Ratio, truth: float, alpha: float) -> tuple[bool, bool]:
    """Whether bets on either side ever gave up the truth, at any number of units."""
    return ratio.above(truth, 0.05, alpha), ratio.below(truth, 0.05, alpha)


def test_a_ratio_is_as_wrong_as_its_level_allows_at_every_look() -> None:
    """Choices of one of four positions in four orders, of which some reply is no choice."""
    rng = np.random.default_rng(1)
    wrong = np.zeros(2)
    for _ in range(STUDIES):
        chosen = rng.binomial(4, 0.6, 150)
        hits = rng.binomial(chosen, 0.3).astype(float)
        wrong += missed(Ratio(hits, hits, chosen.astype(float), 4.0), 0.3, 0.1)
    assert not too_many(int(wrong[0]), STUDIES, 0.1)
    assert not too_many(int(wrong[1]), STUDIES, 0.1)
    assert wrong.sum() > 0


def test_items_with_nulls_of_their_own_are_as_wrong_as_the_level_allows() -> None:
    """Guesses among 2 or 10 options: what each adds is moved by its null less the mean of them."""
    rng = np.random.default_rng(2)
    wrong = np.zeros(2)
    for _ in range(STUDIES):
        null = rng.choice([0.5, 0.1], 150)
        mean, weight = float(null.mean()), np.ones(150)
        about = (rng.random(150) < null) + (mean - null)
        lean = float(np.abs(null - mean).max())
        wrong += missed(Ratio(about, about, weight, lean=lean), mean, 0.1)
    assert not too_many(int(wrong[0]), STUDIES, 0.1)
    assert not too_many(int(wrong[1]), STUDIES, 0.1)


def test_differences_are_as_wrong_as_the_level_allows() -> None:
    rng = np.random.default_rng(3)
    wrong = np.zeros(2)
    for _ in range(STUDIES):
        d = rng.choice([-1.0, 0.0, 1.0], 200, p=[0.1, 0.7, 0.2])
        wrong += missed(Ratio(d, d, np.ones(200), least=-1.0), 0.1, 0.1)
    assert not too_many(int(wrong[0]), STUDIES, 0.1)
    assert not too_many(int(wrong[1]), STUDIES, 0.1)


def test_the_band_is_what_bets_at_its_ends_say() -> None:
    rng = np.random.default_rng(4)
    x = (rng.random(200) < 0.6).astype(float)
    ratio = Ratio(x, x, np.ones(200))
    low, high = ratio.band(0.05, 0.01)
    assert low < x.mean() < high
    assert ratio.above(low, 0.05, 0.01)
    assert not ratio.above(low + 0.001, 0.05, 0.01)
    assert ratio.below(high, 0.05, 0.01)
    assert not ratio.below(high - 0.001, 0.05, 0.01)
    assert ratio.within(low - 0.01, np.inf, 0.05, 0.01)
    assert not ratio.within(low + 0.01, np.inf, 0.05, 0.01)
    whole = Band(Design(10**9, 0.05, 0.02), np.linspace(0, 1, 1001)).extend(x).ends()
    assert (low, high) == pytest.approx(whole, abs=0.02)


def test_bets_know_nothing_of_what_comes() -> None:
    """Their size rested on the mean weight of all units, those to come among them."""
    rng = np.random.default_rng(5)
    hits, nothing = rng.binomial(4, 0.3, 60).astype(float), np.zeros(300)
    seen = Ratio(hits, hits, np.full(60, 4.0), 4.0)
    more = np.concatenate([hits, nothing])
    later = Ratio(more, more, np.append(np.full(60, 4.0), nothing), 4.0)
    for alpha in (0.2, 0.05, 0.01):
        assert seen.band(0.05, alpha) == later.band(0.05, alpha)


def test_nothing_seen_leaves_everything_possible() -> None:
    nothing = np.zeros(0)
    assert Ratio(nothing, nothing, nothing).band(0.05, 0.05) == (0.0, 1.0)
    assert Ratio(nothing, nothing, nothing, least=-1.0).band(0.05, 0.05) == (-1.0, 1.0)


def test_copied_answers_are_no_evidence() -> None:
    """Ten texts of 40, right with chance .25 as a whole: of 125 items a share above .25 was found
    in 16 % of studies while each of them counted."""
    rng = np.random.default_rng(11)
    text = np.repeat(np.arange(10), 40)
    wrong = dict.fromkeys(("items", "clusters"), 0)
    for _ in range(60):
        answers, seen = (rng.random(10) < 0.25)[text].astype(float), rng.permutation(400)[:125]
        grid = np.array([0.25, 1.0])
        low, _ = Band(Design(10**9, 0.05, 0.0025), grid).extend(answers[seen]).ends()
        wrong["items"] += low >= 0.25
        said = ends_of(answers[seen])
        low, _ = of_clusters(said, rng.permutation(10)[text[seen]], 0.05, 0.00125)
        wrong["clusters"] += low >= 0.25
    assert wrong["items"] >= 4
    assert wrong["clusters"] == 0


def test_a_band_of_clusters_is_as_wrong_as_its_level_allows() -> None:
    rng = np.random.default_rng(12)
    sizes = rng.choice([1, 2, 8], 60)
    text = np.repeat(np.arange(60), sizes)
    low_missed = high_missed = 0
    widths = []
    for _ in range(300):
        answers = (rng.random(60) < 0.7)[text].astype(float)
        said = ends_of(answers)
        low, high = of_clusters(said, rng.permutation(60)[text], 0.05, 0.1)
        low_missed, high_missed = low_missed + (low > 0.7), high_missed + (high < 0.7)
        widths.append(high - low)
    assert not too_many(low_missed, 300, 0.1)
    assert not too_many(high_missed, 300, 0.1)
    assert np.mean(widths) < 0.5


def test_what_is_missing_in_a_cluster_is_the_worst_for_each_bet() -> None:
    text = np.repeat(np.arange(100), 3)
    answers = np.tile([1.0, 1.0, 0.0], 100)
    some = np.where(np.arange(300) % 9 == 0, np.nan, answers)
    whole = of_clusters(ends_of(answers), text, 0.05, 0.05)
    low, high = of_clusters(ends_of(some, 0.0), text, 0.05, 0.05)
    wrong = ends_of(np.nan_to_num(some))
    assert low == pytest.approx(of_clusters(wrong, text, 0.05, 0.05)[0])
    assert low < whole[0] < 2 / 3 < whole[1] <= high

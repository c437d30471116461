"""What clusters that show nothing could hide, beside others that show something."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from horsesense.findings.evidence import Evidence, Way
from horsesense.stats.hidden import beside_others, counted, hidden, hiding
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from horsesense.trials.condition import PLAIN


def evidence(about: Paired | Shares) -> Evidence:
    return Evidence(about, "", "", PLAIN, "text", "", 1, "items", None)


def ruled_out(lost: list[float], sizes: list[float], way: Way = "below") -> float:
    """p of "at least five points" of a difference in clusters."""
    about = Paired.of(np.array(lost), np.array(sizes))
    return evidence(about).p_ruled_out(way, 0.0, 0.05)


@pytest.mark.parametrize("way", ["below", "both"])
@pytest.mark.parametrize("gained", [0, 1, 2, 5, 20])
def test_single_items_that_gain_do_not_say_what_a_large_text_loses(gained: int, way: Way) -> None:
    """One text of 30 loses with a chance of .72 what makes five points, and is not seen to with
    .28; one single item that gained made p .0035."""
    sizes = [1.0] * 400 + [30.0]
    gains = [1.0] * gained + [0.0] * (401 - gained)
    hidden = (0.05 * 430 + gained) / (30 + 30 * gained / 430)
    assert ruled_out(gains, sizes, way) >= 1 - min(hidden, 1.0) - 1e-9
    assert ruled_out([-d for d in gains], sizes, way) > 0.28


@pytest.mark.parametrize("shape", [(400, 30, 1), (250, 20, 1), (400, 10, 8), (200, 5, 10)])
@pytest.mark.parametrize("rate", [0.002, 0.01])
def test_noise_beside_large_clusters_does_not_rule_out_their_change(
    shape: tuple[int, int, int], rate: float
) -> None:
    """Exactly, where no large cluster is seen to change: five points in all are theirs."""
    small, large, few = shape
    sizes, level = [1.0] * small + [float(large)] * few, 0.0025
    unseen = (1 - 0.05 * sum(sizes) / (large * few)) ** few
    wrong = 0.0
    for up, down in product(range(8), range(8)):
        changes = [1.0] * up + [-1.0] * down + [0.0] * (small - up - down + few)
        chance = unseen * binom.pmf(up, small, rate) * binom.pmf(down, small, rate)
        wrong += chance * (chance > 1e-5 and ruled_out(changes, sizes) <= level)
    assert wrong <= level


@pytest.mark.parametrize("changes", [(4, 0), (4, 3), (1, 0), (0, 2)])
@pytest.mark.parametrize("odd", [3.0, 5.0, 1.0])
def test_one_text_of_another_size_changes_little(changes: tuple[int, int], odd: float) -> None:
    """100 texts of 4, of which one lost or won an item: p was up to 8 times as large."""
    lost, gained = changes
    d = [-1.0] * lost + [1.0] * gained + [0.0] * (100 - lost - gained)
    alike, other = (ruled_out(d, [4.0] * 99 + [last], "both") for last in (4.0, odd))
    assert 0.6 < other / alike < 1.6


def test_few_clusters_hide_at_the_level_and_many_at_its_root() -> None:
    one, many = counted(np.array([1.0] * 400 + [30.0])), counted(np.full(400, 4.0))
    assert hiding(one) == pytest.approx(1.0, abs=0.1)
    assert hiding(many) == pytest.approx(400)
    assert hiding(counted(np.array([1.0] * 200 + [5.0] * 10))) == pytest.approx(10, abs=0.1)
    assert beside_others(one, 0.0025) == hidden(one, 0.0025)
    at = 0.0025 ** ((1 + 10 / 400) / 2)
    assert beside_others(many, 0.0025) == pytest.approx(1 - at ** (1 / 400))
    assert beside_others((), 0.0025) == hidden((), 0.0025) == 0.0


def test_sizes_a_little_unlike_cost_little() -> None:
    """Sizes of 1 to 6: what 240 texts left open was up to twice as much as of texts alike."""
    rng = np.random.default_rng(3)
    sizes = np.resize(np.arange(1.0, 7), 240)
    d = rng.binomial(sizes.astype(int), 0.05) - rng.binomial(sizes.astype(int), 0.05) * 1.0
    uneven = evidence(Paired.of(d, sizes))
    ends = uneven.interval(0.9988, found=False)
    score = uneven.about.interval(0.9988)
    assert ends is not None
    assert score is not None
    assert ends[1] - ends[0] < 1.1 * (score[1] - score[0])


@pytest.mark.parametrize(
    ("sizes", "way", "null", "size", "unseen"),
    [
        ([1.0] * 400 + [30.0], "above", 0.01, 0.04, 0.283),
        ([1.0] * 2000 + [150.0], "above", 1 / 256, 0.05, 0.227),
        ([1.0] * 400 + [10.0] * 8, "above", 0.01, 0.04, 0.0576),
        ([1.0] * 200 + [5.0] * 10, "above", 0.01, 0.04, 0.0563),
        ([1.0] * 400 + [50.0], "below", 0.95, 0.05, 0.1),
    ],
)
def test_large_clusters_could_hide_the_hits_that_a_share_lacks(
    sizes: list[float], way: Way, null: float, size: float, unseen: float
) -> None:
    """Nothing seen: p is at least the chance to see none of a share just as large as matters; it
    was .0002 to .0039. One hit of a single item does not make it less."""
    m = np.array(sizes)
    x = m if way == "below" else 0 * m
    for k in (0, 1):
        x[:k] = 1 - x[:k]
        e = evidence(Shares.of(x, m))
        assert e.p_ruled_out(way, null, size) >= unseen * 0.99


@pytest.mark.parametrize(
    ("sizes", "guess"),
    [
        ([1.0] * 1500 + [100.0] * 5, 0.25),
        ([1.0] * 500 + [50.0] * 4, 0.25),
        ([1.0] * 40, 0.402),  # agreement over 24 orders of four options
    ],
)
def test_who_is_seen_to_guess_may_know_what_was_not_drawn(sizes: list[float], guess: float) -> None:
    """Large texts, or a few items, known as wholes make up five points; p of "no better than
    guessing" is at least the chance that none of them is drawn. It was below .001."""
    m = np.array(sizes)
    known = 0.05 / (1 - guess) * m.sum() / m[m == m.max()].sum()
    unseen = (1 - known) ** (m == m.max()).sum()
    about = Shares.of(m * (guess + 0.05 * (-1.0) ** np.arange(len(m))), m)
    assert evidence(about).p_found("lacks", about.estimate, 0.05) >= unseen * 0.99


def test_a_difference_far_beyond_its_size_is_not_ruled_out_whatever_the_prompts() -> None:
    """65 items in prompts of two: next to level 1 the last hid nothing: a division by 0."""
    items = np.arange(65)
    rng = np.random.default_rng(4)
    before = (rng.random(65) < 0.8).astype(float)
    after = np.where(rng.random(65) < 0.4, 0.0, before)
    pair = Paired.two_way(after - before, items, items // 2, None, -before[:, None])
    assert evidence(pair).value < -0.2
    assert evidence(pair).p_ruled_out("both", 0.0, 0.05) == 1.0

"""Deciding early: whether every wrong decision is as rare as its budget says, at every look."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.stats.sequential import (
    BANDS,
    CANNOT_TELL,
    DOWN,
    LARGE,
    LARGEST_LOSS,
    OPEN,
    RULED_OUT,
    SMALL,
    UP,
    Band,
    Decision,
    Design,
    Spread,
    _Past,
    band,
    in_random_order,
    with_band,
)
from horsesense.stats.sequential_cost import forecast
from studies import too_many

STUDIES = 2000
ALPHA = 0.05


def population(units: int, effect: float, discordance: float) -> np.ndarray:
    """Differences of right and wrong answers with exactly this effect."""
    changed = max(discordance, abs(effect))
    up, down = (round(units * (changed + sign * effect) / 2) for sign in (1, -1))
    return np.concatenate([np.ones(up), -np.ones(down), np.zeros(units - up - down)])


def shuffled(d: np.ndarray, studies: int, seed: int) -> np.ndarray:
    """The same units in a new random order in each study."""
    return np.random.default_rng(seed).permuted(np.tile(d, (studies, 1)), axis=1)


def decided(d: np.ndarray, effect_of_interest: float = 0.05, alpha: float = ALPHA) -> Decision:
    return Decision(Design(d.shape[1], effect_of_interest, alpha), len(d)).extend(d)


@pytest.mark.parametrize("discordance", [0.1, 0.4])
@pytest.mark.parametrize(
    ("effect", "right"),
    [(0.0, RULED_OUT), (0.04, RULED_OUT), (0.05, UP), (0.06, UP), (-0.05, DOWN), (-0.3, DOWN)],
)
def test_wrong_decisions_are_rarer_than_their_budget(
    effect: float, right: int, discordance: float
) -> None:
    found = decided(shuffled(population(200, effect, discordance), STUDIES, seed=1))
    wrong = int((found.code != right).sum())
    assert not too_many(wrong, STUDIES, ALPHA)
    assert set(found.code) <= {RULED_OUT, UP, DOWN, CANNOT_TELL}


def test_a_difference_of_another_kind_than_right_and_wrong() -> None:
    """Means over orders are skewed and not whole; the bound lies just above the effect."""
    rng = np.random.default_rng(2)
    d = np.clip(rng.gamma(0.3, 0.5, 300), 0, 1)
    d += 0.0495 - d.mean()
    found = decided(shuffled(d, STUDIES, seed=3))
    assert not too_many(int((found.code != RULED_OUT).sum()), STUDIES, ALPHA)


def test_the_budget_is_used() -> None:
    """A test that never errs would ask too much: at the boundary a good part is spent."""
    found = decided(shuffled(population(2000, 0.0495, 0.4), STUDIES, seed=4))
    assert (found.code == UP).mean() > 0.2 * ALPHA


def test_the_end_tells_the_truth() -> None:
    for effect, right in ((0.05, UP), (0.049, RULED_OUT), (-0.05, DOWN), (-0.049, RULED_OUT)):
        d = shuffled(population(1000, effect, 0.2), 50, seed=5)
        assert (decided(d, alpha=1e-9).code == right).all()


@pytest.mark.parametrize("bets", [BANDS, LARGE, SMALL])
@pytest.mark.parametrize("side", [1, -1])
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=3, max_size=60),
    st.integers(1, 40),
)
def test_every_bet_is_fair(bets: Spread, side: int, values: list[float], seen: int) -> None:
    """Whatever came so far: over what may come next, a stake of 1 is worth 1 if the null holds."""
    d = np.array(values)
    seen = min(seen, len(d) - 2)
    past = _Past.none(Design(len(d), 0.05, ALPHA), len(d) - seen)
    past.look(np.tile(d[:seen], (len(d) - seen, 1)))
    factors = past.look(d[seen:, None]).factors(float(d.mean()), side, bets)
    assert sum(bets.shares) == pytest.approx(1)
    assert len(factors) == len(bets.shares)
    for factor in factors:
        assert factor.mean() == pytest.approx(1)
        assert factor.min() >= 1 - LARGEST_LOSS - 1e-9


def test_what_lies_near_the_size_does_not_take_everything() -> None:
    """Bets on large effects alone never told 4 points from 5: with .6 of the smallest size as the
    least, this took .88 of the items, and with .4 of it .72."""
    d = shuffled(population(14_042, 0.04, 0.1), 40, seed=20)
    assert decided(d, alpha=0.004).at.mean() < 0.62 * 14_042


def test_a_sum_that_chance_may_have_moved_is_hardly_bet_on() -> None:
    """One change of ten items says little about the side, and most was bet on it."""
    past = _Past.none(Design(1000, 0.05, ALPHA), 1)
    past.look(np.array([[-1.0] + [0.0] * 9]))
    plain = Spread(SMALL.sizes, SMALL.shares)
    ahead = past.look(np.ones((1, 1)))
    timid, bold = (ahead.factors(-0.05, -1, bets) for bets in (SMALL, plain))
    assert all(1 - a < 0.75 * (1 - b) for a, b in zip(timid, bold, strict=True))


def test_a_large_effect_is_bet_on_as_such() -> None:
    """Once it is sure, no size that was fixed beforehand is the most that is bet on."""
    past = _Past.none(Design(14_042, 0.05, ALPHA), 1)
    past.look(np.array([[1.0, 0.0, 1.0] * 20]))
    plain = Spread(LARGE.sizes, LARGE.shares)
    ahead = past.look(np.ones((1, 1)))
    sure, sizes = (ahead.factors(-0.05, 1, bets) for bets in (LARGE, plain))
    assert min(sure) > 1.4
    assert max(sizes) < 1.3


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.2])
def test_the_band_contains_the_effect_at_all_looks_together(effect: float) -> None:
    design = Design(200, 0.05, 0.1)
    missed = 0
    for d in shuffled(population(200, effect, 0.4), 300, seed=6):
        # A running intersection: what the last look leaves, every look has left.
        low, high = Band(design).extend(d[:150]).ends()
        missed += not low <= effect <= high
    assert not too_many(missed, 300, 0.1)


def test_a_band_narrows_and_ends_at_the_effect() -> None:
    d = shuffled(population(400, 0.1, 0.4), 1, seed=7)[0]
    design = Design(400, 0.05, 0.05)
    bands = [band(d[:n], design) for n in (0, 50, 100, 200, 399, 400)]
    assert bands[0] == (-1, 1)
    assert all(a <= b and c >= e for (a, c), (b, e) in pairwise(bands))
    assert bands[-1] == pytest.approx((0.1, 0.1), abs=1e-9)


def test_a_band_agrees_with_a_grid_of_its_own() -> None:
    d = shuffled(population(400, 0.1, 0.4), 1, seed=8)[0][:200]
    design = Design(400, 0.05, 0.05)
    grid = np.linspace(-1, 1, 4001)
    assert band(d, design) == pytest.approx(Band(design, grid).extend(d).ends(), abs=6e-4)


def test_a_band_is_cut_to_the_decision() -> None:
    d = shuffled(population(400, 0.2, 0.4), 1, seed=9)[0][:60]
    code, low, high = with_band(UP, d, Design(400, 0.05, 0.05))
    assert (code, low) == (UP, 0.05)
    assert high == band(d, Design(400, 0.05, 0.05))[1]


def test_what_is_certain_is_not_inferred() -> None:
    """5.6 points, all of them in the last items: the mean was known, and "ruled out" stayed."""
    design = Design(1000, 0.05, ALPHA)
    d = np.concatenate([np.zeros(944), np.ones(56)])[None]
    decision = Decision(design).extend(d)
    assert (decision.code[0], decision.told) == (RULED_OUT, (UP, 997))
    assert with_band(UP, d[0], design) == pytest.approx((UP, 0.056, 0.056), abs=1e-12)
    parts = Decision(design)
    for start in range(0, 1000, 25):
        parts.extend(d[:, start : start + 25])
    assert parts.told == decision.told
    parts.keep(np.array([True]))
    assert parts.told == decision.told


def test_a_band_beyond_the_decision_is_no_point() -> None:
    """Nothing at first, and then changes alone: both say so, and one of them is wrong."""
    design = Design(1000, 0.05, ALPHA)
    late = np.concatenate([np.zeros(400), np.ones(250)])
    assert Decision(design).extend(late[None]).told[0] == RULED_OUT
    assert Band(design).extend(late).empty
    told, low, high = with_band(RULED_OUT, late, design)
    assert told == CANNOT_TELL
    assert (low, high) == pytest.approx(((250 - 350) / 1000, (250 + 350) / 1000))
    beyond = population(200, 0.3, 0.3)[:50]
    low, high = band(beyond, Design(200, 0.05, ALPHA))
    assert low > 0.05
    assert with_band(RULED_OUT, beyond, Design(200, 0.05, ALPHA)) == (CANNOT_TELL, low, high)
    assert with_band(UP, d := np.ones(10), Design(10, 0.05, ALPHA)) == (UP, d.mean(), d.mean())


def test_decisions_fall_inside_a_batch() -> None:
    d = shuffled(population(1000, 0.3, 0.3), 1, seed=10)
    whole = decided(d)
    at = int(whole.at[0])
    part = Decision(whole.design).extend(d[:, : at - 1])
    assert part.code[0] == OPEN
    assert part.extend(d[:, at - 1 : at + 40]).code[0] == UP
    assert part.at[0] == at


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0, np.nan]), min_size=1, max_size=200),
    st.lists(st.integers(1, 90), max_size=8),
    st.integers(0, 100),
)
def test_looking_in_batches_is_looking_once(
    values: list[float], sizes: list[int], left: int
) -> None:
    """Resuming is replaying: where a look falls changes nothing."""
    d = np.array([values])
    design = Design(len(values) + left, 0.1, 0.05)
    once, again = Decision(design).extend(d), Decision(design)
    start = 0
    for size in [*sizes, len(values)]:
        again.extend(d[:, start : start + size])
        start = min(start + size, len(values))
    assert (once.code[0], once.at[0], once.seen) == (again.code[0], again.at[0], again.seen)
    whole = Band(design).extend(d[0]).ends()
    assert whole == Band(design).extend(d[0][:7]).extend(d[0][7:]).ends()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=1, max_size=150), st.data())
def test_up_and_down_are_the_same(values: list[float], data: st.DataObject) -> None:
    design = Design(len(values) + data.draw(st.integers(0, 50)), 0.1, 0.05)
    one, other = (Decision(design).extend(sign * np.array([values])) for sign in (1.0, -1.0))
    swapped = {UP: DOWN, DOWN: UP}
    assert swapped.get(int(one.code[0]), one.code[0]) == other.code[0]
    assert one.at[0] == other.at[0]


def missing_some(d: np.ndarray, share: float, seed: int) -> np.ndarray:
    gone = np.random.default_rng(seed).random(d.shape) < share
    return np.where(gone, np.nan, d)


def test_missing_answers_only_lower_wealth() -> None:
    d = shuffled(population(1000, 0.12, 0.3), 200, seed=11)
    whole, some = decided(d), decided(missing_some(d, 0.02, seed=12))
    assert (some.at >= whole.at).mean() > 0.97
    assert some.at.mean() > whole.at.mean()


@pytest.mark.parametrize("keep", [1.0, -1.0])
def test_missing_answers_that_favour_one_side_mislead_nobody(keep: float) -> None:
    """Half of all changes in one direction are lost: no other decision may come of it."""
    d = shuffled(population(200, 0.04 * keep, 0.2), STUDIES, seed=13)
    lost = (d == -keep) & (np.random.default_rng(14).random(d.shape) < 0.5)
    found = decided(np.where(lost, np.nan, d))
    wrong = int(((found.code == UP) | (found.code == DOWN)).sum())
    assert not too_many(wrong, STUDIES, ALPHA)


def test_what_is_missing_at_the_end_cannot_be_told() -> None:
    d = shuffled(population(100, 0.05, 0.1), 1, seed=15)
    d[0, :30] = np.nan
    assert decided(d).kind == "cannot_tell"


@pytest.mark.parametrize(("net", "right"), [(30, UP), (29, RULED_OUT)])
def test_clusters_mislead_nobody(net: int, right: int) -> None:
    """Of 600 items in clusters of 1 to 8 that change as wholes, 30 are 5 points: items are drawn
    one by one, the target is the mean over all of them, and no cluster is asked for."""
    sizes = np.tile([8, 1, 5, 2, 3, 1], 30)
    up = sizes.cumsum() <= 90
    down = (sizes.cumsum() > 90) & (sizes.cumsum() <= 90 + 60)
    d = np.repeat(up.astype(float) - down, sizes)
    d[np.flatnonzero(d == 0)[: net - int(d.sum())]] = 1
    assert d.sum() == net
    found = decided(shuffled(d, STUDIES, seed=16))
    assert not too_many(int((found.code != right).sum()), STUDIES, ALPHA)


@pytest.mark.parametrize(("effect", "right"), [(0.05, UP), (0.045, RULED_OUT), (-0.05, DOWN)])
def test_what_is_partly_known_is_bounded(effect: float, right: int) -> None:
    """One answer of three lost, of every second unit that fell: the rest of it counts."""
    d = shuffled(population(400, effect, 0.3), STUDIES, seed=18)
    lost = (np.random.default_rng(19).random(d.shape) < 0.5) & (d < 0)
    partly = np.stack([d, np.where(lost, d + 1 / 3, d)])
    found = Decision(Design(400, 0.05, ALPHA), STUDIES).extend(partly)
    wrong = np.isin(found.code, [OPEN, CANNOT_TELL, right], invert=True)
    assert not too_many(int(wrong.sum()), STUDIES, ALPHA)
    every = d[0], partly[:, 0], np.where(lost, np.nan, d)[0]
    whole, bounds, unknown = (band(x, Design(500, 0.05, ALPHA)) for x in every)
    assert unknown[0] == bounds[0] == whole[0]
    assert whole[1] < bounds[1] < unknown[1]


@pytest.mark.parametrize("wrong", [1.2, -1.5])
def test_a_difference_that_is_none_is_refused(wrong: float) -> None:
    """Bets on it were lost or won as if it were one, and their error rate was gone."""
    design = Design(10, 0.05, ALPHA)
    with pytest.raises(ValueError, match="between -1 and 1"):
        Decision(design).extend(np.array([[0.0, wrong]]))
    with pytest.raises(ValueError, match="between -1 and 1"):
        Band(design).extend(np.array([0.0, wrong]))
    Decision(design).extend(np.array([[np.nan, 1.0, -1.0]]))


def test_studies_that_go_on_are_not_disturbed_by_those_that_stop() -> None:
    d = shuffled(population(1000, 0.1, 0.3), 20, seed=18)
    whole, part = decided(d[:, :600]), decided(d)
    part = Decision(whole.design, 20).extend(d[:, :300])
    chosen = np.arange(20) % 3 == 0
    part.keep(chosen)
    part.extend(d[chosen, 300:600])
    assert part.code.tolist() == whole.code[chosen].tolist()
    assert part.at.tolist() == whole.at[chosen].tolist()


def test_more_units_than_there_are() -> None:
    with pytest.raises(ValueError, match="more than 10 units"):
        Decision(Design(10, 0.05, 0.05)).extend(np.zeros((1, 11)))


def test_the_order_is_that_of_the_hashes() -> None:
    ids = [f"q{i}" for i in range(50)]
    ordered = in_random_order(ids, 7)
    hashes = [sha256(f"7|{name}".encode()).hexdigest() for name in ordered]
    assert hashes == sorted(hashes)
    assert in_random_order(list(reversed(ids)), 7) == ordered
    assert in_random_order(ids, 8) != ordered


@pytest.mark.parametrize(
    ("effect", "discordance"), [(0.0, 0.2), (0.1, 0.2), (0.2, 0.2), (0.3, 0.3)]
)
def test_a_forecast_is_near_what_happens(effect: float, discordance: float) -> None:
    design = Design(1000, 0.05, 0.005)
    found = decided(shuffled(population(1000, effect, discordance), 200, seed=19), alpha=0.005)
    expected = forecast(effect, discordance, design, looks=25)
    asked = np.ceil(found.at / 25) * 25
    assert expected == pytest.approx(asked.mean(), rel=0.15)
    assert forecast(0.05, 0.2, design) == 1000

"""The share known: closed forms, simulated truths, and refusal where the classes do not fit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom, binomtest

from horsesense.stats.known import ProfileInterval, profile_interval, share_known
from horsesense.stats.known_classes import Fit, closed_form, described, fitted, patterns

FLAT = (0.25,) * 4
BIASED = (0.7, 0.1, 0.1, 0.1)


def fit(table: npt.NDArray[np.int64]) -> Fit:
    data = patterns(table)
    return described(data, fitted(data))


def choices(
    n: int,
    seed: int,
    known: float,
    bias: tuple[float, ...],
    *,
    believed: float = 0.0,
    slip: float = 0.0,
) -> npt.NDArray[np.int64]:
    """Positions chosen where the right option stands at h, written apart from the module."""
    rng = np.random.default_rng(seed)
    k = len(bias)
    cumulated = np.cumsum(bias)
    rows = []
    for _ in range(n):
        kind = rng.random()
        if kind >= known + believed:
            rows.append(cumulated.searchsorted(rng.random(k) * cumulated[-1], side="right"))
            continue
        shift = 0 if kind < known else rng.integers(1, k)
        row = (np.arange(k) + shift) % k
        for h in np.flatnonzero(rng.random(k) < slip):
            row[h] = rng.choice([j for j in range(k) if j != row[h]])
        rows.append(row)
    return np.array(rows)


class TestClosedForms:
    def test_all_right_is_all_known(self) -> None:
        found = share_known(np.tile(np.arange(4), (100, 1)))
        assert found.value == pytest.approx(1, abs=1e-9)
        assert found.high == 1
        # The likelihood alone would end at .981, which is missed in a tenth of studies of .96.
        assert found.low == pytest.approx(0.025 ** (1 / 100), abs=1e-9)
        assert "could not be checked" in found.reason
        assert "takes 20 of these 100 items that are wrong in some order" in found.reason

    def test_few_items_hardly_check_the_fit(self) -> None:
        """Answers right in each form with a chance of the item's own may pass for known."""
        four = choices(400, 4, 0.4, BIASED)
        assert share_known(four[:399], draws=59).reason.startswith("399 items are too few to check")
        assert share_known(four, draws=59).reason == ""

    def test_fewer_than_a_thousand_items_of_three_options_tell_nothing(self) -> None:
        """400 were answered with a caution, and wrongly for models that are half sure."""
        three, four = choices(1000, 4, 0.4, (1 / 3,) * 3), choices(400, 4, 0.4, BIASED)
        few = share_known(three[:999], draws=59)
        assert (few.value, few.rare) == (None, ((3, 999),))
        assert "1,000 if that number is three" in few.reason
        enough = share_known(three, draws=59)
        assert enough.value == pytest.approx(0.4, abs=0.05)
        assert enough.reason == ""
        both = share_known({3: three[:999], 4: four}, draws=59)
        assert (both.n, both.rare, both.reason) == (400, ((3, 999),), "")

    def test_always_one_position_is_nothing_known(self) -> None:
        found = share_known(np.full((100, 4), 2))
        assert found.value == pytest.approx(0, abs=1e-3)
        assert found.low == 0
        assert found.fits[0].bias[2] == pytest.approx(1, abs=1e-6)

    def test_without_slips_the_fit_is_the_closed_form(self) -> None:
        """Guesses drawn so that no wrong content repeats throughout: b and e stay at 0."""
        data = choices(2000, 5, 0.5, BIASED)
        p, q = closed_form(patterns(data))
        found = fit(data)
        assert found.known == pytest.approx(p, abs=0.004)
        assert found.bias == pytest.approx(q, abs=0.01)
        assert found.slip < 0.003

    def test_closed_form_satisfies_its_equations(self) -> None:
        data = choices(500, 6, 0.4, BIASED)
        p, q = closed_form(patterns(data))
        luck = q.prod()
        right = (data == np.arange(4)).all(axis=1)
        assert p == pytest.approx((right.mean() - luck) / (1 - luck))
        chosen = np.bincount(data[~right].ravel(), minlength=4)
        expected = chosen + (~right).sum() * luck / (1 - luck)
        assert q == pytest.approx(expected / expected.sum(), abs=1e-9)

    def test_no_end_is_nearer_than_that_of_a_binomial_share(self) -> None:
        """With a bias to one position, luck is nil: p is a binomial share, whose likelihood has
        nearer ends than Clopper and Pearson's."""
        data = np.array([[0, 1, 2, 3]] * 60 + [[0, 0, 0, 0]] * 40)
        found = share_known(data, draws=0)

        exact = binomtest(60, 100).proportion_ci(0.95)
        assert found.value == pytest.approx(0.6, abs=1e-3)
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=2e-3)

    @pytest.mark.thorough
    @pytest.mark.parametrize("known", [0.93, 0.955, 0.98])
    def test_few_items_of_which_nearly_all_are_known_are_covered(self, known: float) -> None:
        """By the likelihood alone .89 of such studies were: every number of unknown items."""
        n = 52
        ends = []
        for unknown in range(15):
            rows = [[0, 1, 2, 3]] * (n - unknown) + [[0, 0, 0, 0]] * unknown
            found = share_known(np.array(rows), draws=0)
            ends.append(found.low <= known <= found.high)
        chances = binom.pmf(np.arange(15), n, 1 - known)
        assert np.sum(chances * ends) + 1 - chances.sum() >= 0.95

    def test_the_order_of_items_changes_nothing(self) -> None:
        data = choices(200, 7, 0.5, FLAT, believed=0.1, slip=0.02)
        assert fit(data) == fit(data[::-1])
        assert share_known(data, seed=3, draws=9) == share_known(data, seed=3, draws=9)


class TestTruths:
    STUDIES = 24

    @pytest.mark.thorough
    @pytest.mark.parametrize(("known", "bias"), [(0.0, BIASED), (0.6, BIASED), (0.9, FLAT)])
    def test_interval_covers_and_value_is_near(self, known: float, bias: tuple[float, ...]) -> None:
        """The whole grid: benchmarks/known_coverage.py."""
        found = [
            share_known(choices(400, 1000 * study + int(10 * known), known, bias), draws=0)
            for study in range(self.STUDIES)
        ]
        given = [f for f in found if f.value is not None]
        assert len(given) >= 0.7 * self.STUDIES
        # Fewer have a chance of .003 at a coverage of .95.
        held = sum(f.low - 1e-6 <= known <= f.high + 1e-6 for f in given)
        assert held >= binom.ppf(0.003, len(given), 0.95)
        mean = float(np.mean([f.value for f in given]))
        error = np.sqrt(max(known * (1 - known), 0.004) / 400 / len(given))
        assert abs(mean - known) < 4 * error + 0.001

    def test_misbeliefs_and_slips_are_told_from_knowing(self) -> None:
        found = fit(choices(4000, 3, 0.5, BIASED, believed=0.2, slip=0.03))
        assert found.known == pytest.approx(0.5, abs=0.03)
        assert found.misbelieved == pytest.approx(0.2, abs=0.03)
        assert found.slip == pytest.approx(0.03, abs=0.006)
        assert found.bias == pytest.approx(BIASED, abs=0.03)

    def test_two_numbers_of_options_are_weighed_by_items(self) -> None:
        tables = {4: choices(300, 1, 0.8, FLAT), 5: choices(100, 2, 0.2, (0.4, 0.2, 0.2, 0.1, 0.1))}
        found = share_known(tables, draws=0)
        assert found.n == 400
        assert [f.k for f in found.fits] == [4, 5]
        expected = sum(f.n * f.known for f in found.fits) / 400
        assert found.value == pytest.approx(expected)
        assert found.low < 0.65 < found.high
        assert found.high - found.low < 0.14

    def test_clusters_widen_the_interval(self) -> None:
        data = choices(400, 1, 0.5, FLAT)
        copies = np.repeat(data, 4, axis=0)
        names = np.repeat(np.arange(400), 4)
        once, apart = share_known(data, draws=0), share_known(copies, draws=0)
        together = share_known(copies, draws=0, clusters=names)
        wide, half, same = (f.high - f.low for f in (once, apart, together))
        assert half == pytest.approx(wide / 2, rel=0.1)
        assert same == pytest.approx(wide, rel=0.05)
        assert together.design_effect == pytest.approx(4, rel=0.05)

    def test_one_cluster_tells_nothing(self) -> None:
        found = share_known(choices(60, 1, 0.5, FLAT), draws=0, clusters=np.zeros(60))
        assert found.value is None
        assert "too few independent" in found.reason

    def test_copies_do_not_refuse_what_fits(self) -> None:
        """Copied answers look like a misfit, unless it is said that they are copies."""
        data = np.repeat(choices(100, 2, 0.5, BIASED), 4, axis=0)
        names = np.repeat(np.arange(100), 4)
        alone, told = (share_known(data, clusters=c).p_value for c in (None, names))
        assert told > 0.05
        assert told > 2 * alone


class TestRefusal:
    @pytest.mark.thorough
    def test_first_token_unlike_the_text_in_a_tenth_is_refused(self) -> None:
        """In a tenth of the forms the first token is another position than what is said."""
        refused = 0
        for study in range(10):
            rng = np.random.default_rng(study)
            said = choices(400, 50 + study, 0.6, FLAT)
            other = (said + rng.integers(1, 4, said.shape)) % 4
            first = np.where(rng.random(said.shape) < 0.1, other, said)
            refused += share_known(first, draws=99).value is None
        assert refused >= 8

    @pytest.mark.slow
    def test_what_fits_is_seldom_refused(self) -> None:
        each = (choices(400, 70 + s, 0.6, BIASED, slip=0.02) for s in range(20))
        assert sum(share_known(one, draws=99).value is None for one in each) <= 4

    def test_two_options_tell_nothing(self) -> None:
        found = share_known(np.tile([0, 1], (100, 1)))
        assert found.value is None
        assert found.reason.startswith("with two options")

    def test_rare_numbers_of_options_are_left_out_by_name(self) -> None:
        """However many they are: the estimate is that of the others alone, and says so."""
        four = choices(60, 1, 0.5, FLAT)
        rare = {3: np.tile([0, 1, 2], (10, 1)), 2: np.tile([0, 1], (40, 1))}
        found, alone = share_known({4: four, **rare}), share_known(four)
        assert (found.n, found.unclear, found.rare) == (60, 0, ((2, 40), (3, 10)))
        assert (alone.n, alone.rare) == (60, ())
        assert (found.value, found.low, found.high) == (alone.value, alone.low, alone.high)

    def test_nothing_is_left_to_fit_where_every_number_is_rare(self) -> None:
        found = share_known({3: np.tile([0, 1, 2], (29, 1)), 2: np.tile([0, 1], (40, 1))})
        assert found.value is None
        assert "takes 30 items with the same number of options" in found.reason
        assert found.rare == ((2, 40), (3, 29))

    def test_unclear_items_refuse_above_one_in_twenty(self) -> None:
        data = choices(95, 1, 0.5, FLAT)
        assert share_known(data, unclear=5, draws=0).value is not None
        found = share_known(data, unclear=6, draws=0)
        assert found.value is None
        assert "6 of 101" in found.reason

    def test_choices_outside_the_options_are_an_error(self) -> None:
        with pytest.raises(ValueError, match="from 0 to k - 1"):
            patterns([[0, 4, 1, 2]])


def test_intervals_of_several_profiles_agree_with_one() -> None:
    share = np.linspace(0, 1, 4001)
    one = ProfileInterval(share, ((share - 0.5) / 0.05) ** 2)
    assert profile_interval([one], [1.0], 3.84) == pytest.approx((0.402, 0.598), abs=1e-3)
    # Two independent means of the same spread: theirs is smaller by the root of 2.
    reach = 0.05 * 3.84**0.5 / 2**0.5
    assert profile_interval([one, one], [0.5, 0.5], 3.84) == pytest.approx(
        (0.5 - reach, 0.5 + reach), abs=1e-3
    )


def test_no_number_of_items_checks_two_options() -> None:
    """It was "too few items ..., which takes 30 ... where that is 4 or more, and 1,000 where 3"."""
    rows = choices(2000, 1, 0.6, (0.5, 0.5))
    assert share_known(rows, draws=0).reason.endswith("however many items there are")
    four = choices(10, 1, 0.6, FLAT)
    assert "takes 30" in share_known({2: rows, 4: four}, draws=0).reason


@pytest.mark.parametrize("shape", [(2.0, 1.0), (1.0, 1.0)])
def test_no_share_is_given_where_knowledge_by_degrees_fits_as_well(
    shape: tuple[float, float],
) -> None:
    rng, refused = np.random.default_rng(1), []
    for _ in range(8):
        right = rng.random((200, 4)) < rng.beta(*shape, 200)[:, None]
        wrong = (np.arange(4) + rng.integers(1, 4, (200, 4))) % 4
        found = share_known(np.where(right, np.arange(4), wrong), draws=0)
        refused.append(found.value is None)
    assert np.mean(refused) > 0.8

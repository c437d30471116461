"""Choices of a position against the positions relabelled within items."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import multinomial

from cells import cell_of
from horsesense.findings.evidence import Evidence
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES
from horsesense.stats.paired import Paired
from horsesense.stats.positions import preference
from horsesense.trials.condition import Condition


def preferred(counts: list[list[int]], cluster: list[int] | None = None, place: int = 0) -> Paired:
    """Of items that have as many options as the counts of their rows."""
    width = max(map(len, counts))
    choices = np.array([[*row, *[0] * (width - len(row))] for row in counts], float)
    trials = np.array([[sum(row)] * len(row) + [0] * (width - len(row)) for row in counts], float)
    options = np.array([len(row) for row in counts])
    even = (trials / options[:, None]).sum(axis=0) / trials.sum(axis=0)
    about = choices + (even - 1 / options[:, None]) * trials
    own = np.arange(len(counts)) if cluster is None else np.array(cluster)
    return preference(about, trials, own, place)


def above(about: Paired) -> float:
    e = Evidence(about, "m", "order", Condition(), "text", "A", 0, "trials", about.centre)
    return e.p_found("above", about.centre, 0.05)


def drawn(rng: np.random.Generator, n: int, know: float, prior: list[float]) -> np.ndarray:
    """Choices of each position over all shifts, (items, positions)."""
    k = len(prior)
    guess = rng.choice(k, size=(n, k), p=np.array(prior) / sum(prior))
    at = np.where(rng.random((n, 1)) < know, np.arange(k), guess)
    return np.stack([(at == place).sum(axis=1) for place in range(k)], axis=1)


def best(counts: np.ndarray, place: int = 0) -> float:
    """Chance of as many choices, or more, one item after the other."""
    chance = np.ones(1)
    for row in counts:
        chance = np.convolve(chance, np.bincount(row) / len(row))
    return float(chance[int(counts[:, place].sum()) :].sum())


def test_p_is_that_of_every_way_to_relabel_the_positions() -> None:
    counts = [[1, 1, 1, 1], [3, 0, 1, 0], [2, 1, 1, 0], [2, 2, 0, 0], [4, 0, 0, 0], [1, 1, 2, 0]]
    seen = sum(row[0] for row in counts)
    share = np.mean([sum(one) >= seen for one in product(*counts)])
    assert above(preferred(counts)) == pytest.approx(share, rel=1e-9)
    assert preferred(counts).p() == pytest.approx(2 * share, rel=1e-9)
    assert preferred(counts).estimate == pytest.approx(seen / 24)


def test_missing_replies_and_other_numbers_of_options_are_relabelled_among_themselves() -> None:
    counts = [[1, 1], [2, 0], [2, 0, 0], [1, 0, 1, 0], [2, 1, 0, 1], [3, 0, 0, 1], [0, 0, 1]]
    seen = sum(row[0] for row in counts)
    drawn_rows = product(*([row[i * len(row) // 12] for i in range(12)] for row in counts[:-1]))
    last = counts[-1]
    share = np.mean([sum(one) + x >= seen for one in drawn_rows for x in last])
    assert above(preferred(counts)) == pytest.approx(share, rel=1e-9)
    # Of C, those that lack it say nothing.
    alone = preferred(counts[2:], place=2)
    both = preferred(counts, place=2)
    assert (both.estimate, both.p()) == pytest.approx((alone.estimate, alone.p()))
    assert both.interval() == pytest.approx(alone.interval())


def test_items_of_a_cluster_are_relabelled_together() -> None:
    counts = [[3, 0, 1, 0], [2, 1, 1, 0], [2, 2, 0, 0], [1, 1, 1, 1], [3, 1, 0, 0]]
    twice = preferred([row for row in counts for _ in range(2)], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert above(twice) == pytest.approx(above(preferred(counts)), rel=1e-9)
    # With other numbers of options, by the same quantile: as many as possible at once.
    mixed = [[2, 0], [2, 0, 0], *counts]
    own = preferred(mixed, [0, 0, 1, 2, 3, 4, 5])
    sums = [(4, 2 / 6), (2, 1 / 6), (0, 3 / 6)]
    seen = 4 + sum(row[0] for row in counts)
    chance = sum(p * np.mean([x + sum(one) >= seen for one in product(*counts)]) for x, p in sums)
    assert above(own) == pytest.approx(chance, rel=1e-9)


def test_p_is_below_alpha_exactly_where_the_interval_leaves_out_an_even_spread() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2_000):
        n, k = int(rng.integers(4, 40)), int(rng.integers(2, 6))
        counts = drawn(rng, n, rng.choice([0, 0.5, 0.9]), [rng.choice([1, 2, 4]), *[1] * (k - 1)])
        counts = np.where(rng.random((n, 1)) < 0.2, rng.permutation(counts.T).T, counts)
        about = preferred(counts.tolist(), (np.arange(n) // rng.integers(1, 4)).tolist())
        p, ends = about.p(), about.interval(level := rng.choice([0.9, 0.95, 0.99, 0.9975]))
        if p is None or ends is None:
            continue
        assert (p < 1 - level) == (not ends[0] <= 1 / k <= ends[1]), (counts, level)
        assert 0 <= ends[0] <= about.estimate <= ends[1] <= 1


@pytest.mark.parametrize(
    ("know", "prior", "n"),
    [(0.95, [50, 17, 17, 16], 400), (0.95, [70, 10, 10, 10], 100), (0.9, [40, 20, 20, 20], 400)],
)
def test_a_preference_that_shows_at_few_items_is_found_as_often_as_can_be(
    know: float, prior: list[float], n: int
) -> None:
    """Through the measure. Wilson's interval found .02 to .78 of what relabelling finds."""
    rng, found, most = np.random.default_rng(1), 0, 0
    for _ in range(40):
        counts = drawn(rng, n, know, prior)
        found += {e.group: above(e.about) for e in evidence(counts)}["A"] <= 0.00125  # type: ignore[arg-type]
        most += best(counts) <= 0.00125
    assert found >= 0.95 * most > 0


def evidence(counts: np.ndarray, design: str = "cyclic") -> list[Evidence]:
    """Of items asked in all shifts, each position chosen as often as counted."""
    position = np.array([np.repeat(np.arange(len(row)), row) for row in counts])
    same = np.zeros(position.shape, int).tolist()
    cell = cell_of(same, [0] * len(counts), positions=position.tolist())
    cell = replace(cell, condition=Condition(design=design))
    context = Context("d", "m", np.arange(len(counts)), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    found = found_all([cell], [MEASURES.get("position_preference")], context)
    return [e for e in map(Evidence.of, found) if e is not None]


@pytest.mark.parametrize("know", [0, 0.6, 0.95])
def test_even_guesses_are_spared_and_covered(know: float) -> None:
    rng, found, covered = np.random.default_rng(2), 0, 0
    for _ in range(400):
        about = preferred(drawn(rng, 40, know, [1, 1, 1, 1]).tolist())
        ends = about.interval()
        found += above(about) <= 0.025
        covered += ends is not None and ends[0] <= 0.25 <= ends[1]
    assert found <= 20
    assert covered >= 0.93 * 400


def test_items_that_are_torn_count_for_less() -> None:
    """Half of them favour a position as much as the others avoid it: that is noise."""
    rng, found, spared = np.random.default_rng(3), 0, 0
    for _ in range(300):
        halves = [drawn(rng, 100, 0, prior) for prior in ([45, 18, 18, 19], [5, 32, 32, 31])]
        counts = np.concatenate(halves)
        found += best(counts) <= 0.025
        spared += above(preferred(counts.tolist())) <= 0.025
    assert spared < found


def test_what_speaks_against_a_preference_is_compared_with_what_it_leaves() -> None:
    """25 items have the position in all orders, 18 in none. Of an even spread 23 would be without
    it; of a preference as large as this one hardly any."""
    torn = preferred([[4, 0, 0, 0]] * 25 + [[0, 2, 1, 1]] * 18)
    assert torn.labels is not None
    assert torn.labels.stretch > 1.1
    # As many as an even spread leaves, and a total of 0.
    even = preferred([[4, 0, 0, 0]] * 25 + [[0, 4, 0, 0]] * 75)
    assert even.labels is not None
    assert even.labels.stretch == pytest.approx(1)


def test_torn_items_are_covered() -> None:
    rng, covered = np.random.default_rng(4), 0
    for _ in range(300):
        sides = rng.permutation([0.2, -0.2] * 50)
        counts = [
            drawn(rng, 1, 0.6, [0.25 + side, *[0.25 - side / 3] * 3])[0].tolist() for side in sides
        ]
        ends = preferred(counts).interval()
        covered += ends is not None and ends[0] <= 0.25 <= ends[1]
    assert covered >= 0.93 * 300


def test_a_preference_in_one_direction_is_not_taken_for_torn_items() -> None:
    """Some items speak against it by chance, no more than a preference leaves."""
    rng, ratios = np.random.default_rng(5), []
    for _ in range(40):
        about = preferred(drawn(rng, 200, 0.3, [40, 20, 20, 20]).tolist())
        assert about.labels is not None
        ratios.append(about.labels.stretch)
    assert np.mean(ratios) < 1.02


def test_orders_that_leave_options_in_place_are_not_relabelled() -> None:
    counts = np.array([[2, 1, 1, 0]] * 8)
    assert all(isinstance(e.about, Paired) for e in evidence(counts))
    assert not any(isinstance(e.about, Paired) for e in evidence(counts, "published"))


def test_a_share_reaches_no_further_than_all_answers() -> None:
    """Its upper end was 1.16 where one position has all answers."""
    for e in evidence(np.array([[0, 4, 0, 0]] * 30)):
        low, high = e.interval(0.998)
        assert 0 <= low <= e.value <= high <= 1


def test_few_locked_items_are_not_ruled_out_for_losses_beside_them() -> None:
    """Exactly, of 40 items: .1 are locked to A, .0996 avoid it, the rest is known, and so .3001 of
    the answers are A. At .0025 it was ruled out that .30 are, or more, in .029 of studies."""
    wrong = 0.0
    for locked, avoiding in product(range(5), range(16)):
        chance = multinomial.pmf(
            [locked, avoiding, 40 - locked - avoiding], 40, (0.1, 0.0996, 0.8004)
        )
        rows = [[4, 0, 0, 0]] * locked + [[0, 1, 2, 1]] * avoiding
        about = preferred(rows + [[1, 1, 1, 1]] * (40 - locked - avoiding))
        e = Evidence(about, "m", "order", Condition(), "text", "A", 0, "trials", about.centre)
        ends = e.interval(0.995, "above", found=False)
        wrong += chance * (ends is not None and ends[1] < 0.3)
    assert wrong < 0.02

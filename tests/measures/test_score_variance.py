"""Items, orders and draws: variances that are known, and what one more of each buys."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy.stats import t

from cells import cell_of, measured
from horsesense.measures.base import Estimate
from horsesense.measures.cells import MISSING, Cell
from horsesense.measures.samples import PARTS, designs, in_use
from horsesense.stats.components import Components, item_rows, variances
from horsesense.stats.smooth import jackknife
from horsesense.trials.condition import Condition


def standard_error(parts: Components, *design: float) -> float:
    """Of a score over so many new items, orders of each, and draws of each order."""
    return sqrt(sum(parts.shares(*design)))


def truth(chances: np.ndarray) -> Components:
    """Variances of a population whose items are equally likely, (items, orders) of chances."""
    return Components(
        items=float(chances.mean(axis=1).var()),
        orders=float(chances.var(axis=1).mean()),
        draws=float((chances * (1 - chances)).mean()),
    )


POPULATION = np.array([[0.95, 0.9, 0.2], [0.6, 0.1, 0.3], [1.0, 1.0, 1.0], [0.0, 0.5, 0.1]])
"""Chances of a right answer: kinds of items by kinds of orders, each drawn with equal chances."""


def study(rng: np.random.Generator, items: int, orders: int, draws: int):
    kind = rng.integers(0, 4, items)
    chances = POPULATION[kind[:, None], rng.integers(0, 3, (items, orders))]
    over = (rng.random((items, orders)) < chances) * 1.0
    first = POPULATION[kind, rng.integers(0, 3, items)][:, None]
    return over, (rng.random((items, draws)) < first) * 1.0


def test_variances_are_those_of_the_population_and_their_intervals_hold_them() -> None:
    rng, studies, items = np.random.default_rng(0), 300, 200
    want = truth(POPULATION)
    held, mean = np.zeros(3), np.zeros(3)
    for _ in range(studies):
        rows = item_rows(*study(rng, items, 4, 3))
        for part in range(3):
            found = jackknife(rows, lambda totals, part=part: variances(totals)[..., part])
            low, high = found.interval()
            held[part] += low <= want[part] <= high
            mean[part] += found.estimate / studies
    assert mean == pytest.approx(want, abs=0.003)
    assert (held / studies > 0.91).all()


def test_the_error_of_another_design_is_that_of_new_studies() -> None:
    rng, want = np.random.default_rng(1), truth(POPULATION)
    for orders, draws in ((1, 1), (4, 1), (2, 3)):
        kind = rng.integers(0, 4, (4000, 50))
        chances = POPULATION[kind[..., None], rng.integers(0, 3, (4000, 50, orders))]
        scores = (rng.random((4000, 50, orders, draws)) < chances[..., None]).mean(axis=(1, 2, 3))
        assert standard_error(want, 50, orders, draws) == pytest.approx(scores.std(), rel=0.05)


def test_balanced_data_have_the_mean_squares_of_the_textbook() -> None:
    """Two items, two orders of each, two draws, by hand."""
    over = np.array([[1.0, 0.0], [1.0, 1.0]])
    again = np.array([[1.0, 0.0], [1.0, 1.0]])
    items, orders, draws = variances(item_rows(over, again).sum(axis=0))
    assert draws == pytest.approx((0.5 + 0) / 2)
    assert orders == pytest.approx((0.5 + 0) / 2 - draws)
    assert items == pytest.approx(np.var([0.5, 1.0], ddof=1) - (0.5 + 0) / 2 / 2)
    assert np.isnan(variances(item_rows(over[:1], again[:1]).sum(axis=0))).all()


def cells(over: np.ndarray, again: np.ndarray, design: str = "random(4)") -> list[Cell]:
    """Right answers choose content 0, wrong ones 1."""

    def made(right: np.ndarray, probe: str) -> Cell:
        return cell_of((1 - right).astype(int).tolist(), [0] * len(right), probe=probe)

    return [
        made(again[:, :1], "original"),
        made(again[:, 1:], "repeat"),
        replace(made(over, "order"), condition=Condition(design=design)),
    ]


def test_the_measure_joins_original_repeats_and_orders() -> None:
    over, again = study(np.random.default_rng(2), 300, 4, 3)
    every = cells(over, again)
    status = every[2].status.copy()
    status[7, 2] = MISSING
    every[2] = replace(every[2], status=status)
    found = measured(every, "score_variance")
    assert [e.group for e in found] == list(PARTS)
    keep = np.arange(300) != 7
    want = variances(item_rows(over[keep], again[keep]).sum(axis=0))
    assert [e.value for e in found] == pytest.approx(list(want))
    assert {(e.n, e.n_missing) for e in found} == {(299, 1)}
    assert all(e.low < e.value < e.high for e in found)

    [design] = designs(found, in_use(every, np.arange(300)))
    now = Components(*want)
    assert design["standard_error"] == pytest.approx(standard_error(now, 299, 4))
    more = design["more"]
    assert more["orders"]["standard_error"] == pytest.approx(standard_error(now, 299, 5))
    assert more["draws"]["standard_error"] == pytest.approx(standard_error(now, 299, 4, 2))
    assert [more[part]["prompts"] for part in PARTS] == [4, 299, 4 * 299]
    # Asked again, the items stay: the rest of the error is theirs.
    assert design["again"] == pytest.approx(np.sqrt((now.orders + now.draws) / 4 / 299))
    assert design["shares"]["items"] == pytest.approx(
        1 - (design["again"] / standard_error(now, 299, 4)) ** 2
    )
    assert sum(design["shares"].values()) == pytest.approx(1)


def test_intervals_are_of_what_a_variance_can_be() -> None:
    """Orders that differ less than draws had [-.093, -.003]."""
    again = np.tile([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]], (20, 1))
    over = np.repeat([[1.0], [0.0]], 20, axis=0) * np.ones(4)
    found = measured(cells(over, again), "score_variance")
    orders = next(e for e in found if e.group == "orders")
    assert orders.value < 0 == orders.low < orders.high
    assert all(e.low >= 0 for e in found if e.low is not None)


def designed(every: list[Cell], cluster: np.ndarray) -> tuple[dict, Estimate]:
    """What is said of the design, and the score over the orders."""
    found = measured(every, "score_variance", "accuracy", cluster=cluster)
    [design] = designs(found, in_use(every, cluster))
    return design, next(e for e in found if e.measure == "accuracy" and e.probe == "order")


def test_clusters_are_units_and_the_error_agrees_with_the_interval_of_the_score() -> None:
    """Twenty texts of twenty items, each known or not as a whole; and the same items alone."""
    rng = np.random.default_rng(4)
    text = np.repeat(np.arange(20), 20)
    right = (rng.random(20) < 0.5)[text][:, None] | (rng.random((400, 6)) < 0.25)
    every = cells(right[:, :4] * 1.0, right[:, 4:] * 1.0)
    design, score = designed(every, text)
    reach = t.ppf(0.975, 20) * design["standard_error"]
    assert score.high - score.low == pytest.approx(2 * reach, rel=0.15)
    assert (design["items"], design["clusters"]) == (400, 20)
    alone, _ = designed(every, np.arange(400))
    assert design["standard_error"] > 3 * alone["standard_error"]
    # The same items again are the same items, however they come together.
    assert design["again"] == pytest.approx(alone["again"])
    found = measured(every, "score_variance", cluster=np.zeros(400, int))
    assert not [*designs(found, in_use(every, np.zeros(400, int)))]


def test_all_shifts_of_an_order_are_no_sample_of_orders() -> None:
    """Always the first position: right once in every item, whichever way the shifts go."""
    rng = np.random.default_rng(5)
    over = rng.permuted(np.tile([1.0, 0.0, 0.0, 0.0], (100, 1)), axis=1)
    again = np.repeat(over[:, :1], 2, axis=1)
    design, _ = designed(cells(over, again, "cyclic"), np.arange(100))
    assert (design["drawn"], design["again"], design["shares"]["orders"]) == (False, 0, 0)
    assert design["standard_error"] == pytest.approx(0, abs=1e-9)
    assert set(design["more"]) == {"items", "draws"}
    drawn, _ = designed(cells(over, again, "random(4)"), np.arange(100))
    assert drawn["again"] == pytest.approx(np.sqrt(0.25 / 4 / 100))
    assert drawn["variance"] == design["variance"]


def test_a_prompt_buys_most_as_an_item_and_least_as_a_draw() -> None:
    """Said in the report, whatever the variances are."""
    parts = Components(0.01, 0.2, 0.3)
    errors = [standard_error(parts, *size) for size in ((60, 3, 1), (30, 6, 1), (30, 3, 2))]
    assert errors == sorted(errors)


def test_without_repeats_nothing_is_said() -> None:
    over, again = study(np.random.default_rng(3), 20, 4, 3)
    every = [cell for cell in cells(over, again) if cell.probe != "repeat"]
    assert not measured(every, "score_variance")

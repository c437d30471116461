"""Shares of items that guesses hit with a chance of each item's own."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.evidence import Evidence
from horsesense.measures.cells import NOT_ASKED
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.registry import MEASURES
from horsesense.stats.guessed import Guessed
from horsesense.stats.shares import Shares

MIXED = np.repeat([2, 3, 5], [133, 133, 134])


def evidence(k: np.ndarray, locked: np.ndarray, cluster: np.ndarray | None = None) -> Evidence:
    """Of position A: chosen in all shifts of some items, in one of each of the others."""
    shifts = np.broadcast_to(np.arange(k.max()), (len(k), k.max()))
    at = np.where(locked[:, None], 0, shifts)
    cell = cell_of(np.zeros(at.shape, int).tolist(), [0] * len(k), positions=at.tolist())
    asked = shifts < k[:, None]
    cell = replace(cell, k=k, status=np.where(asked, cell.status, NOT_ASKED).astype(np.int8))
    own = np.arange(len(k)) if cluster is None else cluster
    context = Context("d", "m", own, signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    found = found_all([cell], [MEASURES.get("position_locked")], context)
    return next(e for e in map(Evidence.of, found) if e is not None and e.group == "A")


def first(k: np.ndarray, number: int) -> np.ndarray:
    """That many items locked, whichever: hits alone count."""
    return np.arange(len(k)) < number


def p(e: Evidence) -> float:
    assert e.baseline is not None
    return e.p_found("above", e.baseline, 0.05)


def any_share(e: Evidence) -> Evidence:
    """The same without what guesses do to each item."""
    return replace(e, about=Shares(*(getattr(e.about, field.name) for field in fields(Shares))))


def tails(k: np.ndarray) -> np.ndarray:
    """Chance of each number of locked items, or more, one item after the other."""
    number = np.ones(1)
    for chance in 1.0 / k ** k.astype(float):
        number = np.convolve(number, [1 - chance, chance])
    return np.asarray(number[::-1].cumsum()[::-1])


@pytest.mark.parametrize(
    "k",
    [
        MIXED,
        np.repeat([2, 4], [200, 200]),
        np.repeat([2, 10], [40, 20]),
        np.repeat([2, 4], [9, 90]),
    ],
)
def test_p_is_that_of_the_sum_of_the_items_own_chances(k: np.ndarray) -> None:
    """By the variance of a share it was up to twice as large, and found .7 as often."""
    exact = tails(k)
    for number in np.flatnonzero((exact < 0.1) & (exact > 1e-5)):
        e = evidence(k, first(k, int(number)))
        assert p(e) == pytest.approx(exact[number], rel=1e-6)


def test_locked_items_are_found_beside_items_of_two_options() -> None:
    number = int(np.flatnonzero(tails(MIXED) <= 0.0003)[0])
    e = evidence(MIXED, np.arange(400) % (400 / number) < 1)
    assert p(e) <= 0.00031
    assert p(any_share(e)) > 0.0005


def test_items_that_are_alike_have_the_interval_of_any_share() -> None:
    k = np.full(60, 3)
    for number in (0, 1, 2, 7, 30, 60):
        e = evidence(k, first(k, number))
        assert isinstance(e.about, Guessed)
        for level in (0.9, 0.95, 0.999):
            assert e.interval(level) == pytest.approx(any_share(e).interval(level), abs=1e-9)


def test_p_is_below_alpha_exactly_where_the_interval_leaves_out_what_guessing_gives() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = rng.choice([2, 3, 4, 6], rng.integers(4, 120), p=rng.dirichlet([1, 1, 1, 1]))
        locked = rng.random(len(k)) < rng.choice([0.05, 0.15, 0.3])
        e = evidence(k, locked, np.arange(len(k)) // rng.integers(1, 4))
        alpha = float(rng.choice([0.05, 0.005, 0.0005]))
        ends = e.interval(1 - 2 * alpha)
        assert ends is not None
        assert (p(e) < alpha) == (ends[0] > (e.baseline or 0)), (k, locked)
        assert 0 <= ends[0] <= e.value + 1e-9
        assert e.value <= ends[1] <= 1


def test_guesses_that_go_together_in_clusters_are_spared() -> None:
    rng, found = np.random.default_rng(1), 0
    k, of = np.tile([2, 3, 5, 2], 60), np.repeat(np.arange(60), 4)
    for _ in range(200):
        e = evidence(k, rng.random(60)[of] < 1.0 / k ** k.astype(float), of)
        found += p(e) <= 0.025
    assert found <= 10


def test_items_that_are_locked_and_known_are_covered() -> None:
    """As many as guesses would lock, of each number of options alike: more noise than guesses."""
    rng, covered, truth = np.random.default_rng(2), 0, float(np.mean(1.0 / MIXED**MIXED))
    for _ in range(300):
        ends = evidence(MIXED, rng.random(400) < truth).interval(0.95)
        covered += ends is not None and ends[0] <= truth <= ends[1]
    assert covered >= 0.93 * 300


@pytest.mark.parametrize("number", [120, 300, 400])
def test_beyond_what_guesses_give_an_interval_is_that_of_any_share(number: int) -> None:
    """Of 60 items in 44 clusters, all of them locked, it began at 17 %, of any share at 76 %."""
    for cluster in (None, np.arange(len(MIXED)) // 2):
        e = evidence(MIXED, first(MIXED[::-1], number), cluster)
        mine, other = e.interval(0.998), any_share(e).interval(0.998)
        assert mine is not None
        assert other is not None
        assert mine[0] == pytest.approx(max(other[0], e.baseline or 0.0))

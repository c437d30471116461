"""Labels drawn anew: preferred positions, and guesses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.stats.relabelled import better_than_guessing, preference


def p_of(choices: list[list[int]], place: int = 0) -> float:
    counts = np.array(choices, dtype=float)
    trials = np.repeat(counts.sum(axis=1, keepdims=True), counts.shape[1], axis=1)
    found = preference(counts, trials, np.arange(len(counts)), place)
    return found.exact


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_chance_is_that_of_all_relabellings(choices: list[list[int]]) -> None:
    if any(sum(item) == 0 for item in choices):
        return
    seen = sum(item[0] for item in choices)
    drawn = [sum(one) for one in product(*choices)]
    constant = all(len(set(item)) == 1 for item in choices)
    expected = 1.0 if constant else np.mean(np.array(drawn) >= seen)
    assert p_of(choices) == pytest.approx(expected, abs=1e-9)


def test_known_items_add_no_noise() -> None:
    known = [[1, 1, 1, 1]] * 200
    locked = [[4, 0, 0, 0]] * 6
    assert p_of(known + locked) == pytest.approx(0.25**6)


def test_items_of_a_cluster_are_relabelled_together() -> None:
    counts = np.array([[4.0, 0, 0, 0]] * 6)
    trials = np.full((6, 4), 4.0)
    found = preference(counts, trials, np.array([0, 0, 0, 1, 1, 1]), 0)
    assert found.exact == pytest.approx(0.25**2)


def test_who_is_always_right_is_better_than_guessing() -> None:
    choices = np.tile([4.0, 0, 0, 0], (8, 1))
    p = better_than_guessing(choices, np.full(8, 4), np.full(8, 4.0))
    assert p == pytest.approx(0.25**8)


def test_one_answer_to_all_is_a_guess_whatever_is_right() -> None:
    p = better_than_guessing(np.ones((300, 4)), np.full(300, 4), np.ones(300))
    assert p == 1.0


@pytest.mark.parametrize("consistent", [True, False])
def test_guesses_are_rarely_taken_for_more(consistent: bool) -> None:
    """Of content, always the same or another in every order."""
    rng, wrong = np.random.default_rng(3), []
    for _ in range(400):
        option = rng.integers(0, 4, (40, 1 if consistent else 4)).repeat(4 if consistent else 1, 1)
        counts = np.stack([(option == o).sum(axis=1) for o in range(4)], axis=1) * 1.0
        p = better_than_guessing(counts, np.full(40, 4), counts[:, 0])
        wrong.append(p <= 0.05)
    assert np.mean(wrong) < 0.08

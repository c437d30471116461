"""Designs of option orders."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from horsesense.errors import UsageError
from horsesense.rng import Dice
from horsesense.trials.orders import Design, NoOrdersError


def dice(item: str = "q") -> object:
    return lambda purpose, repetition: Dice(0, item, purpose, repetition)


@each(
    "name",
    [
        "published",
        "cyclic",
        "cyclic(base=published)",
        "random(4)",
        "gold_balanced(8)",
        "full",
        "move_gold",
    ],
)
def test_a_design_prints_what_its_parser_reads(name: str) -> None:
    assert Design.parse(name).name == name


@each("name", ["", "cyclick", "random", "random(0)", "full(3)", "cyclic(base=x)"])
def test_an_unknown_design_is_refused_with_the_list(name: str) -> None:
    with pytest.raises(UsageError, match="gold_balanced"):
        Design.parse(name)


@given(st.integers(2, 8), st.text(max_size=5))
def test_cyclic_shows_each_content_once_in_each_position(k: int, item: str) -> None:
    orders = Design.parse("cyclic").orders(k, 0, dice(item))
    assert len(orders) == k
    for position in range(k):
        assert sorted(order[position] for order in orders) == list(range(k))


def test_cyclic_from_the_published_order_begins_with_it() -> None:
    orders = Design.parse("cyclic(base=published)").orders(3, None, dice())
    assert orders == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_full_is_lexicographic_and_refuses_too_many() -> None:
    assert Design.parse("full").orders(3, None, dice())[:2] == [(0, 1, 2), (0, 2, 1)]
    with pytest.raises(NoOrdersError, match="too many"):
        Design.parse("full").orders(7, None, dice())


@given(st.integers(3, 6))
def test_random_orders_differ_and_do_not_depend_on_their_number(k: int) -> None:
    four = Design.parse("random(4)").orders(k, None, dice())
    six = Design.parse("random(6)").orders(k, None, dice())
    assert len(set(four)) == 4
    assert six[:4] == four


def test_more_orders_than_there_are() -> None:
    with pytest.raises(NoOrdersError, match="3 different orders of 2"):
        Design.parse("random(3)").orders(2, None, dice())


@given(st.integers(2, 5), st.integers(1, 4), st.text(max_size=5), st.data())
def test_gold_balanced_visits_each_position_equally_in_different_orders(
    k: int, times: int, item: str, data: st.DataObject
) -> None:
    """Two options were shown in either order twice, and an order agreed with itself."""
    gold, times = data.draw(st.integers(0, k - 1)), min(times, factorial(k - 1))
    design = Design.parse(f"gold_balanced({k * times})")
    orders = design.orders(k, gold, dice(item))
    assert Counter(order.index(gold) for order in orders) == dict.fromkeys(range(k), times)
    assert all(sorted(order) == list(range(k)) for order in orders)
    assert len(set(orders)) == len(orders)
    assert orders == design.orders(k, gold, dice(item))


def test_gold_balanced_over_all_orders_is_all_of_them() -> None:
    assert set(Design.parse("gold_balanced(6)").orders(3, 1, dice())) == {*permutations(range(3))}


@each(("n", "k"), [(4, 2), (8, 2), (9, 3), (7, 3)])
def test_gold_balanced_refuses_more_orders_than_there_are(n: int, k: int) -> None:
    with pytest.raises(NoOrdersError, match=f"{n} different orders of {k} options do not exist"):
        Design.parse(f"gold_balanced({n})").orders(k, 0, dice())


def test_gold_balanced_names_the_nearest_multiple() -> None:
    with pytest.raises(NoOrdersError, match="nearest: 4 or 8"):
        Design.parse("gold_balanced(6)").orders(4, 0, dice())


def test_move_gold_exchanges_two_options() -> None:
    orders = Design.parse("move_gold").orders(4, 2, dice())
    assert orders == [(2, 1, 0, 3), (0, 2, 1, 3), (0, 1, 2, 3), (0, 1, 3, 2)]
    with pytest.raises(NoOrdersError, match="gold"):
        Design.parse("move_gold").orders(4, None, dice())

"""Leases: whatever workers spend, and whenever they die, the budget of all holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from horsesense.inference.limits import Limits
from horsesense.inference.stored_rows import Spent
from horsesense_extras.workers.schedule import Budget

PRICES = {"prompt_price": 2e6, "completion_price": 1e6}  # 2 and 1 a token


def test_what_is_left_over_comes_back_and_what_a_dead_worker_had_stays_out() -> None:
    budget = Budget(Limits(requests=10), workers=1)
    first = budget.lease("a")
    assert first == budget.lease("a") == Limits(requests=5)  # given again after a death
    assert budget.lease("b") == Limits(requests=2)
    budget.settle("b", Spent(1))
    assert budget.lease("b") == Limits(requests=1 + 2)
    budget.settle("a", Spent(5))
    budget.settle("b", Spent(3))
    assert budget.lease("c") == Limits(requests=1)
    budget.settle("c", Spent(2))
    assert budget.lease("d") is None


def test_who_is_asked_alone_gets_all_that_is_left() -> None:
    for limits in (Limits(requests=6), Limits(tokens=600), Limits(None, None, 6.0, **PRICES)):
        budget = Budget(limits, workers=3)
        assert budget.lease("probe", alone=True) == limits
        budget.settle("probe", Spent(2, 1, 1))
        lease = budget.lease("a")
        assert lease.any
        assert lease != limits


WORK = st.lists(
    st.tuples(st.integers(0, 5), st.floats(0, 1), st.sampled_from(["ends", "dies", "works"])),
    max_size=60,
)


@given(st.integers(1, 200), st.integers(1, 5), WORK)
def test_no_order_of_work_and_deaths_exceeds_the_budget(
    whole: int, workers: int, work: list[tuple[int, float, str]]
) -> None:
    budget = Budget(Limits(requests=whole), workers)
    sent = dict.fromkeys(map(str, range(6)), 0)
    for number, share, end in work:
        shard = str(number)
        lease = budget.lease(shard)
        if lease is None or lease.requests is None:
            continue
        assert lease.requests >= sent[shard]
        sent[shard] += int(share * (lease.requests - sent[shard]))
        if end == "ends":
            budget.settle(shard, Spent(sent[shard]))
    assert sum(sent.values()) <= whole


@given(st.integers(1, 10_000), st.integers(1, 9))
def test_all_of_the_budget_is_lent_in_few_leases(whole: int, workers: int) -> None:
    budget, sent, leases = Budget(Limits(requests=whole), workers), 0, 0
    while (lease := budget.lease("a")) is not None:
        sent, leases = lease.requests, leases + 1
        budget.settle("a", Spent(sent))
    assert sent == whole
    assert leases <= 8 * workers * 10

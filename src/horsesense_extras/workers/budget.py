"""Leases: what each shard may spend, so that together they keep to one budget.

The account of a shard lies in its own store, over all sessions, and is never below what was sent
(`inference.ledger`). A lease is a limit to that account. What a lease leaves over comes back when
its shard reports what it spent; the lease of a worker that died stays out until then, since nobody
knows how much of it was used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from horsesense.inference.limits import Limits
from horsesense.inference.stored_rows import Spent

SLICES: Final = 2
"""A lease is what is left by so many times the number of workers, so that half stays at hand."""
LEAST: Final = 64
"""No lease is below this part of the budget: the last one is as much as is left."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Requests, tokens and money: spent, or what may be."""

    requests: float = 0.0
    tokens: float = 0.0
    money: float = 0.0

    @classmethod
    def of(cls, spent: Spent, prices: Limits) -> Self:
        """What an account comes to at these prices."""
        money = prices.cost(spent.prompt_tokens, spent.completion_tokens) or 0.0
        return cls(spent.requests, spent.tokens, money)

    def __add__(self, other: Amount) -> Amount:
        return self._with(other, 1.0)

    def __sub__(self, other: Amount) -> Amount:
        return self._with(other, -1.0)

    def _with(self, other: Amount, sign: float) -> Amount:
        return Amount(
            self.requests + sign * other.requests,
            self.tokens + sign * other.tokens,
            self.money + sign * other.money,
        )

    def positive(self) -> bool:
        return self.requests > 0 and self.tokens > 0 and self.money > 0


class Budget:
    """The budget of a run, lent to its shards.

    Requests never exceed theirs. Tokens and money do by less than one call of each worker.

    Args:
        limits: of the whole run, over all sessions.
        workers: how many leases are out together.
        spent: by everything but the shards.
        accounts: what each shard has spent already.
    """

    def __init__(
        self,
        limits: Limits,
        workers: int,
        spent: Spent | None = None,
        accounts: Mapping[str, Spent] | None = None,
    ) -> None:
        self.limits = limits
        self._workers = workers
        self._spent = {name: Amount.of(one, limits) for name, one in (accounts or {}).items()}
        self._leased: dict[str, Amount] = {}
        self._used = sum(self._spent.values(), start=Amount.of(spent or Spent(), limits))
        """Spent, or out as a lease."""

    def lease(self, shard: str, *, alone: bool = False) -> Limits | None:
        """What a shard may spend, over all its sessions; None where nothing is left just now.

        One that is asked `alone` gets all that is left. A lease that is out (of a worker that died)
        is given again as it is.
        """
        if not self.limits.any:
            return self.limits
        if shard not in self._leased:
            free = self._whole() - self._used
            if not free.positive():
                return None
            part = self._slice(free, 1.0 if alone else 1 / (SLICES * self._workers))
            self._used += part
            self._leased[shard] = self._spent.get(shard, Amount()) + part
        return self._as_limits(self._leased[shard])

    def settle(self, shard: str, account: Spent) -> None:
        """Take a lease back: its shard has spent so much, over all its sessions."""
        before = self._leased.pop(shard, None) or self._spent.get(shard, Amount())
        self._spent[shard] = Amount.of(account, self.limits)
        self._used += self._spent[shard] - before

    def _whole(self) -> Amount:
        """The budget; what is not limited has no end."""
        limits = self.limits
        most = (limits.requests, limits.tokens, limits.money)
        return Amount(*(math.inf if one is None else one for one in most))

    def _slice(self, free: Amount, share: float) -> Amount:
        """A share of what is free, whole where little is."""

        def part(left: float, whole: float | None) -> float:
            if whole is None:
                return 0.0  # nobody counts it
            return min(left, max(left * share, whole / LEAST))

        limits = self.limits
        return Amount(
            # Whole ones, of which sums are exact: a trace that was left would be lent as one more.
            max(1.0, math.floor(part(free.requests, limits.requests))),
            part(free.tokens, limits.tokens),
            part(free.money, limits.money),
        )

    def _as_limits(self, most: Amount) -> Limits:
        """The limits with these numbers in place of the whole's."""
        limits = self.limits
        return replace(
            limits,
            requests=None if limits.requests is None else math.floor(most.requests),
            tokens=None if limits.tokens is None else math.floor(most.tokens),
            money=None if limits.money is None else most.money,
        )

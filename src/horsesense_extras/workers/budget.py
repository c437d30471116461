"""Leases: what each shard may spend, so that together they keep to one budget.

The account of a shard lies in its own store, over all sessions, and is never below what was sent
(`inference.ledger`). A lease is a limit to that account. What a lease leaves over comes back when
its shard reports what it spent; the lease of a worker that died stays out until then, since nobody
knows how much of it was used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense.inference.limits import Limits
from horsesense.inference.stored_rows import Spent

SLICES: Final = 2
"""A lease is what is left by so many times the number of workers, so that half stays at hand."""
LEAST: Final = 64
"""No lease is below this part of the budget: the last one is as much as is left."""

Amount = npt.NDArray[np.float64]
"""Requests, tokens and money: spent, or what may be."""


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
        most = (limits.requests, limits.tokens, limits.money)
        self._whole: Amount = np.array([math.inf if one is None else one for one in most])
        self._spent = {name: self._amount(one) for name, one in (accounts or {}).items()}
        self._leased: dict[str, Amount] = {}
        self._used: Amount = sum(self._spent.values(), start=self._amount(spent or Spent()))
        """Spent, or out as a lease."""

    def _amount(self, spent: Spent) -> Amount:
        """What an account comes to."""
        money = self.limits.cost(spent.prompt_tokens, spent.completion_tokens) or 0.0
        return np.array([spent.requests, spent.tokens, money], float)

    def lease(self, shard: str, *, alone: bool = False) -> Limits | None:
        """What a shard may spend, over all its sessions; None where nothing is left just now.

        One that is asked `alone` gets all that is left. A lease that is out (of a worker that died)
        is given again as it is.
        """
        limits = self.limits
        if not limits.any:
            return limits
        if shard not in self._leased:
            free = self._whole - self._used
            if not (free > 0).all():
                return None
            part = self._slice(free, 1.0 if alone else 1 / (SLICES * self._workers))
            self._used = self._used + part
            self._leased[shard] = self._spent.get(shard, np.zeros(3)) + part
        requests, tokens, money = self._leased[shard].tolist()
        return replace(
            limits,
            requests=None if limits.requests is None else math.floor(requests),
            tokens=None if limits.tokens is None else math.floor(tokens),
            money=None if limits.money is None else money,
        )

    def settle(self, shard: str, account: Spent) -> None:
        """Take a lease back: its shard has spent so much, over all its sessions."""
        before = self._leased.pop(shard, self._spent.get(shard, np.zeros(3)))
        self._spent[shard] = self._amount(account)
        self._used = self._used + self._spent[shard] - before

    def _slice(self, free: Amount, share: float) -> Amount:
        """A share of what is free, whole where little is; nothing of what nobody counts."""
        part = np.minimum(free, np.maximum(free * share, self._whole / LEAST))
        part[np.isinf(self._whole)] = 0.0
        # Whole requests, of which sums are exact: a trace that was left would be lent as one more.
        part[0] = max(1.0, math.floor(part[0]))
        return part

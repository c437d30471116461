"""What a run directory has spent and may still spend: an account kept before anything is sent.

Each call is entered with an upper bound before it is sent, and corrected by what the model counts
when it comes back, also where it failed. A call whose tokens nobody counted stays at its bound.
The account lies in the store, so that it holds across stages, sessions and kills.
"""

from __future__ import annotations

import asyncio
import math
from typing import Final

from horsesense.inference.limits import Limits
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.messages import Failure, Request, Response, Usage

SHARE_AHEAD: Final = 64
"""Under a budget the account on disk runs ahead by at most this part of it; see `Ledger._keep`."""
CALLS_AHEAD: Final = 128
"""Without a budget, by so many calls."""


def bound(request: Request) -> Spent:
    """Upper bound of a call: a token has at least a byte, and a server generates at least one."""
    return Spent(1, len(request.stored().encode()), max(1, request.params.max_tokens))


class Ledger:
    """The account of one model in one store, and the budget that it is held to.

    A call may be sent while everything that is settled or under way is less than the budget, each
    call under way taken at its upper bound and `limits.excess` tokens, or the largest excess that
    was seen, above it: what is spent then exceeds the budget by less than one call, also where a
    model begins late to count more than was allowed. So that a larger excess is learnt from few
    calls, their number grows from one with each that comes back.

    A call that nobody counted is charged with its bound and the mean excess of those counted.

    Args:
        store: where the account is kept. All models in it share the budget, at the same prices.
        identity: the model that is asked.
        limits: the budget of the store, over all sessions.
    """

    def __init__(self, store: Store, identity: str, limits: Limits) -> None:
        self.limits = limits
        self.spent = Spent()
        """By this session."""
        self._store = store
        self._identity = identity
        before = store.spent()
        self._own = before.get(identity, Spent())
        if limits.any:  # an account that was damaged may say less
            self._own |= store.paid().get(identity, Spent())
        self._others = sum((s for name, s in before.items() if name != identity), start=Spent())
        self._under_way = Spent()
        """Calls under way, each at its bound."""
        self._excess = limits.excess
        """The most tokens beyond its bound that a call under way is taken to cost."""
        self._counted = self._beyond = 0
        """Calls that were counted, and tokens that all of them took beyond their bounds."""
        self._window = 1
        self._kept = self._own
        self._changed: asyncio.Event | None = None
        """Where somebody waits for a change."""

    @property
    def idle(self) -> bool:
        """Whether nothing is under way, so that nothing will be given back."""
        return self._under_way.requests == 0

    @property
    def cost(self) -> float | None:
        """Money that this session took at most; None without prices."""
        return self.limits.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    def may_send(self) -> bool:
        """Whether one more call may be sent now."""
        limits, way = self.limits, self._under_way
        if not limits.any:
            return True
        now = self._own + self._others + self.spent + way
        excess = way.requests * self._excess
        cost = limits.cost(now.prompt_tokens, now.completion_tokens)
        if cost is not None:
            cost += max(limits.cost(excess, 0) or 0.0, limits.cost(0, excess) or 0.0)
        return (
            (limits.requests is None or now.requests < limits.requests)
            and (limits.tokens is None or now.tokens + excess < limits.tokens)
            and (limits.money is None or cost is None or cost < limits.money)
            and (not limits.counts_tokens or way.requests < self._window)
        )

    def reserve(self, request: Request) -> Spent:
        """Enter a call that is about to be sent; StoreError where the account cannot be written."""
        charge = bound(request)
        self._under_way += charge
        try:
            self._keep(charge)
        except BaseException:
            self._under_way -= charge
            raise
        return charge

    def settle(self, charge: Spent, result: Response | Failure | None) -> None:
        """Correct the entry of a call that came back; None where nobody knows what became of it."""
        self._under_way -= charge
        if not (isinstance(result, Failure) and result.unsent):  # what was not sent costs nothing
            self._window += 1
            self._charge(charge, Usage() if result is None else result.usage)
        if self._changed is not None:
            self._changed.set()
            self._changed = None

    def _charge(self, charge: Spent, usage: Usage) -> None:
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        if prompt is None:
            prompt = charge.prompt_tokens
        if completion is None:
            completion = charge.completion_tokens + self._mean_excess()
        else:
            beyond = max(0, prompt - charge.prompt_tokens)
            beyond += max(0, completion - charge.completion_tokens)
            self._counted += 1
            self._beyond += beyond
            self._excess = max(self._excess, beyond)
        self.spent += Spent(1, prompt, completion)

    def _mean_excess(self) -> int:
        """Tokens beyond its bound that a call takes on average, as far as they are counted."""
        return math.ceil(self._beyond / self._counted) if self._counted else 0

    async def change(self) -> None:
        """Return when another call was settled."""
        self._changed = self._changed or asyncio.Event()
        await self._changed.wait()

    def close(self) -> None:
        """Write the account down as it is: exact, where nothing is under way."""
        now = self._own + self.spent + self._at_most()
        if now != self._kept:
            self._store.keep_spent(self._identity, now)

    def _at_most(self) -> Spent:
        """What is under way, charged as if nobody came to count it."""
        way = self._under_way
        return way + Spent(0, 0, way.requests * self._mean_excess())

    def _keep(self, charge: Spent) -> None:
        """See to it that the account on disk is never below what was sent.

        It is written ahead of the calls, so that few of them wait for the disk: after a kill, it
        counts that much too much at most.
        """
        now, kept = self._own + self.spent + self._at_most(), self._kept
        if (
            now.requests <= kept.requests
            and now.prompt_tokens <= kept.prompt_tokens
            and now.completion_tokens <= kept.completion_tokens
        ):
            return
        limits, calls = self.limits, CALLS_AHEAD
        prompt, completion = charge.prompt_tokens, charge.completion_tokens + self._mean_excess()
        if limits.requests is not None:
            calls = min(calls, limits.requests // SHARE_AHEAD)
        if limits.tokens is not None:
            calls = min(calls, limits.tokens // (prompt + completion) // SHARE_AHEAD)
        if limits.money is not None and (cost := limits.cost(prompt, completion)):
            calls = min(calls, int(limits.money / cost / SHARE_AHEAD))
        ahead = Spent(calls, calls * prompt, calls * completion)
        # Not before it is written: where it cannot be, no other call may rely on it.
        self._store.keep_spent(self._identity, now + ahead, at_once=limits.any)
        self._kept = now + ahead

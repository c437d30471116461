"""What a run directory has spent and may still spend: an account kept before anything is sent.

Each call is entered with an upper bound before it is sent, and corrected by what the model counts
when it comes back, also where it failed. A call whose tokens nobody counted stays at its bound.
The account lies in the store, so that it holds across stages, sessions and kills.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import orjson

from horsesense.inference.limits import Limits
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.messages import Failure, Request, Response, Usage

SHARE_AHEAD: Final = 64
"""Under a budget the account on disk runs ahead by at most this part of it; see `Ledger._keep`."""
CALLS_AHEAD: Final = 32
"""Without a budget, by so many calls."""


class Charge(NamedTuple):
    """The most that one call can cost, in tokens."""

    prompt: int
    completion: int


def bound(request: Request) -> Charge:
    """Upper bound of a call: a token has at least a byte, and a server generates at least one."""
    return Charge(len(orjson.dumps(request.as_json())), max(1, request.params.max_tokens))


@dataclass
class _InFlight:
    """Calls under way and the sum of their bounds."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0

    def add(self, charge: Charge, sign: int) -> None:
        self.calls += sign
        self.prompt += sign * charge.prompt
        self.completion += sign * charge.completion


class Ledger:
    """The account of one model in one store, and the budget that it is held to.

    A call may be sent while everything that is settled or under way, the latter at its upper
    bound, is less than the budget: what is spent then exceeds it by less than one call. A model
    that counts more than a call allowed raises the bounds of all others in proportion; so that
    this is learnt from few calls, their number grows from one with each that comes back.

    Args:
        store: where the account is kept. All models in it share requests and tokens.
        identity: the model that is asked; money is what its tokens cost.
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
        self._others = _total({name: s for name, s in before.items() if name != identity})
        self._under_way = _InFlight()
        self._excess_prompt = self._excess_completion = 1.0
        self._window = 1
        self._kept = self._own
        self._changed = asyncio.Event()

    @property
    def idle(self) -> bool:
        """Whether nothing is under way, so that nothing will be given back."""
        return self._under_way.calls == 0

    @property
    def cost(self) -> float | None:
        """Money that this session took at most; None without prices."""
        return self.limits.cost(self.spent.prompt_tokens, self.spent.completion_tokens)

    def may_send(self) -> bool:
        """Whether one more call may be sent now."""
        limits, now = self.limits, self._own + self.spent + self._at_most()
        together = now + self._others
        cost = limits.cost(now.prompt_tokens, now.completion_tokens)
        return (
            (limits.requests is None or together.requests < limits.requests)
            and (limits.tokens is None or together.tokens < limits.tokens)
            and (limits.money is None or cost is None or cost < limits.money)
            and (not limits.counts_tokens or self._under_way.calls < self._window)
        )

    def reserve(self, request: Request) -> Charge:
        """Enter a call that is about to be sent; StoreError where the account cannot be written."""
        charge = bound(request)
        self._under_way.add(charge, 1)
        try:
            self._keep(charge)
        except BaseException:
            self._under_way.add(charge, -1)
            raise
        return charge

    def settle(self, charge: Charge, result: Response | Failure | None) -> None:
        """Correct the entry of a call that came back; None where nobody knows what became of it."""
        self._under_way.add(charge, -1)
        self._window += 1
        if isinstance(result, Failure) and result.unsent:
            self.spent += Spent(1)
        else:
            self._charge(charge, Usage() if result is None else result.usage)
        self._changed.set()
        self._changed = asyncio.Event()

    def _charge(self, charge: Charge, usage: Usage) -> None:
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        if prompt is None:
            prompt = math.ceil(charge.prompt * self._excess_prompt)
        if completion is None:
            completion = math.ceil(charge.completion * self._excess_completion)
        self._excess_prompt = max(self._excess_prompt, prompt / charge.prompt)
        self._excess_completion = max(self._excess_completion, completion / charge.completion)
        self.spent += Spent(1, prompt, completion)

    async def change(self) -> None:
        """Return when another call was settled."""
        await self._changed.wait()

    def close(self) -> None:
        """Write the account down as it is: exact, where nothing is under way."""
        now = self._own + self.spent + self._at_most()
        if now != self._kept:
            self._store.keep_spent(self._identity, now)

    def _at_most(self) -> Spent:
        """The most that is under way."""
        way = self._under_way
        return Spent(
            way.calls,
            math.ceil(way.prompt * self._excess_prompt),
            math.ceil(way.completion * self._excess_completion),
        )

    def _keep(self, charge: Charge) -> None:
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
        one = charge.prompt * self._excess_prompt + charge.completion * self._excess_completion
        if limits.requests is not None:
            calls = min(calls, limits.requests // SHARE_AHEAD)
        if limits.tokens is not None:
            calls = min(calls, int(limits.tokens / one / SHARE_AHEAD))
        if limits.money is not None and (cost := limits.cost(*charge)):
            calls = min(calls, int(limits.money / cost / SHARE_AHEAD))
        ahead = Spent(
            calls,
            math.ceil(calls * charge.prompt * self._excess_prompt),
            math.ceil(calls * charge.completion * self._excess_completion),
        )
        # Not before it is written: where it cannot be, no other call may rely on it.
        self._store.keep_spent(self._identity, now + ahead, at_once=limits.any)
        self._kept = now + ahead


def _total(accounts: Mapping[str, Spent]) -> Spent:
    return sum(accounts.values(), start=Spent())

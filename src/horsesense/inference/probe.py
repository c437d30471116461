"""Finding out what a model offers, on the account of the run that it will be asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from horsesense.errors import BudgetSpentError
from horsesense.inference.ledger import Ledger
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.models.base import Asked, Capabilities, Model, Probing
from horsesense.models.messages import Failure, Request, Response

DETAILS: Final = 4
"""Details of a request that a server may refuse, one a call."""


async def capabilities(
    model: Model, store: Store, limits: Limits
) -> tuple[Capabilities, RunSummary]:
    """What an entered model offers, and what it took to find out.

    Raises:
        ModelError: it cannot be reached.
        BudgetSpentError: the budget does not allow to ask it.
    """
    if not isinstance(model, Probing):
        return await model.capabilities(), RunSummary()
    asker = _Asker(model, Ledger(store, model.identity, limits))
    try:
        asker.check()
        return await model.probe(asker.ask), asker.summary
    finally:
        asker.ledger.close()


async def ask_aside(
    model: Model, store: Store, limits: Limits, requests: Sequence[Request]
) -> tuple[list[Response | Failure], RunSummary]:
    """Put requests beside a run, one after the other: they are counted, and their replies not kept.

    A call that a server refuses for a detail is made again without it (see `Failure.kind`).

    Raises BudgetSpentError where the budget does not allow them.
    """
    asker = _Asker(model, Ledger(store, model.identity, limits))
    try:
        results = []
        for request in requests:
            for _ in range(DETAILS):
                result = await asker.ask(request)
                if not (isinstance(result, Failure) and result.kind == "dialect"):
                    break
            results.append(result)
        return results, asker.summary
    finally:
        asker.ledger.close()


class _Asker:
    """Puts one request at a time and counts it."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self.model = model
        self.ledger = ledger
        self.summary = RunSummary(cost=ledger.limits.cost(0, 0))

    def check(self) -> None:
        if self.ledger.idle and not self.ledger.may_send():
            raise BudgetSpentError(
                f"The budget allows no request to find out what {self.model.name} offers.",
                hint="It is that of the run directory, over all sessions: give a larger --budget.",
            )

    async def ask(self, request: Request) -> Response | Failure:
        while not self.ledger.may_send():
            self.check()
            await self.ledger.change()
        charge = self.ledger.reserve(request)
        self.summary.sent += 1
        result: Response | Failure | None = None
        started = time.monotonic()
        try:
            [result] = await self.model.respond([Asked(request.key(self.model.identity), request)])
            if isinstance(result, Response):  # forms are probed together: the longest is the time
                self.summary.seconds = max(self.summary.seconds, time.monotonic() - started)
            return result
        finally:
            self.summary.count(result)
            self.ledger.settle(charge, result)
            self.summary.cost = self.ledger.cost

"""Which shard is asked next and by whom, and what becomes of a shard when its worker dies.

Nothing here knows what workers run in: a pool (`integrations.ray_engine`) starts them, hands them
jobs and tells what happened to them.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from horsesense.errors import HorsesenseError, InterruptedRunError, ModelError
from horsesense.inference.limits import Limits, RunSummary, Stopped
from horsesense.inference.stored_rows import Spent
from horsesense.runs.plan import Plan
from horsesense.stats.words import plural
from horsesense_extras.workers.work import PROBE, Found, Job, Outcome, folder_name

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


DEATHS: Final = 5
"""Deaths in a row of the workers of one shard that end the run, and of each worker unused."""


@dataclass(frozen=True)
class Event:
    """What happened to a worker: it is ready, it ended a job, it died, or it got on with its job.

    Attributes:
        standing: of one that got on: requests that are done, and those of them that took no work.
    """

    worker: int
    kind: Literal["ready", "done", "died", "got_on"]
    outcome: Outcome | None = None
    why: str = ""
    standing: tuple[int, int] = (0, 0)


class Schedule:
    """The shards of a run: waiting, in the hands of a worker, or done.

    Args:
        budget: what all may spend.
        workers: how many there are.
        rate: requests a second that all may send; each worker gets an equal part.

    Attributes:
        spent: what attempts that ended took; of those whose worker died, nobody tells.
        stopped: why not everything is asked; None while everything is.
        error: what ends the run.
        found: what the model offers, once a worker has found out.
        stored: name of a shard -> answers in its store, as its worker said when an attempt ended.
        deaths: workers that died while they had a shard.
    """

    def __init__(self, budget: Budget, workers: int, rate: float | None = None) -> None:
        self.spent = RunSummary()
        self.stopped: Stopped | None = None
        self.error: HorsesenseError | None = None
        self.found: Found | None = None
        self.stored: dict[str, int] = {}
        self.deaths = 0
        self._budget = budget
        self._rate = None if rate is None else rate / workers
        self._waiting: deque[str | None] = deque([None])
        self._busy: dict[int, str | None] = {}
        self._in_a_row = Counter[str | None]()
        self._unused = 0
        self._workers = workers
        self._most_unused = DEATHS * workers
        self._ended: dict[str, RunSummary] = {}  # by shard, the last attempt
        self._standing: dict[int, tuple[int, int]] = {}  # by worker, of its job

    def add(self, shards: Sequence[str]) -> None:
        """Have these shards asked, in this order."""
        self._waiting.extend(shards)

    @property
    def finished(self) -> bool:
        """Whether nothing is to be done, nor in anybody's hands."""
        return not self._busy and (not self._waiting or self.stopped is not None)

    @property
    def busy(self) -> int:
        """How many workers have a job."""
        return len(self._busy)

    @property
    def done(self) -> int:
        """Requests that have an answer, or failed; of shards in hands, as far as workers told."""
        ended = {shard: _count(one) for shard, one in self._ended.items()}
        told = {self._busy[worker] or "": done for worker, (done, _) in self._standing.items()}
        return sum(max(ended.get(shard, 0), told.get(shard, 0)) for shard in {*ended, *told})

    @property
    def skipped(self) -> int:
        """Of these, those that had an answer before."""
        ended = sum(_count(one) for one in self._ended.values())
        told = sum(skipped for _, skipped in self._standing.values())
        return max(0, ended - self.spent.answered - self.failed) + told

    @property
    def failed(self) -> int:
        """Of these, those without an answer."""
        return sum(one.failed for one in self._ended.values())

    def next(self, worker: int) -> Job | None:
        """A job for a worker that has none; None where there is none now.

        A shard for which nothing of the budget is left waits until another gives some back.
        """
        for place, shard in enumerate(self._waiting if self.stopped is None else ()):
            limits = self._budget.lease(_name(shard), alone=shard is None)
            if limits is not None:
                del self._waiting[place]
                self._busy[worker] = shard
                found = self.found
                model, expected = (found.model, self._share(found)) if found else (None, None)
                return Job(shard, limits, model, self._rate, expected)
        if self._waiting and not self._busy and self.stopped is None:
            self.stopped = "budget"
        return None

    def _share(self, found: Found) -> Plan:
        """What is expected of one worker."""
        plan = found.expected
        return replace(plan, requests=plan.stored + plan.to_ask // self._workers)

    def got_on(self, worker: int, standing: tuple[int, int]) -> None:
        """A worker tells how far its job is; one that has none tells of what has ended."""
        if worker in self._busy:
            self._standing[worker] = standing

    def ready(self) -> None:
        """A worker is ready."""
        self._unused = 0

    def ended(self, worker: int, outcome: Outcome) -> None:
        """A worker ended its job."""
        shard, spent = self._busy.pop(worker), outcome.spent
        self._standing.pop(worker, None)
        self._unused = 0
        self._in_a_row.pop(shard, None)
        self._budget.settle(_name(shard), outcome.account)
        self.spent += replace(spent, stopped=None)
        if shard is not None:
            self.stored[_name(shard)] = outcome.answers
            self._ended[shard] = spent
        if outcome.found is not None:
            self.found = outcome.found
        if isinstance(outcome.error, InterruptedRunError):
            self._end("interrupted")
        elif outcome.error is not None:
            self._end("failures", outcome.error)
        elif spent.stopped == "budget":
            self._waiting.appendleft(shard)  # it goes on when something is left for it
        elif spent.stopped is not None:
            self._end(spent.stopped)

    def died(self, worker: int, why: str) -> None:
        """A worker died; what it had in hands is the next to be given out."""
        if worker not in self._busy:
            self._unused += 1
            if self._unused >= self._most_unused:
                what = (
                    f"{plural(self._unused, 'worker')} in a row died before they had anything to do"
                )
                self._end("failures", _dying(what, why))
            return
        self.deaths += 1
        self._standing.pop(worker, None)
        shard = self._busy.pop(worker)
        self._waiting.appendleft(shard)
        self._in_a_row[shard] += 1
        if self._in_a_row[shard] >= DEATHS:
            over = "what the model offers" if shard is None else f"shard {shard}"
            self._end("failures", _dying(f"{DEATHS} workers in a row died over {over}", why))

    def stop(self) -> None:
        """Give out nothing more, at the user's wish."""
        self._end("interrupted")

    def _end(self, why: Stopped, error: HorsesenseError | None = None) -> None:
        self.stopped = self.stopped or why
        self.error = self.error or error


def _count(attempt: RunSummary) -> int:
    """Requests that an attempt found answered, or saw to their end."""
    return attempt.cached + attempt.answered + attempt.failed


def _name(shard: str | None) -> str:
    """The name of a shard's account."""
    return PROBE if shard is None else folder_name(shard)


def _dying(what: str, why: str) -> ModelError:
    return ModelError(
        f"{what}: {why}",
        hint="What was answered is stored. Memory, or a library that is missing on a machine, is"
        " the usual reason; the same command continues.",
    )

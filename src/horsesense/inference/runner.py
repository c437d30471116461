"""Put requests to a model and store what comes back: retries, budget, Ctrl-C, resume.

A fixed number of workers share one lazy iterator of requests. A worker takes a batch, waits for
the answers and takes the next one only when they are stored, so that a killed run loses no more
than the requests in flight. Answers that arrive together share one transaction.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice, zip_longest
from typing import Final, NamedTuple

from horsesense.errors import ModelError, UsageError
from horsesense.inference.control import Control
from horsesense.inference.ledger import Ledger
from horsesense.inference.limits import PATIENT, UNLIMITED, Limits, Retry, RunSummary, Stopped
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.inference.writer import AnswerWriter
from horsesense.models.base import Asked, Model
from horsesense.models.messages import Failure, Key, Response
from horsesense.progress import Progress, clock

__all__ = ["Limits", "Retry", "RunSummary", "run"]

MOST_AT_ONCE: Final = 10_000
"""Requests under way together; each has a task and what it was given."""
CHUNK: Final = 64
"""Requests drawn from the iterator at once: rendering them holds up the requests in flight."""


async def run(
    asks: Iterable[Asked],
    model: Model,
    store: Store,
    *,
    total: int | None = None,
    limits: Limits = UNLIMITED,
    retry: Retry = PATIENT,
    max_connections: int | None = None,
    together: int | None = None,
    progress: Progress | None = None,
    control: Control | None = None,
    watch: Callable[[Sequence[tuple[Asked, Response | Failure]]], bool] | None = None,
) -> RunSummary:
    """Answer every request of `asks` that has no answer in `store`, and store the answers.

    `model` must have been entered. `asks` is drawn lazily; equal requests are asked once, and
    failures of earlier runs again. The first Ctrl-C finishes what is in flight, the second
    abandons it; both end in a summary with `stopped == "interrupted"`. Without a `progress` of
    the caller's, the run shows its own. `together` requests at most are under way at a time,
    whatever else is set. A `control` says how fast requests are sent. `watch` is
    told what was settled: stored, or failed for good; where it says True, no more is sent.

    Raises:
        UsageError: `max_connections` is below 1 or above MOST_AT_ONCE.
        StoreError: answers cannot be stored.
        ModelError: the model gives up.
    """
    connections = model.max_connections if max_connections is None else max_connections
    if not 1 <= connections <= MOST_AT_ONCE:
        hint = f"Give a number from 1 to {MOST_AT_ONCE:,}."
        raise UsageError(f"max_connections is {connections}.", hint=hint)
    size = min(model.batch_size, together or model.batch_size)
    connections = max(1, together // size) if together else connections
    shown = Progress("asking", total) if progress is None else progress
    steer = Control() if control is None else control
    going = _Run(iter(asks), model, store, limits, retry, connections, size, shown, steer)
    going.watch = watch
    started = time.monotonic()
    shown.note = going.note
    with (
        shown if progress is None else contextlib.nullcontext(),
        _interrupts(going.interrupt),
        steer.over(going.summary, going.interrupt),
    ):
        # A Ctrl-C that came before ends the run here, before anything is in flight.
        await asyncio.sleep(0)
        await going.work()
    going.summary.seconds = time.monotonic() - started
    return going.summary


class _Try(NamedTuple):
    asked: Asked
    attempt: int


class _Waiting(NamedTuple):
    """A request that failed and is asked again when its time comes; no two have one `entry`."""

    due: float
    entry: int
    next: _Try
    failure: Failure


class _Run:
    """The state that the workers of one run share; only one of them moves at a time."""

    def __init__(
        self,
        asks: Iterator[Asked],
        model: Model,
        store: Store,
        limits: Limits,
        retry: Retry,
        connections: int,
        size: int,
        progress: Progress,
        control: Control,
    ) -> None:
        self.summary = RunSummary(cost=limits.cost(0, 0))
        self.watch: Callable[[Sequence[tuple[Asked, Response | Failure]]], bool] | None = None
        self._asks = asks
        self._model = model
        self._store = store
        self._retry = retry
        self._connections = connections
        self._size = size
        self._progress = progress
        self._control = control
        self._gate = asyncio.Lock()
        self._writer = AnswerWriter(store, model.identity, self._stored)
        self._ready: deque[_Try] = deque()
        self._drained = False
        self._waiting: list[_Waiting] = []
        self._entries = count()
        self._open = Counter[Key]()  # drawn and not yet stored: how many prompts share the answer
        self._failed: set[Key] = set()
        self._failed_in_a_row = 0
        self._ledger = Ledger(store, model.identity, limits)
        self._stop = asyncio.Event()
        self._workers: list[asyncio.Task[None]] = []

    async def work(self) -> None:
        """Run the workers to their end. After an error, what is in flight is still stored."""
        self._workers = [asyncio.create_task(self._worker()) for _ in range(self._connections)]
        try:
            done, busy = await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
            # What is in flight has been paid for: wait for it unless nothing can be stored.
            if busy and self._writer.error is None:
                self._stop.set()
                await asyncio.wait(busy)
        finally:
            for task in self._workers:
                task.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
            self._writer.flush()
            if self._writer.error is None:
                self._ledger.close()
        errors = [worker.exception() for worker in done if not worker.cancelled()]
        for error in [self._writer.error, *errors]:
            if error is not None:
                raise error
        if (
            self.summary.stopped == "alarm"
            and not self._left()
            and not (self.watch and self.watch(()))
        ):
            self.summary.stopped = None  # what was in flight was all there was
        self._abandon_waiting()

    def _left(self) -> bool:
        """Whether requests are left to ask, for the first time or again."""
        while not self._ready and not self._drained:
            self._draw()
        return bool(self._ready or self._waiting)

    def interrupt(self) -> None:
        """First call: send no more. Second call: wait for nothing."""
        if self.summary.stopped == "interrupted":
            for worker in self._workers:
                worker.cancel()
            return
        self._halt("interrupted")
        waiting = "Finishing the requests in flight. Press Ctrl-C again to abandon them."
        print(f"\n{waiting}", file=sys.stderr, flush=True)

    def note(self) -> str:
        """Cost, failures and what is waited for, for the progress line."""
        parts = []
        if self.summary.cost is not None:
            parts.append(f"cost {self.summary.cost:.4g}")
        if self.summary.failed:
            parts.append(f"{self.summary.failed:,} failed")
        pause = self._waiting[0].due - time.monotonic() if self._waiting else 0.0
        if pause > 1 and self._waiting[0].failure.retry_after:
            parts.append(f"waiting {clock(pause)}, as the server asks")
        return ", ".join(parts)

    def _halt(self, why: Stopped) -> None:
        self.summary.stopped = why
        self._stop.set()

    async def _worker(self) -> None:
        while batch := await self._next_batch():
            tries, charges = zip(*batch, strict=True)
            answers: Sequence[Response | Failure] = ()
            try:
                answers = await self._model.respond([one.asked for one in tries])
            finally:  # a call that was abandoned may have been answered: it stays at its bound
                for charge, result in zip_longest(charges, answers[: len(batch)]):
                    self._count(charge, result)
            if len(answers) != len(batch):
                raise ModelError(
                    f"{self._model.name} gave {len(answers)} answers to {len(batch)} requests"
                )
            await self._settle(tries, answers)

    async def _next_batch(self) -> list[tuple[_Try, Spent]]:
        """What to ask now, entered in the account; empty when this worker is done."""
        if self._control.rate is None:
            return await self._due_batch()
        async with self._gate:  # one at a time, so that not all wake for each request that is due
            return await self._due_batch()

    async def _due_batch(self) -> list[tuple[_Try, Spent]]:
        while not self._stop.is_set():
            size = self._size
            new = self._ready or not self._drained
            # Many waiting requests mean a model in trouble: new ones would only join them.
            crowded = len(self._waiting) > 2 * self._connections * size
            pause = self._waiting[0].due - time.monotonic() if self._waiting else 0.0
            if self._waiting and pause > 0 and (crowded or not new):
                await self._sleep(pause)
            elif (not self._waiting or pause > 0) and len(self._ready) < size and not self._drained:
                self._draw()
                await asyncio.sleep(0)  # let answers in, and Ctrl-C, while stored ones go by
            elif not new and not self._waiting:
                return []
            elif (wait := self._control.pause()) > 0:
                await self._sleep(wait)
            elif self._ledger.may_send():
                return self._take(again=bool(self._waiting) and pause <= 0)
            elif self._ledger.idle:
                self._halt("budget")
            else:
                await self._ledger.change()
        return []

    def _take(self, *, again: bool) -> list[tuple[_Try, Spent]]:
        """A batch of requests that are due `again`, or of fresh ones, as far as may be sent."""
        taken: list[tuple[_Try, Spent]] = []
        now = time.monotonic()
        while len(taken) < self._size and self._ledger.may_send():
            if again and self._waiting and self._waiting[0].due <= now:
                one = heapq.heappop(self._waiting).next
            elif not again and self._ready:
                one = self._ready.popleft()
            else:
                break
            taken.append((one, self._ledger.reserve(one.asked.request)))
        self._control.sent(len(taken))
        self.summary.sent += len(taken)
        self.summary.retried += len(taken) if again else 0
        return taken

    def _draw(self) -> None:
        """Draw some requests and keep those that must be asked."""
        size = max(CHUNK, self._size)
        drawn = list(islice(self._asks, size))
        # One that failed for good in this run is not asked again when an equal request comes:
        # only the next run gives it a new chance.
        keys = {asked.key for asked in drawn} - self._failed
        keys -= self._store.known(list(keys - self._open.keys()))
        before = len(self._ready)
        wanted = [asked for asked in drawn if asked.key in keys]
        for asked in wanted:
            if not self._open[asked.key]:
                self._ready.append(_Try(asked, 1))
            self._open[asked.key] += 1
        self.summary.asked += len(drawn)
        self.summary.cached += len(drawn) - (len(self._ready) - before)
        self._progress(len(drawn) - len(wanted), skipped=True)
        self._drained = len(drawn) < size

    async def _settle(self, batch: Sequence[_Try], results: Sequence[Response | Failure]) -> None:
        answered: list[tuple[Asked, Response]] = []
        rest = 0.0
        for one, result in zip(batch, results, strict=True):
            if isinstance(result, Response):
                answered.append((one.asked, result))
            else:
                rest = max(rest, self._retry_or_fail(one, result))
        if answered:
            self._failed_in_a_row = 0
            await self._writer.put(answered)
        # A worker told to slow down rests itself: the load falls by the share that was too much.
        if rest:
            await self._sleep(rest)

    def _stored(self, answered: Sequence[tuple[Asked, Response]]) -> None:
        self.summary.answered += len(answered)
        self._progress(sum(self._open.pop(asked.key) for asked, _ in answered))
        self._tell(answered)

    def _tell(self, settled: Sequence[tuple[Asked, Response | Failure]]) -> None:
        if self.watch is not None and self.watch(settled) and not self._stop.is_set():
            self._halt("alarm")

    def _count(self, charge: Spent, result: Response | Failure | None) -> None:
        """Correct the account by what came back."""
        self._ledger.settle(charge, result)
        self.summary.count(result)
        self.summary.cost = self._ledger.cost

    def _retry_or_fail(self, one: _Try, failure: Failure) -> float:
        """Queue the next attempt or record the failure; seconds that the worker should rest."""
        pause = self._retry.pause(one.attempt, failure)
        if pause is None:
            self._fail(one.asked, one.attempt, failure)
            return 0.0
        again = _Try(one.asked, one.attempt + 1)
        due = time.monotonic() + pause
        heapq.heappush(self._waiting, _Waiting(due, next(self._entries), again, failure))
        return pause if failure.kind == "rate_limit" else 0.0

    def _fail(self, asked: Asked, attempts: int, failure: Failure) -> None:
        self._store.fail([(asked, attempts, failure)], identity=self._model.identity)
        self._failed.add(asked.key)
        self.summary.failed += 1
        self.summary.last_failure = failure
        self._progress(self._open.pop(asked.key))
        self._tell([(asked, failure)])
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= self._retry.give_up and not self._stop.is_set():
            self._halt("failures")

    def _abandon_waiting(self) -> None:
        """Record the last failure of each request that a stop kept from its next attempt."""
        for waiting in sorted(self._waiting):
            self._fail(waiting.next.asked, waiting.next.attempt - 1, waiting.failure)
        self._waiting.clear()

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but not beyond a stop."""
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), seconds)


@contextlib.contextmanager
def _interrupts(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` at Ctrl-C, where this thread and platform can."""
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return
    loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
    # A handler of the loop runs between two callbacks, never in the middle of a transaction.
    loop.add_signal_handler(signal.SIGINT, act)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)

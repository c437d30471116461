"""A run asked by workers: shards to workers, and what they stored to one run.

The driver asks nothing itself and holds no model. Progress, Ctrl-C, budgets and what is left
behind are those of a run that is asked in one process.
"""

from __future__ import annotations

import math
import secrets
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final, Self

from horsesense.errors import (
    BudgetSpentError,
    LostRepliesError,
    ModelError,
    StoreError,
    UsageError,
)
from horsesense.inference.control import Control
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.progress import Progress, progress, say
from horsesense.runs.accounts import named, own_account
from horsesense.runs.ask import plan_again
from horsesense.runs.asked import AskedRecord
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import SHARDS
from horsesense.runs.plan import Plan
from horsesense.runs.rounds import interrupted
from horsesense.runs.run import complete
from horsesense.runs.shard import Shard
from horsesense.runs.unanswered import trials_unanswered
from horsesense.stats.words import agreeing, plural
from horsesense_extras.workers.parts import Keep, Parts
from horsesense_extras.workers.schedule import Budget, Event, Schedule
from horsesense_extras.workers.work import Task, at_last, write_token

if TYPE_CHECKING:
    from horsesense_extras.integrations.ray_engine import RayEngine, RayPool

PROMPTS: Final = 2000
"""Prompts of a shard where nobody says how many shards there are."""
FEWEST: Final = 64
"""Shards of a small study: many more than workers, so that none waits long for the last."""
TICK: Final = 0.5
"""Seconds for which an event is waited for."""


def ask_with(
    engine: RayEngine,
    directory: RunDirectory,
    limits: Limits,
    *,
    max_connections: int | None = None,
    rate: float | None = None,
    tell: Callable[[str], None] = say,
    options: Mapping[str, Any] | None = None,
) -> tuple[RunSummary, Plan | None]:
    """Have workers ask what has no answer yet; see `runs.ask.ask`.

    Args:
        engine: where they run.
        directory: the run; the stores of its shards lie in its folder `shards`.
        limits: what all of them may spend, over all sessions.
        max_connections: requests that each has under way together.
        rate: requests a second that all of them may send.
        tell: is given what will be asked, before anything but a few probes is sent.
        options: of `make_model`.

    Returns what this session took, and what it was expected to take.

    Raises as `runs.ask.ask` does, and UsageError for a study that cannot be cut.
    """
    _check(directory)
    Control(rate)  # UsageError for one that cannot be
    layout, started = directory.layout, time.monotonic()
    keep = None if engine.keep is None else Keep(engine.keep)
    model = None if directory.record is None else directory.record.model

    def begin() -> None:
        assert model is not None, "no answer comes before the model was asked what it offers"
        directory.begin(model)

    # Before anything is written that workers of another driver of this run would see.
    with directory.hold(begin) as store:
        run = named(layout)
        parts = Parts(layout.root / SHARDS, keep, run)
        task = _task(directory, run, engine.keep, max_connections, options or {})
        accounts = parts.spent()
        own = own_account(layout, store, accounts)
        budget = Budget(limits, engine.workers, own, accounts)
        schedule, expected, before = Schedule(budget, engine.workers, rate), None, 0
        with engine.pool(task) as pool, _Crew(pool, schedule, engine.workers) as crew:
            crew.work(Progress("finding out what the model offers"))
            if schedule.found is not None:
                model, expected = schedule.found.model, _told(schedule, engine, limits, rate, tell)
                parts.gather(layout, store, parts.shards())  # of sessions that were killed
                before = store.answered()
                schedule.add(_shards(engine, expected))
                crew.work(Progress("asking", expected.trials, about=not expected.exact))
        if model is None:  # and no shard can be gathered
            _raise(directory, store, schedule, RunSummary())
        stored = {name for name, answers in schedule.stored.items() if answers}
        with progress("waiting to see what workers stored"):
            at_last(lambda: stored <= set(parts.shards()))
        took = parts.gather(layout, store, parts.shards())
        answered = 0 if schedule.found is None else store.answered() - before
        spent = _spent(schedule, answered, time.monotonic() - started)
        if took.different:
            twice = plural(len(took.different), "request", "were")
            tell(
                f"{twice} answered twice, and differently; the answer that was stored first is"
                " kept."
            )
        for fault in took.faults():
            tell(fault)
        _raise(directory, store, schedule, spent)
        with progress("planning the whole study"):
            complete(plan_again(directory, store))
        lost = _lost(directory, store, parts.found, schedule.stored)
    asked = AskedRecord.load(directory.layout.asked)  # which tells of the planning's nothing
    asked.spent = asdict(spent)
    asked.save(directory.layout.asked)
    reason = spent.stopped or ("failures" if spent.failed or lost else "")
    directory.mark("ask", "stopped" if reason else "complete", reason)
    if lost:
        where = layout.root / SHARDS if engine.keep is None else engine.keep
        raise StoreError(
            f"Workers stored answers to {plural(lost, 'request')}, which cannot be found at"
            f" {where}.",
            hint="It must be a place that this machine and all workers share. The same command"
            " asks again what is missing.",
        )
    return spent, expected


def _lost(
    directory: RunDirectory, store: Store, found: Mapping[str, int], stored: Mapping[str, int]
) -> int:
    """Requests that workers say they have stored answers to, and that have none here.

    Args:
        found: name of a shard -> answers that were found in its store.
        stored: the same, as the worker said that wrote it.
    """
    lost = sum(max(0, answers - found.get(name, 0)) for name, answers in stored.items())
    return min(lost, len(trials_unanswered(directory, store))) if lost else 0


def _task(
    directory: RunDirectory,
    run: str,
    keep: str | None,
    connections: int | None,
    options: Mapping[str, Any],
) -> Task:
    """What workers are told of a run; where they are to see its folder, it is made."""
    folder, token = directory.layout.root.absolute() / SHARDS, secrets.token_hex(8)
    if keep is None:
        write_token(folder, token)
    return Task(
        directory.settings,
        directory.items,
        directory.shots,
        directory.record,
        folder,
        run,
        token,
        directory.layout.store.absolute(),
        keep,
        dict(options),
        connections,
    )


def _check(directory: RunDirectory) -> None:
    """UsageError for a study that cannot be cut, or is a part already."""
    settings = directory.settings
    if settings.until is not None:
        raise UsageError(
            "--until decides from all answers together, and each worker sees its own alone.",
            hint="Leave out one of --engine and --until.",
        )
    if settings.shard is not None:
        raise UsageError(
            "--engine asks all shards of a study.", hint="Leave out one of --engine and --shard."
        )


def _told(
    schedule: Schedule,
    engine: RayEngine,
    limits: Limits,
    rate: float | None,
    tell: Callable[[str], None],
) -> Plan:
    """What asking is expected to take, which is told."""
    assert schedule.found is not None
    found = schedule.found
    expected = replace(found.expected, budget=limits.requests)  # the worker knows its lease alone
    for sentence in expected.sentences():
        tell(sentence)
    if schedule.spent.seconds and expected.to_ask:
        together = found.together * engine.workers
        tell(expected.pace(schedule.spent.seconds, together, rate or math.inf))
    return expected


def _shards(engine: RayEngine, expected: Plan) -> list[str]:
    """The shards of a study, of which a small one has no more than items."""
    fitting = max(math.ceil(expected.trials / PROMPTS), FEWEST)
    of = engine.shards or max(1, min(expected.items, fitting))
    return [str(Shard(number, of)) for number in range(1, of + 1)]


def _spent(schedule: Schedule, answered: int, seconds: float) -> RunSummary:
    """What a session took; calls of workers that died stand in the account alone."""
    return replace(
        schedule.spent,
        asked=schedule.done,
        cached=max(0, schedule.done - answered - schedule.failed),
        answered=answered,
        failed=schedule.failed,
        seconds=seconds,
        stopped=schedule.stopped,
    )


def _raise(directory: RunDirectory, store: Store, schedule: Schedule, spent: RunSummary) -> None:
    """Raise what ends the command early; what was answered is stored."""
    alarm = isinstance(schedule.error, LostRepliesError)
    if directory.record is not None and (alarm or schedule.stopped == "interrupted"):
        directory.mark("ask", "stopped", "alarm" if alarm else "interrupted")
    if schedule.error is not None:
        raise schedule.error
    if schedule.stopped == "interrupted":
        raise interrupted(spent, directory)
    name = directory.settings.model
    if directory.record is None and schedule.found is None:
        raise BudgetSpentError(
            f"The budget allows no request to find out what {name} offers.",
            hint="It is that of the run directory, over all sessions: give a larger --budget.",
        )
    if spent.failed and not store.answered():
        seen = "" if spent.last_failure is None else f": {spent.last_failure.message}"
        raise ModelError(
            f"{name} did not answer a single request{seen}",
            hint="No answer was stored. Mend the model or its address, and run it again.",
        )
    store.begin()


class _Crew:
    """The workers of a run: as many as are wanted, and another for each that dies.

    While it is entered, the first Ctrl-C finishes what is in flight and the second abandons it.
    What a cluster sends to end a job (SIGTERM) is taken for one.
    """

    def __init__(self, pool: RayPool, schedule: Schedule, workers: int) -> None:
        self._pool = pool
        self._schedule = schedule
        self._workers = workers
        self._idle: list[int] = []
        self._interrupts = 0
        self._stops = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._interrupt)
                for number in (signal.SIGINT, signal.SIGTERM)
            }
        for _ in range(self._workers):
            self._pool.start()
        return self

    def __exit__(self, *error: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def work(self, shown: Progress) -> None:
        """Hand out what is waiting until all of it is done, or nothing more is to be."""
        schedule = self._schedule
        shown.note = self._note
        with shown:
            while not schedule.finished:
                self._hand_out()
                for event in self._pool.events(TICK):
                    self._take(event)
                self._halt()
                shown.at(schedule.done, schedule.skipped)

    def _hand_out(self) -> None:
        """A job for everybody who has none, as far as there are any."""
        while self._idle and (job := self._schedule.next(self._idle[-1])) is not None:
            self._pool.give(self._idle.pop(), job)

    def _take(self, event: Event) -> None:
        """Note what happened to a worker."""
        if event.kind == "got_on":
            self._schedule.got_on(event.worker, event.standing)
            return
        if event.kind == "died":
            if event.worker in self._idle:
                self._idle.remove(event.worker)
            self._schedule.died(event.worker, event.why)
            if self._schedule.stopped is None:
                self._pool.start()
            return
        if event.outcome is None:
            self._schedule.ready()
        else:
            self._schedule.ended(event.worker, event.outcome)
        self._idle.append(event.worker)

    def _halt(self) -> None:
        """Have workers stop where the run ends: again after another Ctrl-C."""
        if self._interrupts:
            self._schedule.stop()
        wanted = max(self._interrupts, int(self._schedule.stopped is not None))
        while self._stops < wanted:
            self._pool.stop()
            self._stops += 1

    def _interrupt(self, *_: object) -> None:
        """Only count: a signal may come in the middle of anything."""
        self._interrupts += 1
        if self._interrupts > 2:
            raise KeyboardInterrupt
        if self._interrupts == 1:
            say("\nFinishing the requests in flight. Press Ctrl-C again to abandon them.")

    def _note(self) -> str:
        """Workers, deaths, failures and cost, for the progress line."""
        schedule, parts = self._schedule, [f"{plural(self._schedule.busy, 'worker')}"]
        if schedule.deaths:
            parts.append(f"{schedule.deaths} died and {agreeing(schedule.deaths, 'were')} replaced")
        if schedule.failed:
            parts.append(f"{schedule.failed:,} failed")
        if (cost := schedule.spent.cost) is not None:
            parts.append(f"cost {cost:.4g}")
        return ", ".join(parts)

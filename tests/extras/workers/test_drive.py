"""Workers that die at any time leave one run: nothing is asked again but what was in flight."""

from __future__ import annotations

import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from horsesense.api import Run
from horsesense.errors import (
    InterruptedRunError,
    InUseError,
    LostRepliesError,
    StoreError,
    UsageError,
)
from horsesense.files import read_whole
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.base import Model
from horsesense.models.registry import make_model
from horsesense.progress import Progress
from horsesense.runs.settings import Settings
from horsesense.testing.faults import FaultServer
from horsesense_extras.workers import drive, work
from horsesense_extras.workers.drive import ask_with
from horsesense_extras.workers.parts import Keep, Parts
from horsesense_extras.workers.schedule import Budget, Event, Schedule
from horsesense_extras.workers.work import Job, Outcome, Task, Worker
from studies import estimates, items_file

pytestmark = pytest.mark.thorough
CONNECTIONS = 4
PROBING = "Reply with the letter A."


class Killed(BaseException):
    """What stands for SIGKILL in a worker of this process."""


@dataclass
class Here:
    """An engine whose workers work in this process, one after the other, and die as planned.

    Attributes:
        dies: after how many calls of its model each worker that has a shard dies; the last of
            them hold for all further ones. None: never.
        unfit: how many workers die before they are ready.
        at: what to do when so many answers have come: (answers, action).
    """

    workers: int = 3
    shards: int | None = 5
    keep: str | None = None
    dies: Sequence[int | None] = (None,)
    unfit: int = 0
    at: tuple[int, Any] | None = None
    jobs: list[Job] = field(default_factory=list)
    buried: Callable[[Path], None] = lambda folder: None
    """Is called with the folder of the stores when a worker has died."""

    @contextmanager
    def pool(self, task: Task) -> Iterator[HerePool]:
        pool = HerePool(self, task)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(work, "make_model", pool.mortal)
            try:
                yield pool
            finally:
                pool.close()


class HerePool:
    """The workers of `Here`."""

    def __init__(self, engine: Here, task: Task) -> None:
        self.engine = engine
        self.task = task
        self.plan = deque(engine.dies)
        self.workers: list[Worker] = []
        self.gone: set[int] = set()
        self.happened: list[Event] = []
        self.given: deque[tuple[int, Job]] = deque()
        self.calls = self.answers = 0
        self.most: int | None = None

    def mortal(self, spec: str, **options: Any) -> Model:
        model = make_model(spec, **options)
        respond = model.respond

        async def until_death(batch: Any) -> Any:
            self.calls += 1
            if self.most is not None and self.calls > self.most:
                raise Killed
            found = await respond(batch)
            if self.most is not None and self.calls > self.most:
                raise Killed  # the answer comes to nobody
            self.answers += 1
            if self.engine.at is not None and self.answers == self.engine.at[0]:
                self.engine.at[1](self)
            return found

        model.respond = until_death  # type: ignore[method-assign]
        return model

    def start(self) -> int:
        number = len(self.workers)
        self.workers.append(Worker(self.task))
        unfit = number < self.engine.unfit
        self.gone |= {number} if unfit else set()
        self.happened.append(Event(number, "died" if unfit else "ready", why="no room"))
        return number

    def give(self, worker: int, job: Job) -> None:
        assert worker not in self.gone
        self.engine.jobs.append(job)
        self.given.append((worker, job))

    def events(self, seconds: float) -> Sequence[Event]:
        if self.given and not self.happened:
            self.happened.append(self.done(*self.given.popleft()))
        found, self.happened = self.happened, []
        return found

    def done(self, number: int, job: Job) -> Event:
        worker, self.calls = self.workers[number], 0
        self.most = None
        if job.shard is not None:
            self.most = self.plan[0] if len(self.plan) == 1 else self.plan.popleft()
        try:
            return Event(number, "done", worker.work(job))
        except Killed:
            self.gone.add(number)
            worker.close()
            self.engine.buried(self.task.folder)
            return Event(number, "died", why="killed")

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()

    def close(self) -> None:
        for number, worker in enumerate(self.workers):
            if number not in self.gone:
                worker.close()


def stored(folder: Path) -> set[str]:
    """Prompts that have an answer in one of the stores of a folder."""
    found = set()
    for path in folder.glob("*/store.sqlite"):
        with Store.open(path, read_only=True) as store:
            for request, _ in store.latest(10_000):
                found.add((request.messages or ((None, request.text),))[-1][1])
    return found


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine fails in these tests, but workers on it."""
    monkeypatch.setattr("horsesense.inference.store._SYNC_EVERY", float("inf"))


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


def run_of(path: Path, server: FaultServer, **settings: Any) -> Run:
    """A run over 12 items, of which no two ask the same."""
    items = items_file(path.parent / "items.jsonl", 12)
    asks = {"items": str(items), "model": f"http:m@{server.url}", "probes": ("order",), **settings}
    return Run.start(path, Settings.of(**asks, no_preflight=True))


def ask(run: Run, engine: Here | None = None, **more: Any) -> Any:
    return run.ask(engine=engine, max_connections=CONNECTIONS, tell=None, **more)


def times(server: FaultServer) -> dict[str, int]:
    """How often each prompt of the study was asked, and not to find out what the model offers."""
    return {prompt: n for prompt, n in server.sent.items() if prompt != PROBING}


def test_workers_that_die_leave_one_run_and_ask_again_what_was_in_flight(
    tmp_path: Path, server: FaultServer
) -> None:
    ask(whole := run_of(tmp_path / "whole", server))
    asked = times(server)
    server.sent.clear()
    stored_then: list[tuple[str, int]] = []
    engine = Here(
        dies=(3, None, 7, 2, 5, None, 1, None),
        buried=lambda folder: stored_then.extend((p, server.sent[p]) for p in stored(folder)),
    )
    spent = ask(run := run_of(tmp_path / "run", server), engine)
    again = {prompt: n for prompt, n in times(server).items() if n > 1}
    assert times(server).keys() == asked.keys()
    assert sum(n - 1 for n in again.values()) <= CONNECTIONS * 5
    assert stored_then
    assert all(server.sent[prompt] == n for prompt, n in stored_then)
    assert spent.answered == len(asked)
    assert spent.complete
    assert estimates(run) == estimates(whole)
    assert run.verify().sound


def test_replies_that_are_lost_stop_all_workers(tmp_path: Path) -> None:
    """A worker looks at the replies of all its shards together."""
    with FaultServer(answer=lambda prompt: "") as server:
        ask(run_of(tmp_path / "whole", server, stop_if="never"))
        every = times(server).keys()
        server.sent.clear()
        run = run_of(tmp_path / "run", server)
        with pytest.raises(LostRepliesError, match=r"50 are lost \(50 empty\)"):
            ask(run, Here(workers=1, shards=6))
        assert 50 <= len(times(server)) < len(every)
        assert run.directory.known.stages["ask"].reason == "alarm"


def test_what_workers_keep_elsewhere_becomes_one_run(tmp_path: Path, server: FaultServer) -> None:
    pytest.importorskip("fsspec")
    ask(whole := run_of(tmp_path / "whole", server))
    kept = (tmp_path / "kept").as_uri()
    engine = Here(dies=(5, None, 3, None), shards=3, keep=kept)
    ask(run := run_of(tmp_path / "run", server), engine)
    names = Keep(kept).names()
    assert len({name.partition(".")[0] for name in names} - {"probe"}) == 3
    assert not (tmp_path / "run" / "shards").exists()
    assert estimates(run) == estimates(whole)
    server.sent.clear()
    again = run_of(tmp_path / "again", server)  # nothing of it is here: all of it is kept
    assert ask(again, Here(shards=3, keep=kept)).answered == 0
    assert not times(server)
    assert estimates(again) == estimates(whole)
    modes = {path.stat().st_mode & 0o77 for path in (tmp_path / "kept").iterdir()}
    assert modes == {0} or os.name == "nt"


def test_answers_that_cannot_be_gathered_are_trouble(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setattr(Keep, "names", lambda *args: [])  # as where each machine has its own
    monkeypatch.setattr(work, "LINGERING", 0)
    run = run_of(tmp_path / "run", server)
    with pytest.raises(StoreError, match=r"answers to 60 requests, which cannot be found at"):
        ask(run, Here(shards=2, keep=(tmp_path / "kept").as_uri()))
    assert run.directory.known.stages["ask"].state == "stopped"


def test_an_address_belongs_to_one_study(tmp_path: Path, server: FaultServer) -> None:
    pytest.importorskip("fsspec")
    engine = Here(shards=2, keep=(tmp_path / "kept").as_uri())
    ask(run_of(tmp_path / "run", server), engine)
    server.sent.clear()
    other = run_of(tmp_path / "other", server, model=f"http:another@{server.url}")
    with pytest.raises(UsageError, match="holds answers of another study"):
        ask(other, engine)
    assert not server.sent
    damaged = next((tmp_path / "kept").glob("00001*.sqlite"))
    damaged.write_bytes(b"nothing like a store" * 50)
    with pytest.raises(StoreError, match=rf"kept/{damaged.name}: the file is not") as error:
        ask(run_of(tmp_path / "again", server), engine)
    assert "Move it away" in str(error.value.hint)


def test_a_budget_holds_over_all_workers_deaths_and_sessions(
    tmp_path: Path, server: FaultServer
) -> None:
    run = run_of(tmp_path / "run", server)
    for most in (15, 30):
        spent = ask(run, Here(dies=(4, None, 6, None)), limits=Limits(requests=most))
        assert spent.stopped == "budget"
        assert server.sent.total() <= most
        run = run_of(tmp_path / "run", server)
    with run.directory.store() as store:
        [account] = store.spent().values()
    assert server.sent.total() <= account.requests <= 30
    assert ask(run, Here()).stopped is None
    assert all(n <= 2 for n in times(server).values())


def test_one_process_takes_over_what_a_killed_driver_left(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path / "run", server)
    engine = Here(workers=1, shards=6)
    with monkeypatch.context() as patch:
        patch.setattr(HerePool, "events", dies_after(engine, jobs=4))
        patch.setattr(drive, "TICK", 0.0)
        with pytest.raises(Killed):
            ask(run, engine, limits=Limits(requests=50))
    sent = server.sent.total()
    assert 10 < sent < 50
    run = run_of(tmp_path / "run", server)
    assert ask(run, limits=Limits(requests=50)).stopped == "budget"
    assert sent < server.sent.total() <= 50
    assert set(times(server).values()) == {1}
    with run.directory.store() as store:
        assert sum(one.requests for one in store.spent().values()) <= 50
    assert ask(run).complete
    assert set(times(server).values()) == {1}
    assert run.verify().sound


def test_progress_tells_what_arrives_while_a_shard_is_asked() -> None:
    """A shard may take minutes: its worker says meanwhile how far it is."""
    schedule, now = Schedule(Budget(Limits(), 2), workers=2), [0.0]
    schedule._waiting.clear()
    schedule.add(["1/2", "2/2"])
    told: list[str] = []

    class Slow:
        """Workers that get on, of which one dies."""

        def __init__(self) -> None:
            happens: list[Event] = [
                *(Event(worker, "ready") for worker in (0, 1)),
                *(Event(0, "got_on", standing=(n, 10)) for n in (30, 70)),
                *(Event(1, "got_on", standing=(50, 0)), Event(1, "died", why="killed")),
                *(Event(2, "ready"), Event(2, "got_on", standing=(60, 50))),
                Event(2, "done", Outcome(RunSummary(cached=50, answered=20), Spent(), answers=70)),
                Event(0, "done", Outcome(RunSummary(cached=10, answered=70), Spent(), answers=80)),
            ]
            self.happens, self.begun = deque(happens), count()
            self.give = self.stop = lambda *given: None

        def start(self) -> int:
            return next(self.begun)

        def events(self, seconds: float) -> Sequence[Event]:
            now[0] += 30
            told.append(shown.line(now[0]).removeprefix("asking: "))
            return [self.happens.popleft()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("horsesense.progress.time.monotonic", lambda: now[0])
        shown = Progress("asking", 150, StringIO())
        pool: Any = Slow()
        with drive._Crew(pool, schedule, 2) as crew:
            crew.work(shown)
    done = [int(line.split()[0]) for line in told[3:]] + [shown.done]
    assert done == [30, 70, 120, 70, 70, 130, 140, 150]
    assert [line for line in told if "nothing new" in line] == []
    assert "1 died and was replaced" in told[-1]
    assert (schedule.skipped, shown.skipped) == (60, 60)


def spent(run: Run) -> int:
    """Requests in the account of a run."""
    with run.directory.store() as store:
        return sum(one.requests for one in store.spent().values())


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_the_end_of_a_job_leave_a_run_that_continues(
    tmp_path: Path, server: FaultServer, number: signal.Signals
) -> None:
    def interrupt(pool: HerePool) -> None:
        os.kill(os.getpid(), number)
        pool.happened.append(Event(-1, "died"))  # look now, and not when the shard is done

    run = run_of(tmp_path / "run", server)
    with pytest.raises(InterruptedRunError, match=r"Stopped after \d+ answers"):
        ask(run, Here(at=(10, interrupt)))
    sent = len(times(server))
    assert 0 < sent < 40
    assert run.directory.known.stages["ask"].reason == "interrupted"
    run.measure()
    assert run.results.findings["unread"]
    assert ask(run, Here()).complete
    assert set(times(server).values()) == {1}


def test_a_second_driver_is_refused_and_the_first_goes_on(
    tmp_path: Path, server: FaultServer
) -> None:
    refused: list[str] = []

    def again(pool: HerePool) -> None:
        token = (pool.task.folder / "driver").read_bytes()
        other = run_of(tmp_path / "run", server).directory
        with pytest.raises(InUseError) as error:
            ask_with(Here(), other, Limits())
        refused.append(error.value.message)
        assert (pool.task.folder / "driver").read_bytes() == token

    run = run_of(tmp_path / "run", server)
    assert ask(run, Here(at=(10, again))).complete  # nothing is in its own store yet
    assert "is in use by another run" in refused[0]
    more = run_of(tmp_path / "run", server, probes=("order", "labels"))
    assert ask(more, Here(at=(10, again))).complete
    assert len(refused) == 2


def dies_after(engine: Here, jobs: int) -> Callable[[HerePool, float], Sequence[Event]]:
    """`HerePool.events` that raises `Killed` once so many jobs were given."""
    events = HerePool.events

    def until_death(pool: HerePool, seconds: float) -> Sequence[Event]:
        if len(engine.jobs) >= jobs:
            raise Killed
        return events(pool, seconds)

    return until_death


def test_names_that_come_late_are_waited_for(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a network folder: a worker sees the run a second late, and the driver the stores."""
    slept, shards = list[float](), Parts.shards
    clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=slept.append)
    monkeypatch.setattr(work, "time", clock)
    monkeypatch.setattr(
        work, "read_whole", lambda *of, **how: read_whole(*of, **how) if slept else b""
    )
    monkeypatch.setattr(Parts, "shards", lambda parts: shards(parts) if len(slept) > 1 else [])
    assert ask(run_of(tmp_path / "run", server), Here(shards=2)).complete
    assert len(slept) == 2


def test_workers_that_do_not_see_the_run_are_told(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "LINGERING", 0)
    run = run_of(tmp_path / "run", server)

    class Elsewhere(Here):
        def pool(self, task: Task) -> Any:
            return super().pool(replace(task, folder=tmp_path / "other"))

    with pytest.raises(UsageError, match="does not see the folder") as error:
        ask(run, Elsewhere())
    assert "--keep" in str(error.value.hint)
    assert not server.sent


def test_the_rate_is_that_of_all_workers(tmp_path: Path, server: FaultServer) -> None:
    engine = Here(workers=3)
    ask(run_of(tmp_path / "run", server), engine, rate=900.0)
    assert {job.rate for job in engine.jobs} == {300.0}


@pytest.mark.parametrize(
    ("settings", "match"), [({"until": "decided"}, "--until"), ({"shard": "1/2"}, "--shard")]
)
def test_what_cannot_be_cut_is_refused(
    tmp_path: Path, server: FaultServer, settings: dict[str, str], match: str
) -> None:
    with pytest.raises(UsageError, match=match):
        ask(run_of(tmp_path / "run", server, **settings), Here())
    assert not server.sent


def test_keys_stay_in_the_environment_of_each_machine(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-of-mine")
    tasks: list[bytes] = []

    class Seen(Here):
        def pool(self, task: Task) -> Any:
            tasks.append(pickle.dumps(task))
            return super().pool(task)

    ask(run_of(tmp_path / "run", server), engine := Seen(), key_env="MY_KEY")
    assert server.headers["Authorization"] == "Bearer sk-secret-of-mine"
    assert b"MY_KEY" in tasks[0]
    assert b"sk-secret" not in tasks[0] + pickle.dumps(engine.jobs)
    stored = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not any(b"sk-secret" in content for content in stored)

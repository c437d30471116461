"""What a worker does: it asks one shard after the other, each into a store of its own.

A worker holds the model for as long as it lives. It may be killed at any time: what it had stored
is there for the next attempt at the shard, and only what was in flight is asked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Final, TypeVar

from horsesense.errors import HorsesenseError, InUseError, UsageError
from horsesense.files import read_whole, write_whole
from horsesense.inference.absorb import Seeded, absorb
from horsesense.inference.control import Control
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.items.item import ItemSet
from horsesense.models.base import Model
from horsesense.models.registry import make_model
from horsesense.progress import Progress
from horsesense.rng import fingerprint
from horsesense.runs.accounts import most_spent
from horsesense.runs.ask import ask_as, described_model, expectation
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.plan import Plan
from horsesense.runs.prepare import Study
from horsesense.runs.record import ModelRecord, RunRecord
from horsesense.runs.settings import Settings
from horsesense.runs.watch import Watch
from horsesense_extras.workers.parts import Copying, Keep, run_of

T = TypeVar("T")

PROBE: Final = "probe"
"""Name of the store on whose account the model is asked what it offers."""
LINGERING: Final = 30
"""Seconds that a worker which was taken for dead may still hold the store of its shard, and after
which a network folder shows a name that another machine has made."""
_TOKEN: Final = "driver"


@dataclass(frozen=True)
class Task:
    """What every worker of a run is given once.

    Attributes:
        settings, items, shots, record: of the run, as in its directory.
        folder: where the stores of shards lie, for workers that see it.
        run: name of the run: what its workers send stands in its account alone.
        token: what a file there holds, by which they know that it is the same folder.
        seed: the run's own store: what it holds is not asked again by workers that see it.
        keep: address where stores are kept, for workers that write to disks of their own.
        options: of `make_model`, such as the name of the variable that holds the key.
        max_connections: requests that each worker has under way together.
    """

    settings: Settings
    items: ItemSet
    shots: ItemSet | None
    record: RunRecord | None
    folder: Path
    run: str
    token: str
    seed: Path
    keep: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    max_connections: int | None = None


@dataclass(frozen=True)
class Job:
    """A shard to be asked, or the model to be asked what it offers where `shard` is None.

    Attributes:
        limits: the lease of the shard: what its account may come to.
        model: what is written down of the model.
        rate: requests a second that this worker may send.
        expected: what asking is expected to take of this worker, over all its shards.
    """

    shard: str | None
    limits: Limits
    model: ModelRecord | None = None
    rate: float | None = None
    expected: Plan | None = None


@dataclass(frozen=True)
class Outcome:
    """How a job ended.

    Attributes:
        spent: what this attempt took.
        account: what the store of the shard says that all attempts took.
        found: what the model offers, where that was the job.
        error: why it ended early, where the whole run must end.
        answers: what is in the store of the shard.
    """

    spent: RunSummary
    account: Spent
    found: Found | None = None
    error: HorsesenseError | None = None
    answers: int = 0


@dataclass(frozen=True)
class Found:
    """What is known before a shard is asked.

    Attributes:
        model: who it is, and what it offers.
        expected: what asking is expected to take.
        together: requests that one worker has under way together.
    """

    model: ModelRecord
    expected: Plan
    together: int


class _Count(Progress):
    """Progress that nobody sees: the driver tells of its shards."""

    def alive(self) -> None:
        """Show nothing."""


class Worker:
    """Asks shards, one at a time; `stop` may be called meanwhile."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._loop = asyncio.new_event_loop()
        self._model: Model | None = None
        self._control = Control()
        self._stopping = self._claimed = False
        self._watch: Watch | None = None
        self._shown: Progress | None = None

    def standing(self) -> tuple[int, int]:
        """Requests of the shard in hand that are done, and those of them that took no work."""
        shown = self._shown
        return (0, 0) if shown is None else (shown.done, shown.skipped)

    def stop(self) -> None:
        """Send no more; what is in flight is finished. A second call abandons it."""
        self._stopping = True
        self._control.stop()

    def close(self) -> None:
        """Give the model's resources free."""
        if self._model is not None:
            self._run(self._model.__aexit__(None, None, None))
            self._model = None
        self._loop.close()

    def work(self, job: Job) -> Outcome:
        """Do a job. What goes wrong with it is in the outcome; defects are raised."""
        before, self._control = self._control, Control(job.rate)
        self._control.follow(before)  # else each shard would begin with requests ahead of the rate
        if self._stopping:
            self._control.stop()
        account, answers, self._shown = Spent(), 0, None
        try:
            with self._place(job.shard) as layout:
                try:
                    if job.shard is None:
                        spent, found = self._run(self._find_out(layout, job.limits))
                    else:
                        spent, found = self._run(self._ask(layout, job)), None
                finally:
                    account, answers = left_in(layout.store)
        except HorsesenseError as error:
            return Outcome(self._control.spent, account, error=error, answers=answers)
        return Outcome(spent, account, found, answers=answers)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    @contextlib.contextmanager
    def _place(self, shard: str | None) -> Iterator[RunLayout]:
        """Where the store of a shard lies, or is brought to and kept from."""
        name = PROBE if shard is None else folder_name(shard)
        if self._task.keep is None:
            _check_seen(self._task)
            yield RunLayout.at(self._task.folder / name)
            return
        keep = Keep(self._task.keep)
        self._claim(keep)
        scratch = Path(mkdtemp(prefix="horsesense-"))
        layout = RunLayout.at(scratch / name)
        copying = Copying(keep, layout.store, name, self._task.run)
        try:
            fetch(keep, name, layout.store, self._task.run)
            with copying:
                yield layout
        finally:
            if not copying.left:
                shutil.rmtree(scratch, ignore_errors=True)

    def _claim(self, keep: Keep) -> None:
        """Have the address hold answers of this model, as this machine has it, to these items.

        Raises UsageError where it holds others, before anything is asked.
        """
        if not self._claimed:
            model = self._run(self._entered())
            keep.claim(fingerprint([model.identity, self._task.items.fingerprint]))
            self._claimed = True

    async def _entered(self) -> Model:
        """The model, made and entered when it is first needed."""
        if self._model is None:
            model = make_model(self._task.settings.model, **self._task.options)
            self._model = await model.__aenter__()
        return self._model

    async def _find_out(self, layout: RunLayout, limits: Limits) -> tuple[RunSummary, Found]:
        """What the model offers and what asking it is expected to take."""
        model, directory = await self._entered(), self._directory(layout, None)
        with ExitStack() as stack:
            store = stack.enter_context(Store.open(layout.store))
            seed = self._seed()
            known = store if seed is None else stack.enter_context(seed)
            expected = await expectation(directory, model, known, limits)
            described, probed = await described_model(directory, model, store, limits)
        together = self._task.max_connections or model.max_connections
        return probed, Found(described, expected, together)

    async def _ask(self, layout: RunLayout, job: Job) -> RunSummary:
        """Ask what is about the items of a shard."""
        assert job.model is not None, "the model is found out about first"
        model, directory = await self._entered(), self._directory(layout, job.shard)
        if model.identity != job.model.identity:
            raise UsageError(
                f"A worker on {platform.node()} has {model.identity}; this run asks"
                f" {job.model.identity}.",
                hint="Give all machines the same weights and the same OPENAI_BASE_URL, or write the"
                " address into --model.",
            )
        with ExitStack() as stack:
            store = await _free(layout.store, partial(directory.begin, job.model))
            store.seed = self._seed()
            if store.seed is not None:
                stack.enter_context(store.seed)
            # That nothing in a shard has an answer is no reason to end the run.
            stack.enter_context(store).begin()
            self._shown = _Count("asking")
            return await ask_as(
                directory,
                model,
                job.model,
                job.limits,
                self._task.max_connections,
                store=store,
                control=self._control,
                shown=self._shown,
                watched=partial(self._watched, job.expected) if job.expected else None,
            )

    def _watched(self, expected: Plan, study: Study) -> Watch:
        """What looks at the replies of all shards of this worker, and says no forecast."""
        self._watch = self._watch or Watch(expected, Limits(), lambda sentence: None, study)
        return self._watch

    def _directory(self, layout: RunLayout, shard: str | None) -> RunDirectory:
        task = self._task
        record = RunRecord.load(layout.record) if layout.record.exists() else task.record
        settings = task.settings.model_copy(update={"shard": shard})
        made = _ShardDirectory if task.keep is None else _Scratch
        return made(layout, settings, task.items, task.shots, record)

    def _seed(self) -> Store | None:
        """The run's own store, where this worker sees one."""
        path = self._task.seed
        return Store.open(path, read_only=True) if path.exists() else None


class _ShardDirectory(RunDirectory):
    """A shard's run, which shares the file of its items with the other shards beside it."""

    def save_items(self) -> None:
        shared = self.layout.root.parent / f"items-{self.items.fingerprint}.json"
        if not shared.exists():
            super().save_items()
            with contextlib.suppress(OSError):
                os.link(self.layout.items, shared)
            return
        self.layout.items.unlink(missing_ok=True)
        try:
            os.link(shared, self.layout.items)
        except OSError:  # a file system without links
            super().save_items()


class _Scratch(RunDirectory):
    """A shard's run of which the store alone will be kept."""

    def save_items(self) -> None:
        """Nobody reads them here."""


def write_token(folder: Path, token: str) -> None:
    """Put into a folder by what workers know it; StoreError where the disk refuses."""
    write_whole(folder / _TOKEN, token)


def _check_seen(task: Task) -> None:
    """UsageError where this machine does not see the folder of the run."""

    def seen() -> bool:
        with contextlib.suppress(OSError):
            return read_whole(task.folder / _TOKEN, inside=True).decode() == task.token
        return False

    if not at_last(seen):
        raise UsageError(
            f"A worker on {platform.node()} does not see the folder {task.folder} of the run.",
            hint="Choose an --out on a disk that all machines share, or have answers kept"
            " elsewhere: --keep s3://BUCKET/FOLDER.",
        )


def at_last(seen: Callable[[], bool]) -> bool:
    """Whether something is seen in a folder of all machines, where names may come late."""
    end = time.monotonic() + LINGERING
    while not (there := seen()) and time.monotonic() < end:
        time.sleep(1.0)
    return there


async def _free(path: Path, begin: Callable[[], None]) -> Seeded:
    """The store of a shard, once whoever was taken for dead has let go of it."""
    for _ in range(LINGERING):
        with contextlib.suppress(InUseError):
            return Seeded.lazy(path, begin)
        await asyncio.sleep(1.0)
    return Seeded.lazy(path, begin)


def folder_name(shard: str) -> str:
    """The name under which a shard's store lies: "3/64" -> "00003-of-00064".

    >>> folder_name("3/64")
    '00003-of-00064'
    """
    number, of = shard.split("/")
    return f"{int(number):05d}-of-{int(of):05d}"


def left_in(path: Path) -> tuple[Spent, int]:
    """What a store says was spent, all models together, and its answers; 0 where there is none."""
    if not path.exists():
        return Spent(), 0
    with Store.open(path, read_only=True) as store:
        return sum(store.spent().values(), start=Spent()), store.answered()


def fetch(keep: Keep, name: str, to: Path, run: str = "") -> None:
    """Make a store of all that earlier attempts at a shard have kept; of what `run` spent alone."""
    with TemporaryDirectory(prefix="horsesense-") as scratch, ExitStack() as stack:
        opened = (keep.opened(each, Path(scratch)) for each in keep.names(name))
        kept = list(map(stack.enter_context, opened))
        if not kept:
            return
        with Store.open(to) as store:
            absorb(store, kept)
            own = most_spent(each for each in kept if run_of(each.path) == run)
            for identity, spent in own.items():
                store.keep_spent(identity, spent)

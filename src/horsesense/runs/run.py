"""A run: one object for everything that can be done with a study, stage by stage.

    ask -> read -> measure -> report

Each stage takes the run and nothing that the run could tell it, can be repeated, and continues
where it stopped. Only `ask` needs a model; everything else works from the run's own files.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Self, TypeVar

import polars as pl

from horsesense.errors import InterruptedRunError, StoreError, UsageError
from horsesense.files import usable
from horsesense.hosts import opened
from horsesense.inference.control import Control
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.inference.stored_rows import Verification
from horsesense.items.item import ItemSet
from horsesense.kept import ChangedError
from horsesense.measures.base import Estimate
from horsesense.models.base import Model
from horsesense.progress import progress, say
from horsesense.readers.base import Reader
from horsesense.readers.model_based.make import is_model_reader
from horsesense.readers.registry import installed, make_reader, named_here
from horsesense.runs import ask, read
from horsesense.runs.damage import mend, verify
from horsesense.runs.directory import RunDirectory
from horsesense.runs.frames import estimates_frame, readings_frame, trials_frame
from horsesense.runs.layout import convert_if_old
from horsesense.runs.parts import readable
from horsesense.runs.plan import Plan
from horsesense.runs.prepare import reader_names
from horsesense.runs.redacted import refuse_redacted, unpacked
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings
from horsesense.runs.start import start
from horsesense.stats.words import plural

T = TypeVar("T")
AFTER = (50_000, 10, 10)
"""New objects after which the garbage collector looks while a stage works; Python's own is 700."""


class StagedRun:
    """A study in a directory of its own.

    >>> run = hs.open("runs/mmlu")              # doctest: +SKIP
    >>> run.read("text", "pride")                # doctest: +SKIP
    >>> run.measure()                            # doctest: +SKIP
    >>> run.estimate("accuracy").value           # doctest: +SKIP
    """

    def __init__(self, directory: RunDirectory) -> None:
        self.directory = directory
        self.expected: Plan | None = None
        """What the last call of `ask` was expected to take."""
        self.own = False
        """Whether the caller's settings made it; any other may be somebody else's, whose files name
        no server that gets a key, and no model that is asked."""
        self._results: Results | None = None
        self._measured: Results | None = None

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The run in a directory, or in a file that `export --redacted` wrote.

        One made by 0.1.0 is converted once, its files are kept. Raises StoreError where there is
        none, or it cannot be used.
        """
        place = unpacked(usable(path))
        convert_if_old(place)
        return cls(RunDirectory.open(place))

    @classmethod
    def start(cls, out: str | Path, settings: Settings, items: ItemSet | None = None) -> Self:
        """A run to be asked: new, or continued where `out` holds one. Nothing is written yet.

        Raises UsageError, ItemsError or StoreError (see `runs.start.start`).
        """
        convert_if_old(usable(out), unfinished="keep")
        run = cls(start(out, settings, items))
        run.own = True
        return run

    def __repr__(self) -> str:
        place, items = str(self.directory.layout.root), self.directory.items
        record = self.directory.record
        done = "nothing yet" if record is None else ", ".join(record.stages) or "nothing yet"
        model = "?" if record is None else record.model.name
        return (
            f"Run({place!r}, {plural(len(items), 'item')} of {items.name}, {model}, done: {done})"
        )

    # -- what it is ------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The run directory."""
        return self.directory.layout.root

    @property
    def items(self) -> ItemSet:
        """The items as they were audited."""
        return self.directory.items

    @property
    def settings(self) -> Settings:
        """What was asked."""
        return self.directory.settings

    @property
    def trials(self) -> pl.DataFrame:
        """What was asked, one row per trial and item; columns in `runs.frames.TRIAL_COLUMNS`."""
        return trials_frame(self.directory)

    @property
    def readings(self) -> pl.DataFrame:
        """What was understood, one row per reading; columns in `runs.frames.READING_COLUMNS`."""
        return readings_frame(self.directory)

    @property
    def estimates(self) -> pl.DataFrame:
        """What was measured, one row per estimate; columns in `runs.frames.ESTIMATE_COLUMNS`."""
        return estimates_frame(self.results)

    @property
    def results(self) -> Results:
        """Estimates and findings as objects; StoreError where nothing was measured yet."""
        if "measure" not in self.directory.known.stages:
            raise StoreError(
                f"{self.path} has not been measured since it was asked or read.",
                hint=f"Run.measure() or horsesense report {self.path} does so.",
            )
        if self._results is None:
            self.directory.check_given()
            try:
                self._results = Results.load(self.directory)
            except StoreError as error:
                if not isinstance(error.__context__, ChangedError):
                    raise
                return self.measure()
        return self._results

    @property
    def findings(self) -> dict[str, Any]:
        """What estimates.json holds, but for the estimates."""
        return dict(self.results.findings)

    def estimate(self, measure: str, probe: str = "original", **where: str) -> Estimate:
        """The one estimate of a measure under a probe; `where`: condition, reader, group.

        UsageError suggests what is meant where there is none, and lists them where several match.
        """
        return self.results.estimate(measure, probe, **where)

    # -- stages ----------------------------------------------------------------------------

    def ask(
        self,
        model: Model,
        *,
        limits: Limits = UNLIMITED,
        max_connections: int | None = None,
        tell: Callable[[str], None] | None = say,
        rate: float | None = None,
    ) -> RunSummary:
        """Ask what has no answer yet, and say what that took.

        Nothing is written before the first answer has come. `tell` is given what will be asked,
        a sentence at a time, before anything is sent; by default it is said on stderr. `rate` is
        the most requests that are sent in a second.

        Raises:
            UsageError: the run holds answers of another model.
            ModelError: the model cannot be reached, or answers nothing.
            InterruptedRunError: stopped by the user; the same call continues.
            StoreError: the answers cannot be stored.
        """
        refuse_redacted(self.directory)
        self._results = None
        if self.directory.record is not None:
            mend(self.directory)
        spent, self.expected = complete(self._ask(model, limits, max_connections, tell, rate))
        return spent

    def plan(self, model: Model) -> None:
        """Write down what would be asked, for a model that is asked later or by files.

        Raises UsageError, ModelError or StoreError as `ask` does before anything is asked, and
        UsageError where answers lie in the run already.
        """
        if self.directory.layout.store.exists():
            with self.directory.store() as store:
                if store.answered():
                    raise UsageError(
                        f"{self.path} holds answers already; a plan would take their numbers away.",
                        hint="Plan without --out, or name another. The same audit continues it.",
                    )
        self._results = None
        with self.naming():
            complete(self._plan(model))

    async def _plan(self, model: Model) -> None:
        async with model as entered:
            await ask.plan_only(self.directory, entered)

    async def _ask(
        self,
        model: Model,
        limits: Limits,
        connections: int | None,
        tell: Callable[[str], None] | None,
        rate: float | None,
    ) -> tuple[RunSummary, Plan]:
        control = Control(rate)
        async with AsyncExitStack() as stack:
            with progress("getting the model ready"):
                entered = await stack.enter_async_context(model)
            return await ask.ask(self.directory, entered, limits, connections, tell, control)

    def read(
        self, *readers: str, limits: Limits = UNLIMITED, max_connections: int | None = None
    ) -> RunSummary:
        """Read every answer with these readers, by default with those of the settings.

        What is read already with the same version of a reader is not read again; readings of
        other readers stay. A judge or a trained reader that a run of others names is not made,
        unless it is named here. What judges took is returned.

        Raises UsageError for an unknown reader, ModelError where a judge cannot be reached.
        """
        refuse_redacted(self.directory)
        record = self.directory.known
        with self.naming(*readers):
            names = readers or reader_names(self.settings, self.items, record.model)
            made, left = _made(names), sorted({*names} - {*named_here(names)})
            stay = record.readers if readers else left
            kept = {name: record.readers[name] for name in stay if name in record.readers}
            if ask := [name for name in left if name not in kept]:
                say(f"{', '.join(ask)}: not used, since a file names it. Name it with --readers.")
            for name in set(kept) - {reader.name for reader in made}:
                # What is there is brought up to date, unless the plug-in that read it is gone.
                with contextlib.suppress(UsageError):
                    made += _made([name])
            for reader in made:
                kept.pop(reader.name, None)
            return complete(self._read(made, kept, limits, max_connections))

    def naming(self, *words: object) -> AbstractContextManager[None]:
        """Where a run was opened, these words alone name servers that get a key, and models."""
        return contextlib.nullcontext() if self.own else opened(*words)

    async def _read(
        self,
        made: Sequence[Reader],
        kept: Mapping[str, str],
        limits: Limits,
        max_connections: int | None = None,
    ) -> RunSummary:
        """Read; trials that an interruption left unplanned are made again first."""
        with self.directory.writing() as store, readable(self.path):
            if self.directory.asked() is None:
                await ask.plan_again(self.directory, store)
            spent = await read.read(self.directory, store, made, limits, kept, max_connections)
        self._results = None
        if spent.stopped == "interrupted":
            raise InterruptedRunError(
                f"Stopped while a judge was reading: {spent.costs()}.",
                hint="The same command continues; judgements that are stored are not asked again.",
            )
        return spent

    def measure(self) -> Results:
        """Compute every measure anew from what was read, and write estimates.json.

        A run that was interrupted is first read, as far as no model is needed for that.
        """
        refuse_redacted(self.directory)
        with self.naming():
            return self._measure()

    def _measure(self) -> Results:
        from horsesense.runs.measure import measure  # the model need not wait for it

        mended = mend(self.directory)
        known = self.directory.known.readers
        if mended or not known or self.directory.asked() is None:
            names = reader_names(self.settings, self.items, self.directory.known.model)
            offline = [name for name in names if not is_model_reader(name) and installed(name)]
            kept = {name: known[name] for name in known if mended and name not in offline}
            complete(self._read(_made(offline), kept, UNLIMITED))
        with self.directory.writing(), readable(self.path), progress("measuring"):
            self._results = self._measured = measure(self.directory)
        return self._results

    def measured(self) -> Results:
        """The estimates of what lies there now, measured here; once, while nothing changes."""
        from horsesense.runs.made_of import made_of

        if self._results is not None and self._results is self._measured:
            return self._results
        stage = self.directory.known.stages.get("measure")
        same = stage is not None and stage.reason and stage.reason == made_of(self.directory)
        return self.results if same else self.measure()

    def verify(self) -> Verification:
        """Derive every hash of the run again; names what does not match."""
        return verify(self.directory)


def _made(names: Iterable[str]) -> list[Reader]:
    """Readers by name, each once; UsageError for an unknown one."""
    return list({reader.name: reader for reader in map(make_reader, named_here(names))}.values())


def complete(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is already running (notebooks).

    There it runs in a thread of its own, which Ctrl-C in the notebook ends: what was answered by
    then is stored.

    Meanwhile the garbage collector looks less often: trials and replies form no cycles, and going
    through all of them again and again took half of the time in which they are made.
    """
    before = gc.get_threshold()
    if 0 < before[0] < AFTER[0]:  # who has switched it off, or set it themselves, knows better
        gc.set_threshold(*AFTER)
    try:
        return _completed(work)
    finally:
        gc.set_threshold(*before)


def _completed(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=_loop) as runner:
            return runner.run(work)
    loop = _loop()
    task = loop.create_task(work)
    done = threading.Event()
    threading.Thread(target=_run_to_its_end, args=(loop, task, done)).start()
    try:
        # Not Thread.join: interrupted, it may take a thread that still runs for one that ended.
        while not done.wait(0.1):
            pass
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        done.wait()
        raise InterruptedRunError(
            "Stopped; all answers that had come are stored.", hint="The same call continues."
        ) from None
    return task.result()


def _loop() -> asyncio.AbstractEventLoop:
    """uvloop's, which takes a fifth less of the processor, where it is installed and a server is
    asked; else asyncio's."""
    if "aiohttp" in sys.modules:
        with contextlib.suppress(ImportError):
            made: asyncio.AbstractEventLoop = import_module("uvloop").new_event_loop()
            return made
    return asyncio.new_event_loop()


def _run_to_its_end(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any], done: threading.Event
) -> None:
    """The body of the thread; what the task raises is kept in it."""
    try:
        with contextlib.suppress(BaseException):
            loop.run_until_complete(task)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    finally:
        done.set()

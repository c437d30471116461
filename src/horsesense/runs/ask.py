"""The first stage: put every trial to a model, and keep what was asked about which item.

Probes that depend on earlier answers form a second round, made from what was read of the first.
Without a model the same trials are made again: so an interrupted run is completed for its report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import groupby

from horsesense.errors import BudgetSpentError, InterruptedRunError, ModelError, UsageError
from horsesense.inference.control import Control
from horsesense.inference.limits import PATIENT, UNLIMITED, Limits, Retry, RunSummary
from horsesense.inference.probe import capabilities
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.measures.cells import Cell
from horsesense.models.base import Asked, Model, NeedsAnswerKey, Probing
from horsesense.models.registry import make_model
from horsesense.probes.base import Probe
from horsesense.progress import Progress, progress
from horsesense.readers.base import Reader
from horsesense.runs import asked
from horsesense.runs.cells import cells
from horsesense.runs.directory import RunDirectory, scan_readings
from horsesense.runs.goal import Extents
from horsesense.runs.layout import left_by_workers
from horsesense.runs.parts import NewTable, TableInMemory, scan_parts
from horsesense.runs.plan import LOOKED_AT, Plan, assumed, plan_of
from horsesense.runs.planner import Planner, exceeds, item_index
from horsesense.runs.prepare import Study
from horsesense.runs.read import read_stage
from horsesense.runs.record import ModelRecord
from horsesense.runs.tables import READINGS, TRIALS, decides, read_trials, reading_row, trial_rows
from horsesense.side import side
from horsesense.trials.history import History, load_history


async def ask(
    directory: RunDirectory,
    model: Model,
    limits: Limits,
    max_connections: int | None = None,
    tell: Callable[[str], None] | None = None,
    control: Control | None = None,
) -> tuple[RunSummary, Plan]:
    """Ask what has no answer yet; `model` has been entered. Also what this was expected to take.

    The run is held from the start, and nothing but the lock is written before the first answer has
    come. `tell` is given what will be asked, a sentence at a time, before anything is sent.
    `control` says how fast requests are sent.

    Raises:
        ModelError: the model cannot be reached, or answered not a single request.
        InterruptedRunError: stopped by the user; what was answered is stored.
        StoreError: the answers cannot be stored, or another process works on the run.
    """
    same_model(directory, model)
    if left_by_workers(directory.layout):
        side("workers", "take_over")(directory.layout)
    say = tell or (lambda sentence: None)
    for sentence in other_goal(directory):
        say(sentence)
    with directory.hold(lambda: directory.begin(described)) as store:
        expected = await expectation(directory, model, store, limits)
        for sentence in expected.sentences():
            say(sentence)
        with progress("finding out what the model offers"):
            described, probed = await described_model(directory, model, store, limits)
        asking = _prepared(directory, model, described, store, max_connections, PATIENT, probed)
        asking.control = control
        asking.expect(expected.trials, exact=expected.exact)
        if probed.seconds and expected.to_ask:
            rate = None if control is None else control.rate
            say(expected.pace(probed.seconds, max_connections or model.max_connections, rate))
        try:
            spent = await asking.rounds(limits)
        except (KeyboardInterrupt, asyncio.CancelledError):  # Ctrl-C while no request is out
            raise asking.interrupted() from None
    return settled(directory, spent), expected


def other_goal(directory: RunDirectory) -> Iterator[str]:
    """That a run which stops early is to stop by another goal than before."""
    now = directory.settings.until
    before = now if directory.record is None else directory.record.settings.until
    if now is not None and now != before:
        was = "everything was to be asked" if before is None else f"the goal was {before}"
        yield (
            f"--until {now}: {was} when the answers so far came. The error rate of decisions holds"
            " only for a goal that was set before the first answer."
        )


async def expectation(directory: RunDirectory, model: Model, store: Store, limits: Limits) -> Plan:
    """What will be asked, before the model is asked anything."""
    before = None if directory.record is None else directory.record.model.offers
    study = ready(directory, model, ModelRecord.of(model, await assumed(model, before)))
    with progress("planning"):
        return plan_of(study, model, limits, store=store, sample=LOOKED_AT)


async def ask_as(
    directory: RunDirectory,
    model: Model,
    described: ModelRecord,
    limits: Limits = UNLIMITED,
    max_connections: int | None = None,
    retry: Retry = PATIENT,
    store: Store | None = None,
    control: Control | None = None,
    shown: Progress | None = None,
) -> RunSummary:
    """Ask, where what is written down of the model is settled already; see `ask`.

    Answers that came by other ways (a batch, a log) are put by a model that stands for the one
    that gave them (`models.known`). What is asked elsewhere has a `store`, a `control` and a
    progress of its own (`runs.workers`).
    """
    same_model(directory, described)
    if isinstance(model, Probing):
        model.recall(described.offers)
    with store or directory.hold(partial(directory.begin, described)) as kept:
        asking = _prepared(directory, model, described, kept, max_connections, retry)
        asking.control, asking.shown = control, shown or asking.shown
        spent = await asking.rounds(limits)
    return settled(directory, spent)


def _prepared(
    directory: RunDirectory,
    model: Model,
    described: ModelRecord,
    store: Store,
    max_connections: int | None,
    retry: Retry,
    probed: RunSummary | None = None,
) -> _Asking:
    """A session of asking, once everything that can be wrong before it has been looked at."""
    study = ready(directory, model, described)
    return _Asking(directory, study, store, model, max_connections, retry, probed)


def ready(directory: RunDirectory, model: Model, described: ModelRecord) -> Study:
    """The study of what is to be asked of a model; UsageError for what cannot be asked."""
    study = directory.study(described)
    check = getattr(model, "check", None)
    if check is not None:
        check(directory.items)
    study.planner.as_shown = getattr(model, "as_shown", None)
    study.readers()  # an unknown one is an error before anything is asked
    return study


def settled(directory: RunDirectory, spent: RunSummary) -> RunSummary:
    """Write down how asking ended."""
    reason = spent.stopped or ("failures" if spent.failed else "")
    directory.mark("ask", "stopped" if reason else "complete", reason)
    return spent


async def described_model(
    directory: RunDirectory, model: Model, store: Store, limits: Limits
) -> tuple[ModelRecord, RunSummary]:
    """What the model offers, and what finding out took.

    Where the budget of a run that is continued is spent, it is what it offered before.
    """
    try:
        offers, probed = await capabilities(model, store, limits)
    except BudgetSpentError:
        if directory.record is None:
            raise
        return directory.record.model, RunSummary()
    return ModelRecord.of(model, offers), probed


def same_model(directory: RunDirectory, model: Model | ModelRecord) -> None:
    """UsageError if the run holds answers of another model."""
    before = None if directory.record is None else directory.record.model
    if before is not None and before.identity != model.identity:
        raise UsageError(
            f"{directory.layout.root} holds answers of {before.identity}, not of {model.identity}.",
            hint="Choose another --out directory.",
        )


async def plan_again(directory: RunDirectory, store: Store) -> None:
    """Make the trials of an interrupted run again, from its own files and without a model.

    Of a run of recorded answers the file is needed too: it says in which order options were shown.
    """
    study = directory.study()
    if directory.known.model.identity.startswith("replay:"):
        recorded = make_model(directory.settings.model)
        recorded.check(directory.items)  # type: ignore[attr-defined]
        study.planner.as_shown = recorded.as_shown  # type: ignore[attr-defined]
    asking = _Asking(directory, study, store, None, None)
    await asking.rounds(Limits(requests=0))


async def plan_only(directory: RunDirectory, model: Model) -> ModelRecord:
    """Write down a study that is to be asked later, or elsewhere; `model` has been entered.

    What was answered before stays. Raises as `ask` does before anything is asked.
    """
    described = ModelRecord.of(model, await model.capabilities())
    same_model(directory, described)
    directory.study(described).readers()
    with directory.hold(lambda: directory.begin(described)) as store:
        store.begin()
        await plan_again(directory, store)
    return described


class _Asking:
    """One session of asking, round by round."""

    def __init__(
        self,
        directory: RunDirectory,
        study: Study,
        store: Store,
        model: Model | None,
        max_connections: int | None,
        retry: Retry = PATIENT,
        probed: RunSummary | None = None,
    ) -> None:
        self.directory = directory
        self.study = study
        self.store = store
        self.model = model
        self.connections = max_connections
        self.probed = probed or RunSummary()
        self.put = RunSummary()
        self.retry = retry
        self.index = item_index(study.items)
        self.readers: tuple[Reader, ...] = ()
        self.plan: dict[int, str] = {}
        self.shown = Progress("asking")
        self.control: Control | None = None

    def expect(self, prompts: int, *, exact: bool) -> None:
        """Show progress towards so many prompts, over all rounds."""
        self.shown = Progress("asking", prompts, about=not exact)

    async def rounds(self, limits: Limits) -> RunSummary:
        """Every round: a later one sees what the earlier ones brought."""
        spent, judged = self.probed, RunSummary()
        planner = self.study.planner
        until, before = None, spent
        if self.study.settings.until is not None:
            until, before = await self._until_decided(limits)
            before = self.probed + before
            self.shown = Progress("gathering what was asked")
            # The rounds draw the same requests again, answered ones from the store.
            spent = replace(before, asked=0, cached=0, failed=0)
        for stage, probes in stages(self.study.probes):
            if stage > 1:
                judged += await self._read(stage - 1, limits)
                planner.setting = replace(planner.setting, history=self._history())
            spent += await self._round(stage, probes, limits)
            if spent.stopped is not None:
                break  # a later round would take what is missing for an answer
        question = self.directory.question()
        spent.cached = max(0, spent.cached - before.answered)
        found = asked.AskedRecord.of(self.study, question, self.plan, spent, until)
        found.save(self.directory.layout.asked)
        return spent

    async def _until_decided(self, limits: Limits) -> tuple[Extents, RunSummary]:
        """Ask batch by batch until enough is known; the rounds then put what this settled.

        Offline it ends with the first batch that has no answer at all. Of an item that is answered
        in part, what is missing counts as the worst that it could be.
        """
        from horsesense.runs.until import Deciding  # with all that measures need

        spent, deciding = RunSummary(), Deciding(self.study, self.index)
        while probes := deciding.active():
            items = deciding.next_items(probes)
            table, planner = _InMemory(), self.study.planner.batch(items)
            requests = self._requests(1, planner, probes, table, blake2b())
            spent += await self._put(requests, planner, probes, limits)
            found = table.cells(requests, deciding.reader, self.store)
            deciding.came(table.answered, items)
            if spent.stopped is not None or (self.model is None and not table.answered):
                deciding.end()
                break
            deciding.look(items, found)
        self.study.planner.only = deciding.only()
        return deciding.told(), spent

    async def _round(self, stage: int, probes: Sequence[Probe], limits: Limits) -> RunSummary:
        """Ask the trials of some probes and keep their table."""
        table = NewTable(self.directory.layout.trials_of(stage), TRIALS)
        digest = blake2b(digest_size=8)
        planner = self.study.planner
        try:
            with closing(self._requests(stage, planner, probes, table, digest)) as requests:
                spent = await self._put(requests, planner, probes, limits)
                for _ in requests:  # beyond the budget, trials are planned, and missing
                    pass
        except BaseException:
            table.discard()
            raise
        table.finish()
        self.plan[stage] = digest.hexdigest()
        return spent

    async def _put(
        self, requests: Iterator[Asked], planner: Planner, probes: Sequence[Probe], limits: Limits
    ) -> RunSummary:
        """Put requests to the model, if there is one."""
        if self.model is None:
            return RunSummary()
        with self.shown as shown:
            spent = await run(
                requests,
                self.model,
                self.store,
                limits=limits,
                retry=self.retry,
                max_connections=self.connections,
                progress=shown,
                control=self.control,
            )
        self.put += spent
        self._check(spent)
        return spent

    def _check(self, spent: RunSummary) -> None:
        """Raise where a round ended without an answer, or at the user's wish."""
        if spent.stopped == "interrupted":
            raise self.interrupted()
        if spent.failed and not self.store.begun and not spent.cached:
            seen = "" if spent.last_failure is None else f": {spent.last_failure.message}"
            raise ModelError(
                f"{self.study.model.name} did not answer a single request{seen}",
                hint="No answer was stored. Mend the model or its address, and run it again.",
            )
        self.store.begin()

    def interrupted(self) -> InterruptedRunError:
        """The error after Ctrl-C, once the run says so of itself."""
        if self.store.begun:
            self.directory.mark("ask", "stopped", "interrupted")
        return interrupted(self.put, self.directory)

    def _requests(
        self,
        stage: int,
        planner: Planner,
        probes: Sequence[Probe],
        table: NewTable | _InMemory,
        digest: blake2b,
    ) -> Generator[Asked]:
        """Requests as they are drawn by the runner, each trial written down on the way."""
        model, context = self.model, self.study.capabilities.context_length
        informed = model if isinstance(model, NeedsAnswerKey) else None
        for number, trial, key, request in planner.plan(probes):
            for row in trial_rows(number, stage, trial, key, self.index):
                table.add(row)
            digest.update(decides(key, trial))
            if model is None:
                continue
            if exceeds(request, model.count_tokens, context):
                planner.too_long[trial.probe, trial.condition] += 1
            elif informed is None or informed.attach_trial(key, trial):
                yield Asked(key, request)

    async def _read(self, stage: int, limits: Limits) -> RunSummary:
        """Read what the next round depends on."""
        self.readers = self.readers or self.study.readers()
        return await read_stage(
            self.directory,
            self.study.planner.setting,
            self.store,
            self.readers,
            stage,
            self.plan[stage],
            limits,
            self.connections,
        )

    def _history(self) -> History:
        layout = self.directory.layout
        versions = {reader.name: reader.version for reader in self.readers}
        trials = scan_parts([layout.trials_of(stage) for stage in sorted(self.plan)], TRIALS)
        readings = scan_readings(layout, versions, self.plan)
        return load_history(trials, readings, list(versions))


class _InMemory:
    """The trials of one batch, for a look at their answers before the tables are written."""

    def __init__(self) -> None:
        self._table = TableInMemory(TRIALS)
        self.add = self._table.add
        self.answered: set[str] = set()
        """Ids of the items with any answer."""

    def cells(self, rest: Iterator[Asked], reader: Reader, store: Store) -> list[Cell]:
        """What one reader makes of the batch, once the `rest` of its trials was drawn."""
        for _ in rest:  # nobody drew these where there is no model
            pass
        trials = self._table.frame().lazy()
        rows = [row for chunk in read_trials(trials) for row in chunk]
        responses = store.get([row.key for row in rows])
        self.answered = {row.trial.variant.item_id for row in rows if row.key in responses}
        readings = TableInMemory(READINGS)
        for row in rows:
            if row.key in responses:
                for place, reading in enumerate(reader.read(row.trial, responses[row.key])):
                    readings.add(reading_row(row.number, place, reader.name, reading, row.trial))
        return cells(trials, readings.frame().lazy(), [reader.name])


def interrupted(spent: RunSummary, directory: RunDirectory) -> InterruptedRunError:
    """The error after Ctrl-C, which says what is kept and how to continue."""
    if not directory.layout.record.is_file():
        return InterruptedRunError(
            "Stopped before the first answer; nothing was written.",
            hint="The same command starts again.",
        )
    out = directory.layout.root
    return InterruptedRunError.after(
        spent.answered,
        f"The same command with --out {out} continues from here;"
        f" horsesense report {out} reports what there is.",
    )


def stages(probes: Sequence[Probe]) -> Iterator[tuple[int, list[Probe]]]:
    """Probes by stage; those of stage 2 depend on answers to those of stage 1."""
    by_stage = sorted(probes, key=lambda probe: probe.stage)
    for stage, group in groupby(by_stage, key=lambda probe: probe.stage):
        yield stage, list(group)

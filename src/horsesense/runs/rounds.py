"""A session of asking, round by round: later probes see how earlier replies were read."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence, Set
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter

from horsesense.errors import InterruptedRunError, ModelError
from horsesense.inference.control import Control
from horsesense.inference.limits import PATIENT, Limits, Retry, RunSummary
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.measures.cells import Cell
from horsesense.models.base import Asked, Model
from horsesense.models.registry import make_model, refuse_shared_key
from horsesense.probes.base import Probe
from horsesense.progress import Progress
from horsesense.readers.base import Reader
from horsesense.runs import asked
from horsesense.runs.cells import cells
from horsesense.runs.directory import RunDirectory, scan_readings
from horsesense.runs.goal import Extents
from horsesense.runs.parts import NewTable, TableInMemory, TableRows, scan_parts
from horsesense.runs.planner import Planner, exceeds, item_index, other_model
from horsesense.runs.prepare import Study
from horsesense.runs.read import read_stage
from horsesense.runs.recalled import with_thoughts
from horsesense.runs.tables import READINGS, TRIALS, decides, read_trials, reading_row, trial_rows
from horsesense.runs.watch import Watch
from horsesense.trials.extras import Served
from horsesense.trials.history import History, load_history

Put = tuple[Served | None, Asked]
"""A request, and how it is asked where that is not as all others are."""


@dataclass(eq=False)
class Asking:
    """One session of asking, round by round."""

    directory: RunDirectory
    study: Study
    store: Store
    model: Model | None
    connections: int | None
    retry: Retry = PATIENT
    probed: RunSummary = field(default_factory=RunSummary)

    def __post_init__(self) -> None:
        self.put = RunSummary()
        self.index = item_index(self.study.items)
        self.readers: tuple[Reader, ...] = ()
        self.plan: dict[int, str] = {}
        self.shown = Progress("asking")
        self.control: Control | None = None
        self.watch: Watch | None = None
        self.others = {} if self.model is None else other_models(self.study.probes, self.model)

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

        spent, deciding = RunSummary(), Deciding(self.study)
        while probes := deciding.active():
            items = deciding.next_items(probes)
            table, planner = _Batch(TRIALS), self.study.planner.batch(items)
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
        self, requests: Iterator[Put], planner: Planner, probes: Sequence[Probe], limits: Limits
    ) -> RunSummary:
        """Put requests to the model, if there is one; what is asked differently by itself."""
        spent = RunSummary()
        if self.model is None:
            return spent
        with self.shown as shown:
            for served, group in groupby(requests, itemgetter(0)):
                spent += await self._put_so(served, map(itemgetter(1), group), shown, limits)
                if spent.stopped is not None:
                    break
        self.put += spent
        self._check(spent)
        return spent

    async def _put_so(
        self, served: Served | None, asks: Iterator[Asked], shown: Progress, limits: Limits
    ) -> RunSummary:
        """Put requests that are all asked in one way, once nothing else is under way."""
        other = self.others[served.against] if served and served.against else None
        assert self.model is not None
        async with other or nullcontext():
            return await run(
                asks,
                other or self.model,
                self.store,
                limits=limits,
                retry=self.retry,
                max_connections=self.connections,
                together=served.together if served else None,
                progress=shown,
                control=self.control,
                watch=self.watch,
            )

    def _check(self, spent: RunSummary) -> None:
        """Raise where a round ended without an answer, or at the user's wish."""
        if spent.stopped == "interrupted":
            raise self.interrupted()
        if spent.stopped == "alarm" and self.watch is not None:
            if self.store.begun:
                self.directory.mark("ask", "stopped", "alarm")
            raise self.watch.error()
        if spent.failed and not self.store.begun and not spent.answered:
            seen = "" if spent.last_failure is None else f": {spent.last_failure.message}"
            raise ModelError(
                f"{self.study.model.name} did not answer a single request{seen}",
                hint="No new answer was stored. Mend the model or its address, and run it again.",
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
        table: TableRows,
        digest: blake2b,
    ) -> Generator[Put]:
        """Requests as they are drawn by the runner, each trial written down on the way."""
        model, context = self.model, self.study.capabilities.context_length
        models = {"": model, **self.others}
        tells = {name: getattr(one, "attach_trial", None) for name, one in models.items()}
        for number, trial, key, request in planner.plan(probes):
            for row in trial_rows(number, stage, trial, key, self.index):
                table.add(row)
            digest.update(decides(key, trial))
            if model is None:
                continue
            name = other_model(trial) or ""
            if not name and exceeds(request, model.count_tokens, context):
                planner.too_long[trial.probe, trial.condition] += 1
            elif (tell := tells[name]) is None or tell(key, trial):  # see `NeedsAnswerKey`
                if self.watch is not None:
                    self.watch.put(key, trial)
                yield (
                    trial.extras if isinstance(trial.extras, Served) else None,
                    Asked(key, request),
                )

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
        history = load_history(trials, readings, list(versions))
        return with_thoughts(history, self.study.probes, trials, self.store)


class _Batch(TableInMemory):
    """The trials of one batch, for a look at their answers before the tables are written."""

    answered: Set[str] = frozenset()
    """Ids of the items with any answer."""

    def cells(self, rest: Iterator[Put], reader: Reader, store: Store) -> list[Cell]:
        """What one reader makes of the batch, once the `rest` of its trials was drawn."""
        for _ in rest:  # nobody drew these where there is no model
            pass
        trials = self.frame().lazy()
        rows = [row for chunk in read_trials(trials) for row in chunk]
        responses = store.get([row.key for row in rows])
        self.answered = {row.trial.variant.item_id for row in rows if row.key in responses}
        readings = TableInMemory(READINGS)
        for row in rows:
            if response := responses.get(row.key):
                for place, found in enumerate(reader.read(row.trial, response)):
                    name = reader.name
                    readings.add(reading_row(row.number, place, name, found, row.trial, response))
        return cells(trials, readings.frame().lazy(), [reader.name])


def other_models(probes: Sequence[Probe], model: Model) -> dict[str, Model]:
    """The models that probes ask in place of `model`, by the names that are part of their keys.

    UsageError where one cannot be made, or a key that is meant for one server would reach two.
    """
    names = {against for probe in probes if (against := getattr(probe, "against", ""))}
    if not names:
        return {}
    others = {name: make_model(name) for name in names}
    for name, other in others.items():
        # A run is read and planned again without them: what they are called there is their name.
        other.identity = name
    refuse_shared_key([model, *others.values()])
    return others


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
        f"The same command with --out {out} continues from here; horsesense report {out} reports"
        " what there is. Reports count prompts: equal ones are asked once and share an answer.",
    )


def stages(probes: Sequence[Probe]) -> Iterator[tuple[int, list[Probe]]]:
    """Probes by stage; those of stage 2 depend on answers to those of stage 1."""
    by_stage = sorted(probes, key=lambda probe: probe.stage)
    for stage, group in groupby(by_stage, key=lambda probe: probe.stage):
        yield stage, list(group)

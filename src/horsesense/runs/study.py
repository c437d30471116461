"""The one place that wires: a study from items to report, stage by stage.

    items -> trials -> requests -> responses -> readings -> estimates -> report

`run_study` reads like that list. Everything after the responses can be run again without asking.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import InterruptedRunError, UsageError
from horsesense.inference.runner import Limits, RunSummary, run
from horsesense.inference.store import Store
from horsesense.items.item import ItemSet
from horsesense.models.base import Asked, NeedsAnswerKey
from horsesense.models.messages import Response
from horsesense.models.registry import make_model
from horsesense.probes.base import Probe, SetProbe
from horsesense.progress import progress
from horsesense.readers.base import FittedReader
from horsesense.readers.human.reviews import Reviews
from horsesense.readers.model_based.cases import BulkReader
from horsesense.runs.findings import Result, estimate, findings
from horsesense.runs.parquet import ParquetWriter
from horsesense.runs.planner import Plan, Planner, exceeds, item_index, measure_plan
from horsesense.runs.prepare import Prepared, load_study_items, prepare
from horsesense.runs.settings import Settings
from horsesense.runs.tables import READINGS, TRIALS, read_trials, reading_row, trial_rows
from horsesense.trials.history import load_history
from horsesense.trials.trial import Trial

LOOKAHEAD = 300
"""Items whose trials are counted to say how many requests there will be, about."""


async def plan(settings: Settings, **options: Any) -> tuple[Plan, Prepared]:
    """What a study would ask, without asking (but for a probing request to a server)."""
    items = load_study_items(settings)
    async with make_model(settings.model, **options) as backend:
        study = await prepare(settings, backend, items)
        counted = measure_plan(
            study.planner,
            backend.count_tokens,
            study.capabilities.context_length,
        )
    return counted, study


async def run_study(
    settings: Settings,
    out: Path,
    *,
    limits: Limits | None = None,
    max_connections: int | None = None,
    **options: Any,
) -> Result:
    """Run a study, or go on with one: every stage in order.

    Raises UsageError and ItemsError before anything is spent; InterruptedRunError after Ctrl-C,
    when what was answered is stored and the same call goes on.
    """
    items = load_study_items(settings)
    with Store.open(out / "store.sqlite") as store:
        _remember(settings, out)
        model = make_model(settings.model, **options)
        if max_connections is not None:
            model.max_connections = max_connections
        async with model as backend:
            study = await prepare(settings, backend, items)
            summary = await _ask_and_read(study, store, out, limits or Limits())
        failures = store.failures()
    measured = estimate(study, out)
    found = findings(study, summary, measured, Reviews.load(out), len(failures))
    (out / "estimates.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    return Result(out, settings, items, summary, measured.estimates, found)


async def _ask_and_read(study: Prepared, store: Store, out: Path, limits: Limits) -> RunSummary:
    """Ask the trials stage by stage; a later stage sees what the earlier ones brought."""
    total = judged = RunSummary()
    index = item_index(study.items)
    with (
        ParquetWriter(out / "trials.parquet", TRIALS) as trials,
        ParquetWriter(out / "readings.parquet", READINGS) as readings,
    ):
        for stage, probes in stages(study.probes):
            before = study.planner.count
            if stage > 1:
                names = [reader.name for reader in study.readers]
                evidence = load_history(trials.parts, readings.parts, names)
                study.planner.setting = replace(study.planner.setting, history=evidence)
            asks = _asks(study, stage, probes, trials, index)
            guessed = len(study.planner.items) > LOOKAHEAD
            with progress("asking", _expected(study.planner, probes), about=guessed) as shown:
                left = limits.after(total + judged)
                total += await run(asks, study.backend, store, limits=left, progress=shown)
            _go_on(total, out)
            for _ in asks:  # trials beyond the budget are still planned, and counted as missing
                pass
            trials.flush()
            if stage == 1:
                _fit(study, store, trials)
            left = limits.after(total + judged)
            judged += await _read(study, store, trials, readings, before, left)
            _go_on(judged, out)
            if total.stopped is not None:
                break  # a later stage would take what is missing for evidence
    return total


def _go_on(summary: RunSummary, out: Path) -> None:
    """InterruptedRunError where the user stopped the run."""
    if summary.stopped == "interrupted":
        raise InterruptedRunError(
            f"Stopped after {summary.answered:,} answers; all of them are stored.",
            hint=f"The same command with --out {out} goes on from here.",
        )


def stages(probes: Sequence[Probe]) -> Iterator[tuple[int, list[Probe]]]:
    """Probes by stage; those of stage 2 depend on answers to those of stage 1."""
    by_stage = sorted(probes, key=lambda probe: probe.stage)
    for stage, group in groupby(by_stage, key=lambda probe: probe.stage):
        yield stage, list(group)


def _asks(
    study: Prepared,
    stage: int,
    probes: Sequence[Probe],
    trials: ParquetWriter,
    index: Mapping[str, int],
) -> Iterator[Asked]:
    """Requests as they are drawn by the runner, each trial written down on the way."""
    backend = study.backend
    informed = backend if isinstance(backend, NeedsAnswerKey) else None
    for planned in study.planner.plan(probes):
        for row in trial_rows(planned.number, stage, planned.trial, planned.key, index):
            trials.add(row)
        if exceeds(planned.request, backend.count_tokens, study.capabilities.context_length):
            study.planner.too_long[planned.trial.probe, planned.trial.condition] += 1
            continue
        if informed is None or informed.attach_trial(planned.key, planned.trial):
            yield Asked(planned.key, planned.request)


def _expected(planner: Planner, probes: Sequence[Probe]) -> int:
    """Number of trials: counted for small sets, from the first items for large ones."""
    few = replace(planner, items=_first(planner.items, LOOKAHEAD))
    singles = [probe for probe in probes if not isinstance(probe, SetProbe)]
    together = [probe for probe in probes if isinstance(probe, SetProbe)]
    counted = sum(1 for _ in few.trials(singles))
    counted = counted * len(planner.items) // max(len(few.items), 1)
    return counted + sum(1 for _ in planner.trials(together))


def _first(items: ItemSet, n: int) -> ItemSet:
    return replace(items, items=tuple(islice(items, n)))


def _fit(study: Prepared, store: Store, trials: ParquetWriter) -> None:
    """Let the readers that need it look at the answers of the first stage."""
    for reader in study.readers:
        if isinstance(reader, FittedReader):
            answered = _answered(store, trials, reader.fits_on)
            reader.fit(answered, study.planner.setting)


def _answered(
    store: Store, trials: ParquetWriter, probes: Collection[str]
) -> Iterator[tuple[Trial, Response]]:
    """The answered trials of some probes."""
    for rows in read_trials(trials.parts, probes=probes):
        responses = store.get([row.key for row in rows])
        for row in rows:
            if row.key in responses:
                yield row.trial, responses[row.key]


async def _read(
    study: Prepared,
    store: Store,
    trials: ParquetWriter,
    readings: ParquetWriter,
    first: int,
    limits: Limits,
) -> RunSummary:
    """Every reader on every response to the trials numbered `first` and up; what judges took."""
    judged = RunSummary()
    async with AsyncExitStack() as stack:
        bulk = [reader for reader in study.readers if isinstance(reader, BulkReader)]
        for reader in bulk:
            await stack.enter_async_context(reader)
        with progress("reading", study.planner.count - first) as tick:
            for rows in read_trials(trials.parts, first):
                responses = store.get([row.key for row in rows])
                answered = [
                    (r.number, r.trial, responses[r.key]) for r in rows if r.key in responses
                ]
                for reader in bulk:
                    pairs = [(trial, response) for _, trial, response in answered]
                    judged += await reader.prepare(pairs, store, limits.after(judged))
                for number, trial, response in answered:
                    for each in study.readers:
                        for place, reading in enumerate(each.read(trial, response)):
                            readings.add(reading_row(number, place, each.name, reading, trial))
                tick(len(rows))
    readings.flush()
    return judged


def _remember(settings: Settings, out: Path) -> None:
    """Write study.toml; refuse a run directory that holds another study's answers."""
    path = out / "study.toml"
    if path.exists():
        before = Settings.load(path)
        for name in ("items", "model"):
            old, new = getattr(before, name), getattr(settings, name)
            if old != new:
                raise UsageError(
                    f"{out} holds a study of other {name}: {old!r}, not {new!r}.",
                    hint="Choose another --out directory.",
                )
    settings.save(path)

"""The second stage: every reader on every answer, in parts that a crash cannot undo.

Readings belong to a reader, to its version and to the trials that they are about: what is there
with the same three is not read again.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4
from weakref import WeakKeyDictionary

import orjson
import polars as pl

from horsesense.errors import StoreError
from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.kept import keep
from horsesense.models.messages import Key, Response
from horsesense.probes.base import Setting
from horsesense.progress import progress
from horsesense.readers.base import FittedReader, OptionScorer, Reader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.readers.registry import reads_scores
from horsesense.runs.directory import RunDirectory, told_of
from horsesense.runs.layout import RunLayout
from horsesense.runs.parts import UNREADABLE, PartWriter, scan_parts
from horsesense.runs.tables import CHUNK, READINGS, TRIALS, read_trials, reading_row, with_questions
from horsesense.trials.trial import Trial

_Answered = tuple[int, Trial, Response]
"""Number of a trial, the trial, and the answer to it."""


async def read(
    directory: RunDirectory,
    store: Store,
    readers: Sequence[Reader],
    limits: Limits,
    kept: Mapping[str, str],
    max_connections: int | None = None,
) -> RunSummary:
    """Read what these readers have not read yet, and keep their versions; what judges took.

    A run whose trials are not complete must be planned again first (`ask.plan_again`).

    Args:
        kept: readers, and their versions, whose readings stay as they are.
        max_connections: requests of a judge under way together.
    """
    asked = directory.asked()
    setting = Setting(directory.items, directory.settings.seed)
    spent = RunSummary()
    for stage, plan in sorted(asked.plan.items()) if asked else ():
        spent += await read_stage(
            directory, setting, store, readers, stage, plan, limits, max_connections
        )
    made = {reader.name: reader.version for reader in readers}
    directory.keep_readers({**kept, **made})
    _tidy(directory, asked.plan if asked else ())
    directory.mark("read", "stopped" if spent.stopped else "complete", spent.stopped or "")
    return spent


async def read_stage(
    directory: RunDirectory,
    setting: Setting,
    store: Store,
    readers: Sequence[Reader],
    stage: int,
    plan: str,
    limits: Limits,
    max_connections: int | None = None,
) -> RunSummary:
    """Read the answers to the trials of one stage; fitted readers are fitted on the first."""
    layout = directory.layout
    trials = with_questions(scan_parts([layout.trials_of(stage)], TRIALS), directory.items)
    height = trials.select(pl.len()).collect().item()
    # Trials that fit into two parts are taken from the files once, for fitting and for reading.
    whole = list(_chunks(trials, store)) if height <= 2 * CHUNK else None
    if stage == 1:
        _fit(trials, whole, setting, store, readers)
    shelves = [_Shelf(layout, reader, stage, plan) for reader in readers]
    spent = RunSummary()
    async with AsyncExitStack() as stack:
        bulk = [reader for reader in readers if isinstance(reader, BulkReader)]
        for reader in bulk:
            await stack.enter_async_context(reader)
        with progress("reading", height) as tick:
            for rows, answers in _chunks(trials, store) if whole is None else whole:
                replies = [one for one in answers if not one[2].scores_alone]
                for reader in bulk:
                    pairs = [(trial, response) for _, trial, response in replies]
                    spent += await reader.prepare(pairs, store, limits, max_connections)
                for shelf in shelves:
                    shelf.read(answers if shelf.of_scores else replies)
                tick(rows)
    for shelf in shelves:
        shelf.finish()
    return spent


def _chunks(
    trials: pl.LazyFrame, store: Store, probes: Collection[str] | None = None
) -> Iterator[tuple[int, list[_Answered]]]:
    """How many trials a part of the table holds, and those of them that have an answer."""
    for rows in read_trials(trials, probes):
        answers = store.get([row.key for row in rows])
        answers |= _at_limit(store, answers)
        yield len(rows), [(r.number, r.trial, answers[r.key]) for r in rows if r.key in answers]


def _at_limit(store: Store, answers: Mapping[Key, Response]) -> dict[Key, Response]:
    """Replies that say nothing of why they ended, and took all the tokens that they were given."""
    mute = [
        k for k, one in answers.items() if not one.finish_reason and one.usage.completion_tokens
    ]
    return {
        key: replace(one, finish_reason="length")
        for key, (request, one) in store.exchanges(mute).items()
        if (one.usage.completion_tokens or 0) >= request.params.max_tokens > 1
    }


def _told_or_none(folder: Path) -> dict[str, Any]:
    """What reader.json says, for whoever reads again what is damaged."""
    try:
        return told_of(folder)
    except StoreError:
        return {}


def _spent_by_others(layout: RunLayout, name: str) -> dict[str, Any]:
    """What other versions of a reader took: their readings go, what they cost does not."""
    folders = layout.readings.iterdir() if layout.readings.is_dir() else ()
    for told in map(_told_or_none, folders):
        if told.get("name") == name and "spent" in told:
            return {field: told.get(field) for field in ("spent", "before", "session")}
    return {}


_SESSIONS: Final = WeakKeyDictionary[BulkReader, str]()
"""Tells what a reader spends in all stages of one reading from what was spent before."""


class _Shelf:
    """The readings of one reader of one stage, those of an earlier session included."""

    def __init__(self, layout: RunLayout, reader: Reader, stage: int, plan: str) -> None:
        self.reader = reader
        self.of_scores = reads_scores(reader.name) or isinstance(reader, OptionScorer)
        self.folder = layout.readings_of(reader.name, reader.version)
        self._stage, self._plan = stage, plan
        self._place = self.folder / f"stage-{stage}"
        self._told = _told_or_none(self.folder) or _spent_by_others(layout, reader.name)
        self._done = self._read_before()
        if self._done is None:
            shutil.rmtree(self._place, ignore_errors=True)
            self._done = frozenset()
            self._tell(0)
        self._writer = PartWriter(self._place, READINGS)

    def _read_before(self) -> frozenset[int] | None:
        """Trials that an earlier session read; None where its readings cannot be used."""
        stage = str(self._stage)
        if self._told.get("plan", {}).get(stage) != self._plan:
            return None
        try:
            found = scan_parts([self._place], READINGS).select("trial").collect()
        except (StoreError, *UNREADABLE):
            return None  # damaged: they are read again from the stored answers
        if found.height < self._told.get("rows", {}).get(stage, 0):
            return None  # a part is missing
        return frozenset(found["trial"])

    def read(self, found: Sequence[_Answered]) -> None:
        """Read the answers that have no reading yet, and keep what was understood."""
        name, read, done = self.reader.name, self.reader.read, self._done or ()
        for number, trial, response in found:
            for place, reading in enumerate(() if number in done else read(trial, response)):
                self._writer.add(reading_row(number, place, name, reading, trial, response))

    def finish(self) -> None:
        self._writer.flush()
        self._tell(scan_parts([self._place], READINGS).select(pl.len()).collect().item())

    def _before(self) -> dict[str, Any]:
        """What earlier sessions spent on a judge; `session` tells this one's stages from theirs."""
        if not isinstance(self.reader, BulkReader):
            return {}
        session = _SESSIONS.setdefault(self.reader, uuid4().hex)
        told = self._told
        if told.get("session") == session or "spent" not in told:
            return {"session": session, "before": told.get("before")}
        spent = RunSummary(**told["spent"])
        if told.get("before"):
            spent = RunSummary(**told["before"]) + spent
        return {"session": session, "before": asdict(spent)}

    def _tell(self, rows: int) -> None:
        """Write down whose readings these are, of which trials, and how many."""
        stage = str(self._stage)
        plan = {**self._told.get("plan", {}), stage: self._plan}
        counts = {**self._told.get("rows", {}), stage: rows}
        self._told = {**describe(self.reader), "plan": plan, "rows": counts} | self._before()
        keep(self.folder / "reader.json", orjson.dumps(self._told))


def describe(reader: Reader) -> dict[str, Any]:
    """What is said of a reader besides its readings: what it was fitted on, what it took."""
    told: dict[str, Any] = {"name": reader.name, "version": reader.version}
    if isinstance(reader, FittedReader):
        told["fit"] = reader.report()
    if isinstance(reader, BulkReader):
        from horsesense.readers.model_based.cascade import CascadeReader
        from horsesense.readers.model_based.judge import JudgeReader

        if isinstance(reader, JudgeReader):
            told["spent"] = asdict(reader.spent)
        if isinstance(reader, CascadeReader):
            told["steps"] = reader.told()
    return told


def described(directory: RunDirectory) -> list[dict[str, Any]]:
    """What was said of each reader of a run (see `describe`), in their order."""
    layout, readers = directory.layout, directory.known.readers
    return [told_of(layout.readings_of(name, version)) for name, version in readers.items()]


def _tidy(directory: RunDirectory, stages: Collection[int]) -> None:
    """Remove readings that no measure is taken from: older versions, other readers and stages."""
    layout, readers = directory.layout, directory.known.readers
    kept = {layout.readings_of(name, version) for name, version in readers.items()}
    wanted = {f"stage-{stage}" for stage in stages}
    for folder in layout.readings.iterdir() if layout.readings.is_dir() else ():
        unwanted = [folder] if folder not in kept else folder.glob("stage-*")
        for place in unwanted:
            if place.name not in wanted:
                shutil.rmtree(place, ignore_errors=True)


def _fit(
    trials: pl.LazyFrame,
    whole: Sequence[tuple[int, list[_Answered]]] | None,
    setting: Setting,
    store: Store,
    readers: Sequence[Reader],
) -> None:
    """Let the readers that need it look at the answers of the first stage."""
    for reader in readers:
        if isinstance(reader, FittedReader):
            chunks = _chunks(trials, store, reader.fits_on) if whole is None else whole
            pairs = ((trial, response) for _, found in chunks for _, trial, response in found)
            reader.fit((pair for pair in pairs if pair[0].probe in reader.fits_on), setting)

"""A run as a sequence of exchanges: what was shown, sent, answered, and understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from horsesense.inference.store import Store
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import readable
from horsesense.runs.tables import read_trials
from horsesense.trials.trial import Trial

CHUNK = 2_000
"""Rows of trials held at a time."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One trial with all that became of it.

    Attributes:
        number: of the trial in the run.
        stage: 2 where the trial depends on earlier answers.
        trial: what was shown; questions stand in the items alone.
        key: of the request in the store.
        request: what was sent; None where that is not known, or nothing was sent.
        response: what came back; None where nothing did.
        failure: what was seen last of a call that brought nothing.
        readings: rows of the table of readings, those of one reader and variant after another.
    """

    number: int
    stage: int
    trial: Trial
    key: Key
    request: Request | None
    response: Response | None
    failure: Failure | None
    readings: Sequence[Mapping[str, Any]]

    def by_reader(self) -> dict[str, list[Mapping[str, Any]]]:
        """The readings of each reader, one per variant."""
        found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for row in self.readings:
            found[row["reader"]].append(row)
        return dict(found)


def exchanges(directory: RunDirectory) -> Iterator[Exchange]:
    """Every trial of a run in its order, some thousand at a time.

    Raises StoreError where the run's files cannot be read.
    """
    asked = directory.settled()
    with readable(directory.layout.root), directory.store() as store:
        for stage in sorted(asked.plan):
            yield from _of_stage(directory, store, stage)


def _of_stage(directory: RunDirectory, store: Store, stage: int) -> Iterator[Exchange]:
    readings = directory.readings()
    for rows in read_trials(directory.trials([stage]), chunk=CHUNK):
        keys = [row.key for row in rows]
        answered = store.exchanges(keys)
        failed = store.failures([key for key in keys if key not in answered])
        read = _by_trial(readings, [row.number for row in rows])
        for row in rows:
            request, response = answered.get(row.key, (None, None))
            seen = failed.get(row.key)
            yield Exchange(
                row.number,
                stage,
                row.trial,
                row.key,
                request if seen is None else seen.request,
                response,
                None if seen is None else seen.failure,
                read.get(row.number, ()),
            )


def _by_trial(readings: pl.LazyFrame, numbers: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """Rows of readings by trial, of some trials."""
    if not numbers:
        return {}
    wanted = pl.col("trial").is_between(min(numbers), max(numbers))
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in readings.filter(wanted).collect().to_dicts():
        found[row["trial"]].append(row)
    return found

"""Runs that are written down instead of asked: made of logs, or of what people answered."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from horsesense.files import replace_folder, usable, write_whole
from horsesense.inference.limits import RunSummary
from horsesense.items.item import ItemSet
from horsesense.models.messages import Key
from horsesense.runs import asked
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.parts import NewTable
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.tables import TRIALS, decides, trial_rows
from horsesense.trials.trial import Trial


@contextmanager
def made_beside(out: str | Path) -> Iterator[RunLayout]:
    """A new run directory, which takes the place of `out` once it is whole, or leaves nothing."""
    place = usable(out).absolute()
    new = place.with_name(f".{place.name}.{os.getpid()}.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        yield RunLayout(new)
        replace_folder(new, place)
    finally:
        shutil.rmtree(new, ignore_errors=True)


class WrittenRun:
    """A run as its trials come in.

    Attributes:
        layout: where it is written.
        count: of trials so far.
    """

    def __init__(self, layout: RunLayout) -> None:
        self.layout = layout
        self.count = 0
        self._table = NewTable(layout.trials_of(1), TRIALS)
        self._digest = blake2b(digest_size=8)

    def add(self, trial: Trial, key: Key, index: Mapping[str, int]) -> None:
        """Write down a trial; `index` numbers the items."""
        for row in trial_rows(self.count, 1, trial, key, index):
            self._table.add(row)
        self._digest.update(decides(key, trial))
        self.count += 1

    def finish(
        self,
        kind: str,
        settings: Settings,
        items: ItemSet,
        model: ModelRecord,
        told: Mapping[str, Any],
        *,
        made: Sequence[asked.Made],
        probes: Sequence[Mapping[str, Any]],
        excluded: Sequence[Mapping[str, Any]],
    ) -> None:
        """Write down what the run is, run.toml last.

        Args:
            kind: "imported" or "people"; `told` goes into the file of that name.
            made, probes, excluded: see `runs.asked.AskedRecord`.
        """
        self._table.finish()
        directory = RunDirectory(self.layout, settings, items)
        directory.record = directory.new_record(model).model_copy(update={"kind": kind})
        directory.save_items()
        write_whole(getattr(self.layout, kind), orjson.dumps(told, option=orjson.OPT_INDENT_2))
        asked.AskedRecord(
            question=directory.question(),
            plan={1: self._digest.hexdigest()},
            trials=self.count,
            made=list(made),
            probes=[dict(probe) for probe in probes],
            excluded=[dict(row) for row in excluded],
            spent=asdict(RunSummary()),
        ).save(self.layout.asked)
        directory.mark("ask", "complete")

"""Recorded replies through a reader that works on many at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from horsesense.errors import InterruptedRunError
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.items.files import Row
from horsesense.models.messages import Response
from horsesense.readers.model_based.cases import BulkReader
from horsesense.readers.recorded import Recorded, RecordedRow, recorded_rows
from horsesense.readers.recorded_fields import Fields
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant

CHUNK = 1000


@dataclass
class BulkResult:
    """What reading a file took.

    Attributes:
        spent: requests and tokens of a judge; zeros of other readers.
        unread: responses without a reading.
    """

    spent: RunSummary = field(default_factory=RunSummary)
    unread: int = 0

    def costs(self) -> str:
        """What a judge took, in one sentence."""
        return f"judge: {self.spent.costs()}"


async def read_in_bulk(
    path: Path,
    reader: BulkReader,
    out: Path | None,
    show: Callable[[Recorded], None],
    limits: Limits = UNLIMITED,
    fields: Fields | None = None,
    max_connections: int | None = None,
    items: Mapping[str, Row] | None = None,
) -> BulkResult:
    """Read a file as `read_file` does, through a model; `show` gets the rows in order.

    What is asked of a model is kept in `out` (a directory; FILE.judge beside the file
    unless given), so that the same call asks only what has no answer yet.

    Raises:
        HorsesenseError: the errors of `read_file`, and those of the reader.
        InterruptedRunError: after Ctrl-C; the same call resumes.
    """
    # All faults of the file come before anything is spent.
    rows = list(recorded_rows(path, fields, items))
    found = BulkResult()
    folder = out or path.with_name(f"{path.name}.judge")
    with Store.open(folder / "store.sqlite") if reader.asks_model else nullcontext() as store:
        async with reader:
            for start in range(0, len(rows), CHUNK):
                chunk = rows[start : start + CHUNK]
                pairs = [_pair(row) for row in chunk]
                found.spent += await reader.prepare(pairs, store, limits, max_connections)
                if found.spent.stopped == "interrupted":
                    raise InterruptedRunError(found.costs(), hint="The same command continues.")
                for row, pair in zip(chunk, pairs, strict=True):
                    readings = reader.read(*pair)
                    found.unread += not readings
                    for reading in readings:
                        show(row.read_as(reading))
    return found


def _pair(row: RecordedRow) -> tuple[Trial, Response]:
    """A row as the trial and the response that it was."""
    origin = tuple(range(len(row.options)))
    variant = Variant(row.id, row.question, row.options, row.labels, origin, None)
    return Trial("original", PLAIN, 0, (variant,)), Response(row.response, row.finish_reason)

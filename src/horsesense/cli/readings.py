"""One file of responses through one reader, and its readings as lines for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from horsesense.errors import ExitCode
from horsesense.progress import harmless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horsesense.inference.limits import Limits
    from horsesense.items.files import Row
    from horsesense.readers.recorded import Recorded
    from horsesense.readers.recorded_fields import Fields

_AROUND = 60


class Judging(NamedTuple):
    """What holds for all files: what a reader that asks a model may, where its answers are kept,
    and the items whose fields rows lack."""

    out: Path | None
    may: Limits
    max_connections: int | None = None
    items: Mapping[str, Row] | None = None


def read_any(
    path: Path,
    name: str,
    show: Callable[[Recorded], None],
    judging: Judging,
    *,
    fields: Fields | None = None,
    multiple: bool = False,
) -> tuple[int, ExitCode]:
    """Read a file through the text reader or a model.

    Returns the number of responses without a reading, and the exit code for what a model left.
    """
    if name != "text":
        return _read_in_bulk(path, name, show, judging, fields)
    from horsesense.readers.recorded import read_file

    for row in read_file(path, multiple=multiple, fields=fields, items=judging.items):
        show(row)
    return 0, ExitCode.FINE


def _read_in_bulk(
    path: Path, name: str, show: Callable[[Recorded], None], judging: Judging, fields: Fields | None
) -> tuple[int, ExitCode]:
    """Read through a model; say what a judge took."""
    import asyncio

    from horsesense.readers.model_based.bulk import read_in_bulk
    from horsesense.readers.model_based.make import make_bulk_reader

    reader, (out, may, connections, items) = make_bulk_reader(name), judging
    found = asyncio.run(read_in_bulk(path, reader, out, show, may, fields, connections, items))
    if found.spent.asked:
        print(found.costs(), file=sys.stderr)
    code = found.spent.exit_code
    if code:
        left = "its budget is spent" if code == ExitCode.BUDGET else "calls failed"
        more = "A larger budget" if code == ExitCode.BUDGET else "The same command"
        print(f"The judge has not read all: {left}. {more} goes on.", file=sys.stderr)
    return found.unread, code or (ExitCode.TROUBLE if found.unread else ExitCode.FINE)


def line_of(row: Recorded, *more: str) -> str:
    """One row of the output for people; fields are separated by tabs."""
    reading = row.reading
    chosen = ",".join(row.letters) or "-"
    fields = [row.id, row.status, chosen, reading.rule, f"{reading.confidence:.2f}", *more]
    return "\t".join(map(printable, fields))


def context(row: Recorded) -> str:
    """The deciding words between » and «, with some of what stands around them."""
    if row.reading.span is None:
        return ""
    start, end = row.reading.span
    text = row.response
    before = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]
    left = "..." if start > _AROUND else ""
    right = "..." if end + _AROUND < len(text) else ""
    return f"{left}{before}»{_shortened(text[start:end])}«{after}{right}"


def _shortened(text: str) -> str:
    return text if len(text) <= 4 * _AROUND else f"{text[:_AROUND]} ... {text[-_AROUND:]}"


def printable(text: str) -> str:
    """`text` on one line, harmless to a terminal."""
    return harmless(text, "")

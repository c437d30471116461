"""One file of responses through one reader, and its readings as lines for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from horsesense.inference.limits import Limits
    from horsesense.readers.recorded import Recorded
    from horsesense.readers.recorded_fields import Fields

_AROUND = 60


def read_any(
    path: Path,
    name: str,
    show: Callable[[Recorded], None],
    *,
    fields: Fields | None = None,
    multiple: bool = False,
    out: Path | None = None,
    may: Limits,
) -> int:
    """Read a file through the text reader or a model; the number of responses without a reading."""
    if name != "text":
        return _read_in_bulk(path, name, out, show, may, fields)
    from horsesense.readers.recorded import read_file

    for row in read_file(path, multiple=multiple, fields=fields):
        show(row)
    return 0


def _read_in_bulk(
    file: Path,
    name: str,
    out: Path | None,
    show: Callable[[Recorded], None],
    may: Limits,
    fields: Fields | None = None,
) -> int:
    """Read through a model; say what a judge took. The number of responses without a reading."""
    import asyncio

    from horsesense.readers.model_based.bulk import read_in_bulk
    from horsesense.readers.model_based.make import make_bulk_reader

    found = asyncio.run(read_in_bulk(file, make_bulk_reader(name), out, show, may, fields))
    if found.spent.asked:
        print(found.costs(), file=sys.stderr)
    return found.unread


def line_of(row: Recorded, *more: str) -> str:
    """One row of the output for people; fields are separated by tabs."""
    reading = row.reading
    chosen = ",".join(row.letters) or "-"
    fields = [row.id, reading.status, chosen, reading.rule, f"{reading.confidence:.2f}", *more]
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
    """`text` on one line, with characters that could steer a terminal shown as escapes."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)

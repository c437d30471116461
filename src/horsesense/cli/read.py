"""`horsesense read`: readings of recorded responses."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson, Budget, Connections, Price, limits
from horsesense.cli.output import print_json, print_json_line
from horsesense.errors import ExitCode, UsageError
from horsesense.files import usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from horsesense.inference.limits import Limits
    from horsesense.readers.model_based.bulk import BulkResult
    from horsesense.readers.recorded import Recorded

_AROUND = 60

File = Annotated[
    Path,
    typer.Argument(
        help="A run directory or a log of another program; or JSONL (plain, .gz or .zst) with"
        " `options` and `response`, and where present `id`, `labels`, `finish_reason`.",
        show_default=False,
    ),
]
Explain = Annotated[bool, typer.Option(help="Show the words that decided, in their context.")]
Multiple = Annotated[bool, typer.Option(help="A response may choose several options.")]
ReaderName = Annotated[
    str,
    typer.Option("--reader", help="text, trained:DIRECTORY, or judge:MODEL with MODEL as --model."),
]
Readers = Annotated[
    str | None,
    typer.Option(
        help="Of a run directory: how to read it, separated by commas.", show_default=False
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Where a judge's answers are stored; else FILE.judge/ beside the file.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(read)


def read(
    file: File,
    readers: Readers = None,
    as_json: AsJson = False,
    explain: Explain = False,
    multiple: Multiple = False,
    reader: ReaderName = "text",
    out: Out = None,
    max_connections: Connections = None,
    budget: Budget = None,
    price: Price = None,
) -> None:
    """Say which option each recorded response chooses; the built-in text reader needs no model.

    Of a run directory or a log, read its stored answers with --readers and measure them again.
    """
    from horsesense.logs.registry import is_log

    may = limits(budget, price)
    if usable(file).is_dir() or is_log(file):
        _read_run(file, readers, as_json, may, max_connections)
        return
    if readers is not None:
        raise UsageError("--readers belongs to a run directory.", hint="For a file: --reader.")
    counts: Counter[str] = Counter()

    def show(row: Recorded) -> None:
        counts[row.reading.status] += 1
        more = {"context": context(row)} if explain else {}
        if as_json:
            print_json_line("reading", {**row.as_json(), **more})
        else:
            sys.stdout.write(_line(row, *more.values()) + "\n")

    unread, code = 0, ExitCode.TROUBLE
    if reader == "text":
        from horsesense.readers.recorded import read_file

        for row in read_file(file, multiple=multiple):
            show(row)
    elif multiple:
        raise UsageError(f"{reader} reads one choice a response.", hint="Leave --multiple out.")
    else:
        found = _read_in_bulk(file, reader, out, show, may, max_connections)
        unread, code = found.unread, found.spent.exit_code or code
    total = counts.total()
    parts = ", ".join(f"{status} {n}" for status, n in counts.most_common())
    print(f"{total} responses: {parts}" if total else "no responses", file=sys.stderr)
    if unread:
        print(f"{unread} more have no reading: {reader} gave none.", file=sys.stderr)
        raise typer.Exit(code)


def _read_run(
    path: Path, readers: str | None, as_json: bool, may: Limits, max_connections: int | None
) -> None:
    """Read a run's stored answers, measure and report; the answers stay as they are."""
    from horsesense.api import open as open_run
    from horsesense.plugins import split_outside_brackets

    run = open_run(path)
    names = split_outside_brackets(readers or "")
    spent = run.read(*names, limits=may, max_connections=max_connections)
    run.measure()
    report = run.report()
    rows = run.readings.group_by("reader", "status").len().sort("reader", "len", descending=True)
    counts: dict[str, dict[str, int]] = {}
    for name, status, n in rows.iter_rows():
        counts.setdefault(name, {})[status] = n
    if as_json:
        print_json("read", {"report": str(report), "readings": counts})
    else:
        for name, found in sorted(counts.items()):
            print(f"{name}: " + ", ".join(f"{status} {n:,}" for status, n in found.items()))
        for name, why in run.results.findings["silent"].items():
            print(f"{name}: no reading ({why})")
        if spent.asked:
            print(f"judges: {spent.costs()}")
        print(f"Report: {report}")
    if spent.stopped == "budget":
        raise typer.Exit(ExitCode.BUDGET)


def _read_in_bulk(
    file: Path,
    name: str,
    out: Path | None,
    show: Callable[[Recorded], None],
    may: Limits,
    max_connections: int | None,
) -> BulkResult:
    """Read through a model; say what a judge took."""
    import asyncio

    from horsesense.readers.model_based.bulk import read_in_bulk
    from horsesense.readers.model_based.make import make_bulk_reader

    found = asyncio.run(read_in_bulk(file, make_bulk_reader(name), out, show, may, max_connections))
    if found.spent.asked:
        print(found.costs(), file=sys.stderr)
    return found


def _line(row: Recorded, *more: str) -> str:
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

"""`horsesense read`: readings of recorded responses."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson, Budget, Connections, FieldMap, Price, pairs
from horsesense.cli.output import print_json, print_json_line
from horsesense.cli.readings import Judging, context, line_of, printable, read_any
from horsesense.errors import ExitCode, UsageError
from horsesense.files import usable
from horsesense.side import side
from horsesense.stats.words import percent, plural, some_of

if TYPE_CHECKING:
    from horsesense.inference.limits import Limits
    from horsesense.readers.recorded import Recorded
    from horsesense.readers.recorded_fields import Fields

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        help="A run directory or a log of another program; or JSONL, CSV or Parquet (- for standard"
        " input) with `options` and `response`, and where present `id`, `labels`, `finish_reason`,"
        " `question`, and `gold`, which readings are scored by."
    ),
]
ReaderName = Annotated[
    str,
    typer.Option(
        "--reader",
        help="text, trained:DIRECTORY, judge:MODEL or cascade:judge=MODEL; MODEL as for --model.",
    ),
]


Benchmark = Annotated[
    bool, typer.Option("--benchmark", help="Score a reader on the packaged replies instead.")
]
PartName = Annotated[
    str,
    typer.Option(
        "--part",
        help="With --benchmark: development, further, later, everyday, recent; unread, kept"
        " from those who work on readers; seen, all but unread; or all.",
    ),
]
Errors = Annotated[
    bool, typer.Option("--errors", help="With --benchmark: show what is misread in development.")
]


NONE_CAME = ""
"""Counts rows that hold no response, which is no status."""
_NAMED = 5
"""Ids that a message names."""


def read(
    files: Files = None,
    readers: str | None = None,
    as_json: AsJson = False,
    explain: bool = False,
    multiple: bool = False,
    reader: ReaderName = "text",
    field_map: FieldMap = None,
    items: Path | None = None,
    compare: str | None = None,
    benchmark: Benchmark = False,
    command: str | None = None,
    part: PartName = "seen",
    show_errors: Errors = False,
    out: Path | None = None,
    max_connections: Connections = None,
    budget: Budget = None,
    price: Price = None,
) -> None:
    """Say which option each recorded response chooses; the built-in text reader needs no model.

    Of a run directory or a log, read its stored answers with --readers and measure them again.

    Example: horsesense read replies.jsonl --explain

    Args:
        readers: Of a run directory: how to read it, separated by commas.
        explain: Show the words that decided, in their context.
        multiple: A response may choose several options.
        items: A file with `id`, `options`, `question`, `gold`, for rows of FILE that have an `id`
            and `response` alone.
        compare: A second reader (judge:MODEL, trained:DIRECTORY): lists what it reads differently,
            what the first is most confident of at the top.
        command: With --benchmark: a program that takes lines of JSON on standard input and prints a
            line of JSON with `id`, `status`, `position`, `confidence` for each.
        out: Where a judge's answers are stored; else FILE.judge/ beside the file.
    """
    from horsesense.inference.limits import UNLIMITED
    from horsesense.readers.recorded import rows_by_id, standard_input
    from horsesense.readers.recorded_fields import Fields

    may = UNLIMITED.given(budget, price)
    judging = Judging(out, may, max_connections)
    if benchmark:
        if files:
            raise UsageError("--benchmark reads its own replies.", hint="Leave FILE out.")
        from horsesense.cli.read_benchmark import read_benchmark

        read_benchmark(reader, command, part, show_errors, as_json, judging)
        return
    if command is not None or show_errors:
        raise UsageError("--command and --errors belong to --benchmark.")
    if not files:
        raise UsageError("What should be read?", hint="Name a file, or - for standard input.")
    file, *more = files
    piped = str(file) == "-"
    if not piped and (usable(file).is_dir() or side("logs", "is_log")(file)):
        if compare is not None or field_map or more or items is not None:
            raise UsageError(
                "--compare, --map, --items and several files are for responses, not for runs."
            )
        _read_run(file, readers, as_json, may, max_connections)
        return
    if readers is not None:
        raise UsageError("--readers belongs to a run directory.", hint="For a file: --reader.")
    if multiple and (reader != "text" or compare is not None):
        raise UsageError("Only text alone reads several choices.", hint="Leave --multiple out.")
    if more and (piped or compare is not None):
        raise UsageError("Standard input and --compare take one file.")
    fields = Fields(pairs("map", field_map))
    if items is not None:
        judging = judging._replace(items=rows_by_id(items, fields))
    codes = [ExitCode.FINE]
    with standard_input() if piped else nullcontext(file) as path:
        if piped and out is None:
            judging = judging._replace(out=Path("responses.judge"))
        if compare is not None:
            _compare(path, (reader, compare), fields, as_json, judging)
        else:
            for each in (path, *more):
                name = each.name if more else ""
                codes.append(
                    _read_file(each, name, reader, fields, as_json, explain, multiple, judging)
                )
    if worst := max(codes):
        raise typer.Exit(worst)


def _read_file(
    path: Path,
    name: str,
    reader: str,
    fields: Fields,
    as_json: bool,
    explain: bool,
    multiple: bool,
    judging: Judging,
) -> ExitCode:
    """Print the reading of each response, and say in the end how many there are of each status.

    `name` is told with each where there are several files.
    """
    from horsesense.readers.recorded_gold import GoldScore

    counts: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    score = GoldScore()
    failed: list[str] = []

    def show(row: Recorded) -> None:
        if row.failed:
            failed.append(f"{row.id} ({row.reading.rule})" if len(failed) < _NAMED else "")
        else:
            ids[row.id] += 1
            if row.came:
                score.add(row.gold, row.reading.positions, row.reading.status, row.k)
        counts[row.status if row.came else NONE_CAME] += 1
        more = {"context": context(row)} if explain else {}
        if as_json:
            told = {"file": name} if name else {}
            print_json_line("reading", {**told, **row.as_json(), **more})
        else:
            told_first = f"{printable(name)}\t" if name else ""
            sys.stdout.write(f"{told_first}{line_of(row, *more.values())}\n")

    unread, code = read_any(path, reader, show, judging, fields=fields, multiple=multiple)
    none = counts.pop(NONE_CAME, 0)
    if as_json and not score.empty:
        print_json_line("read-score", {"reader": reader, **score.as_json()})
    parts = ", ".join(f"{status} {n}" for status, n in counts.most_common())
    total = f"{plural(counts.total(), 'response')}: {parts}" if parts else "no responses"
    named = "; ".join(filter(None, failed)) + "; ..." * (len(failed) > _NAMED)
    _tell(
        fields.said(),
        f"{name}: {total}" if name else total,
        f"{plural(len(failed), 'row')} failed to read: {named}" if failed else "",
        f"{plural(none, 'row')} without a response (null): not counted" if none else "",
        "" if as_json or score.empty else score.said(),
        _repeated(ids),
        f"{unread} more have no reading: {reader} gave none." if unread else "",
    )
    return code or (ExitCode.USAGE if failed else ExitCode.FINE)


def _tell(*sentences: str) -> None:
    """Say what there is to say, beside the readings."""
    for sentence in filter(None, sentences):
        print(printable(sentence), file=sys.stderr)


def _repeated(ids: Counter[str]) -> str:
    """That several rows have the same id, where they have."""
    again = [name for name, n in ids.items() if n > 1]
    if not again:
        return ""
    rows = sum(ids[name] for name in again)
    names = ", ".join(again[:_NAMED]) + (", ..." if len(again) > _NAMED else "")
    return f"{rows} rows share their id with another one ({names}); each is read by itself."


def _compare(
    path: Path, names: tuple[str, str], fields: Fields, as_json: bool, judging: Judging
) -> None:
    """List what two readers read differently, what the first is most confident of at the top."""
    found: list[dict[str, Recorded]] = []
    for name in names:
        rows: list[Recorded] = []
        unread, _ = read_any(path, name, rows.append, judging, fields=fields)
        found.append({row.id: row for row in rows})
        if len(rows) > len(found[-1]):
            raise UsageError(f"{path} names rows alike.", hint="Give every row an `id` of its own.")
    both = [(row, found[1][name]) for name, row in found[0].items() if name in found[1]]
    differ = [pair for pair in both if differs(*pair)]
    differ.sort(key=lambda pair: -pair[0].reading.confidence)
    for first, second in differ:
        if as_json:
            value = {"id": first.id, "first": first.as_json(), "second": second.as_json()}
            print_json_line("difference", {**value, "context": context(first)})
        else:
            words = printable(context(first))
            sys.stdout.write(f"{line_of(first)}\n\t{names[1]}: {line_of(second)}\n\t{words}\n")
    share = f" ({percent(len(differ) / len(both), 1)})" if both else ""
    _tell(
        fields.said(),
        f"{some_of(len(differ), len(both), 'response', 'are read differently')}{share}.",
        f"{unread} more have no reading: {names[1]} gave none." if unread else "",
    )


def differs(first: Recorded, second: Recorded) -> bool:
    """Whether two readings say something else."""
    one, other = first.reading, second.reading
    return (one.status, one.positions) != (other.status, other.positions)


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

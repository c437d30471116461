"""Commands on a run directory: `report`, `verify`; and `list`, of all there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.options import AsJson, ReportItems, RunPath
from horsesense.cli.output import print_json
from horsesense.errors import UsageError
from horsesense.files import usable


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(report)
    app.command()(verify)
    app.command("list")(list_)


def report(
    run: RunPath,
    report_items: ReportItems = 200,
    item: Annotated[str | None, typer.Option(help="Show this item's prompts and answers.")] = None,
    to: Annotated[
        Path | None, typer.Option(help="File to write; in RUN by default.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a run again and write its report, also where it was interrupted; asks nothing.

    A study's folder is reported run by run.
    With --item it writes a page of that item with every prompt and answer instead.
    """
    from horsesense.api import open as open_run
    from horsesense.cli.audit import shortfalls
    from horsesense.report import item_report
    from horsesense.runs.studies import run_folders

    run = usable(run)
    for inner in run_folders(run):
        report(inner, report_items, item, as_json=as_json)
    if run_folders(run):
        return
    opened = open_run(run)
    opened.measure()
    if item is None:
        path = opened.report(items=report_items, to=to)
    else:
        path = item_report(opened.results, item, to)
    missing = shortfalls(opened)
    if as_json:
        print_json("report", {"report": str(path), "missing": missing})
        return
    for line in missing:
        print(line)
    print(path)


def verify(run: RunPath, as_json: AsJson = False) -> None:
    """Derive every hash of a run directory again and say what does not match."""
    from horsesense.api import open as open_run

    found = open_run(run).verify()
    if as_json:
        print_json("verify", {"checked": found.checked, "faults": found.faults})
    else:
        print(f"{found.checked:,} stored answers checked, {len(found.faults)} faults")
        for fault in found.faults[:20]:
            print(f"  {fault}")
    if not found.sound:
        raise typer.Exit(3)


def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="probes, measures, readers, models, designs, suites, rules or schemas."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List probes, measures, readers, simulated models, designs, suites and rules of `check`."""
    from horsesense.catalogue import catalogue
    from horsesense.plugins import renamed

    if kind == "schemas":
        _list_schemas(as_json)
        return
    found = catalogue()
    if kind == "respondents":
        kind = renamed("kind", kind, "models")
    if kind is not None:
        if kind not in found:
            raise UsageError.unknown("kind of thing to list", kind, found)
        found = {kind: found[kind]}
    if as_json:
        print_json("list", found)
        return
    for title, entries in found.items():
        print(f"{title}")
        width = max(map(len, entries))
        for name, summary in entries.items():
            print(f"  {name:<{width}}  {summary}")
        print()


def _list_schemas(as_json: bool) -> None:
    """The JSON Schemas of all `--json` outputs."""
    from horsesense.cli.schemas import OUTPUTS, json_schemas

    if as_json:
        print_json("schemas", {"schemas": json_schemas()})
        return
    for name, kind in OUTPUTS.items():
        print(f"{name:<18}{(kind.__doc__ or '').splitlines()[0]}")

"""Commands on a run directory: `report`, `verify`; and `list`, of all there is."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import REPORT_ITEMS, AsJson, ReportItems, RunPath
from horsesense.cli.output import print_json, print_json_line
from horsesense.errors import ExitCode, UsageError
from horsesense.files import usable
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from horsesense.api import Run


def report(
    run: RunPath,
    report_items: ReportItems = REPORT_ITEMS,
    item: str | None = None,
    to: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run; no model is asked.

    A run that has changed is measured again first, and an interrupted one is reported as far as it
    went. A study's folder gives a report of every run (with --json, a line each). --item prints
    one item with every prompt and answer; --to writes a page of it.

    Example: horsesense report audits/exam

    Args:
        item: Print this item's prompts and answers instead.
        to: The page; by default RUN/report.html, and no page with --item.
    """
    from horsesense.api import open as open_run
    from horsesense.cli.each import shortfalls
    from horsesense.cli.ending import ending
    from horsesense.report.told import as_rows
    from horsesense.runs.studies import run_folders

    inner = run_folders(usable(run))
    if inner and to is not None:
        raise UsageError(f"{run} holds {len(inner)} runs, and --to names one file.")
    show = print_json_line if inner else print_json
    for path in inner or [usable(run)]:
        opened = open_run(path)
        if inner and not as_json:
            print(path)
        if item is not None:
            _item(opened, item, to, as_json, show)
            continue
        page, missing = opened.report(items=report_items, to=to), shortfalls(opened)
        if as_json:
            said = as_rows(opened.results)
            show("report", {"report": str(page), "missing": missing, **said})
        else:
            print(*ending(opened.results), *missing, page, sep="\n")


def _item(
    run: Run, item: str, to: Path | None, as_json: bool, show: Callable[[str, dict[str, Any]], None]
) -> None:
    """Print an item of a run, and write a page of it where one is named."""
    from horsesense.report import item_report
    from horsesense.report.item_text import item_json, item_text

    results = run.measured()
    found = item_json(results, item)
    page = None if to is None else item_report(results, item, to)
    if as_json:
        show("item", {"run": str(run.path), "page": None if page is None else str(page), **found})
        return
    print(item_text(found))
    if page is not None:
        print(f"\nPage: {page}")


def verify(run: RunPath, as_json: AsJson = False) -> None:
    """Check that a run holds what it says: every hash is derived again, nothing is changed.

    Example: horsesense verify audits/exam
    """
    from horsesense.api import open as open_run

    found = open_run(run).verify()
    if as_json:
        print_json("verify", asdict(found))
    else:
        faults = plural(len(found.faults), "fault")
        print(f"{plural(found.checked, 'stored answer')} checked, {faults}")
        for fault in found.faults[:20]:
            print(f"  {fault}")
        if not found.manifest:
            since = "as in redacted runs and those of earlier versions"
            print(f"There is no manifest, {since}: only answers and items were checked.")
    if not found.sound:
        raise typer.Exit(ExitCode.TROUBLE)


def list_(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="probes, measures, readers, models, designs, suites, rules or schemas; or a name."
        ),
    ] = None,
    name: Annotated[str | None, typer.Argument(help="One of them; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """List probes, measures, readers, simulated models, designs, suites and rules of `check`.

    Example: horsesense list probes
    """
    from horsesense.catalogue import catalogue

    if kind == "schemas":
        _list_schemas(as_json)
        return
    found = catalogue()
    if kind is not None and kind not in found:
        name, among, known = kind, "kind of thing to list, nor a name of one", [*found, "schemas"]
    elif kind is not None:
        found = {kind: found[kind]}
        among, known = f"name among {kind}", [*found[kind]]
    if name is not None:
        found = _named(found, name)
        if not found:
            raise UsageError.unknown(among, name, known)
    if as_json:
        print_json("list", found)
        return
    for title, entries in found.items():
        print(f"{title}")
        width = max(map(len, entries))
        for name, summary in entries.items():
            print(f"  {name:<{width}}  {summary}")
        print()


def _named(found: dict[str, dict[str, str]], name: str) -> dict[str, dict[str, str]]:
    """What is called so; else all of a kind that begins so (`hf`), else all that mention it."""
    word = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    for fits in (
        lambda key, _: key == name,
        lambda key, _: key.startswith(f"{name}:"),
        lambda key, summary: word.search(f"{key} {summary}"),
    ):
        rows = {k: {n: s for n, s in named.items() if fits(n, s)} for k, named in found.items()}
        if any(rows.values()):
            return {k: named for k, named in rows.items() if named}
    return {}


def _list_schemas(as_json: bool) -> None:
    """The JSON Schemas of all `--json` outputs."""
    from horsesense.cli.schemas import OUTPUTS, json_schemas

    if as_json:
        print_json("schemas", {"schemas": json_schemas()})
        return
    for name, kind in OUTPUTS.items():
        print(f"{name:<18}{(kind.__doc__ or '').splitlines()[0]}")

"""`horsesense compare`: several runs side by side."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson
from horsesense.cli.output import print_json, print_json_line
from horsesense.cli.readings import printable
from horsesense.findings.wording import level_text
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense.comparison.align import Side
    from horsesense.comparison.compare import Comparison
    from horsesense.stats.contrasts import Contrast

Runs = Annotated[
    list[str],
    typer.Argument(
        help="Run directories, or a folder for all runs in it. NAME=DIRECTORY names"
        " the model; several runs of one model count as prompts of it."
    ),
]
Level = Annotated[
    float, typer.Option(min=0.5, max=0.999, help="Confidence level of intervals and ranks.")
]


def compare(
    runs: Runs,
    measure: str = "accuracy_as_graded",
    reader: str | None = None,
    across: Annotated[
        bool, typer.Option("--across", help="Compare runs whose prompts differ, and say so.")
    ] = False,
    level: Level = 0.95,
    out: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Compare models on the items that their runs share, and say whether their ranking holds.

    Each of several sets, or suites of a study, gets a page of its own (with --json, a line). One
    more page has all of them, with mean ranks.

    Example: horsesense compare audits/one audits/other

    Args:
        measure: accuracy_as_graded, accuracy (of those read), accuracy_valid, accuracy_hard,
            accuracy_hard_as_graded or valid_rate.
        reader: The main reader; by default the one that most runs rest on.
        out: The page, table (.csv, .tex, .md) or figure (.svg, .pdf, .png) to write; by default
            comparison.html, in the folder of the runs where one alone is named.
    """
    from horsesense.api import sides
    from horsesense.comparison.compare import compare as compare_sides
    from horsesense.report.comparison import sets_table, write_comparison, write_sets
    from horsesense.report.differing import all_differing
    from horsesense.report.pieces import AS_FIGURES
    from horsesense.report.sections.multi_problem import over_cells
    from horsesense.runs.studies import slug

    given = sides(map(named, runs))
    out = out or (Path(runs[0]) if len(runs) == 1 else Path()) / "comparison.html"
    cells = over_cells([side.results for side in given])
    parts = _parts(given)
    shared = set.intersection(*(set(side.keys) for side in given))
    if (len(runs) > 1 and shared) or any(len(part) < 2 for part in parts.values()):
        parts = {"": given}
    pages = {}
    for name, part in parts.items():
        found = compare_sides(part, measure=measure, reader=reader, across=across, level=level)
        own = (
            out.with_stem(f"{out.stem}-{slug(name.replace('.', '', 1))}") if len(parts) > 1 else out
        )
        again = " (in place of an earlier one)" * own.exists()
        page = write_comparison(found, own, part, cells)
        pages[name] = found, page
        if as_json:
            show = print_json_line if len(parts) > 1 else print_json
            tasks = [{"tasks": name.strip(), **asdict(each)} for name, each in cells]
            more = {"tasks": tasks, "differing": all_differing(part, found.reader)}
            show("compare", {"report": str(page), **found.as_json(), **more})
            continue
        if len(parts) > 1:
            print(name)
        _show(found)
        print(f"Report: {page}{again} (--json names every item on which they differ)")
    drawn = out.suffix in AS_FIGURES  # a set each
    if len(pages) > 1 and not drawn:
        write_sets(pages, out)
    if len(pages) > 1 and not as_json:
        print_table(*sets_table({name: found for name, (found, _) in pages.items()}))
        print(f"All sets: {out}" * (not drawn))
    for name, each in () if as_json else cells:
        print(f"{plain(name).strip()} over {plural(each.cells, 'cell')}: {_told(each)}")


def _told(found: Contrast) -> str:
    """Two tasks over models, sets and sizes, by the published statistics."""
    d = "undefined" if found.d is None else f"{found.d:.2f}"
    mean, u, p = found.mean or 0.0, found.u or 0.0, found.u_p or 0.0
    return f"mean {mean:.1f} points, U {u:.1f} (p {p:.3g}), d {d}."


def _parts(given: list[Side]) -> dict[str, list[Side]]:
    """Runs by what was asked of their models: their sets, or their sets and suites.

    Two sets may have one name: their numbers tell them apart.
    """
    found: dict[tuple[str, str], list[Side]] = {}
    for side in given:
        settings, items = side.results.directory.settings, side.results.items
        found.setdefault((items.fingerprint, settings.suite or ""), []).append(side)
    several = len({suite for _, suite in found}) > 1
    return {
        f"{number}. {part[0].results.items.name} {suite if several else ''}".rstrip(): part
        for number, ((_, suite), part) in enumerate(found.items(), 1)
    }


def named(text: str) -> tuple[str | None, str]:
    """NAME=DIRECTORY, or a directory alone, also one with an equals sign in its name."""
    name, equals, place = text.partition("=")
    if not equals or not name or not place or Path(text).exists():
        return None, text
    return name, place


def _show(found: Comparison) -> None:
    from horsesense.report.comparison import sentences, table

    for sentence in sentences(found):
        print(f"- {plain(sentence)}")
    if at := [d.level for d in found.differences if d.view == found.main and d.level]:
        level = plain(level_text(min(at)))
        wider = (
            " The first row has half of the allowed error: intervals of the others may be wider."
        )
        several = wider * (len(found.views) > 1)
        print(f"- Interval of a difference: {level}, corrected for all comparisons.{several}")
    for name, values in found.settings:
        told = "; ".join(f"{place}: {value or 'none'}" for place, value in values.items())
        print(f"Differs: {name} ({printable(told)})")
    for reason in dict.fromkeys(row.reason for row in found.left_out):
        these = ", ".join(row.label for row in found.left_out if row.reason == reason)
        print(f"Not compared, as {printable(reason)}: {printable(these)}.")
    print()
    heads, rows = table(found)
    print_table(heads, rows)


def plain(text: str) -> str:
    """A text of the report on one line of a terminal: its narrow spaces are spaces there."""
    return printable(text.replace("\u202f", " "))


def print_table(heads: list[str], rows: list[list[str]]) -> None:
    """Columns as wide as their widest cell; texts on one line each."""
    from horsesense.report.text import columns

    print(*columns([[plain(cell) for cell in line] for line in (heads, *rows)]), sep="\n")

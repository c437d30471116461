"""Single pieces of a report, for papers and slides: a figure, a table, a published table.

>>> as_csv(Table("t", ["name", "value"], [["=1+1", -0.5]]))
"name,value\\r\\n'=1+1,-0.5\\r\\n"
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.util import find_spec
from typing import Any, TypeVar

from markupsafe import Markup

from horsesense.errors import UsageError, install
from horsesense.files import inert
from horsesense.report.published_tables import DATA_NAMES, Beside
from horsesense.report.sections import SECTIONS
from horsesense.report.text import interval_of, p_text, value_of, visible
from horsesense.runs.frames import ESTIMATE_COLUMNS
from horsesense.runs.results import Results

T = TypeVar("T")
Cell = str | float | int | None

FIGURE_FORMATS = ("svg", "pdf", "png")
SCALE = 3
"""Pixels of a PNG for each of the figure."""


def figure(results: Results, name: str, kind: str) -> bytes:
    """A figure of the report as a file of its own.

    Args:
        name: SECTION, or SECTION-2 for its second figure; the sections are those of the report.
        kind: svg, pdf or png.

    UsageError for a section without such a figure; it names those that have one.
    """
    if find_spec("vl_convert") is None:
        raise UsageError("Figures need the package vl-convert-python.", hint=install("figures"))
    section, _, place = name.rpartition("-")
    if not place.isdigit() or section not in SECTIONS:
        section, place = name, "1"
    found = list(_figures(results, section)) if section in SECTIONS else []
    if not 1 <= int(place) <= len(found):
        raise UsageError.unknown("figure in this run's report", name, _figure_names(results))
    svg = _alone(found[int(place) - 1])
    if kind == "svg":
        return svg.encode()
    import vl_convert

    made: bytes = (
        vl_convert.svg_to_pdf(svg) if kind == "pdf" else vl_convert.svg_to_png(svg, scale=SCALE)
    )
    return made


def _figures(results: Results, section: str) -> Iterator[Markup]:
    for found in _within(SECTIONS.get(section).context(results), Markup):
        if found.startswith("<svg"):
            yield found


def _figure_names(results: Results) -> list[str]:
    counts = {section: len(list(_figures(results, section))) for section in SECTIONS.names()}
    return [
        section if number == 1 else f"{section}-{number}"
        for section, n in counts.items()
        for number in range(1, n + 1)
    ]


def _alone(figure: Markup) -> str:
    """A figure of a page as a document: its namespace, a height, and paper behind it."""
    head, rest = str(figure).split(">", 1)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    height = f' height="{size[2]}"' if size else ""
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'{head}{height} xmlns="http://www.w3.org/2000/svg">{paper}{rest}'


def _within(value: Any, kind: type[T]) -> Iterator[T]:
    """Everything of a kind in nested lists, mappings and dataclasses, in order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _within(one, kind)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _within(one, kind)
    elif is_dataclass(value) and not isinstance(value, type | Results):
        for field in fields(value):
            yield from _within(getattr(value, field.name), kind)


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers.

    Attributes:
        title: what it shows, and where it comes from.
        columns: headings.
        rows: cells; None is empty.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def table(results: Results, name: str) -> Table:
    """A table of a run by its name; UsageError for another."""
    if name not in TABLES:
        raise UsageError.unknown("table", name, TABLES)
    return TABLES[name](results)


def _scores(results: Results) -> Table:
    """Accuracy under each probe, with its change."""
    changes = {(e.probe, e.condition): e for e in results.everywhere("accuracy_change")}
    rows: list[list[Cell]] = []
    for e in results.everywhere("accuracy"):
        change = changes.get((e.probe, e.condition))
        told: list[Cell] = [""] * 3
        if change is not None:
            told = [value_of(change), interval_of(change), p_text(change.p_adjusted)]
        label = results.label(e.probe, e.condition)
        rows.append([label, value_of(e), interval_of(e), e.n, e.n_missing, *told])
    columns = ["", "accuracy", "interval", "n", "missing", "change", "interval", "p adjusted"]
    return Table(f"{_named(results)}, read by {results.reader}", columns, rows)


def _estimates(results: Results) -> Table:
    """Every estimate with all its fields."""
    rows = [
        [row[column] for column in ESTIMATE_COLUMNS]
        for row in (e.as_json() for e in results.estimates)
    ]
    return Table(_named(results), list(ESTIMATE_COLUMNS), rows)


def _named(results: Results) -> str:
    return f"{results.findings['model']['name']} on {results.findings['dataset']['name']}"


TABLES: Mapping[str, Callable[[Results], Table]] = {"scores": _scores, "estimates": _estimates}


def papers(results: Results, paper: str) -> list[Table]:
    """Published tables on a data set, each with the run's own row first.

    `paper` names the data set as its paper does ("mc-test", "MMLU"), whatever the run's file is
    called. UsageError where no table is known, or the run measured none of its columns.
    """
    name = re.sub(r"[^a-z0-9]", "", paper.lower())
    if not any(pattern.search(name) for pattern in DATA_NAMES.values()):
        raise UsageError.unknown("published data set", paper, DATA_NAMES)
    dataset = {**results.findings["dataset"], "name": name}
    renamed = replace(results, findings={**results.findings, "dataset": dataset})
    found = [
        beside
        for section in SECTIONS.names()
        for beside in _within(SECTIONS.get(section).context(renamed), Beside)
    ]
    if not found:
        raise UsageError(
            f"The run measured nothing that the tables on {paper} report.",
            hint="Audit it with the paper's suite: --suite know-no or --suite revas.",
        )
    return [_published(beside, _named(results)) for beside in found]


def _published(beside: Beside, own: str) -> Table:
    mine: list[Cell] = [
        "–" if e is None or e.value is None else f"{100 * e.value:.2f}" for e in beside.own
    ]
    rows = [[own, *mine]] + [
        [name, *(cell.text + "†" * bool(cell.why) for cell in cells)] for name, cells in beside.rows
    ]
    doubts = f" †: {'; '.join(beside.doubts)}." if beside.doubts else ""
    title = f"{beside.title}, in percent, beside this run. {beside.source}.{doubts}"
    return Table(title, ["", *beside.columns], rows)


# -- formats ----------------------------------------------------------------------------------


def as_csv(found: Table) -> str:
    """CSV of RFC 4180; a text that a spreadsheet would compute gets an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(map(_inert, found.columns))
    writer.writerows([[_inert(cell) for cell in row] for row in found.rows])
    return out.getvalue()


def _inert(cell: Cell) -> Cell:
    return inert(cell) if isinstance(cell, str) else cell


def as_markdown(found: Table) -> str:
    """A table of GitHub's Markdown under its title."""
    lines = [
        _plain(found.title),
        "",
        _line(found.columns),
        _line(["---", *["---:"] * (len(found.columns) - 1)], plain=False),
        *map(_line, found.rows),
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[Cell], *, plain: bool = True) -> str:
    return "| " + " | ".join(_plain(c) if plain else str(c) for c in cells) + " |"


def _plain(cell: Cell) -> str:
    one = " ".join(_text(cell).split())
    return re.sub(r"([\\`*_{}\[\]#|<>~$])", r"\\\1", one)


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "\u202f": r"\,", "−": "$-$", "†": r"$^\dagger$", "–": "--", "…": r"\dots{}", "“": "``",
    "”": "''", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip


def as_latex(found: Table) -> str:
    """A tabular with booktabs' rules; every sign of a text that LaTeX would read is escaped."""
    lines = [
        "% " + " ".join(_text(found.title).split()),
        rf"\begin{{tabular}}{{l{'r' * (len(found.columns) - 1)}}}",
        r"\toprule",
        _row(found.columns),
        r"\midrule",
        *map(_row, found.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join("".join(_LATEX.get(c, c) for c in _one_line(cell)) for cell in cells) + r" \\"


def _one_line(cell: Cell) -> str:
    # A narrow space is no white space here: it stands before a percent sign.
    return re.sub(r"[ \t\r\n]+", " ", _text(cell)).strip(" ")


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else visible(str(cell))


TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "csv": as_csv,
    "latex": as_latex,
    "markdown": as_markdown,
}
ENDINGS: Mapping[str, str] = {"csv": "csv", "latex": "tex", "markdown": "md"}

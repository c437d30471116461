"""Single pieces of a report, for papers and slides: a figure, a table, a published table.

>>> as_csv(Table("t", ["name", "value"], [["=1+1", -0.5]]))
"name,value\\r\\n'=1+1,-0.5\\r\\n"
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from horsesense.errors import UsageError, install
from horsesense.files import inert
from horsesense.report.published_tables import DATA_NAMES, Beside, tabled
from horsesense.report.rendering import rendered
from horsesense.report.sections import SECTIONS
from horsesense.report.text import columns, interval_of, p_text, value_of, visible
from horsesense.runs.frames import ESTIMATE_COLUMNS
from horsesense.runs.results import Results
from horsesense.stats.words import plural

Cell = str | float | int | None

FIGURE_FORMATS = ("svg", "pdf", "png")
SCALE = 3
"""Pixels of a PNG for each of the figure."""
_SVG = re.compile(
    r'<svg role="img" aria-label="[^"]*"( viewBox="0 0 [\d.]+ ([\d.]+)")(.*?)</g></svg>', re.S
)


class Figure(bytes):
    """A picture as the content of a file, which a notebook shows where it is SVG or PNG."""

    def __repr__(self) -> str:
        return f"Figure({plural(len(self), 'byte')})"

    def _repr_svg_(self) -> str | None:
        return self.decode() if self.startswith(b"<svg") else None

    def _repr_png_(self) -> bytes | None:
        return self if self.startswith(b"\x89PNG") else None


def figure(results: Results, name: str, kind: str) -> Figure:
    """A figure of the report as a file of its own.

    Args:
        name: SECTION, or SECTION-2 for its second figure; the sections are those of the report.
        kind: svg, pdf or png.

    UsageError for a section without such a figure; it names those that have one.
    """
    _need_figures()
    found = dict(_figures(results))
    svg = found.get(name) or found.get(name.removesuffix("-1"))
    if svg is None:
        raise UsageError.unknown("figure in this run's report", name, list(found))
    return _converted(svg, kind)


def alone(chart: str, kind: str) -> Figure:
    """A chart that `charts.draw` made as a file of its own."""
    _need_figures()
    return _converted(_document(next(_SVG.finditer(chart))), kind)


def _need_figures() -> None:
    if find_spec("vl_convert") is None:
        raise UsageError("Figures need the package vl-convert-python.", hint=install("figures"))


def _converted(svg: str, kind: str) -> Figure:
    if kind == "svg":
        return Figure(svg.encode())
    import vl_convert

    made: bytes = (
        vl_convert.svg_to_pdf(svg) if kind == "pdf" else vl_convert.svg_to_png(svg, scale=SCALE)
    )
    return Figure(made)


def _figures(results: Results) -> Iterator[tuple[str, str]]:
    """Every figure by its name, as a document."""
    for section, html in rendered(results, SECTIONS):
        for number, svg in enumerate(_SVG.finditer(html), 1):
            yield section.id if number == 1 else f"{section.id}-{number}", _document(svg)


def _document(svg: re.Match[str]) -> str:
    """A figure with its namespace, a height, and paper behind it."""
    head, rest = svg[0].split(">", 1)
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'{head} height="{svg[2]}" xmlns="http://www.w3.org/2000/svg">{paper}{rest}'


@dataclass(frozen=True)
class Table:
    """A table of texts and numbers.

    Attributes:
        title: what it shows, and where it comes from.
        columns: headings.
        rows: cells; None is empty.
        plain: the same for machines, which CSV holds; None where the rows are plain already.
        note: what must be known to read it; below it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    plain: Table | None = None
    note: str = ""

    def __repr__(self) -> str:
        return f"Table({self.title!r}, {plural(len(self.rows), 'row')})"

    def __str__(self) -> str:
        lines = [[" ".join(_text(c).split()) for c in row] for row in (self.columns, *self.rows)]
        return "\n".join(filter(None, [*columns(lines), self.note]))

    def _repr_markdown_(self) -> str:
        return as_markdown(self)


def table(results: Results, name: str) -> Table:
    """A table of a run by its name; UsageError for another."""
    if name not in TABLES:
        raise UsageError.unknown("table", name, TABLES)
    return TABLES[name](results)


_OF_A_CHANGE = ("value", "low", "high", "p_adjusted", "n")


def _scores(results: Results) -> Table:
    """Accuracy under each probe, with its change."""
    changes = {(e.probe, e.condition): e for e in results.everywhere("accuracy_change")}
    rows: list[list[Cell]] = []
    plain: list[list[Cell]] = []
    for e in results.everywhere("accuracy"):
        change = changes.get((e.probe, e.condition))
        told: list[Cell] = [""] * 4
        if change is not None:
            p = p_text(change.p_adjusted)
            told = [value_of(change), interval_of(change), change.n, p]
        label = results.label(e.probe, e.condition)
        rows.append([label, value_of(e), interval_of(e), e.n, e.n_missing, *told])
        found = [label, e.probe, str(e.condition), e.value, e.low, e.high, e.n, e.n_missing]
        plain.append([*found, *(getattr(change, name, None) for name in _OF_A_CHANGE)])
    columns = ["form", "accuracy", "interval", "prompts", "missing"]
    columns += ["change", "interval", "items both", "p adjusted"]
    names = ["form", "probe", "condition", "accuracy", "low", "high", "n", "missing"]
    names += ["change", *(f"change_{name}" for name in _OF_A_CHANGE[1:])]
    title = f"{_named(results)}, read by {results.reader}"
    note = (
        "An item may have several prompts in a form. Change: from the original order (of options"
        " with “none of these”: from those with the right answer), over the items that have both"
        " forms. Accuracy: over all items that have the form; of orders, the original one included."
        " So a change can differ from the difference of two accuracies."
    )
    return Table(title, columns, rows, Table(title, names, plain), note)


def _estimates(results: Results) -> Table:
    """Every estimate with all its fields."""
    rows = [[e.as_json()[column] for column in ESTIMATE_COLUMNS] for e in results.estimates]
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
    contexts = (section.context(renamed) or {} for section in SECTIONS)
    found = [beside for context in contexts for beside in context.get("tables", ())]
    if not found:
        ran = "".join(f" of --suite {suite['name']}" for suite in results.findings["suites"][:1])
        raise UsageError(
            f"The run{ran} measured nothing that the tables on {paper} report.",
            hint=f"Tables stand beside runs of {tabled()}.",
        )
    return [_published(beside, _named(results)) for beside in found]


def _published(beside: Beside, own: str) -> Table:
    rows = [[own, *beside.mine], ["its interval, and of how many", *beside.sure]] + [
        [name, *(cell.text + "†" * bool(cell.why) for cell in cells)] for name, cells in beside.rows
    ]
    doubts = [f"†: {'; '.join(beside.doubts)}."] if beside.doubts else []
    if any(sure.endswith("items") for sure in beside.sure):
        doubts = ["Of n items, each counts by the mean of its prompts.", *doubts]
    title = f"{beside.title}, in percent, beside this run. {beside.source}."
    return Table(title, ["", *beside.columns], rows, note=" ".join(doubts))


# -- formats ----------------------------------------------------------------------------------


def as_csv(found: Table) -> str:
    """CSV of RFC 4180; a text that a spreadsheet would compute gets an apostrophe."""
    out, found = io.StringIO(), found.plain or found
    for row in (found.columns, *found.rows):
        csv.writer(out).writerow(inert(cell) if isinstance(cell, str) else cell for cell in row)
    return out.getvalue()


def as_markdown(found: Table) -> str:
    """A table of GitHub's Markdown under its title."""
    rule = ["---", *["---:"] * (len(found.columns) - 1)]
    cells = [[_plain(cell) for cell in row] for row in (found.columns, *found.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in (cells[0], rule, *cells[1:])]
    below = ["", _plain(found.note)] if found.note else []
    return "\n".join([_plain(found.title), "", *lines, *below]) + "\n"


def _plain(cell: Cell) -> str:
    one = " ".join(_text(cell).split())
    return re.sub(r"([\\`*_{}\[\]#|<>~$])", r"\\\1", one)


_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "\u202f": r"\,", "−": "$-$", "†": r"$^\dagger$", "–": "--", "…": r"\dots{}", "“": "``",
    "”": "''", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
})  # fmt: skip


def as_latex(found: Table) -> str:
    """A tabular with booktabs' rules; every sign of a text that LaTeX would read is escaped."""
    head, *rows = (" & ".join(map(latex, row)) + r" \\" for row in (found.columns, *found.rows))
    title = " ".join(_text(found.title).split())
    start = rf"\begin{{tabular}}{{l{'r' * (len(found.columns) - 1)}}}"
    lines = [f"% {title}; needs the package booktabs", start]
    lines += [r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    lines += [r"\end{tabular}"]
    if found.note:  # below the table, where a long one is wrapped
        lines.append(rf"\par{{\footnotesize {latex(found.note)}\par}}")
    return "\n".join(lines) + "\n"


def latex(cell: Cell) -> str:
    # A narrow space is no white space here: it stands before a percent sign.
    found = re.sub(r"[ \t\r\n]+", " ", _text(cell)).strip(" ").translate(_LATEX)
    # A bracket or a star at its begin would belong to the command before it.
    return f"{{}}{found}" if found.startswith(("[", "*")) else found


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
AS_TABLES = {f".{ending}": TABLE_FORMATS[kind] for kind, ending in ENDINGS.items()}
"""Ending of a file -> what writes a table as it."""
AS_FIGURES = {f".{kind}" for kind in FIGURE_FORMATS}

"""A paper's table beside the run's own result, where the data set is the same by its name."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from horsesense.measures.base import Estimate
from horsesense.measures.graded import GRADED
from horsesense.report.text import count_of, interval_of
from horsesense.runs.results import Results

DATA_NAMES: Mapping[str, re.Pattern[str]] = {
    "mctest": re.compile(r"mctest|mc500|mc160"),
    "bank77": re.compile(r"bank(?:ing)?77"),
    "equinfer": re.compile(r"equinfer"),
    "mmlu": re.compile(r"mmlu(?!pro|redux)"),
    "medmcqa": re.compile(r"medmcqa"),
    "arc": re.compile(r"arcchallenge|^arc(?:test)?$"),
    "sst2": re.compile(r"sst2(?!pairs)"),
    "cola": re.compile(r"^cola|cola(?:dev|test|$)"),
    "agnews": re.compile(r"agnews"),
    "mrpc": re.compile(r"mrpc"),
    "snli": re.compile(r"snli"),
    "wic": re.compile(r"^wic|wic(?:dev|test|$)"),
}
NONE = "–"
PEOPLE = "Human"
"""The row of a published table that is of no model."""


class TableCell(NamedTuple):
    """A published value in percent, "–" where there is none, and why it is doubtful, if it is."""

    text: str
    why: str = ""


class Beside(NamedTuple):
    """A published table with the run's own row.

    Attributes:
        title, source: of the published table.
        columns: headings.
        mine: the run's values in percent, "–" where it has none.
        sure: the interval of each, and of how many it is, "" where it has none.
        rows: published rows.
        doubts: the reasons of the marks; of several, each with its cells.
    """

    title: str
    source: str
    columns: Sequence[str]
    mine: Sequence[str]
    sure: Sequence[str]
    rows: Sequence[tuple[str, Sequence[TableCell]]]
    doubts: Sequence[str]


Own = Callable[[str, str], Estimate | None]
"""Finds the run's estimate for a column of a table."""


def beside(run: Results, prefix: str, own: Own | None = None) -> list[Beside]:
    """Published tables whose id begins with `prefix`, for the run's data set and examples.

    Tables of one number of few-shot examples (`shots`) stand beside runs of zero-shot prompts or
    of prompts with examples, of whichever number.

    `own(id, column)` finds the run's estimate for a column of a table, where published.toml does
    not say where it is. Where it has a twin as graded, which counts replies without a choice as the
    papers do, that stands there.
    """
    own = own or partial(_declared, run)
    found = []
    for table in _fitting(run, prefix):
        mine = [_as_graded(run, own(table["id"], c)) for c in table["columns"]]
        if any(e is not None for e in mine):
            found.append(_beside(table, mine))
    return found


def _declared(run: Results, table: str, column: str) -> Estimate | None:
    """The run's number for a column, from where published.toml says that it is."""
    rules = next(each for each in known("own") if table.startswith(each["tables"]))
    measure, probe, *more = rules.get(column, rules["other"]).format(column=column).split()
    where = dict(pair.split("=") for pair in more)
    reader, group = where.pop("reader", None), where.pop("group", "")
    found = (e for e in run.all(measure, probe, reader) if e.group == group)
    return next((e for e in found if e.condition.matches(**where)), None)


def published(run: Results, prefix: str, column: str) -> list[float]:
    """What a paper printed of models in a column for the run's data set; nothing doubtful."""
    table = next((t for t in _fitting(run, prefix) if column in t["columns"]), None)
    if table is None:
        return []
    doubted = {m["row"] for m in table["marks"] if m["column"] == column}
    at = table["columns"].index(column)
    rows = [row["values"][at] for row in table["rows"] if row["name"] not in {*doubted, PEOPLE}]
    return [value for value in rows if not math.isnan(value)]


def tabled() -> str:
    """The data sets with published tables, by suite, for a message."""
    found: dict[str, list[str]] = {}
    for table in known("tables"):
        found.setdefault(table["suite"], []).append(table["data"])
    return "; ".join(
        f"--suite {suite}: {', '.join(dict.fromkeys(data))}" for suite, data in found.items()
    )


def _fitting(run: Results, prefix: str) -> Iterator[Mapping[str, Any]]:
    name = re.sub(r"[^a-z0-9]", "", run.findings["dataset"]["name"].lower())
    examples = bool(run.findings["study"].get("shots"))
    data = {known for known, pattern in DATA_NAMES.items() if pattern.search(name)}
    for table in known("tables") if data else ():
        fits = table["id"].startswith(prefix) and bool(table.get("shots", examples)) == examples
        if fits and table["data"] in data:
            yield table


def _as_graded(run: Results, e: Estimate | None) -> Estimate | None:
    if e is None:
        return None
    where: dict[str, Any] = {"reader": e.reader, "condition": e.condition, "group": e.group}
    return run.one(e.measure + GRADED, e.probe, **where) or e


@cache
def known(what: Literal["tables", "numbers", "own"]) -> list[dict[str, Any]]:
    """Published tables, numbers that suites are known by, or where a run has those of a table."""
    text = (files("horsesense.report") / "published.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)[what]
    return found


def _beside(table: Mapping[str, Any], own: Sequence[Estimate | None]) -> Beside:
    marks = {(m["row"], m["column"]): m["why"] for m in table["marks"]}
    doubts: dict[str, list[str]] = {}
    for (name, column), why in marks.items():
        doubts.setdefault(why, []).append(f"{name} {column.replace('_', ' ')}")
    columns = table["columns"]

    def cells(row: Mapping[str, Any]) -> list[TableCell]:
        pairs = zip(columns, row["values"], strict=True)
        digits = table.get("digits", 2)
        return [TableCell(_text(v, digits), marks.get((row["name"], c), "")) for c, v in pairs]

    return Beside(
        table["title"],
        table["source"],
        [column.replace("_", " ") for column in columns],
        [NONE if e is None or e.value is None else _text(_percent(e.value, e.unit)) for e in own],
        ["" if e is None or e.value is None else f"{interval_of(e)} {count_of(e)}" for e in own],
        [(row["name"], cells(row)) for row in table["rows"]],
        [f"{', '.join(of)}: {why}" if len(doubts) > 1 else why for why, of in doubts.items()],
    )


def _percent(value: float, unit: str) -> float:
    return value if unit == "points" else 100 * value


def _text(value: float, digits: int = 2) -> str:
    return NONE if math.isnan(value) else f"{value:.{digits}f}"

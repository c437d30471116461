"""The cue report: one HTML file that says whether a benchmark can be answered by cues alone."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from horsesense.files import write_page
from horsesense.report.charts import ZERO, plot
from horsesense.report.pages import environment
from horsesense.report.text import visible
from horsesense_extras.cue_tests.dependence import below_limit, family_summary
from horsesense_extras.cue_tests.paper import CLEVER_HANS, printed_kappa, printed_test
from horsesense_extras.cue_tests.result import (
    LEVEL,
    PUBLISHED_LIMIT,
    Cue,
    CueResult,
    CueRow,
    Dependence,
    signed,
)

MOST_CUES: Final = 15

Cell = tuple[str, float, bool]
"""What a cell of the heat map says, its shade in percent, and whether it is bold."""


def heat_map(results: Sequence[CueResult]) -> list[tuple[str, list[Cell]]]:
    """Each vector with a cell for each data set: its kappa, the paper's Figure 1.

    By the published method it is `kappa_uniform`, as published, and bold above the paper's limit.
    """
    sets = [(result, {row.features: row for row in result.rows}) for result in results]
    vectors = dict.fromkeys(name for _, rows in sets for name in rows)
    return [(name, [_cell(result, rows.get(name)) for result, rows in sets]) for name in vectors]


def _cell(result: CueResult, row: CueRow | None) -> Cell:
    if row is None:
        return "", 0.0, False
    shown = _drawn(result, row)
    shade = 100 * min(max(shown or 0.0, 0.0), 0.6)
    return interval_text(shown, None, None), shade, _stands_out(result, row)


def _drawn(result: CueResult, row: CueRow) -> float | None:
    """The kappa that a figure shows: by the published method the published one."""
    return row.kappa_uniform if result.faithful else row.kappa


def _stands_out(result: CueResult, row: CueRow) -> bool:
    if result.faithful:
        return row.kappa_uniform > PUBLISHED_LIMIT
    return bool(row.low and row.low > 0)


def vector_figure(result: CueResult) -> Markup:
    """Kappa of each vector with its interval; ticks where random division would put it."""
    loose = {row.features: row.kappa for row in result.ungrouped_rows}
    name = "kappa_uniform" if result.faithful else "kappa"
    rows = []
    for row in result.rows:
        # The interval is one of Cohen's kappa.
        low, high = (None, None) if result.faithful else (row.low, row.high)
        rows.append(
            {
                "label": row.features,
                "value": _drawn(result, row),
                "low": low,
                "high": high,
                "reference": loose.get(row.features),
                "warning": _stands_out(result, row) and (result.faithful or row.p_value <= LEVEL),
                "text": interval_text(_drawn(result, row), low, high),
            }
        )
    return plot(rows, name, f"{name.capitalize()} of each feature vector, {result.dataset}")


def cue_shares(result: CueResult) -> Markup:
    """For each cue the share of its rows that have its label; a tick marks the share of all."""
    rows = [
        {
            "label": cue_name(cue),
            "value": 100 * cue.precision,
            "reference": 100 * cue.totals[cue.label] / max(sum(cue.totals.values()), 1),
            "text": f"{cue.counts[cue.label]:,} of {cue.support:,} → {visible(cue.label)[:16]}",
        }
        for cue in result.cues[:MOST_CUES]
    ]
    title = "% of the rows with the cue that have its label"
    return plot(rows, title, f"The strongest cues of {result.dataset}")


def family_figure(models: Sequence[Dependence], pooled: Sequence[Dependence]) -> Markup | None:
    """Differences of the models of each family, with the family's mean: the paper's Figure 3.

    None where no family has a difference with an interval.
    """
    rows: list[dict[str, Any]] = []
    for family in pooled:
        if family.difference is None or family.low is None or family.high is None:
            continue
        ends = {"value": family.difference, "low": family.low, "high": family.high}
        scaled = {name: 100 * value for name, value in ends.items()}
        own = [m.difference for m in models if m.family == family.family]
        dots = [100 * difference for difference in own if difference is not None]
        told = points_text(family)
        rows.append({"label": family.family, **scaled, "dots": dots, "text": told})
    title = "difference, percentage points"
    return plot(rows, title, "Dependence on cues by model family", [ZERO]) if rows else None


def interval_text(value: float | None, low: float | None, high: float | None) -> str:
    """`0.19 (0.12 to 0.26)`, or a dash where undefined."""
    if value is None:
        return "–"
    if low is None or high is None:
        return signed(value)
    return f"{signed(value)} ({signed(low)} to {signed(high)})"


def points_text(row: Dependence) -> str:
    """A difference in percentage points with its interval."""
    if row.difference is None or row.low is None or row.high is None:
        return "–"
    value, low, high = (signed(100 * v, 1) for v in (row.difference, row.low, row.high))
    return f"{value} ({low} to {high})"


def cue_name(cue: Cue) -> str:
    """As shown: n-grams in quotation marks."""
    return f"“{visible(cue.name)}”" if cue.kind == "n-gram" else visible(cue.name)


MOST_ITEMS = 200
"""Ids listed of items that cues alone predict right; the JSON has them all."""
_TONE = {"none": "sound", "slight": "note", "clear": "doubt", "strong": "warning"}


def write_cue_report(results: Sequence[CueResult], path: Path) -> Path:
    """Write the report on one or more data sets to `path`.

    The page runs no script, loads nothing and escapes everything that came from the items.
    """
    families, published = family_summary(results)
    models = [model for result in results for model in result.models]
    made = environment(
        "horsesense_extras",
        signed=signed,
        interval=lambda row: interval_text(row.kappa, row.low, row.high),
        points=points_text,
        printed=lambda row: interval_text(printed_kappa(row.dataset, row.features), None, None),
        printed_test=printed_test,
        cue_name=cue_name,
        count=lambda n: f"{n:,}",
    )
    html = made.get_template("cues.html.j2").render(
        results=results,
        tone=_TONE,
        heat_map=heat_map(results) if len(results) > 1 else None,
        figures={
            result.dataset: {
                "vectors": vector_figure(result),
                "cues": cue_shares(result) if result.cues else None,
            }
            for result in results
        },
        models=models,
        families=families,
        published=published,
        left_out=below_limit(results),
        family_figure=family_figure(models, families) if models else None,
        most_items=MOST_ITEMS,
        paper=CLEVER_HANS.as_json(any(result.faithful for result in results), {}),
        version=version("horsesense"),
    )
    write_page(path, html)
    return path

"""Figures of the cue report: heat map, vectors and families with intervals, cues with shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from horsesense.report.text import visible
from horsesense_extras.cue_tests.result import Cue, CueResult, CueRow, Dependence
from horsesense_extras.cue_tests.verdict import LEVEL, PUBLISHED_LIMIT, signed
from horsesense_extras.figures import figure

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


def vectors(result: CueResult) -> Markup:
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
    return figure(rows, name, f"{name.capitalize()} of each feature vector, {result.dataset}")


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
    return figure(rows, title, f"The strongest cues of {result.dataset}")


def families(models: Sequence[Dependence], pooled: Sequence[Dependence]) -> Markup | None:
    """Differences of the models of each family, with the family's mean: the paper's Figure 3.

    None where no family has a difference with an interval.
    """
    rows: list[dict[str, Any]] = []
    dots: list[dict[str, Any]] = []
    for family in pooled:
        if family.difference is None or family.low is None or family.high is None:
            continue
        ends = {"value": family.difference, "low": family.low, "high": family.high}
        scaled = {name: 100 * value for name, value in ends.items()}
        rows.append({"label": visible(family.family), **scaled, "text": points_text(family)})
        dots += [
            {"row": len(rows) - 1, "at": 100 * m.difference}
            for m in models
            if m.difference is not None and m.family == family.family
        ]
    title = "difference, percentage points"
    return figure(rows, title, "Dependence on cues by model family", dots) if rows else None


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

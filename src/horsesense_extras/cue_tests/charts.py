"""Figures of the cue report: heat map, vectors with intervals, cue bars, models, families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from horsesense.report.charts import (
    ACCENT,
    FAINT,
    ROWS,
    WARNING,
    ChartFrame,
    draw,
    estimates,
)
from horsesense.report.text import visible
from horsesense_extras.cue_tests.result import Cue, CueResult, CueRow, Dependence
from horsesense_extras.cue_tests.verdict import LEVEL, PUBLISHED_LIMIT

FRAME: Final = ChartFrame(left=270, middle=380, right=160, row=24, top=12)
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


def _kappa(result: CueResult) -> str:
    """The name of the kappa that a figure shows."""
    return "kappa_uniform" if result.faithful else "kappa"


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
    rows = [_vector_row(place, row, loose, result) for place, row in enumerate(result.rows)]
    name = _kappa(result)
    x = {"type": "quantitative", "axis": {"title": name, "tickCount": 6, "grid": True}}
    layers = [_zero(x), FRAME.names(), *estimates(x), FRAME.numbers()]
    title = f"{name.capitalize()} of each feature vector, {result.dataset}"
    return draw(FRAME.figure(layers, rows), title)


def _vector_row(
    place: int, row: CueRow, loose: Mapping[str, float | None], result: CueResult
) -> dict[str, Any]:
    # The interval is one of Cohen's kappa.
    low, high = (None, None) if result.faithful else (row.low, row.high)
    return {
        "row": place,
        "label": row.features,
        "value": _drawn(result, row),
        "low": low,
        "high": high,
        "reference": loose.get(row.features),
        "warning": _stands_out(result, row) and (result.faithful or row.p_value <= LEVEL),
        "text": interval_text(_drawn(result, row), low, high),
    }


def cue_bars(result: CueResult) -> Markup:
    """For each cue the share of its rows that have its label; a tick marks the share of all."""
    rows = []
    for place, cue in enumerate(result.cues[:MOST_CUES]):
        base = cue.totals[cue.label] / max(sum(cue.totals.values()), 1)
        rows.append(
            {
                "row": place,
                "label": cue_name(cue),
                "share": 100 * cue.precision,
                "base": 100 * base,
                "text": f"{cue.counts[cue.label]:,} of {cue.support:,} → {visible(cue.label)[:16]}",
            }
        )
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, 100]},
        "axis": {"title": "% of the rows with the cue that have its label", "tickCount": 5},
    }
    layers = [
        FRAME.names(),
        {
            "mark": {"type": "bar", "height": 13, "color": ACCENT},
            "encoding": {"x": {**x, "field": "share"}, "y": ROWS},
        },
        {
            "mark": {"type": "tick", "color": WARNING, "thickness": 2, "height": 19},
            "encoding": {"x": {**x, "field": "base"}, "y": ROWS},
        },
        FRAME.numbers(limit=FRAME.right - 14),
    ]
    return draw(FRAME.figure(layers, rows), f"The strongest cues of {result.dataset}")


def scatter(models: Sequence[Dependence]) -> Markup:
    """Accuracy beyond chance on predictable against unpredictable items: the paper's Figure 2."""
    rows: list[dict[str, Any]] = [
        {
            "model": visible(m.model),
            "family": visible(m.family),
            "hard": (m.on_unpredictable - m.chance) / (1 - m.chance),
            "easy": (m.on_predictable - m.chance) / (1 - m.chance),
        }
        for m in models
        if m.on_predictable is not None and m.on_unpredictable is not None
    ]
    ends = [value for row in rows for value in (row["hard"], row["easy"])]
    low, high = min([*ends, 0.0]), max([*ends, 0.1])
    scale = {"domain": [low, high], "nice": True}
    families = list(dict.fromkeys(row["family"] for row in rows))
    line = [{"hard": low, "easy": low}, {"hard": high, "easy": high}]
    x = {"field": "hard", "type": "quantitative", "scale": scale,
         "axis": {"title": "beyond chance where cues fail"}}  # fmt: skip
    y = {"field": "easy", "type": "quantitative", "scale": scale,
         "axis": {"title": "beyond chance where cues predict the label"}}  # fmt: skip
    points: dict[str, Any] = {"x": x, "y": y, "color": {"value": ACCENT}}
    if len(families) > 1:
        points["shape"] = {"field": "family", "type": "nominal", "legend": {"title": None}}
    spec = {
        "data": {"values": rows},
        "width": 420,
        "height": 420,
        "layer": [
            {"data": {"values": line}, "mark": {"type": "line", "color": FAINT,
             "strokeDash": [4, 3]}, "encoding": {"x": x, "y": y}},
            {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.8},
             "encoding": points},
        ],
    }  # fmt: skip
    return draw(spec, "Models on items that cues predict, against items where cues fail")


def families(models: Sequence[Dependence], pooled: Sequence[Dependence]) -> Markup | None:
    """Differences of the models of each family, with the family's mean: the paper's Figure 3.

    None where no family has a difference with an interval.
    """
    rows: list[dict[str, Any]] = [
        {
            "row": family.family,
            "label": visible(family.family),
            "mean": 100 * family.difference,
            "low": 100 * family.low,
            "high": 100 * family.high,
            "text": points_text(family),
        }
        for family in pooled
        if family.difference is not None and family.low is not None and family.high is not None
    ]
    if not rows:
        return None
    drawn = {row["row"] for row in rows}
    single = [
        {"row": m.family, "at": 100 * m.difference}
        for m in models
        if m.difference is not None and m.family in drawn
    ]
    x = {"type": "quantitative", "axis": {"title": "difference, percentage points", "tickCount": 6}}
    point = {"type": "point", "filled": True, "size": 55, "opacity": 0.45, "color": ACCENT}
    tick = {"type": "tick", "thickness": 3, "height": 15, "color": WARNING}
    layers = [
        _zero(x),
        {
            "data": {"values": single},
            "mark": point,
            "encoding": {"x": {**x, "field": "at"}, "y": ROWS},
        },
        FRAME.names(),
        {
            "mark": {"type": "rule", "strokeWidth": 2, "color": WARNING},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": ROWS},
        },
        {"mark": tick, "encoding": {"x": {**x, "field": "mean"}, "y": ROWS}},
        FRAME.numbers(),
    ]
    return draw(FRAME.figure(layers, rows), "Dependence on cues by model family")


def _zero(x: Mapping[str, Any]) -> dict[str, Any]:
    """The layer of the line of no effect."""
    return {
        "data": {"values": [{"at": 0}]},
        "mark": {"type": "rule", "color": FAINT, "strokeDash": [4, 3]},
        "encoding": {"x": {**x, "field": "at"}},
    }


def signed(value: float, digits: int = 2) -> str:
    """A number with a true minus; what rounds to zero has none."""
    text = f"{value:.{digits}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "−")


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

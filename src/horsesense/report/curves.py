"""Figures of many problems in one prompt: curves over an ordered axis, and kinds of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.charts import ACCENT, FRAME, ROWS, WARNING, Line, draw, level
from horsesense.report.text import value_of, visible

COLOURS = (ACCENT, WARNING, "#8a6d2f", "#7fa6cb", "#dd9b85", "#c9b37a")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
KIND_COLOURS: Mapping[str, str] = {
    "correct": ACCENT,
    "wrong_label": WARNING,
    "contradiction": "#dd9b85",
    "unassigned": "#c9b37a",
}
LEGEND = {
    "orient": "bottom",
    "title": None,
    "direction": "horizontal",
    "columns": 2,
    "labelLimit": 300,
}


class Curve(NamedTuple):
    """One line: its name, and what it is at each step of the axis."""

    name: str
    points: Sequence[tuple[str, Estimate]]


def curves(
    found: Sequence[Curve],
    steps: Sequence[str],
    *,
    x_title: str,
    y_title: str,
    caption: str,
    line: Line | None = None,
) -> Markup:
    """Shares with intervals over the steps of an axis, one line each; a dashed level if given."""
    rows = [
        {
            "step": visible(step),
            "name": visible(curve.name),
            "value": 100 * (e.value or 0),
            "low": 100 * (e.low if e.low is not None else e.value or 0),
            "high": 100 * (e.high if e.high is not None else e.value or 0),
        }
        for curve in found
        for step, e in curve.points
    ]
    names = [visible(curve.name) for curve in found]
    x = {
        "field": "step",
        "type": "ordinal",
        "sort": [visible(step) for step in steps],
        "title": x_title,
        "axis": {"labelAngle": 0, "labelOverlap": True},
    }
    y = {"type": "quantitative", "title": y_title, "scale": {"domain": [0, 100]}}
    kind = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": list(COLOURS[: len(names)])},
        "legend": LEGEND,
    }
    shape = {**kind, "scale": {"domain": names, "range": list(SHAPES[: len(names)])}}
    shift = {"field": "name", "scale": {"domain": names}}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {"x": x, "xOffset": shift, "y": {**y, "field": "value"}, "color": kind},
        },
        {
            "mark": {"type": "rule"},
            "encoding": {
                "x": x,
                "xOffset": shift,
                "y": {**y, "field": "low"},
                "y2": {"field": "high"},
                "color": kind,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {
                "x": x,
                "xOffset": shift,
                "y": {**y, "field": "value"},
                "color": kind,
                "shape": shape,
            },
        },
    ]
    if line is not None:
        layers = [*level(line, y, FRAME.middle + 210), *layers]
    size = {"width": FRAME.middle + 210, "height": 260}
    padding = {"left": 4, "right": 12, "top": 8, "bottom": 4}
    return draw({"layer": layers, **size, "padding": padding, "data": {"values": rows}}, caption)


def error_bars(rows: Sequence[tuple[str, Mapping[str, Estimate]]], *, caption: str) -> Markup:
    """Shares of right answers and of kinds of errors, which sum to 1, one bar a row."""
    values = [
        {
            "row": place,
            "label": visible(label),
            "kind": kind.replace("_", " "),
            "order": list(KIND_COLOURS).index(kind),
            "share": 100 * (e.value or 0),
        }
        for place, (label, shares) in enumerate(rows)
        for kind, e in shares.items()
    ]
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {
            "domain": [kind.replace("_", " ") for kind in KIND_COLOURS],
            "range": list(KIND_COLOURS.values()),
        },
        "legend": {**LEGEND, "columns": 4},
    }
    share = {
        "field": "share",
        "type": "quantitative",
        "axis": {"title": "% of problems", "tickCount": 5},
        "scale": {"domain": [0, 100]},
        "stack": "zero",
    }
    names = {**ROWS, "field": "row"}
    layers = [
        {
            "mark": {"type": "bar", "height": 15},
            "encoding": {
                "x": share,
                "y": names,
                "order": {"field": "order", "type": "quantitative"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "text", "align": "right", "limit": 200},
            "encoding": {"x": {"value": -12}, "y": names, "text": {"field": "label"}},
        },
    ]
    spec = {
        "layer": layers,
        "data": {"values": values},
        "width": FRAME.middle,
        "height": FRAME.row * len(rows),
        "autosize": "none",
        "padding": {"left": 221, "right": 24, "top": 22, "bottom": 80},
    }
    return draw(spec, caption)


def spoken(found: Sequence[Curve]) -> str:
    """The curves in words, for those who cannot see them."""
    parts = (
        f"{curve.name}: " + ", ".join(f"{step} {value_of(e)}" for step, e in curve.points)
        for curve in found
    )
    return "; ".join(parts)

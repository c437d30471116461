"""Curves over an ordered axis; where its steps are numbers, they stand at their true distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.charts import ACCENT, FRAME, WARNING, Line, draw, level
from horsesense.report.text import value_of, visible

COLOURS = (ACCENT, WARNING, "#7d6226", "#4f7fae", "#b5654a", "#8a7a3a")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
LEGEND = {
    "orient": "bottom",
    "title": None,
    "direction": "horizontal",
    "columns": 2,
    "columnPadding": 24,
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
    amounts = _amounts(steps)
    apart = (max(amounts.values()) - min(amounts.values())) / 90 if amounts else 0.0
    rows = [
        {
            "step": amounts[step] + apart * (place - (len(found) - 1) / 2)
            if amounts
            else visible(step),
            "name": visible(curve.name),
            "value": 100 * (e.value or 0),
            "low": 100 * (e.low if e.low is not None else e.value or 0),
            "high": 100 * (e.high if e.high is not None else e.value or 0),
        }
        for place, curve in enumerate(found)
        for step, e in curve.points
    ]
    names = [visible(curve.name) for curve in found]
    x: dict[str, Any] = {"field": "step", "title": x_title}
    if amounts:
        axis = {"values": sorted(amounts.values()), "format": "d", "labelOverlap": True}
        x |= {"type": "quantitative", "scale": {"zero": False, "padding": 14}, "axis": axis}
    else:
        axis = {"labelAngle": 0, "labelOverlap": True}
        x |= {"type": "ordinal", "sort": [visible(step) for step in steps], "axis": axis}
    y = {"type": "quantitative", "title": y_title, "scale": {"domain": [0, 100]}}
    kind = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": names, "range": list(COLOURS[: len(names)])},
        "legend": LEGEND,
    }
    shape = {**kind, "scale": {"domain": names, "range": list(SHAPES[: len(names)])}}
    shift = {} if amounts else {"xOffset": {"field": "name", "scale": {"domain": names}}}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {"x": x, **shift, "y": {**y, "field": "value"}, "color": kind},
        },
        {
            "mark": {"type": "rule"},
            "encoding": {
                "x": x,
                **shift,
                "y": {**y, "field": "low"},
                "y2": {"field": "high"},
                "color": kind,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1},
            "encoding": {
                "x": x,
                **shift,
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


def _amounts(steps: Sequence[str]) -> dict[str, float]:
    """Steps as numbers, for a true axis; empty where some are none."""
    try:
        return {step: float(step) for step in steps}
    except ValueError:
        return {}


def spoken(found: Sequence[Curve]) -> str:
    """The curves in words, for those who cannot see them."""
    parts = (
        f"{curve.name}: " + ", ".join(f"{step} {value_of(e)}" for step, e in curve.points)
        for curve in found
    )
    return "; ".join(parts)

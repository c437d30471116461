"""Curves over an ordered axis; where its steps are numbers, they stand at their true distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.charts import ChartLine, draw, ends, filled
from horsesense.report.text import value_of, visible


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
    line: ChartLine | None = None,
    log: bool = False,
) -> Markup:
    """Shares with intervals over the steps of an axis, one line each; a dashed level if given.

    Numbers stand at their true distances, or with `log` at those of their logarithms.
    `caption` names the figure for those who cannot see it, and its curves in words follow.
    """
    names, amounts = [visible(curve.name) for curve in found], _amounts(steps)
    # Intervals of one step stand beside each other.
    apart = (max(amounts.values()) - min(amounts.values())) / 90 if amounts else 0.0
    rows = [
        {
            "step": amounts[step] + apart * (place - (len(found) - 1) / 2)
            if amounts
            else visible(step),
            "name": names[place],
            **ends(e),
        }
        for place, curve in enumerate(found)
        for step, e in curve.points
    ]
    lines = [{"at": 100 * line.value, "name": visible(line.label)}] if line else []
    spec = filled(
        "curves",
        rows=rows,
        names=names,
        y_title=y_title,
        x=_axis(x_title, steps, amounts, log=log),
        offset={"value": 0} if amounts else {"field": "name", "scale": {"domain": names}},
        level=[filled("level", lines=lines)],
    )
    return draw(spec, f"{caption}. {spoken(found)}")


def _axis(
    title: str, steps: Sequence[str], amounts: dict[str, float], *, log: bool
) -> dict[str, Any]:
    x: dict[str, Any] = {"field": "step", "title": title}
    if amounts:
        axis = {"values": sorted(amounts.values()), "format": ",d", "labelOverlap": True}
        scale = {"type": "log" if log else "linear", "zero": False, "nice": False, "padding": 14}
        return {**x, "type": "quantitative", "scale": scale, "axis": axis}
    axis = {"labelAngle": 0, "labelOverlap": True}
    return {**x, "type": "ordinal", "sort": [visible(step) for step in steps], "axis": axis}


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

"""One figure of rows for all side programs: a value with its interval, and dots beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from horsesense.report.charts import ACCENT, FAINT, ROWS, ChartFrame, draw, estimates

FRAME: Final = ChartFrame(left=270, middle=350, right=190, row=24, top=12)


def figure(
    rows: Sequence[Mapping[str, Any]],
    title: str,
    caption: str,
    dots: Sequence[Mapping[str, Any]] = (),
) -> Markup:
    """A row for each entry, in the order given.

    Args:
        rows: `label`, `value` and `text`; where there are any `low` and `high`, `inner` and `outer`
            (an interval within, drawn thick), `reference` (a tick) and `warning` (its colour).
        title: of the axis.
        caption: what is read aloud.
        dots: single values, `at` in the row of number `row`.
    """
    x = {"type": "quantitative", "axis": {"title": title, "tickCount": 6, "grid": True}}
    zero = {"type": "rule", "color": FAINT, "strokeDash": [4, 3]}
    dot = {"type": "point", "filled": True, "size": 55, "opacity": 1, "color": FAINT}
    at = {"x": {**x, "field": "at"}}
    thick = {"type": "rule", "strokeWidth": 4, "color": ACCENT}
    within = {"x": {**x, "field": "inner"}, "x2": {"field": "outer"}, "y": ROWS}
    inner = [{"mark": thick, "encoding": within}] if any("inner" in row for row in rows) else []
    layers = [
        {"data": {"values": [{"at": 0}]}, "mark": zero, "encoding": at},
        FRAME.names(),
        *inner,
        *estimates(x),
        {"data": {"values": dots}, "mark": dot, "encoding": {**at, "y": ROWS}},
        FRAME.numbers(),
    ]
    blank = dict.fromkeys(("low", "high", "reference")) | {"warning": False}
    numbered = [{"row": place, **blank, **row} for place, row in enumerate(rows)]
    return draw(FRAME.figure(layers, numbered), caption)

"""What a difference may be, look by look, of an audit that may stop early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from horsesense.report.charts import ACCENT, FRAME, TEXT, draw
from horsesense.report.text import visible

HEIGHT, COLUMNS = 110, 2


def bands(
    found: Sequence[tuple[str, Sequence[Sequence[float]]]], size: float, caption: str
) -> Markup:
    """One panel for each finding: its band over the items asked, and the size that matters.

    Args:
        found: label, and [items, low, high] at each look; fractions.
        size: the smallest size that matters, dashed on both sides of no change.
        caption: the figure in words.
    """
    rows = [
        {"label": visible(label), "items": n, "low": 100 * low, "high": 100 * high}
        for label, looks in found
        for n, low, high in looks
    ]
    x = {"field": "items", "type": "quantitative", "title": "items asked"}
    y = {"type": "quantitative", "title": "points", "scale": {"domain": reach(rows, size)}}
    limits = [{"level": 0.0}, {"level": 100 * size}, {"level": -100 * size}]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "area", "color": ACCENT, "opacity": 0.3, "clip": True},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": {"values": limits},
            "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#666"},
            "encoding": {"y": {**y, "field": "level"}},
        },
    ]
    columns = min(COLUMNS, len(found))
    width = (FRAME.middle + 200) // columns - 40
    spec = {
        "data": {"values": rows},
        "facet": {
            "field": "label",
            "type": "nominal",
            "title": None,
            "sort": [visible(label) for label, _ in found],
            "header": {"labelFontSize": 12, "labelColor": TEXT, "labelAnchor": "start"},
        },
        "columns": columns,
        "spec": {"layer": layers, "width": width, "height": HEIGHT},
    }
    return draw(spec, caption)


def reach(rows: Sequence[dict[str, Any]], size: float) -> list[float]:
    """An axis that holds the narrowest bands and the sizes; the first looks leave it."""
    ends = sorted(max(abs(row["low"]), abs(row["high"])) for row in rows)
    most = max(300 * size, 1.2 * ends[len(ends) // 2])
    return [-min(most, 100.0), min(most, 100.0)]

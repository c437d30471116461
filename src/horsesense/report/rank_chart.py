"""The chart of a comparison: the rank of each model under each change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from horsesense.comparison.compare import Comparison, Standing
from horsesense.report.charts import TEXT, draw
from horsesense.report.text import visible

if TYPE_CHECKING:
    pass


COLOURS = ("#2f5d8a", "#8a6d2f", "#4f8663", "#8460ad", "#1f8a8a", "#a05a7c", "#6b7a45", "#7a7f87")
"""Of lines; each stands out from white and from the dark page alike."""


LINE = 0.34
"""Height of a name beside the chart, in ranks."""


def rank_text(s: Standing) -> str:
    """The ranks that a model may have: "rank 1", "rank 2 to 4"."""
    if s.rank_low is None:
        return "not ranked"
    return f"rank {s.rank_low}" + (f" to {s.rank_high}" if s.rank_high != s.rank_low else "")


def bump_chart(c: Comparison) -> Markup:
    """The rank of each model under each change; bars are the ranks that it may have."""
    ranked = [view for view in c.views if all_ranked(c.by_view[view])]
    labels = {view: beside({m: s.rank for m, s in c.by_view[view].items()}) for view in ranked}
    rows = [
        {
            "view": visible(view),
            "model": number,
            "name": visible(model),
            "rank": s.rank,
            "low": (s.rank_low or 0) - 0.12,
            "high": (s.rank_high or 0) + 0.12,
            "label": labels[view][model],
        }
        for view in ranked
        for number, model in enumerate(c.models)
        for s in [c.by_view[view][model]]
    ]
    n, step = len(c.models), 58
    middle = 0.4 * step  # of a band, a fifth of which is padding
    width = step * len(ranked)
    x = {
        "field": "view", "type": "ordinal", "sort": None, "title": None,
        "scale": {"paddingInner": 0.2, "paddingOuter": 0.1},
        "axis": {"labelAngle": -40, "labelLimit": 320, "ticks": False},
    }  # fmt: skip
    axis = {"values": list(range(1, n + 1)), "format": "d", "title": "rank", "grid": True}
    y = {"type": "quantitative", "scale": {"domain": [0.6, n + 0.4], "reverse": True}, "axis": axis}
    colour = {
        "field": "model", "type": "nominal", "legend": None,
        "scale": {
            "domain": list(range(n)), "range": [COLOURS[k % len(COLOURS)] for k in range(n)]
        },
    }  # fmt: skip
    offset = {
        "field": "model", "type": "nominal",
        "scale": {"domain": list(range(n)), "range": [middle - 7, middle + 7], "padding": 0},
    }  # fmt: skip
    ends = {"filter": f"datum.view === {json.dumps(visible(ranked[-1]))}"}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.35},
            "encoding": {
                "x": x, "xOffset": offset, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "rank"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x, "y": {**y, "field": "rank"}, "color": colour},
        },
        {
            "transform": [ends],
            "mark": {"type": "text", "align": "left", "dx": 22, "limit": 290, "fill": TEXT},
            "encoding": {"x": x, "y": {**y, "field": "label"}, "text": {"field": "name"}},
        },
    ]  # fmt: skip
    spoken = "; ".join(
        f"{view}: " + ", ".join(f"{m} {rank_text(c.by_view[view][m])}" for m in c.models)
        for view in ranked
    )
    spec = {
        "layer": layers, "data": {"values": rows}, "width": width, "height": max(150, 46 * n),
        "padding": {"left": 12, "right": 60, "top": 8, "bottom": 24},
    }  # fmt: skip
    return draw(spec, f"Ranks of the models under each change. {spoken}")


def beside(ranks: Mapping[str, float]) -> dict[str, float]:
    """Where the name of each model stands, in ranks: those that are tied, one below the other.

    Tied models share the mean of as many ranks, so that their names take no other's place.

    >>> beside({"a": 1.5, "b": 1.5, "c": 3.0})
    {'a': 1.33, 'b': 1.67, 'c': 3.0}
    """
    tied: dict[float, list[str]] = {}
    for model, rank in ranks.items():
        tied.setdefault(rank, []).append(model)
    return {
        model: round(rank + LINE * (place - (len(names) - 1) / 2), 2)
        for rank, names in tied.items()
        for place, model in enumerate(names)
    }


def all_ranked(standings: Mapping[str, Standing]) -> bool:
    return all(s.rank_low is not None for s in standings.values())

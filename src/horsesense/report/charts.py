"""Figures: three kinds of Vega-Lite chart, drawn to SVG without a browser or a network.

Specifications are plain Vega-Lite, which vl-convert draws without a browser. The
colours are names for the style sheet, which replaces them in dark mode and in print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.text import interval_of, value_of, visible

ACCENT, WARNING, TEXT, FAINT, GRID = "#2f5d8a", "#a93f27", "#50575f", "#6b737c", "#dfe3e8"
WIDER = 1.16
"""How much wider a reader's font may be than the one in which names are cut to their limit."""

ROWS: Mapping[str, Any] = {"field": "row", "type": "ordinal", "sort": None, "axis": None}

_CONFIG: Mapping[str, Any] = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": TEXT,
        "titleColor": TEXT,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "gridColor": GRID,
        "tickColor": GRID,
        "domain": False,
        "labelFlush": False,
        "labelLimit": 240,
    },
    "legend": {"labelColor": TEXT, "labelFontSize": 12, "titleColor": TEXT},
    "text": {"color": TEXT, "fontSize": 12},
}


class Frame(NamedTuple):
    """The frame that figures of one row per entry share, in pixels.

    Attributes:
        left, middle, right: widths of row names, plot and numbers.
        row: height of a row.
        top: room above the first.
    """

    left: int = 250
    middle: int = 370
    right: int = 130
    row: int = 26
    top: int = 22

    def names(self) -> dict[str, Any]:
        """The layer of row names; a text mark, so that equal names stay two rows."""
        return {
            "transform": [{"calculate": "split(datum.label, '\\n')", "as": "lines"}],
            "mark": {"type": "text", "align": "right", "baseline": "middle", "lineHeight": 13},
            "encoding": {"x": {"value": -12}, "y": ROWS, "text": {"field": "lines"}},
        }

    def numbers(self, **mark: Any) -> dict[str, Any]:
        """The layer of what stands to the right of each row."""
        return {
            "mark": {"type": "text", "align": "left", "clip": False, **mark},
            "encoding": {"x": {"value": self.middle + 12}, "y": ROWS, "text": {"field": "text"}},
        }

    def figure(
        self, layers: Sequence[Any], rows: Sequence[Mapping[str, Any]], bottom: int = 44
    ) -> dict[str, Any]:
        """Layers of one row per `row`."""
        left = round(WIDER * self.left) + 12
        folded = [{**row, "label": fold(row["label"])} for row in rows]
        lines = max(row["label"].count("\n") for row in folded) + 1
        return {
            "layer": layers,
            "data": {"values": folded},
            "width": self.middle,
            "height": max(self.row, 15 * lines + 4) * len({row["row"] for row in rows}),
            "autosize": "none",
            "padding": {"left": left, "right": self.right, "top": self.top, "bottom": bottom},
        }


FRAME = Frame()
NAME_LINE = 40
"""Characters of one line of a row's name; longer names are folded, never cut."""


def fold(name: str) -> str:
    """A name in lines that fit beside a plot.

    >>> fold("short")
    'short'
    """
    return "\n".join(wrap(name, NAME_LINE)) or name


class Point(NamedTuple):
    """One row of a forest plot: an estimate under a name, with its own reference if any."""

    label: str
    estimate: Estimate
    reference: float | None = None
    warning: bool = False


class Line(NamedTuple):
    """A vertical line through a plot, with its name."""

    value: float
    label: str


def draw(spec: Mapping[str, Any], caption: str) -> Markup:
    """The chart as an SVG element whose accessible name is `caption`.

    Without the extra `figures` the caption stands for it, which says what it shows.
    """
    try:
        import vl_convert
    except ImportError:
        return _in_words(visible(caption))
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **spec}
    svg = vl_convert.vegalite_to_svg({**whole, "config": _CONFIG})
    # The parts' own labels repeat every row's raw values; one name for the whole reads better.
    inner = svg.partition(">")[2].removesuffix("</svg>")
    width, height = (float(n) for n in svg.partition('viewBox="0 0 ')[2].partition('"')[0].split())
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}"><g aria-hidden="true">{}'
        "</g></svg>"
    ).format(visible(caption), width, height, width, Markup(inner))


def _in_words(caption: str) -> Markup:
    """A caption as a heading and the rows that `describe` joins."""
    head, _, rows = caption.partition(". ")
    listed = Markup("").join(Markup("<li>{}</li>").format(row) for row in rows.split("; ") if row)
    return Markup('<p>{}</p><ul class="in-words">{}</ul>').format(head, listed)


def forest(
    points: Sequence[Point], x_title: str, *, caption: str, line: Line | None = None
) -> Markup:
    """Estimates with intervals, one a row; a tick marks a row's own reference."""
    unit = points[0].estimate.unit
    scale = 100 if unit == "fraction" else 1
    rows = [_row(point, place, scale) for place, point in enumerate(points)]
    x = {
        "type": "quantitative",
        "scale": _domain(rows, line, scale),
        "axis": {"title": x_title, "grid": True, "tickCount": 5},
    }
    layers = estimates(x)
    if line is not None:
        layers = [*_line(line, x, scale), *layers]
    return draw(FRAME.figure([FRAME.names(), *layers, FRAME.numbers()], rows), caption)


def estimates(x: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Layers of `value` with its interval, `low` to `high`, and a tick at `reference`.

    Rows in which `warning` is true have the colour of warnings.
    """
    colour = {"condition": {"test": "datum.warning", "value": WARNING}, "value": ACCENT}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "strokeCap": "round"},
            "encoding": {
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "y": ROWS,
                "color": colour,
            },
        },
        {
            "transform": [{"filter": "datum.reference != null"}],
            "mark": {"type": "tick", "color": FAINT, "thickness": 2, "height": 14},
            "encoding": {"x": {**x, "field": "reference"}, "y": ROWS},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": {**x, "field": "value"}, "y": ROWS, "color": colour},
        },
    ]


def _row(point: Point, place: int, scale: float) -> dict[str, Any]:
    e = point.estimate
    assert e.value is not None
    return {
        "row": place,
        "label": visible(point.label),
        "value": scale * e.value,
        "low": scale * (e.value if e.low is None else e.low),
        "high": scale * (e.value if e.high is None else e.high),
        "reference": None if point.reference is None else scale * point.reference,
        "text": f"{value_of(e)} {interval_of(e)}",
        "warning": point.warning,
    }


def _domain(rows: Sequence[Mapping[str, Any]], line: Line | None, scale: float) -> dict[str, Any]:
    """From 0, or from below the lowest value, to what is needed; percents end at 100."""
    ends = [row[name] for row in rows for name in ("low", "high", "reference")]
    ends += [scale * line.value] if line else []
    known = [end for end in ends if end is not None]
    high = max(known)
    if scale == 100:
        high = next((top for top in (10, 25, 50) if high <= top), 100)
    return {"domain": [min(0.0, *known), max(high, 1e-9)], "nice": scale != 100}


def _line(line: Line, x: Mapping[str, Any], scale: float) -> list[dict[str, Any]]:
    one = {"values": [{"at": scale * line.value, "name": visible(line.label)}]}
    at = {"x": {**x, "field": "at"}}
    return [
        {
            "data": one,
            "mark": {"type": "rule", "color": FAINT, "strokeDash": [4, 3]},
            "encoding": at,
        },
        {
            "data": one,
            "mark": {"type": "text", "y": -9, "color": FAINT},
            "encoding": {**at, "text": {"field": "name"}},
        },
    ]


def bars(
    names: Sequence[str],
    shares: Sequence[Estimate],
    *,
    x_title: str,
    caption: str,
    y_title: str = "% of items",
    line: Line | None = None,
    step: int = 46,
) -> Markup:
    """Shares as columns with intervals, in the given order, each at least `step` pixels wide.

    A dashed level across them, if given, has its name at the right of the plot.
    """
    rows = [
        {
            "name": visible(name),
            "value": 100 * (e.value or 0),
            "low": 100 * (e.low if e.low is not None else e.value or 0),
            "high": 100 * (e.high if e.high is not None else e.value or 0),
            "text": value_of(e),
        }
        for name, e in zip(names, shares, strict=True)
    ]
    y = {"type": "quantitative", "title": y_title, "axis": {"tickCount": 5}}
    x = {
        "field": "name",
        "type": "ordinal",
        "sort": None,
        "title": x_title,
        "axis": {"labelAngle": 0, "ticks": False},
    }
    layers = [
        {
            "mark": {"type": "bar", "color": ACCENT, "width": {"band": 0.6}},
            "encoding": {"x": x, "y": {**y, "field": "value"}},
        },
        {
            "mark": {"type": "rule", "color": TEXT},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "text", "dy": -10},
            "encoding": {"x": x, "y": {**y, "field": "high"}, "text": {"field": "text"}},
        },
    ]
    width = max(FRAME.middle + 110, step * len(rows))
    if line is not None:
        layers += level(line, y, width, outside=True)
    size = {"width": width, "height": 190}
    padding = {"left": 4, "right": 4 if line is None else 8, "top": 8, "bottom": 4}
    return draw({"layer": layers, **size, "padding": padding, "data": {"values": rows}}, caption)


def level(
    line: Line, y: Mapping[str, Any], width: int, *, outside: bool = False
) -> list[dict[str, Any]]:
    """A dashed horizontal line through a plot of percentages, with its name at the right end."""
    side = {"align": "left", "dx": 10} if outside else {"align": "right", "dy": -7}
    one = {"values": [{"at": 100 * line.value, "title": visible(line.label)}]}
    at = {"y": {**y, "field": "at"}}
    return [
        {
            "data": one,
            "mark": {"type": "rule", "color": FAINT, "strokeDash": [4, 3]},
            "encoding": at,
        },
        {
            "data": one,
            "mark": {"type": "text", "color": TEXT, **side},
            "encoding": {**at, "x": {"value": width - 5}, "text": {"field": "title"}},
        },
    ]


def multiples(
    rows: Sequence[tuple[str, Mapping[str, Estimate]]], columns: Mapping[str, str], *, caption: str
) -> Markup:
    """Shares side by side: one row an entry, one small column of bars a kind, on equal axes.

    Args:
        rows: (name, share of each kind).
        columns: kind -> its heading, in the order shown; kinds that no row has are left out.
        caption: the figure in words.
    """
    present = [
        kind for kind in columns if any((e[kind].value or 0) > 0 for _, e in rows if kind in e)
    ]
    width = max(78, min(150, 600 // max(len(present), 1)))
    span = width - 46
    values = [
        {
            "row": place,
            "column": column,
            "label": visible(label),
            "start": column * width,
            "full": column * width + span,
            "end": column * width + span * (e.value or 0),
            "low": column * width + span * (e.value if e.low is None else e.low),
            "high": column * width + span * (e.value if e.high is None else e.high),
            "text": value_of(e),
        }
        for place, (label, shares) in enumerate(rows)
        for column, kind in enumerate(present)
        if (e := shares.get(kind)) is not None and e.value is not None
    ]
    x = {"type": "quantitative", "axis": None, "scale": {"domain": [0, width * len(present)]}}
    heads = [
        {"at": column * width, "lines": visible(columns[kind]).split("\n")}
        for column, kind in enumerate(present)
    ]

    def between(mark: Mapping[str, Any], start: str, end: str) -> dict[str, Any]:
        x2 = {"field": end}
        return {"mark": mark, "encoding": {"x": {**x, "field": start}, "x2": x2, "y": ROWS}}

    names = FRAME.names()
    layers = [
        {
            "data": {"values": heads},
            "mark": {"type": "text", "align": "left", "y": -8, "baseline": "bottom"},
            "encoding": {"x": {**x, "field": "at"}, "text": {"field": "lines"}},
        },
        {**names, "transform": [{"filter": "datum.column == 0"}, *names["transform"]]},
        between({"type": "rule", "color": GRID}, "start", "full"),
        between({"type": "bar", "height": 9, "color": ACCENT}, "start", "end"),
        between({"type": "rule", "color": TEXT, "strokeWidth": 1.5}, "low", "high"),
        {
            "mark": {"type": "text", "align": "left", "dx": 5},
            "encoding": {"x": {**x, "field": "full"}, "y": ROWS, "text": {"field": "text"}},
        },
    ]
    frame = FRAME._replace(middle=width * len(present), right=8, top=34)
    return draw(frame.figure(layers, values, bottom=4), caption)


def describe(points: Sequence[Point]) -> str:
    """The rows of a forest plot in words, for those who cannot see it."""
    return "; ".join(f"{p.label} {value_of(p.estimate)} {interval_of(p.estimate)}" for p in points)

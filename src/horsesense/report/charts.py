"""Figures, drawn to SVG without a browser or a network.

A forest plot, which most sections have, is a template; the others are plain Vega-Lite, since its
engine takes longer to start than all else in a report. Whole specifications lie in `specs/`, and
their gaps are filled here. The colours are names for the style sheet, which replaces them in dark
mode and in print.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from horsesense.measures.base import Estimate
from horsesense.report.pages import environment
from horsesense.report.text import interval_of, value_of, visible

if TYPE_CHECKING:
    from jinja2 import Template

ACCENT, WARNING, TEXT, FAINT, GRID = "#2f5d8a", "#a93f27", "#50575f", "#6b737c", "#dfe3e8"
INK = {"accent": ACCENT, "warning": WARNING, "text": TEXT, "faint": FAINT, "grid": GRID}
WIDER = 1.16
"""How much wider a reader's font may be than the one in which names are cut to their limit."""
NARROWEST = 560
"""Pixels below which a figure scrolls and does not shrink."""

BOTTOM = 44
"""Pixels below the plot, for its axis."""
ROWS: Mapping[str, Any] = {"field": "row", "type": "ordinal", "sort": None, "axis": None}


class ChartFrame(NamedTuple):
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
        self, layers: Sequence[Any], rows: Sequence[Mapping[str, Any]], bottom: int = BOTTOM
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


FRAME = ChartFrame()
NAME_LINE = 40
"""Characters of one line of a row's name; longer names are folded, never cut."""


def fold(name: str, line: int = NAME_LINE) -> str:
    """A name in lines that fit beside a plot.

    >>> fold("short")
    'short'
    """
    return "\n".join(wrap(name, line)) or name


class Point(NamedTuple):
    """One row of a forest plot: an estimate under a name, with its own reference if any."""

    label: str
    estimate: Estimate
    reference: float | None = None
    warning: bool = False


class ChartLine(NamedTuple):
    """A dashed line through a plot, at a share, with its name."""

    value: float
    label: str


def filled(name: str, **values: Any) -> Any:
    """The specification `specs/NAME.json` with its gaps filled.

    The text "$rows" becomes `values["rows"]`; a key "$x" is replaced by all of `values["x"]`.
    """

    def fill(part: Any) -> Any:
        if isinstance(part, dict):
            each = (values[k[1:]] if k[0] == "$" else {k: fill(v)} for k, v in part.items())
            return {key: value for found in each for key, value in found.items()}
        if isinstance(part, list):
            return [fill(value) for value in part]
        return values[part[1:]] if isinstance(part, str) and part.startswith("$") else part

    place = files("horsesense.report") / "specs" / f"{name}.json"
    return fill(json.loads(place.read_text(encoding="utf-8")))


def draw(spec: Mapping[str, Any], caption: str) -> Markup:
    """The chart as an SVG element whose accessible name is `caption`.

    Without the extra `figures` the caption stands for it, which says what it shows.
    """
    try:
        import vl_convert
    except ImportError:
        return _in_words(visible(caption))
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **spec}
    svg = vl_convert.vegalite_to_svg({**whole, "config": filled("config")})
    # The parts' own labels repeat every row's raw values; one name for the whole reads better.
    inner = svg.partition(">")[2].removesuffix("</svg>")
    width, height = (float(n) for n in svg.partition('viewBox="0 0 ')[2].partition('"')[0].split())
    return _named(caption, width, height, Markup(inner))


def _named(caption: str, width: float, height: float, inner: Markup) -> Markup:
    """A drawing as one picture with a name."""
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" style="min-width:{}px">'
        '<g aria-hidden="true">{}</g></svg>'
    ).format(visible(caption), width, height, width, min(width, NARROWEST), inner)


def _in_words(caption: str) -> Markup:
    """A caption as a heading and the rows that `describe` joins."""
    head, _, rows = caption.partition(". ")
    listed = Markup("").join(Markup("<li>{}</li>").format(row) for row in rows.split("; ") if row)
    return Markup('<p>{}</p><ul class="in-words">{}</ul>').format(head, listed)


def forest(
    points: Sequence[Point], x_title: str, *, caption: str, line: ChartLine | None = None
) -> Markup:
    """Estimates with intervals, one a row; a tick marks a row's own reference.

    `caption` names the figure for those who cannot see it, and its rows in words follow.
    """
    scale = 100 if points[0].estimate.unit == "fraction" else 1
    rows = [_row(point, scale) for point in points]
    low, high, ticks = _axis(rows, line, scale)
    step = max(FRAME.row, 15 * max(len(row["label"]) for row in rows) + 4)
    longest = max(len(part) for row in rows for part in row["label"])
    left, height = round(WIDER * min(FRAME.left, 7 * longest)) + 12, step * len(rows)
    drawn = _plot().render(
        left=left,
        top=FRAME.top,
        width=FRAME.middle,
        height=height,
        step=step,
        at=lambda value: round(FRAME.middle * (value - low) / (high - low), 2),
        ticks=[(tick, f"{tick:g}") for tick in ticks],
        lines=[{"at": scale * line.value, "name": line.label}] if line else [],
        rows=rows,
        title=x_title,
        ink=INK,
    )
    size = (left + FRAME.middle + FRAME.right, FRAME.top + height + BOTTOM)
    return _named(f"{caption}. {describe(points)}", *size, Markup(drawn))


@cache
def _plot() -> Template:
    return environment().get_template("forest.svg.j2")


def describe(points: Sequence[Point]) -> str:
    """The rows of a forest plot in words, for those who cannot see it."""
    return "; ".join(f"{p.label} {value_of(p.estimate)} {interval_of(p.estimate)}" for p in points)


def estimates(x: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Layers of `value` with its interval, `low` to `high`, and a tick at `reference`.

    Rows in which `warning` is true have the colour of warnings.
    """
    colour = {"condition": {"test": "datum.warning", "value": WARNING}, "value": ACCENT}
    layers: list[dict[str, Any]] = filled("estimates", x=x, y=ROWS, colour=colour)
    return layers


def ends(e: Estimate, scale: float = 100) -> dict[str, float]:
    """Value and interval of an estimate as a row of a chart; without an interval it is a point."""
    value = e.value or 0.0
    low, high = (value if end is None else end for end in (e.low, e.high))
    return {"value": scale * value, "low": scale * low, "high": scale * high}


def _row(point: Point, scale: float) -> dict[str, Any]:
    e = point.estimate
    return {
        "label": fold(point.label).split("\n"),
        **ends(e, scale),
        "reference": None if point.reference is None else scale * point.reference,
        "text": f"{value_of(e)} {interval_of(e)}",
        "warning": point.warning,
    }


def _axis(
    rows: Sequence[Mapping[str, Any]], line: ChartLine | None, scale: float
) -> tuple[float, float, list[float]]:
    """Ends and ticks: from 0, or from below the lowest value; percents end at 100 or before."""
    found = [row[name] for row in rows for name in ("low", "high", "reference")]
    found += [scale * line.value] if line else []
    known = [end for end in found if end is not None]
    low, high = min(0.0, *known), max(*known, 1e-9)
    if scale == 100:
        high = next((top for top in (10, 25, 50) if high <= top), 100)
    unit = 10 ** math.floor(math.log10((high - low) / 5))
    step = next(unit * n for n in (1, 2, 5, 10) if (high - low) / (unit * n) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if scale != 100:
        first, last = math.floor(low / step), math.ceil(high / step)
        low, high = first * step, last * step
    return low, high, [round(n * step, 9) for n in range(first, last + 1)]

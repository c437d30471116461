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
from statistics import NormalDist
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from markupsafe import Markup

from horsesense.findings.wording import MINUS
from horsesense.measures.base import Estimate
from horsesense.report.pages import environment
from horsesense.report.text import interval_of, value_of, visible

if TYPE_CHECKING:
    from jinja2 import Template

    from horsesense.comparison.compare import Standing

INK = {
    **{"accent": "#2f5d8a", "warning": "#a93f27"},
    **{"text": "#50575f", "faint": "#6b737c", "grid": "#dfe3e8"},
}
WIDER = 1.16
"""How much wider a reader's font may be than the one in which names are cut to their limit."""
NARROWEST = 480
"""Pixels below which a figure scrolls and does not shrink."""

MIDDLE, RIGHT = 300, 130
"""Pixels of a plot, and of the numbers beside it at least."""
WIDEST_NAME = 180
ROW, TOP, BOTTOM, PAST = 26, 22, 44, 14
"""Pixels of a row, above the first, below the plot for its axis, and of a dot past its end."""
NAME_LINE = 26
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


ZERO = ChartLine(0.0, "")


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


def _named(
    caption: str, width: float, height: float, inner: Markup, right: float | None = None
) -> Markup:
    """A drawing as one picture with a name.

    Where a narrow screen shows it without the numbers at its `right`, which then stand above their
    lines, the style sheet is told how much wider it is with them.
    """
    narrow = "" if right is None else f";--whole:{width / (width - right):.3f}"
    style = f"min-width:{min(width, NARROWEST):g}px{narrow}"
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" style="{}">'
        '<g aria-hidden="true">{}</g></svg>'
    ).format(visible(caption), width, height, width, style, inner)


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
    lines = [] if line is None else [ChartLine(scale * line.value, line.label)]
    rows = [_row(point, scale) for point in points]
    told = f"{caption}. {describe(points)}"
    return plot(rows, x_title, told, lines, percent=scale == 100)


def plot(
    rows: Sequence[Mapping[str, Any]],
    title: str,
    caption: str,
    lines: Sequence[ChartLine] = (),
    *,
    percent: bool = False,
) -> Markup:
    """A forest plot of any numbers.

    Args:
        rows: `label`, `text` and `value`; where there are any `low` and `high`, `inner` and `outer`
            (an interval within, drawn thick), `reference` (a tick), `dots` (single values) and
            `warning` (its colour).
        title: of the axis.
        caption: what is read aloud.
        lines: through the plot, dashed.
        percent: whether these are shares, of which the axis ends at 100 or before.
    """
    blank = dict.fromkeys(("low", "high", "inner", "outer", "reference"))
    rows = [
        {**blank, "dots": (), "warning": False, **row, "label": fold(row["label"]).split("\n")}
        for row in rows
    ]
    low, high, ticks = _axis(rows, lines, percent=percent)
    step = max(ROW, 15 * max(len(row["label"]) for row in rows) + 4)
    longest = max(len(part) for row in rows for part in row["label"])
    left, height = round(WIDER * min(WIDEST_NAME, 7 * longest)) + 12, step * len(rows)
    drawn = _plot().render(
        left=left,
        top=TOP,
        width=MIDDLE,
        height=height,
        step=step,
        at=lambda value: round(MIDDLE * (value - low) / (high - low), 2),
        ticks=[(tick, f"{tick:g}".replace("-", MINUS)) for tick in ticks],
        lines=lines,
        rows=rows,
        title=title,
        ink=INK,
    )
    right = max(RIGHT, round(WIDER * 6 * max(len(row["text"]) for row in rows)) + 12)
    width = left + MIDDLE + right
    return _named(caption, width, TOP + height + BOTTOM, Markup(drawn), right - PAST)


@cache
def _plot() -> Template:
    return environment().get_template("forest.svg.j2")


def describe(points: Sequence[Point]) -> str:
    """The rows of a forest plot in words, for those who cannot see it."""
    return "; ".join(f"{p.label} {value_of(p.estimate)} {interval_of(p.estimate)}" for p in points)


def ends(e: Estimate | Standing, scale: float = 100) -> dict[str, float]:
    """Value and interval of a score as a row of a chart; without an interval it is a point."""
    value = e.value or 0.0
    low, high = (value if end is None else end for end in (e.low, e.high))
    return {"value": scale * value, "low": scale * low, "high": scale * high}


def _row(point: Point, scale: float) -> dict[str, Any]:
    e = point.estimate
    return {
        "label": point.label,
        **ends(e, scale),
        "reference": None if point.reference is None else scale * point.reference,
        "text": f"{value_of(e)} {interval_of(e)}",
        "warning": point.warning,
    }


def _axis(
    rows: Sequence[Mapping[str, Any]], lines: Sequence[ChartLine], *, percent: bool
) -> tuple[float, float, list[float]]:
    """Ends and ticks: from 0, or from below the lowest value; percents end at 100 or before."""
    named = ("value", "low", "high", "inner", "outer", "reference")
    found = [end for row in rows for end in (*(row[name] for name in named), *row["dots"])]
    known = [end for end in (*found, *(line.value for line in lines)) if end is not None]
    low, high = min(0.0, *known), max(*known, 1e-9)
    if percent:
        high = next((top for top in (10, 25, 50) if high <= top), 100)
    unit = 10 ** math.floor(math.log10((high - low) / 5))
    step = next(unit * n for n in (1, 2, 5, 10) if (high - low) / (unit * n) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if not percent:
        first, last = math.floor(low / step), math.ceil(high / step)
        low, high = first * step, last * step
    return low, high, [round(n * step, 9) for n in range(first, last + 1)]


ALPHA = 0.05
"""Level at which a point is marked as one that holds after correction."""


def side(e: Estimate, reference: float, comparisons: int = 1) -> Literal[-1, 0, 1]:
    """Whether the interval lies below (-1) or above (1) a reference, or holds it (0).

    0 also where there is no interval.

    Where `e` is the most extreme of several, the interval is stretched to the level that
    Bonferroni's correction asks for, as if it were normal on each side.
    """
    if e.value is None or e.low is None or e.high is None:
        return 0
    stretch = _quantile((1 - e.level) / comparisons) / _quantile(1 - e.level)
    if e.value - stretch * (e.value - e.low) > reference:
        return 1
    if e.value + stretch * (e.high - e.value) < reference:
        return -1
    return 0


def _quantile(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2)


def significant(e: Estimate) -> bool:
    """Whether a tested estimate holds after correction for the number of probes."""
    return e.p_adjusted is not None and e.p_adjusted < ALPHA

"""What a difference may be, look by look, of an audit that may stop early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from horsesense.report.charts import FRAME, draw, filled, fold
from horsesense.report.text import visible

COLUMNS = 2
TITLE_LINE = 36
"""Characters of one line above a panel."""


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
        {"label": title(label), "items": n, "low": 100 * low, "high": 100 * high}
        for label, looks in found
        for n, low, high in looks
    ]
    columns = min(COLUMNS, len(found))
    spec = filled(
        "bands",
        rows=rows,
        columns=columns,
        labels=[title(label) for label, _ in found],
        width=(FRAME.middle + 200) // columns - 40,
        reach=reach(rows, size),
        limits=[{"level": 100 * level} for level in (0.0, size, -size)],
    )
    return draw(spec, caption)


def title(label: str) -> str:
    """A panel's name in lines that end before the next panel."""
    return fold(visible(label), TITLE_LINE)


def reach(rows: Sequence[dict[str, Any]], size: float) -> list[float]:
    """An axis that holds the sizes and what every band comes to; the first looks leave it."""
    last = {row["label"]: max(abs(row["low"]), abs(row["high"])) for row in rows}
    most = max(300 * size, 1.2 * max(last.values(), default=0.0))
    return [-min(most, 100.0), min(most, 100.0)]

"""The page of a record: every model of a study, as its program graded it and as it was said."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from horsesense.files import usable, write_page
from horsesense.report.pages import environment
from horsesense.report.rank_chart import dot_chart, rank_text
from horsesense.report.text import interval_of, p_text, value_of
from horsesense.stats.words import percent
from horsesense.version import __version__
from horsesense_extras.logs.recorded import Record
from horsesense_extras.logs.told import for_readers

DOUBTED: Final = 30
"""Items shown whose right answer is doubted."""
PAIRS: Final = 12
"""Pairs of models shown that answer alike."""


def _points(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{round(100 * value, 1) + 0.0:+.1f}".replace("-", "−")  # no −0.0


def write_record(found: Record, folder: Path) -> Path:
    """Write `index.html`; StoreError where it cannot be written."""
    made = environment("horsesense_extras")
    made.filters |= {
        "value_of": value_of,
        "interval_of": interval_of,
        "p": p_text,
        "percent": lambda value: "–" if value is None else percent(value, 1),
        "points": _points,
        "count": "{:,}".format,
        "votes": lambda share, models: f"{round(share * models, 1):g}",
        "for_readers": for_readers,
        "href": lambda page: quote(page),
        "rank": rank_text,
    }
    page: Any = made.get_template("record.html.j2")
    html = page.render(
        r=found,
        most=max(found.models, key=lambda model: model.unfound_share),
        moved=max(found.models, key=lambda model: abs(model.moved or 0)),
        figure=dot_chart(found.compared) if found.compared else "",
        doubted=DOUBTED,
        pairs=PAIRS,
        version=__version__,
    )
    path = usable(folder) / "index.html"
    write_page(path, html)
    return path

"""The cue report: one HTML file that says whether a benchmark can be answered by cues alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.files import write_whole
from horsesense.report.pages import environment
from horsesense_extras.cue_tests import charts as cues_charts
from horsesense_extras.cue_tests.dependence import family_summary
from horsesense_extras.cue_tests.paper import CLEVER_HANS
from horsesense_extras.cue_tests.result import CueResult
from horsesense_extras.cue_tests.verdict import signed

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_ITEMS = 200
"""Ids listed of items that cues alone predict right; the JSON has them all."""
_TONE = {"none": "sound", "slight": "note", "clear": "doubt", "strong": "warning"}


def write_cue_report(results: Sequence[CueResult], path: Path) -> Path:
    """Write the report on one or more data sets to `path`.

    The page runs no script, loads nothing and escapes everything that came from the items.
    """
    families, published = family_summary(results)
    models = [model for result in results for model in result.models]
    page = _environment().get_template("cues.html.j2")
    html = page.render(
        results=results,
        tone=_TONE,
        heat_map=cues_charts.heat_map(results) if len(results) > 1 else None,
        figures={
            result.dataset: {
                "vectors": cues_charts.vectors(result),
                "cues": cues_charts.cue_shares(result) if result.cues else None,
            }
            for result in results
        },
        models=models,
        families=families,
        published=published,
        family_figure=cues_charts.families(models, families) if models else None,
        most_items=MOST_ITEMS,
        paper=CLEVER_HANS.as_json(any(result.faithful for result in results), {}),
        version=version("horsesense"),
    )
    write_whole(path, html)
    return path


@cache
def _environment() -> Environment:
    made = environment("horsesense_extras")
    made.filters.update(
        signed=signed,
        interval=lambda row: cues_charts.interval_text(row.kappa, row.low, row.high),
        points=cues_charts.points_text,
        cue_name=cues_charts.cue_name,
        count=lambda n: f"{n:,}",
    )
    return made

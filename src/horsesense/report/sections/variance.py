"""How much of a score's error is items, how much their orders, and how much drawing answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

SOURCES = {
    "items": ("Which items were asked", "One more item, in as many orders"),
    "orders": ("In which orders", "One more order of every item"),
    "draws": ("Which answer was drawn", "One more draw of every prompt"),
}
"""What makes the error -> its name, and that of one more of it."""


def context(run: Results) -> Context | None:
    """Of the first condition; None where no answer was drawn more than one way."""
    designs = run.findings.get("designs", [])
    design = next((d for d in designs if d["reader"] == run.reader), None)
    if design is None or not _sampled(run, design):
        return None
    estimates = run.all("score_variance", "order")
    own = {e.group: e for e in estimates if e.condition.format() == design["condition"]}
    return {
        "design": design,
        "sources": [(name, own[s], design["shares"][s]) for s, (name, _) in SOURCES.items()],
        "more": [
            (name, design["more"][s]) for s, (_, name) in SOURCES.items() if s in design["more"]
        ],
        "below": any((e.value or 0) < 0 for e in own.values()),
    }


def _sampled(run: Results, design: Mapping[str, Any]) -> bool:
    """Whether answers were drawn, or differ although nothing was said to be drawn."""
    return bool(run.findings["study"]["temperature"] > 0 or design["variance"]["draws"] != 0)


TITLE = "Where does the error of the score come from?"
VARIANCE = Section("variance", TITLE, context, open=False)

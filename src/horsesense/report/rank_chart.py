"""The chart of a comparison: the score of each model under each change, with its interval."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from horsesense.comparison.compare import Comparison, Standing
from horsesense.report.charts import draw, ends, filled
from horsesense.report.text import visible

COLOURS = ("#2f5d8a", "#8a6d2f", "#4f8663", "#8460ad", "#1f8a8a", "#a05a7c", "#6b7a45", "#7a7f87")
"""Of models; each stands out from white and from the dark page alike."""
FEW = 4
"""Models up to which each of several changes is drawn; of more, the main view alone."""
WIDTH = 440
"""Pixels; a narrow screen shows the whole chart somewhat smaller."""


def rank_text(s: Standing) -> str:
    """The ranks that a model may have: "rank 1", "rank 2 to 4"."""
    if s.rank_low is None:
        return "not ranked"
    return f"rank {s.rank_low}" + (f" to {s.rank_high}" if s.rank_high != s.rank_low else "")


def dot_chart(c: Comparison, *, main: bool = False) -> Markup:
    """A dot with its interval for each model, in a row a change; of many models, or of the main
    view alone, in a row each."""
    few = not main and len(c.models) <= FEW and len(c.views) > 1
    views = [view for view in c.views if all_ranked(c.by_view[view])] if few else [c.main]
    rows = [
        {"row": visible(view if few else model), "model": number if few else 0, **ends(s)}
        for view in views
        for number, model in enumerate(c.models)
        for s in [c.by_view[view][model]]
    ]
    shown = len(c.models) if few else 1
    spec = filled(
        "ranks",
        rows=rows,
        width=WIDTH,
        height=len(rows) // shown * (12 * shown + 20),
        above=-6 * shown - 5,
        models=list(range(shown)),
        colours=[COLOURS[n % len(COLOURS)] for n in range(shown)],
    )
    spoken = "; ".join(
        f"{view}: " + ", ".join(f"{m} {rank_text(c.by_view[view][m])}" for m in c.models)
        for view in views
    )
    return draw(spec, f"Scores of the models under each change. {spoken}")


def all_ranked(standings: Mapping[str, Standing]) -> bool:
    return all(s.rank_low is not None for s in standings.values())

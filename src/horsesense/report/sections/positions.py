"""Whether the place of an option matters."""

from __future__ import annotations

from horsesense.measures.base import Estimate
from horsesense.measures.joined import RECORDED_ORDERS, balanced
from horsesense.report.charts import ChartLine, Point, forest, side
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results


def context(run: Results) -> Context | None:
    # The orders, where each content visits each position; else the items as published.
    probe = "order" if run.all("position_preference", "order") else "original"
    chosen = _condition(run.all("position_preference", probe))
    if not chosen:
        return None
    fair = probe == "order" and balanced(chosen[0].condition)
    even = {e.baseline for e in chosen}
    preference = [
        Point(f"position {e.group}", e, e.baseline, fair and _off(e, len(chosen))) for e in chosen
    ]
    recalls = [Point(f"position {e.group}", e) for e in _condition(run.all("recall", probe))]
    overall = run.one("accuracy", probe)
    return {
        "asked": probe == "order",
        "recorded": chosen[0].condition.matches(design=RECORDED_ORDERS),
        "fair": fair,
        "preference": forest(
            preference,
            "Answers that choose the position, %",
            caption="Choice per position",
            line=ChartLine(even.pop() or 0.0, "even-handed") if len(even) == 1 else None,
        ),
        "recall": recalls
        and forest(
            recalls,
            "Right answers found there, %",
            caption="Recall per position",
            line=ChartLine(overall.value, "all positions") if overall and overall.value else None,
        ),
        "rstd": run.one("rstd", probe),
        "null": run.one("rstd_null", probe),
    }


def _off(e: Estimate, positions: int) -> bool:
    """Whether the interval, corrected for the number of positions, leaves out an even choice."""
    return e.baseline is not None and side(e, e.baseline, positions) != 0


def _condition(estimates: list[Estimate]) -> list[Estimate]:
    """Those of the first condition: with several designs of orders, one is drawn."""
    return [e for e in estimates if e.condition == estimates[0].condition]


PLACED = ("position_preference", "position_locked")
POSITIONS = Section("positions", "Does the place of an option matter?", context, open=PLACED)

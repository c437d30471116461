"""The score, and what each change does to it."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.report.behind_score import as_asked
from horsesense.report.charts import ChartLine, Point, forest, significant
from horsesense.report.sections.base import Context, Section
from horsesense.report.sections.until import decided
from horsesense.runs.results import Results
from horsesense.stats.words import plural

FEW = 30
"""Independent items below which the verdict says that there are few."""


def context(run: Results) -> Context | None:
    scores = run.everywhere("accuracy")
    if not scores:
        return None
    changes = run.everywhere("accuracy_change")
    stopped = decided(run)
    moved = {(e.probe, e.condition.format()) for e in changes if significant(e)}
    moved |= {(row["probe"], row["condition"]) for row in stopped if row["conclusion"] == "found"}
    rows = [
        Point(
            run.label(e.probe, e.condition), e, e.baseline, (e.probe, e.condition.format()) in moved
        )
        for e in scores
    ]
    hard = run.one("accuracy_hard", "order")
    if hard is not None:
        after = max(n for n, row in enumerate(rows) if row.estimate.probe == "order")
        rows.insert(after + 1, Point("… right in every order", hard, hard.baseline))
    original = run.one("accuracy")
    line = ChartLine(original.value, as_asked(run)) if original and original.value else None
    return {
        "figure": forest(rows, "Accuracy, %", caption="Accuracy under each change", line=line),
        "changes": changes,
        "early": bool(stopped),
    }


def notices(run: Results) -> Iterator[str]:
    """Few independent items make wide intervals, and one makes none."""
    clusters, items = (run.findings["dataset"][name] for name in ("clusters", "items"))
    if clusters == 1:
        yield "There is only 1 independent item, so there are no intervals."
    elif clusters < items and any(f.about == "these_items" for f in run.verdict if f.measured):
        return  # said of the findings, and once is enough
    elif clusters < FEW and clusters < items:
        yield (
            f"The {plural(items, 'item')} form {plural(clusters, 'cluster')} and count as little"
            f" more than {clusters}: intervals are wide."
        )
    elif clusters < FEW:
        yield f"There are only {plural(clusters, 'independent item')}, so the intervals are wide."


SCORE = Section("score", "What each change does to the score", context, notices)

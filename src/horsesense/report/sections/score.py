"""The score, and what each change does to it."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.measures.base import Estimate
from horsesense.report.behind_score import as_asked
from horsesense.report.charts import Line, Point, describe, forest
from horsesense.report.marks import significant
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import p_text
from horsesense.runs.results import Results
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

FEW = 30
"""Independent items below which the verdict says that there are few."""


def context(run: Results) -> Context | None:
    scores = run.everywhere("accuracy")
    if not scores:
        return None
    changes = {(e.probe, e.condition): e for e in run.everywhere("accuracy_change")}
    decided = run.findings.get("until", {}).get("findings", ())
    early = {(row["probe"], row["condition"]) for row in decided if row["kind"] == "found"}
    rows = [
        Point(
            run.label(e.probe, e.condition),
            e,
            e.baseline,
            _moved(changes, e) or (e.probe, e.condition.format()) in early,
        )
        for e in scores
    ]
    hard = run.one("accuracy_hard", "order")
    if hard is not None:
        after = max(n for n, row in enumerate(rows) if row.estimate.probe == "order")
        rows.insert(after + 1, Point("… right in every order", hard, hard.baseline))
    original = run.one("accuracy")
    line = Line(original.value, as_asked(run)) if original and original.value else None
    caption = "Accuracy with interval under each change. " + describe(rows)
    return {
        "figure": forest(rows, "Accuracy, %", caption=caption, line=line),
        "changes": [
            (run.label(e.probe, e.condition), e, p_text(e.p_value), p_text(e.p_adjusted))
            for e in changes.values()
        ],
        "probes": run.findings["probes"],
        "early": bool(decided),
    }


def _moved(changes: dict[tuple[str, Condition], Estimate], score: Estimate) -> bool:
    change = changes.get((score.probe, score.condition))
    return change is not None and significant(change)


def notices(run: Results) -> Iterator[str]:
    """Few independent items make wide intervals, and one makes none."""
    clusters = run.findings["dataset"]["clusters"]
    if clusters == 1:
        yield "There is only 1 independent item, so there are no intervals."
    elif clusters < FEW:
        yield f"There are only {plural(clusters, 'independent item')}, so the intervals are wide."


SCORE = Section("score", "What each change does to the score", context, notices)

"""Each option on its own, and what becomes of wrong answers (REVAS)."""

from __future__ import annotations

from horsesense.measures.base import Estimate
from horsesense.report.charts import Point, describe, forest
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

ARMS = {
    "misleading": "misleading option replaced",
    "other": "another option replaced",
    "unchanged": "asked again unchanged",
}
OPTIONS = {
    "gold": "right accepted",
    "distractors": "wrong rejected",
}


def context(run: Results) -> Context | None:
    judged = [
        Point(f"{OPTIONS[e.group]}{_which(e)}", e)
        for e in run.all("true_false_consistency", "true_false")
    ]
    recovered = [
        Point(ARMS[e.group], e)
        for e in run.all("recovery_rate", "misleading_replaced")
        if e.group in ARMS
    ]
    sure = _confidence(run)
    multi = [
        (title, e)
        for title, e in [
            ("several options named", run.one("multi_rate", "multi_select")),
            ("right one among several", run.one("recall_gold", "multi_select", group="multi")),
            ("right one, of all", run.one("recall_gold", "multi_select", group="all")),
            ("misleading one among several",
             run.one("recall_misleading", "multi_select", group="multi")),
            ("misleading one, of all", run.one("recall_misleading", "multi_select", group="all")),
            ("the right one alone", run.one("multi_exact", "multi_select")),
        ]
        if e is not None
    ]  # fmt: skip
    if not (judged or recovered or sure or multi):
        return None
    return {
        "judged": judged
        and forest(judged, "% of judgements", caption=f"Judgements. {describe(judged)}"),
        "balanced": [
            (f"{_which(e)}".strip(" ()"), e)
            for e in run.all("true_false_balanced_accuracy", "true_false")
        ],
        "recovered": recovered
        and forest(recovered, "% right now", caption=f"Wrong before. {describe(recovered)}"),
        "gains": [
            (ARMS[e.group.partition("-")[2]], e)
            for e in run.all("recovery_rate", "misleading_replaced")
            if e.group.partition("-")[2] in ARMS
        ],
        "sure": sure,
        "multi": multi,
        "tables": beside(run, "revas_second", lambda _, column: _own(run, column))
        + beside(run, "revas_confidence", lambda _, column: _sure(run, column)),
    }


def _which(e: Estimate) -> str:
    """What sets a condition apart: items right in every order, and the negative question."""
    parts = []
    if e.condition.matches(items="consistent"):
        parts.append("consistent")
    if e.condition.matches(polarity="negative"):
        parts.append("asked if wrong")
    return f" ({', '.join(parts)})" if parts else ""


def _confidence(run: Results) -> list[tuple[str, Estimate, Estimate | None]]:
    """Over the vocabulary, and of yes against no; the area under the curve in a row of its own."""
    return [
        (e.group.replace("_", " "), e, _relative(run, e.group))
        for e in run.all("option_confidence", "option_confidence", "first_token")
    ] + [
        ("area under the curve", e, None)
        for e in run.all("option_auroc", "option_confidence", "first_token")
    ]


def _relative(run: Results, group: str) -> Estimate | None:
    measure, probe = "option_confidence_relative", "option_confidence"
    return run.one(measure, probe, group=group, reader="first_token")


def _sure(run: Results, column: str) -> Estimate | None:
    return run.one("option_confidence", "option_confidence", group=column, reader="first_token")


def _own(run: Results, column: str) -> Estimate | None:
    """The run's value under the published protocol, as near as it was asked."""
    if column == "none_of_the_above":
        found = run.all("accuracy", "none_of_the_above")
        return next((e for e in found if e.condition.matches(place="kept")), None)
    if column in ("gold_accepted", "distractors_rejected"):
        group = column.partition("_")[0]
        found = run.all("true_false_consistency", "true_false")
        return next(
            (e for e in found if e.group == group and e.condition.matches(items="consistent")), None
        )
    if column == "multi_rate":
        return run.one("multi_rate", "multi_select")
    if column == "recovery_rate":
        return run.one("recovery_rate", "misleading_replaced", group="misleading")
    return run.one(column, "multi_select", group="multi")


SECOND_LOOK = Section("second_look", "How does it judge each option alone?", context)

"""How it judges each option alone, and what a second question about wrong answers changes."""

from __future__ import annotations

from collections.abc import Mapping

from horsesense.measures.base import Estimate
from horsesense.report.charts import Point, forest
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

ARMS = {
    "misleading": "misleading option replaced",
    "other": "another option replaced",
    "unchanged": "asked again unchanged",
}
OPTIONS = {"gold": "right accepted", "distractors": "wrong rejected"}
MULTI: Mapping[str, tuple[str, str]] = {
    "several options named": ("multi_rate", ""),
    "right one among several": ("recall_gold", "multi"),
    "right one, of all": ("recall_gold", "all"),
    "misleading one among several": ("recall_misleading", "multi"),
    "misleading one, of all": ("recall_misleading", "all"),
    "the right one alone": ("multi_exact", ""),
}
"""Rows of replies to "which options are right?": measure and group."""
REPLACED = "misleading_replaced"


def context(run: Results) -> Context | None:
    judged = [
        Point(f"{OPTIONS[e.group]} ({which})" if (which := _which(e)) else OPTIONS[e.group], e)
        for e in run.all("true_false_consistency", "true_false")
    ]
    again = run.all("recovery_rate", REPLACED)
    recovered = [Point(ARMS[e.group], e) for e in again if e.group in ARMS]
    gains = [(e.group.partition("-")[2], e) for e in again]
    sure, multi = _confidence(run), _multi(run)
    if not (judged or recovered or sure or multi):
        return None
    return {
        "judged": judged and forest(judged, "% of judgements", caption="Judgements"),
        "balanced": [(_which(e), e) for e in run.all("true_false_balanced_accuracy", "true_false")],
        "recovered": recovered and forest(recovered, "% right now", caption="Wrong before"),
        "gains": [(ARMS[control], e) for control, e in gains if control in ARMS],
        "sure": sure,
        "multi": multi,
        "tables": beside(run, "revas_second", lambda _, column: _own(run, column))
        + beside(run, "revas_confidence", lambda _, column: _sure(run, column)),
    }


def _multi(run: Results) -> list[tuple[str, list[Estimate]]]:
    found = ((t, run.one(m, "multi_select", group=g)) for t, (m, g) in MULTI.items())
    return [(title, [e]) for title, e in found if e is not None]


def _which(e: Estimate) -> str:
    """What sets a condition apart: items right in every order, and the negative question."""
    consistent = "consistent" if e.condition.matches(items="consistent") else ""
    negative = "asked if wrong" if e.condition.matches(polarity="negative") else ""
    return ", ".join(filter(None, (consistent, negative)))


def _confidence(run: Results) -> list[tuple[str, list[Estimate | None]]]:
    """Over the vocabulary, of yes against no, and of the items right in every derived form; the
    area under the curve in a row of its own."""
    areas = run.all("option_auroc", "option_confidence", "first_token")
    more = ("option_confidence_relative", "option_confidence_derived")
    return [
        (e.group.replace("_", " "), [e, *(_sure(run, e.group, name) for name in more)])
        for e in run.all("option_confidence", "option_confidence", "first_token")
    ] + [("area under the curve", [e, None, None]) for e in areas]


def _sure(run: Results, group: str, measure: str = "option_confidence") -> Estimate | None:
    return run.one(measure, "option_confidence", group=group, reader="first_token")


def _own(run: Results, column: str) -> Estimate | None:
    """The run's value under the published protocol, as near as it was asked."""
    if column in ("none_of_the_above", "none_in_every_order"):
        measure = "accuracy" if column == "none_of_the_above" else "accuracy_hard"
        found = run.all(measure, "none_of_the_above")
        return next((e for e in found if e.condition.matches(place="kept")), None)
    if column in ("gold_accepted", "distractors_rejected"):
        group = column.partition("_")[0]
        found = run.all("true_false_consistency", "true_false")
        alike = (e for e in found if e.group == group and e.condition.matches(items="consistent"))
        return next(alike, None)
    if column == "recovery_rate":
        return run.one("recovery_rate", REPLACED, group="misleading")
    return run.one(column, "multi_select", group="" if column == "multi_rate" else "multi")


SECOND_LOOK = Section("second_look", "How does it judge each option alone?", context)

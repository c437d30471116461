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
        "tables": beside(run, "revas_second") + beside(run, "revas_confidence"),
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
    probe, reader = "option_confidence", "first_token"

    def also(e: Estimate, name: str) -> Estimate | None:
        return run.one(name, probe, group=e.group, reader=reader)

    return [
        (e.group.replace("_", " "), [e, also(e, f"{probe}_relative"), also(e, f"{probe}_derived")])
        for e in run.all(probe, probe, reader)
    ] + [("area under the curve", [e, None, None]) for e in run.all("option_auroc", probe, reader)]


SECOND_LOOK = Section("second_look", "How does it judge each option alone?", context)

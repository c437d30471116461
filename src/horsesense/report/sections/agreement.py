"""Whether an answer holds when only the form of the question changes."""

from __future__ import annotations

from horsesense.findings.wording import number
from horsesense.measures.base import Estimate
from horsesense.report.charts import Point, forest, significant
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

Stratum = tuple[Estimate, Estimate | None, Estimate | None]
"""Of an agreement level: share of items, plurality accuracy and mean accuracy."""


def context(run: Results) -> Context | None:
    changed = [
        Point(run.label(e.probe, e.condition), e, None, _beyond(e, run))
        for e in run.everywhere("answer_change_rate")
        if e.n and run.probes[e.probe]["invariant"] == "same_answer"
    ]
    strata = _strata(run)
    if not changed and not strata:
        return None
    return {
        "changed": changed
        and forest(changed, "Answers that change, %", caption="Answers that change"),
        "strata": [(number(float(s[0].group), "fraction", 0), s) for s in strata],
        "samples": _shares(run),
        "tables": beside(run, "revas_strata", lambda _, column: _own(strata, column)),
    }


def _shares(run: Results) -> list[float] | None:
    """Of the variance of a right answer: the shares of items and of samples; None without any."""
    parts = [max(e.value or 0.0, 0.0) for e in run.all("sample_variance", "repeat")]
    return [part / sum(parts) for part in parts] if any(parts) else None


def _own(strata: list[Stratum], column: str) -> Estimate | None:
    """The run's share of items with an agreement, or how often their most frequent answer is right.

    The paper does not say which answer it judges where they disagree.
    """
    what, _, level = column.partition("_")
    found = next((s for s in strata if s[0].group == level), None)
    return None if found is None else found[0] if what == "share" else found[1]


def _strata(run: Results) -> list[Stratum]:
    """Per agreement level of the first order condition: share, plurality and mean accuracy."""
    shares = run.all("agreement_share", "order")

    def of(e: Estimate, measure: str) -> Estimate | None:
        return run.one(measure, "order", group=e.group, condition=e.condition)

    return [
        (e, of(e, "stratum_plurality_accuracy"), of(e, "stratum_accuracy"))
        for e in shares
        if e.condition == shares[0].condition
    ]


def _beyond(e: Estimate, run: Results) -> bool:
    """Whether more answers change than when the same prompt is asked again, item by item."""
    excess = run.one("answer_change_beyond_repeat", e.probe, condition=e.condition)
    return excess is not None and significant(excess) and (excess.value or 0) > 0


AGREED = ("answer_change", "no_agreement")
AGREEMENT = Section("agreement", "Does the answer stay the same?", context, open=AGREED)

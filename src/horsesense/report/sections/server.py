"""Whether the plain prompts have other answers alone, in other company, or from another server."""

from __future__ import annotations

from horsesense.findings.places import SERVER as PROBE
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

BESIDE = ("answer_change_beyond_repeat", "accuracy_change")
"""Of each form, beside the answers that change."""


def context(run: Results) -> Context | None:
    rates = run.all("answer_change_rate", PROBE)
    if not rates:
        return None
    rows = [
        (
            run.setting(PROBE, e.condition) or run.label(PROBE, e.condition),
            [e, *(run.one(measure, PROBE, condition=e.condition) for measure in BESIDE)],
        )
        for e in rates
    ]
    again = run.one("answer_change_rate", "repeat")
    if again is not None:
        rows.insert(0, ("again, among the others", [again, None, None]))
    return {"rows": rows}


SERVER = Section("server", "Does the answer depend on the server?", context)

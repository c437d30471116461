"""Whether the plain prompts have other answers alone, in other company, or from another server."""

from __future__ import annotations

from horsesense.findings.places import SERVER as PROBE
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results


def context(run: Results) -> Context | None:
    rates = run.all("answer_change_rate", PROBE)
    if not rates:
        return None
    study = run.findings["study"]
    forms = [
        {
            "name": run.setting(PROBE, e.condition) or run.label(PROBE, e.condition),
            "changed": e,
            **{
                name: run.one(measure, PROBE, condition=e.condition)
                for name, measure in (
                    ("beyond", "answer_change_beyond_repeat"),
                    ("score", "accuracy_change"),
                )
            },
        }
        for e in rates
    ]
    return {
        "forms": forms,
        "again": run.one("answer_change_rate", "repeat"),
        "temperature": study.get("temperature", 0.0),
        "against": study.get("against"),
    }


SERVER = Section("server", "Does the answer depend on the server?", context)

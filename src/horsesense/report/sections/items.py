"""Flaws of the items themselves, which no model can make good."""

from __future__ import annotations

from horsesense.checks.check import QUICK, check_items, sentence, summary
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

SHOWN = 3
"""Items named with each finding."""


def context(run: Results) -> Context | None:
    result = check_items(run.items, QUICK)
    if not result.findings:
        return None
    findings = [
        {"says": sentence(f), "advice": f.rule.advice, "hits": f.found.hits[:SHOWN]}
        for f in result.findings
    ]
    return {"summary": summary(result), "findings": findings}


SECTION = Section("items_check", "Are the items sound?", context, open=False)

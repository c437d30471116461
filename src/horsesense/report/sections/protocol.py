"""Which protocol was run, and where it departs from the published one."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.report.data import Run
from horsesense.report.sections.base import Context, Section


def context(run: Run) -> Context | None:
    suites = [suite for suite in run.findings.get("suites", []) if suite["choices"]]
    bounds = run.findings.get("bounds", {"checked": 0, "violated": []})
    if not suites and not bounds["violated"]:
        return None
    return {"suites": suites, "bounds": bounds}


def notices(run: Run) -> Iterator[str]:
    """Numbers that contradict each other must never go unsaid."""
    broken = run.findings.get("bounds", {}).get("violated", [])
    if broken:
        yield f"{len(broken)} inequalities between these numbers do not hold: report this."


PROTOCOL = Section("protocol", "Which protocol was run?", context, notices)

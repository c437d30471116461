"""Which protocol was run, and where it departs from the published one."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results
from horsesense.stats.words import plural


def context(run: Results) -> Context | None:
    suites = [suite for suite in run.findings.get("suites", []) if suite.get("differences")]
    bounds = run.findings.get("bounds", {"checked": 0, "violated": []})
    if not suites and not bounds["violated"]:
        return None
    return {"suites": suites, "bounds": bounds}


def notices(run: Results) -> Iterator[str]:
    """Numbers that contradict each other must never go unsaid."""
    broken = run.findings.get("bounds", {}).get("violated", [])
    if broken:
        yield (
            f"{plural(len(broken), 'relation')} that must hold between these numbers "
            f"{'does' if len(broken) == 1 else 'do'} not: please report this as a defect."
        )


PROTOCOL = Section("protocol", "Which protocol was run?", context, notices, open=False)

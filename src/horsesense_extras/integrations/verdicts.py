"""The verdict of a run as values, for files that others read."""

from __future__ import annotations

from horsesense.report import verdict_of
from horsesense.runs.results import Results


def verdict(results: Results) -> list[str]:
    """The sentences at the top of the report, in its order."""
    return verdict_of(results)

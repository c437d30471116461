"""The numbers that a suite is known by, beside those of its paper: they come before all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from horsesense.measures.base import Estimate
from horsesense.report.published_tables import known, published
from horsesense.runs.results import Results
from horsesense.stats.words import NARROW


class OwnNumber(NamedTuple):
    """One number of a suite.

    Attributes:
        title: its name in the paper, and of what it is.
        share: the run's own.
        said: what it is, in plain words, and the lowest and the highest of the paper's models on
            this set.
        ends: these two as shares.
    """

    title: str
    share: Estimate
    said: str
    ends: tuple[float, float] | None = None


def own_numbers(run: Results) -> Iterator[OwnNumber]:
    """The numbers of the suites of a run, as far as they were measured."""
    counts = {len(item.options) for item in run.items if item.gold is not None}
    k = str(*counts) if len(counts) == 1 else ""
    refusal = "" if run.directory.settings.faithful else " or refusal"
    suites = [suite["name"] for suite in run.findings.get("suites", ())]
    for each in (each for name in suites for each in known("numbers") if each["suite"] == name):
        found = run.all(each["measure"], each["probe"], each.get("reader"))
        share = max(found, key=lambda e: e.condition.integer("size", 0), default=None)
        if share is None:
            continue
        names = {"k": k, "size": share.condition.get("size", ""), "refusal": refusal}
        title, means, column = (
            each[name].format_map(names) for name in ("title", "means", "column")
        )
        yield _beside(OwnNumber(title, share, means), published(run, each["tables"], column))


def _beside(own: OwnNumber, printed: Sequence[float]) -> OwnNumber:
    """The same with what was printed, in percent."""
    if not printed:
        return own
    low, high = min(printed), max(printed)
    said = f"{low:.0f} to {high:.0f}" if len(printed) > 1 else f"{low:.0f}"
    return own._replace(said=f"{own.said}; paper: {said}{NARROW}%", ends=(low / 100, high / 100))

"""The numbers that a suite is known by, beside those of its paper: they come before all others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from horsesense.measures.base import Estimate
from horsesense.report.published_tables import published
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


class _Declared(NamedTuple):
    """Where a number stands: measure, probe and reader of a run; tables and column of a paper.

    In title and column stand what a run has: `k` options, `size` problems in a prompt.
    """

    title: str
    means: str
    measure: str
    probe: str
    tables: str
    column: str
    reader: str | None = None


_OF: Mapping[str, tuple[_Declared, ...]] = {
    "revas": (
        _Declared(
            "AccH", "right in every order", "accuracy_hard", "order", "revas_accuracy_hard", "{k}"
        ),
        _Declared(
            "CS", "same answer{refusal} across orders", "plurality_agreement", "order",
            "revas_plurality", "{k}",
        ),
    ),
    "know-no": (
        _Declared(
            "OmniAccuracy", "mean of answer listed and missing", "omni_accuracy",
            "gold_absent", "know_no", "omni_accuracy",
        ),
    ),
    "look-at-text": (
        _Declared(
            "Mismatch", "first token and text differ; silence counts", "mismatch_rate", "original",
            "look", "mismatch", "first_token",
        ),
    ),
    "multi-problem": (
        _Declared(
            "{size}-problem PPA", "right, of problems in one prompt", "per_problem_accuracy",
            "batch", "multi_size", "batch {size}",
        ),
    ),
}  # fmt: skip


def own_numbers(run: Results) -> Iterator[OwnNumber]:
    """The numbers of the suites of a run, as far as they were measured."""
    counts = {len(item.options) for item in run.items if item.gold is not None}
    k = str(*counts) if len(counts) == 1 else ""
    for suite in run.findings.get("suites", ()):
        for each in _OF.get(suite["name"], ()):
            found = run.all(each.measure, each.probe, each.reader)
            share = max(found, key=lambda e: e.condition.integer("size", 0), default=None)
            if share is None:
                continue
            refusal = "" if run.directory.settings.faithful else " or refusal"
            names = {"k": k, "size": share.condition.get("size", ""), "refusal": refusal}
            title, means, column = (t.format_map(names) for t in (*each[:2], each.column))
            yield _beside(OwnNumber(title, share, means), published(run, each.tables, column))


def _beside(own: OwnNumber, printed: Sequence[float]) -> OwnNumber:
    """The same with what was printed, in percent."""
    if not printed:
        return own
    low, high = min(printed), max(printed)
    said = f"{low:.0f} to {high:.0f}" if len(printed) > 1 else f"{low:.0f}"
    return own._replace(said=f"{own.said}; paper: {said}{NARROW}%", ends=(low / 100, high / 100))

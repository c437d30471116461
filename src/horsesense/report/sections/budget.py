"""Accuracy against the limit on the tokens of a reply, and the limit from which nothing is lost."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from horsesense.findings.kinds import sizes_of
from horsesense.measures.base import Estimate
from horsesense.measures.contrast import BUDGET as PROBE
from horsesense.measures.contrast import CAP
from horsesense.report.curves import Curve, curves
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

CUT: Final = ("cut_off", "thought_open")
"""Causes of replies that a limit took."""
FEW: Final = 0.01
"""Share of cut-off replies below which a limit is large enough."""


class Limit(NamedTuple):
    """What a limit on tokens left of the score.

    Attributes:
        cap: the limit.
        graded: accuracy as graded.
        cut: share of replies that were cut off.
        change: of accuracy as graded, from the largest limit; None for that one.
    """

    cap: int
    graded: Estimate
    cut: float
    change: Estimate | None


def context(run: Results) -> Context | None:
    limits = limits_of(run)
    if len(limits) < 2:
        return None
    shown = [Curve("right, as graded", [(str(limit.cap), limit.graded) for limit in limits])]
    steps = [str(limit.cap) for limit in limits]
    margin = sizes_of(run.findings["study"].get("smallest") or {})["accuracy_change"]
    return {
        "figure": curves(
            shown,
            steps,
            x_title="Most tokens of a reply",
            y_title="%",
            caption="Accuracy by the limit on tokens",
            log=True,
        ),
        "limits": limits,
        "enough": enough(limits, margin),
        "margin": margin,
    }


def limits_of(run: Results) -> list[Limit]:
    """Every limit that was asked with, from small to large."""
    cut = {
        row["condition"]: sum(row["causes"].get(cause, 0) for cause in CUT) / row["prompts"]
        for row in run.findings.get("replies", ())
        if row["probe"] == PROBE and row["reader"] == run.reader and row["prompts"]
    }
    changes = {_cap(e): e for e in run.all("accuracy_under_limit", PROBE)}
    found = sorted(run.all("accuracy_as_graded", PROBE), key=_cap)
    return [
        Limit(_cap(e), e, cut.get(e.condition.format(), 0.0), changes.get(_cap(e))) for e in found
    ]


def enough(limits: list[Limit], margin: float) -> int | None:
    """The smallest limit from which on nothing is lost; None where only the largest could be it.

    From it on, fewer than 1 % of the replies are cut off, and the interval of the change from the
    largest limit excludes a loss beyond the margin. The largest has nothing to be compared with.
    """
    found = None
    for limit in reversed(limits):
        low: Any = 0.0 if limit.change is None else limit.change.low
        if limit.cut >= FEW or low is None or low < -margin:
            break
        found = limit.cap
    return None if limits and found == limits[-1].cap else found


def _cap(e: Estimate) -> int:
    return e.condition.integer(CAP)


BUDGET = Section("budget", "What does the limit on tokens cost?", context)

"""Accuracy against the limit on the tokens of a reply, or the part of the thought that is there,
and from where on nothing is lost."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from horsesense.findings.kinds import sizes_of
from horsesense.measures.base import Estimate
from horsesense.measures.contrast import BUDGET as PROBE
from horsesense.measures.contrast import CAP, SHARE, THOUGHT
from horsesense.report.curves import Curve, curves
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results

CUT: Final = ("cut_off", "thought_open")
"""Causes of replies that a limit took."""
FEW: Final = 0.01
"""Share of cut-off replies below which a limit is large enough."""


class Limit(NamedTuple):
    """What a limit on tokens, or a cut of the thought, left of the score.

    Attributes:
        cap: the limit; of a thought, the percents of it that are there.
        graded: accuracy as graded.
        cut: share of replies that were cut off.
        change: of accuracy as graded, from the largest limit or the whole thought; None for that.
    """

    cap: float
    graded: Estimate
    cut: float
    change: Estimate | None


def context(run: Results) -> Context | None:
    limits, names = limits_of(run), ("Most tokens of a reply", "the limit on tokens")
    return _shown(run, limits, *names) if len(limits) > 1 else None


def of_thought(run: Results) -> Context | None:
    cuts = limits_of(run, THOUGHT, SHARE, "accuracy_of_thought")
    if not cuts:
        return None
    shown = _shown(run, cuts, "Part of the thought", "the part of the thought", "\u202f%")
    return {**shown, "whole": run.one("accuracy_as_graded")}


def _shown(
    run: Results, limits: list[Limit], x_title: str, by: str, unit: str = ""
) -> dict[str, Any]:
    steps = [f"{limit.cap:g}{unit}" for limit in limits]
    points = [(step, limit.graded) for step, limit in zip(steps, limits, strict=True)]
    margin = sizes_of(run.findings["study"].get("smallest") or {})["accuracy_change"]
    return {
        "figure": curves(
            [Curve("right, as graded", points)],
            steps,
            x_title=x_title,
            y_title="%",
            caption=f"Accuracy by {by}",
            log=True,
        ),
        "limits": limits,
        "enough": enough(limits, margin),
        "margin": margin,
    }


def limits_of(
    run: Results, probe: str = PROBE, by: str = CAP, change: str = "accuracy_under_limit"
) -> list[Limit]:
    """Every limit that was asked with, or every part of the thought, from small to large."""
    cut = {
        row["condition"]: sum(row["causes"].get(cause, 0) for cause in CUT) / row["prompts"]
        for row in run.findings.get("replies", ())
        if row["probe"] == probe and row["reader"] == run.reader and row["prompts"]
    }
    changes = {e.condition: e for e in run.all(change, probe)}
    found = [
        Limit(float(c[by]), e, cut.get(c.format(), 0.0), changes.get(c))
        for e in run.all("accuracy_as_graded", probe)
        for c in [e.condition]
    ]
    return sorted(found, key=lambda limit: limit.cap)


def enough(limits: list[Limit], margin: float) -> float | None:
    """The smallest limit from which on nothing is lost; None where none is, or only the largest
    could be it.

    From it on, fewer than 1 % of the replies are cut off, and the interval of the change from the
    largest limit excludes a loss beyond the margin. The largest has nothing to be compared with; a
    part of a thought has the whole.
    """
    found = None
    for limit in reversed(limits):
        low: Any = 0.0 if limit.change is None else limit.change.low
        if limit.cut >= FEW or low is None or low < -margin:
            break
        found = limit.cap
    alone = limits and limits[-1].change is None and found == limits[-1].cap
    return None if alone else found


BUDGET = Section("budget", "What does the limit on tokens cost?", context)
OF_THOUGHT = Section("thought", "How much of the thought does the score need?", of_thought)

"""Of a run that could stop early: what was decided, after how many items, and what was saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from horsesense.findings.accusation import ALPHA
from horsesense.findings.early import SHARE, why
from horsesense.findings.finding import Finding
from horsesense.findings.wording import plus
from horsesense.report.bands import bands
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import number, signed
from horsesense.runs.goal import Goal
from horsesense.runs.results import Results
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

Row = Mapping[str, Any]
WORD: Mapping[str, str] = {
    "found": "found", "ruled_out": "ruled out", "cannot_tell": "cannot tell", "open": "open",
}  # fmt: skip


CONTINUES: Mapping[str, str] = {
    "budget": "a larger one goes on",
    "interrupted": "the same audit goes on",
    "failures": "the same audit asks them again",
}
"""What goes on where asking ended before its goal, by what ended it."""


def context(run: Results) -> Context | None:
    told = run.findings.get("until")
    if told is None:
        return None
    asked, fixed = run.findings["trials"], told["fixed_trials"]
    rows = [
        {
            **row,
            "label": run.label(row["probe"], Condition.parse(row["condition"])),
            "word": WORD[row["kind"]],
            "mean": "–" if row["value"] is None else _moved(row["value"]),
            "band_text": _band(row),
            "share": number(row["n"] / row["units"], "fraction", 0),
        }
        for row in told["findings"]
    ]
    saved = number(1 - asked / fixed, "fraction", 0) if fixed else ""
    budget = number(SHARE * ALPHA, "fraction", 0)
    drawn = [(row["label"], row["band"]) for row in rows if row.get("band")]
    figure = bands(drawn, rows[0]["size"], spoken(rows)) if drawn else None
    shown = {"asked": asked, "saved": saved, "budget": budget, "figure": figure}
    shown["ended"] = run.findings["stages"]["ask"]["state"] != "complete"
    shown["lost"] = any(row["missing"] for row in rows)
    return {"told": told, "rows": rows, **shown}


def spoken(rows: Sequence[Row]) -> str:
    """The bands in words, for those who cannot see them."""
    ends = (f"{row['label']}: {row['band_text']} after {plural(row['n'], 'item')}" for row in rows)
    return "Bands of the change of accuracy over the items asked. " + "; ".join(ends)


def _band(row: Row) -> str:
    """The ends of the band itself: those of the row are cut to the decision, which stands beside
    them, where that says more."""
    drawn = row["band"][-1][1:] if row.get("band") else (row["low"], row["high"])
    ends = zip((row["low"], row["high"]), drawn, strict=True)
    low, high = (_moved(own if abs(end) == row["size"] else end) for end, own in ends)
    return low if low == high else f"{low} to {high}"


def _moved(change: float) -> str:
    """A change in points, with its sign."""
    return plus(signed(100 * change, 1))


def notices(run: Results) -> Iterator[str]:
    """Why asking stopped, and what goes on, where it ended early or left something open."""
    if "until" not in run.findings or not (run.ended or any(map(_left_open, run.verdict))):
        return
    goal = Goal.parse(run.findings["until"]["goal"])
    # Who wanted a precision did not want decisions: that all could be decided is no advice.
    further = "" if goal.every or goal.precision is not None else "--until decided=all goes on, or "
    then = f"{CONTINUES[run.ended]}, or " if run.ended else further
    why_so = why(run.ended)
    yield f"{why_so[0].upper()}{why_so[1:]}; {then}ask the full set (without --until)."


def _left_open(f: Finding) -> bool:
    """Whether a band leaves something open, of a probe that stopped."""
    return f.kind == "cannot_tell" and f.measured and f.p_adjusted is None and f.section != "until"


UNTIL = Section("until", "What was decided early?", context, notices)

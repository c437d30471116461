"""Of a run that could stop early: what was decided, after how many items, and what was saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from horsesense.measures.base import Estimate
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import number, points, signed
from horsesense.report.verdict import Sentence, Tone
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition

Row = Mapping[str, Any]
TONE_OF: Mapping[str, Tone] = {"found": "warning", "ruled_out": "sound"}
WORD: Mapping[str, str] = {
    "found": "found", "ruled_out": "ruled out", "cannot_tell": "cannot tell", "open": "open",
}  # fmt: skip


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
            "mean": "–" if row["value"] is None else signed(100 * row["value"], 1),
            "band": _band(row),
            "share": number(row["n"] / row["units"], "fraction", 0),
        }
        for row in told["findings"]
    ]
    saved = number(1 - asked / fixed, "fraction", 0) if fixed else ""
    budget = number(1 - run.findings["study"]["level"], "fraction", 0)
    return {"told": told, "rows": rows, "asked": asked, "saved": saved, "budget": budget}


def sentences(run: Results) -> Iterator[Sentence]:
    for row in run.findings.get("until", {}).get("findings", ()):
        where = {"condition": row["condition"], "reader": run.findings["until"]["reader"]}
        change = run.one("accuracy_change", row["probe"], **where)
        if change is not None:
            label = run.label(row["probe"], change.condition)
            tone = TONE_OF.get(row["kind"], "note")
            yield Sentence(f"{label}: {_said(row)}.", tone, change, UNTIL.id, _weight(change))


def _weight(change: Estimate) -> float:
    return abs(change.value or 0.0)


def _said(row: Row) -> str:
    """What one finding amounts to, with its band and the items that it took."""
    basis = f"between {_band(row)} points; {row['n']:,} of {row['units']:,} items asked"
    size = points(row["size"])
    direction: Literal["more", "fewer"] = "more" if row["direction"] > 0 else "fewer"
    return {
        "found": f"{direction} right answers, by {size} points or more ({basis})",
        "ruled_out": f"a change of accuracy of {size} points or more is ruled out ({basis})",
        "cannot_tell": f"whether accuracy changes by {size} points cannot be told ({basis})",
        "open": f"whether accuracy changes by {size} points is not decided yet ({basis})",
    }[str(row["kind"])]


def _band(row: Row) -> str:
    return f"{signed(100 * row['low'], 1)} and {signed(100 * row['high'], 1)}"


UNTIL = Section("until", "What was decided early?", context, sentences)

"""Of a run that could stop early: what was decided, after how many items, and what was saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from horsesense.findings.finding import TITLES
from horsesense.findings.sentences import WHY
from horsesense.findings.wording import number, plus, signed
from horsesense.report.charts import MIDDLE, draw, filled, fold
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import visible
from horsesense.runs.goal import Goal
from horsesense.runs.results import Results
from horsesense.stats.words import percent, plural, some_of
from horsesense.trials.condition import Condition

Row = Mapping[str, Any]
CONTINUES: Mapping[str, str] = {
    "budget": "a larger one goes on",
    "interrupted": "the same audit goes on",
    "failures": "the same audit asks them again",
    "alarm": "the same audit goes on, best after a change",
}
"""What goes on where asking ended before its goal, by what ended it."""
COLUMNS = 2
TITLE_LINE = 36
"""Characters of one line above a panel."""


def bands(
    found: Sequence[tuple[str, Sequence[Sequence[float]]]], size: float, caption: str
) -> Markup:
    """One panel for each finding: its band over the items asked, and the size that matters.

    Args:
        found: label, and [items, low, high] at each look; fractions.
        size: the smallest size that matters, dashed on both sides of no change.
        caption: the figure in words.
    """
    rows = [
        {"label": title(label), "items": n, "low": 100 * low, "high": 100 * high}
        for label, looks in found
        for n, low, high in looks
    ]
    columns = min(COLUMNS, len(found))
    spec = filled(
        "bands",
        rows=rows,
        columns=columns,
        labels=[title(label) for label, _ in found],
        width=(MIDDLE + 200) // columns - 40,
        reach=reach(rows, size),
        limits=[{"level": 100 * level} for level in (0.0, size, -size)],
    )
    return draw(spec, caption)


def title(label: str) -> str:
    """A panel's name in lines that end before the next panel."""
    return fold(visible(label), TITLE_LINE)


def reach(rows: Sequence[dict[str, Any]], size: float) -> list[float]:
    """An axis that holds the sizes and what every band comes to; the first looks leave it."""
    last = {row["label"]: max(abs(row["low"]), abs(row["high"])) for row in rows}
    most = max(300 * size, 1.2 * max(last.values(), default=0.0))
    return [-min(most, 100.0), min(most, 100.0)]


def context(run: Results) -> Context | None:
    told = run.findings.get("until")
    if told is None:
        return None
    rows = [
        {
            **row,
            "label": run.label(row["probe"], Condition.parse(row["condition"])),
            "word": TITLES[row["conclusion"]].lower() if early(row) else "not early: all asked",
            "mean": "–" if row["value"] is None else _moved(row["value"]),
            "band_text": f"{_moved(row['low'])} to {_moved(row['high'])}",
            "share": number(row["n"] / row["units"], "fraction", 0),
        }
        for row in decided(run)
    ]
    drawn = [(row["label"], row["band"]) for row in rows if row.get("band")]
    return {
        "told": told,
        "rows": rows,
        "saved": saved(run),
        "figure": bands(drawn, rows[0]["size"], spoken(rows)) if drawn else None,
        "lost": any(row["missing"] for row in rows),
    }


def saved(results: Results) -> list[str]:
    """What `--until` saved; nothing where everything was to be asked."""
    told, asked = results.findings.get("until"), results.findings["trials"]
    if told is None or not told["fixed_trials"]:
        return []
    whole, goal = told["fixed_trials"], told["goal"]
    if results.findings["stages"]["ask"]["state"] != "complete":
        return [f"Until {goal}: asking ended early. What it saves is not known yet."]
    spared = f"{percent(1 - asked / whole)} saved"
    return [f"Until {goal}: {some_of(asked, whole, 'prompt', 'were asked')} ({spared})."]


def decided(run: Results) -> list[Row]:
    """What was decided of each probe that could stop; rows of version 0.2 named it `kind`."""
    rows = run.findings.get("until", {}).get("findings", ())
    return [{**row, "conclusion": row.get("conclusion") or _of_old(row["kind"])} for row in rows]


def early(row: Row) -> bool:
    """Whether it was decided before all items were asked; of all, the list of checks decides."""
    return bool(row["conclusion"] != "undecided" or row["n"] < row["units"])


def _of_old(kind: str) -> str:
    return kind if kind in TITLES else "undecided"


def spoken(rows: Sequence[Row]) -> str:
    """The bands in words, for those who cannot see them."""
    ends = (f"{row['label']}: {row['band_text']} after {plural(row['n'], 'item')}" for row in rows)
    return "Bands of the change of accuracy over the items asked. " + "; ".join(ends)


def _moved(change: float) -> str:
    """A change in points, with its sign."""
    return plus(signed(100 * change, 1))


def notices(run: Results) -> Iterator[str]:
    """Why asking stopped, and what goes on, where it ended early or left something open."""
    if "until" not in run.findings:
        return
    open_still = any(f.reason and f.measured and f.p is None for f in run.verdict)
    if not run.ended and not open_still:
        return
    goal = Goal.parse(run.findings["until"]["goal"])
    # Who wanted a precision did not want decisions: that all could be decided is no advice.
    further = "" if goal.every or goal.precision is not None else "--until decided=all goes on, or "
    then = f"{CONTINUES[run.ended]}, or " if run.ended else further
    why_so = WHY[run.ended or "stopped"]
    yield f"{why_so[0].upper()}{why_so[1:]}; {then}ask the full set (without --until)."


UNTIL = Section("until", "What was decided early?", context, notices)

"""Of a test that people took: who answered, what they got right by form, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.findings.wording import number
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import count_of
from horsesense.runs.results import Results
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

ENDS = ("mean", "least", "most")
"""Of the shares right of single people."""


def context(run: Results) -> Context | None:
    told = run.findings.get("people")
    if told is None:
        return None
    agreement = [
        {**row, "label": run.label(row["probe"], Condition.parse(row["condition"]))}
        for row in told["agreement"]
        if row["reader"] == run.reader
    ]
    persons = [
        (run.label(row["probe"], Condition.parse(row["condition"])), row)
        for row in told.get("by_person", ())
        if row["reader"] == run.reader
    ]
    return {
        "told": told,
        "missing": sum(map(len, told["missing"].values())),
        "scores": [
            (run.label(e.probe, e.condition), [e, count_of(e)])
            for probe in run.probes
            for e in run.all("accuracy", probe)
            if e.n
        ],
        "persons": [
            (label, [*(number(row[end], "fraction", 0) for end in ENDS), row["people"]])
            for label, row in persons
        ],
        "agreement": agreement,
        "notes": sorted({row["note"] for row in agreement if row["note"]}),
        "digits": digits,
    }


def digits(value: float | None) -> str:
    """An agreement as people read it."""
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def notices(run: Results) -> Iterator[str]:
    """Who answered, and what the intervals allow for."""
    told = run.findings.get("people")
    if told is None:
        return
    back = len(told["returned"])
    yield (
        f"{back:,} of {plural(told['booklets'], 'booklet')} came back, one from each person;"
        " intervals allow for other items and for other people."
    )
    if back < 10:
        yield f"{back:,} people tell little about people in general: the intervals say how little."


PEOPLE = Section("people", "What did people answer?", context, notices)

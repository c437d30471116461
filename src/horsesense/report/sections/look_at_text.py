"""First token, PriDe and text side by side; what perturbed questions and added options change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from horsesense.findings.untested import named
from horsesense.measures.base import Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.votes import PERTURBED
from horsesense.report.charts import Line, Point, describe, forest
from horsesense.report.flow import flow, spoken
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import rests_on
from horsesense.runs.results import Results

ENTROPIES = (*PERTURBED, "option_swap", "order")
SAID = ("accuracy", "mismatch_rate", "rstd", "rstd_null")
SURE = ("brier", "ece", "ece_null", "confidence_auroc")


class Offset(NamedTuple):
    """Where labels stand in the replies of a model, as one reader of tokens saw it."""

    reader: str
    offset: int
    rows: list[dict[str, Any]]


def context(run: Results) -> Context | None:
    readers = _readers(run)
    scores = [
        Point(_named(run, name), e)
        for name in readers
        if (e := run.one("accuracy", reader=name)) is not None
    ]
    entropies, fits = _entropies(run), _fits(run)
    flows, moving = _flows(run)
    if len(scores) < 3 and not entropies and not flows and not fits:
        return None
    chance = scores[0].estimate.baseline if scores else None
    return {
        "scores": scores
        and forest(
            scores,
            "Right answers as published, %",
            caption="Accuracy by reader. " + describe(scores),
            line=Line(chance, "guessing") if chance else None,
        ),
        "said": _beside(run, readers, SAID),
        "sure": [row for row in _beside(run, readers, SURE) if row[1][0] is not None],
        "fits": fits,
        "fitted": any("fits" in fit and fit["fits"] for _, fit in fits),
        "offsets": _offsets(run),
        "entropies": entropies
        and forest(
            entropies,
            "Entropy of an item’s answers, nats",
            caption="Entropy of answers. " + describe(entropies),
        ),
        "entropies_n": rests_on([point.estimate for point in entropies]),
        "ties": [
            (run.label(e.probe, e.condition), e) for e in run.everywhere("vote_tie_rate") if e.n
        ],
        "flow": flows and flow(flows, moving, caption="Answers before and after. " + spoken(flows)),
        "moving": moving,
        "subjects": _subjects(run),
        "floating": run.one("answer_floating", "extra_options", group="all"),
        "to_added": run.one("answer_floating", "extra_options", group="to_added"),
    }


def _beside(
    run: Results, readers: list[str], measures: tuple[str, ...]
) -> list[tuple[str, list[Estimate | None]]]:
    """One row a reader: its name, and some measures of the items as published."""
    return [
        (_named(run, name), [run.one(measure, reader=name) for measure in measures])
        for name in readers
    ]


def _readers(run: Results) -> list[str]:
    """Readers of the run, each fitted one followed by its items held out."""
    names = {e.reader for e in run.estimates}
    return [n for name in run.readers for n in (name, name + HELD_OUT) if n in names]


def _named(run: Results, reader: str) -> str:
    """A reader for people, with its settings where they tell it from another of its kind."""
    if reader.endswith(HELD_OUT):
        return f"{_named(run, reader.removesuffix(HELD_OUT))}, items not fitted on"
    name = named(reader, run.readers)
    plain = name.removeprefix("the ")
    return name if plain == name else f"{plain[:1].upper()}{plain[1:]}"


def _fits(run: Results) -> list[tuple[str, dict[str, Any]]]:
    """What PriDe was fitted on, or why it was not."""
    fits = run.findings.get("fits", {})
    return [(name, fit) for name, fit in fits.items() if "fits" in fit or "undefined_reason" in fit]


def _offsets(run: Results) -> list[Offset]:
    """Only where some reply has more than one scored position is there something to see."""
    found = run.findings.get("fits", {}).items()
    return [
        Offset(name, fit["offset"], fit["positions"])
        for name, fit in found
        if len(fit.get("positions", ())) > 1
    ][:1]  # every reader of tokens looks at the same replies


def _entropies(run: Results) -> list[Point]:
    """Entropy per way of perturbing; the tick is what guessing would have."""
    found = [e for name in ENTROPIES for e in run.all("answer_entropy", name)]
    if not any(e.probe in PERTURBED for e in found):
        return []
    return [Point(run.label(e.probe, e.condition), e, e.baseline) for e in found]


def _subjects(run: Results) -> list[tuple[str, list[Estimate | None]]]:
    """Refusals, declared absences and spread of recalls by subject, most refused first."""
    refused = sorted(
        run.all("refusal_by_subject", "original"), key=lambda e: (-(e.value or 0), e.group)
    )
    others = ("none_by_subject", "rstd_by_subject")
    return [(e.group, [e, *(run.one(name, group=e.group) for name in others)]) for e in refused]


def _flows(run: Results) -> tuple[dict[tuple[str, str], float], int]:
    """(before, after) -> share of the items, and how many items that are."""
    flows = run.all("answer_flow", "extra_options")
    pairs = ((tuple(e.group.split(" → ")), e.value or 0.0) for e in flows)
    shares = {(before, after): share for (before, after), share in pairs if share > 0}
    return shares, max((e.n for e in flows), default=0)


def notices(run: Results) -> Iterator[str]:
    """Readers that could not be fitted, and labels that do not stand at the first token."""
    for _, fit in _fits(run):
        if "undefined_reason" in fit:
            yield fit["undefined_reason"]
    for found in _offsets(run):
        if found.offset:
            yield (
                f"In most replies the label stands at token {found.offset + 1}, not at the first; "
                "the reader first_token(token=found) reads it there."
            )


LOOK_AT_TEXT = Section("look_at_text", "What do first token and text say?", context, notices)

"""First token, PriDe and text side by side; what perturbed questions and added options change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from horsesense.findings.uncounted import named
from horsesense.findings.wording import number
from horsesense.measures.base import Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.votes import PERTURBED
from horsesense.report.charts import ChartLine, Point, forest
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import rests_on
from horsesense.runs.results import Results

ENTROPIES = (*PERTURBED, "option_swap", "order")
SAID = ("accuracy", "mismatch_rate", "rstd", "rstd_null")
SURE = ("brier", "ece", "ece_null", "confidence_auroc")
BY_SUBJECT = (
    "accuracy_by_subject",
    "none_by_subject",
    "rstd_by_subject_raw",
    "rstd_by_subject_raw_null",
    "rstd_by_subject",
)

Row = tuple[str, list[Any]]


def context(run: Results) -> Context | None:
    # Each fitted reader is followed by its items held out.
    names = {e.reader for e in run.estimates}
    readers = [n for name in run.readers for n in (name, name + HELD_OUT) if n in names]
    read = ((name, run.one("accuracy", reader=name)) for name in readers)
    scores = [Point(_named(run, name), e) for name, e in read if e is not None]
    entropies, fits, flows = _entropies(run), _fits(run), _flows(run)
    if len(scores) < 3 and not entropies and not flows and not fits:
        return None
    chance = scores[0].estimate.baseline if scores else None
    line = ChartLine(chance, "chance") if chance else None
    return {
        "scores": scores
        and forest(
            scores,
            "Right answers in the original order, %",
            caption="Accuracy by reader",
            line=line,
        ),
        "said": _beside(run, readers, SAID),
        "sure": [row for row in _beside(run, readers, SURE) if row[1][0] is not None],
        "fits": fits,
        "fitted": any("fits" in fit and fit["fits"] for _, fit in fits),
        "offset": _offset(run),
        "entropies": entropies
        and forest(entropies, "Entropy of an item’s answers, nats", caption="Entropy of answers"),
        "entropies_n": rests_on([point.estimate for point in entropies]),
        "ties": [
            (run.label(e.probe, e.condition), e) for e in run.everywhere("vote_tie_rate") if e.n
        ],
        "flows": flows,
        "tables": beside(run, "look_at_text", lambda table, column: _own(run, table, column)),
        "subjects": _subjects(run),
    }


def _own(run: Results, table: str, column: str) -> Estimate | None:
    """The run's value for a column: of PriDe's tables its accuracy or RStD, else by reader."""
    if "pride" in table:
        whole = [n for n in run.readers if n.startswith("pride") and "per=" not in n]
        return run.one(column, reader=whole[0]) if whole else None
    if column == "mismatch":
        return run.one("mismatch_rate", reader="first_token")
    return run.one("accuracy", reader=column)


def _beside(run: Results, readers: list[str], measures: tuple[str, ...]) -> list[Row]:
    """One row a reader: some measures of the items as published, and of how many items."""
    found = ((n, [run.one(measure, reader=n) for measure in measures]) for n in readers)
    return [(_named(run, n), [*es, es[0].n if es[0] else None]) for n, es in found]


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


def _offset(run: Results) -> tuple[str, dict[str, Any]] | None:
    """Where labels stand in the replies, as one reader of tokens saw it: others look at the same.

    None where no reply has more than one scored position.
    """
    fits = run.findings.get("fits", {}).items()
    return next((pair for pair in fits if len(pair[1].get("positions", ())) > 1), None)


def _entropies(run: Results) -> list[Point]:
    """Entropy per way of perturbing; the tick is what guessing would have."""
    found = [e for name in ENTROPIES for e in run.all("answer_entropy", name)]
    if not any(e.probe in PERTURBED for e in found):
        return []
    return [Point(run.label(e.probe, e.condition), e, e.baseline) for e in found]


def _subjects(run: Results) -> list[Row]:
    """Replies, accuracy and spread of recalls by subject, most refused first."""
    refused = run.all("refusal_by_subject", "original")
    ranked = sorted(refused, key=lambda e: (-(e.value or 0), e.group))
    more = ([run.one(name, group=e.group) for name in BY_SUBJECT] for e in ranked)
    return [(e.group, [e, *others, e.n]) for e, others in zip(ranked, more, strict=True)]


def _flows(run: Results) -> list[Row]:
    """What items' votes were and become: share of the items, and how many; largest first."""
    flows = sorted(run.all("answer_flow", "extra_options"), key=lambda e: -(e.value or 0))
    return [
        (e.group, [number(e.value, "fraction", 0), round(e.value * e.n)]) for e in flows if e.value
    ]


def notices(run: Results) -> Iterator[str]:
    """Readers that could not be fitted, and labels that do not stand at the first token."""
    for _, fit in _fits(run):
        if "undefined_reason" in fit:
            yield fit["undefined_reason"]
    _, fit = _offset(run) or ("", {"offset": 0})
    if fit["offset"]:
        yield (
            f"In most replies the label stands at token {fit['offset'] + 1}, not at the first; "
            "the reader first_token(token=found) reads it there."
        )


LOOK_AT_TEXT = Section("look_at_text", "What do first token and text say?", context, notices)

"""The score, and what each change does to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from horsesense.measures.base import Estimate
from horsesense.report.charts import Line, Point, describe, forest
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import (
    chance_text,
    excluded,
    interval_of,
    p_text,
    plural,
    points,
    value_of,
)
from horsesense.report.verdict import (
    Sentence,
    above_chance,
    mostly_valid,
    side,
    significant,
)
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition

OWN_WORDS = ("repeat", "none_of_the_above", "options_only")
"""Probes whose effect on accuracy has sentences of its own."""
NONE_PLACES = {
    "kept": ", with the none-option in its place",
    "last": ", with the none-option at the end",
}
FEW = 30
"""Independent items below which the verdict says that there are few."""


def context(run: Results) -> Context | None:
    scores = run.everywhere("accuracy")
    if not scores:
        return None
    changes = {(e.probe, e.condition): e for e in run.everywhere("accuracy_change")}
    rows = [
        Point(run.label(e.probe, e.condition), e, e.baseline, _moved(changes, e)) for e in scores
    ]
    hard = run.one("accuracy_hard", "order")
    if hard is not None:
        after = max(n for n, row in enumerate(rows) if row.estimate.probe == "order")
        rows.insert(after + 1, Point("… right in every order", hard, hard.baseline))
    original = run.one("accuracy")
    line = Line(original.value, as_asked(run)) if original and original.value else None
    caption = "Accuracy with interval under each change. " + describe(rows)
    return {
        "figure": forest(rows, "Accuracy, %", caption=caption, line=line),
        "changes": [
            (run.label(e.probe, e.condition), e, p_text(e.p_value), p_text(e.p_adjusted))
            for e in changes.values()
        ],
        "probes": run.findings["probes"],
    }


def as_asked(run: Results) -> str:
    """What the score is that others are compared with."""
    return "as the log asked" if run.imported else "as published"


def _moved(changes: dict[tuple[str, Condition], Estimate], score: Estimate) -> bool:
    change = changes.get((score.probe, score.condition))
    return change is not None and significant(change)


def sentences(run: Results) -> Iterator[Sentence]:
    score = run.one("accuracy")
    if score is None:
        return
    yield from _score(run, score)
    yield from _every_order(run, score)
    yield from _changes(run)
    yield from _none_of_the_above(run, score)
    yield from _without_question(run)


def _score(run: Results, score: Estimate) -> Iterator[Sentence]:
    chance = chance_text(score.baseline or 0.0)
    if above_chance(run):
        text = f"The model scores {value_of(score)} {as_asked(run)}; guessing would give {chance}."
    else:
        than = "less than" if side(score, score.baseline or 0.0) < 0 else "no better than"
        text = (
            f"The model scores {value_of(score)} {as_asked(run)}, {than} guessing ({chance}), so "
            "a change that makes it worse could not be seen."
        )
    yield Sentence(text, "headline", score, SCORE.id)
    clusters = run.findings["dataset"]["clusters"]
    if clusters < FEW:
        are = "is" if clusters == 1 else "are"
        text = (
            f"There {are} only {plural(clusters, 'independent item')}, so the intervals are wide "
            "and settle little."
        )
        yield Sentence(text, "doubt", score, SCORE.id)


def _every_order(run: Results, score: Estimate) -> Iterator[Sentence]:
    hard = run.one("accuracy_hard", "order")
    if hard is None or hard.value is None or not score.value or score.low is None:
        return
    if side(hard, score.low) < 0:
        text = (
            f"{value_of(hard)} of items are right in every order; {value_of(score)} are right "
            f"{'as the log asked' if run.imported else 'in the published order'}.{_noise(run)}"
        )
        weight = (score.value - hard.value) / score.value
        yield Sentence(text, "warning", hard, SCORE.id, weight)
    elif above_chance(run):
        text = f"{value_of(hard)} of items are right in every order."
        yield Sentence(text, "sound", hard, SCORE.id)


def _noise(run: Results) -> str:
    """A sentence more for a model that changes no more answers by order than by chance."""
    change = run.one("answer_change_rate", "order")
    floor = run.one("answer_change_rate", "repeat")
    if change is None or floor is None or floor.high is None or side(change, floor.high) > 0:
        return ""
    return " Asking again changes as many answers, so the order need not be the cause."


def _changes(run: Results) -> Iterator[Sentence]:
    """One sentence per probe: its strongest significant change, or what would have been seen."""
    for name, probe in run.probes.items():
        tested = [e for e in run.all("accuracy_change", name) if e.p_adjusted is not None]
        if name in OWN_WORDS or not tested:
            continue
        found = [e for e in tested if significant(e)]
        if found:
            e = max(found, key=lambda e: abs(e.value or 0))
            yield _changed(run, e, len(found), len(tested))
        elif above_chance(run):
            yield _unchanged(str(probe["title"]), tested)


def _changed(run: Results, e: Estimate, found: int, tested: int) -> Sentence:
    assert e.value is not None
    verb = "falls" if e.value < 0 else "rises"
    more = f" ({found} of {tested} conditions change it)" if tested > 1 else ""
    where = f"Under “{run.label(e.probe, e.condition)}”"
    text = f"{where}, accuracy {verb} by {points(e.value)} points{more}."
    return Sentence(text, "warning", e, SCORE.id, min(1.0, abs(e.value) * 2))


def _unchanged(title: str, tested: list[Estimate]) -> Sentence:
    """The condition that could hide the largest change."""
    if all(e.detectable is not None for e in tested):
        e = max(tested, key=lambda e: e.detectable or 0)
        seen = f"the minimum detectable effect was {points(e.detectable or 0)} points"
    else:
        e = max(tested, key=lambda e: max(-(e.low or 0.0), e.high or 0.0))
        seen = excluded(e)
    text = f"Under “{title}”, no effect on accuracy was found; {seen}."
    return Sentence(text, "sound", e, SCORE.id)


def _none_of_the_above(run: Results, score: Estimate) -> Iterator[Sentence]:
    scores = {e.condition: e for e in run.all("accuracy", "none_of_the_above")}
    changes = {e.condition: e for e in run.all("accuracy_change", "none_of_the_above")}
    gone = [e for e in scores.values() if not e.condition.matches(place="distractor")]
    for e in sorted(gone, key=lambda e: e.value or 0)[:1]:
        place = run.setting(e.probe, e.condition)
        where = NONE_PLACES.get(place, f" ({place})") if len(gone) > 1 else ""
        text = (
            f"chooses the none-option in {value_of(e)} of items whose right answer was "
            f"removed{where}; it scores {value_of(score)} as published."
        )
        less = changes.get(e.condition)
        if side(e, e.baseline or 0) <= 0 and side(score, e.high or 1) > 0:
            text = f"The model cannot say “none of these”: it {text}"
            yield Sentence(text, "warning", e, SCORE.id, 0.9)
        elif less is not None and significant(less) and (less.value or 0) < 0:
            text = f"The model says “none of these” less often than it should: it {text}"
            yield Sentence(text, "warning", e, SCORE.id, min(1.0, 2 * abs(less.value or 0)))
        elif above_chance(run):
            yield Sentence(f"The model {text}", "sound", e, SCORE.id)
    for condition, e in changes.items():
        if condition.matches(place="distractor") and significant(e) and (e.value or 0) < 0:
            text = (
                "Replacing a wrong option with a none-option costs "
                f"{points(e.value or 0)} points of accuracy."
            )
            yield Sentence(text, "warning", e, SCORE.id, min(1.0, 2 * abs(e.value or 0)))


def _without_question(run: Results) -> Iterable[Sentence]:
    e = run.one("accuracy", "options_only")
    if e is None or e.baseline is None:
        return
    chance = chance_text(e.baseline)
    if side(e, e.baseline) > 0:
        text = (
            f"Without the question, {value_of(e)} of items are still right, where chance is "
            f"{chance}."
        )
        assert e.value is not None
        weight = (e.value - e.baseline) / (1 - e.baseline)
        yield Sentence(text, "warning", e, SCORE.id, weight)
    elif mostly_valid(run):
        text = (
            f"Without the question, {value_of(e)} of items are right {interval_of(e)}; chance is "
            f"{chance}."
        )
        yield Sentence(text, "sound", e, SCORE.id)


SCORE = Section("score", "What each change does to the score", context, sentences)

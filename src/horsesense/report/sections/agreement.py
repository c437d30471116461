"""Whether an answer holds when only the form of the question changes."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.measures.base import Estimate
from horsesense.report.charts import Point, bars, describe, forest
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import chance_text, excluded, number, value_of
from horsesense.report.verdict import Sentence, mostly_valid, side, significant
from horsesense.runs.results import Results

MOST_BARS = 16
"""Agreement levels that a histogram can hold; more (full designs) stay in the table."""


def context(run: Results) -> Context | None:
    changed = [e for e in _kept_content(run) if e.n]
    strata = _strata(run)
    if not changed and not strata:
        return None
    floor = run.one("answer_change_rate", "repeat")
    rows = [Point(run.label(e.probe, e.condition), e, None, _beyond(e, run)) for e in changed]
    shares = [share for share, _, _ in strata]
    names = [number(float(e.group), "fraction", 0) for e in shares]
    caption = "Answers that change. " + (describe(rows) if rows else "")
    histogram = "Items by agreement. " + "; ".join(
        f"{name} agreement: {value_of(e)} of items" for name, e in zip(names, shares, strict=True)
    )
    return {
        "changed": rows and forest(rows, "Answers that change, %", caption=caption),
        "histogram": strata
        and len(strata) <= MOST_BARS
        and bars(names, shares, x_title="Agreement of an item’s answers", caption=histogram),
        "strata": [(name, *rest) for name, rest in zip(names, strata, strict=True)],
        "agreement": run.one("plurality_agreement", "order"),
        "entropy": run.one("answer_entropy", "order"),
        "floor": floor,
    }


def _kept_content(run: Results) -> list[Estimate]:
    """Changed answers under the probes that leave the content alone."""
    return [
        e
        for e in run.everywhere("answer_change_rate")
        if run.probes[e.probe]["invariant"] == "same_answer"
    ]


def _strata(run: Results) -> list[tuple[Estimate, Estimate | None, Estimate | None]]:
    """Per agreement level of the first order condition: share, plurality and mean accuracy."""
    shares = run.all("agreement_share", "order")
    return [
        (
            e,
            run.one("stratum_plurality_accuracy", "order", group=e.group, condition=e.condition),
            run.one("stratum_accuracy", "order", group=e.group, condition=e.condition),
        )
        for e in shares
        if e.condition == shares[0].condition
    ]


def _excess(e: Estimate, run: Results) -> Estimate | None:
    """By how much more answers change than when the same prompt is asked again, item by item."""
    return run.one("answer_change_beyond_repeat", e.probe, condition=e.condition)


def _beyond(e: Estimate, run: Results) -> bool:
    """Whether more answers change than when the same prompt is asked again."""
    excess = _excess(e, run)
    return excess is not None and significant(excess) and (excess.value or 0) > 0


def sentences(run: Results) -> Iterator[Sentence]:
    if not mostly_valid(run):
        return
    floor = run.one("answer_change_rate", "repeat")
    if floor is not None:
        yield _noise(floor)
        yield from _changes(run, floor)
    agreement = run.one("plurality_agreement", "order")
    if agreement is not None and agreement.baseline is not None:
        yield _agreement(agreement, agreement.baseline)


def _noise(floor: Estimate) -> Sentence:
    if side(floor, 0.01) > 0:
        text = (
            f"When the same prompt is asked again, {value_of(floor)} of the answers change; every "
            "other change is compared with this noise."
        )
        return Sentence(text, "note", floor, AGREEMENT.id)
    text = f"When the same prompt is asked again, {value_of(floor)} of the answers change."
    return Sentence(text, "sound", floor, AGREEMENT.id)


def _changes(run: Results, floor: Estimate) -> Iterator[Sentence]:
    """The strongest condition of each probe against asking again."""
    for name in run.probes:
        found = [e for e in _kept_content(run) if e.probe == name != "repeat"]
        if not found:
            continue
        e = max(found, key=lambda e: e.value or 0)
        title = run.label(e.probe, e.condition)
        excess = _excess(e, run)
        if _beyond(e, run):
            text = (
                f"Under “{title}”, {value_of(e)} of the answers change although the meaning stays "
                f"the same; asking again changes {value_of(floor)}."
            )
            yield Sentence(text, "warning", e, AGREEMENT.id, e.value or 0)
        elif excess is not None and excess.value is not None:
            text = (
                f"Under “{title}”, {value_of(e)} of the answers change, and {value_of(floor)} when "
                f"the same prompt is asked again; for that difference, {excluded(excess)}."
            )
            yield Sentence(text, "note", excess, AGREEMENT.id)


def _agreement(e: Estimate, chance: float) -> Sentence:
    guessing = chance_text(chance)
    if side(e, chance) <= 0:
        text = (
            f"Across the orders, the model agrees with itself in {value_of(e)} of its answers, no "
            f"more than guessing would ({guessing})."
        )
        return Sentence(text, "warning", e, AGREEMENT.id, 0.8)
    text = (
        f"Across the orders, the model agrees with itself in {value_of(e)} of its answers; "
        f"guessing would give {guessing}."
    )
    return Sentence(text, "note", e, AGREEMENT.id)


AGREEMENT = Section("agreement", "Does the answer stay the same?", context, sentences)

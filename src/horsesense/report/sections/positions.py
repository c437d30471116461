"""Whether the place of an option matters."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.measures.base import Estimate
from horsesense.measures.joined import RECORDED_ORDERS
from horsesense.report.charts import Line, Point, describe, forest
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import chance_text, interval_of, p_text, value_of
from horsesense.report.verdict import ALPHA, Sentence, above_chance, side
from horsesense.runs.results import Results

ORDERS = {
    "balanced": "in orders that put every option in every position equally often",
    "recorded": "in the orders that the log holds",
    "published": "in the published order, where the positions do not get the same options",
}
WORTH_LEADING = 0.10
"""Share of items locked to one position from which that is said before the preference."""


def _probe(run: Results) -> str:
    """The orders, where each content visits each position; else the items as published."""
    return "order" if run.all("position_preference", "order") else "original"


def context(run: Results) -> Context | None:
    probe = _probe(run)
    chosen = _condition(run.all("position_preference", probe))
    if not chosen:
        return None
    baseline = chosen[0].baseline or 0.0
    off = [side(e, baseline, len(chosen)) for e in chosen]
    preference = [
        Point(f"position {e.group}", e, e.baseline, s != 0)
        for e, s in zip(chosen, off, strict=True)
    ]
    recalls = [Point(f"position {e.group}", e) for e in _condition(run.all("recall", probe))]
    overall = run.one("accuracy", probe)
    spread, null = run.one("rstd", probe), run.one("rstd_null", probe)
    recorded = chosen[0].condition.matches(design=RECORDED_ORDERS)
    shown = "recorded" if recorded else "balanced" if probe == "order" else "published"
    return {
        "orders": ORDERS[shown],
        "preference": forest(
            preference,
            "Answers that choose the position, %",
            caption="Choice per position. " + describe(preference),
            line=Line(baseline, "even-handed"),
        ),
        "recall": recalls
        and forest(
            recalls,
            "Right answers found there, %",
            caption="Recall per position. " + describe(recalls),
            line=Line(overall.value, "all positions") if overall and overall.value else None,
        ),
        "rstd": spread,
        "null": null,
        "p": p_text(null.p_value) if null else "",
    }


def _condition(estimates: list[Estimate]) -> list[Estimate]:
    """Those of the first condition: with several designs of orders, one is drawn."""
    return [e for e in estimates if e.condition == estimates[0].condition]


def sentences(run: Results) -> Iterator[Sentence]:
    chosen = _condition(run.all("position_preference", "order"))
    locked = _locked(run)
    if locked is not None:
        text = (
            f"The model chooses position {locked.group} in {value_of(locked)} of items, whichever "
            "option stands there."
        )
        yield Sentence(text, "warning", locked, POSITIONS.id, locked.value or 0)
    elif chosen:
        yield _preference(chosen)
    yield from _spread(run)


def _locked(run: Results) -> Estimate | None:
    """The position that is chosen in every order of many items; None where there is none."""
    positions = _condition(run.all("position_locked", "order"))
    most = max(positions, key=lambda e: e.value or 0, default=None)
    if most is None or (most.value or 0) < WORTH_LEADING:
        return None
    return most if side(most, most.baseline or 0, len(positions)) > 0 else None


def _preference(chosen: list[Estimate]) -> Sentence:
    top = max(chosen, key=lambda e: e.value or 0)
    fair = top.baseline or 0.0
    if side(top, fair, len(chosen)) > 0:
        text = (
            f"The model prefers position {top.group}: {value_of(top)} of its answers go there, "
            f"{_although(top)}; an even spread would be {chance_text(fair)}."
        )
        weight = ((top.value or 0) - fair) / (1 - fair)
        return Sentence(text, "warning", top, POSITIONS.id, weight)
    text = (
        f"No preferred position was found: the most chosen one, {top.group}, receives "
        f"{value_of(top)} of the answers {interval_of(top)}; {chance_text(fair)} would be "
        "even-handed."
    )
    return Sentence(text, "sound", top, POSITIONS.id)


def _although(e: Estimate) -> str:
    """What speaks against a preference: balanced orders, or those that a log happens to hold."""
    if e.condition.matches(design=RECORDED_ORDERS):
        return "over the orders that the log holds"
    return "although every option stands in every position equally often"


def _spread(run: Results) -> Iterator[Sentence]:
    probe = _probe(run)
    spread, null = run.one("rstd", probe), run.one("rstd_null", probe)
    if spread is None or spread.value is None or null is None or null.value is None:
        return
    p = spread.p_value
    if p is not None and p < ALPHA:
        text = (
            "The model finds the right answer more easily in some positions than in others: the "
            f"recalls have a standard deviation of {value_of(spread)} points (RStD), where chance "
            f"alone gives {value_of(null)} (p {'' if p < 0.0001 else '= '}{p_text(p)})."
        )
        weight = min(
            1.0, (spread.value - null.value) / 43.3
        )  # 43.3: always the same position of four
        yield Sentence(text, "warning", spread, POSITIONS.id, weight)
    elif above_chance(run):
        text = (
            "No position was found in which right answers are missed more often: the recalls have "
            f"a standard deviation of {value_of(spread)} points (RStD), as chance alone can give "
            f"({value_of(null)} on average, up to {null.high:.1f})."
        )
        yield Sentence(text, "sound", spread, POSITIONS.id)


POSITIONS = Section("positions", "Does the place of an option matter?", context, sentences)

"""Whether it is noticed that the right answer is missing (Know-No)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from horsesense.measures.base import Estimate
from horsesense.measures.graded import GRADED
from horsesense.probes.gold_absent import HINTS
from horsesense.report.charts import ChartLine, Point, forest
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import value_of
from horsesense.runs.results import Results

NAMES: Mapping[str, str] = {
    "with_gold": "right answer shown",
    "hint_option": "none-option offered",
    "hint_instruction": "none announced",
    "no_hint": "no hint",
    "mean": "mean of the three prompts",
    "omni_accuracy": "OmniAccuracy",
}
PROBE = "gold_absent"


def context(run: Results) -> Context | None:
    found = _shown(run)
    if not any(name in found for name in HINTS):
        return None
    line = ChartLine(0.5, "OmniAccuracy of always none") if "omni_accuracy" in found else None
    points = [Point(NAMES[name], e) for name, e in found.items()]
    return {
        "figure": forest(points, "% right", caption="Right replies by prompt", line=line),
        "every": [e for e in run.all("recall", PROBE) if e.condition.matches(positions="every")],
        "classes": [
            (e.group.replace("_", " ").replace("+", " + "), [e])
            for e in run.all("response_class", PROBE)
            if e.n
        ],
        "detection": [
            (
                run.label(e.probe, e.condition),
                [
                    e,
                    run.one("gold_detection_balanced", e.probe, condition=e.condition),
                    run.one("false_none_rate", e.probe, condition=e.condition),
                ],
            )
            for e in run.everywhere("gold_detection")
        ],
        "lenient": list(_lenient(run)),
        "tables": beside(run, "know_no"),
    }


def _shown(run: Results) -> dict[str, Estimate]:
    """The four prompts and OmniAccuracy, as far as they were measured."""
    scores = run.all("accuracy", PROBE)
    whole = next((e for e in scores if e.condition.matches(prompt="with_gold")), None)
    hints = {hint: run.one("accuracy_without_gold", PROBE, group=hint) for hint in HINTS}
    omni = run.one("omni_accuracy", PROBE)
    found = {"with_gold": whole, **hints, "omni_accuracy": omni}
    return {name: e for name, e in found.items() if e is not None}


def _lenient(run: Results) -> Iterator[tuple[str, list[Estimate | None]]]:
    """Shares where only the offered words count, also as graded, and where any words do."""
    shares = [(group, "accuracy_without_gold", group) for group in (*HINTS[:2], "mean")]
    for name, measure, group in (*shares, ("omni_accuracy", "omni_accuracy", "")):
        strict = run.one(measure, PROBE, group=group)
        lenient = run.one(f"{measure}_lenient", PROBE, group=group)
        if strict is not None and lenient is not None:
            graded = run.one(measure + GRADED, PROBE, group=group)
            yield NAMES[name], [graded, strict, lenient]


def notices(run: Results) -> Iterator[str]:
    """A judge that cannot decide many replies makes the numbers a lower bound."""
    unjudged = run.one("response_class", PROBE, group="needs_review")
    if unjudged is not None and unjudged.value and unjudged.value > 0.02:
        yield (
            f"No rule could judge {value_of(unjudged)} of the replies to questions without a hint;"
            " they count as wrong."
        )
        yield "People can judge them: horsesense annotate."


WITHOUT_GOLD = Section(
    "without_gold", "Is it noticed when the right answer is missing?", context, notices
)

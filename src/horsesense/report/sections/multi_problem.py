"""Many problems in one prompt: accuracy by size, kinds of errors, accuracy by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from horsesense.findings.wording import MINUS
from horsesense.measures.base import Estimate
from horsesense.measures.task_contrast import TASKS
from horsesense.report.charts import Line, multiples
from horsesense.report.curves import Curve, curves, spoken
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import chance_text, p_text, value_of
from horsesense.runs.results import Results
from horsesense.stats.contrasts import Contrast, contrasts
from horsesense.trials.condition import Condition

NAMES: Mapping[str, str] = {
    "batch": "one answer a line",
    "select_one": "select one label",
    "select_all": "select all labels",
}
SETTINGS: Mapping[tuple[str, str], str] = {
    ("shows", "label"): "labels shown",
    ("lines", "anchored"): "numbered",
    ("design", "disjoint"): "disjoint",
    ("mix", "even"): "mixed",
    ("mix", "subject"): "unmixed",
    ("cot", "1"): "reasoned",
    ("shots", "1"): "1 worked example",
    ("shots", "2"): "2 worked examples",
}
"""Short words for what is not as published."""
ERRORS = {
    "correct": "right",
    "wrong_label": "wrong label",
    "contradiction": "contradiction",
    "unassigned": "unassigned",
}
"""What becomes of a problem, with its heading."""
DIFFERENCE = "task_difference"
"""Of two tasks, which its group names."""


def context(run: Results) -> Context | None:
    scores = _estimates(run, "per_problem_accuracy")
    if not scores:
        return None
    by_size = _curves(scores)
    single = run.one("accuracy")
    sizes = sorted({_size(e) for e in scores}, key=int)
    by_place = _places(run, scores)
    return {
        "accuracy": curves(
            by_size,
            sizes,
            x_title="Problems in one prompt",
            y_title="Accuracy per problem, %",
            caption="Accuracy per problem by size. " + spoken(by_size),
            line=Line(single.value, "one by one") if single and single.value else None,
        ),
        "chance": [(NAMES[e.probe], chance_text(e.baseline)) for e in _first(scores) if e.baseline],
        "errors": _errors(run, scores),
        "places": by_place
        and curves(
            by_place,
            [step for step, _ in by_place[0].points],
            x_title="Place in the prompt",
            y_title="Accuracy, %",
            caption="Accuracy by place in the prompt. " + spoken(by_place),
        ),
        "largest": sizes[-1],
        "differences": [
            (_label(e), e, p_text(e.p_value), p_text(e.p_adjusted))
            for e in _estimates(run, DIFFERENCE)
        ],
        "cells": _cells(scores),
        "near": _near(run, scores),
        "replies": [
            (_label(e), e, other)
            for e in _estimates(run, "unread_share")
            for other in [_beside(run, e)]
        ],
        "too_long": run.findings.get("too_long", []),
    }


def _estimates(run: Results, measure: str) -> list[Estimate]:
    return [e for task in TASKS if task in run.probes for e in run.all(measure, task)]


def _size(e: Estimate) -> str:
    return e.condition.get("size", "")


def _rest(e: Estimate) -> Condition:
    return e.condition.without("size")


def _words(rest: Condition) -> str:
    return ", ".join(SETTINGS.get(setting, "=".join(setting)) for setting in rest.settings)


def _label(e: Estimate) -> str:
    rest = f", {_words(_rest(e))}" if _rest(e) else ""
    return f"{_tasks(e.group) if e.measure == DIFFERENCE else NAMES[e.probe]}, {_size(e)}{rest}"


def _tasks(pair: str) -> str:
    """Two tasks, of which the second is taken from the first."""
    return f" {MINUS} ".join(NAMES[task] for task in pair.split(" - "))


def _near(run: Results, scores: list[Estimate]) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """At how many sizes a share of the accuracy is kept: setting in words, sizes, kept by share."""
    found: dict[Condition, list[Estimate]] = {}
    for e in _estimates(run, "share_of_sizes_near_single"):
        found.setdefault(_rest(e), []).append(e)
    near = []
    for rest, shares in found.items():
        sizes = len({_size(e) for e in scores if e.probe == "batch" and _rest(e) == rest})
        kept = [(e.group, round(e.value * sizes)) for e in shares if e.value is not None]
        near.append((_words(rest), sizes, kept))
    return [one for one in near if one[2]]


def _main(found: list[Estimate]) -> list[Estimate]:
    """Those of the first setting of each task that shows texts: the others are variants of it."""
    texts = [e for e in found if not e.condition.matches(shows="label")]
    first = {e.probe: _rest(e) for e in sorted(texts, key=lambda e: bool(_rest(e)), reverse=True)}
    return [e for e in texts if _rest(e) == first[e.probe]]


def _curves(scores: list[Estimate]) -> list[Curve]:
    """One per task and setting, at most six: plain tasks first."""
    found: dict[tuple[str, Condition], list[tuple[str, Estimate]]] = {}
    for e in sorted(scores, key=lambda e: bool(_rest(e))):
        found.setdefault((e.probe, _rest(e)), []).append((_size(e), e))
    return [
        Curve(NAMES[task] + (f" ({_words(rest)})" if rest else ""), values)
        for (task, rest), values in list(found.items())[:6]
    ]


def _first(scores: list[Estimate]) -> list[Estimate]:
    return list({e.probe: e for e in reversed(scores)}.values())[::-1]


def _errors(run: Results, scores: list[Estimate]) -> Any:
    kinds = {(e.probe, e.condition, e.group): e for e in _estimates(run, "per_problem_errors")}
    rows = []
    for e in scores:
        shares = {
            k: kinds[e.probe, e.condition, k] for k in ERRORS if (e.probe, e.condition, k) in kinds
        }
        rows.append((_label(e), {"correct": e, **shares}))
    said = "; ".join(
        f"{label}: " + ", ".join(f"{k.replace('_', ' ')} {value_of(e)}" for k, e in shares.items())
        for label, shares in rows
    )
    return multiples(rows, ERRORS, caption="Kinds of errors. " + said)


def _places(run: Results, scores: list[Estimate]) -> list[Curve]:
    """By place, for the largest size of each task."""
    largest = max(map(_size, scores), key=int)
    found: dict[str, list[tuple[str, Estimate]]] = {}
    for e in _main(_estimates(run, "accuracy_by_position")):
        if _size(e) == largest:
            found.setdefault(NAMES[e.probe], []).append((e.group, e))
    return [Curve(name, values) for name, values in found.items()]


def _cells(scores: list[Estimate]) -> list[tuple[str, Contrast]]:
    """Tasks compared over the sizes of this run, as Wang et al. compare them over all cells."""
    tasks: dict[str, dict[object, float]] = {}
    for e in _main(scores):
        if e.value is not None:
            tasks.setdefault(e.probe, {})[_size(e)] = 100 * e.value
    found = contrasts(tasks)
    return [(_tasks(f"{a} - {b}"), c) for (a, b), c in found.items() if c.cells > 1]


def _beside(run: Results, e: Estimate) -> Estimate | None:
    """The count that says what is wrong with a task's replies."""
    measure, group = ("length_error", "size") if e.probe == "batch" else ("out_of_range", "")
    return run.one(measure, e.probe, condition=e.condition, group=group)


MULTI_PROBLEM = Section("multi_problem", "What do many problems in one prompt cost?", context)

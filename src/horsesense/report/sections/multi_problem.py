"""Many problems in one prompt: accuracy by size, kinds of errors, accuracy by place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from horsesense.findings.wording import MINUS, chance_text
from horsesense.measures.base import Estimate
from horsesense.measures.task_contrast import TASKS
from horsesense.report.charts import ChartLine
from horsesense.report.curves import Curve, curves
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import p_text
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
ERRORS = ("wrong_label", "contradiction", "unassigned")
"""What becomes of a problem that is not right."""
DIFFERENCE = "task_difference"
"""Of two tasks, which its group names."""
MOST_CURVES = 6


def context(run: Results) -> Context | None:
    scores = _estimates(run, "per_problem_accuracy")
    if not scores:
        return None
    single = run.one("accuracy")
    sizes = sorted({_size(e) for e in scores}, key=int)
    plain_first = sorted(scores, key=lambda e: bool(_rest(e)))
    by_size = _curves((_named(e), _size(e), e) for e in plain_first)[:MOST_CURVES]
    places = _main(_estimates(run, "accuracy_by_position"))
    by_place = _curves((NAMES[e.probe], e.group, e) for e in places if _size(e) == sizes[-1])
    return {
        "accuracy": curves(
            by_size,
            sizes,
            x_title="Problems in one prompt",
            y_title="Accuracy per problem, %",
            caption="Accuracy per problem by size",
            line=ChartLine(single.value, "one by one") if single and single.value else None,
        ),
        "chance": {NAMES[e.probe]: chance_text(e.baseline) for e in reversed(scores) if e.baseline},
        "errors": _errors(run, scores),
        "places": by_place
        and curves(
            by_place,
            [step for step, _ in by_place[0].points],
            x_title="Place in the prompt",
            y_title="Accuracy, %",
            caption="Accuracy by place in the prompt",
        ),
        "largest": sizes[-1],
        "differences": [
            (_label(e), [e, p_text(e.p_value), p_text(e.p_adjusted)])
            for e in _estimates(run, DIFFERENCE)
        ],
        "cells": over_cells([run]),
        "near": _near(run, scores),
        "replies": [(_label(e), [e, _off_by(run, e)]) for e in _estimates(run, "unread_share")],
        "tables": beside(run, "multi", lambda _, column: _own(run, column)),
    }


def _own(run: Results, column: str) -> Estimate | None:
    """The run's value for a column such as "select_one 10 reasoned": task, problems and setting."""
    if column == "single":
        return run.one("accuracy")
    task, size, *more = column.split(" ", 2)
    wanted = [setting for setting, words in SETTINGS.items() if words in more]
    for e in run.all("per_problem_accuracy", task):
        if _size(e) == size and [s for s in _rest(e).settings if s in SETTINGS] == wanted:
            return e
    return None


def _estimates(run: Results, measure: str) -> list[Estimate]:
    return [e for task in TASKS if task in run.probes for e in run.all(measure, task)]


def _size(e: Estimate) -> str:
    return e.condition.get("size", "")


def _rest(e: Estimate) -> Condition:
    return e.condition.without("size")


def _words(rest: Condition) -> str:
    return ", ".join(SETTINGS.get(setting, "=".join(setting)) for setting in rest.settings)


def _named(e: Estimate) -> str:
    return NAMES[e.probe] + (f" ({_words(_rest(e))})" if _rest(e) else "")


def _label(e: Estimate) -> str:
    rest = f", {_words(_rest(e))}" if _rest(e) else ""
    return f"{_tasks(e.group) if e.measure == DIFFERENCE else NAMES[e.probe]}, {_size(e)}{rest}"


def _tasks(pair: str) -> str:
    """Two tasks, of which the second is taken from the first."""
    return f" {MINUS} ".join(NAMES[task] for task in pair.split(" - "))


def _near(run: Results, scores: list[Estimate]) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """At how many sizes a share of the accuracy is kept: setting in words, sizes, kept by share."""
    kept: dict[Condition, list[tuple[str, int]]] = {}
    batches = [e for e in scores if e.probe == "batch"]
    sizes = {rest: {_size(e) for e in batches if _rest(e) == rest} for rest in map(_rest, batches)}
    for e in _estimates(run, "share_of_sizes_near_single"):
        if e.value is not None:
            n = len(sizes[_rest(e)])
            kept.setdefault(_rest(e), []).append((e.group, round(e.value * n)))
    return [(_words(rest), len(sizes[rest]), shares) for rest, shares in kept.items()]


def _main(found: list[Estimate]) -> list[Estimate]:
    """Those of the first setting of each task that shows texts: the others are variants of it."""
    texts = [e for e in found if not e.condition.matches(shows="label")]
    first = {e.probe: _rest(e) for e in sorted(texts, key=lambda e: bool(_rest(e)), reverse=True)}
    return [e for e in texts if _rest(e) == first[e.probe]]


def _curves(found: Iterable[tuple[str, str, Estimate]]) -> list[Curve]:
    """A line for each name, in the order in which they come."""
    by_name: dict[str, list[tuple[str, Estimate]]] = {}
    for name, step, e in found:
        by_name.setdefault(name, []).append((step, e))
    return [Curve(name, points) for name, points in by_name.items()]


def _errors(run: Results, scores: list[Estimate]) -> list[tuple[str, list[Any]]]:
    kinds = {(e.probe, e.condition, e.group): e for e in _estimates(run, "per_problem_errors")}
    return [
        (_label(e), [e, *(kinds.get((e.probe, e.condition, kind)) for kind in ERRORS)])
        for e in scores
    ]


def over_cells(runs: Sequence[Results]) -> list[tuple[str, Contrast]]:
    """Tasks compared over cells (run x size), as Wang et al. compare models, sets and sizes.

    Values are in points; pairs of tasks that share fewer than two cells are left out.
    """
    tasks: dict[str, dict[object, float]] = {}
    for number, run in enumerate(runs):
        for e in _main(_estimates(run, "per_problem_accuracy")):
            if e.value is not None:
                tasks.setdefault(e.probe, {})[number, _size(e)] = 100 * e.value
    found = contrasts(tasks)
    return [(_tasks(f"{a} - {b}"), c) for (a, b), c in found.items() if c.cells > 1]


def _off_by(run: Results, e: Estimate) -> Estimate | None:
    """The count that says what is wrong with a task's replies."""
    measure, group = ("length_error", "size") if e.probe == "batch" else ("out_of_range", "")
    return run.one(measure, e.probe, condition=e.condition, group=group)


MULTI_PROBLEM = Section("multi_problem", "What do many problems in one prompt cost?", context)

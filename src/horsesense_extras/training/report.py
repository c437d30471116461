"""What training changed: sentences, a table, a figure, and one HTML file without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from horsesense.files import write_whole
from horsesense.findings.wording import between, signed
from horsesense.measures.registry import MEASURES
from horsesense.progress import clock
from horsesense.report.charts import ZERO, plot
from horsesense.report.pages import environment
from horsesense.stats.words import NARROW, plural
from horsesense.version import __version__
from horsesense_extras.build.stages import STAGED_CONTROL
from horsesense_extras.build.statements import CONTROL, alone_text
from horsesense_extras.training.comparison import BEFORE, COLUMNS, PAIRS, Effect, Score, Training
from horsesense_extras.training.experiment import STAGES, sides_text

MAIN = "accuracy"
MAIN_PROBE = "order"
_BY = {"first_token": "by letter", "option_text": "by option text", "text": "by the reply"}


def write_training(found: Training, told: Mapping[str, Any], path: Path) -> Path:
    """Write the page to `path`; StoreError where it cannot be written."""
    items = told["items"]
    tune = items.get("tune")
    made = environment(
        "horsesense_extras",
        effect=effect_text,
        over_items=items_text,
        by_seed=seeds_text,
        score=score_text,
        count=lambda n: f"{n:,}",
        clock=clock,
    )
    html = made.get_template("training.html.j2").render(
        t=found,
        told=told,
        arms=STAGES[tuple(told["experiment"]["stages"])],
        staged=tune is not None,
        sentences=[*sentences(found), *told["unequal"]],
        about=[
            *sides_text(items["train"], items["test"], tune, items["clusters"]),
            *alone_text(items["alone"], items["train"] + (tune or items["test"])),
        ],
        figures=[(view_text(view[0]), figure(view)) for view in main_views(found)],
        views=_grouped(found),
        version=__version__,
    )
    write_whole(path, html)
    return path


def main_views(found: Training) -> list[list[Effect]]:
    """The effects on the columns of table 8, one list a reader; without them on accuracy under
    reordered options, and of all where none is.
    """
    views: dict[tuple[str, str], list[Effect]] = {}
    columns = any(effect.view in COLUMNS for effect in found.effects)
    for effect in found.effects:
        if effect.view in COLUMNS if columns else effect.measure == MAIN:
            views.setdefault((effect.view, effect.reader), []).append(effect)
    chosen = [view for view in views.values() if view[0].probe == MAIN_PROBE]
    return chosen or list(views.values())


def view_text(row: Effect | Score) -> str:
    """What was scored, in words: "Options reordered, by letter"."""
    title = (
        "" if row.measure == MAIN or row.view in COLUMNS else f"{MEASURES.get(row.measure).title}: "
    )
    how = "by first token" if row.probe == "true_false" else _BY.get(row.reader, row.reader)
    return f"{title}{row.view.partition(', read by ')[0]}, {how}"


def sentences(found: Training) -> Iterator[str]:
    """What can be said, the paper's question first."""
    for view in main_views(found):
        by = {(e.first, e.second): e for e in view}
        for pair, words in PAIRS.items():
            if words and pair in by:
                yield f"{view_text(by[pair])}: {words} {_changed(by[pair])}."
        held = [e for e in view if e.second in (BEFORE, CONTROL, STAGED_CONTROL) and e.shown]
        for e in held:
            yield f"{view_text(e)}: {e.first} against {e.second} {_changed(e)}."
        rest = [e for e in view if e.second == BEFORE and not e.shown]
        if rest:
            values = ", ".join(f"{e.first} {effect_text(e)}" for e in rest)
            yield f"{view_text(view[0])}: no change from before is shown ({values} points)."
    if found.seeds == 1:
        yield (
            "With one training of each arm there is no interval over seeds: the intervals hold for"
            " these trainings, not for others."
        )
    elif found.seeds < 4:
        yield (
            f"With {plural(found.seeds, 'seed')} an interval over seeds is wide: Student's t has"
            f" {plural(found.seeds - 1, 'degree')} of freedom. The interval over items alone holds"
            " for these trainings, not for others."
        )


def _changed(e: Effect) -> str:
    amount = f"{effect_text(e)} points"
    if not e.shown:
        return f"changed the score by {amount}: whether it helps cannot be told"
    return f"{'raised' if e.value > 0 else 'lowered'} the score: {amount}"


def effect_text(e: Effect) -> str:
    """A difference in points, with its interval over items and seeds: "+1.2 [−3.0, 5.4]"."""
    return f"{_points(e.value)} {_interval(e.low, e.high)}".strip()


def items_text(e: Effect) -> str:
    """The interval over items of these trainings."""
    return _interval(e.items_low, e.items_high)


def seeds_text(row: Effect) -> str:
    """The difference of each seed in points."""
    return ", ".join(map(_points, row.values))


def score_text(row: Score) -> str:
    """A score in percent, its interval, and that of each seed: "27.1 % [20.3, 33.9] (26.3, 27.9)".

    The interval is that over items and seeds; of one training, that over items.
    """
    low, high = (row.items_low, row.items_high) if row.low is None else (row.low, row.high)
    each = ", ".join(f"{100 * value:.1f}" for value in row.values)
    several = f" ({each})" if len(row.values) > 1 else ""
    return f"{100 * row.value:.1f}{NARROW}% {_interval(low, high)}".rstrip() + several


def _points(value: float) -> str:
    return f"{'+' if value > 0 else ''}{signed(100 * value, 1)}"


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return between(100 * low, 100 * high, 1)


def table(found: Training) -> tuple[list[str], list[list[str]]]:
    """The main effects for a terminal: headings, and one row a contrast."""
    heads = ["", "points", "items", "items and seeds", "by seed"]
    rows: list[list[str]] = []
    for view in main_views(found):
        rows.append([view_text(view[0]), "", "", "", ""])
        rows += [
            [
                f"  {e.first} - {e.second}",
                _points(e.value),
                items_text(e) or e.items_note,
                _interval(e.low, e.high) or e.note,
                seeds_text(e),
            ]
            for e in view
        ]
    return heads, rows


def score_table(found: Training) -> tuple[list[str], list[list[str]]]:
    """The scores behind the main effects, for a terminal: headings, and one row an arm."""
    rows: list[list[str]] = []
    for view in main_views(found):
        scores = [s for s in found.scores if view_text(s) == view_text(view[0])]
        chance = scores[0].chance
        guess = "" if chance is None else f"{100 * chance:.1f}{NARROW}% by guessing"
        rows.append([view_text(view[0]), guess])
        rows += [[f"  {score.arm}", score_text(score)] for score in scores]
    return ["", "score (each training)"], rows


def _grouped(found: Training) -> list[dict[str, Any]]:
    """Every view with its scores and effects."""
    views: dict[tuple[str, str, str], dict[str, Any]] = {}
    for score in found.scores:
        key = (score.measure, score.view, score.reader)
        view = views.setdefault(key, {"name": view_text(score), "scores": [], "effects": []})
        view["scores"].append(score)
    for effect in found.effects:
        views[effect.measure, effect.view, effect.reader]["effects"].append(effect)
    return list(views.values())


def figure(view: Sequence[Effect]) -> Markup:
    """Differences in points: a dot a training, the mean, and its intervals.

    The thick one is that over items, the thin one that over items and seeds.
    """
    rows = [
        {
            "label": f"{e.first} − {e.second}",
            "text": effect_text(e),
            "value": 100 * e.value,
            "low": 100 * _or(e.low, e.value),
            "high": 100 * _or(e.high, e.value),
            "inner": 100 * _or(e.items_low, e.value),
            "outer": 100 * _or(e.items_high, e.value),
            "dots": [100 * value for value in e.values],
        }
        for e in view
    ]
    told = "; ".join(f"{e.first} minus {e.second} {effect_text(e)}" for e in view)
    caption = f"Changes of accuracy in points, {view_text(view[0])}. {told}"
    return plot(rows, "difference in points", caption, [ZERO])


def _or(end: float | None, value: float) -> float:
    return value if end is None else end

"""Accuracy and agreement against the number of options (REVAS, figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from horsesense.measures.agreement import mixes_distractors
from horsesense.measures.base import Estimate
from horsesense.report.curves import Curve, curves, spoken
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.report.text import chance_text
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition

MEASURES: Mapping[str, str] = {
    "accuracy": "accuracy",
    "plurality_agreement": "agreement with itself",
    "accuracy_hard": "right in every order",
}
KINDS: Mapping[str, str] = {
    "nonsense": "Added options have no meaning",
    "plausible": "Added options come from other items",
}


LEFT_OUT, PUBLISHED = "Wrong options are left out", "As published"


class Place(NamedTuple):
    """One form with so many options, in which items of several numbers may have been asked.

    Attributes:
        way: what was done to the options, in words.
        n: how many are shown, as a text; a range of the items as published.
        values: estimate by measure.
    """

    way: str
    n: str
    values: Mapping[str, Estimate]

    @property
    def items(self) -> int:
        """How many items it is about."""
        hard = self.values.get("accuracy_hard")
        return (hard or self.values["accuracy"]).n


def context(run: Results) -> Context | None:
    if not run.all("accuracy", "option_count"):
        return None
    places, counts = [*_places(run)], _counts(run)
    return {
        "figures": [*_figures(places, counts)],
        "rows": [(p.way, p.n, p.items, [p.values.get(m) for m in MEASURES]) for p in places],
        "published": _told(counts),
        "mixed": any(_mixed(m, e) for p in places for m, e in p.values.items()),
        "tables": beside(run, "revas_accuracy", lambda t, n: _own(run, t, n))
        + beside(run, "revas_plurality", lambda t, n: _own(run, t, n)),
        "chance_text": chance_text,
    }


def _counts(run: Results) -> list[int]:
    """The numbers of options that the items have as published, of those with a right answer."""
    return sorted({len(item.options) for item in run.items if item.gold is not None})


def _told(counts: Sequence[int]) -> str:
    """A number, or the range of several: "2 to 5"."""
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _places(run: Results) -> Iterator[Place]:
    """Every condition, by what is done and the number; the orders of the items as published."""
    order = {m: e for m in MEASURES if (e := run.one(m, "order")) is not None}
    found: dict[Condition, dict[str, Estimate]] = {}
    for measure in MEASURES:
        for e in run.all(measure, "option_count"):
            found.setdefault(e.condition, {})[measure] = e
    several = len({c["form"] for c in found if "form" in c}) > 1
    every = [Place(_way(c, several), c["n"], values) for c, values in found.items()]
    if "accuracy" in order:
        every.append(Place(PUBLISHED, _told(_counts(run)), order))
    ways = (LEFT_OUT, PUBLISHED, *_ways(every))
    with_score = (place for place in every if "accuracy" in place.values)
    yield from sorted(with_score, key=lambda p: (ways.index(p.way), int(p.n.partition(" ")[0])))


def _way(condition: Condition, several: bool) -> str:
    """What was done to the options, with the form of those that have no meaning if `several`."""
    way = KINDS.get(condition.get("kind", ""), LEFT_OUT)
    return f"{way} ({condition['form']})" if several and "form" in condition else way


def _ways(places: Sequence[Place]) -> list[str]:
    """The ways to add options that there are, those without meaning first."""
    found = dict.fromkeys(p.way for p in places if p.way not in (LEFT_OUT, PUBLISHED))
    return sorted(found, key=lambda way: not way.startswith(KINDS["nonsense"]))


def _figures(places: Sequence[Place], counts: Sequence[int]) -> Iterator[tuple[str, Markup]]:
    """A figure for each way to add options, with what was left out and, where all items have one
    number of options, with the items as published; items of several numbers have lines apart."""
    for title in _ways(places):
        added = [place for place in places if place.way == title]
        fewer = [place for place in places if place.way == LEFT_OUT]
        if len(counts) == 1:
            shown = {"": [p for p in places if p.way in (LEFT_OUT, PUBLISHED, title)]}
        else:
            shown = {", options added": added, ", options left out": fewer}
        found = [
            Curve(f"{name}{way}", _points(group, measure))
            for way, group in shown.items()
            for measure, name in MEASURES.items()
        ]
        found = [curve for curve in found if curve.points]
        steps = sorted({n for curve in found for n, _ in curve.points}, key=int)
        caption = f"{title}: accuracy and agreement by number of options. {spoken(found)}"
        x = "Number of options"
        yield title, curves(found, steps, x_title=x, y_title="%", caption=caption)


def _points(places: Sequence[Place], measure: str) -> list[tuple[str, Estimate]]:
    """(number of options, estimate) where there is one that can be drawn, by number."""
    there = ((p.n, p.values[measure]) for p in places if measure in p.values)
    return sorted(
        ((n, e) for n, e in there if not _mixed(measure, e)), key=lambda pair: int(pair[0])
    )


def _mixed(measure: str, e: Estimate) -> bool:
    """Whether it is an agreement of answers to different questions."""
    return measure == "plurality_agreement" and mixes_distractors(e.probe, e.condition)


def _own(run: Results, table: str, n: str) -> Estimate | None:
    """The number for a column of a published table: of the form with most items."""
    measure = next(m for m in MEASURES if table.startswith(f"revas_{m}_m"))
    drawn = [p for p in _places(run) if p.n == n and p.way != KINDS["plausible"]]
    most = max(drawn, key=lambda p: p.items, default=None)
    return None if most is None else most.values.get(measure)


OPTION_COUNT = Section("option_count", "What does the number of options do?", context)

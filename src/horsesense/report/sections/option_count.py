"""Accuracy and agreement against the number of options (REVAS, figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from horsesense.findings.wording import chance_text
from horsesense.measures.agreement import mixes_distractors
from horsesense.measures.base import Estimate
from horsesense.report.curves import Curve, curves
from horsesense.report.published_tables import beside
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results
from horsesense.trials.condition import Condition

MEASURES: Mapping[str, str] = {
    "accuracy": "accuracy",
    "plurality_agreement": "agreement with itself",
    "accuracy_hard": "right in every order",
}
LEFT_OUT, PUBLISHED = "Wrong options are left out", "As published"
NONSENSE, PLAUSIBLE = "Added options have no meaning", "Added options come from other items"
KINDS: Mapping[str, str] = {"nonsense": NONSENSE, "plausible": PLAUSIBLE}


class CountedPlace(NamedTuple):
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

    @property
    def rank(self) -> tuple[int, str, int]:
        """What was left out first, then as published, then what was added; by number."""
        ways = (LEFT_OUT, PUBLISHED)
        first = (
            ways.index(self.way) if self.way in ways else 2 + (not self.way.startswith(NONSENSE))
        )
        return first, self.way, int(self.n.partition(" ")[0])


def context(run: Results) -> Context | None:
    if not run.all("accuracy", "option_count"):
        return None
    # Of items with a right answer.
    counts = sorted({len(item.options) for item in run.items if item.gold is not None})
    published = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    places = _places(run, published)

    def own(table: str, n: str) -> Estimate | None:
        return _own(places, table, n)

    return {
        "figures": [*_figures(places, together=len(counts) == 1)],
        "rows": [(p.way, p.n, p.items, [p.values.get(m) for m in MEASURES]) for p in places],
        "published": published,
        "mixed": any(_mixed(m, e) for p in places for m, e in p.values.items()),
        "tables": beside(run, "revas_accuracy", own) + beside(run, "revas_plurality", own),
        "chance_text": chance_text,
    }


def _places(run: Results, published: str) -> list[CountedPlace]:
    """Every condition, by what is done and the number; the orders of the items as published."""
    found: dict[Condition, dict[str, Estimate]] = {}
    for measure in MEASURES:
        for e in run.all(measure, "option_count"):
            found.setdefault(e.condition, {})[measure] = e
    several = len({c["form"] for c in found if "form" in c}) > 1
    every = [CountedPlace(_way(c, several), c["n"], values) for c, values in found.items()]
    order = {m: one for m in MEASURES if (one := run.one(m, "order")) is not None}
    every.append(CountedPlace(PUBLISHED, published, order))
    return sorted((p for p in every if "accuracy" in p.values), key=lambda p: p.rank)


def _way(condition: Condition, several: bool) -> str:
    """What was done to the options, with the form of those that have no meaning if `several`."""
    way = KINDS.get(condition.get("kind", ""), LEFT_OUT)
    return f"{way} ({condition['form']})" if several and "form" in condition else way


def _figures(places: Sequence[CountedPlace], *, together: bool) -> Iterator[tuple[str, Markup]]:
    """A figure for each way to add options, with what was left out and, where all items have one
    number of options, with the items as published; items of several numbers have lines apart."""
    for title in dict.fromkeys(p.way for p in places if p.way not in (LEFT_OUT, PUBLISHED)):
        added = [place for place in places if place.way == title]
        fewer = [place for place in places if place.way == LEFT_OUT]
        shown = {", options added": added, ", options left out": fewer}
        if together:
            shown = {"": [p for p in places if p.way in (LEFT_OUT, PUBLISHED, title)]}
        found = [
            Curve(f"{name}{way}", _points(group, measure))
            for way, group in shown.items()
            for measure, name in MEASURES.items()
        ]
        found = [curve for curve in found if curve.points]
        steps = sorted({n for curve in found for n, _ in curve.points}, key=int)
        caption = f"{title}: accuracy and agreement by number of options"
        yield title, curves(found, steps, x_title="Number of options", y_title="%", caption=caption)


def _points(places: Sequence[CountedPlace], measure: str) -> list[tuple[str, Estimate]]:
    """(number of options, estimate) where there is one that can be drawn, by number."""
    there = ((p.n, p.values[measure]) for p in places if measure in p.values)
    drawn = ((n, e) for n, e in there if not _mixed(measure, e))
    return sorted(drawn, key=lambda pair: int(pair[0]))


def _mixed(measure: str, e: Estimate) -> bool:
    """Whether it is an agreement of answers to different questions."""
    return measure == "plurality_agreement" and mixes_distractors(e.probe, e.condition)


def _own(places: Sequence[CountedPlace], table: str, n: str) -> Estimate | None:
    """The number for a column of a published table: of the form with most items."""
    measure = next(m for m in MEASURES if table.startswith(f"revas_{m}_m"))
    drawn = [p for p in places if p.n == n and p.way != PLAUSIBLE]
    most = max(drawn, key=lambda p: p.items, default=None)
    return None if most is None else most.values.get(measure)


OPTION_COUNT = Section("option_count", "What does the number of options do?", context)

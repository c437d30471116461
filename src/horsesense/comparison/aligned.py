"""Several runs brought together: what all of them can be compared on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from horsesense.comparison.align import (
    SharedItems,
    Side,
    items_told,
    main_reader,
    setups,
    shared_items,
)
from horsesense.comparison.views import LeftOut, ViewScores, measure_of, views
from horsesense.errors import UsageError
from horsesense.measures.base import Measure


@dataclass(frozen=True)
class Aligned:
    """Several runs, and the views that they have in common.

    Attributes:
        models: in the order of the runs.
        sides: the runs; of several of one model, those of each prompt together.
        reader: the main reader.
        shared, items: the items that all have, and what is said of them (`items_told`).
        scores: of each view, the main one first.
        left_out: views that are not compared, and why.
    """

    models: tuple[str, ...]
    sides: tuple[Side, ...]
    reader: str
    shared: SharedItems
    items: Mapping[str, Any]
    scores: tuple[ViewScores, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def stopped(self) -> tuple[str, ...]:
        """Runs, as they were named, in which asking stopped early."""
        return tuple(side.place for side in self.sides if side.stopped)


def aligned(
    sides: Sequence[Side], measure: str, reader: str | None = None, across: bool = False
) -> Aligned:
    """What several runs can be compared on; see `compare` for its arguments and errors."""
    models = list(dict.fromkeys(side.name for side in sides))
    if len(models) < 2:
        raise UsageError(
            "A comparison needs runs of at least two models.",
            hint="Two runs of one model are told apart by names: before=RUN after=RUN.",
        )
    chosen = measure_of(measure)
    _one_of_people(sides)
    groups = _groups(sides, models, across)
    everyone = tuple(side for group in groups for side in group)
    shared = shared_items(everyone)
    read_by = reader or main_reader(groups[0])
    scores, left_out = _all_views(groups, shared, chosen, read_by)
    if not scores:
        told = "; ".join(f"{row.label}: {row.reason}" for row in left_out)
        raise UsageError(f"These runs have no view in common. {told}")
    items = items_told(everyone, shared, chosen)
    return Aligned(tuple(models), everyone, read_by, shared, items, tuple(scores), tuple(left_out))


def _one_of_people(sides: Sequence[Side]) -> None:
    """UsageError for two groups of people: no method for their difference is known here."""
    people = [s for s in sides if s.results.directory.known.kind == "people"]
    if len(people) > 1:
        raise UsageError(
            f"{people[0].place} and {people[1].place} were both answered by people.",
            hint="Compare one group of people with models at a time.",
        )


def _groups(sides: Sequence[Side], models: Sequence[str], across: bool) -> list[list[Side]]:
    """Runs of all models by prompt, the main prompt first; UsageError where none is shared."""
    if across:
        first = {side.name: side for side in reversed(sides)}
        return [[first[name] for name in models]]
    found = [g for g in setups(sides).values() if len(g) == len(models)]
    if not found:
        told = "\n".join(f"  {side.place}: {side.prompt}" for side in sides)
        raise UsageError(
            f"No prompt was put to all of these models:\n{told}",
            hint="--across compares them all the same and says what differs.",
        )
    return [[group[name] for name in models] for group in found]


def _all_views(
    groups: Sequence[Sequence[Side]], shared: SharedItems, measure: Measure, reader: str
) -> tuple[list[ViewScores], list[LeftOut]]:
    """Every view of every prompt; of further prompts, the items as published alone."""
    scores: list[ViewScores] = []
    left_out: list[LeftOut] = []
    start = 0
    for place, group in enumerate(groups):
        own = shared._replace(number=shared.number[start : start + len(group)])
        start += len(group)
        prompts = group[0].prompt if place else ""
        for found in views(group, own, measure, prompts, reader):
            if isinstance(found, LeftOut):
                left_out += [found] * (not place)
            elif not place or (found.view.probe == "original" and found.view.reader == reader):
                scores.append(found)
    scores.sort(key=lambda s: not s.ranked)
    return _named_apart(scores), left_out


def _named_apart(scores: Sequence[ViewScores]) -> list[ViewScores]:
    """Views whose names are the same are told apart by their conditions."""
    count = Counter(s.label for s in scores)
    return [
        replace(s, label=f"{s.label} ({s.view.condition})") if count[s.label] > 1 else s
        for s in scores
    ]

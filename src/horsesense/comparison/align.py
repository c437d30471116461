"""Which runs can be compared on what: the items, prompts and readings that they have in common.

Items are the same where everything that they show and their gold are, whatever file they came
from. Views are the same where probe, condition, reader and prompt are. What some run lacks, or
has otherwise, is left out and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.errors import StoreError, UsageError
from horsesense.items.item import Item
from horsesense.measures.base import Measure
from horsesense.measures.cells import Cell, People
from horsesense.measures.joined import ORIGINAL
from horsesense.measures.registry import MEASURES
from horsesense.rng import digest
from horsesense.runs.asked import Asked
from horsesense.runs.bands import clusters
from horsesense.runs.measure import cells_of
from horsesense.runs.results import Results
from horsesense.stats.change import Change
from horsesense.stats.share import Share
from horsesense.stats.two_way import joined
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
ASIDE = frozenset(("items", "model", "probes", "suite", "faithful", "readers", "draws", "level"))
"""Settings that may differ: what they change is seen in the views, or is no part of asking."""
COMPARED = ("accuracy", "accuracy_valid", "accuracy_hard", "valid_rate")
"""Measures that give each item a score from 0 to 1."""


@dataclass(frozen=True)
class Side:
    """A run that is compared.

    Attributes:
        name: of its model, as the tables show it.
        place: the run as the user named it.
        results: what was measured of it.
    """

    name: str
    place: str
    results: Results

    @cached_property
    def cells(self) -> dict[tuple[str, Condition, str], Cell]:
        """Its cells by probe, condition and reader."""
        found = cells_of(self.results.directory)
        return {(c.probe, c.condition, c.reader): c for c in found}

    @cached_property
    def asked(self) -> Asked:
        found = self.results.directory.asked()
        if found is None:
            raise StoreError(
                f"The tables of {self.place} are not complete.",
                hint=f"horsesense report {self.place} makes them again.",
            )
        return found

    @cached_property
    def made(self) -> dict[tuple[str, str], tuple[str, str]]:
        """(probe, condition) -> signatures of the probe and of the prompt."""
        return {(m.probe, m.condition): (m.signature, m.prompt) for m in self.asked.made}

    @property
    def stopped(self) -> bool:
        """Whether some probe was not put to all items, since `--until` stopped it."""
        told, whole = self.asked.until, len(self.results.items)
        return told is not None and any(n < whole for n in told.extents.values())

    @property
    def as_published(self) -> bool:
        """Whether it holds the items as published; people may have been asked other forms alone."""
        return any(made.probe == ORIGINAL for made in self.asked.made)

    def asked_alike(self, other: Side) -> bool:
        """Whether both hold some probe, and every probe that both hold was put in one prompt."""
        both = self.made.keys() & other.made.keys()
        return bool(both) and all(self.made[key][1] == other.made[key][1] for key in both)

    @cached_property
    def prompt(self) -> str:
        """Signature of the prompt of the items as published; of the first probe without them."""
        found = {m.probe: m.prompt for m in reversed(self.asked.made)}
        return found.get("original", next(iter(found.values()), ""))

    @cached_property
    def keys(self) -> list[bytes]:
        """What each item shows and its gold, as a hash; the same item twice has two keys."""
        seen: Counter[bytes] = Counter()
        found = []
        for item in self.results.items:
            content = _content(item)
            found.append(content + seen[content].to_bytes(4))
            seen[content] += 1
        return found


def _content(item: Item) -> bytes:
    return digest([item.question, item.options, item.gold, item.context, item.text_b, item.target])


class Shared(NamedTuple):
    """Items that all runs hold.

    Attributes:
        number: number of each shared item in each run, (runs, items).
        cluster: cluster of each, (items,); items that any run has in one cluster share one.
        of: how many items each run has.
        changed: items with an id that all runs know, and other texts or another gold.
    """

    number: npt.NDArray[np.intp]
    cluster: npt.NDArray[np.intp]
    of: tuple[int, ...]
    changed: int


def shared_items(sides: Sequence[Side]) -> Shared:
    """The items that all runs hold; UsageError where there is none."""
    places = [{key: n for n, key in enumerate(side.keys)} for side in sides]
    keys = [key for key in places[0] if all(key in place for place in places[1:])]
    sizes = tuple(len(side.results.items) for side in sides)
    ids = set.intersection(*(set(side.results.items.by_id) for side in sides))
    if not keys:
        known = (
            f"{len(ids):,} ids are the same, but not their texts or gold."
            if ids
            else "Not even an id is the same."
        )
        names = " and ".join(side.place for side in sides)
        raise UsageError(
            f"{names} share no item. {known}",
            hint="Compare runs on the same items. Redacted runs share items where they were"
            " exported with the same --salt-file.",
        )
    number = np.array([[place[key] for key in keys] for place in places], dtype=np.intp)
    held = {sides[0].results.items.items[n].id for n in number[0]}
    named = (clusters(side.results.items)[n] for side, n in zip(sides, number, strict=True))
    return Shared(number, joined(*named), sizes, len(ids - held))


def items_told(sides: Sequence[Side], shared: Shared, measure: Measure) -> dict[str, Any]:
    """How many items are shared, how many each run has, and how many of them can have no score,
    as they have no right answer (`goldless`)."""
    items = sides[0].results.items.items
    goldless = [n for n in shared.number[0] if items[n].gold is None]
    return {
        "shared": len(shared.cluster),
        "of": {side.place: n for side, n in zip(sides, shared.of, strict=True)},
        "changed": shared.changed,
        "goldless": len(goldless) if measure.of_gold else 0,
        "clusters": int(shared.cluster.max()) + 1,
    }


class View(NamedTuple):
    """One way of asking and reading that all models went through.

    Attributes:
        prompts: which of the prompts, "" for the main ones.
        probe, condition, reader: as in the tables.
    """

    prompts: str
    probe: str
    condition: Condition
    reader: str


class Outcomes(NamedTuple):
    """Answers of people to shared items, (answers,) each.

    Attributes:
        item: number of the shared item.
        person: who answered.
        value: score of the answer.
    """

    item: npt.NDArray[np.intp]
    person: npt.NDArray[np.intp]
    value: Floats


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of all models in one view, item by item.

    Attributes:
        view, label: which, and its name for tables.
        values: score of each item, (items, models), NaN where some model has none.
        cluster: of each item, (items,).
        n_missing: shared items that were asked and that some model has no score for.
        ranked: whether a higher score is a better model.
        people: number of a "model" that is several people -> their single answers.
        several: whether items have several answers by design.
    """

    view: View
    label: str
    values: Floats
    cluster: npt.NDArray[np.intp]
    n_missing: int
    ranked: bool = True
    people: Mapping[int, Outcomes] = field(default_factory=dict)
    several: bool = False

    def answers(self, model: int) -> Outcomes:
        """The single answers of people to items with a score of every model."""
        found = self.people[model]
        here = self.used[found.item]
        return Outcomes(found.item[here], found.person[here], found.value[here])

    def paired(self, one: int, other: int) -> Change:
        """The difference of two models item by item; of people, answer by answer.

        Answers of people share items and persons; each is held against the model's score of the
        item.
        """
        for people, model, sign in ((one, other, 1), (other, one, -1)):
            if people in self.people:
                found = self.answers(people)
                differences = sign * (found.value - self.values[found.item, model])
                return Change.two_way(differences, self.cluster[found.item], found.person)
        return Change.of(self.sums[:, one] - self.sums[:, other], self.pairs)

    def share(self, model: int) -> Share:
        """The score of a model, or of people over items and persons."""
        if model not in self.people:
            return Share.of(self.sums[:, model], self.pairs)
        found = self.answers(model)
        ones = np.ones(len(found.value))
        return Share.two_way(found.value, ones, self.cluster[found.item], found.person)

    @cached_property
    def used(self) -> npt.NDArray[np.bool_]:
        """Items with a score of every model."""
        known: npt.NDArray[np.bool_] = np.isfinite(self.values)
        return np.logical_and.reduce(known, axis=1)  # type: ignore[no-any-return]

    @property
    def n(self) -> int:
        return int(self.used.sum())

    @cached_property
    def pairs(self) -> Floats:
        """Items of each cluster, (clusters,)."""
        found = np.bincount(self.cluster[self.used], minlength=int(self.cluster.max()) + 1)
        return found.astype(np.float64)

    @cached_property
    def sums(self) -> Floats:
        """Scores of each cluster, (clusters, models)."""
        out = np.zeros((len(self.pairs), self.values.shape[1]))
        np.add.at(out, self.cluster[self.used], self.values[self.used])
        return out

    @property
    def means(self) -> Floats:
        """The score of each model, (models,)."""
        found: Floats = self.sums.sum(axis=0) / self.n
        return found


class LeftOut(NamedTuple):
    """A view that is not compared, and why."""

    label: str
    reason: str


def measure_of(name: str) -> Measure:
    """The measure that models are compared by; UsageError for one that is no mean over items."""
    if name not in COMPARED:
        raise UsageError.unknown("measure to compare models by", name, COMPARED)
    return MEASURES.get(name)


def views(
    sides: Sequence[Side], shared: Shared, measure: Measure, prompts: str, reader: str
) -> Iterator[Scores | LeftOut]:
    """Every view of some runs, the items as published first, then the probes, then the readers.

    Probes are compared by the main reader, the items as published by every reader.
    """
    first = sides[0]
    found = dict.fromkeys(key for side in sides for key in side.cells)
    main = [key for key in found if key[2] == reader]
    others = [key for key in found if key[0] == "original" and key[2] != reader]
    for key in (*sorted(main, key=lambda k: k[0] != "original"), *others):
        view = View(prompts, *key)
        label = _label(sides, view, reader)
        reason = _differs(sides, view)
        if reason:
            yield LeftOut(label, reason)
            continue
        cells = [measure.about(side.cells[key]) for side in sides]
        people = {n: c.one_by_one()[0] for n, c in enumerate(cells) if People in c}
        asked_of = [people.get(n, c) for n, c in enumerate(cells)]
        undefined = next((r for c in asked_of if (r := _undefined(measure, c))), None)
        if undefined:
            if measure.name == "accuracy" or key[0] != "original":
                yield LeftOut(label, undefined)
            continue
        values = np.column_stack(
            [_scores(measure, c, n) for c, n in zip(cells, shared.number, strict=True)]
        )
        asked = np.isin(shared.number[0], cells[0].item)
        missing = int((asked & np.isnan(values).any(axis=1)).sum())
        ranked = first.results.probes[key[0]]["invariant"] != "chance"
        single = {n: _outcomes(measure, c, shared.number[n]) for n, c in people.items()}
        several = any(c.asked.sum(axis=1).max(initial=0) > 1 for c in cells)
        scores = Scores(view, label, values, shared.cluster, missing, ranked, single, several)
        yield scores if scores.n else LeftOut(label, "no shared item has a score of every model")


def _undefined(measure: Measure, cell: Cell) -> str | None:
    if cell.answer_format not in measure.answer_format:
        return "its prompts hold several problems, or ask for no single answer"
    return measure.undefined_reason(cell)


def _scores(measure: Measure, cell: Cell, number: npt.NDArray[np.intp]) -> Floats:
    """The score of each shared item, NaN where it has none."""
    rows = measure.rows(cell).rows
    scores = np.full(int(max(cell.item.max(initial=0), number.max())) + 1, np.nan)
    used = rows[:, 1] > 0
    scores[cell.item[used]] = rows[used, 0] / rows[used, 1]
    return scores[number]


def _outcomes(measure: Measure, each: Cell, number: npt.NDArray[np.intp]) -> Outcomes:
    """The single answers of people (`Cell.one_by_one`) to the shared items."""
    rows = measure.rows(each).rows
    place = {int(item): n for n, item in enumerate(number)}
    item = np.array([place.get(int(n), -1) for n in each.item], dtype=np.intp)
    used = (rows[:, 1] > 0) & (item >= 0)
    person = each[People].person[:, 0].astype(np.intp)
    return Outcomes(item[used], person[used], rows[used, 0] / rows[used, 1])


def _differs(sides: Sequence[Side], view: View) -> str | None:
    """Why a view is not the same in all runs; None where it is."""
    key = (view.probe, view.condition, view.reader)
    lacking = [side.name for side in sides if key not in side.cells]
    if lacking:
        return f"{', '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} no such reading"
    made = {side.made.get((view.probe, str(view.condition)), ("?", ""))[0] for side in sides}
    if len(made) > 1:
        return f"the probe was set up differently: {'; '.join(sorted(made))}"
    return None


def _label(sides: Sequence[Side], view: View, reader: str) -> str:
    """The name of a view, from the first run that has it."""
    side = next(s for s in sides if (view.probe, view.condition, view.reader) in s.cells)
    label = side.results.label(view.probe, view.condition)
    named = label if view.reader == reader else f"{label}, read by {view.reader}"
    return f"{named}, {view.prompts}" if view.prompts else named


def differing_settings(sides: Sequence[Side]) -> list[tuple[str, dict[str, Any]]]:
    """Settings that are not the same in all runs: name, and value by run."""
    told = [side.results.directory.settings.model_dump(mode="json") for side in sides]
    rows = [(n, [one[n] for one in told]) for n in told[0] if n not in ASIDE]
    rows.append(("prompt", [shared_prompt(side, sides) for side in sides]))
    rows.append(("horsesense", [side.results.findings["horsesense"] for side in sides]))
    return [
        (name, {side.place: value for side, value in zip(sides, values, strict=True)})
        for name, values in rows
        if any(value != values[0] for value in values[1:])
    ]


def main_reader(sides: Sequence[Side]) -> str:
    """The reader that all runs have, and that most of them rest on; UsageError for none."""
    common = [
        name for name in sides[0].results.readers if all(name in s.results.readers for s in sides)
    ]
    if not common:
        told = "; ".join(f"{s.name}: {', '.join(s.results.readers) or 'none'}" for s in sides)
        raise UsageError(
            f"No reader has read all of these runs ({told}).",
            hint="horsesense read RUN --readers text,first_token reads the stored answers.",
        )
    votes = Counter(side.results.reader for side in sides)
    return max(common, key=lambda name: votes[name])


def shared_prompt(side: Side, sides: Sequence[Side]) -> str:
    """The prompt that a run goes by: its own, or that of one that puts everything both ask alike.

    The latter where it does not hold the items as published, as of people who saw other forms.
    """
    if not side.as_published:
        for other in sides:
            if other.as_published and side.asked_alike(other):
                return other.prompt
    return side.prompt


def stop_notice(places: Sequence[str]) -> Iterator[str]:
    """That intervals do not allow for asking that stopped by what it found, where it did."""
    if places:
        yield (
            f"Asking stopped early in {', '.join(places)} (--until); these intervals suppose a"
            " number of items fixed beforehand, and may be too narrow."
        )


def setups(sides: Sequence[Side]) -> Mapping[str, dict[str, Side]]:
    """Runs by prompt and by model; UsageError where a model was asked the same twice."""
    found: dict[str, dict[str, Side]] = {}
    for side in sides:
        taken = found.setdefault(shared_prompt(side, sides), {})
        if side.name in taken:
            raise UsageError(
                f"{taken[side.name].place} and {side.place} both hold {side.name} with the same"
                " prompts.",
                hint="Give them names: horsesense compare before=RUN after=RUN.",
            )
        taken[side.name] = side
    return found

"""Which runs can be compared on what: the items, prompts and readings that they have in common.

Items are the same where everything that they show and their gold are, whatever file they came
from. Views are the same where probe, condition, reader and prompt are. What some run lacks, or
has otherwise, is left out and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.measures.base import Measure
from horsesense.measures.cells import Cell
from horsesense.measures.joined import ORIGINAL
from horsesense.models.messages import Response
from horsesense.rng import digest
from horsesense.runs.asked import AskedRecord
from horsesense.runs.bands import clusters
from horsesense.runs.measure import cells_of
from horsesense.runs.parts import readable
from horsesense.runs.redacted import is_redacted
from horsesense.runs.results import Results
from horsesense.stats.two_way import joined
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

Floats = npt.NDArray[np.float64]
ASIDE = frozenset(("items", "model", "probes", "suite", "faithful", "readers", "draws", "level"))
"""Settings that may differ: what they change is seen in the views, or is no part of asking."""


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
    def asked(self) -> AskedRecord:
        return self.results.directory.settled()

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

    def replies(self, probe: str, condition: str, items: Sequence[int]) -> list[Response | None]:
        """The replies to some items in one condition, in order; None for one that is not stored."""
        directory = self.results.directory
        of = (pl.col("probe") == probe) & (pl.col("condition") == condition)
        wanted = directory.trials().filter(of).select("item", "trial", "variant", "key")
        with readable(directory.layout.root):
            shown = wanted.collect()
        place = pl.DataFrame({"item": items, "place": range(len(items))}).cast(
            {"item": shown.schema["item"]}
        )
        keys = shown.join(place, on="item").sort("place", "trial", "variant")["key"].to_list()
        with directory.store() as store:
            found = store.get(list(set(keys)))
        return [found.get(key) for key in keys] or [None]

    @cached_property
    def prompt(self) -> str:
        """Signature of the prompt of the items as published; of the first probe without them."""
        found = {m.probe: m.prompt for m in reversed(self.asked.made)}
        return found.get("original", next(iter(found.values()), ""))

    @cached_property
    def keys(self) -> list[bytes]:
        """What each item shows, in any order of its options, and its gold, as a hash; the same item
        twice has two keys."""
        seen: Counter[bytes] = Counter()
        found = []
        for item in self.results.items:
            content = _content(item)
            found.append(content + seen[content].to_bytes(4))
            seen[content] += 1
        return found


def _content(item: Item) -> bytes:
    gold = None if item.gold is None else item.options[item.gold]
    shown = item.question, sorted(item.options), gold, item.context, item.text_b, item.target
    return digest(list(shown))


class SharedItems(NamedTuple):
    """Items that all runs hold.

    Attributes:
        number: number of each shared item in each run, (runs, items).
        cluster: cluster of each, (items,); items that any run has in one cluster share one.
        of: how many items each run has.
        changed: items with an id that all runs know, and other texts or another gold.
        reordered: shared items whose options stand in another order in some run.
    """

    number: npt.NDArray[np.intp]
    cluster: npt.NDArray[np.intp]
    of: tuple[int, ...]
    changed: int
    reordered: int


def shared_items(sides: Sequence[Side]) -> SharedItems:
    """The items that all runs hold; UsageError where there is none."""
    places = [{key: n for n, key in enumerate(side.keys)} for side in sides]
    keys = [key for key in places[0] if all(key in place for place in places[1:])]
    sizes = tuple(len(side.results.items) for side in sides)
    ids = set.intersection(*(set(side.results.items.by_id) for side in sides))
    if not keys:
        plain = [side.place for side in sides if not is_redacted(side.results.directory)]
        if hidden := plain and [side.place for side in sides if side.place not in plain]:
            raise UsageError(
                f"{hidden[0]} is redacted, {plain[0]} is not.",
                hint="horsesense export RUN --redacted FILE, with the same --salt-file, redacts"
                " that one too. Name FILE in its place.",
            )
        known = (
            f"{plural(len(ids), 'id', 'are')} the same, but not their texts or gold."
            if ids
            else "No id is in all of them."
        )
        names = ", ".join(side.place for side in sides)
        raise UsageError(
            f"{plural(len(sides), 'run')} share no item: {names}. {known}",
            hint="Compare runs on the same items. Redacted runs share items where they were"
            " exported with the same --salt-file.",
        )
    number = np.array([[place[key] for key in keys] for place in places], dtype=np.intp)
    held = {sides[0].results.items.items[n].id for n in number[0]}
    named = (clusters(side.results.items)[n] for side, n in zip(sides, number, strict=True))
    every = [side.results.items.items for side in sides]
    orders = ({items[n].options for items, n in zip(every, at, strict=True)} for at in number.T)
    reordered = sum(len(several) > 1 for several in orders)
    return SharedItems(number, joined(*named), sizes, len(ids - held), reordered)


def items_told(sides: Sequence[Side], shared: SharedItems, measure: Measure) -> dict[str, Any]:
    """How many items are shared, how many each run has, and how many of them can have no score,
    as they have no right answer (`goldless`)."""
    items = sides[0].results.items.items
    goldless = [n for n in shared.number[0] if items[n].gold is None]
    return {
        "shared": len(shared.cluster),
        "of": {side.place: n for side, n in zip(sides, shared.of, strict=True)},
        "changed": shared.changed,
        "reordered": shared.reordered,
        "goldless": len(goldless) if measure.of_gold else 0,
        "clusters": int(shared.cluster.max()) + 1,
    }


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
            hint="horsesense read RUN --readers text,first_token reads the stored answers. A log"
            " that holds scores alone has no reply to read: import logs of one kind.",
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

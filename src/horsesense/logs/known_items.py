"""Items as they are found in logs: one content, a question with its set of options, is one item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from horsesense.items.item import Item, ItemSet
from horsesense.logs.sample import Sample
from horsesense.trials.trial import Trial

Options = tuple[str, ...]


@dataclass
class Known:
    """An item as its answers come in.

    Attributes:
        item: with the options in its own order.
        shown: each order in which it was shown, with the trial that showed it first.
        asked: how often it has been asked.
    """

    item: Item
    shown: dict[tuple[int, ...], tuple[Trial, bytes]] = field(default_factory=dict)
    asked: int = 0


class KnownItems:
    """The items of the logs, each once."""

    def __init__(self, given: ItemSet | None) -> None:
        self.known: dict[str, Known] = {}
        self._alike: dict[Options, list[Known]] = defaultdict(list)
        self._named: dict[tuple[int, str, str, Options], Known] = {}
        self._taken: dict[int, set[str]] = defaultdict(set)
        self._given = given is not None
        for item in given or ():
            self._add(item)

    def _add(self, item: Item) -> Known:
        made = Known(item)
        self.known[item.id] = made
        self._alike[plain_options(item.options)].append(made)
        return made

    def of(self, log: int, sample: Sample) -> Known | None:
        """The item of a sample; None where it is none of the given ones.

        In one log two names are two items, however alike they read.
        """
        options = plain_options(sample.options)
        name = (log, sample.task, sample.id, options)
        found = self._named.get(name)
        if found is not None and _same_question(found.item, sample, self._given):
            return found
        for known in self._alike[options]:
            free = known.item.id not in self._taken[log]
            if free and _same_question(known.item, sample, self._given):
                break
        else:
            if self._given:
                return None
            known = self._add(self._item(sample))
        self._named[name] = known
        self._taken[log].add(known.item.id)
        return known

    def _item(self, sample: Sample) -> Item:
        name, number = sample.id, 2
        if name in self.known and sample.task:
            name = f"{sample.task}:{name}"
        while name in self.known:
            name, number = f"{sample.id}~{number}", number + 1
        return Item(
            id=name,
            question=sample.question,
            options=sample.options,
            gold=sample.gold,
            context=sample.context,
            subject=sample.subject,
            split=sample.split or None,
        )


def plain(text: str) -> str:
    """A text as contents are compared: white space does not count."""
    return " ".join(text.split())


def plain_options(options: Sequence[str]) -> Options:
    """The set of options, in no order."""
    return tuple(sorted(map(plain, options)))


def _same_question(item: Item, sample: Sample, given: bool) -> bool:
    """Whether a sample asks the item's question; a given item's may stand inside a longer text."""
    own, other = plain(item.question), plain(sample.question)
    return own == other or (given and bool(own) and own in other)


def own_order(shown: Sequence[str], own: Sequence[str]) -> list[int] | None:
    """For each of some options its index among the item's own; None where two read alike.

    >>> own_order(["red", "blue"], ["blue", "red"])
    [1, 0]
    """
    if list(map(plain, shown)) == list(map(plain, own)):
        return list(range(len(own)))
    places = {plain(text): place for place, text in enumerate(own)}
    return [places[plain(text)] for text in shown] if len(places) == len(own) else None

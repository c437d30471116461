"""Items as they are found in logs: one content, a question with its set of options, is one item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from horsesense.items.item import Item, ItemSet
from horsesense.items.own_order import plain
from horsesense.trials.trial import Trial
from horsesense_extras.logs.sample import Sample

Options = tuple[str, ...]
Content = tuple[str, Options]


@dataclass
class Known:
    """An item as its answers come in.

    Attributes:
        item: with the options in its own order.
        shown: each order in which it was shown, with the trial that showed it first.
        asked: how often it has been asked.
        task: of the log that it was found in; "" for one that was given.
    """

    item: Item
    shown: dict[tuple[int, ...], tuple[Trial, bytes]] = field(default_factory=dict)
    asked: int = 0
    task: str = ""


class KnownItems:
    """The items of the logs, each once.

    Args:
        given: the items that there may be; where None, each new content is a new item.
    """

    def __init__(self, given: ItemSet | None) -> None:
        self.known: dict[str, Known] = {}
        self._given = given is not None
        self._same: dict[Content, list[Known]] = defaultdict(list)
        self._options: dict[Options, list[Known]] = defaultdict(list)
        self._named: dict[tuple[int, str, str, Content], Known] = {}
        self._taken: dict[int, set[str]] = defaultdict(set)
        for item in given or ():
            self._add(item, _content_of(item))

    def _add(self, item: Item, asked: Content, task: str = "") -> Known:
        made = Known(item, task=task)
        self.known[item.id] = made
        self._same[asked].append(made)
        if self._given:
            self._options[asked[1]].append(made)
        return made

    def of(self, log: int, sample: Sample) -> Known | None:
        """The item of a sample; None where it is none of the given ones.

        In one log two names are two items, however alike they read; so are two tasks.
        """
        asked = _content_of(sample)
        name = (log, sample.task, sample.id, asked)
        found = self._named.get(name)
        if found is None:
            free = [
                known
                for known in self._candidates(asked)
                if known.item.id not in self._taken[log] and known.task in ("", sample.task)
            ]
            if not free and self._given:
                return None
            found = free[0] if free else self._add(self._item(sample), asked, sample.task)
            self._named[name] = found
            self._taken[log].add(found.item.id)
        return found

    def shared(self) -> tuple[str, str] | None:
        """Two tasks of which one asks, for the most part, what the other asks too; None if none."""
        tasks: dict[str, set[Content]] = defaultdict(set)
        for asked, found in self._same.items():
            for known in found:
                tasks[known.task].add(asked)
        for one, other in combinations(sorted(tasks), 2):
            common = len(tasks[one] & tasks[other])
            if 2 * common > min(len(tasks[one]), len(tasks[other])):
                return one, other
        return None

    def _candidates(self, asked: Content) -> list[Known]:
        """Items of the same content; else those whose question ends last in the text: others may
        stand before it, as examples, or inside it."""
        exact = self._same.get(asked)
        if exact or not self._given:
            return exact or []
        text, options = asked
        inside: dict[tuple[int, ...], list[Known]] = defaultdict(list)
        for known in self._options[options]:
            parts = plain(known.item.question), plain(known.item.context or "")
            at = [text.rfind(part) if part else 0 for part in parts]
            if min(at) >= 0:
                (start, above), (long, wide) = at, map(len, parts)
                inside[start + long, long, above + wide, wide].append(known)
        return inside[max(inside)] if inside else []

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


def content(question: str, options: Sequence[str], context: str | None = None) -> Content:
    """What makes two items one: context and question, and the set of options in no order."""
    return plain(f"{context or ''} {question}"), tuple(sorted(map(plain, options)))


def _content_of(asked: Item | Sample) -> Content:
    return content(asked.question, asked.options, asked.context)

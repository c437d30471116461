"""Items: questions with options and gold, or texts with a label from a task-level set."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from horsesense.ids import fingerprint

Kind = Literal["choice", "label"]
"""choice: options of its own per item; label: one label set for the whole task."""

Flag = Literal[
    "repeated_exact",
    "repeated_normalised",
    "conflicting_gold",
    "repeated_options",
    "order_dependent",
    "in_shots",
]

FLAGS: dict[Flag, str] = {
    "repeated_exact": "same question and same set of options as an earlier item",
    "repeated_normalised": "the same but for case, spaces and punctuation",
    "conflicting_gold": "repeats an item (ignoring case, spaces, punctuation) with another gold",
    "repeated_options": "two options have the same text",
    "order_dependent": "an option speaks of other options by place or letter",
    "in_shots": "also stands in the few-shot file",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One question or text.

    Attributes:
        id: unique within its set.
        question: the question, or the text to classify.
        options: option texts as published; for task-level labels, the shared label set.
        gold: index of the right option, None where it is not known.
        context: passage before the question.
        text_b, target: second text and target word of pair classification.
        subject: group for few-shot examples and per-subject tables.
        cluster: story, template or paper; items of one cluster are not independent.
        split: the split that the source names.
    """

    id: str
    question: str
    options: tuple[str, ...]
    gold: int | None
    context: str | None = None
    text_b: str | None = None
    target: str | None = None
    subject: str | None = None
    cluster: str | None = None
    split: str | None = None


@dataclass(frozen=True)
class ItemSet:
    """Items of one kind, with what was found wrong with them.

    Attributes:
        name: short name for tables.
        kind: "choice" or "label".
        items: in the order of the source.
        labels: the task's label set; empty for "choice".
        flags: flag -> ids of the items that carry it (see `FLAGS`).
        source: where it came from, as the user wrote it.
        notes: sentences on how it was read (rows left out, fields mapped).
    """

    name: str
    kind: Kind
    items: tuple[Item, ...]
    labels: tuple[str, ...] = ()
    flags: dict[Flag, frozenset[str]] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}

    @cached_property
    def has_gold(self) -> bool:
        """True if at least one item has a gold answer."""
        return any(item.gold is not None for item in self.items)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that can change a number: ids, texts, options, gold, clusters."""
        return fingerprint(
            [self.kind, self.labels]
            + [
                [i.id, i.question, i.options, i.gold, i.context, i.text_b, i.target, i.cluster]
                for i in self.items
            ]
        )

    def flagged(self, flag: Flag) -> frozenset[str]:
        return self.flags.get(flag, frozenset())


# Options that point at other options lose their meaning when the order changes. The first two
# alternatives are the published filter of Zheng et al. (2024); the rest extends it.
_ORDER_DEPENDENT_CASED = re.compile(
    r"A and B|A and C|A and D|A nor B|A or B|B and C|B and D|C and D"
)
_ORDER_DEPENDENT_PLAIN = re.compile(
    r"all of the above|all of above|none of the above|none of above"
)
_ORDER_DEPENDENT_MORE = re.compile(
    r"\bneither of (?:them|the (?:above|others?|options?|answers?|choices?))\b"
    r"|\b(?:all|none|any|both|most|two|three) of (?:the )?"
    r"(?:these|them|above|others?|options?|answers?|choices?)\b"
    r"|\b(?:options?|answers?|choices?|both|neither)\s+"
    r"\(?(?:[a-j]|\d)\)?\s*(?:,|and|or|nor|&)\s*\(?(?:[a-j]|\d)\b"
    r"|^\s*\(?[a-j]\)?\s*(?:,|and|&|or)\s*\(?[a-j]\)?\s*\.?\s*$"
    r"|^\s*(?:both|neither)\s*\.?\s*$",
    re.IGNORECASE,
)


def published_order_filter(options: Iterable[str]) -> bool:
    """The option filter of Zheng et al. (2024), exactly: True if an option depends on order."""
    return any(
        _ORDER_DEPENDENT_CASED.search(option) or _ORDER_DEPENDENT_PLAIN.search(option.lower())
        for option in options
    )


def order_dependent(options: Iterable[str]) -> bool:
    """True if an option speaks of others by place, letter or number (specification, 1.4)."""
    options = tuple(options)
    return published_order_filter(options) or any(map(_ORDER_DEPENDENT_MORE.search, options))


def normalised(text: str) -> str:
    """`text` without case, spaces and punctuation, for comparing contents.

    Texts made of punctuation alone (such as operators) are only stripped of spaces.
    """
    folded = text.casefold()
    return "".join(filter(str.isalnum, folded)) or "".join(folded.split())


def flag_items(
    items: Sequence[Item], kind: Kind, shots: Sequence[Item] = ()
) -> dict[Flag, frozenset[str]]:
    """Find repeated items, conflicting golds, repeated options, order dependence, leaked shots.

    Two items are the same if their question (with context and second text) and their *set* of
    options agree. The first of a group is not flagged as a repeat; every member of a group whose
    golds differ is flagged as conflicting.
    """
    found: dict[Flag, set[str]] = {flag: set() for flag in FLAGS}
    exact_seen: set[object] = set()
    groups: dict[object, list[Item]] = {}
    shot_keys = {_identity(shot, kind, exact=False) for shot in shots}
    for item in items:
        exact = _identity(item, kind, exact=True)
        loose = _identity(item, kind, exact=False)
        if exact in exact_seen:
            found["repeated_exact"].add(item.id)
        exact_seen.add(exact)
        group = groups.setdefault(loose, [])
        if group:
            found["repeated_normalised"].add(item.id)
        group.append(item)
        if loose in shot_keys:
            found["in_shots"].add(item.id)
        if kind == "choice":
            if max(Counter(map(normalised, item.options)).values()) > 1:
                found["repeated_options"].add(item.id)
            if order_dependent(item.options):
                found["order_dependent"].add(item.id)
    for group in groups.values():
        golds = {normalised(i.options[i.gold]) for i in group if i.gold is not None}
        if len(golds) > 1:
            found["conflicting_gold"].update(item.id for item in group)
    return {flag: frozenset(ids) for flag, ids in found.items() if ids}


def _identity(item: Item, kind: Kind, *, exact: bool) -> object:
    """What makes two items the same question."""
    same = str if exact else normalised
    texts = tuple(same(t or "") for t in (item.context, item.question, item.text_b, item.target))
    return texts if kind == "label" else (texts, tuple(sorted(same(o) for o in item.options)))

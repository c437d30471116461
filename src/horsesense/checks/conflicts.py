"""Items that contradict each other, and questions that are asked again with other options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from horsesense.checks.base import Found, Hit
from horsesense.checks.shares import clipped
from horsesense.items.item import Item, ItemSet, same_text
from horsesense.items.near import TOKENS

_LITTLE: Final = frozenset((
    "a", "an", "the", "of", "in", "on", "at", "which", "what", "this", "that", "these", "those",
    "following",
))  # fmt: skip
"""Words that two wordings of one question may differ in."""
_SIGNS: Final = frozenset(".,;:!?\"'“”‘’…")
_SPECIFIC: Final = 5
"""Words from which a question asks for one thing, whatever its options."""


def conflicting(items: ItemSet) -> Found:
    """Items that ask the same, with the same options, and have other golds."""
    hits = {
        item.id: Hit(item.id, f"{clipped(item.question, 50)!r}: {_told_answers(group)}")
        for group in items.copies
        if not agree(group)
        for item in group
    }
    return Found(len(items), tuple(hits[item.id] for item in items if item.id in hits))


def agree(group: Iterable[Item]) -> bool:
    """Whether all golds of items that ask the same say the same."""
    return len({same_text(i.options[i.gold]) for i in group if i.gold is not None}) < 2


def answer(item: Item) -> str:
    """The text of the gold, for people."""
    return "nothing" if item.gold is None else clipped(item.options[item.gold], 40)


def _told_answers(group: Iterable[Item]) -> str:
    return "; ".join(f"{item.id} says {answer(item)!r}" for item in list(group)[:3])


def same_question(items: ItemSet) -> Found:
    """Items that ask what an earlier one asks, with other options or another answer."""
    hits = {}
    for first, item in _asked_again(items):
        told = f"as {first.id}, there with the answer {answer(first)!r}"
        against = "" if agree((first, item)) else f", here with {answer(item)!r}"
        hits[item.id] = Hit(item.id, f"{clipped(item.question)!r}, {told}{against}")
    return Found(len(items), tuple(hits[item.id] for item in items if item.id in hits))


def _asked_again(items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """Pairs (first, other) of one wording with other options or another answer."""
    groups: defaultdict[object, list[Item]] = defaultdict(list)
    for item in items:
        if item.gold is not None:
            groups[item.context, item.text_b, item.target, _wording(item.question)].append(item)
    for first, *others in groups.values():
        # "Which of these is true?" asks something else with each options.
        if others and (first.context or len(_wording(first.question)) >= _SPECIFIC):
            yield from ((first, item) for item in others if _differ(first, item))


def _differ(first: Item, other: Item) -> bool:
    """Whether items of one wording have other options, or other golds and are no copies."""
    if {*map(same_text, first.options)} != {*map(same_text, other.options)}:
        return True
    return not agree((first, other)) and same_text(first.question) != same_text(other.question)


def _wording(question: str) -> tuple[str, ...]:
    """What two wordings of one question share, in its order."""
    tokens = TOKENS.findall(question)
    kept = [t if len(t) == 1 else t.lower() for t in tokens]
    return tuple(t for t in kept if t.lower() not in _LITTLE and t not in _SIGNS) or tuple(kept)

"""Items that contradict each other: one question in the same or in other words, other golds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from horsesense.checks.base import Found, Hit
from horsesense.checks.shares import clipped
from horsesense.items.item import Item, ItemSet, order_dependent, same_items, same_text
from horsesense.items.near import TOKENS
from horsesense.items.none_options import says_none

_LITTLE: Final = frozenset((
    "a", "an", "the", "of", "in", "on", "at", "which", "what", "this", "that", "these", "those",
    "following",
))  # fmt: skip
"""Words that two wordings of one question may differ in."""
_FRAME: Final = _LITTLE | frozenset((
    "is", "are", "was", "were", "be", "been", "do", "does", "did", "has", "have", "had", "can",
    "who", "whom", "whose", "where", "when", "how", "by", "to", "for", "from", "with", "and", "or",
    "one", "it", "its", "as", "best", "most", "likely", "correct", "true", "statement",
    "statements", "about",
))  # fmt: skip
"""Words that say little about what is asked."""
_TURNS: Final = re.compile(
    r"\d+|\b(?:not|no|never|cannot|except|least|without|un\w+|false|incorrect)\b|n[’']t\b"
)
"""What makes another question of one that is else alike: numbers and negations."""
_SIGNS: Final = frozenset(".,;:!?\"'“”‘’…")
_OFTEN: Final = 4
"""Items with one set of options from which it is a scale or a set of classes."""
_SHORT: Final = 6
"""Telling words up to which their order seldom matters."""
_SPECIFIC: Final = 3
"""Telling words from which a question asks for one thing, whatever its options."""


def conflicting(items: ItemSet) -> Found:
    """Items that ask the same and have other golds.

    Equal questions need not have equal options: where each has the other's gold as an option that
    it calls wrong, one of them errs. A question may differ in words such as "of" and "in".
    """
    against: dict[str, list[Item]] = defaultdict(list)
    for group in same_items(items.items, items.kind):
        if not agree(group):
            for item in group:
                against[item.id] += group
    for first, second in _contradicting(items.items) if items.kind == "choice" else ():
        for item in (first, second):
            if item.id not in against:
                against[item.id] += (first, second)
    hits = tuple(
        Hit(item.id, f"{clipped(item.question, 50)!r}: {_told_answers(against[item.id])}")
        for item in items
        if item.id in against
    )
    return Found(len(items), hits)


def agree(group: Iterable[Item]) -> bool:
    """Whether all golds of items that ask the same say the same."""
    return len({same_text(i.options[i.gold]) for i in group if i.gold is not None}) < 2


def answer(item: Item) -> str:
    """The text of the gold, for people."""
    return "nothing" if item.gold is None else clipped(item.options[item.gold], 40)


def _told_answers(group: Sequence[Item]) -> str:
    return "; ".join(f"{item.id} says {answer(item)!r}" for item in group[:3])


def _contradicting(items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """Pairs with one question in which the gold of each is a wrong option of the other."""
    for group in _groups(items, lambda item: (_material(item), _wording(item.question))):
        seen: dict[tuple[str, str], Item] = {}
        for item in group:
            gold, *others = _gold_first(item)
            for other in others:
                if (other, gold) in seen:
                    yield seen[other, gold], item
                seen.setdefault((gold, other), item)


def _gold_first(item: Item) -> list[str]:
    """The options that mean the same beside any others, the gold first; none if it does not."""
    if item.gold is None or _depends(item.options[item.gold]):
        return [""]
    gold = same_text(item.options[item.gold])
    return [gold, *({same_text(o) for o in item.options if not _depends(o)} - {gold})]


def _depends(option: str) -> bool:
    return says_none(option) or order_dependent([option])


def same_question(items: ItemSet) -> Found:
    """Items that ask what an earlier one asks, with other options (polls may do so)."""
    hits = {}
    known = (item for item in items if item.gold is not None)
    for group in _groups(known, lambda item: (_material(item), _wording(item.question))):
        if len(_telling(group[0].question)) < _SPECIFIC and not group[0].context:
            continue  # "Which of these is true?" asks something else with each options
        first = group[0]
        own = _set(first)
        for item in group[1:]:
            if _set(item) != own:
                told = f"as {first.id}, there with the answer {answer(first)!r}"
                hits[item.id] = Hit(item.id, f"{clipped(item.question)!r}, {told}")
    return Found(len(items), tuple(hits[item.id] for item in items if item.id in hits))


def reworded(items: ItemSet) -> Found:
    """Items that seem to ask in other words what an earlier one asks, with another gold."""
    hits = {}
    for group in _groups(items, lambda item: (_material(item), _set(item))):
        if len(group) >= _OFTEN:
            continue
        for first, second in combinations(group, 2):
            if not agree((first, second)) and _reworded(first.question, second.question):
                told = f"{second.id} says {answer(second)!r}; {first.id} says {answer(first)!r}"
                hits[second.id] = Hit(
                    second.id, f"{told}: {clipped(second.question)!r}, {clipped(first.question)!r}"
                )
    return Found(len(items), tuple(hits[item.id] for item in items if item.id in hits))


def _reworded(first: str, second: str) -> bool:
    """Whether the same words stand in another order, with other little words.

    One telling word more or less asks something else: of 15 such pairs of MMLU with the same
    options and other golds, none was one question reworded.
    """
    telling = _telling(first)
    alike = 1 < len(telling) <= _SHORT and telling == _telling(second)
    return alike and _wording(first) != _wording(second) and _turns(first) == _turns(second)


def _turns(question: str) -> list[str]:
    return sorted(_TURNS.findall(question.lower()))


def _groups(items: Iterable[Item], key: Callable[[Item], Hashable]) -> Iterator[list[Item]]:
    groups: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return (group for group in groups.values() if len(group) > 1)


def _material(item: Item) -> tuple[str | None, ...]:
    return item.context, item.text_b, item.target


def _set(item: Item) -> frozenset[str]:
    return frozenset(map(same_text, item.options))


def _wording(question: str) -> tuple[str, ...]:
    """What two wordings of one question share, in its order."""
    tokens = TOKENS.findall(question)
    kept = [t if len(t) == 1 else t.lower() for t in tokens]
    return tuple(t for t in kept if t.lower() not in _LITTLE and t not in _SIGNS) or tuple(kept)


def _telling(question: str) -> frozenset[str]:
    """The words that say what is asked for, without their endings."""
    words = (word for word in _wording(question) if word[0].isalnum() and word not in _FRAME)
    return frozenset(re.sub(r"(?<=\w{3})(?:es|s|ed|ing|en)$", "", word.lower()) for word in words)

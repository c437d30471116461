"""Items that occur more than once, contradict each other, or stand in two splits."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from horsesense.checks.base import Hit, RuleHit
from horsesense.checks.shares import clipped
from horsesense.checks.texts import texts
from horsesense.items.item import Item, ItemSet, identity, normalised, same_text
from horsesense.items.near import TOKENS, near_duplicates
from horsesense.stats.words import plural, some_of

_LITTLE: Final = frozenset((
    "a", "an", "the", "of", "in", "on", "at", "which", "what", "this", "that", "these", "those",
    "following",
))  # fmt: skip
"""Words that two wordings of one question may differ in."""
_SIGNS: Final = frozenset(".,;:!?\"'“”‘’…")
_SPECIFIC: Final = 5
"""Words from which a question asks for one thing, whatever its options."""
_PASSAGE_WORDS: Final = 25
"""Words before the last sentence of a question from which they are a passage."""
_NEARLY_ALL: Final = 0.95
_SAME_ASKED: Final = 0.6
"""The share of common words from which two questions on one passage are nearly one."""
_BEGINNING: Final = re.compile(
    r"^\W*(?:passage|context|text|story|article|paragraph|document|source)(?: \d+)?\s?[:.\n]\s*",
    re.I,
)


def _found(items: ItemSet, shown: dict[str, str], n: int | None = None) -> RuleHit:
    """The items of which something is shown, in the set's order."""
    hits = tuple(Hit(item.id, shown[item.id]) for item in items if item.id in shown)
    return RuleHit(len(items) if n is None else n, hits)


def broken_rows(items: ItemSet) -> RuleHit:
    """Rows that could not be read as items; they are left out of all else."""
    hits = tuple(Hit(*fault.split(": ", 1)) for fault in items.faults)
    n = len(items) + len(hits)
    return RuleHit(
        n, hits, says=f"{some_of(len(hits), n, 'row', 'cannot be read and are left out')}."
    )


def conflicting(items: ItemSet) -> RuleHit:
    """Items that ask the same, with the same options, and have other golds."""
    shown: dict[str, str] = {}
    for group in items.copies:
        if not _agree(group):
            told = "; ".join(f"{item.id} says {_answer(item)!r}" for item in group[:3])
            shown |= {item.id: f"{clipped(item.question, 50)!r}: {told}" for item in group}
    return _found(items, shown)


def repeated(items: ItemSet) -> RuleHit:
    """Items that ask the same as an earlier one, with the same set of options."""
    return _found(items, {
        item.id: f"repeats {first.id}: {clipped(item.question)!r}"
        for first, *others in items.copies
        for item in others
    })  # fmt: skip


def fewer_options(items: ItemSet) -> RuleHit:
    """Items with fewer options than `_NEARLY_ALL` items have."""
    [(usual, number)] = Counter(len(item.options) for item in items).most_common(1)
    shown = {i.id: f"{plural(len(i.options), 'option')}, others {usual}: {clipped(i.question)!r}"
             for i in items if len(i.options) < usual}  # fmt: skip
    return _found(items, shown if number >= _NEARLY_ALL * len(items) else {})


def same_question(items: ItemSet) -> RuleHit:
    """Items that ask what an earlier one asks, with other options or another answer."""
    groups: defaultdict[object, list[Item]] = defaultdict(list)
    for item in items:
        if item.gold is not None:
            groups[item.context, item.text_b, item.target, _wording(item.question)].append(item)
    shown = {}
    for first, *others in groups.values():
        # "Which of these is true?" asks something else with each options.
        if others and (first.context or len(_wording(first.question)) >= _SPECIFIC):
            for item in others:
                if _differ(first, item):
                    shown[item.id] = f"{clipped(item.question)!r}, as {first.id}, there with the"
                    shown[item.id] += f" answer {_answer(first)!r}, here with {_answer(item)!r}"
    return _found(items, shown)


def _differ(first: Item, other: Item) -> bool:
    """Whether items of one wording have other options, or other golds and are no copies."""
    if {*map(same_text, first.options)} != {*map(same_text, other.options)}:
        return True
    return not _agree((first, other)) and same_text(first.question) != same_text(other.question)


def _wording(question: str) -> tuple[str, ...]:
    """What two wordings of one question share, in its order."""
    tokens = TOKENS.findall(question)
    kept = [t if len(t) == 1 else t.lower() for t in tokens]
    return tuple(t for t in kept if t.lower() not in _LITTLE and t not in _SIGNS) or tuple(kept)


def _agree(group: Iterable[Item]) -> bool:
    """Whether all golds of items that ask the same say the same."""
    return len({same_text(i.options[i.gold]) for i in group if i.gold is not None}) < 2


def _answer(item: Item) -> str:
    """The text of the gold, for people."""
    return "nothing" if item.gold is None else clipped(item.options[item.gold], 40)


def nearly_repeated(items: ItemSet) -> RuleHit:
    """Items whose whole text nearly equals that of an earlier one.

    Left out are those that say exactly the same, those that other rules name, and different
    questions about one passage, which alone makes them alike.
    """
    listed = items.items
    # Classes that all items share would make short texts alike.
    own = len({item.options for item in listed}) > 1
    others = [rule(items) for rule in (repeated, conflicting, same_question)]
    known = {hit.item for found in others for hit in found.hits}
    shown: dict[str, str] = {}
    for a, b in near_duplicates([texts(item, options=own) for item in listed]):
        first, second = listed[a], listed[b]
        if second.id not in known and not _about_one_passage(first, second):
            other = "" if _agree((first, second)) else f", with the answer {_answer(second)!r}"
            shown.setdefault(second.id, f"like {first.id}{other}: {clipped(second.question)!r}")
    return _found(items, shown)


def _about_one_passage(first: Item, second: Item) -> bool:
    """Questions about one context or passage, or hypotheses about one premise."""
    if first.context and first.context == second.context:
        return True
    if first.text_b is not None and first.question == second.question:
        return True
    (passage, asked), (_, again) = _passage_and_rest(first), _passage_and_rest(second)
    return bool(passage) and _shared(asked, again) < _SAME_ASKED


def _passage_and_rest(item: Item) -> tuple[str, str]:
    """The sentences before the last of a long question; and the last, with the options."""
    *before, last = re.split(r"(?<=[.?!\"”’\d)])\s+(?=[A-Z\"“‘(])", item.question.strip())
    passage = " ".join(before)
    if len(passage.split()) < _PASSAGE_WORDS:
        return "", item.question
    return passage, "\n".join((last, *item.options))


def _shared(one: str, other: str) -> float:
    """The share of words that two texts have in common, of all that they have."""
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(first & second) / max(len(first | second), 1)


def shared_items(items: ItemSet) -> RuleHit:
    """Items of one split that are, but for layout, in another."""
    return _across(items, [(item, identity(item, items.kind, normalised)) for item in items])


def shared_contexts(items: ItemSet) -> RuleHit:
    """Items of one split whose passage is nearly one of another split's.

    The passage is the context, or what stands before the last sentence of a long question.
    """
    passages = (item.context or _passage_and_rest(item)[0] for item in items)
    told = ((item, _BEGINNING.sub("", text)) for item, text in zip(items, passages, strict=True))
    held = [(item, passage) for item, passage in told if passage]
    if len({item.split for item in items}) < 2:
        return RuleHit(0)
    places: dict[str, int] = {}
    for _, passage in held:
        places.setdefault(passage, len(places))
    # Passages that are nearly one have the number of the first of them.
    same = list(range(len(places)))
    for a, b in near_duplicates(list(places)):
        same[b] = same[a]
    return _across(items, [(item, same[places[passage]]) for item, passage in held])


def _across(items: ItemSet, keyed: Iterable[tuple[Item, object]]) -> RuleHit:
    """Items that share a key with an item of another split before them."""
    keyed = list(keyed)
    if len({item.split for item in items}) < 2:
        return RuleHit(0)
    first: dict[object, Item] = {}
    shown = {}
    for item, key in keyed:
        earlier = first.setdefault(key, item)
        if earlier.split != item.split:
            told = f"{item.split}, also in {earlier.split} ({earlier.id})"
            shown[item.id] = f"{told}: {clipped(item.context or item.question)!r}"
    return _found(items, shown, len(keyed))

"""Items that occur more than once, and what is shared across splits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from horsesense.checks.base import Found, Hit
from horsesense.checks.conflicts import agree, answer, conflicting, same_question
from horsesense.checks.shares import clipped
from horsesense.checks.texts import texts
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.items.near import near_duplicates

_PASSAGE_WORDS: Final = 25
"""Words before the last sentence of a question from which they are a passage."""
_SAME_ASKED: Final = 0.6
"""The share of common words from which two questions on one passage are nearly one."""
_BEGINNING: Final = re.compile(
    r"^\W*(?:passage|context|text|story|article|paragraph|document|source)(?: \d+)?\s?[:.\n]\s*",
    re.I,
)


def repeated(items: ItemSet) -> Found:
    """Items that ask the same as an earlier one, with the same set of options."""
    first = {item.id: group[0].id for group in items.copies for item in group[1:]}
    hits = tuple(
        Hit(item.id, f"repeats {first[item.id]}: {clipped(item.question)!r}")
        for item in items
        if item.id in first
    )
    return Found(len(items), hits)


def nearly_repeated(items: ItemSet) -> Found:
    """Items whose whole text nearly equals that of an earlier one.

    Left out are those that say exactly the same, those that other rules name, and different
    questions about one passage, which alone makes them alike.
    """
    listed = items.items
    # Classes that all items share would make short texts alike.
    own = len({item.options for item in listed}) > 1
    alike = near_duplicates([texts(item, options=own) for item in listed])
    pairs = [(listed[a], listed[b]) for a, b in alike]
    known = _named(items, pairs)
    hits: dict[str, Hit] = {}
    for first, second in pairs:
        if second.id in known or second.id in hits or _about_one_passage(first, second):
            continue
        other = "" if agree((first, second)) else f", with the answer {answer(second)!r}"
        shown = clipped(second.question)
        hits[second.id] = Hit(second.id, f"like {first.id}{other}: {shown!r}")
    return Found(len(items), tuple(hits[item.id] for item in listed if item.id in hits))


def _named(items: ItemSet, pairs: Iterable[tuple[Item, Item]]) -> set[str]:
    """The items of pairs that other rules name, which need to look at these items alone."""
    paired = {item.id for pair in pairs for item in pair}
    few = replace(items, items=tuple(item for item in items if item.id in paired))
    found = [repeated(few), conflicting(few), same_question(few)]
    return {hit.item for one in found for hit in one.hits}


def _about_one_passage(first: Item, second: Item) -> bool:
    """Questions about one context or passage, or hypotheses about one premise."""
    if first.context and first.context == second.context:
        return True
    if first.text_b is not None and first.question == second.question:
        return True
    (passage, asked), (_, again) = passage_and_rest(first), passage_and_rest(second)
    return bool(passage) and _shared(asked, again) < _SAME_ASKED


def passage_and_rest(item: Item) -> tuple[str, str]:
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


def across_splits(what: Callable[[Item], str | None]) -> Callable[[ItemSet], Found]:
    """A rule's `whole`: items of one split whose text (as `what` gives it) is in another."""

    def find(items: ItemSet) -> Found:
        splits = {item.split for item in items}
        if len(splits) < 2:
            return Found(0)
        first: dict[str, Item] = {}
        hits = []
        looked = 0
        for item, text in _told(items, what):
            looked += 1
            earlier = first.setdefault(text, item)
            if earlier.split != item.split:
                told = f"{item.split}, also in {earlier.split} ({earlier.id})"
                hits.append(Hit(item.id, f"{told}: {clipped(item.context or item.question)!r}"))
        return Found(looked, tuple(hits))

    return find


def _told(items: Iterable[Item], what: Callable[[Item], str | None]) -> Iterable[tuple[Item, str]]:
    for item in items:
        text = what(item)
        if text:
            yield item, text


def shared_contexts(items: ItemSet) -> Found:
    """Items of one split whose passage is nearly one of another split's.

    The passage is the context, or what stands before the last sentence of a long question.
    """
    if len({item.split for item in items}) < 2:
        return Found(0)
    held = [
        (item, passage)
        for item in items
        if (passage := _BEGINNING.sub("", item.context or passage_and_rest(item)[0]))
    ]
    first: dict[str, int] = {}
    distinct: list[tuple[Item, str]] = []
    same: list[int] = []
    for item, passage in held:
        # Of one split's passage, the first item stands for all.
        key = f"{item.split}\n{normalised(passage)}"
        if key not in first:
            first[key] = len(distinct)
            distinct.append((item, passage))
        same.append(first[key])
    earlier: dict[int, Item] = {}
    for a, b in near_duplicates([passage for _, passage in distinct]):
        if distinct[a][0].split != distinct[b][0].split:
            earlier.setdefault(b, distinct[a][0])
    hits = []
    for (item, passage), place in zip(held, same, strict=True):
        if place in earlier:
            told = f"{item.split}, also in {earlier[place].split} ({earlier[place].id})"
            hits.append(Hit(item.id, f"{told}: {clipped(passage)!r}"))
    return Found(len(held), tuple(hits))


shared_items = across_splits(
    lambda item: (
        "|".join(
            normalised(part or "")
            for part in (item.context, item.question, item.text_b, item.target)
        )
        + "|".join(sorted(map(normalised, item.options)))
    )
)

"""Items that occur more than once, and what is shared across splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from horsesense.checks.base import Found, Hit
from horsesense.checks.conflicts import agree, answer, conflicting, same_question
from horsesense.checks.shares import clipped
from horsesense.checks.texts import texts
from horsesense.items.item import Item, ItemSet, normalised, same_items
from horsesense.items.near import near_duplicates


def repeated(items: ItemSet) -> Found:
    """Items that ask the same as an earlier one, with the same set of options."""
    first = {
        item.id: group[0].id for group in same_items(items.items, items.kind) for item in group[1:]
    }
    hits = tuple(
        Hit(item.id, f"repeats {first[item.id]}: {clipped(item.question)!r}")
        for item in items
        if item.id in first
    )
    return Found(len(items), hits)


def nearly_repeated(items: ItemSet) -> Found:
    """Items whose whole text nearly equals that of an earlier one.

    Left out are those that say exactly the same, and those that other rules name.
    """
    listed = items.items
    named = (repeated(items), conflicting(items), same_question(items))
    known = {hit.item for found in named for hit in found.hits}
    hits = {}
    # Classes that all items share would make short texts alike.
    own = len({item.options for item in listed}) > 1
    for a, b in near_duplicates([texts(item, options=own) for item in listed]):
        first, second = listed[a], listed[b]
        if second.id in known or second.id in hits:
            continue
        if _about_one_passage(first, second):
            continue  # the passage alone makes them alike
        other = "" if agree((first, second)) else f", with the answer {answer(second)!r}"
        shown = clipped(second.question)
        hits[second.id] = Hit(second.id, f"like {first.id}{other}: {shown!r}")
    return Found(len(items), tuple(hits[item.id] for item in listed if item.id in hits))


def _about_one_passage(first: Item, second: Item) -> bool:
    """Questions about one context, or hypotheses about one premise."""
    if first.context and first.context == second.context:
        return True
    return first.text_b is not None and first.question == second.question


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


shared_contexts = across_splits(lambda item: normalised(item.context) if item.context else None)
shared_items = across_splits(
    lambda item: (
        "|".join(
            normalised(part or "")
            for part in (item.context, item.question, item.text_b, item.target)
        )
        + "|".join(sorted(map(normalised, item.options)))
    )
)

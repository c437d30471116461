"""A benchmark that no model has seen: pairs of texts, do they have the same label?

After Wang, Kodner and Rambow (2025), section 5.4, whose pairs are drawn at random (496 with the
same label, 504 without); here the halves are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.rng import Dice

SAME, OTHER = "Yes", "No"


def build_pairs(
    items: ItemSet, same: int = 500, different: int = 500, seed: int = 0
) -> list[dict[str, Any]]:
    """Rows of distinct unordered pairs: `same` with equal labels, then `different`, shuffled.

    Args:
        items: single texts with gold labels.
        same, different: how many pairs of each kind.
        seed: the seed of the draw; which of two texts comes first is drawn too.

    Raises:
        UsageError: the items are not single texts, or make fewer pairs.

    >>> texts = [Item(str(i), f"text {i}", ("a", "b"), i % 2) for i in range(8)]
    >>> rows = build_pairs(ItemSet("demo", "label", tuple(texts), ("a", "b")), 3, 3)
    >>> sorted(row["label"] for row in rows)
    ['No', 'No', 'No', 'Yes', 'Yes', 'Yes']
    """
    usable = _usable(items)
    dice = Dice(seed, items.fingerprint, "pairs")
    rows = [
        *_drawn(usable, same, dice, same=True),
        *_drawn(usable, different, dice, same=False),
    ]
    return [
        {"id": f"pair-{number}", **rows[place]}
        for number, place in enumerate(dice.permutation(len(rows)), 1)
    ]


def _usable(items: ItemSet) -> list[Item]:
    """Items with a gold label, each text once; a text with two labels is left out."""
    if items.kind != "label" or any(item.text_b is not None for item in items):
        raise UsageError(
            f"{items.name} does not consist of single texts with labels.",
            hint="Pairs are made of texts such as those of SST-2: fields `text` and `label`.",
        )
    by_text: dict[str, list[Item]] = {}
    for item in items:
        if item.gold is not None and item.question.strip():
            by_text.setdefault(normalised(item.question), []).append(item)
    return [group[0] for group in by_text.values() if len({i.gold for i in group}) == 1]


def _drawn(usable: list[Item], count: int, dice: Dice, *, same: bool) -> Iterator[dict[str, Any]]:
    """`count` distinct pairs of a kind, drawn uniformly by rejection."""
    sizes = [sum(i.gold == label for i in usable) for label in {i.gold for i in usable}]
    equal = sum(n * (n - 1) // 2 for n in sizes)
    there = equal if same else len(usable) * (len(usable) - 1) // 2 - equal
    if there < count:
        kind = "the same label" if same else "different labels"
        raise UsageError(f"{len(usable)} texts make {there} pairs with {kind}, not {count}.")
    seen: set[tuple[int, int]] = set()
    if 2 * count > there:  # rejection would take long: draw from the list of all
        every = [
            (a, b)
            for a in range(len(usable))
            for b in range(a)
            if (usable[a].gold == usable[b].gold) == same
        ]
        yield from (_row(usable[a], usable[b], dice) for a, b in dice.sample(every, count))
        return
    while len(seen) < count:
        a, b = dice.below(len(usable)), dice.below(len(usable))
        pair = (max(a, b), min(a, b))
        if a == b or pair in seen or (usable[a].gold == usable[b].gold) != same:
            continue
        seen.add(pair)
        yield _row(usable[pair[0]], usable[pair[1]], dice)


def _row(one: Item, other: Item, dice: Dice) -> dict[str, Any]:
    first, second = (one, other) if dice.uniform() < 0.5 else (other, one)
    label = SAME if one.gold == other.gold else OTHER
    return {
        "text_a": first.question,
        "text_b": second.question,
        "label": label,
        "id_a": first.id,
        "id_b": second.id,
    }

"""Sets made from others: a mix of several, and pairs of texts with the same label or another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.items.tasks import Task, task_for
from horsesense.rng import Dice
from horsesense.stats.words import plural


def build_mix(
    sets: Sequence[ItemSet], each: int | None = None, seed: int = 0
) -> list[dict[str, Any]]:
    """Rows of multiple-choice items, `each` from every set (all by default).

    Raises:
        UsageError: there is only one set, two have the same name, or one is too small.
    """
    names = [items.name for items in sets]
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise UsageError(f"A mix needs sets of different names, not {', '.join(names)}.")
    rows = []
    for items in sets:
        chosen = list(items)
        if each is not None:
            if each > len(chosen):
                raise UsageError(f"{items.name} has {plural(len(chosen), 'item')}, not {each}.")
            order = Dice(seed, items.fingerprint, "mix").permutation(len(chosen))[:each]
            chosen = [chosen[place] for place in sorted(order)]
        task = task_for(items) if items.kind == "label" else None
        rows += [_mixed(item, items.name, task) for item in chosen]
    return rows


def _mixed(item: Item, name: str, task: Task | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": f"{name}:{item.id}",
        "question": item.question if task is None else _worded(item, task),
        "options": list(item.options),
        "answer_index": item.gold,
        "subject": name,
    }
    return row if item.context is None else {**row, "context": item.context}


def _worded(item: Item, task: Task) -> str:
    parts = [task.decide]
    if item.target:
        parts.append(f"{task.target}: {item.target}")
    if item.text_b is None:
        parts.append(f"{task.text}: {item.question}")
    else:
        parts += [f"{task.text_a}: {item.question}", f"{task.text_b}: {item.text_b}"]
    return "\n".join(parts)


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
    usable = _single_texts(items)
    dice = Dice(seed, items.fingerprint, "pairs")
    rows = [
        *_drawn(usable, same, dice, same=True),
        *_drawn(usable, different, dice, same=False),
    ]
    return [
        {"id": f"pair-{number}", **rows[place]}
        for number, place in enumerate(dice.permutation(len(rows)), 1)
    ]


def _single_texts(items: ItemSet) -> list[Item]:
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
        raise UsageError(
            f"{plural(len(usable), 'text', 'make')} {plural(there, 'pair')} with {kind},"
            f" not {count}."
        )
    seen: set[tuple[int, int]] = set()
    if 2 * count > there:  # rejection would take long: draw from the list of all
        every = [
            (a, b)
            for a in range(len(usable))
            for b in range(a)
            if (usable[a].gold == usable[b].gold) == same
        ]
        yield from (_pair(usable[a], usable[b], dice) for a, b in dice.sample(every, count))
        return
    while len(seen) < count:
        a, b = dice.below(len(usable)), dice.below(len(usable))
        pair = (max(a, b), min(a, b))
        if a == b or pair in seen or (usable[a].gold == usable[b].gold) != same:
            continue
        seen.add(pair)
        yield _pair(usable[pair[0]], usable[pair[1]], dice)


def _pair(one: Item, other: Item, dice: Dice) -> dict[str, Any]:
    first, second = (one, other) if dice.uniform() < 0.5 else (other, one)
    label = SAME if one.gold == other.gold else OTHER
    return {
        "text_a": first.question,
        "text_b": second.question,
        "label": label,
        "id_a": first.id,
        "id_b": second.id,
    }

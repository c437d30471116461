"""Several benchmarks in one file, for bundles that mix them.

Each item becomes a question that says what is to be decided, with the labels as its options, so
that problems of different tasks can share a prompt. The field `subject` names the benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.items.tasks import Task, task_for
from horsesense.rng import Dice


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
                raise UsageError(f"{items.name} has {len(chosen)} items, not {each}.")
            order = Dice(seed, items.fingerprint, "mix").permutation(len(chosen))[:each]
            chosen = [chosen[place] for place in sorted(order)]
        task = task_for(items) if items.kind == "label" else None
        rows += [_row(item, items.name, task) for item in chosen]
    return rows


def _row(item: Item, name: str, task: Task | None) -> dict[str, Any]:
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

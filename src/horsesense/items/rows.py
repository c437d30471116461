"""From items back to rows, in the format that `load_items` reads."""

from __future__ import annotations

from typing import Any

from horsesense.items.item import Item, Kind

_MORE = ("context", "target", "subject", "cluster", "split", "paraphrases")


def row_of(item: Item, kind: Kind) -> dict[str, Any]:
    """The item as a row: what it does not have is left out, a gold that is not known is null.

    >>> row_of(Item("q", "2 + 2 =", ("3", "4"), 1), "choice")
    {'id': 'q', 'question': '2 + 2 =', 'options': ('3', '4'), 'answer_index': 1}
    """
    row: dict[str, Any] = {"id": item.id}
    if kind == "choice":
        row |= {"question": item.question, "options": item.options, "answer_index": item.gold}
    else:
        pair = {"text_a": item.question, "text_b": item.text_b}
        row |= {"text": item.question} if item.text_b is None else pair
        row["label"] = None if item.gold is None else item.options[item.gold]
    return row | {name: value for name in _MORE if (value := getattr(item, name))}

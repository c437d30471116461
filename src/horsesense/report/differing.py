"""Items on which compared models differ: what each chose as published, beside what is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from horsesense.comparison.align import Side
from horsesense.items.item import Item
from horsesense.measures.joined import ORIGINAL
from horsesense.report.item_view import NO_CHOICE, quoted
from horsesense.rng import unit

MOST = 30
"""Items shown, drawn with a seed; the others are counted."""


@dataclass(frozen=True)
class Chosen:
    """What one model chose, in words, and whether that is right."""

    model: str
    answer: str
    right: bool


@dataclass(frozen=True)
class Differing:
    """An item that some models answer right and some wrong.

    Attributes:
        item: as published.
        chosen: by each model, in the order of the comparison.
        right: the right answer in words; "" where it is not known.
    """

    item: Item
    chosen: tuple[Chosen, ...]
    right: str


def differing(
    sides: Sequence[Side], reader: str, most: int | None = MOST
) -> tuple[list[Differing], int]:
    """Items that the models answer differently as published, and how many there are in all.

    Args:
        sides: the runs; of several of one model the first speaks for it.
        reader: by which replies are read.
        most: items returned, drawn with a fixed seed; None for all.
    """
    first = list({side.name: side for side in reversed(sides)}.values())[::-1]
    answers = [_answers(side, reader) for side in first]
    shared = set.intersection(*(set(found) for found in answers)) if answers else set()
    items = first[0].results.items.by_id if first else {}
    split = [i for i in shared if i in items and len({found[i][1] for found in answers}) > 1]
    drawn = sorted(split, key=lambda i: unit(b"differing", i.encode()))[:most]
    made = [
        Differing(
            items[i],
            tuple(
                Chosen(side.name, _in_words(items[i], *found[i]), bool(found[i][1]))
                for side, found in zip(first, answers, strict=True)
            ),
            "" if (gold := items[i].gold) is None else quoted(items[i].options[gold]),
        )
        for i in drawn
    ]
    return made, len(split)


def all_differing(sides: Sequence[Side], reader: str) -> list[dict[str, Any]]:
    """Every such item as JSON: its id, the right answer, and what each model chose."""
    rows = differing(sides, reader, None)[0] if len(sides) > 1 else []
    return [
        {"item": row.item.id, "right": row.right, "chosen": [asdict(one) for one in row.chosen]}
        for row in rows
    ]


def _answers(side: Side, reader: str) -> dict[str, tuple[int | None, bool, str]]:
    """Item id -> option chosen as published, whether it is right, and the status of the reply."""
    directory = side.results.directory
    shown = (
        directory.trials()
        .filter(pl.col("probe") == ORIGINAL)
        .select("trial", "variant", "item_id")
        .unique(subset="item_id", keep="first", maintain_order=True)
    )
    read = directory.readings().filter(pl.col("reader") == reader)
    frame = shown.join(read, on=["trial", "variant"]).filter(pl.col("correct").is_not_null())
    rows = frame.select("item_id", "option", "correct", "status").collect()
    return {row[0]: (row[1], row[2], row[3]) for row in rows.iter_rows()}


def _in_words(item: Item, option: int | None, _: bool, status: str) -> str:
    if option is not None and 0 <= option < len(item.options):
        return quoted(item.options[option])
    return NO_CHOICE.get(status, status)

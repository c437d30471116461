"""Scores as a harness gives them, which has to decide: whatever is not the right choice is wrong.

A reader leaves out a reply that it cannot read. `graded` puts it back, as a wrong one that agrees
with nothing. A prompt without any reply stays missing. What that leaves open is a score's range
(bounds in place of an assumption about what is missing: Manski 1989).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from horsesense.measures.base import item_means
from horsesense.measures.cells import MISSING, NO_OPTION, STATUS_CODE, Bools, Cell, Replies
from horsesense.measures.counting import goldless, with_gold
from horsesense.readers.causes import CAUSES, LOST, NO_REPLY, Cause, Loss
from horsesense.trials.condition import Condition

GRADED: Final = "_as_graded"
"""What the names of these measures end in."""
CAPPED: Final = "budget"
"""The probe whose replies are meant to be cut off."""
SERVER: Final = "server"
"""The probe each of whose forms has a server, or a way to ask it, of its own."""


def graded(cell: Cell) -> Cell:
    """The cell with its unread replies as wrong ones; itself where it has none."""
    replies = cell.get(Replies)
    if replies is None:
        return cell
    unread = (cell.status == MISSING) & ~_silent(replies)
    if not unread.any():
        return cell
    return replace(
        cell,
        status=np.where(unread, STATUS_CODE["unclear"], cell.status).astype(cell.status.dtype),
        correct=np.where(unread, replies.correct, cell.correct).astype(cell.correct.dtype),
    )


def _silent(replies: Replies) -> Bools:
    """Prompts without a reply; a call that a filter refused has none to grade either."""
    return replies.of(*NO_REPLY) | (replies.of("filtered") & (replies.correct < 0))


def to_the_letter(cell: Cell) -> Cell:
    """`graded`, where replies without a choice agree with nothing, not even with each other
    (REVAS; specification, section 3.2)."""
    cell = graded(cell)
    chose = (cell.status == STATUS_CODE["answer"]) | (cell.correct == 1)
    option = np.where(chose, cell.option, NO_OPTION).astype(cell.option.dtype)
    return replace(cell, option=option)


class ScoreRange(NamedTuple):
    """What became of a form's prompts, and what its score could be, whatever was lost.

    Attributes:
        probe, condition, reader: the form, and by whom it was read.
        prompts: of items with a right answer; of all where none has one.
        causes: how many of them each cause has; those without any are left out.
        as_graded: share right of the replies that came, item by item; None without one.
        least, most: the score if all that is lost were wrong, and if all of it were right.
        without: cause -> the score if what it took were right.
    """

    probe: str
    condition: Condition
    reader: str
    prompts: int
    causes: Mapping[Cause, int]
    as_graded: float | None = None
    least: float | None = None
    most: float | None = None
    without: Mapping[Cause, float] = MappingProxyType({})

    def as_json(self) -> dict[str, Any]:
        """Every field by name; the condition as a text."""
        found = {**self._asdict(), "without": {**self.without}}
        return {**found, "condition": self.condition.format()}


def score_range(cell: Cell) -> ScoreRange:
    """What became of a cell's prompts, and the range of its score, where it has one."""
    cell = with_gold(cell)
    replies, asked = cell[Replies], cell.asked
    counts = {c: int(n) for c in CAUSES if (n := replies.of(c).sum())}
    found = ScoreRange(cell.probe, cell.condition, cell.reader, int(asked.sum()), counts)
    if not found.prompts or goldless(cell).all():
        return found
    right, came = cell.correct == 1, asked & ~_silent(replies)

    def mean(hits: Bools, among: Bools) -> float:
        rows = item_means(hits, among)
        return float(rows[:, 0].sum() / rows[:, 1].sum())

    return found._replace(
        as_graded=mean(right, came) if came.any() else None,
        least=mean(right & ~replies.of(*LOST), asked),
        most=mean(right | replies.of(*LOST), asked),
        without={c: mean(right | replies.of(c), asked) for c in counts if c in LOST},
    )


def losses(rows: Iterable[Mapping[str, Any]], main: str) -> dict[str, Loss]:
    """What was lost under each probe but `budget`, by the reader that has most of it; of the items
    as published, by the main one.

    `rows` are ranges as JSON. Each form of `server` stands alone, and the worst speaks for all.
    """
    counts: dict[tuple[str, str], dict[str, Counter[Cause]]] = {}
    for row in rows:
        probe, reader = row["probe"], row["reader"]
        form = row["condition"] if probe == SERVER else ""
        if probe != CAPPED and (probe != "original" or reader == main):
            by_reader = counts.setdefault((probe, form), {})
            by_reader.setdefault(reader, Counter()).update(row["causes"])
    found: dict[str, Loss] = {}
    for (probe, _), by_reader in counts.items():
        loss = min(map(Loss.of, by_reader.values()), key=_lost)
        found[probe] = max(found.get(probe, loss), loss, key=_lost)
    return found


def _lost(loss: Loss) -> float:
    return loss.share

"""What an earlier stage of the same study brought, for probes that depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

from horsesense.trials.condition import Condition


class Earlier(NamedTuple):
    """One answer of an earlier stage.

    `content` is comparable across orders (see `trials`), None where nothing was chosen;
    `correct` is None where no gold is known.
    """

    probe: str
    condition: Condition
    repetition: int
    option: int | None
    correct: bool | None


@dataclass(frozen=True, slots=True)
class History:
    """Answers of earlier stages by item, as one reader understood them.

    Attributes:
        thoughts: the thought before the answer to an item as published, where one came whole; only
            where a probe asks for it.
    """

    reader: str
    by_item: Mapping[str, tuple[Earlier, ...]]
    thoughts: Mapping[str, str] = field(default_factory=dict)

    def of(self, item_id: str, probe: str) -> tuple[Earlier, ...]:
        """The answers to one probe; empty where the item was not asked or nothing came back."""
        return tuple(e for e in self.by_item.get(item_id, ()) if e.probe == probe)


def load_history(trials: pl.LazyFrame, readings: pl.LazyFrame, readers: Sequence[str]) -> History:
    """Answers so far, as understood from the text where there is text, else from the scores."""
    import polars as pl

    found = readings.select("trial", "variant", "reader", "option", "correct")
    counts = found.group_by("reader").len().collect()
    present = set(counts["reader"])
    reader = next((name for name in ("text", *readers) if name in present), (*readers, "text")[0])
    shown = trials.select("trial", "variant", "item_id", "probe", "condition", "repetition")
    frame = shown.join(found.filter(pl.col("reader") == reader), on=["trial", "variant"])
    by_item: dict[str, list[Earlier]] = {}
    columns = ("item_id", "probe", "condition", "repetition", "option", "correct")
    for item_id, probe, text, *rest in frame.sort("trial").select(columns).collect().iter_rows():
        earlier = Earlier(probe, Condition.parse(text), *rest)
        by_item.setdefault(item_id, []).append(earlier)
    return History(reader, {item: tuple(answers) for item, answers in by_item.items()})

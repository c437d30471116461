"""What an earlier stage of the same study brought, for probes that depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Earlier(NamedTuple):
    """One answer of an earlier stage.

    `content` is comparable across orders (see `trials`), None where nothing was chosen;
    `correct` is None where no gold is known.
    """

    probe: str
    condition: str
    repetition: int
    content: int | None
    correct: bool | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Answers of earlier stages by item, as one reader understood them."""

    reader: str
    by_item: Mapping[str, tuple[Earlier, ...]]

    def of(self, item_id: str, probe: str) -> tuple[Earlier, ...]:
        """The answers to one probe; empty where the item was not asked or nothing came back."""
        return tuple(e for e in self.by_item.get(item_id, ()) if e.probe == probe)

"""A probe: one controlled change, and what should hold after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.extend import Item, Probe, Setting, Trial, show


@dataclass(frozen=True)
class Backwards(Probe):
    name = "backwards"
    title = "Options backwards"
    summary = "The options from last to first."
    expectation = "The answer follows the option."
    invariant = "same_answer"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        order = range(len(item.options))[::-1]
        yield self.trial(show(item, setting.items.kind, order))

"""Options in other orders: does the answer follow its content? (REVAS 3.1; Zheng et al. 2024)"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.items.item import Item
from horsesense.probes.base import Probe, Setting, show
from horsesense.trials.condition import Condition
from horsesense.trials.orders import Design
from horsesense.trials.trial import Trial

MOST_CYCLIC = 10


@dataclass(frozen=True)
class Order(Probe):
    """`design=auto` is cyclic for up to 10 options and random(4) above. Items that have fewer
    different orders than the design asks for, as 4 of two options, are left out."""

    design: str = "auto"

    name = "order"
    title = "Options reordered"
    summary = "The same options in other orders."
    expectation = "The answer follows its content, wherever it stands."
    invariant = "same_answer"

    def __post_init__(self) -> None:
        self._design(2)

    def _design(self, k: int) -> Design:
        if self.design == "auto":
            return Design.parse("cyclic" if k <= MOST_CYCLIC else "random(4)")
        return Design.parse(self.design)

    def condition(self, k: int) -> Condition:
        """The condition of the trials of items with `k` options."""
        return Condition(design=self._design(k).name)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        k = len(item.options)
        design = self._design(k)
        condition = self.condition(k)
        for repetition, order in enumerate(setting.orders(design, item, k, item.gold)):
            variant = show(item, setting.items.kind, order)
            yield self.trial(variant, condition, repetition)

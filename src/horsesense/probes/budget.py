"""The same prompt with less and more room for the reply: what does the limit on tokens cost?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes.base import Probe, Setting, show
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Capped
from horsesense.trials.trial import Trial


@dataclass(frozen=True)
class Budget(Probe):
    """`caps` are limits on the tokens of a reply, thought included, with slashes between."""

    caps: str = "64/256/1024/4096"

    name = "budget"
    title = "Other limits on tokens"
    summary = "The reply may be shorter or longer; the prompt is that of the item as published."
    expectation = "Nothing is lost from the limit on that every reply fits into."
    invariant = "baseline"

    def __post_init__(self) -> None:
        if not (caps := self.limits) or caps != sorted({*caps}) or caps[0] < 1:
            raise UsageError(
                f"probe budget: caps cannot be {self.caps!r}.",
                hint="Give whole numbers from small to large, such as 64/256/1024/4096.",
            )

    @property
    def limits(self) -> list[int]:
        """The caps as numbers; empty where they are none."""
        parts = self.caps.split("/")
        return [int(part) for part in parts] if all(map(str.isdecimal, parts)) else []

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        variant = show(item, setting.items.kind)
        for cap in self.limits:
            yield self.trial(variant, Condition(cap=cap), extras=Capped(cap))

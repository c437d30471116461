"""The item as published: what every other probe is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.items.item import Item
from horsesense.probes.base import Probe, Setting, show
from horsesense.trials.trial import Trial


class Original(Probe):
    name = "original"
    title = "In the original order"
    summary = "The item in its published order."
    expectation = "This is the score that others report."
    invariant = "baseline"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        yield self.trial(show(item, setting.items.kind))


@dataclass(frozen=True)
class Repeat(Probe):
    """The noise floor: without it, no difference between two prompts can be interpreted."""

    n: int = 1

    name = "repeat"
    title = "Asked again"
    summary = "The very same prompt, asked again."
    expectation = "The same answer; what changes here is noise."
    invariant = "same_answer"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        variant = show(item, setting.items.kind)
        for repetition in range(self.n):
            yield self.trial(variant, repetition=repetition, sample=repetition + 1)

"""The answer from a part of the thought: how much of it does the score need?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Probe, Setting, show
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Begun
from horsesense.trials.trial import Trial

PLANNED = "so far " * 100
"""Stands for a thought while a study is planned, before there is any."""


@dataclass(frozen=True)
class Thought(Probe):
    """`shares` are percents of the recorded thought, from small to large, with slashes between."""

    shares: str = "12.5/25/50"

    name = "thought"
    title = "Thought cut short"
    summary = (
        "The reply begins with the first part of the thought that was recorded for the item as"
        " published, and that thought ended; the model answers from there."
    )
    expectation = "Nothing is lost from the part on that holds all that the answer needs."
    invariant = "baseline"

    def __post_init__(self) -> None:
        try:
            parts = [*map(float, self.shares.split("/"))]
        except ValueError:
            parts = []
        if not parts or parts != sorted({*parts}) or not 0 < parts[0] <= parts[-1] < 100:
            raise UsageError(
                f"probe thought: shares cannot be {self.shares!r}.",
                hint="Give percents from small to large, such as 12.5/25/50.",
            )

    @property
    def stage(self) -> int:
        return 2

    def check(self, item: Item, setting: Setting) -> None:
        super().check(item, setting)
        if not setting.continues:
            raise NotApplicableError(
                "the server refuses a reply that is begun or thinks anew, or --takes-prefix does"
                " not say that it takes one"
            )
        if setting.history is not None and item.id not in setting.history.thoughts:
            raise NotApplicableError("no whole thought was recorded")

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        history, variant = setting.history, show(item, setting.items.kind)
        thought = PLANNED if history is None else history.thoughts[item.id]
        for share in self.shares.split("/"):
            part = Begun(first(thought, float(share) / 100), float(share))
            yield self.trial(variant, Condition(share=share), extras=part)


def first(thought: str, share: float) -> str:
    """The first part of a thought, by its characters, without a word that is cut.

    >>> first("It is red, since blue is gone.", 0.5)
    'It is red,'
    """
    end = round(share * len(thought))
    part = thought[:end]
    return part if thought[end : end + 1].isspace() else part.rpartition(" ")[0] or part

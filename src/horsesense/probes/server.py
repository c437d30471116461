"""The plain prompts asked in other company, alone, or elsewhere: what is the server's part?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes.base import SetProbe, Setting, show
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Served
from horsesense.trials.trial import Trial

APART: Final = 10_000
"""Number of the first draw: beyond those that other probes make of the same prompt."""


@dataclass(frozen=True)
class Server(SetProbe):
    """`together` says how many prompts are under way at a time, one form for each number; `against`
    is another address or engine of the same model, as `--model` names it."""

    together: str = "16/1"
    against: str = ""

    name = "server"
    title = "Asked differently"
    summary = (
        "The plain prompts again, after all others: so many at a time, one by one, or put to"
        " another server or engine of the same model."
    )
    expectation = "The same answer as often as when it is asked again."
    invariant = "same_answer"

    def __post_init__(self) -> None:
        parts = self.together.split("/")
        if not all(part.isdecimal() and 0 < int(part) < APART for part in parts):
            raise UsageError(
                f"probe server: together cannot be {self.together!r}.",
                hint="Give how many prompts are asked at a time, such as 16/1.",
            )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("repeat",)

    def set_trials(self, items: Sequence[Item], setting: Setting) -> Iterator[Trial]:
        forms = [(Condition(together=n), Served(int(n))) for n in self.together.split("/")]
        if self.against:
            forms.append((Condition(against="other"), Served(against=self.against)))
        for condition, served in forms:
            for item in items:
                variant = show(item, setting.items.kind)
                draw = APART + (served.together or 0)
                yield self.trial(variant, condition, extras=served, sample=draw)

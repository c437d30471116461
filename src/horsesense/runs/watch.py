"""What the first replies tell while a run is under way: what the rest will take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from horsesense.inference.limits import Limits, RunSummary, rounded_up
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Response
from horsesense.runs.plan import Plan

FIRST: Final = 50
"""Replies after which the forecast is made again."""

Came = Sequence[tuple[Asked, Response | Failure]]
"""Requests that are settled, each with its reply or with its last failure."""


@dataclass
class Watch:
    """Looks at replies as they come.

    Attributes:
        expected: what was planned.
        limits: the prices.
        say: is told sentences.
    """

    expected: Plan
    limits: Limits
    say: Callable[[str], None]
    _settled: int = 0
    _spent: RunSummary = field(default_factory=RunSummary)

    def __call__(self, came: Came) -> None:
        """Take in what was settled."""
        before, self._settled = self._settled, self._settled + len(came)
        if before >= FIRST:
            return
        for _, result in came:
            self._spent.count(result)
        left = self.expected.to_ask - self._settled
        if self._settled >= FIRST and left > 0 and self._spent.uncounted < self._settled:
            self.say(self._forecast(left))

    def _forecast(self, left: int) -> str:
        """What the rest will take if it is like the first replies."""
        spent = self._spent
        counted = self._settled - spent.uncounted
        each = spent.completion_tokens / counted
        prompt, completion = (
            round(left * tokens / counted)
            for tokens in (spent.prompt_tokens, spent.completion_tokens)
        )
        share = spent.reasoning_tokens / max(spent.completion_tokens, 1)
        thought = f", {share:.0%} of them thought" if spent.reasoning_tokens else ""
        cost = self.limits.cost(prompt, completion)
        price = "" if cost is None else f", {rounded_up(cost)} at these prices"
        return (
            f"The first {self._settled} replies took {each:,.0f} tokens each{thought}."
            f" At that rate, the other {left:,} take about {completion:,} completion tokens{price}."
        )

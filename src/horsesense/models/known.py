"""Answers that are there already, under the keys of their requests: of a batch, or of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import UNATTACHED, Failure, Key, Request, Response
from horsesense.trials.trial import Trial

T = TypeVar("T")


@dataclass(eq=False)
class KnownAnswers(HoldsNothing, Generic[T]):
    """A model that gives what is known, and is asked nothing else.

    Attributes:
        name, identity: of the model that gave the answers.
        offers: what it offered.
        answers: key -> what came back.
        read: makes a response or a failure of it.
        used: keys whose answer was asked for.
    """

    batch_size = 512
    max_connections = 1
    thinks = True

    name: str
    identity: str
    offers: Capabilities
    answers: Mapping[Key, T]
    read: Callable[[Request, T], Response | Failure]
    used: set[Key] = field(default_factory=set)

    async def capabilities(self) -> Capabilities:
        return self.offers

    def attach_trial(self, key: Key, trial: Trial) -> bool:
        """Whether there is an answer."""
        return key in self.answers

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [self._answer(asked) for asked in batch]

    def _answer(self, asked: Asked) -> Response | Failure:
        if asked.key not in self.answers:
            return UNATTACHED
        self.used.add(asked.key)
        return self.read(asked.request, self.answers[asked.key])

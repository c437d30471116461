"""What a model must offer. Backends see requests alone: no gold, no origin, no probe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Protocol, Self, runtime_checkable

from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.trials.trial import Trial


class Asked(NamedTuple):
    """A request on its way, with the key under which its response is stored."""

    key: Key
    request: Request


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one request can bring back from a model.

    Attributes:
        chat: takes messages.
        completion: takes plain text to continue.
        text: generates text (False: scores alone).
        top_logprobs: alternatives given at each first position (0: none).
        label_tokens: gives exact log-probabilities of `SamplingParams.label_tokens`.
        continuations: scores whole texts as the reply.
        continues: goes on with a reply that is begun (a last message of the assistant).
        context_length: tokens that prompt and reply share; None where unknown.
        notes: sentences for the plan (what was tried, what the server lacks).
    """

    chat: bool = True
    completion: bool = False
    text: bool = True
    top_logprobs: int = 0
    label_tokens: bool = False
    continuations: bool = False
    continues: bool = False
    context_length: int | None = None
    notes: tuple[str, ...] = ()


class Model(Protocol):
    """One model. An async context manager: resources are taken on entry, freed on exit.

    Attributes:
        identity: names everything about the model that determines its answers (model,
            weights, precision, profile); part of every request key and of every signature.
        name: short name for tables.
        batch_size: how many requests `respond` likes to get at once.
        max_connections: how many calls of `respond` may be under way together.
    """

    identity: str
    name: str
    batch_size: int
    max_connections: int

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    async def capabilities(self) -> Capabilities:
        """Find out what the model offers; ModelError if it cannot be reached at all."""
        ...

    def count_tokens(self, request: Request) -> int | None:
        """Length of the prompt in the model's tokens; None where it cannot be known."""
        ...

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        """Answer each request, in order. What goes wrong is returned as a Failure, not raised."""
        ...


class HoldsNothing:
    """What a model need not say that takes no resource and counts no tokens."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None

    def count_tokens(self, request: Request) -> int | None:
        return None


Ask = Callable[[Request], Awaitable[Response | Failure]]
"""Puts one request to a model, on the account of a run and within its budget."""


@runtime_checkable
class Probing(Protocol):
    """A model that must be asked to find out what it offers: what that takes is counted."""

    async def probe(self, ask: Ask) -> Capabilities:
        """`Model.capabilities`, with every request put through `ask`."""
        ...

    def recall(self, offers: Capabilities) -> None:
        """Take over what another object of the same model found out: nothing is asked again."""
        ...


@runtime_checkable
class NeedsAnswerKey(Protocol):
    """A model that is told the trial behind a request: simulations and recorded answers."""

    def attach_trial(self, key: Key, trial: Trial) -> bool:
        """Called by the study before the request is asked, outside the request itself.

        False says that there is no answer to this trial, so that it need not be asked.
        """
        ...

"""A function as a model: it takes a list of prompts and returns as many texts."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response
from horsesense.rng import fingerprint

Answering = Callable[[list[str]], Sequence[str]]


class CallableModel:
    """A model around a function.

    The identity, under which answers are stored, is the function's name and a hash of its source:
    another function is another model. What the function calls does not enter; give another `name`
    where that changes the answers.

    Args:
        answer: from prompts to texts, in the same order.
        name: for tables; the function's by default.
        batch_size: how many prompts it is given at most.
    """

    max_connections = 1

    def __init__(self, answer: Answering, *, name: str | None = None, batch_size: int = 64) -> None:
        self._answer = answer
        self.name = name or f"python:{getattr(answer, '__qualname__', type(answer).__name__)}"
        self.identity = f"{self.name}@{_source_hash(answer)}"
        self.batch_size = batch_size

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    async def capabilities(self) -> Capabilities:
        return Capabilities(chat=False, completion=True)

    def count_tokens(self, request: Request) -> int | None:
        return None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        """Call the function in a thread, so that Ctrl-C and progress stay alive."""
        prompts = [asked.request.text or "" for asked in batch]
        try:
            texts: Any = await asyncio.to_thread(self._answer, prompts)
            texts = list(texts)
        except Exception as error:  # noqa: BLE001 - whatever it raises is a failed call
            return [Failure("server", f"{type(error).__name__}: {error}", retryable=False)] * len(
                batch
            )
        if len(texts) != len(batch):
            message = f"the function gave {len(texts)} texts for {len(batch)} prompts"
            return [Failure("malformed", message, retryable=False)] * len(batch)
        return [_response(text) for text in texts]


def _response(text: Any) -> Response | Failure:
    if isinstance(text, str):
        return Response(text)
    message = f"the function gave {type(text).__name__} instead of a text"
    return Failure("malformed", message, retryable=False)


def _source_hash(answer: Answering) -> str:
    try:
        return fingerprint(inspect.getsource(answer))
    except (OSError, TypeError):
        return "unknown"

"""A function as a model: it takes a list of prompts and returns as many texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from horsesense.errors import UsageError
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Response
from horsesense.rng import fingerprint

Answering = Callable[[list[str]], Sequence[str]]
NO_MODEL = "none:"
"""Stands in the settings of a plan where no model is named."""


class CallableModel(HoldsNothing):
    """A model around a function.

    The identity, under which answers are stored, is the function's name and a hash of its code
    and of the plain values that it holds: another function is another model. What it calls does
    not enter; give another `name` where that changes the answers.

    Args:
        answer: from prompts to texts, in the same order.
        name: for tables; the function's by default.
        batch_size: how many prompts it is given at most.

    Raises:
        UsageError: nothing is seen of what it does, and it has no name of its own.
    """

    max_connections = 1

    def __init__(self, answer: Answering, *, name: str | None = None, batch_size: int = 64) -> None:
        self._answer = answer
        self.name = name or f"python:{getattr(answer, '__qualname__', type(answer).__name__)}"
        self.identity = f"{self.name}@{_hash_of(answer, name)}"
        self.batch_size = batch_size

    async def capabilities(self) -> Capabilities:
        return Capabilities(chat=False, completion=True)

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        """Call the function in a thread, so that Ctrl-C and progress stay alive."""
        prompts = [asked.request.text or "" for asked in batch]
        texts = await asyncio.to_thread(self._texts, prompts)
        if isinstance(texts, Failure):
            return [texts] * len(batch)
        if len(texts) != len(batch):
            message = f"the function gave {len(texts)} texts for {len(batch)} prompts"
            return [Failure("malformed", message, retryable=False)] * len(batch)
        return [_response(text) for text in texts]

    def _texts(self, prompts: list[str]) -> list[Any] | Failure:
        """What the function gives; whatever it raises, StopIteration too, is a failed call."""
        try:
            return list(self._answer(prompts))
        except BaseException as error:  # noqa: BLE001
            return Failure("server", f"{type(error).__name__}: {error}", retryable=False)


class NoModel(CallableModel):
    """Stands for a model that is not chosen yet, in a plan: one that chats and gives no scores."""

    def __init__(self) -> None:
        super().__init__(lambda _: (), name=NO_MODEL)

    async def capabilities(self) -> Capabilities:
        return Capabilities()


def _response(text: Any) -> Response | Failure:
    if not isinstance(text, str):
        message = f"the function gave {type(text).__name__} instead of a text"
        return Failure("malformed", message, retryable=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return Failure(
            "malformed", "the function gave a text with half a character", retryable=False
        )
    return Response(text)


def _hash_of(answer: Answering, name: str | None) -> str:
    """A short hash of what the function does, as far as that can be seen."""
    try:
        return fingerprint(_seen(answer))
    except TypeError:
        if name is None:
            raise UsageError(
                f"{answer!r} cannot be told from other functions.",
                hint="Give it a name that stands for its answers:"
                " horsesense.models.callables.CallableModel(function, name=...).",
            ) from None
        return "named"


def _seen(value: Any) -> Any:
    """What is seen of a function or of what it holds, as a JSON value; TypeError if nothing."""
    if value is None or isinstance(value, int | float | bool):
        return value
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, CodeType):
        return [value.co_code.hex(), list(value.co_names), [_seen(c) for c in value.co_consts]]
    if isinstance(value, bytes | bytearray):
        return value.hex()
    if isinstance(value, list | tuple | set | frozenset):
        return [_seen(each) for each in value]
    if isinstance(value, dict):
        return [[_seen(key), _seen(each)] for key, each in value.items()]
    if isinstance(value, partial):
        return ["partial", _seen(value.func), _seen(value.args), _seen(value.keywords)]
    if isinstance(value, MethodType):
        return [_seen(value.__func__), _seen(value.__self__)]
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        held = [_seen_or_type(each) for each in (*cells, *(value.__defaults__ or ()))]
        return [value.__qualname__, _seen(value.__code__), held]
    call = type(value).__dict__.get("__call__")
    if isinstance(call, FunctionType):
        return [_seen(call), [[name, _seen_or_type(each)] for name, each in vars(value).items()]]
    raise TypeError(f"{type(value).__name__} shows nothing")


def _seen_or_type(value: Any) -> Any:
    """What a function holds, such as a client of a server, may show nothing but its type."""
    try:
        return _seen(value)
    except TypeError:
        return type(value).__qualname__

"""Models whose replies a test writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response
from horsesense.models.registry import make_model
from horsesense.models.simulated.backend import Simulated


def asks(n: int, identity: str) -> Iterator[Asked]:
    """So many different questions."""
    for i in range(n):
        request = Request((("user", f"question {i}"),), None)
        yield Asked(request.key(identity), request)


def saying(reply: Callable[[Asked], Response | Failure | None]) -> Any:
    """A model that knows every answer, and says `reply` in its place where there is one."""
    model: Any = make_model("sim:oracle")
    answer = model.respond

    async def respond(batch: Sequence[Asked]) -> list[Any]:
        replies = list(map(reply, batch))
        return [one or known for one, known in zip(replies, await answer(batch), strict=True)]

    model.respond = respond
    return model


def short(profile: str, words: int) -> Simulated:
    """A simulation whose context holds so many words."""

    class Short(Simulated):
        async def capabilities(self) -> Capabilities:
            return replace(await super().capabilities(), context_length=words)

        def count_tokens(self, request: Request) -> int | None:
            return sum(len(text.split()) for _, text in request.messages or ())

    return Short.from_spec(profile)

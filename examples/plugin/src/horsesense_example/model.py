"""A model: it sees requests alone, and answers each in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from horsesense.extend import Asked, Capabilities, Failure, Request, Response, Scheme, UsageError

ALWAYS = Scheme("always", __name__, "TEXT", "A model that gives the same reply to every prompt.")


def from_spec(rest: str) -> Always:
    """The model that `always:REST` names."""
    if len(rest) > 100:
        raise UsageError(f"always:{rest[:20]}... is too long.", hint="At most 100 letters.")
    return Always(rest)


class Always:
    batch_size = 64
    max_connections = 1

    def __init__(self, text: str) -> None:
        self.text = text
        self.name = self.identity = f"always:{text}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None

    async def capabilities(self) -> Capabilities:
        return Capabilities(chat=True, completion=True)

    def count_tokens(self, request: Request) -> int | None:
        return None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [Response(self.text, "stop") for _ in batch]

"""A model that refuses some of its requests for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from horsesense.models.base import Asked
from horsesense.models.messages import Failure
from horsesense.models.registry import make_model


def refusing(name: str, of_256: int) -> Any:
    """The model `name`, which refuses about so many of 256 requests, the same ones each time."""
    model: Any = make_model(name)
    answer = model.respond

    async def respond(batch: Sequence[Asked]) -> list[Any]:
        refused = Failure("rejected", "no", retryable=False)
        answers = await answer(batch)
        return [
            refused if asked.key[0] < of_256 else found
            for asked, found in zip(batch, answers, strict=True)
        ]

    model.respond = respond
    return model

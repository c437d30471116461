"""A model that is asked by files: `batch:NAME`, for batch services and `vllm run-batch`.

Nothing connects to it. A study of it is planned (`horsesense plan --out RUN`), its requests are
exported, and the answers imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from horsesense.errors import ModelError
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.models.openai.dialect import Dialect
from horsesense.models.openai.protocol import body_of, failure_of, message_of, read_reply
from horsesense_extras.models.options import Kinds, options_of

MOST_LOGPROBS: Final = 20
_OPTIONS: Final[Kinds] = {
    "top_logprobs": range(MOST_LOGPROBS + 1),
    "form": {"chat": "chat", "completion": "completion"},
    "limit": {name: name for name in ("max_tokens", "max_completion_tokens")},
    "temperature": {"given": True, "own": False},
}


class BatchModel(HoldsNothing):
    """One model behind files.

    Args:
        model: its name, as the service knows it.
        form: what it takes: "chat" or "completion".
        top_logprobs: how many top log-probabilities it gives at each first position.
        dialect: what it wants said differently.
    """

    batch_size = 1
    max_connections = 1
    thinks = True

    def __init__(
        self,
        model: str,
        *,
        form: str = "chat",
        top_logprobs: int = 0,
        dialect: Dialect | None = None,
    ) -> None:
        self.model = model
        self.name = f"batch:{model}"
        self.identity = self.name
        self.dialect = dialect or Dialect()
        chat = form == "chat"
        self._offers = Capabilities(chat=chat, completion=not chat, top_logprobs=top_logprobs)

    async def capabilities(self) -> Capabilities:
        return self._offers

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        raise ModelError(
            f"{self.name} is asked by files, not by this command.",
            hint="horsesense plan ... --out RUN, then horsesense export RUN --to batch FOLDER;"
            " horsesense import ANSWERS --out RUN takes what comes back.",
        )


def from_spec(rest: str) -> BatchModel:
    """From `NAME[?top_logprobs=N&form=completion&limit=max_completion_tokens&temperature=own]`.

    UsageError names what is unknown and what there is.
    """
    name, given = options_of(rest, "batch:NAME", _OPTIONS)
    return BatchModel(
        name,
        form=given.get("form", "chat"),
        top_logprobs=given.get("top_logprobs", 0),
        dialect=Dialect(
            limit_field=given.get("limit", "max_tokens"),
            temperature=given.get("temperature", True),
        ),
    )


def batch_line(asked: Asked, model: str, dialect: Dialect) -> dict[str, Any]:
    """One line of a file of batch requests; its `custom_id` is the key of the request."""
    plain = asked.request.messages is None
    return {
        "custom_id": asked.key.hex(),
        "method": "POST",
        "url": "/v1/completions" if plain else "/v1/chat/completions",
        "body": body_of(asked.request, model, dialect),
    }


def key_of(line: Mapping[str, Any]) -> Key | None:
    """The request that a line of a batch's output answers; None where it is none of ours."""
    text = line.get("custom_id")
    try:
        key = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return key if len(key) == 16 else None


def read_line(request: Request, line: Mapping[str, Any]) -> Response | Failure:
    """What a line of a batch's output (or of its file of errors) says of its request."""
    reply = line.get("response")
    if not isinstance(reply, dict):
        error = line.get("error")
        if error is None:
            return Failure("malformed", "the line has neither a response nor an error")
        return Failure("rejected", message_of(orjson.dumps(error)))
    body, status = orjson.dumps(reply.get("body")), reply.get("status_code")
    # `vllm run-batch` writes 200 as every service does, older releases none at all.
    if status in (200, None):
        return read_reply(body, request)
    if isinstance(status, int):
        return failure_of(status, {}, body)
    return Failure("malformed", f"status_code is {type(status).__name__}, not a number")

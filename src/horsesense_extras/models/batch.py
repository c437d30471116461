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
from horsesense_extras.logs.values import at, items_of, mapping, reasoning_of, text_of
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
    try:
        return _read(request, line)
    except (orjson.JSONEncodeError, RecursionError):
        return Failure("malformed", "the line is nested too deeply")


def _read(request: Request, line: Mapping[str, Any]) -> Response | Failure:
    reply = mapping(line.get("response"))
    if error := line.get("error") or reply.get("error"):
        return Failure("rejected", message_of(orjson.dumps(error)))
    if not reply:
        return Failure("malformed", "the line has neither a response nor an error")
    body, status = orjson.dumps(_as_chat(reply.get("body"))), reply.get("status_code")
    # `vllm run-batch` writes 200 as every service does, older releases none at all.
    if status in (200, None):
        return read_reply(body, request)
    if isinstance(status, int):
        return failure_of(status, {}, body)
    return Failure("malformed", f"status_code is {type(status).__name__}, not a number")


def _as_chat(body: Any) -> Any:
    """A body of /responses, or with a content in parts, as one of /chat/completions with a text."""
    if not isinstance(body, dict):
        return body
    first = mapping(next(iter(items_of(body.get("choices"))), None))
    given = mapping(first.get("message"))
    if isinstance(parts := given.get("content"), list):
        told = {"content": text_of(parts), "reasoning": reasoning_of(parts)}
        return {**body, "choices": [{**first, "message": {**given, **told}}]}
    if body.get("choices") or "output" not in body:
        return body
    output, cut = body["output"], at(body, "incomplete_details.reason")
    messages = [part for part in items_of(output) if mapping(part).get("type") == "message"]
    ended = cut if body.get("status") in (None, "incomplete") and cut else body.get("status")
    states = [part.get("status") for part in messages]
    whole = (None, "completed", "incomplete" if cut else None)
    text = text_of(output)
    message = {
        "content": text if text or messages else body.get("output_text"),
        "reasoning": reasoning_of(output),
        "error": next(filter(None, (part.get("error") for part in messages)), None),
    }
    choice = {
        "message": message,
        "finish_reason": ended,
        "native_finish_reason": next((state for state in states if state not in whole), None),
    }
    return {**body, "choices": [choice]}

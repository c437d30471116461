"""The OpenAI protocol as pure functions: requests to bodies, replies to responses.

A reply becomes a Response only if it has the form that the protocol promises, down to the type of
each field that is read; anything else is a Failure. Servers differ in small ways ("dialects")
that show in their refusals (see `dialect`).
"""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import orjson

from horsesense.models.messages import Failure, Request, Response, Usage, ended_by, no_reply
from horsesense.models.openai.dialect import Dialect

SCORED_TOKENS: Final = 8
"""Tokens of a reply whose log-probabilities are kept; a label is read from the first ones."""

NO_LOGPROB: Final = -9999.0
"""Stands for a log-probability that is not known, in OpenAI's protocol as in vLLM."""
MOST_TOKENS: Final = 2**31
"""A larger number is no count of tokens; sums of these fit into every file."""
START: Final = 2**16
"""Bytes of a body that enter a message; it is cut once the key was taken out of it."""
_LONE: Final = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""An escaped surrogate after an even number of backslashes: a pair, or a lone one."""

_THOUGHT: Final = re.compile(r"\s*(?:<think>)?(.*?)</think>\s*", re.DOTALL)
"""A thought that a server leaves in the text; some templates open it themselves, in the prompt."""

T = TypeVar("T")


def _whole(found: re.Match[bytes]) -> bytes:
    return found[0] if found[2] else found[1] + rb"\ufffd"


def body_of(
    request: Request, model: str, dialect: Dialect, label_ids: Sequence[int] = ()
) -> dict[str, Any]:
    """The JSON body that asks for what `request` wants, to /chat/completions or /completions.

    `label_ids` are the tokens of its labels, for a server that scores tokens that are named. It
    gives them instead of the most likely ones; one that does not know the field gives these.
    """
    params = request.params
    body: dict[str, Any] = {"model": model}
    scored = bool(params.top_logprobs or label_ids)
    if request.messages is None:
        body["prompt"] = request.text
        if scored:
            body["logprobs"] = params.top_logprobs
    else:
        body["messages"] = [{"role": role, "content": text} for role, text in request.messages]
        if scored:
            body["logprobs"] = True
            body["top_logprobs"] = params.top_logprobs
    if request.begun and dialect.prefix:
        body |= {"add_generation_prompt": False, "continue_final_message": True}
    if label_ids:
        body["logprob_token_ids"] = list(label_ids)
    # A server generates at least one token, also where its scores alone are wanted.
    body[dialect.limit_field] = max(1, params.max_tokens)
    if dialect.temperature:
        body["temperature"] = params.temperature
    if params.top_p is not None:
        body["top_p"] = params.top_p
    dialect.say_thought(body, params)
    return body


def read_reply(body: bytes, request: Request, latency: float | None = None) -> Response | Failure:
    """A reply with status 200 as a response; a Failure if it is not what was promised.

    A failure carries the tokens that the reply states: they cost as much as those of an answer.
    """
    reply = None
    try:
        reply = _parsed(body)
        if isinstance(reply, dict) and reply.get("error"):
            failure = Failure("server", f"an error with status 200: {message_of(body)}", 200)
        else:
            found = _response(_typed(reply, dict, "reply"), request, latency)
            if isinstance(found, Response):
                return found
            failure = found
    except ValueError:
        start = body[:START].decode(errors="replace")
        failure = Failure("malformed", f"the reply is not JSON: {start!r}", 200)
    except _MalformedError as error:
        failure = Failure("malformed", str(error), 200)
    return replace(failure, usage=_usage_of(reply))


def _parsed(body: bytes) -> Any:
    """A JSON value; ValueError if it is none. Lone halves of surrogate pairs become U+FFFD."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        if b"\\ud" not in body.lower():
            raise
        # Half a character, which servers send that cut a reply by tokens. No UTF-8 can hold it.
        return orjson.loads(_LONE.sub(_whole, body))


def usage_in(body: bytes) -> Usage:
    """The tokens that any body states; nothing is raised where it states none."""
    try:
        return _usage_of(_parsed(body))
    except ValueError:
        return Usage()


def _usage_of(reply: Any) -> Usage:
    return _usage(reply.get("usage")) if isinstance(reply, dict) else Usage()


def message_of(body: bytes) -> str:
    """What an error body says, in any of the usual shapes."""
    raw = body[:START].decode(errors="replace")
    try:
        reply = _parsed(body)
    except ValueError:
        return raw
    return _said(reply, raw)


def _said(reply: Any, otherwise: str) -> str:
    for name in ("error", "message", "detail"):
        while isinstance(reply, dict) and name in reply:
            reply = reply[name]
    try:
        return reply if isinstance(reply, str) else orjson.dumps(reply).decode()
    except orjson.JSONEncodeError:  # nested more deeply than can be written
        return otherwise


def failure_of(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    """A status other than 200 as a failure that says whether asking again can help."""
    return replace(_failure(status, headers, body), usage=usage_in(body))


def _failure(status: int, headers: Mapping[str, str], body: bytes) -> Failure:
    message = message_of(body) or "no message"
    if 300 <= status < 400:
        where = headers.get("Location", "elsewhere")
        return Failure("rejected", f"the server redirects to {where}", status, retryable=False)
    wait = retry_after(headers)
    if status == 429:
        spent = b"insufficient_quota" in body  # waiting does not fill an empty account
        return Failure("rejected" if spent else "rate_limit", message, status, not spent, wait)
    if status in (408, 409) or (status >= 500 and status != 501):  # 501: not implemented
        return Failure("server", message, status, True, wait)
    return Failure("rejected", message, status, retryable=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, as a number or a date; None if it does not say."""
    for name, scale in (("retry-after-ms", 1e-3), ("Retry-After", 1.0)):
        text = headers.get(name, "")
        try:
            seconds = float(text) * scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        date = email.utils.parsedate_to_datetime(headers.get("Retry-After", ""))
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, OSError):  # a date that no clock can show
        return None


def context_lengths(body: bytes) -> dict[str, int | None]:
    """Model -> tokens that prompt and reply share, from a list of models; empty if it is none."""
    try:
        models = orjson.loads(body)["data"]
        lengths: dict[str, int | None] = {}
        for model in models:
            lengths[str(model["id"])] = _count(model, "max_model_len", "context_length")
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return {}
    return lengths


class _MalformedError(Exception):
    """The reply lacks the promised form; the message says where."""


def _broken(choice: dict[str, Any], reason: str | None) -> Failure | None:
    """A choice with an error or a bad end; None for a reply, also one cut off at its limit.

    Servers that pass on what others reply (OpenRouter) say "stop" and tell the cause beside it.
    """
    for part in (choice, choice.get("message")):
        if isinstance(part, dict) and part.get("error"):
            said = _said(part["error"], "which cannot be shown")[:START]
            return Failure("server", f"an error in the choice: {said}", 200)
    return no_reply(reason) or no_reply(choice.get("native_finish_reason"))


def _typed(value: Any, kind: type[T], where: str) -> T:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        found = "null" if value is None else type(value).__name__
        raise _MalformedError(f"{where} is {found}, not {kind.__name__}")
    return value


def _response(reply: dict[str, Any], request: Request, latency: float | None) -> Response | Failure:
    choices = _typed(reply.get("choices"), list, "choices")
    if not choices:
        raise _MalformedError("choices is an empty list")
    choice = _typed(choices[0], dict, "choices[0]")
    reason = choice.get("finish_reason")
    if reason is not None:
        _typed(reason, str, "choices[0].finish_reason")
    if (failure := _broken(choice, reason)) is not None:
        return failure
    text, token_logprobs = (_completion if request.messages is None else _chat)(choice)
    params, served_by = request.params, reply.get("model")
    thought, text = thought_apart(text)
    return Response(
        text=text if params.max_tokens else "",
        finish_reason=ended_by(reason),
        token_logprobs=token_logprobs if params.top_logprobs or params.label_tokens else (),
        usage=_usage(reply.get("usage")),
        latency=latency,
        served_by=served_by if isinstance(served_by, str) else None,
        reasoning=_thought_of(choice.get("message")) or thought,
    )


def thought_apart(text: str) -> tuple[str, str]:
    """The thought that a server left in a text, and the answer after it.

    A thought that was not closed stays: no answer follows it, and readers say so.

    >>> thought_apart("<think>B?</think>\\n\\nA")
    ('B?', 'A')
    """
    found = _THOUGHT.match(text)
    return (found[1].strip(), text[found.end() :]) if found else ("", text)


def _thought_of(message: Any) -> str:
    """The thought that a server tells apart from the answer; "" where it tells none."""
    fields = message if isinstance(message, dict) else {}
    thought = fields.get("reasoning_content") or fields.get("reasoning")
    return thought if isinstance(thought, str) else ""


_Read = tuple[str, tuple[dict[str, float], ...]]


def _chat(choice: dict[str, Any]) -> _Read:
    message = _typed(choice.get("message"), dict, "choices[0].message")
    text = message.get("content")
    if text is None:
        text = _instead_of_content(message, choice)
    logprobs = choice.get("logprobs") or {}
    content = _typed(logprobs, dict, "logprobs").get("content") or []
    token_logprobs = []
    for scored in _typed(content, list, "logprobs.content")[:SCORED_TOKENS]:
        chosen = _typed(scored, dict, "logprobs.content[]")
        top = _typed(chosen.get("top_logprobs") or [], list, "top_logprobs")
        found: dict[str, float] = {}
        for entry in (*top, chosen):  # the chosen token may be missing among the most probable
            found.setdefault(*_token(entry))
        token_logprobs.append(_given(found))
    return _typed(text, str, "choices[0].message.content"), tuple(token_logprobs)


def _instead_of_content(message: dict[str, Any], choice: dict[str, Any]) -> Any:
    """What a chat reply without content says: a refusal, or nothing because its tokens ran out."""
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        return refusal
    return "" if ended_by(choice.get("finish_reason")) == "length" else None


def _token(entry: Any) -> tuple[str, float]:
    fields = entry if type(entry) is dict else _typed(entry, dict, "top_logprobs[]")
    token, value = fields.get("token"), fields.get("logprob")
    if type(token) is str and type(value) is float and value <= 0:  # nearly every one
        return token, value
    return _typed(token, str, "token"), _logprob(value)


def _logprob(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _MalformedError(f"logprob is {type(value).__name__}, not a number")
    if value > 1e-3:  # rounding on the server's side may leave a little above 0
        raise _MalformedError(f"logprob is {value}, which is not the logarithm of a probability")
    return float(value)


def _given(scores: dict[str, float]) -> dict[str, float]:
    """Scores without those that stand for none: a server says so with -9999."""
    if min(scores.values(), default=0.0) > NO_LOGPROB:
        return scores
    return {token: value for token, value in scores.items() if value > NO_LOGPROB}


def _completion(choice: dict[str, Any]) -> _Read:
    text = _typed(choice.get("text"), str, "choices[0].text")
    logprobs = _typed(choice.get("logprobs") or {}, dict, "logprobs")
    tops = _typed(logprobs.get("top_logprobs") or [], list, "logprobs.top_logprobs")
    token_logprobs = []
    for top in tops[:SCORED_TOKENS]:
        table = _typed(top or {}, dict, "logprobs.top_logprobs[]")
        token_logprobs.append(_given({token: _logprob(v) for token, v in table.items()}))
    return text, tuple(token_logprobs)


def _usage(value: Any) -> Usage:
    """Token counts; one that is missing or not a count stays unknown: the answer is valid."""
    told = value if isinstance(value, dict) else {}
    more = told.get("completion_tokens_details") or told.get("output_tokens_details")
    thought = _count(more if isinstance(more, dict) else {}, "reasoning_tokens")
    return usage_of(
        _count(told, "prompt_tokens", "input_tokens"),
        _count(told, "completion_tokens", "output_tokens"),
        _count(told, "reasoning_tokens") if thought is None else thought,
        _count(told, "total_tokens"),
    )


def _count(told: dict[str, Any], *names: str) -> int | None:
    """The first of some fields that can be a number of tokens; None where none can."""
    for name in names:
        value = told.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
            return value
    return None


def usage_of(
    prompt: int | None, completion: int | None, thought: int | None, total: int | None
) -> Usage:
    """Token counts with the thought among what was generated, also where it is counted apart.

    >>> usage_of(10, 5, 100, 115).completion_tokens, usage_of(10, 105, 100, 115).completion_tokens
    (105, 105)
    """
    if prompt is not None and completion is not None and thought and total is not None:
        apart = prompt + completion + thought == total  # xAI, Gemini
        completion += thought if apart else 0
    return Usage(prompt, completion, thought)

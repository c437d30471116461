"""The OpenAI protocol: what is sent, what counts as an answer, and where the key never goes."""

from __future__ import annotations

import asyncio
import gzip
import pickle
import time
from collections.abc import Awaitable, Callable, Iterator
from email.utils import formatdate
from typing import Any, cast

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer, TestServer
from hypothesis import given, settings
from hypothesis import strategies as st
from yarl import URL

from each import each
from horsesense.errors import ModelError, UsageError
from horsesense.hosts import named_in, unnamed
from horsesense.models.base import Asked
from horsesense.models.messages import Failure, Request, Response, SamplingParams, Usage
from horsesense.models.openai.api_key import JUDGE, Secret
from horsesense.models.openai.calls import Calls
from horsesense.models.openai.dialect import Dialect
from horsesense.models.openai.http import HttpModel, refuse_shared_key
from horsesense.models.openai.protocol import (
    SCORED_TOKENS,
    body_of,
    context_lengths,
    failure_of,
    read_reply,
    retry_after,
)
from horsesense.models.registry import make_model
from horsesense.readers.causes import of_failure
from horsesense.readers.model_based.judge import JudgeReader

KEY = "hs-very-secret-0123456789"
ESCAPED = "".join(f"\\u{ord(c):04X}" for c in KEY)

USED = {"prompt_tokens": 7, "completion_tokens": 2000}

CHAT = Request((("user", "Which?"),), None, SamplingParams(top_logprobs=2))
PLAIN = Request(None, "Which?", SamplingParams(top_logprobs=2))

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HORSESENSE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def chat_reply(**changes: Any) -> dict[str, Any]:
    top = [{"token": "B", "logprob": -0.1}, {"token": " A", "logprob": -2.5}]
    choice = {
        "message": {"role": "assistant", "content": "B", "refusal": None},
        "finish_reason": "stop",
        "logprobs": {"content": [{"token": "B", "logprob": -0.1, "top_logprobs": top}]},
    }
    message = changes.pop("message", None)
    if message is not None:
        choice["message"] = message
    choice.update(changes)
    return {
        "model": "m-2026",
        "choices": [choice],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1},
    }


def plain_reply(**changes: Any) -> dict[str, Any]:
    logprobs = {"tokens": [" B"], "top_logprobs": [{" B": -0.1, " A": -2.5}]}
    return {"choices": [{"text": " B", "finish_reason": "length", "logprobs": logprobs, **changes}]}


def read(value: Any, request: Request = CHAT) -> Response | Failure:
    return read_reply(orjson.dumps(value), request)


# What is sent


def test_a_chat_body() -> None:
    messages = (("system", "Be brief."), ("user", "Which?"))
    params = SamplingParams(max_tokens=3, temperature=0.5, top_p=0.9, top_logprobs=5, sample=7)
    assert body_of(Request(messages, None, params), "m", Dialect()) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Which?"},
        ],
        "max_tokens": 3,
        "temperature": 0.5,
        "top_p": 0.9,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_a_completion_body() -> None:
    params = SamplingParams(max_tokens=0, top_logprobs=5)
    assert body_of(Request(None, "Which?", params), "m", Dialect()) == {
        "model": "m",
        "prompt": "Which?",
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": 5,
    }


def test_nothing_is_asked_that_is_not_wanted() -> None:
    body = body_of(Request(CHAT.messages, None), "m", Dialect("max_completion_tokens", False))
    assert body.keys() == {"model", "messages", "max_completion_tokens"}


@each(
    ("url", "refusals", "sent"),
    [
        ("http://h/v1", [], {"reasoning_effort": "high", "thinking_token_budget": 300}),
        ("https://openrouter.ai/api/v1", [], {"reasoning": {"effort": "high", "max_tokens": 300}}),
        (
            "http://h/v1",
            [
                "Unrecognized request argument supplied: reasoning_effort",
                "thinking_token_budget: Extra inputs are not permitted",
                "thinking_budget: Extra inputs are not permitted",
            ],
            {
                "reasoning": {"effort": "high"},
                "thinking": {"type": "enabled", "budget_tokens": 300},
            },
        ),
        (
            "http://h/v1",
            ["Unsupported value: 'reasoning_effort' does not support 'high' with this model."],
            {"reasoning_effort": "high", "thinking_token_budget": 300},
        ),
    ],
)
def test_how_much_to_think_is_said_in_the_words_of_the_server(
    url: str, refusals: list[str], sent: dict[str, Any]
) -> None:
    dialect = Dialect.of_host(URL(url).host)
    for refusal in refusals:
        dialect = dialect.after(refusal)
    params = SamplingParams(effort="high", thinking_tokens=300)
    body = body_of(Request(CHAT.messages, None, params), "m", dialect)
    known = {"model", "messages", "max_tokens", "temperature"}
    assert {name: value for name, value in body.items() if name not in known} == sent


# What counts as an answer


@each(
    "message",
    [
        {"content": "A", "reasoning_content": "B?"},
        {"content": "A", "reasoning": "B?"},
        {"content": "<think>\nB?\n</think>\n\nA"},
        {"content": "B?</think>A"},  # opened by the template, in the prompt
    ],
)
def test_a_thought_is_kept_apart_from_the_answer(message: dict[str, Any]) -> None:
    response = read(chat_reply(message=message))
    assert (response.text, response.reasoning) == ("A", "B?")


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "model_length"])
def test_the_limit_on_tokens_has_one_name_whatever_a_server_calls_it(reason: str) -> None:
    response = read(chat_reply(message={"content": None, "reasoning": "B?"}, finish_reason=reason))
    assert (response.text, response.reasoning, response.finish_reason) == ("", "B?", "length")


def test_a_thought_that_is_not_closed_stays_in_the_text() -> None:
    response = read(chat_reply(message={"content": "<think>B or"}, finish_reason="length"))
    assert (response.text, response.reasoning) == ("<think>B or", "")


@each(
    ("usage", "tokens"),
    [
        ({"completion_tokens_details": {"reasoning_tokens": 30}}, (40, 30)),
        ({"output_tokens_details": {"reasoning_tokens": 30}}, (40, 30)),
        ({"reasoning_tokens": 30}, (40, 30)),
        ({"reasoning_tokens": 30, "total_tokens": 80}, (70, 30)),  # counted apart
        ({"reasoning_tokens": 30, "total_tokens": 50}, (40, 30)),
        ({"reasoning_tokens": "many"}, (40, None)),
        ({"completion_tokens_details": [30]}, (40, None)),
    ],
)
def test_tokens_of_thought_are_counted(usage: dict[str, Any], tokens: tuple[int, int]) -> None:
    told = {"prompt_tokens": 10, "completion_tokens": 40, **usage}
    response = read(chat_reply() | {"usage": told})
    assert isinstance(response, Response)
    assert response.usage == Usage(10, *tokens)
    assert Response.from_json(response.as_json()) == response


def test_a_chat_reply() -> None:
    assert read(chat_reply()) == Response(
        "B",
        finish_reason="stop",
        token_logprobs=({"B": -0.1, " A": -2.5},),
        usage=Usage(9, 1),
        served_by="m-2026",
    )


def test_a_completion_reply() -> None:
    expected = Response(" B", finish_reason="length", token_logprobs=({" B": -0.1, " A": -2.5},))
    assert read(plain_reply(), PLAIN) == expected


def test_the_chosen_token_counts_where_the_list_lacks_it() -> None:
    place = {"token": "Z", "logprob": -3.0, "top_logprobs": [{"token": "A", "logprob": -0.5}]}
    result = read(chat_reply(logprobs={"content": [place]}))
    assert result.token_logprobs == ({"A": -0.5, "Z": -3.0},)


def test_only_the_first_positions_are_kept() -> None:
    place = {"token": "A", "logprob": -0.1, "top_logprobs": []}
    result = read(chat_reply(logprobs={"content": [place] * 50}))
    assert len(result.token_logprobs) == SCORED_TOKENS


@each(
    ("changes", "text"),
    [
        ({"message": {"content": ""}}, ""),
        ({"message": {"content": "ü\n\u0000<script>"}}, "ü\n\u0000<script>"),
        ({"message": {"content": None, "refusal": "I will not."}}, "I will not."),
        ({"message": {"content": None}, "finish_reason": "length"}, ""),
        ({"logprobs": None}, "B"),
        *(({"finish_reason": r}, "B") for r in (None, "", "STOP", "end_turn", "eos", "COMPLETE")),
    ],
)
def test_what_is_an_answer(changes: dict[str, Any], text: str) -> None:
    result = read(chat_reply(**changes))
    assert result.text == text


@each(
    ("value", "request_"),
    [
        *((value, CHAT) for value in (None, [], "B", {}, {"choices": [{"text": "B"}]})),
        (chat_reply(message={"content": None}), CHAT),
        (chat_reply(message={"content": None, "refusal": ""}), CHAT),
        (chat_reply(message={"content": None, "reasoning_content": "Hmm"}), CHAT),
        (chat_reply(message={"content": None, "tool_calls": [{}]}), CHAT),
        (chat_reply(finish_reason=1), CHAT),
        *((chat_reply(logprobs={"content": [{"token": "B", "logprob": value}]}), CHAT)
          for value in ("-1", True, 0.5)),
        ({"choices": [{"message": {"content": "B"}}]}, PLAIN),
        (plain_reply(logprobs={"top_logprobs": [{"A": None}]}), PLAIN),
    ],
)  # fmt: skip
def test_a_malformed_reply_is_a_failure(value: Any, request_: Request) -> None:
    result = read(value, request_)
    assert (result.kind, result.retryable) == ("malformed", True)


@each("body", [b"", b"<html>B</html>", b'{"choices": [', b"\xff\xfe", b"[" * 5000, b'{"x": NaN}'])
def test_what_is_not_json_is_a_failure(body: bytes) -> None:
    result = read_reply(body, CHAT)
    assert result.kind == "malformed"


def test_an_error_with_status_200_is_a_failure() -> None:
    result = read({"error": {"message": "overloaded"}})
    assert (result.kind, result.retryable) == ("server", True)
    assert "overloaded" in result.message


FILTERED = ("rejected", False, "filtered")
BROKE_OFF = ("server", True, "failed")


@each("content", [None, "", "A", "The answer is"])
@each(
    ("changes", "seen"),
    [
        ({"finish_reason": "content_filter"}, FILTERED),
        ({"finish_reason": "SAFETY"}, FILTERED),
        ({"finish_reason": "sensitive"}, FILTERED),
        *(({"finish_reason": r}, BROKE_OFF) for r in ("error", "abort", "cancelled", "canceled")),
        *(({"finish_reason": r}, BROKE_OFF) for r in ("oom", "USER_CANCEL", "not_finished")),
        ({"finish_reason": "stop", "error": {"code": 502, "message": "upstream"}}, BROKE_OFF),
        ({"message": {"error": {"code": 502, "message": "upstream"}}}, BROKE_OFF),
        ({"finish_reason": "stop", "native_finish_reason": "PROHIBITED_CONTENT"}, FILTERED),
        ({"finish_reason": "stop", "native_finish_reason": "error"}, BROKE_OFF),
        ({"finish_reason": "error", "native_finish_reason": "STOP"}, BROKE_OFF),
    ],
)
def test_a_failure_inside_a_choice_is_no_answer(
    content: str | None, changes: dict[str, Any], seen: tuple[object, ...]
) -> None:
    message = {"content": content, **changes.get("message", {})}
    result = read(chat_reply(**{**changes, "message": message}))
    assert (result.kind, result.retryable, of_failure(result)) == seen


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=400)
@given(json_values, st.integers(0, 30), st.booleans())
def test_no_reply_is_misread(value: Any, at: int, chat: bool) -> None:
    """Whatever one field of a sound reply is replaced by, the outcome is what that reply says, or
    that it is malformed."""
    reply = chat_reply() if chat else plain_reply()
    places = list(_places(reply))
    parent, key = places[at % len(places)]
    parent[key] = value
    try:
        body = orjson.dumps(reply)
    except (TypeError, ValueError):
        return  # JSON cannot say it
    result = read_reply(body, CHAT if chat else PLAIN)
    if isinstance(result, Failure):
        assert (result.kind, result.retryable) == ("malformed", True)
    else:
        [choice] = reply["choices"]
        assert result.text == (choice["message"]["content"] if chat else choice["text"])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from _places(value[key])


@each(
    ("usage", "counted"),
    [
        *((usage, None) for usage in (None, "9", [], {}, {"prompt_tokens": -1, "x": 2})),
        *(({"prompt_tokens": count, "completion_tokens": 3}, 3)
          for count in (2**62, 2**31 + 1, -1, 1.5, "9", True, None)),
    ],
)  # fmt: skip
def test_an_answer_stands_where_tokens_are_not_counted(usage: Any, counted: int | None) -> None:
    result = read({**chat_reply(), "usage": usage})
    assert isinstance(result, Response)
    assert result.usage == Usage(None, counted)


# Failures


@each(
    ("status", "kind", "retryable"),
    [
        *((status, "rejected", False) for status in (301, 400, 401, 404, 422)),
        *((status, "server", True) for status in (408, 409, 500, 503, 529)),
        (429, "rate_limit", True),
    ],
)
def test_what_can_be_repeated(status: int, kind: str, retryable: bool) -> None:
    failure = failure_of(status, {}, b'{"error": {"message": "because"}}')
    assert (failure.kind, failure.retryable, failure.status) == (kind, retryable, status)
    assert status == 301 or failure.message == "because"


def test_an_empty_account_is_not_asked_again() -> None:
    body = b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    assert not failure_of(429, {}, body).retryable


@each(
    ("text", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("1e308", 1e308),
        *((text, None) for text in ("soon", "-1", "nan", "inf", "9" * 400)),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("Mon, 01 Jan 0001 00:00:00 +2359", 0.0),
        ("Mon, 01 Jan 9999 00:00:00 -9999", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert retry_after({"Retry-After": text}) == seconds


def test_retry_after_in_milliseconds_comes_first() -> None:
    assert retry_after({}) is None
    assert retry_after({"retry-after-ms": "250", "Retry-After": "1"}) == 0.25


def test_retry_after_as_a_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    wait = retry_after({"Retry-After": formatdate(1_800_000_100, usegmt=True)})
    assert wait == pytest.approx(100, abs=5)


@each(
    ("body", "message"),
    [
        (b'{"error": "plain"}', "plain"),
        (b'{"error": {"message": "deep"}}', "deep"),
        (b'{"detail": [{"loc": "x"}]}', '[{"loc":"x"}]'),
        (b"<html>", "<html>"),
    ],
)
def test_messages_of_every_shape(body: bytes, message: str) -> None:
    assert failure_of(400, {}, body).message == message


# Against a server


def respond(handler: Handler, request: Request = CHAT, **options: Any) -> Response | Failure:
    """What the model makes of one request to a server that runs `handler`."""

    async def once(model: HttpModel) -> Response | Failure:
        [result] = await model.respond([Asked(request.key("x"), request)])
        return result

    return against(handler, once, **options)


def against(handler: Handler, act: Callable[[Any], Awaitable[Any]], **options: Any) -> Any:
    async def go() -> Any:
        app = web.Application()
        app.router.add_route("*", "/v1/{path:.*}", handler)
        async with TestServer(app) as server:
            model = make_model(f"http:m@{server.make_url('/v1')}", **options)
            async with model:
                return await act(model)

    return asyncio.run(go())


def always(value: Any, **options: Any) -> Handler:
    async def handler(call: web.Request) -> web.Response:
        body = value if isinstance(value, bytes) else orjson.dumps(value)
        return web.Response(body=body, **{"content_type": "application/json", **options})

    return handler


@pytest.mark.parametrize(("request_", "path"), [(CHAT, "chat/completions"), (PLAIN, "completions")])
def test_a_request_goes_where_it_belongs(request_: Request, path: str) -> None:
    seen: list[Any] = []

    async def handler(call: web.Request) -> web.Response:
        seen.append((call.path, await call.json()))
        return web.json_response(chat_reply() if request_ is CHAT else plain_reply())

    result = respond(handler, request_)
    assert result.latency > 0
    assert seen == [(f"/v1/{path}", {**body_of(request_, "m", Dialect())})]


@each(
    ("handler", "kind"),
    [
        (always(b"<html>B</html>", content_type="text/html"), "malformed"),
        (always(chat_reply(), content_type="text/plain"), "malformed"),
        (always(chat_reply(), status=201), "rejected"),
        (always(chat_reply(), status=500), "server"),
        (always(b""), "malformed"),
    ],
)
def test_no_failure_is_an_answer(handler: Handler, kind: str) -> None:
    result = respond(handler)
    assert result.kind == kind


def test_a_bomb_is_no_answer() -> None:
    for size, headers in ((17, {}), (40, {"Content-Encoding": "gzip"})):
        body = b'"' + b"x" * size * 2**20 + b'"'
        result = respond(always(gzip.compress(body) if headers else body, headers=headers))
        assert result.kind == "malformed"


def test_a_compressed_answer_is_an_answer() -> None:
    handler = always(
        gzip.compress(orjson.dumps(chat_reply()), mtime=0), headers={"Content-Encoding": "gzip"}
    )
    assert isinstance(respond(handler), Response)


def test_a_slow_server_is_a_timeout() -> None:
    async def handler(call: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return web.json_response(chat_reply())

    result = respond(handler, timeout=0.1)
    assert result == Failure("timeout", "no reply within 0.1 s")


def test_no_redirect_is_followed() -> None:
    paths: list[str] = []

    async def handler(call: web.Request) -> web.Response:
        paths.append(call.path)
        return web.Response(status=307, headers={"Location": "/v1/elsewhere"})

    result = respond(handler)
    assert not result.retryable
    assert "redirects to /v1/elsewhere" in result.message
    assert paths == ["/v1/chat/completions"]


def test_a_proxy_is_told_the_whole_address_and_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proxy = "horsesense.models.openai.http.proxy_of"
    monkeypatch.setattr(proxy, lambda url: f"http://me:secret@{url.authority}")

    async def handler(call: web.Request) -> web.Response:
        told = call.raw_path.startswith("http://127") and "Proxy-Authorization" in call.headers
        return web.json_response(chat_reply() if told else {})

    assert isinstance(respond(handler), Response)


@pytest.mark.parametrize(("end", "message"), [("", "the proxy: 407"), ("0000", "be used")])
def test_a_proxy_that_gives_no_connection(end: str, message: str) -> None:
    async def go() -> Any:
        async with RawTestServer(handler) as server:
            proxy = f"http://me:my-password@{server.host}:{server.port}{end}"
            calls = Calls({"Authorization": "my-key"}, proxy, 5)
            return await calls.call("GET", URL("https://model.example"))

    async def handler(call: web.BaseRequest) -> web.Response:
        return web.Response(status=200 if "my-key" in str(call.headers) else 407)

    result = asyncio.run(go())
    assert message in result.message
    assert "my-password" not in result.message


def test_what_comes_unasked_is_no_reply() -> None:
    async def handler(call: web.Request) -> web.Response:
        unasked = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
        assert call.transport
        asyncio.get_running_loop().call_later(0.1, call.transport.write, unasked)
        return web.json_response(chat_reply())

    async def act(model: HttpModel) -> list[Any]:
        first = await model._ask(CHAT)
        await asyncio.sleep(0.4)
        return [first, await model._ask(CHAT), await model._ask(CHAT)]

    first, second, third = against(handler, act)
    assert isinstance(first, Response)
    assert isinstance(third, Response)
    assert "unasked" in second.message


def test_a_reply_to_what_was_not_read_ends_the_connection() -> None:
    async def early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        cast("Any", writer.transport).pause_reading()
        writer.write(b"HTTP/1.1 413 Big\r\nContent-Length: 0\r\n\r\n")

    async def go() -> list[Any]:
        server = await asyncio.start_server(early, "127.0.0.1", 0)
        url = URL(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        calls = Calls({}, None, 5)
        return [await calls.call("POST", url, bytes(9_000_000)) for _ in range(2)]

    assert [reply[0] for reply in asyncio.run(go())] == [413, 413]


def test_given_replies_cannot_be_scored() -> None:
    request = Request(None, "x", SamplingParams(continuations=("yes",)))
    result = respond(always(plain_reply()), request)
    assert not result.retryable


def test_a_server_that_wants_other_names_gets_them() -> None:
    bodies: list[Any] = []

    async def handler(call: web.Request) -> web.Response:
        bodies.append(await call.json())
        if "max_tokens" in bodies[-1]:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        elif "temperature" in bodies[-1]:
            message = "Unsupported value: 'temperature' does not support 0.0 with this model."
        else:
            return web.json_response(chat_reply())
        return web.json_response({"error": {"message": message}}, status=400)

    async def twice(model: HttpModel) -> Any:
        asked = Asked(CHAT.key("x"), CHAT)
        return (await model.capabilities()).notes, await model.respond([asked])

    notes, results = against(handler, twice, form="chat")
    assert all(isinstance(result, Response) for result in results)
    assert len(bodies) == 3 + 1  # learnt once, then known
    assert bodies[-1]["max_completion_tokens"] == 16
    assert any("max_completion_tokens" in note for note in notes)
    assert any("refuses a temperature" in note for note in notes)


@pytest.mark.parametrize(
    "message", ["max_tokens is too large", "temperature must be at most 2", "unsupported model"]
)
def test_another_refusal_changes_nothing(message: str) -> None:
    assert Dialect().after(message) == Dialect()


# Replies that would end an audit


NESTED = b'{"a": ' * 400 + b"1" + b"}" * 400


@each(
    "body",
    [
        NESTED,
        NESTED.replace(b'"a"', b'"error"'),
        b"[" * 100_000,
        b'{"choices": ' + b"[" * 1000 + b"]" * 1000 + b"}",
        b'{"error": {"message": ' + NESTED + b"}}",
        b'{"usage": {"prompt_tokens": 1e999}}',
        b'{"error": "\\ud800"}',
        b"\xff\xfe\x00",
    ],
)
def test_no_reply_ends_the_run(body: bytes) -> None:
    for status, wait in ((200, ""), (400, ""), (429, "9" * 400), (500, "31 Dec 99999 23:59 GMT")):
        result = respond(always(body, status=status, headers={"Retry-After": wait}))
        assert result.message.isprintable()


def test_whatever_reading_a_reply_raises_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Response:
        raise RecursionError("of a kind that nobody thought of")

    monkeypatch.setattr("horsesense.models.openai.http.read_reply", broken)
    result = respond(always(chat_reply()))
    assert result == Failure("malformed", "the reply cannot be read: RecursionError")


@each(
    "body",
    [
        {**chat_reply(message={"content": None}), "usage": USED},
        {"choices": [], "usage": USED},
        {"error": "broke", "usage": USED},
        {**chat_reply(finish_reason="content_filter", message={"content": None}), "usage": USED},
    ],
)
@each("status", [200, 429, 500])
def test_a_failure_says_what_it_took(body: dict[str, Any], status: int) -> None:
    result = respond(always(body, status=status))
    assert isinstance(result, Failure)
    assert result.usage == Usage(7, 2000)


@each(
    ("escaped", "text"),
    [
        (r"B\ud83d", "B\ufffd"),
        (r"\ude00B", "\ufffdB"),
        (r"\ud83d\ude00\ud83d", "\U0001f600\ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\\ud83d\ud83d", "\\ud83d\ufffd"),
    ],
)
def test_half_a_character_is_an_answer(escaped: str, text: str) -> None:
    body = orjson.dumps(chat_reply(message={"content": "HERE"})).replace(b"HERE", escaped.encode())
    result = respond(always(body))
    assert result.text == text


def test_a_peer_that_is_dead_says_how_long_it_was_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes the connection and never answers the handshake."""
    monkeypatch.setattr("horsesense.models.openai.calls.CONNECTING", 0.2)

    async def go() -> Response | Failure:
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, make_model(f"http:m@https://127.0.0.1:{port}/v1") as model:
            return (await model.respond([Asked(CHAT.key("x"), CHAT)]))[0]

    result = asyncio.run(go())
    assert result == Failure("timeout", "no connection within 0.2 s", unsent=True)


@each("timeout", [0, -1, float("nan"), float("inf")])
def test_impossible_timeouts(timeout: float) -> None:
    with pytest.raises(UsageError, match="time-out"):
        make_model("http:m@http://h/v1", timeout=timeout)


def test_only_a_server_has_a_timeout_and_a_key() -> None:
    with pytest.raises(UsageError, match="no timeout and no key_env"):
        make_model("sim:prior", timeout=3.0, key_env="KEY")


# Capabilities


def test_capabilities_of_a_full_server() -> None:
    async def handler(call: web.Request) -> web.Response:
        if call.path == "/v1/models":
            return web.json_response({"data": [{"id": "m", "max_model_len": 4096}]})
        body = await call.json()
        if (body.get("top_logprobs") or body.get("logprobs")) > 5:
            return web.json_response({"error": "at most 5"}, status=400)
        top = [{"token": letter, "logprob": -1.0} for letter in "ABCDE"]
        place = {"token": "A", "logprob": -1.0, "top_logprobs": top}
        if "prompt" in body:
            return web.json_response(plain_reply(logprobs=None))
        return web.json_response(chat_reply(logprobs={"content": [place]}))

    found = against(handler, HttpModel.capabilities)
    assert (found.chat, found.completion, found.top_logprobs) == (True, True, 5)
    assert found.context_length == 4096
    assert found.notes == (
        "The server gives 5 top log-probabilities with chat prompts.",
        "The server gives no log-probabilities with completion prompts.",
    )


@pytest.mark.parametrize(
    ("missing", "chat", "completion"), [("chat", False, True), ("v1/completions", True, False)]
)
def test_capabilities_of_half_a_server(missing: str, chat: bool, completion: bool) -> None:
    async def handler(call: web.Request) -> web.Response:
        if missing in call.path or call.method == "GET":
            return web.json_response({"detail": "Not Found"}, status=404)
        return web.json_response(chat_reply() if "chat" in call.path else plain_reply())

    found = against(handler, HttpModel.capabilities)
    assert (found.chat, found.completion) == (chat, completion)
    assert found.context_length is None
    assert any("Not Found" in note for note in found.notes)


def test_capabilities_survive_a_bad_moment() -> None:
    calls = 0

    async def handler(call: web.Request) -> web.Response:
        nonlocal calls
        calls += 1
        return web.json_response(chat_reply(), status=500 if calls == 2 else 200)

    assert against(handler, HttpModel.capabilities, form="chat").chat


def test_a_missing_key_is_named() -> None:
    handler = always({"error": {"message": "no key"}}, status=401)
    with pytest.raises(ModelError, match=r"no key\nSet HORSESENSE_API_KEY or OPENAI_API_KEY"):
        against(handler, HttpModel.capabilities)


def test_an_unknown_model_shows_the_nearest() -> None:
    async def handler(call: web.Request) -> web.Response:
        if call.path == "/v1/models":
            return web.json_response({"data": [{"id": "mm"}, {"id": "zebra"}]})
        return web.json_response({"error": {"message": "no such model"}}, status=404)

    with pytest.raises(ModelError, match="Models of the server: 2, nearest: mm"):
        against(handler, HttpModel.capabilities)


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.models.openai.http.PROBE_TRIES", 1)
    model = make_model("http:m@http://127.0.0.1:9/v1")

    async def go() -> None:
        async with model:
            await model.capabilities()

    with pytest.raises(ModelError, match="Check the address"):
        asyncio.run(go())


def test_a_server_that_is_too_slow_names_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.models.openai.http.PROBE_TRIES", 1)

    async def handler(call: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return web.json_response(chat_reply())

    with pytest.raises(ModelError, match=r"no reply within 0.1 s\n--timeout SECONDS"):
        against(handler, HttpModel.capabilities, timeout=0.1)


@each("body", [b"", b"[]", b'{"data": 5}', b'{"data": [5]}', b'{"data": [{}]}'])
def test_a_strange_list_of_models_is_no_list(body: bytes) -> None:
    assert context_lengths(body) == {}


# Addresses


@each(
    ("spec", "model", "url"),
    [
        ("http:m@http://h:1/v1", "m", "http://h:1/v1"),
        ("http:m@http://h:1/v1/", "m", "http://h:1/v1"),
        ("http:org/m:8b", "org/m:8b", "https://api.openai.com/v1"),
        ("http:m@2024@https://h/v1", "m@2024", "https://h/v1"),
        ("http:m@2024", "m@2024", "https://api.openai.com/v1"),
    ],
)
def test_addresses(spec: str, model: str, url: str) -> None:
    found = make_model(spec)
    assert found.identity == f"http:{model}@{url}"


def test_the_address_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h:2/v1")
    assert make_model("http:m").identity == "http:m@http://h:2/v1"
    assert make_model("http:m@http://h:3/v1").identity == "http:m@http://h:3/v1"


@each(
    "spec",
    [
        "http:m@localhost:8000/v1",
        "http:m@http://",
        "http:m@http://me:pw@h/v1",
        "http:m@http://h/v1?key=abc",
        "http:m@http://h/v1#abc",
        "http:m@http://h/v1/;key=abc",
        "http:m@http://h/v1%3Fapi-key=abc",
        "http:m@http://h/v1%253Fapi-key",
        "http:m@http://h/key=abc/v1",
        "http:m@http://h/v1%23abc",
        "http:m?api-key=abc",
        "http:https://me:pw@h/v1",
        "http:m@https://me:p@pw@h/v1",
        "http:m@//me:pw@h/v1",
        "http:m@me:pw@http://h/v1",
        "http:m@h",
        "http:m@h.example",
        "http:m@http://me:pw@h:99999999/v1",
        "http:m@http://" + "h" * 70 + "/v1",
        "http:m@http://h\udcff/v1",
        "http:m@http://h\x1f.evil.example/v1",
        "http:\udcff",
        "http:m\n",
        "http://h/v1",
        "https://me:pw@h/v1",
        "http://h/v1:m",
    ],
)
def test_impossible_addresses(spec: str) -> None:
    with pytest.raises(UsageError) as raised:
        make_model(spec)
    assert "pw" not in str(raised.value)
    assert "abc" not in str(raised.value)


# The key


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "HORSESENSE_API_KEY"])
def test_the_key_goes_into_the_header_alone(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, f" {KEY}\n")
    calls: list[tuple[dict[str, str], bytes, str]] = []

    async def handler(call: web.Request) -> web.Response:
        calls.append((dict(call.headers), await call.read(), str(call.url)))
        return web.json_response(chat_reply())

    respond(handler)
    [(headers, body, url)] = calls
    assert headers.pop("Authorization") == f"Bearer {KEY}"
    assert KEY not in f"{headers}{body!r}{url}"


def test_without_a_key_there_is_no_header() -> None:
    async def handler(call: web.Request) -> web.Response:
        assert "Authorization" not in call.headers
        return web.json_response(chat_reply())

    assert isinstance(respond(handler), Response)


@pytest.mark.parametrize(
    "handler",
    [
        always({"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401),
        always({"error": {"message": "Incorrect API key: sk-abc***************wxyz"}}, status=401),
        always({"error": {"message": "Authorization: Bearer abcdefghijk"}}, status=400),
        always(f"you sent {KEY}".encode(), content_type="text/plain", status=500),
        always(f"you sent {KEY}".encode(), content_type="text/plain"),
        always(f"you sent {KEY}".encode()),
        always({"error": {"message": KEY}}),
        always(chat_reply(finish_reason=KEY)),
        always({"error": {"message": orjson.dumps({"was": ESCAPED}).decode()}}, status=500),
        always(ESCAPED.encode(), status=500),
        always(b" " * 65_000 + KEY[:20].encode(), status=500),
        always(b"", status=302, headers={"Location": f"http://evil/{KEY}"}),
    ],
)
def test_a_server_that_repeats_the_key(monkeypatch: pytest.MonkeyPatch, handler: Handler) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    result = respond(handler)
    assert isinstance(result, Failure)
    for part in (KEY, "wxyz", "abcdefghijk"):
        assert part not in repr(result)


@pytest.mark.parametrize(
    "reply",
    [
        chat_reply(message={"content": f"Your key is {KEY}"}),
        chat_reply(message={"content": f"Your key is {ESCAPED}"}),
        chat_reply(message={"content": "A", "reasoning": f"the key is {KEY}"}),
        {**chat_reply(), "model": KEY},
        chat_reply(logprobs={"content": [{"token": KEY, "logprob": -0.1}]}),
    ],
)
@pytest.mark.parametrize("escaped", [False, True])
def test_an_answer_that_repeats_the_key_is_kept_without_it(
    monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any], escaped: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    body = orjson.dumps(reply)
    result = respond(always(body.replace(b"hs-", b"\\u0068s-") if escaped else body))
    assert isinstance(result, Response)
    stored = orjson.dumps(result.as_json()).decode()
    assert "[key]" in stored
    assert "secret" not in stored


@pytest.mark.parametrize("key", ["x", "ollama", "token", "EMPTY", "B", "message"])
def test_a_placeholder_for_a_key_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    plain = respond(always(chat_reply(message={"content": "x ollama token EMPTY B message"})))
    monkeypatch.setenv("OPENAI_API_KEY", key)
    result = respond(always(chat_reply(message={"content": "x ollama token EMPTY B message"})))
    assert isinstance(result, Response)
    assert isinstance(plain, Response)
    assert result.as_json() | {"latency": 0} == plain.as_json() | {"latency": 0}


@pytest.mark.parametrize(
    ("url", "base", "names", "sent"),
    [
        ("https://api.openai.com/v1", "", ["OPENAI_API_KEY"], True),
        ("http://api.openai.com/v1", "", ["OPENAI_API_KEY"], False),
        ("https://api.openai.com.evil.example/v1", "", ["OPENAI_API_KEY"], False),
        ("https://other.example/v1", "", ["OPENAI_API_KEY"], False),
        ("https://other.example/v1", "https://other.example/v2", ["OPENAI_API_KEY"], True),
        ("https://api.openai.com/v1", "https://other.example/v2", ["OPENAI_API_KEY"], False),
        ("http://localhost:8000/v1", "", ["OPENAI_API_KEY"], True),
        ("http://127.0.0.2:8000/v1", "", ["OPENAI_API_KEY"], True),
        ("http://[::1]:8000/v1", "", ["OPENAI_API_KEY"], True),
        ("http://localhost.evil.example/v1", "", ["OPENAI_API_KEY"], False),
        ("https://other.example/v1", "", ["OPENAI_API_KEY", "HORSESENSE_API_KEY"], True),
        ("http://10.0.0.1/v1", "", ["HORSESENSE_API_KEY"], True),
    ],
)
def test_which_key_goes_to_which_host(
    monkeypatch: pytest.MonkeyPatch, url: str, base: str, names: list[str], sent: bool
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base)
    for name in names:
        monkeypatch.setenv(name, f"{KEY}-{name}")
    secret = Secret.for_host(URL(url))
    expected = {"Authorization": f"Bearer {KEY}-{names[-1]}"} if sent else {}
    assert secret.headers() == expected
    assert bool(secret.withheld) is not sent


@pytest.mark.parametrize(
    ("words", "own", "sent"),
    [
        ("run study.toml", "", False),
        ("run study.toml", "http://localhost:8000", True),
        ("audit x -m http:m@http://LOCALHOST:8000/v1,text", "", True),
        ("audit x -m http:m@http://localhost:8001/v1", "http://localhost", False),
        ("audit x -m http:m@http://localhost:8000.evil.example/v1", "", False),
    ],
)
def test_a_key_goes_where_a_word_or_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, words: str, own: str, sent: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HORSESENSE_KEY_HOSTS", own)
    with named_in(words.split()):
        secret = Secret.for_host(URL("http://localhost:8000/v1"))
        assert bool(Secret.for_host(URL("https://api.openai.com/v1")))
    assert bool(secret) is sent
    assert ("HORSESENSE_KEY_HOSTS=http://localhost:8000" in secret.withheld) is not sent


def test_the_key_of_another_server_is_not_sent_to_the_usual_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    usual = URL("https://api.openai.com/v1")
    with named_in(["run", "study.toml"]):
        withheld = Secret.for_host(usual)
        assert not withheld
        assert "HORSESENSE_API_KEY was not sent to https://api.openai.com" in withheld.withheld
        monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}-usual")
        assert Secret.for_host(usual).headers() == {"Authorization": f"Bearer {KEY}-usual"}
        monkeypatch.setenv("OPENAI_BASE_URL", str(usual))  # their own word
        assert Secret.for_host(usual).headers() == {"Authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("sign", ",;&'()")
def test_nor_to_a_host_that_begins_like_one(monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    with named_in(["audit", "-m", "http:m@https://mine.example/v1,x"]):
        assert not Secret.for_host(URL(f"https://mine.example{sign}.evil.example/v1"))
        assert Secret.for_host(URL("https://mine.example/v1"))


@each(
    "model",
    [
        "openai/m@https%3A%2F%2Fa.example/v1",
        "openai/m?args.base_url=https%3A%2F%2Fa.example",
        r"mistral/m?args.server_url='http:\x2f\x2fa.example'",
        "grok/m@a.example",
        "openai/m@https://mine.example%1f.a.example/v1",
        "hf/m?%61rgs.trust_remote_code=true",
        "hf/./m",
        "vllm-completions/./m",
        "openai/m?extra={a: b}",
        f"openai/m?a={'bb=' * 40}!",  # tried in every split, it would never end
    ],
)
def test_nor_do_the_keys_of_inspect_or_code_of_others(model: str) -> None:
    with (
        named_in(["run", "https://mine.example/v1"]),
        pytest.raises(UsageError, match="A file names"),
    ):
        make_model(f"inspect:{model}")
    with named_in(["run", f"inspect:{model}", "https://a.example", "https://mine.example"]):
        assert not unnamed(f"inspect:{model}")
        assert not unnamed("inspect:openai/gpt-5@https://a.example/v1?reasoning_effort=high")


def test_a_key_of_its_own_for_one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("THEIRS", "another-key-0123456789")
    secret = Secret.for_host(URL("https://other.example/v1"), "THEIRS")
    assert secret.headers() == {"Authorization": "Bearer another-key-0123456789"}
    for wrong in ("MISSING", KEY, ""):
        with pytest.raises(UsageError, match="--key-env") as raised:
            make_model("http:m@https://other.example/v1", key_env=wrong)
        assert KEY not in str(raised.value)


def test_the_key_of_the_model_is_not_that_of_a_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = JudgeReader("http:j@http://127.0.0.1:1/v1")
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    url = URL("https://other.example/v1")
    withheld = Secret.for_host(url, given=JUDGE).withheld
    assert "HORSESENSE_API_KEY was not sent to https://other.example" in withheld
    assert "into HORSESENSE_JUDGE_API_KEY" in withheld
    monkeypatch.setenv("HORSESENSE_JUDGE_API_KEY", "another-key-0123456789")
    mine = Secret.for_host(url, given=JUDGE).headers()
    assert mine == {"Authorization": "Bearer another-key-0123456789"}
    third = Secret.for_host(URL("https://third.example/v1"), given=JUDGE)
    assert (third.headers(), "https://other.example gets it" in third.withheld) == ({}, True)
    assert Secret.for_host(url).headers() == {"Authorization": f"Bearer {KEY}"}
    monkeypatch.delenv("HORSESENSE_JUDGE_API_KEY")

    async def entered() -> bool:
        async with judge:
            assert isinstance(judge._judge, HttpModel)
            return bool(judge._judge._secret)

    assert not asyncio.run(entered())


@pytest.mark.parametrize("chosen_is_likeliest", [True, False])
def test_a_key_spelt_out_in_tokens_alone(
    monkeypatch: pytest.MonkeyPatch, chosen_is_likeliest: bool
) -> None:
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    parts = [KEY[i : i + 3] for i in range(0, len(KEY), 3)]
    other, own = (-3.0, -0.1) if chosen_is_likeliest else (-0.1, -3.0)
    scores = tuple({"B": other, part: own} for part in parts)
    kept = Secret.for_host(URL("https://a.example")).without_key(Response("A", "stop", scores))
    assert kept.token_logprobs == ()
    sound = Response("A", "stop", ({"A": -0.1, "B": -3.0},))
    assert Secret.for_host(URL("https://a.example")).without_key(sound) == sound


def test_a_refusal_says_which_key_was_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("horsesense.models.openai.api_key.is_loopback", lambda host: False)
    handler = always({"error": {"message": "no key"}}, status=401)
    with pytest.raises(ModelError, match=r"OPENAI_API_KEY was not sent to .* HORSESENSE_API_KEY"):
        against(handler, HttpModel.capabilities)


def test_an_error_of_the_probe_hides_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    handler = always({"error": {"message": f"bad key {KEY}"}}, status=401)
    with pytest.raises(ModelError) as raised:
        against(handler, HttpModel.capabilities)
    assert KEY not in str(raised.value)


def test_the_key_has_no_text_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = make_model("http:m@http://h/v1")
    assert KEY not in f"{model!r} {vars(model)!r} {model.identity} {model.name}"
    with pytest.raises(TypeError):
        pickle.dumps(model)


@pytest.mark.parametrize("key", ["sk-abc\r\nX-Evil: 1", "sk-äbc"])
def test_a_broken_key_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError) as raised:
        make_model("http:m")
    assert "bc" not in str(raised.value)


def test_messages_cannot_write_to_the_terminal() -> None:
    handler = always({"error": {"message": "\x1b[2Jcleared\r\n" + "x" * 5000}}, status=400)
    result = respond(handler)
    assert result.message.isprintable()
    assert len(result.message) <= 300


def test_a_key_of_one_server_is_not_sent_to_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    monkeypatch.setenv("MINE", KEY)
    for name in (None, "MINE"):
        models = [make_model(f"http:m@http://127.0.0.{n}/v1", key_env=name) for n in (1, 2)]
        refuse_shared_key([models[0], models[0], make_model("sim:prior")])
        with pytest.raises(UsageError, match=f"{name or 'HORSESENSE_API_KEY'} holds the key"):
            refuse_shared_key(models)
    monkeypatch.delenv("HORSESENSE_API_KEY")
    refuse_shared_key([models[0], make_model("http:m@http://127.0.0.2/v1")])

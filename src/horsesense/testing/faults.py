"""A server that speaks the OpenAI protocol and misbehaves on purpose, the same way for each seed.

It listens on the loopback address alone. What happens to a call is a pure function of the seed,
the prompt and how often that prompt has been asked, whatever the order of the calls.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self
from zlib import crc32

from aiohttp import web

from horsesense.rng import unit

KINDS: Final = (
    *("429", "500", "drop", "garbage", "no_choices", "null", "truncated", "timeout"),
    *("bad_date", "bad_number", "nested_error", "nested_reply", "costly_null", "costly_error"),
    *("not_http", "echo_error"),
)
"""429 with Retry-After, 500, connection dropped, HTML, `choices: []`, `content: null`, a body that
breaks off, and no reply at all; two kinds of Retry-After that no clock can show, an error body and
a reply nested 400 deep, `content: null` and a 500 that took 2,000 tokens, a reply that is not HTTP,
and a 500 that repeats the caller's key in escaped letters."""

ODD: Final = ("half_character", "huge_usage", "echo")
"""Replies that are odd and yet answers: half of a surrogate pair, 2^62 tokens, and the caller's key
in escaped letters."""

COSTLY: Final = 2_000
"""Tokens that a costly failure takes, whatever was allowed."""

_NULL: Final = {"message": {"role": "assistant", "content": None}, "text": None}


def letter(prompt: str) -> str:
    """The answer to a prompt: one of A-D that depends on the text alone."""
    return "ABCD"[crc32(prompt.encode()) % 4]


@dataclass(eq=False)
class FaultServer:
    """Answers chat and completion requests, except when a fault is due.

    >>> with FaultServer({"500": 0.05, "drop": 0.05}, hopeless=0.01) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True

    Args:
        faults: kind (see KINDS) -> probability per call; together at most 1.
        hopeless: share of prompts whose every call fails, each with one of the kinds of `faults`
            (a 500 where there are none).
        latency: seconds before each reply.
        hang: seconds of silence in place of a reply that times out.
        wait: the Retry-After of a 429.
        seed: another seed makes other calls fail.
        answer: prompt -> text of the reply.
        describe: changes the reply (a JSON value) before it is sent; for malformed ones of a
            test's own.

    Attributes:
        sent: how often each prompt was asked.
        tokens: what all calls took, as a server would bill them: the words of the prompt, and all
            tokens that a faulty call allowed, whether the reply says so or not.
        dearest: the most that one call took.
        faulted: how often each kind of fault was served.
        most_in_flight: the highest number of calls under way together.
        headers: the request headers of the last call.
    """

    faults: Mapping[str, float] = field(default_factory=dict)
    hopeless: float = 0.0
    latency: float = 0.0
    hang: float = 30.0
    wait: str = "0.05"
    seed: int = 0
    answer: Callable[[str], str] = letter
    describe: Callable[[dict[str, Any]], Any] | None = None

    def __post_init__(self) -> None:
        if unknown := self.faults.keys() - {*KINDS, *ODD}:
            known = ", ".join((*KINDS, *ODD))
            raise ValueError(f"unknown faults {sorted(unknown)}; known: {known}")
        self.sent: Counter[str] = Counter()
        self.faulted: Counter[str] = Counter()
        self.tokens = self.dearest = 0
        self.most_in_flight = 0
        self.headers: dict[str, str] = {}
        self._in_flight = 0
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        """The base address, as it follows `@` in `http:NAME@URL`."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._end is not None:
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def is_hopeless(self, prompt: str) -> bool:
        """Whether every call with this prompt fails."""
        return unit(str(self.seed).encode(), b"hopeless", prompt.encode()) < self.hopeless

    def fault(self, prompt: str, time: int) -> str | None:
        """What happens at the `time`-th call (from 1) with this prompt; None: a sound reply."""
        draw = unit(str(self.seed).encode(), str(time).encode(), prompt.encode())
        if self.is_hopeless(prompt):
            kinds = list(self.faults) or ["500"]
            return kinds[int(draw * len(kinds))]
        for kind, share in self.faults.items():
            draw -= share
            if draw < 0:
                return kind
        return None

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._until_end())
        self._loop.close()

    async def _until_end(self) -> None:
        self._end = asyncio.Event()
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._call)
        app.router.add_post("/v1/completions", self._call)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.0
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _call(self, call: web.Request) -> web.StreamResponse:
        body = await call.json()
        prompt = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        self.sent[prompt] += 1
        self.headers = dict(call.headers)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            kind = self.fault(prompt, self.sent[prompt])
            self._bill(kind, prompt, body)
            await asyncio.sleep(self.latency)
            if kind is None:
                return self._sound(prompt, body)
            self.faulted[kind] += 1
            if kind in ODD:
                return self._odd(kind, self._sound(prompt, body), _escaped(call))
            return await self._faulty(kind, call, prompt)
        finally:
            self._in_flight -= 1

    def _bill(self, kind: str | None, prompt: str, body: Mapping[str, Any]) -> None:
        allowed = int(body.get("max_tokens") or body.get("max_completion_tokens") or 16)
        completion = 1 if kind is None or kind in ODD else allowed
        if kind in ("costly_null", "costly_error"):
            completion = COSTLY
        taken = len(prompt.split()) + completion
        self.tokens += taken
        self.dearest = max(self.dearest, taken)

    def _sound(self, prompt: str, body: Mapping[str, Any]) -> web.Response:
        text = self.answer(prompt)
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": None}
        if "messages" in body:
            choice["message"] = {"role": "assistant", "content": text, "refusal": None}
        else:
            choice["text"] = text
        tokens = len(prompt.split())
        reply = {
            "id": "chatcmpl-fault",
            "object": "chat.completion" if "messages" in body else "text_completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1},
        }
        return web.json_response(reply if self.describe is None else self.describe(reply))

    def _odd(self, kind: str, sound: web.Response, key: str) -> web.Response:
        text = str(sound.text)
        if kind == "half_character":
            text = text.replace('"message"', '"odd": "\\ud83d", "message"')
        elif kind == "echo":
            text = text.replace('"chatcmpl-fault"', f'"{key}"')
            text = text.replace('"refusal": null', f'"reasoning": "{key}"')
        else:
            text = text.replace('"completion_tokens": 1', f'"completion_tokens": {2**62}')
        return web.Response(text=text, content_type="application/json")

    async def _faulty(self, kind: str, call: web.Request, prompt: str) -> web.StreamResponse:
        match kind:
            case "429":
                wait = {"Retry-After": self.wait}
                return web.json_response(_error("too many requests"), status=429, headers=wait)
            case "500":
                return web.json_response(_error("something broke"), status=500)
            case "garbage":
                return web.Response(text=f"<html>{self.answer(prompt)}", content_type="text/html")
            case "no_choices":
                return web.json_response({"choices": []})
            case "null":
                return web.json_response({"choices": [_NULL]})
            case "bad_date" | "bad_number":
                date = "Fri, 31 Dec 99999 23:59:59 GMT"
                wait = {"Retry-After": date if kind == "bad_date" else "9" * 400}
                return web.json_response(_error("too many requests"), status=429, headers=wait)
            case "nested_error" | "nested_reply":
                body = b'{"error": ' * 400 + b"1" + b"}" * 400
                status = 500 if kind == "nested_error" else 200
                return web.Response(body=body, status=status, content_type="application/json")
            case "costly_null" | "costly_error":
                usage = {"prompt_tokens": len(prompt.split()), "completion_tokens": COSTLY}
                status = 500 if kind == "costly_error" else 200
                reply = {**_error("broke"), "usage": usage}
                if status == 200:
                    reply = {"choices": [_NULL], "usage": usage}
                return web.json_response(reply, status=status)
            case "echo_error":
                body = b'{"error": {"message": "no use for %s"}}' % _escaped(call).encode()
                return web.Response(body=body, status=500, content_type="application/json")
            case "not_http":
                if call.transport is not None:
                    call.transport.write(b"\x00\xff nonsense\r\n\r\n")
            case "truncated":
                broken = web.StreamResponse(headers={"Content-Length": "1000"})
                broken.content_type = "application/json"
                await broken.prepare(call)
                await broken.write(b'{"choices": [{"message": {"content": "A"')
            case "timeout":
                await asyncio.sleep(self.hang)
        if call.transport is not None:
            call.transport.abort()
        return web.Response()


def _escaped(call: web.Request) -> str:
    """The caller's key as JSON may write it, so that it is not found in the bytes."""
    return "".join(f"\\u{ord(c):04x}" for c in call.headers.get("Authorization", ""))


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "fault"}}

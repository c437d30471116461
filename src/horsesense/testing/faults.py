"""A server that speaks the OpenAI protocol and misbehaves on purpose, the same way for each seed.

It listens on the loopback address alone. What happens to a call is a pure function of the seed,
the prompt and how often that prompt has been asked, whatever the order of the calls.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self
from zlib import crc32

from aiohttp import web

from horsesense.rng import unit

KINDS: Final = ("429", "500", "drop", "garbage", "no_choices", "null", "truncated", "timeout")
"""429 with Retry-After, 500, connection dropped, HTML, `choices: []`, `content: null`, a body that
breaks off, and no reply at all."""

_NULL: Final = {"message": {"role": "assistant", "content": None}, "text": None}


def letter(prompt: str) -> str:
    """The answer to a prompt: one of A-D that depends on the text alone."""
    return "ABCD"[crc32(prompt.encode()) % 4]


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
        seed: another seed makes other calls fail.
        answer: prompt -> text of the reply.
        describe: changes the reply (a JSON value) before it is sent; for malformed ones of a
            test's own.

    Attributes:
        sent: how often each prompt was asked.
        faulted: how often each kind of fault was served.
        most_in_flight: the highest number of calls under way together.
        headers: the request headers of the last call.
    """

    def __init__(
        self,
        faults: Mapping[str, float] | None = None,
        *,
        hopeless: float = 0.0,
        latency: float = 0.0,
        hang: float = 30.0,
        seed: int = 0,
        answer: Callable[[str], str] = letter,
        describe: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.faults = dict(faults or {})
        if unknown := self.faults.keys() - set(KINDS):
            raise ValueError(f"unknown faults {sorted(unknown)}; known: {', '.join(KINDS)}")
        self.hopeless = hopeless
        self.latency = latency
        self.hang = hang
        self.seed = str(seed).encode()
        self.answer = answer
        self.describe = describe
        self.sent: Counter[str] = Counter()
        self.faulted: Counter[str] = Counter()
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
        return unit(self.seed, b"hopeless", prompt.encode()) < self.hopeless

    def fault(self, prompt: str, time: int) -> str | None:
        """What happens at the `time`-th call (from 1) with this prompt; None: a sound reply."""
        draw = unit(self.seed, str(time).encode(), prompt.encode())
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
            await asyncio.sleep(self.latency)
            if kind is None:
                return self._sound(prompt, body)
            self.faulted[kind] += 1
            return await self._faulty(kind, call, prompt)
        finally:
            self._in_flight -= 1

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
            "usage": {
                "prompt_tokens": tokens,
                "completion_tokens": 1,
                "total_tokens": tokens + 1,
            },
        }
        return web.json_response(reply if self.describe is None else self.describe(reply))

    async def _faulty(self, kind: str, call: web.Request, prompt: str) -> web.StreamResponse:
        match kind:
            case "429":
                wait = {"Retry-After": "0.05"}
                return web.json_response(_error("too many requests"), status=429, headers=wait)
            case "500":
                return web.json_response(_error("something broke"), status=500)
            case "garbage":
                return web.Response(text=f"<html>{self.answer(prompt)}", content_type="text/html")
            case "no_choices":
                return web.json_response({"choices": []})
            case "null":
                return web.json_response({"choices": [_NULL]})
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


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "fault"}}

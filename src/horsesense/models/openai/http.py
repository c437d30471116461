"""Any server that speaks the OpenAI protocol: `http:NAME[@URL]`.

The API key comes from the environment (HORSESENSE_API_KEY, else OPENAI_API_KEY), the address from
the specification or OPENAI_BASE_URL. Redirects are not followed, so that neither a prompt nor the
key goes to a host that was not named.
"""

from __future__ import annotations

import asyncio
import difflib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Literal, Self
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from yarl import URL

from horsesense.errors import ModelError, UsageError
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response, SamplingParams
from horsesense.models.openai.api_key import VARIABLES, Secret
from horsesense.models.openai.protocol import (
    Dialect,
    body_of,
    context_lengths,
    failure_of,
    read_reply,
)

OPENAI: Final = "https://api.openai.com/v1"
LONGEST_BODY: Final = 16 * 2**20  # bytes; an answer is a few thousand
PROBE: Final = "Reply with the letter A."
PROBE_TRIES: Final = 4

Form = Literal["chat", "completion"]


def from_spec(
    rest: str,
    *,
    max_connections: int = 64,
    timeout: float = 300.0,
    form: Form | None = None,
) -> HttpModel:
    """The server behind `NAME[@URL]`.

    Args:
        rest: what follows `http:` in the specification.
        max_connections: requests in flight at most.
        timeout: seconds for one call.
        form: keeps to one kind of prompt where a server takes both.

    Raises:
        UsageError: the address cannot be one, or contains what must not be stored.
    """
    name, at, address = rest.rpartition("@")
    if not at or not address.startswith(("http://", "https://")):
        if at and ("/" in address or ":" in address):
            raise UsageError(
                f"{address!r} is not an address.", hint="Write http:NAME@http://HOST:PORT/v1."
            )
        name, address = rest, os.environ.get("OPENAI_BASE_URL") or OPENAI
    return HttpModel(
        name, _checked(address), max_connections=max_connections, timeout=timeout, form=form
    )


def _checked(address: str) -> URL:
    try:
        url = URL(address.rstrip("/"))
    except ValueError as error:
        raise UsageError(
            f"{address!r} is not an address: {error}", hint="Write http://HOST:PORT/v1."
        ) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError(f"{address!r} is not an address.", hint="Write http://HOST:PORT/v1.")
    if url.user or url.password or url.query_string:
        raise UsageError(
            f"The address of {url.host} contains a user name, a password or a query.",
            hint=f"Addresses are stored with the run. Put a key into {VARIABLES[0]} instead.",
        )
    return url


class HttpModel:
    """One model on one server."""

    batch_size = 1

    def __init__(
        self,
        model: str,
        url: URL,
        *,
        max_connections: int = 64,
        timeout: float = 300.0,
        form: Form | None = None,
    ) -> None:
        self.model = model
        self.url = url
        self.name = f"http:{model}"
        self.identity = f"http:{model}@{url}"
        self.max_connections = max_connections
        self.form = form
        self.dialect = Dialect()
        self._secret = Secret.from_environment()
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=30)
        self._session: aiohttp.ClientSession | None = None
        self._chat = url / "chat/completions"
        self._completions = url / "completions"

    def __repr__(self) -> str:
        return f"HttpModel({self.identity!r})"

    async def __aenter__(self) -> Self:
        headers = {
            # A compressed reply can grow without bounds when it is unpacked.
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            **self._secret.headers(),
        }
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),  # the runner keeps count
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
            proxy=_proxy(self.url),
            timeout=self._timeout,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def count_tokens(self, request: Request) -> int | None:
        """None: the protocol has no call for it."""
        return None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        if len(batch) == 1:
            return [await self._ask(batch[0].request)]
        return await asyncio.gather(*(self._ask(asked.request) for asked in batch))

    async def _ask(self, request: Request) -> Response | Failure:
        if request.params.continuations:
            message = "the protocol cannot score given replies"
            return Failure("rejected", message, retryable=False)
        url = self._completions if request.messages is None else self._chat
        while True:
            dialect = self.dialect
            body = orjson.dumps(body_of(request, self.model, dialect))
            started = time.perf_counter()
            reply = await self._call("POST", url, body)
            if isinstance(reply, bytes):
                return self._read(reply, request, time.perf_counter() - started)
            # Only a refusal that names a detail we send can change the dialect, and each detail
            # changes once: the loop ends. Other requests in flight may have changed it first.
            wanted = dialect.after(reply.message) if reply.status in (400, 422) else dialect
            if wanted == dialect:
                return self._scrubbed(reply)
            self.dialect = wanted

    def _read(self, reply: bytes, request: Request, latency: float) -> Response | Failure:
        result = read_reply(reply, request, latency)
        if isinstance(result, Failure):
            return self._scrubbed(result)
        if self._secret.is_in(reply, result.text):
            return Failure("rejected", "the reply contains the API key", 200, retryable=False)
        return result

    def _scrubbed(self, failure: Failure) -> Failure:
        return replace(failure, message=self._secret.scrub(failure.message))

    async def _call(self, method: str, url: URL, body: bytes | None = None) -> bytes | Failure:
        """The body of a reply with status 200; whatever else happens is a Failure."""
        if self._session is None:
            raise RuntimeError("enter the model first: `async with model:`")
        try:
            async with self._session.request(
                method, url, data=body, allow_redirects=False
            ) as reply:
                content = await _content(reply)
        except TimeoutError:
            return Failure("timeout", f"no reply within {self._timeout.total:g} s")
        # The order matters: the narrower errors are ClientErrors too, a TimeoutError an OSError.
        except (aiohttp.ClientPayloadError, aiohttp.ClientResponseError, _TooLongError) as error:
            return Failure("malformed", f"the reply broke off or is not HTTP: {error}")
        except aiohttp.ClientConnectorCertificateError as error:
            return Failure("connection", f"certificate: {error}", retryable=False)
        except (aiohttp.ClientError, OSError) as error:
            return Failure("connection", f"{type(error).__name__}: {error}")
        if reply.status != 200:
            return failure_of(reply.status, reply.headers, content)
        if "json" not in reply.content_type:
            start = content[:80].decode(errors="replace")
            return Failure(
                "malformed", f"the reply is {reply.content_type}, not JSON: {start!r}", 200
            )
        return content

    async def capabilities(self) -> Capabilities:
        """Find out with one short call per form, repeated where the server refuses a detail.

        Raises:
            ModelError: the server takes neither chat nor plain text.
        """
        listed = await self._listed()
        forms: tuple[Form, ...] = (self.form,) if self.form else ("chat", "completion")
        found = dict(zip(forms, await asyncio.gather(*map(self._probe, forms)), strict=True))
        offers = {form: top for form, top in found.items() if not isinstance(top, Failure)}
        failures = [top for top in found.values() if isinstance(top, Failure)]
        if not offers:
            raise self._unusable(failures[0], listed)
        top = next(iter(offers.values()))
        return Capabilities(
            chat="chat" in offers,
            completion="completion" in offers,
            top_logprobs=top,
            context_length=(listed or {}).get(self.model),
            notes=(*_notes(found), *self.dialect.notes()),
        )

    async def _probe(self, form: Form, tops: Sequence[int] = (20, 5, 0)) -> int | Failure:
        """How many top log-probabilities this form gives; a Failure if it does not work."""
        params = SamplingParams(max_tokens=16, top_logprobs=tops[0])
        chat = form == "chat"
        result = await self._patiently(
            Request((("user", PROBE),) if chat else None, None if chat else PROBE, params)
        )
        if isinstance(result, Response):
            return min(tops[0], len(result.token_logprobs[0])) if result.token_logprobs else 0
        # Servers differ in how many log-probabilities they allow (20, 5, none), and say so only
        # by refusing.
        if result.status in (400, 422) and len(tops) > 1:
            return await self._probe(form, tops[1:])
        return result

    async def _patiently(self, request: Request) -> Response | Failure:
        for attempt in range(1, PROBE_TRIES):
            result = await self._ask(request)
            if isinstance(result, Response) or not result.retryable:
                return result
            await asyncio.sleep(min(result.retry_after or 0.5 * attempt, 10.0))
        return await self._ask(request)

    async def _listed(self) -> dict[str, int | None] | None:
        """The server's models with their context lengths; None where it has no such list."""
        reply = await self._call("GET", self.url / "models")
        return context_lengths(reply) if isinstance(reply, bytes) else None

    def _unusable(self, seen: Failure, listed: dict[str, int | None] | None) -> ModelError:
        message = f"{self.url} does not answer for {self.model!r}: {seen.message}"
        if seen.status in (401, 403):
            return ModelError(message, hint=f"Set {' or '.join(VARIABLES)} to a valid key.")
        if listed and self.model not in listed:
            near = ", ".join(difflib.get_close_matches(self.model, listed, n=3, cutoff=0.0))
            hint = f"The server lists {len(listed)} models, nearest: {self._secret.scrub(near)}."
            return ModelError(message, hint=hint)
        return ModelError(message, hint="Check the address and that the server is running.")


def _notes(found: Mapping[Form, int | Failure]) -> list[str]:
    notes = []
    for form, top in found.items():
        if isinstance(top, Failure):
            notes.append(f"The server does not take {form} prompts: {top.message}")
        elif top == 0:
            notes.append(f"The server gives no log-probabilities with {form} prompts.")
        else:
            notes.append(f"The server gives {top} top log-probabilities with {form} prompts.")
    return notes


class _TooLongError(Exception):
    pass


async def _content(reply: aiohttp.ClientResponse) -> bytes:
    """The body, but not more of it than an answer can be long."""
    length = reply.content_length
    if length is not None and length <= LONGEST_BODY and "Content-Encoding" not in reply.headers:
        return await reply.read()
    parts, size = [], 0
    async for part in reply.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > LONGEST_BODY:
            raise _TooLongError(f"more than {LONGEST_BODY:,} bytes")
    return b"".join(parts)


def _proxy(url: URL) -> str | None:
    """The proxy that the environment names for `url`, looked up once and not at each request."""
    if url.host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(url.host or ""):
        return None
    return getproxies().get(url.scheme)

"""Any server that speaks the OpenAI protocol: `http:NAME[@URL]`.

The address comes from the specification, else from OPENAI_BASE_URL; which key a host gets is said
in `api_key`. Redirects are not followed, so that neither a prompt nor the key goes to a host that
was not named. One request is one call: whoever asks keeps count, and asks again.
"""

from __future__ import annotations

import asyncio
import difflib
import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import Final, Literal, Self

import orjson
from yarl import URL

from horsesense.errors import ModelError, UsageError
from horsesense.models.base import Ask, Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response, SamplingParams
from horsesense.models.openai.address import check_name, checked, proxy_of
from horsesense.models.openai.api_key import DEFAULT, GIVEN, Secret, default_url
from horsesense.models.openai.calls import Calls
from horsesense.models.openai.dialect import Dialect
from horsesense.models.openai.label_tokens import PROBED, LabelTokens
from horsesense.models.openai.protocol import (
    START,
    body_of,
    context_lengths,
    failure_of,
    read_reply,
    usage_in,
)

PROBE: Final = "Reply with the letter A."
PROBE_TRIES: Final = 4
TIMEOUT: Final = 300.0  # seconds for one call
LONGEST_PROBE_PAUSE: Final = 10.0  # seconds

Form = Literal["chat", "completion"]


def from_spec(
    rest: str,
    *,
    max_connections: int = 64,
    timeout: float = TIMEOUT,
    form: Form | None = None,
    key_env: str | None = None,
    given_key: str = GIVEN,
) -> HttpModel:
    """The server behind `NAME[@URL]`.

    Args:
        rest: what follows `http:` in the specification.
        max_connections: requests in flight at most.
        timeout: seconds for one call.
        form: keeps to one kind of prompt where a server takes both.
        key_env: environment variable with the key for this server.
        given_key: the variable that is looked at without one.

    Raises:
        UsageError: the address cannot be one, or contains what must not be stored.
    """
    if not (math.isfinite(timeout) and timeout > 0):
        raise UsageError(f"The time-out is {timeout:g} s.", hint="Give seconds above 0.")
    # The first address counts: what follows it may be a password with an @ of its own.
    start = re.search(r"@(?=https?://)", rest)
    name, address = (rest[: start.start()], rest[start.end() :]) if start else (rest, "")
    check_name(name)
    return HttpModel(
        name,
        checked(address or str(default_url())),
        max_connections=max_connections,
        timeout=timeout,
        form=form,
        key_env=key_env,
        given_key=given_key,
    )


def refuse_shared_key(models: Iterable[object]) -> None:
    """Refuse to send a key that was given for one server to several; UsageError says so."""
    given = [(m.url.origin(), m.key_of) for m in models if isinstance(m, HttpModel) and m.key_of]
    if len({origin for origin, _ in given}) > 1:
        name = next((name for _, name in given if name == GIVEN), given[0][1])
        raise UsageError(
            f"{name} holds the key of one server, and the models are on several.",
            hint="Audit the models of each server on their own. For --against, unset it, and keep"
            " the model's key in another variable (--key-env NAME).",
        )


class HttpModel:
    """One model on one server."""

    batch_size = 1
    thinks = True

    def __init__(
        self,
        model: str,
        url: URL,
        *,
        max_connections: int = 64,
        timeout: float = TIMEOUT,
        form: Form | None = None,
        key_env: str | None = None,
        given_key: str = GIVEN,
    ) -> None:
        self.model = model
        self.url = url
        self.name = f"http:{model}"
        self.identity = f"http:{model}@{url}"
        self.max_connections = max_connections
        self.form = form
        self.dialect = Dialect.of_host(url.host)
        self._secret = Secret.for_host(url, key_env, given_key)
        self._given_key = given_key
        self._timeout = timeout
        self._calls: Calls | None = None
        self._chat = url / "chat/completions"
        self._completions = url / "completions"
        # Beside /v1, as the server has it.
        self._tokenizer = (url.parent if url.name == "v1" else url) / "tokenize"
        self._label_tokens = LabelTokens(self._tokenize)

    def __repr__(self) -> str:
        return f"HttpModel({self.identity!r})"

    @property
    def key_of(self) -> str:
        """See `Secret.of`."""
        return self._secret.of

    async def __aenter__(self) -> Self:
        headers = {
            # A compressed reply can grow without bounds when it is unpacked.
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            **self._secret.headers(),
        }
        self._calls = Calls(headers, proxy_of(self.url), self._timeout)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._calls is not None:
            await self._calls.close()
            self._calls = None

    def count_tokens(self, request: Request) -> int | None:
        """None: the protocol has no call for it."""
        return None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        if len(batch) == 1:
            return [await self._ask(batch[0].request)]
        return await asyncio.gather(*(self._ask(asked.request) for asked in batch))

    async def _ask(self, request: Request) -> Response | Failure:
        """One call. Whatever goes wrong with it, also in reading its reply, is its failure."""
        try:
            result = await self._answer(request)
        except Exception as error:  # noqa: BLE001 - no reply may end the run
            result = Failure("malformed", f"the reply cannot be read: {type(error).__name__}")
        if isinstance(result, Failure):
            return self._secret.scrubbed(result)
        return self._secret.without_key(result)

    async def _answer(self, request: Request) -> Response | Failure:
        if request.params.continuations:
            message = "the protocol cannot score given replies"
            return Failure("rejected", message, retryable=False, unsent=True)
        dialect = self.dialect
        ids = await self._label_tokens.of_request(request) if dialect.token_ids else ()
        if isinstance(ids, Failure):
            return ids
        body = orjson.dumps(body_of(request, self.model, dialect, ids))
        started = time.perf_counter()
        url = self._completions if request.messages is None else self._chat
        reply = await self._call("POST", url, body)
        if isinstance(reply, bytes):
            self._label_tokens.answered(request)
            return read_reply(reply, request, time.perf_counter() - started)
        # Only a refusal that names a detail we send can change the dialect, and each detail
        # changes once. Other requests in flight may have changed it first.
        if reply.status in (400, 422) and dialect.after(reply.message) != dialect:
            self.dialect = self.dialect.after(reply.message)
            self._label_tokens.refused |= bool(ids) and not self.dialect.token_ids
            return replace(reply, kind="dialect", retryable=True)
        if self._label_tokens.may_be_why(reply, request, ids):
            return replace(reply, kind="dialect", retryable=True)
        return reply

    async def _call(self, method: str, url: URL, body: bytes | None = None) -> bytes | Failure:
        """The body of a reply with status 200; whatever else happens is a Failure."""
        if self._calls is None:
            raise RuntimeError("enter the model first: `async with model:`")
        reply = await self._calls.call(method, url, body)
        if isinstance(reply, Failure):
            return reply
        status, headers, content = reply
        if status != 200:
            return failure_of(status, headers, content)
        kind = headers.get("Content-Type", "of no stated kind").partition(";")[0].strip().lower()
        if "json" not in kind:
            start = content[:START].decode(errors="replace")
            message = f"the reply is {kind}, not JSON: {start!r}"
            return Failure("malformed", message, 200, usage=usage_in(content))
        return content

    async def capabilities(self) -> Capabilities:
        """`probe`, on nobody's account."""
        return await self.probe(self._ask)

    async def probe(self, ask: Ask) -> Capabilities:
        """Find out with one short call per form, repeated where the server refuses a detail.

        Raises:
            ModelError: the server takes neither chat nor plain text, or does not say.
        """
        listed = await self._listed()
        forms: tuple[Form, ...] = (self.form,) if self.form else ("chat", "completion")
        found = dict(
            zip(forms, await asyncio.gather(*(_top_of(form, ask) for form in forms)), strict=True)
        )
        offers = {form: top for form, top in found.items() if not isinstance(top, Failure)}
        failures = [top for top in found.values() if isinstance(top, Failure)]
        if not offers:
            raise self._unusable(failures[0], listed)
        unsure = found.get("chat")
        if isinstance(unsure, Failure) and unsure.retryable:
            # Taken for "no chat prompts", a passing fault would have everything asked in another
            # form, also what is stored already.
            raise ModelError(
                f"{self.url} does not say whether it takes chat prompts: {unsure.message}",
                hint="Nothing else was asked. Run the same command again when it is well.",
            )
        form, top = next(iter(offers.items()))
        ignored = await self._probe_labels(form, top, ask)
        return Capabilities(
            chat="chat" in offers,
            completion="completion" in offers,
            top_logprobs=top,
            label_tokens=self.dialect.token_ids,
            context_length=(listed or {}).get(self.model),
            notes=(*_notes(found), *ignored, *self.dialect.notes()),
        )

    def recall(self, offers: Capabilities) -> None:
        """Have labels scored by their tokens where a probe elsewhere found that they can be."""
        self.dialect = self.dialect._replace(token_ids=offers.label_tokens)

    async def _probe_labels(self, form: Form, top: int, ask: Ask) -> list[str]:
        """Find out whether labels can be scored by their tokens; a note where they cannot.

        Only a server that tokenises (vLLM) is asked. One that does not know the field may ignore
        it, so that all of the unlikely labels must come back.
        """
        if not top or not isinstance(await self._label_tokens.of(PROBED), tuple):
            return []
        self.dialect = self.dialect._replace(token_ids=True)
        params = SamplingParams(max_tokens=1, top_logprobs=top, label_tokens=PROBED)
        result = await _patiently(_probing(form, params), ask)
        given = result.token_logprobs[:1] if isinstance(result, Response) else ()
        if set(PROBED) <= {text.strip() for position in given for text in position}:
            return []
        self.dialect = self.dialect._replace(token_ids=False)
        return [
            "The server does not score tokens by name (logprob_token_ids): "
            f"labels that are not among the {top} most likely tokens are missing, and counted."
        ]

    async def _tokenize(self, text: str) -> bytes | Failure:
        body = {"model": self.model, "prompt": text, "add_special_tokens": False}
        return await self._call("POST", self._tokenizer, orjson.dumps(body))

    async def _listed(self) -> dict[str, int | None] | None:
        """The server's models with their context lengths; None where it has no such list."""
        reply = await self._call("GET", self.url / "models")
        return context_lengths(reply) if isinstance(reply, bytes) else None

    def _unusable(self, seen: Failure, listed: dict[str, int | None] | None) -> ModelError:
        message = f"{self.url} does not answer for {self.model!r}: {seen.message}"
        if seen.status in (401, 403):
            hint = self._secret.withheld or f"Set {self._given_key} or {DEFAULT} to a valid key."
            return ModelError(message, hint=hint)
        if listed and self.model not in listed:
            few = islice((name for name in listed if len(name) < 200), 5_000)
            near = ", ".join(difflib.get_close_matches(self.model, few, n=3, cutoff=0.0))
            hint = f"Models of the server: {len(listed)}, nearest: {self._secret.scrub(near)}."
            return ModelError(message, hint=hint)
        hint = "Check the address and that the server is running."
        if seen.kind == "timeout" and not seen.unsent:
            hint = f"--timeout SECONDS waits longer. {hint}"
        return ModelError(message, hint=hint)


async def _top_of(form: Form, ask: Ask, tops: Sequence[int] = (20, 5, 0)) -> int | Failure:
    """How many top log-probabilities a form gives; a Failure if it does not work."""
    params = SamplingParams(max_tokens=16, top_logprobs=tops[0])
    result = await _patiently(_probing(form, params), ask)
    if isinstance(result, Response):
        return min(tops[0], len(result.token_logprobs[0])) if result.token_logprobs else 0
    # Servers differ in how many log-probabilities they allow (20, 5, none), and say so only
    # by refusing.
    if result.status in (400, 422) and len(tops) > 1:
        return await _top_of(form, ask, tops[1:])
    return result


def _probing(form: Form, params: SamplingParams) -> Request:
    chat = form == "chat"
    return Request((("user", PROBE),) if chat else None, None if chat else PROBE, params)


async def _patiently(request: Request, ask: Ask) -> Response | Failure:
    tries = 1
    while True:
        result = await ask(request)
        if isinstance(result, Response) or not result.retryable:
            return result
        if result.kind != "dialect":
            if tries == PROBE_TRIES:
                return result
            await asyncio.sleep(min(result.retry_after or 0.5 * tries, LONGEST_PROBE_PAUSE))
            tries += 1


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

"""Any model that Inspect knows: `inspect:PROVIDER/NAME[@URL][?setting=value&...]`.

Inspect's providers speak the protocols of Anthropic, Google and the rest, and read their own keys
from the environment. Settings are those of its `GenerateConfig` (reasoning_effort, seed, ...); what
its `-M` passes to a provider is written args.NAME=VALUE. The extra `inspect` installs it.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import yaml

from horsesense.errors import UsageError, install
from horsesense.hosts import to_name, unnamed
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import Failure, Request, Response, Usage, ended_by, no_reply
from horsesense.models.openai.api_key import Secret
from horsesense.models.openai.protocol import SCORED_TOKENS, thought_apart, usage_of
from horsesense_extras.logs.values import mapping, reasoning_of

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.model import Model as InspectModel

OURS: Final = frozenset(
    ("max_retries", "max_tokens", "temperature", "top_p", "logprobs", "top_logprobs")
)
"""Settings that a study decides, request by request."""
UNSEEN: Final = frozenset(("max_connections", "timeout", "attempt_timeout", "stream_idle_timeout"))
"""Settings that change no answer, and hence no identity."""
ARGS: Final = "args."
HINT: Final = install("inspect")


class InspectProviderModel(HoldsNothing):
    """One model behind one of Inspect's providers.

    Args:
        name: PROVIDER/NAME.
        identity: the same with its address and settings.
        model: made by `inspect_ai.model.get_model`.
        config: settings of every call besides those of the request.
        top_logprobs: how many alternatives it gives at each first position.
    """

    batch_size = 1
    thinks = True

    def __init__(
        self,
        name: str,
        identity: str,
        model: InspectModel,
        config: Mapping[str, Any],
        top_logprobs: int = 0,
    ) -> None:
        self.name = f"inspect:{name}"
        self.identity = f"inspect:{identity}"
        self.max_connections = int(config.get("max_connections") or model.api.max_connections())
        self._model = model
        self._config = dict(config)
        self._top_logprobs = top_logprobs
        self._secret = Secret.set_here()

    async def __aexit__(self, *error: object) -> None:
        await self._model.api.aclose()

    async def capabilities(self) -> Capabilities:
        """What its settings say; no call is made."""
        notes = [f"Inspect's settings: {name}={value}." for name, value in self._config.items()]
        return Capabilities(chat=True, top_logprobs=self._top_logprobs, notes=tuple(notes))

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return await asyncio.gather(*(self._ask(asked.request) for asked in batch))

    async def _ask(self, request: Request) -> Response | Failure:
        started = time.perf_counter()
        try:
            output = await self._model.generate(
                chat_messages(request), config=generate_config(request, self._config)
            )
        except Exception as error:  # noqa: BLE001 - each provider raises errors of its own
            return self._failure(error)
        return response_of(output, request, time.perf_counter() - started)

    def _failure(self, error: Exception) -> Failure:
        """What was seen; the provider says whether asking again can help."""
        last = getattr(error, "last_attempt", None)
        seen = last.exception() if last is not None else error
        again = self._model.api.should_retry(seen)
        wait = getattr(again, "retry_after", None)
        status = getattr(seen, "status_code", None)
        return Failure(
            "rate_limit" if status == 429 else "server",
            self._secret.scrub(f"{type(seen).__name__}: {seen}"),
            status if isinstance(status, int) else None,
            bool(getattr(again, "retry", again)),
            float(wait) if isinstance(wait, int | float) else None,
        )


def from_spec(rest: str) -> InspectProviderModel:
    """The model behind `PROVIDER/NAME[@URL][?setting=value&...]`.

    Raises:
        UsageError: Inspect is not installed, does not know the model, or a setting is not one.
    """
    if strange := unnamed(f"inspect:{rest}"):  # it would get the provider's key
        raise UsageError(f"A file names {strange}, and no option does.", hint=to_name(strange))
    try:
        from inspect_ai.model import get_model
    except ImportError:
        raise UsageError("inspect:... needs the package inspect-ai.", hint=HINT) from None
    name, _, query = rest.partition("?")
    name, at, address = name.partition("@")
    if at:
        parts = urlsplit(address)
        if parts.username or parts.password or parts.query:
            raise UsageError(
                "The address holds a user name, a password or a query.",
                hint="Addresses are stored with the run. Put keys into the environment.",
            )
    settings = dict(parse_qsl(query, keep_blank_values=True))
    top = settings.pop("top_logprobs", "0")
    if not top.isdigit():
        raise UsageError(f"top_logprobs={top!r} is not a whole number.")
    unseen = {key: settings.pop(key) for key in sorted(settings) if key in UNSEEN}
    where = f"{name}{at}{address}"
    identity = where + (f"?{urlencode(sorted(settings.items()))}" if settings else "")
    args = {k: settings.pop(k) for k in list(settings) if k.startswith(ARGS)}
    config = _config(settings | unseen)
    try:
        model = get_model(
            name,
            base_url=address if at else None,
            memoize=False,
            **{key.removeprefix(ARGS): yaml.safe_load(value) for key, value in args.items()},
        )
    except Exception as error:  # noqa: BLE001 - each provider raises errors of its own
        raise UsageError(
            f"Inspect cannot make the model {name!r}: {_plain(error)}",
            hint="Write PROVIDER/NAME, such as anthropic/claude-sonnet-4-5.",
        ) from None
    client: Any = getattr(model.api, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0  # or it asks again by itself, beyond any budget
    return InspectProviderModel(name, identity, model, config, int(top))


def _plain(error: Exception) -> str:
    """What an error says on one line, without markup for terminals."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).split())


def _config(settings: Mapping[str, str]) -> dict[str, Any]:
    """Settings of Inspect's `GenerateConfig`, checked by it; UsageError names what is wrong."""
    from inspect_ai.model import GenerateConfig
    from pydantic import ValidationError

    for name in settings:
        if name not in GenerateConfig.model_fields or name in OURS:
            known = sorted(GenerateConfig.model_fields.keys() - OURS)
            raise UsageError.unknown("setting of Inspect's models", name, known)
    try:
        found = GenerateConfig.model_validate(settings)
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError("These settings do not fit: " + "; ".join(faults)) from None
    return {name: getattr(found, name) for name in settings}


def chat_messages(request: Request) -> list[ChatMessage]:
    """A request's messages as Inspect has them; a plain text is one user message."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
        "system": ChatMessageSystem,
    }
    messages = request.messages or (("user", request.text or ""),)
    return [kinds[role](content=text) for role, text in messages]


def generate_config(request: Request, more: Mapping[str, Any] | None = None) -> GenerateConfig:
    """The decoding that a request wants. Nothing is asked again or cached: our runner does both."""
    from inspect_ai.model import GenerateConfig

    params = request.params
    values: dict[str, Any] = {
        "max_tokens": max(1, params.max_tokens),
        "temperature": params.temperature,
        "max_retries": 0,
        "cache": False,
    }
    if params.top_p is not None:
        values["top_p"] = params.top_p
    if params.effort is not None:
        values["reasoning_effort"] = params.effort
    if params.thinking_tokens is not None:
        values["reasoning_tokens"] = params.thinking_tokens
    if params.top_logprobs:
        values |= {"logprobs": True, "top_logprobs": params.top_logprobs}
    return GenerateConfig(**(values | dict(more or {})))


def response_of(
    output: ModelOutput, request: Request, latency: float | None = None
) -> Response | Failure:
    """What Inspect's output says, as our own runner keeps it."""
    if output.error or not output.choices:
        return Failure("rejected", Secret.set_here().scrub(output.error or "no choices"))
    choice = output.choices[0]
    usage = output.usage
    if (failure := no_reply(choice.stop_reason)) is not None:
        return failure
    thought, text = thought_apart(choice.message.text)
    content = mapping(choice.message.model_dump()).get("content")
    return Response(
        text=text if request.params.max_tokens else "",
        finish_reason=ended_by(choice.stop_reason),
        token_logprobs=_token_logprobs(choice) if request.params.top_logprobs else (),
        usage=_usage(usage) if usage else Usage(),
        latency=latency,
        served_by=output.model or None,
        reasoning=reasoning_of(content) or thought,
    )


def _usage(told: Any) -> Usage:
    tokens = told.input_tokens, told.output_tokens, told.reasoning_tokens, told.total_tokens
    return usage_of(*tokens)


def _token_logprobs(choice: Any) -> tuple[dict[str, float], ...]:
    """Log-probabilities of the first tokens and their alternatives; those that are numbers."""
    content = choice.logprobs.content if choice.logprobs else []
    found = []
    for scored in content[:SCORED_TOKENS]:
        position: dict[str, float] = {}
        for entry in (*(scored.top_logprobs or ()), scored):
            if math.isfinite(entry.logprob):
                position.setdefault(entry.token, entry.logprob)
        found.append(position)
    return tuple(found)

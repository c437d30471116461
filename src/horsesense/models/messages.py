"""What goes to a model and what comes back.

A `Request` holds everything that determines the answer and nothing else: no gold, no probe, no
item. Its key, a hash together with the model's identity, is the only link to the store.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import field, fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal

import orjson

from horsesense.rng import digest
from horsesense.values import quick

Key = bytes
"""16 bytes: hash of a request and the identity of the model that is asked."""

Message = tuple[Literal["system", "user", "assistant"], str]


def as_thought(text: str) -> str:
    """A thought as it stands before an answer, where one text holds both; some servers refuse a
    reply that begins with a text that ends in a space or a line break."""
    return f"<think>\n{text}\n</think>"


@quick(frozen=True, slots=True)
class SamplingParams:
    """Everything that is wanted of ONE prompt.

    Attributes:
        max_tokens: upper limit of generated tokens; 0 asks for scores alone.
        temperature: 0 is greedy.
        top_p: nucleus; None leaves the server's default.
        top_logprobs: how many alternatives at each of the first positions (0: none).
        label_tokens: texts (option labels, yes/no) whose log-probability is wanted at the first
            positions in every single-token spelling, where the backend can give it exactly.
        continuations: texts whose total log-probability as the reply is wanted, where the
            backend can score.
        unconditional: a prompt without the question, in the same form (one user message, or plain
            text), after which the continuations are scored a second time; None where not wanted.
        effort: how much to think, in the server's word ("low", "high"); None says nothing.
        thinking_tokens: most tokens of thought, contained in `max_tokens`; None says nothing.
        sample: number of the draw; the same prompt with another number is asked again.
    """

    max_tokens: int = 16
    temperature: float = 0.0
    top_p: float | None = None
    top_logprobs: int = 0
    label_tokens: tuple[str, ...] = ()
    continuations: tuple[str, ...] = ()
    sample: int = 0
    unconditional: str | None = None
    effort: str | None = None
    thinking_tokens: int | None = None

    def as_json(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in _PARAMS}
        told["watch"] = told.pop("label_tokens")
        # What came later is left out where it is not used: keys stay those of earlier releases.
        return {n: value for n, value in told.items() if value is not None or n == "top_p"}


_PARAMS: Final = tuple(field.name for field in fields(SamplingParams))


@lru_cache(64)
def _written(params: SamplingParams) -> orjson.Fragment:
    """Their canonical JSON: most requests of a study have the same."""
    return orjson.Fragment(orjson.dumps(params.as_json(), option=orjson.OPT_SORT_KEYS))


@quick(frozen=True, slots=True)
class Request:
    """One prompt with its decoding: either chat `messages` or a plain `text` to complete."""

    messages: tuple[Message, ...] | None
    text: str | None
    params: SamplingParams = field(default=SamplingParams())
    _stored: list[str] = field(default_factory=list, init=False, compare=False, repr=False)

    def as_json(self) -> dict[str, Any]:
        """The request as it is stored and hashed; names stay as they were when the first was."""
        return self._told(self.params.as_json())

    def _told(self, params: object) -> dict[str, Any]:
        prompt = {"text": self.text} if self.messages is None else {"messages": self.messages}
        return {**prompt, "params": params}

    def stored(self) -> str:
        """Its canonical JSON, made once: it is hashed, bounds what a call costs, and is stored."""
        if not self._stored:
            told = orjson.dumps(self._told(_written(self.params)), option=orjson.OPT_SORT_KEYS)
            self._stored.append(told.decode())
        return self._stored[0]

    def key(self, identity: str) -> Key:
        """Content hash of this request put to the model named `identity`."""
        return digest([identity, orjson.Fragment(self.stored())])

    @property
    def begun(self) -> bool:
        """Whether the reply is begun, and is to be gone on with."""
        return self.messages is not None and self.messages[-1][0] == "assistant"

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Request:
        params = dict(value["params"])
        params["label_tokens"] = tuple(params.pop("watch"))
        params["continuations"] = tuple(params["continuations"])
        messages = value.get("messages")
        return cls(
            messages=None if messages is None else tuple((r, c) for r, c in messages),
            text=value.get("text"),
            params=SamplingParams(**params),
        )


@quick(frozen=True, slots=True)
class Usage:
    """Tokens as the model counted them; None where it does not say.

    `completion_tokens` is everything that was generated, the `reasoning_tokens` included.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None


UNCOUNTED: Final = Usage()
_NO_SCORES: Mapping[str, tuple[float, int]] = MappingProxyType({})


_ENDS: Final = re.compile(
    r"\s*(?:(?:finish|stop)?_?reason[._])?(?:(?P<unsaid>|unknown|unspecified|null|none)"
    r"|(?P<limit>(?:\w+_)?length|max_len|max(?:imum)?_(?:\w+_)?tokens|(?:token_)?limit"
    r"|\w*window_exceeded)|stop(?:_(?:sequence|str|string|token|word))?(?:_reached)?"
    r"|eos(?:_token)?|end_?(?:of_?)?(?:turn|text)|completed?|finish(?:ed)?|normal|done|word"
    r"|repetition|tool_(?:calls?|use)|function_call)\s*",
    re.IGNORECASE,
)
"""Ends of a whole reply, and of one at its limit on tokens, as APIs document them.

OpenAI: stop, tool_calls, function_call, completed; length, max_output_tokens. Anthropic, Bedrock:
end_turn, stop_sequence, tool_use, FINISH; max_tokens, model_context_window_exceeded. Gemini: STOP;
MAX_TOKENS. Mistral: model_length. Cohere: COMPLETE. TGI, watsonx: eos_token; token_limit.
llama.cpp: eos, word; limit. vLLM: repetition. Others: end_of_text, endoftext, normal, done.
Nothing is said by a server that gives none, "", "unknown" (Inspect), FINISH_REASON_UNSPECIFIED.
"""


def ended_by(reason: str | None) -> str | None:
    """Why a reply ended: "length" for every server's word for the limit on tokens, None for all
    that say nothing, else its own."""
    found = _ENDS.fullmatch(reason) if isinstance(reason, str) and reason != "stop" else None
    if found is None or found.lastgroup is None:
        return reason
    return "length" if found.lastgroup == "limit" else None


WITHHELD: Final = re.compile(
    r"content[ _-]?(?:filter|management|policy)|safety|blocklist|prohibited|recitation|\brefusal\b"
    r"|\bspii\b|guardrail|usage polic(?:y|ies)|^(?:sensitive|error_toxic)$",
    re.IGNORECASE,
)
"""What a provider says that held a reply back."""


@lru_cache(16)
def broken_off(reason: str | None) -> Literal["filtered", "failed"] | None:
    """Whether a reply was held back, or did not end in a way that an API documents: it is none.

    >>> broken_off("content_filter"), broken_off("oom"), broken_off("stop")
    ('filtered', 'failed', None)
    """
    if WITHHELD.search(reason or ""):
        return "filtered"
    return None if _ENDS.fullmatch(reason or "") else "failed"


@quick(frozen=True, slots=True)
class Response:
    """What came back, byte for byte.

    Attributes:
        text: the generated text; "" where scores alone were asked for.
        finish_reason: "stop", "length" or the server's own word; None where unknown.
        token_logprobs: log-probabilities (natural) of tokens at the first positions, position 1
            first; a token's text is kept with its leading space. Empty where not given.
        continuations: continuation text -> (total log-probability, number of tokens).
        unconditional: the same after `SamplingParams.unconditional`; empty where not wanted.
        usage: token counts.
        latency: seconds from sending to receipt; None where it means nothing.
        served_by: the model name that the server reports.
        reasoning: what the model thought before it replied, where that is told apart; never read
            as an answer.
    """

    text: str
    finish_reason: str | None = None
    token_logprobs: tuple[Mapping[str, float], ...] = ()
    continuations: Mapping[str, tuple[float, int]] = field(default_factory=lambda: _NO_SCORES)
    unconditional: Mapping[str, tuple[float, int]] = field(default_factory=lambda: _NO_SCORES)
    usage: Usage = Usage()
    latency: float | None = None
    served_by: str | None = None
    reasoning: str = ""

    @property
    def scores_alone(self) -> bool:
        """Whether scores came and no reply, as in logs that hold none: that is no empty reply."""
        came = self.token_logprobs or self.continuations
        said = self.text or self.reasoning or self.finish_reason or self.usage.completion_tokens
        return bool(came) and not said

    def as_json(self) -> dict[str, Any]:
        """Plain JSON value; fields that hold nothing are left out.

        JSON has no infinity: a log-probability of -inf becomes null when it is written.
        """
        out: dict[str, Any] = {"text": self.text}
        if self.finish_reason is not None:
            out["finish_reason"] = self.finish_reason
        if self.token_logprobs:
            out["positions"] = [dict(position) for position in self.token_logprobs]
        if self.continuations:
            out["continuations"] = dict(self.continuations)
        if self.unconditional:
            out["unconditional"] = dict(self.unconditional)
        if self.usage != UNCOUNTED:
            tokens = [self.usage.prompt_tokens, self.usage.completion_tokens]
            thought = self.usage.reasoning_tokens  # earlier releases wrote two numbers
            out["usage"] = tokens if thought is None else [*tokens, thought]
        if self.latency is not None:
            out["latency"] = round(self.latency, 4)
        if self.served_by is not None:
            out["served_by"] = self.served_by
        if self.reasoning:
            out["reasoning"] = self.reasoning
        return out

    def says(self, other: Response) -> bool:
        """Whether two responses say the same: text, its end, scores; cost may differ."""
        return _said(self) == _said(other)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Response:
        return cls(
            value["text"],
            value.get("finish_reason"),
            tuple(map(_position, value.get("positions", ()))),
            _pairs(value.get("continuations", _NO_SCORES)),
            _pairs(value.get("unconditional", _NO_SCORES)),
            Usage(*value.get("usage", ())),
            value.get("latency"),
            value.get("served_by"),
            value.get("reasoning", ""),
        )


def _said(response: Response) -> dict[str, Any]:
    aside = ("usage", "latency", "served_by")
    return {name: value for name, value in response.as_json().items() if name not in aside}


def _pairs(scores: Mapping[str, Any]) -> Mapping[str, tuple[float, int]]:
    return scores and {
        text: (-math.inf if total is None else total, tokens)
        for text, (total, tokens) in scores.items()
    }


def _position(scores: dict[str, Any]) -> dict[str, float]:
    if None not in scores.values():
        return scores
    return {token: -math.inf if score is None else score for token, score in scores.items()}


@quick(frozen=True, slots=True)
class Failure:
    """A call that gave no answer. It is stored apart and never read as one.

    Attributes:
        kind: "rate_limit", "server", "connection", "timeout", "malformed", "rejected", or
            "dialect" where the same request can be asked again in other words at once.
        message: what was seen, shortened, without credentials.
        status: HTTP status where there was one.
        retryable: whether asking again can help.
        retry_after: seconds the server asked to wait.
        usage: token counts, where the model states them: a failed call can cost as much.
        unsent: whether the request certainly never reached the model, so that it cost nothing.
    """

    kind: str
    message: str
    status: int | None = None
    retryable: bool = True
    retry_after: float | None = None
    usage: Usage = Usage()
    unsent: bool = False

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Failure:
        """A failure as it was stored."""
        return cls(**{**value, "usage": Usage(**value.get("usage", {}))})


def no_reply(reason: object) -> Failure | None:
    """The failure of a call, from why its text ended: a filter removed it, if in part, or it broke
    off. None for a reply, also one cut off at its limit. Whatever takes in replies asks this."""
    kind = broken_off(reason) if isinstance(reason, str) else None
    if kind == "filtered":
        message = "the server's content filter removed the reply, or a part of it"
        return Failure("rejected", message, 200, retryable=False)
    return Failure("server", f"the reply broke off: {reason}"[:200], 200) if kind else None


UNATTACHED: Final = Failure(
    "rejected", "the model answers from trials, and none was attached to this", retryable=False
)
"""The failure of a simulated or recorded model that was asked without being told the trial."""

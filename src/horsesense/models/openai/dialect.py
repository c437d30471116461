"""What servers want said differently; it shows in their refusals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from horsesense.models.messages import SamplingParams

EFFORT_FIELDS: Final = ("reasoning_effort", "reasoning.effort", "output_config.effort")
"""Where servers take how much to think; a dot stands before a field of an object."""
THINKING_FIELDS: Final = (
    *("thinking_token_budget", "thinking_budget"),
    *("thinking.budget_tokens", "reasoning.max_tokens"),
)
"""Where they take the most tokens of thought: vLLM, Qwen, Anthropic, OpenRouter."""
_WITH: Final[Mapping[str, dict[str, Any]]] = {
    "thinking_budget": {"enable_thinking": True},
    "thinking.budget_tokens": {"thinking": {"type": "enabled"}},
}
"""What must be said besides."""
_OF_HOSTS: Final = {
    "openrouter.ai": ("reasoning.effort", "reasoning.max_tokens"),
    "api.anthropic.com": ("output_config.effort", "thinking.budget_tokens"),
    "aliyuncs.com": ("reasoning_effort", "thinking_budget"),
}
"""Fields of servers that ignore those which others take."""
_NO_FIELD: Final = re.compile(
    r"unknown|unrecogni[sz]ed|unsupported param|extra (?:field|input)|unexpected|not permitted",
    re.I,
)


class Dialect(NamedTuple):
    """What a server wants said differently.

    Attributes:
        limit_field: name of the limit of generated tokens.
        temperature: whether a temperature may be given; if not, the server's own applies.
        token_ids: whether it scores tokens that are named (`logprob_token_ids`, of vLLM).
        prefix: whether it is told to go on with a reply that is begun (vLLM), as it would not else.
        effort_field, thinking_field: where it takes how much to think.
    """

    limit_field: str = "max_tokens"
    temperature: bool = True
    token_ids: bool = False
    prefix: bool = True
    effort_field: str = EFFORT_FIELDS[0]
    thinking_field: str = THINKING_FIELDS[0]

    @classmethod
    def of_host(cls, host: str | None) -> Dialect:
        """The dialect that a server is first spoken to in."""
        for name, (effort, thinking) in _OF_HOSTS.items():
            if f".{host}".endswith(f".{name}"):
                return cls(effort_field=effort, thinking_field=thinking)
        return cls()

    def after(self, refusal: str) -> Dialect:
        """The dialect that a refusal asks for; the same one if it is about something else."""
        if "max_completion_tokens" in refusal and self.limit_field == "max_tokens":
            return self._replace(limit_field="max_completion_tokens")
        if self.token_ids and "logprob_token_ids" in refusal:
            return self._replace(token_ids=False)
        if self.prefix and re.search("continue_final_message|add_generation_prompt", refusal):
            return self._replace(prefix=False)
        if self.temperature and re.search(
            r"temperature.{0,80}(unsupported|not support|only the default|may only be)|"
            r"(unsupported|not support).{0,80}temperature",
            refusal,
            re.IGNORECASE,
        ):
            return self._replace(temperature=False)
        if _NO_FIELD.search(refusal):
            return self._replace(
                effort_field=_next(EFFORT_FIELDS, self.effort_field, refusal),
                thinking_field=_next(THINKING_FIELDS, self.thinking_field, refusal),
            )
        return self

    def notes(self) -> list[str]:
        """Sentences for the plan and the report."""
        notes = []
        if self.limit_field != "max_tokens":
            notes.append(f"The server takes {self.limit_field} instead of max_tokens.")
        if not self.temperature:
            notes.append(
                "The server refuses a temperature and uses its own, so that answers may vary."
            )
        if self.token_ids:
            notes.append(
                "When it was asked first, the server scored every label, by its tokens"
                " (logprob_token_ids)."
            )
        return notes

    def say_thought(self, body: dict[str, Any], params: SamplingParams) -> None:
        """Write into a body how much is to be thought, if anything is set."""
        for field, value in (
            (self.effort_field, params.effort),
            (self.thinking_field, params.thinking_tokens),
        ):
            if value is not None:
                body |= _WITH.get(field, {})
                top, _, inner = field.partition(".")
                body[top] = {**body.get(top, {}), inner: value} if inner else value


def _next(fields: Sequence[str], now: str, refusal: str) -> str:
    """The field to try after a refusal that names the one that was sent; the same one else."""
    later = fields[fields.index(now) + 1 :]
    named = re.search(rf"\b{now.partition('.')[0]}\b", refusal)
    return later[0] if later and named else now

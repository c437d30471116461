"""Values in foreign JSON: taken for what they are, and for nothing where they are not that."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from horsesense.models.messages import Response, Usage, ended_by

LETTERS: Final = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
MOST: Final = 2**53
"""Greatest whole number that is believed: greater ones are not exact in JSON."""

_THOUGHT: Final = re.compile("reason|think|thought|summary")
"""Kinds of parts of a message, by all names in use."""
_NONE: Final[Mapping[str, Any]] = {}
_ended: Final = lru_cache(64)(ended_by)


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    # What JSON makes is a dict; a test for any Mapping takes ten times as long.
    return value if isinstance(value, dict) else _NONE


def items_of(value: object) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def number(value: object) -> float | None:
    """A finite number, also one that is written as a text; yes and no are 1 and 0."""
    if isinstance(value, str | int | float):
        try:
            found = float(value)
        except (ValueError, OverflowError):
            return None
        return found if math.isfinite(found) else None
    return None


def whole(value: object) -> int | None:
    """A whole number from 0 to `MOST`; None for anything else."""
    found = value if type(value) is int else number(value)
    return int(found) if found is not None and 0 <= found <= MOST and found == int(found) else None


def log_probability(value: object) -> float | None:
    """A log-probability, also one that is written as a text; -inf says that it is impossible."""
    impossible = isinstance(value, str | float) and value in (-math.inf, "-Infinity", "-inf")
    return -math.inf if impossible else number(value)


def at(value: object, *paths: str) -> Any:
    """What stands at the first of some paths that leads to anything; None where none does.

    >>> at({"choices": [{"text": "B"}]}, "choices.0.message.content", "choices.0.text")
    'B'
    """
    for path in paths:
        found: Any = value
        for step, place in _steps(path):
            if isinstance(found, dict):
                found = found.get(step)
            else:
                inside = place is not None and isinstance(found, list) and place < len(found)
                found = found[place] if inside else None
            if found is None:
                break
        else:
            return found
    return None


@cache
def _steps(path: str) -> tuple[tuple[str, Any], ...]:
    return tuple((step, int(step) if step.isdigit() else None) for step in path.split("."))


Prompt = tuple[tuple[str, str], ...] | str | None
"""What was sent: messages (role, text), or the plain text; None where it is not known."""
Read = Callable[[object], str]
"""Makes the text of a message's content."""


def text_of(content: object, inner: Read | None = None) -> str:
    """The text of a message's content: a text, or parts of which the texts are taken.

    What is not text is named in brackets ("[image]"), so that nobody takes the rest for the whole.
    """
    if isinstance(content, str):
        return content
    read = inner or text_of
    parts = []
    for part in items_of(content):
        kind, said = mapping(part).get("type"), at(part, "text", "content", "refusal")
        if isinstance(part, str):
            parts.append(read(part))
        elif _is_thought(part):
            continue
        elif isinstance(said, str | list):
            parts.append(read(said))
        else:
            parts.append(f"[{kind or 'part'}]")
    return "\n".join(parts)


def _is_thought(part: object) -> bool:
    kind = str(mapping(part).get("type")).lower()
    return mapping(part).get("thought") is True or bool(_THOUGHT.search(kind))


def messages_of(given: object, read: Read = text_of) -> tuple[tuple[str, str], ...]:
    """Role and text of each message of a chat."""
    return tuple(
        (str(mapping(m).get("role") or "user"), read(mapping(m).get("content")))
        for m in items_of(given)
    )


def reasoning_of(content: object, read: Read = text_of) -> str:
    """What the model thought, where a message's content holds that as parts of its own."""
    parts = filter(_is_thought, items_of(content))
    fields = ("reasoning", "thinking", "content", "text", "summary")
    found = (next((p[name] for name in fields if p.get(name)), "") for p in parts)
    listed = ([text] if isinstance(text, str) else items_of(text) for text in found)
    return "\n".join(read(at(t, "text") or t) for texts in listed for t in texts)


def stopped(reason: object) -> str | None:
    """Why a reply ended, in our words where there is one ("length"); None where that is unknown."""
    told = at(reason, "type", "reason") or reason
    return _ended(str(told)) if isinstance(told, str | dict) else None


def top_logprobs(content: object, most: int = 20) -> tuple[Mapping[str, float], ...]:
    """Log-probabilities at the first positions.

    A position is a token with its `logprob` and a list of alternatives in `top_logprobs` (chats),
    or else an object of alternatives, itself (completions) or in `top_logprobs` (HELM).
    """
    positions = []
    for position in items_of(content)[:most]:
        found: dict[str, float] = {}
        listed = mapping(position).get("top_logprobs")
        if "token" in mapping(position):
            parts = map(mapping, [position, *items_of(listed)])
            pairs = [(part.get("token"), part.get("logprob")) for part in parts]
        else:
            pairs = list(mapping(position if listed is None else listed).items())
        for token, value in pairs:
            known = value if type(value) is float else number(value)
            if isinstance(token, str) and known is not None:
                found.setdefault(token, known)
        positions.append(found)
    # A token without alternatives is what the reply says already.
    return tuple(positions) if positions and max(map(len, positions)) > 1 else ()


@dataclass(frozen=True)
class Layout:
    """Where an answer stands in what a program wrote; of several paths, the first that leads there.

    Attributes:
        reply, reasoning, finish_reason, logprobs: fields of a sample.
        prompt_tokens, reply_tokens, thought_tokens: its usage.
        model: the name that the reply gives its model.
    """

    reply: tuple[str, ...]
    finish_reason: tuple[str, ...] = ()
    logprobs: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    prompt_tokens: tuple[str, ...] = ()
    reply_tokens: tuple[str, ...] = ()
    thought_tokens: tuple[str, ...] = ()
    model: tuple[str, ...] = ()

    def answer(
        self, body: object, read: Read = text_of, otherwise: object = None
    ) -> Response | None:
        """What came back; `otherwise` is the text where the reply has none.

        A body without a text says by why it ended, or by its thought, that it is an empty reply.
        """
        content, thought = at(body, *self.reply), at(body, *self.reasoning)
        if not isinstance(thought, str):
            thought = "" if isinstance(content, str) else reasoning_of(content, read)
        ended = stopped(at(body, *self.finish_reason))
        logprobs = top_logprobs(at(body, *self.logprobs))
        text = read(content) if isinstance(content, str | list) else None
        if not text and isinstance(otherwise, str) and otherwise:
            text = read(otherwise)
        if text is None and not (ended or thought or logprobs):
            return None
        counts = (self.prompt_tokens, self.reply_tokens, self.thought_tokens)
        return Response(
            text or "",
            ended,
            logprobs,
            usage=Usage(*(whole(at(body, *paths)) for paths in counts)),
            served_by=str(at(body, *self.model) or "") or None,
            reasoning=thought,
        )


_TOKENS: Final = "max_tokens", "max_completion_tokens", "max_gen_toks", "max_new_tokens"
_SETTINGS: Final[Mapping[str, tuple[str, Callable[[object], float | None]]]] = {
    **dict.fromkeys(_TOKENS, ("max_tokens", whole)),
    "temperature": ("temperature", number),
    "top_p": ("top_p", number),
    **dict.fromkeys(("top_logprobs", "top_k_per_token"), ("top_logprobs", whole)),
}
"""What programs call each setting, with our name for it and how it is read; the first counts."""


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """How a reply was decoded, as far as the log says: max_tokens, temperature, top_p, ..."""
    found: dict[str, Any] = {}
    for theirs, (name, read) in _SETTINGS.items():
        value = read(config[theirs]) if theirs in config and name not in found else None
        if value is not None and value >= 0:
            found[name] = value
    return found


def first_text(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of some fields that holds a text."""
    return next((row[n] for n in names if isinstance(row.get(n), str) and row[n].strip()), None)

"""Values in foreign JSON: taken for what they are, and for nothing where they are not that."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

LETTERS: Final = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
MOST: Final = 2**53
"""Greatest whole number that is believed: greater ones are not exact in JSON."""

_NONE: Final[Mapping[str, Any]] = {}
_STOPS: Final = {"max_tokens": "length", "model_length": "length", "max_length": "length"}
_SETTINGS: Final = {
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_gen_toks", "max_new_tokens"),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "top_logprobs": ("top_logprobs", "top_k_per_token"),
}


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
    found = number(value)
    known = found is not None and 0 <= found <= MOST and found == int(found)
    return int(found) if known and found is not None else None


def log_probability(value: object) -> float | None:
    """A log-probability, also one that is written as a text; -inf says that it is impossible."""
    impossible = isinstance(value, str | float) and value in (-math.inf, "-Infinity", "-inf")
    return -math.inf if impossible else number(value)


def text_of(content: object, inner: Callable[[object], str] | None = None) -> str:
    """The text of a message's content: a text, or parts of which the texts are taken.

    What is not text is named in brackets ("[image]"), so that nobody takes the rest for the whole.
    """
    if isinstance(content, str):
        return content
    read = inner or text_of
    parts = []
    for part in content if isinstance(content, list) else ():
        kind = mapping(part).get("type")
        if isinstance(part, str):
            parts.append(read(part))
        elif "text" in mapping(part):
            parts.append(read(part["text"]) if isinstance(part["text"], str) else "")
        elif kind not in ("reasoning", "thinking", "redacted_thinking"):
            parts.append(f"[{kind or 'part'}]")
    return "\n".join(parts)


def reasoning_of(content: object, read: Callable[[object], str] = text_of) -> str:
    """What the model thought, where a message's content holds that as parts of its own."""
    parts = [mapping(part) for part in content] if isinstance(content, list) else []
    found = [part.get("reasoning") or part.get("thinking") or part.get("summary") for part in parts
             if part.get("type") in ("reasoning", "thinking")]  # fmt: skip
    return "\n".join(read(text) for text in found if isinstance(text, str))


def stopped(reason: object) -> str | None:
    """Why a reply ended, in our words where there is one ("length")."""
    return _STOPS.get(reason, reason) if isinstance(reason, str) else None


def top_logprobs(content: object, most: int = 20) -> tuple[Mapping[str, float], ...]:
    """Log-probabilities at the first positions, from what an OpenAI server sends.

    Each position is a token with its `logprob` and the alternatives in `top_logprobs`.
    """
    positions = []
    for position in items_of(content)[:most]:
        found: dict[str, float] = {}
        for token in [position, *items_of(mapping(position).get("top_logprobs"))]:
            if isinstance(token, dict) and isinstance(text := token.get("token"), str):
                value = token.get("logprob")
                known = value if type(value) is float else number(value)
                if known is not None:
                    found.setdefault(text, known)
        positions.append(found)
    # A token without alternatives is what the reply says already.
    return tuple(positions) if max(map(len, positions), default=0) > 1 else ()


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """How a reply was decoded, as far as the log says: max_tokens, temperature, top_p, ..."""
    found: dict[str, Any] = {}
    for name, spellings in _SETTINGS.items():
        value = next((v for s in spellings if (v := number(config.get(s))) is not None), None)
        if name in ("max_tokens", "top_logprobs"):
            value = whole(int(value)) if value is not None else None
        if value is not None and value >= 0:
            found[name] = value
    return found


def first_text(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of some fields that holds a text."""
    return next((row[n] for n in names if isinstance(row.get(n), str) and row[n].strip()), None)

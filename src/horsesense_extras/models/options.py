"""What stands behind the scheme of a model: its name and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from horsesense.errors import UsageError

Kinds = Mapping[str, Mapping[str, Any] | range | Callable[[str], Any]]
"""Option -> what its value may be: words with their meanings, a whole number, or what reads it."""


def options_of(
    rest: str, scheme: str, kinds: Kinds, given: Mapping[str, str] | None = None
) -> tuple[str, dict[str, Any]]:
    """Name and options of `NAME?option=value&...`.

    Args:
        rest: what is written behind the scheme.
        scheme: how messages call it, such as "hf:".
        kinds: all options that there are.
        given: further options, which win.

    Raises:
        UsageError: an option or its value is unknown; the message says what there is.
    """
    path, _, query = rest.partition("?")
    found: dict[str, Any] = {}
    for name, text in {**dict(parse_qsl(query, keep_blank_values=True)), **(given or {})}.items():
        if name not in kinds:
            raise UsageError.unknown(f"option of {scheme}", name, kinds)
        kind, allowed = kinds[name], "a number"
        try:
            if isinstance(kind, Mapping):
                allowed = " or ".join(kind)
                found[name] = kind[text]
            elif isinstance(kind, range):
                allowed = f"a number from {kind[0]} to {kind[-1]}"
                found[name] = kind.index(int(text))
            else:
                found[name] = kind(text)
        except (KeyError, ValueError):
            raise UsageError(
                f"{scheme} {name} cannot be {text!r}.", hint=f"Give {allowed}."
            ) from None
    return path, found

"""The API key: read from the environment, and kept out of everything that is shown or stored."""

from __future__ import annotations

import os
import re
from typing import Final

from horsesense.errors import UsageError

VARIABLES: Final = ("HORSESENSE_API_KEY", "OPENAI_API_KEY")

_LOOKS_LIKE_A_KEY: Final = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{6,}|(?i:bearer)\s+[\w*.~+/=-]{6,}")
_SHOWN: Final = 300  # characters of a server's message


class Secret:
    """An API key, or none. It cannot be turned into text: only the request headers get it."""

    __slots__ = ("_key",)

    def __init__(self, key: str | None) -> None:
        self._key = key or None

    @classmethod
    def from_environment(cls) -> Secret:
        """The first of VARIABLES that is set.

        Raises:
            UsageError: its value cannot be an HTTP header.
        """
        for name in VARIABLES:
            if key := os.environ.get(name, "").strip():
                if not (key.isascii() and key.isprintable()):
                    raise UsageError(
                        f"{name} contains characters that cannot be part of an API key.",
                        hint="Copy the key again, without line breaks.",
                    )
                return cls(key)
        return cls(None)

    def __repr__(self) -> str:
        return "Secret(set)" if self._key else "Secret(not set)"

    def __bool__(self) -> bool:
        return self._key is not None

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def is_in(self, body: bytes, text: str = "") -> bool:
        """Whether a reply repeats the key, as it was sent or in the text that was read from it."""
        return self._key is not None and (self._key.encode() in body or self._key in text)

    def scrub(self, message: str) -> str:
        """A server's message fit for a log: no key, no control characters, one short line."""
        if self._key:
            message = message.replace(self._key, "[key]")
        message = _LOOKS_LIKE_A_KEY.sub("[key]", message)
        message = " ".join("".join(c if c.isprintable() else " " for c in message).split())
        return message if len(message) <= _SHOWN else message[: _SHOWN - 3] + "..."

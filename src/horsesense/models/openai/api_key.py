"""The API key: which one a host gets, and how it is kept out of everything shown or stored.

A key goes where its owner meant it to go. `OPENAI_API_KEY` belongs to the server that a model
without an address is asked of (OPENAI_BASE_URL, else the official one), and may go to this machine;
any other server gets only a key given for it: HORSESENSE_API_KEY, or the variable of --key-env.
Both are for the server of --model: that of a judge gets HORSESENSE_JUDGE_API_KEY instead, and of
several judges the first server. None goes to a server that a file alone names, such as the
study.toml of somebody else (`horsesense.hosts`).
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from horsesense.errors import UsageError
from horsesense.hosts import to_name, unnamed
from horsesense.models.messages import Failure, Response

if TYPE_CHECKING:
    from yarl import URL

OFFICIAL: Final = "https://api.openai.com/v1"
GIVEN: Final = "HORSESENSE_API_KEY"
JUDGE: Final = "HORSESENSE_JUDGE_API_KEY"
DEFAULT: Final = "OPENAI_API_KEY"
SHORTEST: Final = 16
"""Shorter keys are placeholders ("x", "ollama"), which replies contain without repeating them."""

_JUDGES: Final[dict[str, URL]] = {}
"""A judge's key -> the server that it was meant for, when it was first asked for."""
_LOOKS_LIKE_A_KEY: Final = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{6,}|(?i:bearer)\s+[\w*.~+/=-]{6,}")
_SHOWN: Final = 300  # characters of a server's message
_LOOKED_AT: Final = 2**16


class Secret:
    """An API key, or none. It cannot be turned into text: only the request headers get it.

    Attributes:
        withheld: why a key that is set is not sent to this host; "" where none is withheld.
        of: the variable whose key is for one server, if this is one: GIVEN, or that of --key-env.
    """

    __slots__ = ("_key", "_repeated", "of", "withheld")

    def __init__(self, key: str | None, withheld: str = "", of: str = "") -> None:
        self._key = key or None
        self.withheld, self.of = withheld, of
        secret = key if key and len(key) >= SHORTEST else None
        self._repeated = re.compile("".join(map(_spellings, secret))) if secret else None

    @classmethod
    def for_host(cls, url: URL, variable: str | None = None, given: str = GIVEN) -> Secret:
        """The key that a server gets: that in `variable`, or else the one that is meant for it.

        Args:
            url: the server.
            variable: what --key-env names; it must be set.
            given: the variable for servers in this part, GIVEN or JUDGE.

        Raises:
            UsageError: the variable is not set, or what it holds cannot be an HTTP header.
        """
        if variable is not None and (
            not re.fullmatch(r"\w+", variable) or not os.environ.get(variable, "").strip()
        ):
            # What stands there may be the key itself: it is not repeated.
            raise UsageError(
                "The environment variable that --key-env names is not set.",
                hint="Give the name of a variable that holds the key, not the key itself.",
            )
        owner, strange = default_url().origin(), unnamed(str(url))
        key, name, own = _read(variable or given), variable or given, url.origin() == owner
        local = key is None and is_loopback(url.host)
        if local or (own and variable is None and (key is None or strange)):
            key, name = (mine, DEFAULT) if (mine := _read(DEFAULT)) else (key, name)
        if key and strange and not (own and name in (DEFAULT, variable)):
            kept_back = f"{name} was not sent to {strange}, which a file names, and no option."
            return cls(None, f"{kept_back} {to_name(strange)}")
        first = _JUDGES.setdefault(key, url.origin()) if key and name == JUDGE else url.origin()
        if first != url.origin():
            kept_back = f"{JUDGE} was not sent to {url.origin()}: {first} gets it."
            return cls(None, f"{kept_back} Ask judges of several servers in several commands.")
        if key:
            return cls(key, of=name if name in (variable, GIVEN) else "")
        if _read(DEFAULT):
            kept_back = f"{DEFAULT} was not sent to {url.origin()}: it belongs to {owner}."
        elif given != GIVEN and _read(GIVEN):
            kept_back = f"{GIVEN} was not sent to {url.origin()}: it is for the server of --model."
        else:
            return cls(None)
        other_way = ", or name its variable with --key-env" if given == GIVEN else ""
        return cls(None, f"{kept_back} Put the key of this server into {given}{other_way}.")

    @classmethod
    def set_here(cls) -> Secret:
        """The key that is set in the environment, for taking it out of texts; sent nowhere."""
        return cls(_read(GIVEN) or _read(DEFAULT) or _read(JUDGE))

    def __repr__(self) -> str:
        return "Secret(set)" if self._key else "Secret(not set)"

    def __bool__(self) -> bool:
        return self._key is not None

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def without_key(self, response: Response) -> Response:
        """A response with the key taken out of every text that would be stored."""
        if self._repeated is None:
            return response
        text = self._redacted(response.text)
        # Where the text spells the key out, its tokens do so too, in parts that are not seen; and
        # a server may spell it out in the tokens alone: in the likeliest, or in those it chose.
        tokens = tuple(map(self._without_key, response.token_logprobs))
        likeliest = "".join(max(scores, key=scores.__getitem__) for scores in tokens if scores)
        chosen = "".join([*scores][-1] for scores in tokens if scores)
        if text != response.text or any(map(self._repeated.search, (likeliest, chosen))):
            tokens = ()
        return replace(
            response,
            text=text,
            token_logprobs=tokens,
            reasoning=self._redacted(response.reasoning),
            served_by=_each(self._redacted, response.served_by),
        )

    def scrubbed(self, failure: Failure) -> Failure:
        """A failure whose message is fit for a log."""
        return replace(failure, message=self.scrub(failure.message))

    def scrub(self, message: str) -> str:
        """A server's message fit for a log: no key, no control characters, one short line."""
        # What is cut off here would not be shown: no part of a key remains at the end.
        message = _LOOKS_LIKE_A_KEY.sub("[key]", self._redacted(message[:_LOOKED_AT]))
        message = " ".join("".join(c if c.isprintable() else " " for c in message).split())
        return message if len(message) <= _SHOWN else message[: _SHOWN - 3] + "..."

    def _without_key(self, scores: Mapping[str, float]) -> Mapping[str, float]:
        return {self._redacted(token): score for token, score in scores.items()}

    def _redacted(self, text: str) -> str:
        return self._repeated.sub("[key]", text) if self._repeated else text


def default_url() -> URL:
    """The server of a model that is named without an address."""
    from yarl import URL

    try:
        return URL(os.environ.get("OPENAI_BASE_URL") or OFFICIAL)
    except ValueError:
        return URL(OFFICIAL)


def is_loopback(host: str | None) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _read(name: str) -> str | None:
    """A key from the environment; UsageError if it cannot be an HTTP header."""
    key = os.environ.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(
            f"{name} contains characters that cannot be part of an API key.",
            hint="Copy the key again, without line breaks.",
        )
    return key or None


def _spellings(character: str) -> str:
    """A pattern of a character and of its JSON escapes, however often those are escaped."""
    return rf"(?:{re.escape(character)}|\\{{1,8}}u00(?i:{ord(character):02x}))"


def _each(change: Callable[[str], str], text: str | None) -> str | None:
    return None if text is None else change(text)

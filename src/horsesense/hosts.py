"""Servers that the user named: keys go to these, and to none that a file alone names.

A user names a server in a word of the command line, or in the environment: `OPENAI_BASE_URL`, or
`HORSESENSE_KEY_HOSTS` for several. A study or a run of somebody else may name any.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shlex import quote
from typing import Final
from urllib.parse import unquote

HOSTS: Final = "HORSESENSE_KEY_HOSTS"
_ORIGIN: Final = re.compile(r"https?://[^\s/?#]+", re.IGNORECASE)
_TYPED: Final = re.compile(r"https?://[^\s/?#,;&()@'\"]+", re.IGNORECASE)
"""An origin in a word, where others may follow; a file's ends later: a host may hold a comma."""
_INSPECT: Final = re.compile(
    r"inspect:(?:anthropic|azureai|bedrock|deepseek|fireworks|google|grok|groq|mistral|mockllm"
    r"|ollama|openai|openai-api|openrouter|perplexity|together)/[\w./:-]+(?:@https?://[\w.:/-]+)?(?:\?\w+=[\w.-]*(?:&\w+=[\w.-]*)*)?"
)
"""Models of Inspect's that a file may name: asked over the network, without arguments of Inspect's.
Others a user names alone: they may load weights, run code, or send a key to any address."""
_typed: Sequence[str] | None = None
"""The words of the command line that runs; None in Python, where whoever calls names servers
(but see `opened`)."""
_makes: Sequence[str] | None = None
"""Words that name all models that may be made; None where any may."""


@contextmanager
def named_in(words: Sequence[str]) -> Iterator[None]:
    """While the block runs, no key goes to a server that neither the words nor the environment
    name."""
    global _typed
    before, _typed = _typed, words
    try:
        yield
    finally:
        _typed = before


@contextmanager
def opened(*words: object) -> Iterator[None]:
    """In Python too, a run that was opened names servers, and only these words of the caller count.

    A command line that runs has said all that it names. No model is made that the words do not
    name (see `makes`).
    """
    global _makes
    named, before = [str(w) for w in words if w], _makes
    _makes = named
    try:
        with named_in(named if _typed is None else _typed):
            yield
    finally:
        _makes = before


def makes(name: str) -> bool:
    """Whether a model of that name, or a reader that asks one, is made now: one that only a run or
    a log of others names is not, unless it is simulated or recorded."""
    if _makes is None or name.startswith(("sim:", "replay:")):
        return True
    return any(re.search(f"(^|judge[:=]){re.escape(name)}$", word) for word in _makes)


def unnamed(text: str) -> str:
    """What a text names and the user has not: a server, or a model of Inspect's that may load code
    or get a key in another way; "" where there is nothing.

    >>> with named_in(["judge:http:j@https://Mine.example:443/v1"]):
    ...     unnamed("https://mine.example/v2 http://other.example:81/v1")
    'http://other.example:81'
    """
    if _typed is None:
        return ""
    own = [os.environ.get(name, "") for name in (HOSTS, "OPENAI_BASE_URL")]
    words = " ".join([*_typed, *own])
    known = _origins(words, _TYPED) | _origins(words)
    strange = sorted((_origins(text) | _origins(unquote(text))) - known)
    if strange or not text.startswith("inspect:") or _INSPECT.fullmatch(text):
        return strange[0] if strange else ""
    return "" if any(text in word for word in (*_typed, *own)) else text


def to_name(origin: str) -> str:
    """What to type so that a server counts as named, as a hint."""
    return f"If it is yours, type {HOSTS}={quote(origin)} before the command, or name the model."


def _origins(text: str, pattern: re.Pattern[str] = _ORIGIN) -> set[str]:
    found = (origin.lower() for origin in pattern.findall(text))
    return {one.removesuffix(":443" if one.startswith("https") else ":80") for one in found}

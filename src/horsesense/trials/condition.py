"""The condition of a trial: what sets it apart from the other trials of its probe.

A condition is a value: names and what they are set to. It is text only at the edges (tables,
JSON, files of recorded answers), and there it has one form, with the names sorted. This is the
one module that reads that form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.plugins import split_outside_brackets

_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class Condition(Mapping[str, str]):
    """Settings by name, in one order; equal settings make equal conditions. Hashable.

    A value is kept as text, and a comma in it stands inside brackets. ValueError for names and
    values that the text form could not hold.

    >>> Condition(wording="above", place="kept")
    Condition('place=kept, wording=above')
    >>> Condition.parse("design=random(4), n=6") == Condition(n=6, design="random(4)")
    True
    """

    __slots__ = ("_hash", "_text", "settings")

    settings: tuple[tuple[str, str], ...]
    """(name, value), sorted by name."""

    def __init__(self, /, **settings: object) -> None:
        found = tuple(sorted((name, str(value)) for name, value in settings.items()))
        for name, value in found:
            if not _sound(name, value):
                raise ValueError(f"{name}={value} cannot stand in a condition.")
        object.__setattr__(self, "settings", found)
        object.__setattr__(self, "_text", ", ".join(f"{name}={value}" for name, value in found))
        object.__setattr__(self, "_hash", hash(found))

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition that a text names, its settings in any order; "" is the one without any.

        UsageError if the text is not a condition.
        """
        return _parsed(text)

    def format(self) -> str:
        """The one text form: `name=value` joined by commas, names sorted."""
        return self._text

    def integer(self, name: str, default: int = 0) -> int:
        """A setting as a whole number; `default` where it is not set."""
        return int(self[name]) if name in self else default

    def without(self, *names: str) -> Condition:
        """The same without some of its settings."""
        return Condition(**{name: value for name, value in self.settings if name not in names})

    def with_(self, **settings: object) -> Condition:
        """The same with some settings added or changed."""
        return Condition(**{**self, **settings})

    def matches(self, **settings: object) -> bool:
        """Whether every one of these settings is made, and made so."""
        return all(self.get(name) == str(value) for name, value in settings.items())

    def __getitem__(self, name: str) -> str:
        for own, value in self.settings:
            if own == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.settings)

    def __len__(self) -> int:
        return len(self.settings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.settings == other.settings

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Condition({self._text!r})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a condition is never changed; use with_({name}=...)")

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition.parse, (self._text,)

    _text: str
    _hash: int


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Condition:
    settings: dict[str, str] = {}
    if len(parts := split_outside_brackets(text)) > 32:
        raise UsageError(f"A condition has {len(parts)} settings, and at most 32 are possible.")
    for part in parts:
        name, given, value = (piece.strip() for piece in part.partition("="))
        if not given or name in settings or not _sound(name, value):
            raise UsageError(
                f"{text!r} is not a condition: {part!r} is not a setting of its own.",
                hint="Write each name once, joined by commas: place=kept, wording=above.",
            )
        settings[name] = value
    return Condition(**settings)


@lru_cache(maxsize=4096)
def _sound(name: str, value: str) -> bool:
    """Whether a setting can be read back from the text form."""
    whole = value == value.strip() and split_outside_brackets(value) == [value]
    return bool(_NAME.fullmatch(name)) and whole and _balanced(value)


def _balanced(value: str) -> bool:
    depth = 0
    for sign in value:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


PLAIN: Final = Condition()
"""The condition of probes that have one only."""

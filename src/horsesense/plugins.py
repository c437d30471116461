"""Plug-ins: named entries of each kind, and how a spec `name(key=value, ...)` becomes one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Generic, TypeVar

from horsesense.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """The plug-ins of one kind (probes, measures, readers, ...), by name, in order of entry."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}
        self._former: dict[str, str] = {}

    def add(self, name: str, entry: T, *, formerly: str | None = None) -> T:
        """Register `entry`; ValueError if the name is taken.

        The name that it had in an earlier release, `formerly`, is taken too, with a warning.
        """
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = entry
        if formerly is not None:
            self._former[formerly] = name
        return entry

    def get(self, name: str) -> T:
        """The entry of that name; UsageError with the nearest name and the list otherwise."""
        if name in self._former:
            name = renamed(self.kind, name, self._former[name])
        try:
            return self._entries[name]
        except KeyError:
            raise UsageError.unknown(self.kind, name, self._entries) from None

    def names(self) -> list[str]:
        return list(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)


def renamed(kind: str, old: str, new: str) -> str:
    """`new`, after a warning that `old` is its name of an earlier release."""
    message = f"{kind} {old} is now called {new}; the old name will not be understood for long."
    warnings.warn(message, FutureWarning, stacklevel=3)
    return new


def parse_spec(spec: str, registry: Registry[type[T]]) -> T:
    """The plug-in that a spec asks for, made with its parameters.

    A spec is `name`, `name(value)` for the first parameter, or `name(key=value, ...)`. UsageError
    names what is unknown and what there is.
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", spec)
    if match is None:
        raise UsageError(
            f"{spec!r} is no {registry.kind}.", hint="Write name or name(key=value, ...)."
        )
    name = match.group(1).replace("-", "_")
    kind = registry.get(name)
    where = f"{registry.kind} {name}"
    known = {f.name: str(f.type) for f in fields(kind) if f.init} if is_dataclass(kind) else {}
    values: dict[str, object] = {}
    for part in split_outside_brackets(match.group(2) or ""):
        key, given, text = part.partition("=")
        if not given or "(" in key:
            key, text = next(iter(known), ""), part
        key = key.strip()
        former = getattr(kind, "former_parameters", {})
        if key in former:
            key = renamed(f"parameter of {where}", key, former[key])
        if key not in known:
            allowed = ", ".join(known) or "none"
            raise UsageError(
                f"{where} has no parameter {key or text!r}.", hint=f"Known: {allowed}."
            )
        values[key] = _typed(where, key, known[key], text.strip())
    return kind(**values)


def split_outside_brackets(text: str) -> list[str]:
    """Parts of a comma-separated list, commas inside brackets left alone.

    >>> split_outside_brackets("order(random(4)), option_count(6, design=random(4))")
    ['order(random(4))', 'option_count(6, design=random(4))']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _typed(where: str, name: str, kind: str, text: str) -> object:
    if kind == "float":
        try:
            return float(text)
        except ValueError:
            raise UsageError(f"{where}: {name} must be a number, not {text!r}.") from None
    if kind != "int":
        return text
    if not text.isdigit():
        raise UsageError(f"{where}: {name} must be a whole number, not {text!r}.")
    return int(text)

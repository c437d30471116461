"""Plug-ins with parameters, as they are written on the command line: `name(key=value, ...)`."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import TypeVar

from horsesense.errors import UsageError
from horsesense.registry import Registry

T = TypeVar("T")


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

"""Options that several commands share, as one dataclass instead of repeated parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """A command whose parameters of a dataclass type are taken apart into single options.

    The fields of such a dataclass, with their annotations and defaults, become parameters of the
    command line; the command itself gets an instance. A parameter without default comes first.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if is_dataclass(kind) and isinstance(kind, type):
            groups[name] = kind
            parameters += _fields(kind)
        else:
            parameters.append(parameter.replace(annotation=kind, kind=KEYWORD))
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)

    @wraps(command)
    def called(**values: Any) -> R:
        made = {
            name: kind(**{f.name: values.pop(f.name) for f in fields(kind)})
            for name, kind in groups.items()
        }
        return command(**made, **values)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del called.__wrapped__
    return called


def _fields(kind: type) -> list[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            KEYWORD,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]


def _default(field: Any) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default

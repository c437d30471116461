"""Options that several commands share, as one object instead of repeated parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """A command whose parameters that stand for several options are taken apart into these.

    Such a parameter has the type of a dataclass, whose fields are the options, or of a class with
    a class method `parameters`. The command itself gets an instance, made of the options by name.
    A parameter without default comes first.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        options = _options(kind)
        if options is not None:
            groups[name] = kind, [option.name for option in options]
            parameters += options
        else:
            parameters.append(parameter.replace(annotation=kind, kind=KEYWORD))
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)

    @wraps(command)
    def called(**values: Any) -> R:
        made = {
            name: kind(**{option: values.pop(option) for option in options})
            for name, (kind, options) in groups.items()
        }
        return command(**made, **values)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del called.__wrapped__
    return called


def _options(kind: Any) -> list[inspect.Parameter] | None:
    """The options that a type stands for; None for the type of a single one."""
    if hasattr(kind, "parameters"):
        found: list[inspect.Parameter] = kind.parameters()
        return found
    if not is_dataclass(kind):
        return None
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            KEYWORD,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]

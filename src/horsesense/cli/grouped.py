"""Options of commands: their help stands in docstrings, and several may be one object."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., object])
KEYWORD = inspect.Parameter.KEYWORD_ONLY
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
"""What a docstring says of one parameter, or of one field."""


class Commands(typer.Typer):
    """A command line whose commands share groups of options (see `grouped`).

    With `named_only` its commands have no options: to make them takes most of the time of a help
    text that shows none.
    """

    named_only = False

    def command(self, name: str | None = None, **about: Any) -> Callable[[F], F]:
        """Add a function as a command."""
        add = super().command(name, **about)

        def added(called: F) -> F:
            add(_named(called) if self.named_only else grouped(called))
            return called

        return added


def _named(called: Callable[..., object]) -> Callable[[], None]:
    def nothing() -> None: ...

    nothing.__name__, nothing.__doc__ = called.__name__, called.__doc__
    return nothing


def grouped(command: Callable[..., R]) -> Callable[..., R]:
    """A command whose parameters that stand for several options are taken apart into these.

    Such a parameter has the type of a dataclass, whose fields are the options, or of a class with
    a class method `parameters`. The command itself gets an instance, made of the options by name.
    A parameter without default comes first. The help of an option with a plain type is what `Args`
    of the command, or `Attributes` of the dataclass, say of it.
    """
    hints = get_type_hints(command, include_extras=True)
    about, said = described(command)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        options = _options(kind)
        if options is not None:
            groups[name] = kind, [option.name for option in options]
            parameters += options
        else:
            parameters.append(parameter.replace(annotation=_shown(kind, said, name), kind=KEYWORD))
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)

    @wraps(command)
    def called(**values: Any) -> R:
        made = {
            name: kind(**{option: values.pop(option) for option in options})
            for name, (kind, options) in groups.items()
        }
        return command(**made, **values)

    called.__doc__ = about
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
    _, said = described(kind)
    return [
        inspect.Parameter(
            field.name,
            KEYWORD,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=_shown(hints[field.name], said, field.name),
        )
        for field in fields(kind)
    ]


def described(documented: Any) -> tuple[str, dict[str, str]]:
    """A docstring without what it says of parameters or fields, and the latter by name."""
    doc = inspect.getdoc(documented) or ""
    about, _, entries = re.sub("\n\nAttributes:\n", "\n\nArgs:\n", doc).partition("\n\nArgs:\n")
    return about, {name: " ".join(told.split()) for name, told in _ENTRY.findall(entries)}


def _shown(kind: Any, said: dict[str, str], name: str) -> Any:
    """The type of an option with its help, unless it comes with what typer needs to know."""
    return Annotated[kind, typer.Option(help=said[name])] if name in said else kind

"""Plug-ins: named entries of each kind, and how a spec `name(key=value, ...)` becomes one."""

from __future__ import annotations

import difflib
import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from importlib import import_module
from inspect import Parameter, signature
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from horsesense.errors import UsageError, install

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class PluginError(UsageError):
    """A plug-in of an installed package cannot be used; the message names the package."""


class PluginWarning(UserWarning):
    """A plug-in of an installed package is left out of a listing; the message says why."""


@dataclass(eq=False)
class Registry(Generic[T]):
    """The plug-ins of one kind (probes, measures, readers, ...), by name, in order of entry.

    Ours are added by `add`. Those of installed packages are found by their entry points, and
    loaded when their name is asked for or when everything is listed. A package is installed code
    and trusted like any other; one that is broken harms only what asks for it.

    Attributes:
        kind: what an entry is called in messages.
        group: entry-point group of other packages; "" for kinds that none can add to.
        accept: turns what an entry point names into an entry; TypeError says why it cannot.
        declares: attributes that an entry of another package must have.
        own: the entries of horsesense itself, by name.
    """

    kind: str
    group: str = ""
    accept: Callable[[Any], T] = lambda found: cast(T, found)
    declares: tuple[str, ...] = ()
    own: dict[str, T] = field(default_factory=dict, init=False)
    _former: dict[str, str] = field(default_factory=dict, init=False)
    _loaded: dict[tuple[EntryPoint, ...], T] = field(default_factory=dict, init=False)

    def add(self, name: str, entry: T, *, formerly: str | None = None) -> T:
        """Register `entry`; ValueError if the name is taken.

        The name that it had in an earlier release, `formerly`, is taken too, with a warning.
        """
        if name in self.own:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self.own[name] = entry
        if formerly is not None:
            self._former[formerly] = name
        return entry

    def get(self, name: str) -> T:
        """The entry of that name; UsageError with the nearest name and the list otherwise.

        PluginError if the name belongs to an installed package and cannot be used.
        """
        if name in self._former:
            name = renamed(self.kind, name, self._former[name])
        if name in self.own:
            return self.own[name]
        outside = self._outside()
        if name not in outside:
            raise UsageError.unknown(self.kind, name, self.names())
        return self._load(name, outside[name])

    def names(self) -> list[str]:
        """All names, ours first. What is broken is named too: asking for it says what is wrong."""
        return [*self.own, *(name for name in self._outside() if name not in self.own)]

    def items(self) -> Iterator[tuple[str, T]]:
        """Name and entry of all that can be used; a PluginWarning says what cannot, and why."""
        yield from self.own.items()
        for name, found in self._outside().items():
            try:
                yield name, self._load(name, found)
            except PluginError as error:
                warnings.warn(str(error), PluginWarning, stacklevel=2)

    def __contains__(self, name: object) -> bool:
        """Whether an entry of that name can be used."""
        if name in self.own or not isinstance(name, str):
            return name in self.own
        try:
            return name in self._outside() and self.get(name) is not None
        except PluginError:
            return False

    def __iter__(self) -> Iterator[T]:
        return (entry for _, entry in self.items())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _outside(self) -> dict[str, tuple[EntryPoint, ...]]:
        """What installed packages offer, by name; more than one where they claim the same."""
        found: dict[str, tuple[EntryPoint, ...]] = defaultdict(tuple)
        for point in installed(self.group):
            found[point.name] += (point,)
        return dict(sorted(found.items()))

    def _load(self, name: str, points: tuple[EntryPoint, ...]) -> T:
        """The entry that an installed package offers; PluginError names the package."""
        if points in self._loaded:  # its origin is a file of metadata, read and parsed each time
            return self._loaded[points]
        origins = ["horsesense"] * (name in self.own) + [*map(_origin, points)]
        if len(origins) > 1:
            raise PluginError(
                f"The {self.kind} {name!r} is offered by {' and by '.join(origins)}.",
                hint="One name means one thing: rename one of them, or uninstall its package.",
            )
        self._loaded[points] = self._accepted(name, points[0])
        return self._loaded[points]

    def _accepted(self, name: str, point: EntryPoint) -> T:
        try:
            entry = self.accept(point.load())
            missing = [wanted for wanted in self.declares if not getattr(entry, wanted, None)]
            if missing:
                raise TypeError(f"it does not declare {', '.join(missing)}")
            called = getattr(entry, "name", name)
            if isinstance(called, str) and called != name:
                raise TypeError(f"it calls itself {called!r}")
        except Exception as error:  # whatever foreign code raises while it is imported
            raise PluginError(
                f"The {self.kind} {name!r} of {_origin(point)} cannot be used: "
                f"{type(error).__name__}: {error}.",
                hint="Repair, update or uninstall that package; all else works without it.",
            ) from error
        return entry


@cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group in all installed packages, always in one order."""
    return tuple(sorted(entry_points_of_all().select(group=group), key=str)) if group else ()


@cache
def entry_points_of_all() -> Any:
    """Those of all groups, looked for once in a process (Python 3.11 has a type of its own)."""
    from importlib.metadata import entry_points  # its own imports would slow down every start

    return entry_points()


def _origin(point: EntryPoint) -> str:
    """Package, version and object behind an entry point."""
    package = f"{point.dist.name} {point.dist.version}" if point.dist else "an unnamed package"
    return f"{package} ({point.value})"


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to name one thing of many, `NAME:REST`, such as `http:gpt-4o`.

    Attributes:
        name: what stands before the colon.
        module: dotted name of the module whose `from_spec(rest, **options)` makes the thing.
        form: what stands after the colon, for help texts: `NAME[@URL]`.
        summary: one sentence.
        extra: what has the packages that the module imports; "" where the core has them.
    """

    name: str
    module: str
    form: str
    summary: str
    extra: str = ""

    def __str__(self) -> str:
        return f"{self.name}:{self.form}"

    def takes(self, option: str) -> bool:
        """Whether `from_spec` has this option, or looks itself at what it is given."""
        return self.names(option) or any(
            parameter.kind is parameter.VAR_KEYWORD for parameter in self._parameters().values()
        )

    def names(self, option: str) -> bool:
        """Whether `from_spec` has a parameter of this name."""
        return option in self._parameters()

    def _parameters(self) -> Mapping[str, Parameter]:
        return signature(self._module().from_spec).parameters

    def _module(self) -> ModuleType:
        try:
            return import_module(self.module)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise UsageError(
                f"{self.name}: needs the package {error.name}.", hint=install(self.extra)
            ) from None

    def make(self, rest: str, **options: Any) -> Any:
        """The thing that `rest` names."""
        return self._module().from_spec(rest, **options)


def derived(kind: type) -> Callable[[Any], Any]:
    """What takes classes of a kind from another package; TypeError for anything else."""

    def accepted(found: Any) -> Any:
        if not (isinstance(found, type) and issubclass(found, kind)):
            raise TypeError(f"it is not a class derived from {kind.__name__}")
        return found

    return accepted


def scheme(found: Any) -> Scheme:
    """What another package offers as a scheme; TypeError if it is none."""
    if not isinstance(found, Scheme):
        raise TypeError("it is not a Scheme")
    return found


def parse_scheme(
    spec: str, registry: Registry[Scheme], *, default: str = "", besides: str = ""
) -> tuple[Scheme, str]:
    """The scheme of `NAME:REST`, and REST; UsageError lists the schemes and guesses at one.

    `default` is the scheme that a name without any may have been meant for; `besides` stands
    before the schemes in the hint.
    """
    name, colon, rest = spec.partition(":")
    known = registry.names()
    if colon and rest and name in known:
        return registry.get(name), rest
    guess = f"{default}:{spec}" if default and name not in ("", *known) and not colon else ""
    for near in difflib.get_close_matches(name, known, n=1) if rest else ():
        guess = f"{near}:{rest}"
    raise UsageError(
        f"{spec!r} does not name a {registry.kind}."
        + (f" Did you mean {guess!r}?" if guess else ""),
        hint=f"Write {besides}{forms(dict(registry.items()))}.",
    )


def forms(schemes: Mapping[str, Scheme]) -> str:
    """How schemes are written, for help texts and hints."""
    *most, last = map(str, schemes.values())
    return f"{', '.join(most)} or {last}" if most else last


def declared(package: str, modules: str, kind: type[Any]) -> list[Any]:
    """What modules of a package declare, module by module, in the order in which it stands there.

    That are classes of the kind with a name of their own, and objects of it.
    """
    return [
        one
        for module in (import_module(f"{package}.{name}") for name in modules.split())
        for one in vars(module).values()
        if (  # the kind is asked last: it asks all of its kind, one by one
            one.__module__ == module.__name__ and "name" in vars(one) and issubclass(one, kind)
            if isinstance(one, type)
            else isinstance(one, kind)
        )
    ]


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
    name, values = read_spec(spec, registry)
    return registry.get(name)(**values)


def filled_in(spec: str, preset: str, registry: Registry[type[T]]) -> str:
    """The spec of a plug-in, with those parameters of `preset` that it does not give itself."""
    name, given = read_spec(spec, registry)
    values = {**read_spec(preset, registry)[1], **given}
    inside = ", ".join(f"{key}={value}" for key, value in values.items())
    return f"{name}({inside})" if inside else name


def read_spec(spec: str, registry: Registry[type[T]]) -> tuple[str, dict[str, object]]:
    """The name of a spec's plug-in, and the parameters that the spec gives; see `parse_spec`."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", spec)
    if match is None:
        raise UsageError(
            f"{spec!r} is not the name of a {registry.kind}.",
            hint="Write name or name(key=value, ...).",
        )
    name = match.group(1).replace("-", "_")
    kind = registry.get(name)
    where = f"{registry.kind} {name}"
    known = {f.name: _name_of(f.type) for f in fields(kind) if f.init} if is_dataclass(kind) else {}
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
    return name, values


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


EXAMPLES = {"budget": "requests=500", "map": "answer=label", "where": "subject=law"}
"""Option -> what a pair of it looks like."""


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """What a repeated option NAME=VALUE says; UsageError where it is written otherwise."""
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            example = EXAMPLES.get(option, "NAME=VALUE")
            raise UsageError(
                f"--{option} {text!r} is not NAME=VALUE.", hint=f"As in --{option} {example}."
            )
        if name in found:
            raise UsageError(f"--{option} names {name} twice.", hint="Give each name once.")
        found[name] = value
    return found


def _name_of(kind: object) -> str:
    """The name of a field's type, which is text where annotations are not evaluated."""
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


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

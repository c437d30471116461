"""A part of a prompt's template, rendered once for each shape of what it is given.

Most variables are only passed on: `{{ question }}`, or the options of a loop. What the template
engine makes of one question and four options is what it makes of any other but for the texts
themselves, which are put where marks stood. Variables that a template looks into (filters,
comparisons, attributes) are given to the engine as they are, whenever they change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final, NamedTuple

from jinja2 import StrictUndefined, Template, TemplateError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from horsesense.errors import UsageError

_JINJA: Final = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)
_JINJA.policies["json.dumps_kwargs"] = {"ensure_ascii": False}

_ABSENT: Final = object()
_MOST_SHAPES: Final = 512


class Frame(NamedTuple):
    """What stays when texts change: `%s` for each text, and their numbers in that order."""

    pattern: str
    numbers: Sequence[int]

    def filled(self, texts: Sequence[str]) -> str:
        return (self.pattern % tuple([texts[number] for number in self.numbers])).strip()


class Part:
    """A part of a template; raises `jinja2.TemplateError` where its source is none."""

    def __init__(self, source: str) -> None:
        self._looked_at, self._passed, self._template = _compiled(source)
        self._values: list[object] | None = None
        self._frames: dict[object, Frame | None] = {}

    def render(self, fields: Mapping[str, Any]) -> str:
        """The text without white space at its ends."""
        values = [fields.get(name, _ABSENT) for name in self._looked_at]
        if values != self._values or len(self._frames) > _MOST_SHAPES:
            self._values = values
            self._frames.clear()
        texts: list[str] = []
        shape = tuple([_shape(fields.get(name, _ABSENT), texts) for name in self._passed])
        if shape in self._frames:
            frame = self._frames[shape]
            return self._rendered(fields) if frame is None else frame.filled(texts)
        rendered, frame = self._rendered(fields), self._framed(fields)
        # A template may do with a text what nobody thought of: then it is always rendered.
        sound = frame is not None and frame.filled(texts) == rendered
        self._frames[shape] = frame if sound else None
        return rendered

    def _rendered(self, fields: Mapping[str, Any]) -> str:
        try:
            return self._template.render(fields).strip()
        except (TemplateError, TypeError, ValueError) as error:
            raise UsageError(f"A prompt template cannot be filled: {error}.") from None

    def _framed(self, fields: Mapping[str, Any]) -> Frame | None:
        """What the engine makes of marks in the place of the texts; None where it cannot."""
        marks = _Marks()
        held = {name: marks.instead_of(fields[name]) for name in self._passed if name in fields}
        try:
            return marks.frame(self._template.render({**fields, **held}))
        except (TypeError, ValueError):
            return None


@lru_cache(64)
def _compiled(source: str) -> tuple[list[str], list[str], Template]:
    """The names that a template looks into, those that it passes on, and itself."""
    tree = _JINJA.parse(source)
    names, passed = sorted(find_undeclared_variables(tree)), _passed_on(tree)
    looked_at = [name for name in names if name not in passed]
    return looked_at, [name for name in names if name in passed], _JINJA.from_string(tree)


class _Marks:
    """Stand for texts, in the order in which `_shape` finds them; nobody can foresee them."""

    def __init__(self) -> None:
        self._name = token_hex(8)
        self._count = 0

    def instead_of(self, value: object) -> object:
        if type(value) is str and value:
            self._count += 1
            return f"\0{self._name}:{self._count - 1}\0"
        if isinstance(value, list | tuple):
            return [self.instead_of(each) for each in value]
        return value

    def frame(self, text: str) -> Frame:
        pieces = re.split(f"\0{self._name}:(\\d+)\0", text.replace("%", "%%"))
        return Frame("%s".join(pieces[::2]), [int(number) for number in pieces[1::2]])


def _shape(value: object, texts: list[str]) -> object:
    """A value without its texts, which are added to `texts`; that one is empty is kept."""
    if type(value) is str:
        if value:
            texts.append(value)
        return bool(value)
    if not isinstance(value, _SERIES):
        return repr(value)
    shapes: list[object] = []
    for each in value:
        if type(each) is str and each:  # most are: not worth a call
            texts.append(each)
            shapes.append(True)
        else:
            shapes.append(_shape(each, texts))
    return tuple(shapes)


_SERIES: Final = (list, tuple)
_STATEMENTS: Final = (nodes.Template, nodes.Output, nodes.If, nodes.For)


def _passed_on(tree: nodes.Template) -> set[str]:
    """The names whose texts stand in the result as they are, wherever a template uses them.

    None in a template that assigns, includes, filters blocks or the like: there one would have to
    follow a text.
    """
    loops = list(tree.find_all(nodes.For))
    known = all(isinstance(node, _STATEMENTS) for node in tree.find_all(nodes.Stmt))
    names = _names(tree)
    if not known or ("loop" in names and loops) or any(loop.recursive for loop in loops):
        return set()
    looked_at = set[str]().union(*map(_looked_at, tree.find_all(_STATEMENTS)))
    for loop in reversed(loops):  # who looks at a member looks at the list
        if _names(loop.target) & looked_at:
            looked_at |= _names(loop.iter)
    return names - looked_at


def _looked_at(node: nodes.Node) -> set[str]:
    """Names in the expressions of a statement that do more than stand there, or be there or not."""
    found: list[nodes.Node] = []
    if isinstance(node, nodes.Output):
        found = _beyond(node.nodes, (nodes.Name, nodes.TemplateData))
    elif isinstance(node, nodes.If):
        found = _beyond([node.test], (nodes.Name, nodes.Not, nodes.And, nodes.Or))
    elif isinstance(node, nodes.For):
        found = _beyond([node.iter], (nodes.Name,)) + ([node.test] if node.test else [])
    return set[str]().union(*map(_names, found))


def _beyond(
    expressions: Sequence[nodes.Node], harmless: tuple[type[nodes.Node], ...]
) -> list[nodes.Node]:
    """The parts of expressions that are not of the harmless kinds."""
    found = []
    for node in expressions:
        if not isinstance(node, harmless):
            found.append(node)
        elif not isinstance(node, nodes.Name):
            found += _beyond(list(node.iter_child_nodes()), harmless)
    return found


def _names(node: nodes.Node) -> set[str]:
    """Every name in a piece of a template, the piece itself included."""
    own = {node.name} if isinstance(node, nodes.Name) else set()
    return own | {name.name for name in node.find_all(nodes.Name)}

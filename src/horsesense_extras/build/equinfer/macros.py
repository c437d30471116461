r"""Simple macros of authors, expanded: `\newcommand`, `\def`, `\let`, `\DeclareMathOperator`.

Environments of authors (`\newenvironment`) are expanded if they begin a display equation.

A macro is not expanded within itself. What LaTeX could compute (conditionals, delimited arguments)
is left as it stands: an equation that uses it has a command of its own and is dropped for that.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from horsesense_extras.build.equinfer.equations import DISPLAY

MOST_BODY: Final = 2_000
"""Characters of the longest macro that counts as simple."""
MOST_EXPANDED: Final = 2**24
"""Characters that the expansion of a document may take, those in between included."""
COST: Final = 128
"""What a use of a macro counts besides its characters."""
DEEPEST: Final = 40
"""Macros within macros and within their arguments."""

ENDLESS: Final = "its macros expand without end"

_COMMAND = re.compile(r"\\(?:([A-Za-z@]+)\*?|.)", re.DOTALL)
_NEW = frozenset(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"))
_OPERATOR = frozenset(("DeclareMathOperator",))
_NOT_SIMPLE = re.compile(
    r"\\(?:if[a-zA-Z@]*|else|fi|def|edef|gdef|xdef|newcommand|renewcommand|csname|expandafter"
    r"|futurelet|let|loop|repeat|@ifnextchar|input|include|write|read|catcode)(?![A-Za-z@])"
)
_ENVIRONMENT = re.compile(r"[ \t]*\{([^{}\n]{1,80})\}")
_PROTECTED = frozenset(
    ("begin", "end", "left", "right", "label", "ref", "cite", "item", "frac", "sqrt", "text")
)
"""Commands that a paper may not redefine here."""
_SPACE = re.compile(r"[ \t\n]*")
_PARAMETERS = re.compile(r"(?:#\d)*")
_OPEN_END = re.compile(r"\\[A-Za-z@]+\Z")
_ARGUMENT = re.compile(r"##|#(\d)")
_PLACE = re.compile(r"\\(?:[A-Za-z@]+|.)|[{}]", re.DOTALL)


class EndlessError(Exception):
    """The macros of a document expand beyond every limit."""

    def __init__(self) -> None:
        super().__init__(ENDLESS)


class Macro(NamedTuple):
    """A macro: how many arguments it takes, the first one's default, and what it stands for."""

    arguments: int
    default: str | None
    body: str


def expand(text: str) -> str:
    r"""The text with its simple macros in place and their definitions taken out.

    >>> expand(r"\newcommand{\be}{\begin{equation}}\def\v#1{\mathbf{#1}} \be x=\v w")
    ' \\begin{equation} x=\\mathbf{w}'

    Raises:
        EndlessError: this would pass `MOST_EXPANDED`.
    """
    return _Expander().expanded(text)


class _Expander:
    def __init__(self) -> None:
        self.macros = {"ensuremath": Macro(1, None, "#1"), "xspace": Macro(0, None, "")}
        self._left = MOST_EXPANDED

    def expanded(self, text: str, within: frozenset[str] = frozenset(), depth: int = 0) -> str:
        """`within` are the macros whose bodies the text stands in, `depth` counts levels."""
        if depth > DEEPEST:
            raise EndlessError
        self._count(text)
        parts: list[str] = []
        place = 0
        while (found := _COMMAND.search(text, place)) is not None:
            parts.append(text[place : found.start()])
            name = found[1] or ""
            place = found.end()
            if name in ("begin", "end") and (at := _ENVIRONMENT.match(text, place)) is not None:
                environment = f"{name} {at[1]}"
                if environment in self.macros and environment not in within:
                    name, place = environment, at.end()
            if (end := self._defined(text, found)) is not None:
                place = end
            elif name in within or (used := self._used(text, name, place, within, depth)) is None:
                parts.append(text[found.start() : place])
            else:
                parts.append(used[0])
                place = used[1]
        return "".join([*parts, text[place:]])

    def _count(self, text: str) -> None:
        self._left -= len(text) + COST
        if self._left < 0:
            raise EndlessError

    def _used(
        self, text: str, name: str, place: int, within: frozenset[str], depth: int
    ) -> tuple[str, int] | None:
        """What a macro stands for whose name ends at `place`, and the place behind its arguments.

        None where it is no macro, or arguments are missing.
        """
        if name not in self.macros:
            return None
        macro = self.macros[name]
        # `_COMMAND` takes a star with it, which belongs to the name only in LaTeX's own commands.
        place -= text[place - 1] == "*"
        given: list[str] = []
        if macro.default is not None:
            optional = _bracketed(text, place)
            given.append(macro.default if optional is None else optional[0])
            place = place if optional is None else optional[1]
        while len(given) < macro.arguments:
            argument = _argument(text, place)
            if argument is None:
                return None
            given.append(argument[0])
            place = argument[1]
        given = [self.expanded(each, within, depth + 1) for each in given]
        shape = self.expanded(macro.body, within | {name}, depth + 1)
        filled = _ARGUMENT.sub(lambda at: _filled(at, given), shape)
        self._count(filled)
        if _OPEN_END.search(filled) and text[place : place + 1].isalpha():
            filled += " "
        return filled, place

    def _defined(self, text: str, found: re.Match[str]) -> int | None:
        """Where a definition ends that stands here, which is noted; None where none does."""
        name = found[1]
        if name in _NEW:
            told = _new_command(_name(text, found.end()), text)
        elif name in _OPERATOR:
            told = _operator(text, found.end(), found[0].endswith("*"))
        elif name in ("def", "gdef"):
            told = _plain_definition(text, found.end())
        elif name == "let":
            told = self._let(text, found.end())
        elif name == "newenvironment":
            return self._environment(text, found.end())
        else:
            return None
        if told is None:
            return None
        defined, macro, end = told
        simple = len(macro.body) <= MOST_BODY and not _NOT_SIMPLE.search(macro.body)
        if defined not in _PROTECTED:
            self.macros.pop(defined, None)
            if simple:
                self.macros[defined] = macro
        return end

    def _environment(self, text: str, place: int) -> int | None:
        """Where the definition of an environment ends; it is noted if it begins a display."""
        named = _ENVIRONMENT.match(text, place)
        begin = _new_command((named[1], named.end()) if named else None, text)
        end = None if begin is None else _braced(text, _skip(text, begin[2]))
        if begin is None or end is None:
            return None
        name, macro, _ = begin
        opening = self.expanded(macro.body, frozenset((f"begin {name}",)), 1)
        if len(macro.body) <= MOST_BODY and DISPLAY.search(opening):
            self.macros[f"begin {name}"] = macro
            self.macros[f"end {name}"] = Macro(0, None, end[0])
        return end[1]

    def _let(self, text: str, place: int) -> tuple[str, Macro, int] | None:
        name = _name(text, place)
        if name is None:
            return None
        skipped = re.compile(r"\s*=?\s?").match(text, name[1])
        target = _COMMAND.match(text, skipped.end() if skipped else name[1])
        if target is None or target[1] is None:
            return None
        return name[0], self.macros.get(target[1], Macro(0, None, f"\\{target[1]}")), target.end()


def _filled(at: re.Match[str], given: list[str]) -> str:
    if at[1] is None:
        return "#"
    number = int(at[1])
    return given[number - 1] if 1 <= number <= len(given) else ""


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _name(text: str, place: int) -> tuple[str, int] | None:
    r"""The macro named here, as `\x` or `{\x}`, and the place behind it."""
    place = _skip(text, place)
    braced = text.startswith("{", place)
    found = _COMMAND.match(text, _skip(text, place + 1) if braced else place)
    if found is None or found[1] is None or found[0].endswith("*"):
        return None
    end = found.end()
    if not braced:
        return found[1], end
    end = _skip(text, end)
    return (found[1], end + 1) if text.startswith("}", end) else None


def _new_command(name: tuple[str, int] | None, text: str) -> tuple[str, Macro, int] | None:
    """What is defined under a name that ends at a place."""
    if name is None:
        return None
    count = _bracketed(text, name[1])
    default = None if count is None else _bracketed(text, count[1])
    place = (default or count or name)[1]
    content = _braced(text, _skip(text, place))
    if content is None or (count is not None and not count[0].strip().isdigit()):
        return None
    number = 0 if count is None else int(count[0][:2])
    return name[0], Macro(number, default[0] if default else None, content[0]), content[1]


def _operator(text: str, place: int, starred: bool) -> tuple[str, Macro, int] | None:
    name = _name(text, place)
    content = None if name is None else _braced(text, _skip(text, name[1]))
    if name is None or content is None:
        return None
    star = "*" if starred else ""
    return name[0], Macro(0, None, f"\\operatorname{star}{{{content[0]}}}"), content[1]


def _plain_definition(text: str, place: int) -> tuple[str, Macro, int] | None:
    name = _name(text, place)
    if name is None:
        return None
    parameters = _PARAMETERS.match(text, name[1])
    end = parameters.end() if parameters else name[1]
    content = _braced(text, _skip(text, end))
    if content is None:
        return None
    return name[0], Macro((end - name[1]) // 2, None, content[0]), content[1]


def _argument(text: str, place: int) -> tuple[str, int] | None:
    """A braced group, a command or a character, and the place behind it."""
    place = _skip(text, place)
    if text.startswith("{", place):
        return _braced(text, place)
    found = _PLACE.match(text, place)
    if found is not None and found[0] != "}":
        return found[0], found.end()
    return (text[place], place + 1) if place < len(text) and text[place] != "}" else None


def _braced(text: str, place: int) -> tuple[str, int] | None:
    """The content of the group that begins here; None where none does or it is not closed."""
    if not text.startswith("{", place):
        return None
    depth = 0
    for found in _PLACE.finditer(text, place, place + 10 * MOST_BODY):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return text[place + 1 : found.start()], found.end()
    return None


def _bracketed(text: str, place: int) -> tuple[str, int] | None:
    place = _skip(text, place)
    end = text.find("]", place, place + 200) if text.startswith("[", place) else -1
    return None if end < 0 else (text[place + 1 : end], end + 1)

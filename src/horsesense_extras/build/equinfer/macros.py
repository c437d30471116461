r"""Simple macros of authors, expanded: `\newcommand`, `\def`, `\let`, `\DeclareMathOperator`.

A macro is not expanded within itself. What LaTeX could compute (conditionals, delimited arguments)
is left as it stands: an equation that uses it has a command of its own and is dropped for that.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

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
_NAME = r"\s*(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))"
_NEW = re.compile(_NAME + r"\s*(?:\[\s*(\d)\s*\])?\s*(?:\[([^\]]{0,200})\])?")
_PLAIN = re.compile(_NAME + r"((?:#\d)*)")
_LET = re.compile(_NAME + r"\s*=?\s?\\([A-Za-z@]+)")
_HEADS: Final = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), _NEW),
    "DeclareMathOperator": _NEW,
    **dict.fromkeys(("def", "gdef"), _PLAIN),
    "let": _LET,
}
"""Command that defines a macro -> what stands between it and what the macro stands for."""
_NOT_SIMPLE = re.compile(
    r"\\(?:if[a-zA-Z@]*|else|fi|def|edef|gdef|xdef|newcommand|renewcommand|csname|expandafter"
    r"|futurelet|let|loop|repeat|@ifnextchar|input|include|write|read|catcode)(?![A-Za-z@])"
)
_PROTECTED = frozenset(
    ("begin", "end", "left", "right", "label", "ref", "cite", "item", "frac", "sqrt", "text")
)
"""Commands that a paper may not redefine here."""
_SPACE = re.compile(r"[ \t\n]*")
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
            if name in _HEADS and (end := self._defined(text, found)) is not None:
                place = end
            elif name in within or (used := self._used(text, name, place, within, depth)) is None:
                parts.append(found[0])
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
            start = _skip(text, place)
            end = text.find("]", start, start + 200) if text.startswith("[", start) else -1
            given.append(macro.default if end < 0 else text[start + 1 : end])
            place = place if end < 0 else end + 1
        while len(given) < macro.arguments:
            argument = _argument(text, place)
            if argument is None:
                return None
            given.append(argument[0])
            place = argument[1]
        given = [self.expanded(each, within, depth + 1) for each in given]
        shape = self.expanded(macro.body, within | {name}, depth + 1)
        table = {str(number): each for number, each in enumerate(given, 1)}
        filled = _ARGUMENT.sub(lambda at: table.get(at[1], "") if at[1] else "#", shape)
        self._count(filled)
        if _OPEN_END.search(filled) and text[place : place + 1].isalpha():
            filled += " "
        return filled, place

    def _defined(self, text: str, found: re.Match[str]) -> int | None:
        """Where a definition ends that stands here, which is noted; None where none does."""
        head = _HEADS[found[1]].match(text, found.end())
        if head is None:
            return None
        name, end = head[1] or head[2], head.end()
        if found[1] == "let":
            macro = self.macros.get(head[3], Macro(0, None, f"\\{head[3]}"))
        else:
            content = _braced(text, _skip(text, end))
            if content is None:
                return None
            body, end = content
            if found[1] == "DeclareMathOperator":
                macro = Macro(0, None, f"\\operatorname{found[0][20:]}{{{body}}}")
            elif head.re is _PLAIN:
                macro = Macro(len(head[3]) // 2, None, body)
            else:
                macro = Macro(int(head[3] or 0), head[4], body)
        if name not in _PROTECTED:
            self.macros.pop(name, None)
            if len(macro.body) <= MOST_BODY and not _NOT_SIMPLE.search(macro.body):
                self.macros[name] = macro
        return end


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


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

"""Where the display equations of a document are, and which of them can become a question.

The parser is pylatexenc; it reads each equation by itself, so that a brace that is open somewhere
else harms no other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from horsesense.errors import UsageError, install
from horsesense_extras.build.equinfer.funnel import Fate
from horsesense_extras.build.equinfer.notation import cleaned, plain, tokens, with_bars
from horsesense_extras.build.equinfer.vocabulary import KNOWN, OPENING

if TYPE_CHECKING:
    from pylatexenc.latexwalker import LatexNode


MOST_BODY: Final = 2_000
"""Characters of the longest macro that counts as simple."""
MOST_EXPANDED: Final = 2**24
"""Characters that the expansion of a document may take, those in between included."""
COST: Final = 128
"""What a use of a macro counts besides its characters."""
DEEPEST_MACRO: Final = 40
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
        if depth > DEEPEST_MACRO:
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


LONGEST_SOURCE: Final = 10_000
"""Characters within which a display equation must end."""
SHORTEST, LONGEST = 3, 120
"""Tokens that the right side of an equation must, and may, have."""
MOST_CHARACTERS: Final = 600
MOST: Final = 2_000
"""Equations of one document that are listed."""
DEEPEST: Final = 30
"""Brackets within brackets."""

UNBALANCED: Final = "its braces are not balanced"
NOT_CLOSED: Final = "it is not closed, or its braces are not balanced"
NOT_READ: Final = "an environment that is not read (empheq, numcases, ...)"
NESTED: Final = "nested structures (cases, matrices, aligned, ...)"
ROWS: Final = "several rows"
OWN: Final = "commands of the author's own, or rare ones"
NO_EQUALS: Final = "no equals sign with something on both sides"
SHORT: Final = f"its right side has fewer than {SHORTEST} tokens"
LONG: Final = (
    f"its right side has more than {LONGEST} tokens, or it more than {MOST_CHARACTERS} characters"
)

ONE_ROW = frozenset(("equation", "displaymath"))
ROWED = frozenset(("align", "gather", "multline", "eqnarray", "flalign", "alignat", "IEEEeqnarray"))

_ODD: Final = "empheq split dmath dgroup darray xalignat xxalignat numcases subnumcases"
UNREAD = frozenset(_ODD.split())
"""Environments of display equations that are counted and not read."""


def _environments(names: frozenset[str]) -> str:
    return rf"\\begin\s*\{{(?:{'|'.join(sorted(names))})\*?\}}"


_MATH: Final = r"|(?<!\\)(?:\\\\)*(?P<math>\\\[|\$\$)"
DISPLAY: Final = re.compile(_environments(ONE_ROW | ROWED) + _MATH)
"""Where a display equation begins."""
_NEXT = re.compile(
    rf"(?P<unread>{_environments(UNREAD)})|{_environments(ONE_ROW | ROWED)}{_MATH}"
    # An inline formula ends in its paragraph, and has no display in it.
    r"|(?<!\\)(?:\\\\)*(?P<inline>\$(?:(?!\\begin|\\\[|\n\s*\n)(?:\\.|[^$\\])){1,2000}\$)",
    re.DOTALL,
)
_HEAD = re.compile(r"(\\begin\{(?:IEEEeqnarray|alignat)\*?\})\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}")
_BEGIN = re.compile(r"\\begin\s*\{([^{}]*)\}")
_RELATION = frozenset(("=", ":=", r"\coloneqq", r"\triangleq", r"\equiv", r"\doteq"))


def check_parser() -> None:
    """UsageError if pylatexenc is not installed."""
    if find_spec("pylatexenc") is None:
        raise UsageError("Reading LaTeX needs the package pylatexenc.", hint=install("latex"))


def find(text: str, paper: str, document: str, first: int = 1) -> Iterator[Fate]:
    """The display equations of a document; one that cannot become a question is dropped."""
    place, number = 0, first
    while (found := _NEXT.search(text, place)) is not None:
        if found["inline"]:
            place = found.end()
            continue
        start = found.start("math") if found["math"] else found.start()
        fate = Fate(f"{paper}:{number}", paper, document, start, found.end())
        number += 1
        parsed = None if found["unread"] else _parsed(text, start)
        if parsed is None:
            closed = _closed(text, start) if found["unread"] else None
            fate.end = fate.end if closed is None else closed[1]
            fate.latex = " ".join(text[start : start + 200].split())
            reason: str | None = NOT_READ if found["unread"] else NOT_CLOSED
        else:
            node, fate.end = parsed
            fate.latex = latex = cleaned(_inside(node, text[start : fate.end]))
            sides = _sides(latex)
            reason = _structure(latex) or _commands(latex)
            reason = reason or (NO_EQUALS if sides is None else _size(latex, sides))
            if sides is not None and reason is None:
                fate.left, fate.relation, fate.right = sides
        if reason is not None:
            fate.drop("filter", reason)
        place = fate.end
        yield fate


def _parsed(text: str, start: int) -> tuple[LatexNode, int] | None:
    """The equation that begins here, and where it ends; None where it does not."""
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerError

    closed = _closed(text, start)
    if closed is None:
        return None
    inner, end = closed
    closing = "".join(text[inner:end].split())
    window = _HEAD.sub(r"\1", text[start:inner] + closing, count=1)
    if DISPLAY.search(window, 2, len(window) - 2) or _depth(tokens(window)) > DEEPEST:
        return None
    try:
        nodes, _, length = LatexWalker(window, tolerant_parsing=False).get_latex_nodes(0)
    except (LatexWalkerError, RecursionError, ValueError):
        return None
    return (nodes[0], end) if len(nodes) == 1 and length == len(window) else None


def _closed(text: str, start: int) -> tuple[int, int] | None:
    """Where the sign begins and ends that ends what begins here; None where none is in reach."""
    begin = _BEGIN.match(text, start)
    if begin:
        closing = rf"\\end\s*\{{{re.escape(begin[1])}\}}"
    else:
        closing = {"\\[": r"\\\]", "$$": r"\$\$"}[text[start : start + 2]]
    after = begin.end() if begin else start + 2
    found = re.compile(closing).search(text, after, start + LONGEST_SOURCE)
    return None if found is None else found.span()


def _depth(found: Sequence[str]) -> int:
    """How deep brackets are nested, bars too, of all kinds together, whatever closes them."""
    depth = deepest = 0
    for token in with_bars(found):
        depth += (token in OPENING) - (token in OPENING.values() and depth > 0)
        deepest = max(deepest, depth)
    return deepest


def _inside(node: LatexNode, source: str) -> str:
    r"""What stands between `\begin{...}` and `\end{...}`, or between the signs."""
    return "".join(inner.latex_verbatim() for inner in node.nodelist) or source


def _structure(latex: str) -> str | None:
    """Why the equation is not one plain row; None where it is."""
    if r"\begin" in latex:
        return NESTED
    return ROWS if {"\\\\", r"\cr", r"\newline"} & {*tokens(latex)} else None


def _commands(latex: str) -> str | None:
    names = (t.partition("{")[0].strip().removesuffix("*") for t in tokens(latex) if t[0] == "\\")
    if any(name[1:2].isalpha() and name not in KNOWN for name in names):
        return OWN
    return NESTED if {"$", "#"} & {*tokens(latex)} else None


def unfit(right: str) -> str | None:
    """Why a right side cannot be an option, in whoever's hand; None where it can."""
    signs = (token for token in tokens(right) if token in ("{", "}"))
    depths = list(accumulate((1 if sign == "{" else -1 for sign in signs), initial=0))
    sizes = Counter(token for token in tokens(right) if token in (r"\left", r"\right"))
    if min(depths) < 0 or depths[-1] != 0 or sizes[r"\left"] != sizes[r"\right"]:
        return UNBALANCED
    if "\\\\" in tokens(right):
        return ROWS
    if _depth(tokens(right)) > DEEPEST or r"\begin" in right or r"\end" in right:
        return NESTED
    return _commands(right) or (LONG if _is_long(right, right) else None)


def _sides(latex: str) -> tuple[str, str, str] | None:
    """Left side, sign and right side, by the first equals sign outside of all brackets."""
    found = tokens(latex)
    depth = 0
    for place, token in enumerate(found):
        if token in OPENING:
            depth += 1
        elif token in OPENING.values():
            depth -= 1
        elif depth <= 0 and token in _RELATION:
            sign = token
            before = "".join(found[:place]).rstrip()
            if token == "=" and before.endswith(":"):
                before, sign = before[:-1].rstrip(), ":="
            after = "".join(found[place + 1 :]).strip()
            return (before, sign, after) if plain(before) and plain(after) else None
    return None


def _size(latex: str, sides: tuple[str, str, str]) -> str | None:
    count = len(plain(sides[2]))
    if count < SHORTEST:
        return SHORT
    return LONG if _is_long(latex, sides[2]) else None


def _is_long(latex: str, right: str) -> bool:
    return len(plain(right)) > LONGEST or len(latex) > MOST_CHARACTERS

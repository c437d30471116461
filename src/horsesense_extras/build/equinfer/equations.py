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
from typing import TYPE_CHECKING, Final

from horsesense.errors import UsageError, install
from horsesense_extras.build.equinfer.funnel import Fate
from horsesense_extras.build.equinfer.notation import cleaned, plain, tokens, with_bars
from horsesense_extras.build.equinfer.vocabulary import KNOWN, OPENING

if TYPE_CHECKING:
    from pylatexenc.latexwalker import LatexNode

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

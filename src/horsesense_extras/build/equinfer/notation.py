r"""The notation of an equation: its tokens, and whether two say the same.

Two equations are the same if one canonical form is: layout, brackets' kinds and sizes, labels and
final punctuation are gone; terms of a sum, factors of a product, members of a list and the sides of
a relation are sorted; brackets around terms of a sum are opened; the letters that sums run over are
numbered. The form errs on the side of "the same": `AB` and `BA` are, and so are `f(x,y)` and
`f(y,x)`, `(a-b)` and `(b-a)`, `u^\top v` and `v^\top u`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, permutations
from typing import Final

from horsesense_extras.build.equinfer.vocabulary import (
    ACCENTS,
    ALIASES,
    BARS,
    BINDERS,
    CLOSING,
    EVEN,
    FACING,
    FINAL,
    GREEK,
    INTEGRALS,
    LAYOUT,
    LISTING,
    MIRRORED,
    OPENING,
    SEPARATORS,
    SPACED,
    TIMES,
    UPRIGHT,
)

_TEXTS: Final = (
    "text|textrm|textit|textbf|textsf|texttt|textsc|textnormal|mbox|mathrm|mathsf|mathtt"
    r"|operatorname|DeclareMathOperator"
)
_TOKEN = re.compile(
    rf"\\(?:{_TEXTS})\*?\s*\{{[^{{}}]*\}}|\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL
)
_REMOVED = re.compile(
    r"\\(?:label|tag\*?|hspace\*?|vspace\*?|hskip|phantom|vphantom|hphantom|eqlabel)\s*"
    r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|\\(?:nonumber|notag)(?![A-Za-z])|\\begin\{split\}|\\end\{split\}"
)
_INVISIBLE = re.compile(r"\\(?:left|right)\s*\.")
_AS_BARS: Final = str.maketrans({one: bar for bar, both in FACING.items() for one in both})
_BEFORE_OPENING = SPACED | SEPARATORS | TIMES | BINDERS | {"^", "_", "/", *OPENING} | UPRIGHT
"""After what a bar opens, whatever is open."""
_DEFINING = SEPARATORS - {",", ";", "<", ">", r"\leq", r"\geq", r"\neq"} | {"}"}
"""Where the letters end that a subscript binds."""
_DIFFERENTIAL: Final = frozenset(("d", r"\mathrm{d}", r"\text{d}"))
_ROUND: Final = {"[": "(", r"\{": "(", "]": ")", r"\}": ")"}
_TURNED: Final = {"+": "-", "-": "+"}
_EVEN_POWER = re.compile(r"\d*[02468]")
_LEADING_MINUS = re.compile(r"\A([({\ue000\ue002])-")
_MOST_ORDERS: Final = 24
"""Ways to number the letters that sums run over of which the first in order is taken."""


def tokens(latex: str) -> list[str]:
    r"""The tokens of an equation, spaces included; a text such as `\text{if}` is one.

    >>> tokens(r"\alpha_i+12")
    ['\\alpha', '_', 'i', '+', '12']
    """
    return _TOKEN.findall(latex)


def with_bars(found: Sequence[str]) -> list[str]:
    r"""Tokens, of which the bars that are brackets say whether they open or close.

    A bar opens where none of its kind is open in the same bracket, or after an operator; one that
    is never closed is no bracket, as in `p(x|y)`.

    >>> with_bars(tokens("|a|+p(b|c)")) == ["\ue000", "a", "\ue001", *tokens("+p(b|c)")]
    True
    """
    marked = list(found)
    levels: list[list[int]] = [[]]
    before = ""
    for place, token in enumerate(found):
        bar, level = BARS.get(token), levels[-1]
        if token.isspace() or token in LAYOUT:
            continue
        if bar is None:
            if token in OPENING:
                levels.append([])
            elif token in CLOSING and len(levels) > 1:
                levels.pop()
            before = token
        elif before in _BEFORE_OPENING or bar not in {BARS[found[at]] for at in level[-2:]}:
            level.append(place)
            before = "("
        else:
            while BARS[found[opening := level.pop()]] != bar:
                pass  # one of the other kind that was never closed
            marked[opening], marked[place] = FACING[bar]
            before = ")"
    return marked


def cleaned(latex: str) -> str:
    r"""An equation as it is shown: on one line, without label, number and final punctuation.

    >>> cleaned("x &= y + 1 \\label{eq:a} \\,. \n")
    'x = y + 1'
    """
    found = tokens(" ".join(_REMOVED.sub(" ", latex).replace("&", " ").split()))
    while found and (found[-1].isspace() or found[-1] in FINAL):
        found.pop()
    return "".join(found).strip()


def spaced(latex: str) -> str:
    r"""An equation with spaces by one rule, bars by one name, and without brackets' sizes.

    All options of an item are written so, or their spaces would tell who wrote them.

    >>> spaced(r"\mathbf x=\left( a+ b\right)\,c")
    '\\mathbf x = (a + b)c'
    """
    parts: list[str] = []
    for written in with_bars(tokens(_INVISIBLE.sub("", cleaned(latex)))):
        token = BARS.get(written, written)
        if token.isspace() or (token in LAYOUT and token not in (r"\quad", r"\qquad")):
            continue
        before = parts[-1] if parts else ""
        if before[:1] == "\\" and before[1:].isalpha() and token[0].isalpha():
            parts.append(" ")
        unary = before.strip() in ("", *OPENING, *SPACED, "^", "_", ",")
        parts.append(f" {token} " if token in SPACED and not unary else token)
        if token == ",":
            parts.append(" ")
    return " ".join("".join(parts).split()).translate(_AS_BARS)


def plain(latex: str) -> list[str]:
    """The tokens that matter, without layout, by one name each."""
    named: list[str] = []
    for token in with_bars(tokens(cleaned(latex))):
        if token.isspace() or token in LAYOUT:
            continue
        if named and named[-1] in UPRIGHT and len(token) == 1 and token.isalnum():
            named[-1] += f"{{{token}}}"  # "\mathrm d" is "\mathrm{d}"
        else:
            token = ALIASES.get(token, token)
            named.append("".join(token.split()) if token.startswith("\\") else token)
    return named


@lru_cache(4096)
def canonical(latex: str) -> str:
    r"""A text that equations share which are the same but for order and layout.

    >>> canonical(r"b + a \cdot c") == canonical(r"c a+{b}.")
    True
    >>> canonical(r"\sum_{i\neq k} x_i y_k") == canonical(r"\sum\limits_{i \ne j} x_j y_i")
    True
    >>> canonical("a - b") == canonical("b - a")
    False
    >>> canonical("b - a") == canonical("-(a - b)"), canonical("a < b") == canonical("b > a")
    (True, True)
    """
    found = [_ROUND.get(token, token) for token in plain(latex)]
    letters = list(dict.fromkeys(_letters_bound(found)))
    forms = []
    for order in islice(permutations(range(len(letters))), _MOST_ORDERS):
        names = {letter: f"§{number}" for letter, number in zip(letters, order, strict=True)}
        forms.append(_Canonical([names.get(token, token) for token in found]).form())
    return min(forms)


def bound(latex: str) -> list[str]:
    r"""The letters that sums and the like run over, each as often as one does.

    >>> bound(r"\sum_{i=1}^n \sum_{i, j} x_{ij}")
    ['i', 'i', 'j']
    """
    return list(_letters_bound(plain(latex)))


def _letters_bound(found: Sequence[str]) -> Iterator[str]:
    """The letters that a binder's subscript names before it says what they are."""
    for place, token in enumerate(found[:-2]):
        if token not in BINDERS or found[place + 1] != "_":
            continue
        braced = found[place + 2] == "{"
        for letter in found[place + 3 :] if braced else found[place + 2 : place + 3]:
            if letter in _DEFINING:
                break
            if is_symbol(letter):
                yield letter


def is_symbol(token: str) -> bool:
    """Whether a token is a variable: a Latin or Greek letter."""
    return (len(token) == 1 and token.isalpha()) or token in GREEK


def differentials(found: Sequence[str]) -> Iterator[int]:
    """Places of the d of `dx`: behind the sign of an integral and before a letter."""
    begun = False
    shown = [place for place, token in enumerate(found) if not token.isspace()]
    for place, following in pairwise(shown):
        begun = begun or found[place] in INTEGRALS
        if begun and found[place] in _DIFFERENTIAL and is_symbol(found[following]):
            yield place


def _either_way(chain: Sequence[str]) -> str:
    """Sums with relations between them, which can be read from both sides."""
    relations = chain[1::2]
    if not relations or not MIRRORED.keys() >= set(relations):
        return "".join(chain)
    if set(relations) == {"="}:
        return "=".join(sorted(chain[::2]))
    return min("".join(chain), "".join(MIRRORED.get(part, part) for part in reversed(chain)))


class _Canonical:
    """One pass over tokens, group by group; the depth is bounded by `equations.DEEPEST`."""

    def __init__(self, found: Sequence[str]) -> None:
        self._found = found
        self._place = 0
        self._terms: list[str] = []  # of the bracket read last, where it holds one sum

    def form(self) -> str:
        parts = [self._list(False)]
        while self._place < len(self._found):  # a closing bracket without its opening one
            parts.append(self._next())
            parts.append(self._list(False))
        return "".join(parts)

    def _peek(self) -> str:
        return self._found[self._place] if self._place < len(self._found) else ""

    def _next(self) -> str:
        self._place += 1
        return self._found[self._place - 1]

    def _list(self, inside: bool) -> str:
        """Sums with separators between, up to the closing bracket.

        Members of a list are sorted: many functions do not care for the order of their arguments.
        """
        chains: list[list[str]] = [[]]
        while True:
            terms = self._sum()
            chains[-1].append(_told(terms, inside))
            if self._peek() not in SEPARATORS or not self._peek():
                self._terms = terms if len(chains) == len(chains[0]) == 1 else []
                return ",".join(sorted(map(_either_way, chains)))
            token = self._next()
            if token in LISTING:
                chains.append([])
            else:
                chains[-1].append(token)

    def _sum(self) -> list[str]:
        """The terms of a sum with their signs; those of a bracket that is a term are among them."""
        terms = self._product("+")
        while self._peek() in _TURNED:
            terms += self._product(self._next())
        return [term for term in terms if term[1:]]

    def _product(self, sign: str) -> list[str]:
        """A term, its factors sorted; which of them are transposed does not matter."""
        factors: list[str] = []
        alone: list[str] = []
        divides = ""
        while (token := self._peek()) and token not in SEPARATORS | CLOSING | {"+", "-"}:
            if token in TIMES or token == "/":
                self._place += 1
                divides = "/" if token == "/" else ""
            elif token in ("_", "^") and factors:
                self._place += 1
                factors += self._scripted(factors.pop(), token, self._group())
                alone = []
            else:
                factor = self._atom()
                if factors and re.split("[_^]", factors[-1])[0] in EVEN:
                    factor = _LEADING_MINUS.sub(r"\1+", factor)
                alone = [] if factors or divides else self._terms
                factors.append(divides + factor)
                divides = ""
        if len(alone) > 1:
            return alone if sign == "+" else [_TURNED[term[0]] + term[1:] for term in alone]
        factors = [factor for factor in factors if factor != "1"] or factors[:1]
        return [sign + "·".join(sorted(factors))]

    def _scripted(self, factor: str, token: str, script: str) -> list[str]:
        """A factor with an index or a power; of what gets an even one, the sign does not matter."""
        if token == "^" and script in ("T", r"\top") and factor.partition("_")[0] not in BINDERS:
            return [factor, r"^\top"]
        if token == "^" and factor == "1":
            return [factor]
        if token == "^" and _EVEN_POWER.fullmatch(script):
            factor = _LEADING_MINUS.sub(r"\1+", factor)
        return [factor + token + script]

    def _atom(self) -> str:
        """A letter, a bracket with its content, or a command with the groups that follow."""
        token = self._next()
        self._terms = []
        if token in OPENING:
            return self._bracket(token)
        if not token.startswith("\\"):
            return token
        groups: list[str] = []
        if token in ACCENTS and self._peek() not in ("{", ""):
            groups.append(self._group())
        while self._peek() == "{" or (self._peek() == "(" and token == r"\sqrt" and not groups):
            groups.append(self._group())
        self._terms = []
        groups = [_LEADING_MINUS.sub(r"\1+", g) if token in EVEN else g for g in groups]
        return token + "".join(f"<{group}>" for group in groups)

    def _bracket(self, token: str) -> str:
        inner = self._list(True)
        if self._peek() in CLOSING and self._peek():
            self._place += 1
        self._terms = self._terms if token == "(" else []
        if token == "{" and inner.startswith("+") and not set(inner[1:]) & set("+-·=,;|<>/"):
            return inner[1:]  # braces are not seen: a group of one atom is that atom
        whole = f"{token}{inner}{OPENING[token]}"
        return _LEADING_MINUS.sub(r"\1+", whole) if token[0] in "\ue000\ue002" else whole

    def _group(self) -> str:
        """What stands in a script or is an argument, with braces or without."""
        return "" if self._peek() in CLOSING or not self._peek() else self._atom()


def _told(terms: Sequence[str], inside: bool) -> str:
    """A sum; of one in brackets, where it may be squared, the overall sign does not matter."""
    kept = sorted(terms)
    if inside and len(kept) > 1:
        kept = min(kept, sorted(_TURNED[term[0]] + term[1:] for term in kept))
    return "".join(kept)

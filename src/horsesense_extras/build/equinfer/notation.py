r"""The notation of an equation: its tokens, and whether two say the same.

Two equations are the same if one canonical form is: layout, brackets' sizes, labels and final
punctuation are gone; terms of a sum, factors of a product, members of a list and the sides of a
relation are sorted; brackets around terms of a sum are opened; the letters that sums, integrals and
the like run over are numbered. The form errs on the side of "the same": `AB` and `BA` are, and so
are `f(x,y)` and `f(y,x)`, `(a-b)` and `(b-a)`, `u^\top v` and `v^\top u`,
`\ln\frac{p}{q}` and `-\ln\frac{q}{p}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, permutations
from typing import Final

from horsesense_extras.build.equinfer.terms import differentials, is_symbol, opened
from horsesense_extras.build.equinfer.vocabulary import (
    ACCENTS,
    ALIASES,
    BARS,
    BINDERS,
    CLOSING,
    EVEN,
    FACING,
    FINAL,
    LAYOUT,
    LISTING,
    LOGARITHMS,
    MIRRORED,
    OPENING,
    SEPARATORS,
    SPACED,
    TIMES,
)

TEXTS: Final = (
    "text|textrm|textit|textbf|textsf|texttt|textsc|textnormal|mbox|mathrm|mathsf|mathtt"
    r"|operatorname|DeclareMathOperator"
)
_TOKEN = re.compile(
    rf"\\(?:{TEXTS})\*?\s*\{{[^{{}}]*\}}|\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL
)
_REMOVED = re.compile(
    r"\\(?:label|tag\*?|hspace\*?|vspace\*?|hskip|phantom|vphantom|hphantom|eqlabel)\s*"
    r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|\\(?:nonumber|notag)(?![A-Za-z])|\\begin\{split\}|\\end\{split\}"
)
_INVISIBLE = re.compile(r"\\(?:left|right)\s*\.")

_AS_BARS: Final = str.maketrans({one: bar for bar, both in FACING.items() for one in both})
MOST_ORDERS: Final = 24
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
        if token.isspace() or token in LAYOUT:
            continue
        if token not in BARS:
            before = token
            if token in OPENING:
                levels.append([])
            elif token in CLOSING and len(levels) > 1:
                levels.pop()
            continue
        bar, level = BARS[token], levels[-1]
        closes = any(BARS[found[at]] == bar for at in level[:-3:-1])
        after_sign = before in _BEFORE_OPENING or before in OPENING
        if not closes or token in (r"\lvert", r"\lVert") or after_sign:
            level.append(place)
            before = "("
        else:
            while BARS[found[opening := level.pop()]] != bar:
                pass  # one of the other kind that was never closed
            marked[opening], marked[place] = FACING[bar]
            before = ")"
    return marked


def without_marks(text: str) -> str:
    """A text with the bars of `with_bars` as they are written."""
    return text.translate(_AS_BARS)


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
    return without_marks(" ".join("".join(parts).split()))


def plain(latex: str) -> list[str]:
    """The tokens that matter, without layout, by one name each."""
    found = (token for token in with_bars(tokens(cleaned(latex))) if not token.isspace())
    kept = [ALIASES.get(token, token) for token in found if token not in LAYOUT]
    named: list[str] = []
    for token in kept:
        if named and named[-1] in _UPRIGHT and len(token) == 1 and token.isalnum():
            named[-1] += f"{{{token}}}"  # "\mathrm d" is "\mathrm{d}"
        else:
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
    return min(_Canonical(found).form() for found in _numbered(opened(plain(latex))))


def bound(latex: str) -> list[str]:
    r"""The letters that sums and the like run over, each as often as one does.

    >>> bound(r"\sum_{i=1}^n \sum_{i, j} x_{ij}")
    ['i', 'i', 'j']
    """
    return list(_letters_bound(plain(latex)))


def same(one: str, other: str) -> bool:
    """Whether two equations say the same as far as their canonical forms can tell."""
    return canonical(one) == canonical(other)


def _numbered(found: Sequence[str]) -> Iterator[list[str]]:
    """Letters that sums and the like run over get numbers, in each possible order."""
    variables = (found[place + 1] for place in differentials(found))
    letters = list(dict.fromkeys([*_letters_bound(found), *variables]))
    for order in islice(permutations(range(len(letters))), MOST_ORDERS):
        names = {letter: f"§{number}" for letter, number in zip(letters, order, strict=True)}
        yield [names.get(token, token) for token in found]


def _letters_bound(found: Sequence[str]) -> Iterator[str]:
    for place, token in enumerate(found[:-2]):
        if token in BINDERS and found[place + 1] == "_":
            yield from _bound(found, place + 2)


def _bound(found: Sequence[str], start: int) -> Iterator[str]:
    """Letters that a subscript names before it says what they are, such as i and j of `i,j=1`."""
    if found[start] != "{":
        yield from [found[start]] if is_symbol(found[start]) else []
        return
    for token in found[start + 1 :]:
        if token in _DEFINING:
            return
        if is_symbol(token):
            yield token


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
        self._inverse: dict[str, str] = {}  # a fraction -> the same upside down
        self._negative: dict[str, str] = {}  # a bracket around one term with a minus -> with none
        self._single = False  # whether the list that was read last is one term

    def form(self) -> str:
        parts = [self._list("")]
        while self._place < len(self._found):  # a closing bracket without its opening one
            parts += [self._found[self._place]]
            self._place += 1
            parts.append(self._list(""))
        return "".join(parts)

    def _list(self, closing: str) -> str:
        """Sums with separators between, up to the closing bracket.

        Members of a list are sorted: many functions do not care for the order of their arguments.
        """
        chains: list[list[str]] = [[]]
        while True:
            chains[-1].append(self._sum(bool(closing)))
            token = self._peek()
            if token not in SEPARATORS:
                self._single = self._single and len(chains) == len(chains[0]) == 1
                return ",".join(sorted(map(_either_way, chains)))
            self._place += 1
            if token in LISTING:
                chains.append([])
            else:
                chains[-1].append(token)

    def _sum(self, inside: bool) -> str:
        """A sum; of one in brackets, where it may be squared, the overall sign does not matter."""
        terms = [self._product("+")]
        while (sign := self._peek()) in ("+", "-"):
            self._place += 1
            terms.append(self._product(sign))
        kept = sorted(term for term in terms if term[1:])
        if inside and len(kept) > 1:
            turned = sorted(("-" if t[0] == "+" else "+") + t[1:] for t in kept)
            kept = min(kept, turned)
        self._single = len(kept) == 1
        return "".join(kept)

    def _product(self, sign: str) -> str:
        """The factors of a term, sorted.

        Which of them are transposed does not matter, only how many are. A logarithm of a fraction
        is one of two that differ by the sign.
        """
        factors: list[str] = []
        transposed = 0
        while (token := self._peek()) is not None:
            if token in ("+", "-") or token in SEPARATORS or token in CLOSING:
                break
            before = self._found[self._place - 1]
            self._place += 1
            if token in TIMES:
                continue
            if token in ("_", "^") and factors:
                script = self._group()
                if token == "^" and script in _TRANSPOSE and not factors[-1].startswith(_LIMITED):
                    transposed += 1
                else:
                    factors[-1] = self._with_script(factors[-1], token, script)
                continue
            self._place -= 1
            factor = self._atom()
            if factors and before not in TIMES:
                factor = self._as_argument(factor)
            if factors and _base(factors[-1]) in EVEN:
                factor = self._negative.get(factor, factor)
            turned = self._inverse.get(factor, factor)
            if turned < factor and factors and factors[-1].partition("_")[0] in LOGARITHMS:
                factor = turned
                sign = "-" if sign == "+" else "+"
            factors.append(factor)
        braced = [factor for factor in factors if factor[0] == "{" and factor in self._negative]
        factors, turns = self._divided([self._unsigned(factor) for factor in factors])
        if (turns + len(braced)) % 2:
            sign = "-" if sign == "+" else "+"
        factors = [factor for factor in factors if factor != "1"] or factors[:1]
        if factors == ["0"]:
            sign = "+"
        return sign + "·".join([*sorted(factors), *[r"^\top"] * transposed])

    def _unsigned(self, factor: str) -> str:
        """A factor without the braces around it and its sign."""
        return self._negative.get(factor, factor) if factor[0] == "{" else factor

    def _as_argument(self, factor: str) -> str:
        """A bracket that follows another factor, as round: what kind it is says nothing there."""
        opening = next((o for o in ("[", r"\{") if factor.startswith(o)), None)
        if opening is None:
            return factor
        inner = slice(len(opening), -len(OPENING[opening]))
        if factor in self._inverse:
            self._inverse[f"({factor[inner]})"] = f"({self._inverse[factor][inner]})"
        if factor in self._negative:
            self._negative[f"({factor[inner]})"] = f"({self._negative[factor][inner]})"
        return f"({factor[inner]})"

    def _divided(self, factors: Sequence[str]) -> tuple[list[str], int]:
        """The factors, of which those around a slash are a fraction; and how many were turned.

        What stands before a slash belongs to it, up to the sign of a sum or a logarithm. That of a
        fraction is the same as of the inverse one but for its sign.
        """
        divided: list[str] = []
        waiting, turns = False, 0
        for factor in factors:
            if factor == "/":
                waiting = bool(divided)
            elif waiting:
                start = len(divided)
                while start and _base(divided[start - 1]) not in BINDERS | LOGARITHMS:
                    start -= 1
                top, bottom = self._side(divided[start:]), self._side([factor])
                fraction, turned = rf"\frac<{top}><{bottom}>", rf"\frac<{bottom}><{top}>"
                self._inverse[fraction] = turned
                if start and turned < fraction and _base(divided[start - 1]) in LOGARITHMS:
                    fraction, turns = turned, turns + 1
                divided[start:] = [fraction] if start < len(divided) else [factor]
                waiting = False
            else:
                divided.append(factor)
        return divided, turns

    def _side(self, factors: Sequence[str]) -> str:
        """The numerator or denominator that some factors are, as in braces."""
        if len(factors) == 1 and factors[0][:1] == "(" and factors[0][-1:] == ")":
            return self._braced(factors[0][1:-1])
        return self._braced("+" + "·".join(sorted(factors)))

    def _braced(self, inner: str) -> str:
        """What stands in braces, which are not seen: a group of one atom is that atom."""
        atom = inner[1:] in self._inverse or _ATOM.fullmatch(inner[1:])
        return inner[1:] if inner.startswith("+") and atom else f"{{{inner}}}"

    def _with_script(self, factor: str, token: str, script: str) -> str:
        """A factor with an index or a power; of what gets an even one, the sign does not matter."""
        if token == "^" and script.startswith("{-") and factor in self._inverse:
            factor, script = self._inverse[factor], script[2:-1]
            if script == "1":
                return factor
        if token == "^" and factor == "1":
            return factor
        if token == "^" and _EVEN.fullmatch(script):
            factor = self._negative.get(factor, _LEADING_MINUS.sub(r"\1+", factor))
        return factor + token + script

    def _atom(self) -> str:
        """A letter, a bracket with its content, or a command with the groups that follow."""
        token = self._found[self._place]
        if token in OPENING:
            return self._bracket(token)
        self._place += 1
        if not token.startswith("\\"):
            return token
        groups: list[str] = []
        if token in ACCENTS and self._peek() not in ("{", None):
            return f"{token}<{self._group()}>"
        while (following := self._peek()) == "{" or (following == "[" and token == r"\sqrt"):
            group = self._group()
            groups.append(f"<{self._unsigned(group) if token in EVEN else group}>")
        if token == r"\frac" and len(groups) == 2:
            self._inverse[token + "".join(groups)] = token + "".join(groups[::-1])
        return token + "".join(groups)

    def _bracket(self, token: str) -> str:
        self._place += 1
        inner = self._list(OPENING[token])
        if self._peek() in CLOSING:
            self._place += 1
        closing = OPENING[token]
        turned = self._inverse.get(inner[1:])
        negative = self._single and inner.startswith("-")
        if token == "{":
            braced = self._braced(inner)
            if negative:
                self._negative[braced] = inner[1:]
            return braced
        if turned and inner.startswith("+"):
            self._inverse[f"{token}{inner}{closing}"] = f"{token}+{turned}{closing}"
        whole = f"{token}{inner}{closing}"
        if negative:
            self._negative[whole] = f"{token}+{inner[1:]}{closing}"
        return _LEADING_MINUS.sub(r"\1+", whole) if token in _OPENING_BARS else whole

    def _group(self) -> str:
        """What stands in a script or is an argument, with braces or without."""
        token = self._peek()
        if token is None or token in CLOSING:
            return ""
        return self._atom()

    def _peek(self) -> str | None:
        return self._found[self._place] if self._place < len(self._found) else None


def _base(factor: str) -> str:
    """A factor without its scripts."""
    return re.split(r"[_^]", factor, maxsplit=1)[0]


_UPRIGHT: Final = frozenset((r"\mathrm", r"\mathsf", r"\mathtt"))
_OPENING_BARS = frozenset(opening for opening, _ in FACING.values())
_BEFORE_OPENING = SPACED | SEPARATORS | TIMES | BINDERS | LOGARITHMS | {"^", "_", "/", r"\exp"}
"""After what a bar opens, whatever is open."""
_DEFINING = SEPARATORS - {",", ";", "<", ">", r"\leq", r"\geq", r"\neq"} | {"}"}
"""Where the letters end that a subscript binds."""
_TRANSPOSE = frozenset(("T", r"\top"))
_LIMITED = tuple(BINDERS)
_EVEN = re.compile(r"\d*[02468]")
_LEADING_MINUS = re.compile(r"\A(\\\{|[(\[{\ue000\ue002])-")
_ATOM = re.compile(r"[^+\-·=,;|<>]+")

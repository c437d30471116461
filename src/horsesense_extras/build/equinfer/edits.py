r"""Wrong options without a model: two small edits of the right side, and both together.

The right option and its three edits are the corners of a square: each differs from two others by
one edit and from the third by both. So the right one is not the one that resembles the others most,
as it would be if each wrong option was an edit of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from types import MappingProxyType
from typing import Final

from horsesense.rng import Dice
from horsesense_extras.build.equinfer.notation import (
    bound,
    canonical,
    differentials,
    is_symbol,
    spaced,
    tokens,
    with_bars,
)
from horsesense_extras.build.equinfer.vocabulary import (
    BINDERS,
    CLOSING,
    FACES,
    OPENING,
    pairs_of,
)

MOST_OF_A_KIND: Final = 8
"""Edits of one kind that are tried."""
LAST: Final = "leading minus"
"""The kind of edit that is taken where no two others fit."""

_OPPOSITES: Final = pairs_of(
    r"\sum>\prod \max>\min \sup>\inf \log>\exp \cup>\cap \bigcup>\bigcap \wedge>\vee \leq>\geq"
    r" \le>\ge <>> \argmax>\argmin \operatorname{argmax}>\operatorname{argmin}"
    r" \operatorname*{argmax}>\operatorname*{argmin} \oplus>\odot \sin>\cos"
    r" \mathrm{max}>\mathrm{min} \text{max}>\text{min} \otimes>\oplus"
    r" \operatorname{softmax}>\operatorname{sigmoid} \text{softmax}>\text{sigmoid}"
    r" \text{Softmax}>\text{Sigmoid} \mathrm{softmax}>\mathrm{sigmoid} \sup_>\inf_"
    r" \subset>\supset \subseteq>\supseteq"
)
OPERATORS: Mapping[str, str] = MappingProxyType(
    pairs_of(r"\cdot>+ \times>+ *>+ />+ \circ>+ \mid>,")
    | {new: old for old, new in _OPPOSITES.items()}
    | _OPPOSITES
)
"""Operator -> what takes its place; a condition becomes a second argument."""
_UNARY: Final = frozenset(("", *OPENING, "=", ",", "^", "_"))
"""After what a plus or minus is the sign of what follows."""
_FRACTIONS: Final = (r"\frac", r"\dfrac", r"\tfrac")
_NEGATING: Final = {"sign", LAST, "exponent"}
r"""Kinds that may undo an inverted fraction, as in `-\log(p/q)`."""


def wrong_options(right: str, dice: Dice) -> tuple[list[str], str] | None:
    """Three wrong right sides and the kinds of edits; None where there are no two that fit.

    No two of the four are the same in canonical form, and none lets two signs run over one letter
    where the right one does not.
    """
    found, again = _Tokens(with_bars(tokens(right))), _bound_again(right)
    pools = {kind: list(make(found)) for kind, make in KINDS.items()}
    pools = {k: dice.sample(pool, min(len(pool), MOST_OF_A_KIND)) for k, pool in pools.items()}
    pairs = list(combinations(dice.sample(list(KINDS), len(KINDS)), 2))
    for first, second in sorted(pairs, key=lambda pair: LAST in pair):
        if "inverted fraction" in (first, second) and _NEGATING & {first, second}:
            continue
        for one, other in product(pools[first], pools[second]):
            if one.keys() & other.keys():
                continue
            square = [_edited(found, changes) for changes in (one, other, one | other)]
            if any(_bound_again(text) > again for text in square):
                continue
            if len({canonical(text) for text in (right, *square)}) == 4:
                return square, f"{first} and {second}"
    return None


def _bound_again(latex: str) -> int:
    """How often a letter is run over that another sign runs over already."""
    letters = bound(latex)
    return len(letters) - len(set(letters))


Changes = dict[int, str]
"""Place -> what stands there instead."""


class _Tokens(list[str]):
    """Tokens of a right side, and where one finds what."""

    def __init__(self, found: Sequence[str]) -> None:
        super().__init__(found)
        self.shown = [place for place, token in enumerate(found) if not token.isspace()]
        self.ends: dict[int, int] = {}  # a place -> the one behind what begins there
        waiting: list[int] = []
        for place in self.shown:
            if self[place] in OPENING:
                waiting.append(place)
            elif self[place] in CLOSING and waiting:
                self.ends[waiting.pop()] = place + 1
            else:
                self.ends[place] = place + 1
        self.following = dict(pairwise(self.shown))
        self.last = {place: before for before, place in pairwise(self.shown)}
        self.scripts = {
            sign: [n for at in self.shown if self[at] == sign for n in self.inside(at) or ()]
            for sign in "_^"
        }

    def inside(self, place: int) -> range | None:
        """The places of what follows a token, one bracket or token; None where it stays open."""
        start = self.following.get(place)
        end = None if start is None else self.ends.get(start)
        return None if start is None or end is None else range(start, end)

    def before(self, place: int) -> str:
        """The token before; "" at the beginning."""
        return self[self.last[place]] if place in self.last else ""

    def is_variable(self, place: int) -> bool:
        """Whether a letter stands for itself: in no word, no face, and not the d of `dx`.

        A word is three letters in a row or two capitals, as `exp` and `NY`.
        """
        before = self.before(place)
        face = self.before(self.last[place]) if before == "{" else before
        left = right = place
        while left > 0 and _is_latin(self[left - 1]):
            left -= 1
        while right + 1 < len(self) and _is_latin(self[right + 1]):
            right += 1
        word = "".join(self[left : right + 1])
        named = len(word) > 2 or (len(word) == 2 and word.isupper())
        return is_symbol(self[place]) and face not in FACES and not named

    def indices(self) -> list[int]:
        """Places of single symbols and numbers in subscripts."""
        return [n for n in self.scripts["_"] if self[n].isdigit() or self.is_variable(n)]


def _is_latin(token: str) -> bool:
    return len(token) == 1 and token.isalpha()


def _edited(found: _Tokens, changes: Mapping[int, str]) -> str:
    """The tokens with their changes, letters kept apart from the commands before them."""
    parts: list[str] = []
    for place, token in enumerate(found):
        text = changes.get(place, token)
        before = next((part for part in reversed(parts) if not part.isspace()), "")
        if text == "+" and before in _UNARY and found.before(place) not in _UNARY:
            continue  # what stood before it is gone
        before = parts[-1] if parts else ""
        if text[:1].isalpha() and before[:1] == "\\" and before[1:].isalpha():
            parts.append(" ")
        if text:
            parts.append(text)
    return spaced("".join(parts))


def _signs(found: _Tokens) -> Iterator[Changes]:
    """A plus becomes a minus, and a minus a plus; one that stands before the whole is left out."""
    for place in found.shown:
        if found[place] in ("+", "-"):
            turned = "-" if found[place] == "+" else "+"
            yield {place: "" if found.before(place) in _UNARY else turned}


def _negations(found: _Tokens) -> Iterator[Changes]:
    """The whole gets a minus: always possible, and mostly easy to see."""
    for first in found.shown[:1]:
        if found[first] not in ("+", "-"):
            yield {first: f"- {found[first]}"}


def _indices(found: _Tokens) -> Iterator[Changes]:
    """An index becomes another one of the equation, or the next letter or number."""
    places = found.indices()
    names = sorted({found[place] for place in places if is_symbol(found[place])})
    for place in places:
        token = found[place]
        if token.isdigit():
            yield {place: str(int(token[:9]) + 1)}
            continue
        following = chr(ord(token) + 1) if len(token) == 1 and token.lower() < "z" else "j"
        for other in [name for name in names if name != token] or [following]:
            yield {place: other}


def _exponents(found: _Tokens) -> Iterator[Changes]:
    """A power is one higher, an upper limit one lower; a transpose becomes an inverse; what else
    stands there is left out."""
    for place in found.shown:
        inner = found.inside(place) if found[place] == "^" else None
        if inner is None:
            continue
        exponent = found[inner[0]]
        if exponent.isdigit():
            yield {inner[0]: str(int(exponent[:9]) + 1)}
        elif _is_limit(found, place):
            whole = len(inner) == 1
            yield {inner[-1]: f"{{{exponent}-1}}" if whole else "-1}"}
        elif exponent in ("T", r"\top", r"\intercal"):
            yield {inner[0]: "{-1}"}
        else:
            yield dict.fromkeys(range(place, inner[-1] + 1), "")


def _is_limit(found: _Tokens, place: int) -> bool:
    """Whether the `^` at `place` belongs to a sum or the like."""
    return any(
        found[at] in BINDERS and place in _behind(found, at) for at in found.shown if at < place
    )


def _behind(found: _Tokens, place: int) -> Iterator[int]:
    """The places of what stands behind a binder and belongs to it."""
    at = found.following.get(place)
    while at is not None and found[at] in ("_", "^", r"\limits", r"\nolimits"):
        yield at
        inner = found.inside(at) if found[at] in "_^" else None
        at = found.following.get(inner[-1] if inner else at)


def _operators(found: _Tokens) -> Iterator[Changes]:
    """An operator becomes its opposite."""
    for place in found.shown:
        if found[place] in OPERATORS:
            yield {place: OPERATORS[found[place]]}


def _swaps(found: _Tokens) -> Iterator[Changes]:
    """Two variables change places, once: both in scripts, or none."""
    fixed = set(differentials(found))
    places = [n for n in found.shown if n not in fixed and found.is_variable(n)]
    scripts = {*found.scripts["_"], *found.scripts["^"]}
    for one, other in combinations(places[:24], 2):
        if found[one] != found[other] and (one in scripts) == (other in scripts):
            yield {one: found[other], other: found[one]}


def _drops(found: _Tokens) -> Iterator[Changes]:
    """A term of a sum is left out, with its sign."""
    brackets = [(at + 1, found.ends[at] - 1) for at in found.ends if found[at] in OPENING]
    for start, end in [(0, len(found)), *sorted(brackets)]:
        cuts = [start, *_level(found, start, end), end]
        for one, other in pairwise(cuts) if len(cuts) > 2 else ():
            if "".join(found[one:other]).strip() in ("", "+", "-"):
                continue
            gone = dict.fromkeys(range(one, other), "")
            if one == start and other < end and found[other] == "+":
                gone[other] = ""
            yield gone


def _level(found: _Tokens, start: int, end: int) -> Iterator[int]:
    """Places of the plus and minus signs between two terms, outside of inner brackets."""
    depth = 0
    for place in range(start, end):
        token = found[place]
        depth += (token in OPENING) - (token in CLOSING)
        if token in ("=", ","):  # a list or a chain is not one sum
            return
        between = place > start and found.before(place) not in _UNARY
        if depth == 0 and token in ("+", "-") and between:
            yield place


def _fractions(found: _Tokens) -> Iterator[Changes]:
    """A fraction is turned upside down."""
    for place in found.shown:
        top = found.inside(place) if found[place] in _FRACTIONS else None
        bottom = found.inside(top[-1]) if top else None
        if top and bottom and found[top[0]] == found[bottom[0]] == "{":
            texts = ("".join(found[part[0] : part[-1] + 1]) for part in (bottom, top))
            changes = dict.fromkeys([*top, *bottom], "")
            yield changes | dict(zip((top[0], bottom[0]), texts, strict=True))


KINDS: Mapping[str, Callable[[_Tokens], Iterator[Changes]]] = MappingProxyType(
    {
        "sign": _signs,
        LAST: _negations,
        "index": _indices,
        "exponent": _exponents,
        "operator": _operators,
        "swapped symbols": _swaps,
        "dropped term": _drops,
        "inverted fraction": _fractions,
    }
)
"""Kind of edit -> all edits of that kind."""

r"""Wrong options without a model: two small edits of the right side, and both together.

The right option and its three edits are the corners of a square: each differs from two others by
one edit and from the third by both. So the right one is not the one that resembles the others most,
as it would be if each wrong option was an edit of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from types import MappingProxyType
from typing import Final, NamedTuple

from horsesense.rng import Dice
from horsesense_extras.build.equinfer.notation import (
    bound,
    canonical,
    spaced,
    tokens,
    with_bars,
)
from horsesense_extras.build.equinfer.terms import differentials, is_symbol
from horsesense_extras.build.equinfer.vocabulary import BINDERS, FACES, OPENING

MOST_OF_A_KIND: Final = 8
"""Edits of one kind that are tried."""
LAST: Final = "leading minus"
"""The kind of edit that is taken where no two others fit."""

_OPERATORS: Final = {
    r"\sum": r"\prod", r"\max": r"\min", r"\sup": r"\inf", r"\log": r"\exp", r"\cup": r"\cap",
    r"\bigcup": r"\bigcap", r"\wedge": r"\vee", r"\leq": r"\geq", r"\le": r"\ge", "<": ">",
    r"\argmax": r"\argmin", r"\operatorname{argmax}": r"\operatorname{argmin}",
    r"\operatorname*{argmax}": r"\operatorname*{argmin}", r"\oplus": r"\odot", r"\sin": r"\cos",
    r"\mathrm{max}": r"\mathrm{min}", r"\text{max}": r"\text{min}", r"\otimes": r"\oplus",
    r"\operatorname{softmax}": r"\operatorname{sigmoid}", r"\text{softmax}": r"\text{sigmoid}",
    r"\text{Softmax}": r"\text{Sigmoid}", r"\mathrm{softmax}": r"\mathrm{sigmoid}",
    r"\sup_": r"\inf_", r"\subset": r"\supset", r"\subseteq": r"\supseteq",
}  # fmt: skip
OPERATORS: Mapping[str, str] = MappingProxyType(
    {r"\cdot": "+", r"\times": "+", "*": "+", "/": "+", r"\circ": "+"}
    | {new: old for old, new in _OPERATORS.items()}
    | _OPERATORS
)
"""Operator -> what takes its place."""
_UNARY: Final = frozenset(("", *OPENING, "=", ",", "^", "_"))
"""After what a plus or minus is the sign of what follows."""


class Edit(NamedTuple):
    """A change of some tokens: place -> what stands there instead."""

    kind: str
    changes: Mapping[int, str]


def wrong_options(right: str, dice: Dice) -> tuple[list[str], str] | None:
    """Three wrong right sides and the kinds of edits; None where there are no two that fit.

    No two of the four are the same in canonical form, and none lets two signs run over one letter
    where the right one does not.
    """
    found, again = with_bars(tokens(right)), _bound_again(right)
    pools = {kind: list(make(found)) for kind, make in KINDS.items()}
    pools = {k: dice.sample(pool, min(len(pool), MOST_OF_A_KIND)) for k, pool in pools.items()}
    pairs = list(combinations(dice.sample(list(KINDS), len(KINDS)), 2))
    for first, second in sorted(pairs, key=lambda pair: LAST in pair):
        for one, other in product(pools[first], pools[second]):
            if one.changes.keys() & other.changes.keys():
                continue
            square = [_edited(found, e) for e in (one.changes, other.changes)]
            square.append(_edited(found, {**one.changes, **other.changes}))
            if any(_bound_again(text) > again for text in square):
                continue
            if len({canonical(text) for text in (right, *square)}) == 4:
                return square, f"{first} and {second}"
    return None


def _bound_again(latex: str) -> int:
    """How often a letter is run over that another sign runs over already."""
    letters = bound(latex)
    return len(letters) - len(set(letters))


def _edited(found: Sequence[str], changes: Mapping[int, str]) -> str:
    """The tokens with their changes, letters kept apart from the commands before them."""
    parts: list[str] = []
    for place, token in enumerate(found):
        text = changes.get(place, token)
        before = next((part for part in reversed(parts) if not part.isspace()), "")
        if text == "+" and before in _UNARY and _before(found, place) not in _UNARY:
            continue  # what stood before it is gone
        before = parts[-1] if parts else ""
        if text[:1].isalpha() and before[:1] == "\\" and before[1:].isalpha():
            parts.append(" ")
        if text:
            parts.append(text)
    return spaced("".join(parts))


def _signs(found: Sequence[str]) -> Iterator[Edit]:
    """A plus becomes a minus, and a minus a plus; one that stands before the whole is left out."""
    for place, token in enumerate(found):
        if token in ("+", "-"):
            turned = "" if _before(found, place) in _UNARY else "-" if token == "+" else "+"
            yield Edit("sign", {place: turned})


def _negations(found: Sequence[str]) -> Iterator[Edit]:
    """The whole gets a minus: always possible, and mostly easy to see."""
    first = _next(found, -1)
    if first is not None and found[first] not in ("+", "-"):
        yield Edit(LAST, {first: f"- {found[first]}"})


def _indices(found: Sequence[str]) -> Iterator[Edit]:
    """An index becomes another one of the equation, or the next."""
    places = list(_script_places(found, "_"))
    names = sorted({found[place] for place in places if is_symbol(found[place])})
    for place in places:
        token = found[place]
        if token.isdigit():
            yield Edit("index", {place: str(int(token[:9]) + 1)})
        elif is_symbol(token):
            others = [name for name in names if name != token] or [_following(token)]
            for other in others:
                yield Edit("index", {place: other})


def _following(symbol: str) -> str:
    """Another index: the next letter, j for what is not a letter from a to y."""
    return chr(ord(symbol) + 1) if len(symbol) == 1 and symbol.lower() < "z" else "j"


def _exponents(found: Sequence[str]) -> Iterator[Edit]:
    """A power is one higher, an upper limit one lower; a transpose becomes an inverse; what else
    stands there is left out."""
    for place, token in enumerate(found):
        start = _next(found, place) if token == "^" else None
        if start is None:
            continue
        exponent = found[start]
        end = _end(found, start)
        if exponent.isdigit():
            yield Edit("exponent", {start: str(int(exponent[:9]) + 1)})
        elif end is not None and _is_limit(found, place):
            yield Edit("exponent", _one_less(found, start, end))
        elif exponent in ("T", r"\top", r"\intercal"):
            yield Edit("exponent", {start: "{-1}"})
        elif end is not None:
            yield Edit("exponent", dict.fromkeys(range(place, end), ""))


def _is_limit(found: Sequence[str], place: int) -> bool:
    """Whether the `^` at `place` belongs to a sum or the like."""
    before = place - 1
    depth = 0
    while before >= 0:
        depth += (found[before] == "}") - (found[before] == "{")
        if depth == 0 and found[before] in BINDERS:
            return True
        base = found[before].isspace() or found[before] in ("{", "_", r"\limits", r"\nolimits")
        if depth == 0 and not base and _before(found, before) != "_":
            return False
        before -= 1
    return False


def _one_less(found: Sequence[str], start: int, end: int) -> dict[int, str]:
    if end == start + 1:
        return {start: f"{{{found[start]}-1}}"}
    return {end - 1: "-1}"}


def _operators(found: Sequence[str]) -> Iterator[Edit]:
    """An operator becomes its opposite; a condition becomes a second argument."""
    for place, token in enumerate(found):
        if token in OPERATORS:
            yield Edit("operator", {place: OPERATORS[token]})
        if token == r"\mid":
            yield Edit("operator", {place: ","})


def _swaps(found: Sequence[str]) -> Iterator[Edit]:
    """Two variables change places, once: both in scripts, or none."""
    fixed = set(differentials(found))
    places = [n for n in range(len(found)) if n not in fixed and _is_variable(found, n)]
    scripts = {*_script_places(found, "_"), *_script_places(found, "^")}
    for one, other in combinations(places[:24], 2):
        if found[one] != found[other] and (one in scripts) == (other in scripts):
            yield Edit("swapped symbols", {one: found[other], other: found[one]})


def _is_variable(found: Sequence[str], place: int) -> bool:
    """Whether a letter stands for itself: not in a word, and not in a face that makes it a name."""
    before = _before(found, place)
    face = _before(found, _back(found, place)) if before == "{" else before
    return is_symbol(found[place]) and face not in FACES and not _in_word(found, place)


def _in_word(found: Sequence[str], place: int) -> bool:
    """Whether a letter is one of three or more in a row, or two capitals, as in `exp` and `NY`."""
    left = right = place
    while left > 0 and _is_latin(found[left - 1]):
        left -= 1
    while right + 1 < len(found) and _is_latin(found[right + 1]):
        right += 1
    word = "".join(found[left : right + 1])
    return len(word) > 2 or (len(word) == 2 and word.isupper())


def _is_latin(token: str) -> bool:
    return len(token) == 1 and token.isalpha()


def _drops(found: Sequence[str]) -> Iterator[Edit]:
    """A term of a sum is left out, with its sign."""
    for start, end in _groups(found):
        cuts = [start, *_level(found, start, end), end]
        if len(cuts) < 3:
            continue
        for one, other in pairwise(cuts):
            if "".join(found[one:other]).strip() in ("", "+", "-"):
                continue
            gone = dict.fromkeys(range(one, other), "")
            if one == start and other < end and found[other] == "+":
                gone[other] = ""
            yield Edit("dropped term", gone)


def _groups(found: Sequence[str]) -> Iterator[tuple[int, int]]:
    """What stands in brackets, and the whole."""
    yield 0, len(found)
    for place, token in enumerate(found):
        if token in OPENING and (end := _end(found, place)) is not None:
            yield place + 1, end - 1


def _level(found: Sequence[str], start: int, end: int) -> Iterator[int]:
    """Places of the plus and minus signs between two terms, outside of inner brackets."""
    depth = 0
    for place in range(start, end):
        token = found[place]
        depth += (token in OPENING) - (token in OPENING.values())
        if token in ("=", ","):  # a list or a chain is not one sum
            return
        before = _before(found, place)
        if depth == 0 and token in ("+", "-") and place > start and before not in _UNARY:
            yield place


def _fractions(found: Sequence[str]) -> Iterator[Edit]:
    """A fraction is turned upside down."""
    for place, token in enumerate(found):
        if token not in (r"\frac", r"\dfrac", r"\tfrac"):
            continue
        top = _next(found, place)
        middle = None if top is None else _end(found, top)
        bottom = None if middle is None else _next(found, middle - 1)
        end = None if bottom is None else _end(found, bottom)
        if top is None or middle is None or bottom is None or end is None:
            continue
        if found[top] != "{" or found[bottom] != "{":
            continue
        changes = dict.fromkeys([*range(top, middle), *range(bottom, end)], "")
        changes[top] = "".join(found[bottom:end])
        changes[bottom] = "".join(found[top:middle])
        yield Edit("inverted fraction", changes)


KINDS: Mapping[str, Callable[[Sequence[str]], Iterator[Edit]]] = MappingProxyType(
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


def _script_places(found: Sequence[str], sign: str) -> Iterator[int]:
    """Places of single symbols and numbers in subscripts or superscripts."""
    for place, token in enumerate(found):
        start = _next(found, place) if token == sign else None
        end = None if start is None else _end(found, start)
        if start is not None and end is not None:
            inner = range(start, end)
            yield from (
                n for n in inner
                if _is_variable(found, n) or found[n].isdigit()
            )  # fmt: skip


def _next(found: Sequence[str], place: int) -> int | None:
    """The next token that is no space."""
    rest = range(place + 1, len(found))
    return next((n for n in rest if not found[n].isspace()), None)


def _back(found: Sequence[str], place: int) -> int:
    """The place before whose token is no space; -1 at the beginning."""
    return next((n for n in range(place - 1, -1, -1) if not found[n].isspace()), -1)


def _before(found: Sequence[str], place: int) -> str:
    """The token there; "" at the beginning."""
    before = _back(found, place)
    return found[before] if before >= 0 else ""


def _end(found: Sequence[str], start: int) -> int | None:
    """The place behind a token, or behind the bracket that it opens; None where it stays open."""
    if found[start] not in OPENING:
        return start + 1
    closing, depth = OPENING[found[start]], 0
    for place in range(start, len(found)):
        depth += (found[place] == found[start]) - (found[place] == closing)
        if depth == 0:
            return place + 1
    return None

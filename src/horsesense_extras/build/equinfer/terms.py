"""Terms of sums and variables of integrals, found among the tokens of an equation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from horsesense_extras.build.equinfer.vocabulary import (
    CLOSING,
    GREEK,
    INTEGRALS,
    OPENING,
    SEPARATORS,
)

_TURNED: Final = {"+": "-", "-": "+"}
_DIFFERENTIAL: Final = frozenset(("d", r"\mathrm{d}", r"\text{d}"))


def differentials(found: Sequence[str]) -> Iterator[int]:
    """Places of the d of `dx`: behind the sign of an integral and before a letter."""
    begun = False
    shown = [place for place, token in enumerate(found) if not token.isspace()]
    for place, following in pairwise(shown):
        begun = begun or found[place] in INTEGRALS
        if begun and found[place] in _DIFFERENTIAL and is_symbol(found[following]):
            yield place


def opened(found: Sequence[str]) -> list[str]:
    """Tokens without the brackets around a sum that is a term by itself: a-(b-c) is a-b+c."""
    ends = _ends(found)

    def part(start: int, stop: int, turned: bool) -> list[str]:
        out: list[str] = []
        place = start
        while place < stop:
            token, end = found[place], ends.get(place)
            if end is None:
                scripted = place > 0 and found[place - 1] in ("^", "_")
                out.append(_TURNED.get(token, token) if turned and not scripted else token)
            elif _is_term(found, place, end):
                inner = part(place + 1, end, out[-1] == "-" if out else turned)
                if inner[0] in _TURNED and out and out[-1] in _TURNED:
                    out.pop()
                out += inner
            else:
                out += [token, *part(place + 1, end, False), found[end]]
            place = place + 1 if end is None else end + 1
        return out

    return part(0, len(found), False)


def _is_term(found: Sequence[str], start: int, end: int) -> bool:
    """Whether a bracket holds a sum and is neither a factor nor the argument of anything."""
    before, after = found[start - 1 : start], found[end + 1 : end + 2]
    free = {"+", "-"} | SEPARATORS
    alone = free.union(OPENING).issuperset(before) and free.union(CLOSING).issuperset(after)
    script = start > 1 and found[start - 2] == "^"  # of a minus before the bracket
    if found[start] not in ("(", "[") or not alone or script:
        return False
    depth, signs = 0, 0
    for token in found[start + 1 : end]:
        depth += (token in OPENING) - (token in CLOSING)
        if depth == 0 and token in SEPARATORS:
            return False
        signs += depth == 0 and token in _TURNED
    return signs > 0


def _ends(found: Sequence[str]) -> dict[int, int]:
    """Place of each opening bracket -> that of its closing one."""
    ends: dict[int, int] = {}
    waiting: list[int] = []
    for place, token in enumerate(found):
        if token in OPENING:
            waiting.append(place)
        elif token in CLOSING and waiting:
            ends[waiting.pop()] = place
    return ends


def is_symbol(token: str) -> bool:
    """Whether a token is a variable: a Latin or Greek letter."""
    return (len(token) == 1 and token.isalpha()) or token in GREEK

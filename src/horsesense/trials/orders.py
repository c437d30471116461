"""Designs: in which orders the options of an item are shown (specification, section 1.3).

A design is written `cyclic`, `cyclic(base=published)`, `random(4)`, `gold_balanced(8)`, `full`,
`move_gold` or `published`. Consistency measures change with the design alone, so its name is part
of every condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from types import MappingProxyType
from typing import Final, NamedTuple

from horsesense.errors import UsageError
from horsesense.rng import Dice

Order = tuple[int, ...]
"""shown position -> original option."""

DrawDice = Callable[[str, int], Dice]
"""(purpose, repetition) -> generator of this item."""

FULL_LIMIT = 6


class NoOrdersError(Exception):
    """The design has no orders for this item; the message says why."""


@dataclass(frozen=True, slots=True)
class Design:
    """A way to order options.

    >>> Design.parse("cyclic(base=published)").orders(3, None, lambda *_: Dice(0, "", ""))
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    """

    kind: str
    n: int | None = None

    @classmethod
    def parse(cls, text: str) -> Design:
        """Read a design's name; UsageError lists the designs."""
        match = re.fullmatch(r"(\w+)(?:\((?:n=)?(\d+)\)|\(base=published\))?", text.strip())
        if match:
            kind, n = match.group(1), match.group(2)
            if kind == "cyclic" and "published" in text:
                kind = "cyclic_published"
            counted = kind in _KINDS and _KINDS[kind].counted
            if kind in _KINDS and counted == bool(n and int(n) > 0):
                return cls(kind, int(n) if n else None)
        raise UsageError(
            f"{text!r} is not a design of option orders.", hint=f"Known: {', '.join(DESIGNS)}."
        )

    @property
    def name(self) -> str:
        form = _KINDS[self.kind].form
        return form if self.n is None else form.replace("N", str(self.n))

    @property
    def balanced(self) -> bool:
        """Whether each option visits each position equally often, or as often on average."""
        return _KINDS[self.kind].balanced

    @property
    def drawn(self) -> bool:
        """Whether its orders are drawn from many, of which others could have been asked.

        The shifts of one order, drawn or not, are all there are of their kind.
        """
        return _KINDS[self.kind].counted

    def orders(self, k: int, gold: int | None, dice: DrawDice) -> list[Order]:
        """The orders of `k` options; NoOrdersError with the reason where there are none."""
        kind = _KINDS[self.kind]
        if kind.needs_gold and gold is None:
            raise NoOrdersError(f"the design {self.name} needs a gold answer")
        return kind.orders(k, -1 if gold is None else gold, self.n or 0, dice)


def _shifts(base: Sequence[int]) -> list[Order]:
    return [tuple(base[s:]) + tuple(base[:s]) for s in range(len(base))]


def _swapped(order: Sequence[int], i: int, j: int) -> Order:
    swapped = list(order)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return tuple(swapped)


def _distinct(k: int, n: int, dice: DrawDice) -> list[Order]:
    """`n` different random orders; order i is the same whatever n is."""
    _check_exist(k, n)
    seen: dict[Order, None] = {}
    repetition = 0
    while len(seen) < n:
        seen.setdefault(dice("order", repetition).permutation(k))
        repetition += 1
    return list(seen)


def _check_exist(k: int, n: int) -> None:
    if n > factorial(k):
        raise NoOrdersError(f"{n} different orders of {k} options do not exist")


def _gold_balanced(k: int, gold: int, n: int, dice: DrawDice) -> list[Order]:
    """`n` different random orders in which the gold visits each position n/k times."""
    _check_exist(k, n)
    if n % k:
        low = n - n % k
        near = " or ".join(str(m) for m in (low, low + k) if m)
        raise NoOrdersError(f"gold_balanced({n}) needs a multiple of {k} (nearest: {near})")
    positions = dice("gold_positions", 0).permutation(n)
    seen: dict[Order, None] = {}
    further = n
    for repetition, position in enumerate(positions):
        order = dice("order", repetition).permutation(k)
        while (shown := _swapped(order, order.index(gold), position % k)) in seen:
            order, further = dice("order", further).permutation(k), further + 1
        seen[shown] = None
    return list(seen)


def _full(k: int, gold: int, n: int, dice: DrawDice) -> list[Order]:
    if k > FULL_LIMIT:
        raise NoOrdersError(f"all orders of more than {FULL_LIMIT} options are too many")
    return list(permutations(range(k)))


class _Kind(NamedTuple):
    """One kind of design: how it is written, what it is, and its orders.

    `orders` takes the number of options, the gold (-1 where none is needed), N and the dice;
    `counted` says that the design has an N, and `balanced` that each option visits each position
    equally often, or as often on average.
    """

    form: str
    summary: str
    orders: Callable[[int, int, int, DrawDice], list[Order]]
    counted: bool = False
    needs_gold: bool = False
    balanced: bool = True


_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "published": _Kind(
            "published",
            "the order of the source",
            lambda k, gold, n, dice: [tuple(range(k))],
            balanced=False,
        ),
        "cyclic": _Kind(
            "cyclic",
            "the k shifts of one random order per item",
            lambda k, gold, n, dice: _shifts(dice("order", 0).permutation(k)),
        ),
        "cyclic_published": _Kind(
            "cyclic(base=published)",
            "the k shifts of the published order",
            lambda k, gold, n, dice: _shifts(range(k)),
        ),
        "random": _Kind(
            "random(N)",
            "N different random orders",
            lambda k, gold, n, dice: _distinct(k, n, dice),
            counted=True,
        ),
        "gold_balanced": _Kind(
            "gold_balanced(N)",
            "N different random orders in which the gold visits each position equally often; items"
            " that have fewer are left out",
            _gold_balanced,
            counted=True,
            needs_gold=True,
        ),
        "full": _Kind("full", "all k! orders", _full),
        "move_gold": _Kind(
            "move_gold",
            "the gold exchanged with the option of each position in turn",
            lambda k, gold, n, dice: [_swapped(range(k), gold, place) for place in range(k)],
            needs_gold=True,
            balanced=False,
        ),
    }
)

DESIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {kind.form: kind.summary for kind in _KINDS.values()}
)
"""The designs as they are written, each with what it is."""

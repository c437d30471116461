"""Designs: in which orders the options of an item are shown (specification, section 1.3).

A design is written `cyclic`, `cyclic(base=published)`, `random(4)`, `gold_balanced(8)`, `full`,
`move_gold` or `published`. Consistency measures change with the design alone, so its name is part
of every condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial

from horsesense.errors import UsageError
from horsesense.rng import Dice

Order = tuple[int, ...]
"""shown position -> original option."""

DrawDice = Callable[[str, int], Dice]
"""(purpose, repetition) -> generator of this item."""

FULL_LIMIT = 6
DESIGNS = (
    "published",
    "cyclic",
    "cyclic(base=published)",
    "random(N)",
    "gold_balanced(N)",
    "full",
    "move_gold",
)


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
            if kind in ("random", "gold_balanced") and n and int(n) > 0:
                return cls(kind, int(n))
            if kind in ("published", "cyclic", "cyclic_published", "full", "move_gold") and not n:
                return cls(kind)
        raise UsageError(
            f"{text!r} is no design of option orders.", hint=f"Known: {', '.join(DESIGNS)}."
        )

    @property
    def name(self) -> str:
        if self.kind == "cyclic_published":
            return "cyclic(base=published)"
        return self.kind if self.n is None else f"{self.kind}({self.n})"

    def orders(self, k: int, gold: int | None, dice: DrawDice) -> list[Order]:
        """The orders of `k` options; NoOrdersError with the reason where there are none."""
        published = tuple(range(k))
        if self.kind == "published":
            return [published]
        if self.kind == "cyclic":
            return _shifts(dice("order", 0).permutation(k))
        if self.kind == "cyclic_published":
            return _shifts(published)
        if self.kind == "full":
            if k > FULL_LIMIT:
                raise NoOrdersError(f"all orders of more than {FULL_LIMIT} options are too many")
            return list(permutations(published))
        if self.kind == "random":
            return _distinct(k, self.n or 0, dice)
        if gold is None:
            raise NoOrdersError(f"the design {self.name} needs a gold answer")
        if self.kind == "move_gold":
            return [_swapped(published, gold, position) for position in range(k)]
        return _gold_balanced(k, gold, self.n or 0, dice)


def _shifts(base: Sequence[int]) -> list[Order]:
    return [tuple(base[s:]) + tuple(base[:s]) for s in range(len(base))]


def _swapped(order: Sequence[int], i: int, j: int) -> Order:
    swapped = list(order)
    swapped[i], swapped[j] = swapped[j], swapped[i]
    return tuple(swapped)


def _distinct(k: int, n: int, dice: DrawDice) -> list[Order]:
    """`n` different random orders; order i is the same whatever n is."""
    if n > factorial(k):
        raise NoOrdersError(f"{n} different orders of {k} options do not exist")
    seen: dict[Order, None] = {}
    repetition = 0
    while len(seen) < n:
        seen.setdefault(dice("order", repetition).permutation(k))
        repetition += 1
    return list(seen)


def _gold_balanced(k: int, gold: int, n: int, dice: DrawDice) -> list[Order]:
    """`n` random orders in which the gold visits each position n/k times."""
    if n % k:
        low = n - n % k
        near = " or ".join(str(m) for m in (low, low + k) if m)
        raise NoOrdersError(f"gold_balanced({n}) needs a multiple of {k} (nearest: {near})")
    positions = dice("gold_positions", 0).permutation(n)
    orders = []
    for repetition in range(n):
        order = dice("order", repetition).permutation(k)
        orders.append(_swapped(order, order.index(gold), positions[repetition] % k))
    return orders

"""What a simulated model has decided about one variant, before it is put into words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

Luck = Callable[[str], float]
"""From a purpose to a uniform number that is fixed for the request."""

SURE = 12.0
"""Log-odds of a position that is known to be right: a leak below 1e-5 to each other position."""


class Decision(NamedTuple):
    """What a model has decided about one variant.

    Attributes:
        position: the chosen position; None where it chooses none.
        logits: one number per position, for the first token; the position has the highest.
        says: "position", "none" or "refusal".
        style: index into the ways of saying it; 0 is the bare label.
        also: further positions that it holds to be right, named where all right ones are asked for.
    """

    position: int | None
    logits: tuple[float, ...] = ()
    says: Literal["position", "none", "refusal"] = "position"
    style: int = 0
    also: tuple[int, ...] = ()


@lru_cache(maxsize=1024)
def choose(position: int, k: int) -> Decision:
    """Certain of one position."""
    return Decision(position, tuple(SURE if i == position else 0.0 for i in range(k)))


def drawn(weights: Sequence[float], luck: Luck) -> Decision:
    """A position drawn with the given weights, by adding Gumbel noise to their logarithms.

    The noisy logits are returned, so that the first token agrees with the draw and yet the
    weights are recovered when logits are averaged over orders, as PriDe does.
    """
    logits = tuple(
        math.log(max(weight, 1e-12))
        - math.log(-math.log(min(max(luck(f"gumbel{place}"), 1e-12), 1 - 1e-12)))
        for place, weight in enumerate(weights)
    )
    return Decision(logits.index(max(logits)), logits)

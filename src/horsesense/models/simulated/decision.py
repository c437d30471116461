"""What a simulated respondent has decided about one variant, before it is put into words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Luck = Callable[[str], float]
"""From a purpose to a uniform number that is fixed for the request."""

SURE = 12.0
"""Log-odds of a slot that is known to be right: a leak below 1e-5 to each other slot."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a respondent has decided about one variant.

    Attributes:
        slot: the chosen slot; None where it chooses none.
        logits: one number per slot, for the first token; the slot has the highest.
        says: "slot", "none" or "refusal".
        style: index into the ways of saying it; 0 is the bare label.
        also: further slots that it holds to be right, named where all right ones are asked for.
    """

    slot: int | None
    logits: tuple[float, ...] = ()
    says: Literal["slot", "none", "refusal"] = "slot"
    style: int = 0
    also: tuple[int, ...] = ()


def choose(slot: int, k: int) -> Decision:
    """Certain of one slot."""
    return Decision(slot, tuple(SURE if i == slot else 0.0 for i in range(k)))


def drawn(weights: Sequence[float], luck: Luck) -> Decision:
    """A slot drawn with the given weights, by adding Gumbel noise to their logarithms.

    The noisy logits are returned, so that the first token agrees with the draw and yet the
    weights are recovered when logits are averaged over orders, as PriDe does.
    """
    logits = []
    for slot, weight in enumerate(weights):
        noise = -math.log(-math.log(min(max(luck(f"gumbel{slot}"), 1e-12), 1 - 1e-12)))
        logits.append(math.log(max(weight, 1e-12)) + noise)
    return Decision(max(range(len(logits)), key=logits.__getitem__), tuple(logits))

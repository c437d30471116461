"""How many items would rule a fault out if there is nothing to find: one number."""

from __future__ import annotations

from math import ceil, floor, log10

from horsesense.findings.evidence import Evidence, Way
from horsesense.stats import functions

ALPHA = 0.05
POWER = 0.8
MOST = 10_000_000
"""Items beyond which no number is named."""


def items_needed(e: Evidence, way: Way, null: float, size: float, items: int) -> int | None:
    """The order of the number, for a power of .8, of items like the `items` that were asked.

    The distance that must show is the size that matters; of what should lie above the null, how far
    it was seen to. None where the items that were asked are as many, or no number would do.
    """
    distance = e.value - null if way == "lacks" else size
    if distance <= 0 or not items:
        return None
    one = float(functions.ndtri(1 - ALPHA))
    power = float(functions.ndtri((1 + POWER) / 2 if way == "both" else POWER))
    number = items * ((one + power) * e.about.error / distance) ** 2
    step = 10 ** floor(log10(max(number, 1)))
    rounded = int(ceil(number / step) * step)
    return rounded if items < rounded <= MOST else None

"""What deciding early costs, forecast before the first answer."""

from __future__ import annotations

from math import log

from horsesense.stats.sequential import ROUNDING, Design


def forecast(effect: float, discordance: float, design: Design, looks: int = 50) -> int:
    """About how many units a decision takes, on average; at least one look, at most all.

    Args:
        effect: mean difference, in [-1, 1].
        discordance: mean squared difference; of right and wrong, the share that changes.
        looks: units between two looks.

    A fit to simulations (see docs/sequential.md), not a bound: the bets are best near delta, so
    that large effects take more than the variance and the gap alone would say.
    """
    variance = max(discordance, abs(effect)) - effect**2
    gap = abs(abs(effect) - design.delta)
    if gap <= ROUNDING:
        return design.units
    slack = 1.5 if effect == 0 else 1.04 * (1 + 0.18 * max(0.0, gap / design.delta - 1))
    free = 2 * slack * variance * log(1 / design.alpha) / gap**2
    return min(design.units, max(looks, round(free / (1 + free / design.units) + looks / 2)))

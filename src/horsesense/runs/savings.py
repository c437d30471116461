"""What `--until` is forecast to save, and what it leaves untold: both are said before asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log
from typing import Any, Final

from horsesense.findings.early import levels
from horsesense.runs.goal import Goal
from horsesense.runs.prepare import Study
from horsesense.runs.until import Deciding

EFFECTS = (0.0, 0.02, 0.08, 0.1, 0.2, 0.3)
SHARES = (0.1, 0.2, 0.4)
"""True changes, and shares of items that change, for which `--until` is forecast."""
WORTH_IT: Final = 1_000
"""Items below which stopping early saves little, and leaves most questions undecided."""
SLOWER: Final = 1.5
"""By how much bets take more items than the formula for the best bet, which nobody knows."""
KNOWN: Final = "The share known is told only where the orders are asked of all items."
TOLD: Final[Mapping[bool, str]] = {
    False: "With --until, a probe stops once its changes of accuracy are {}. Its other numbers"
    f" then have wide bands or none. {KNOWN}",
    True: "With --until decided=all, a probe stops once every question about it is decided; its"
    f" numbers then have wider bands. {KNOWN}",
}
"""What stopping early costs; by whether all that the verdict asks is waited for."""


def forecasts(study: Study) -> list[dict[str, Any]]:
    """What `--until decided` would ask, by true change and share of items that change.

    Empty where everything is to be asked, or more than the changes decide. All probes are supposed
    to have that change; prompts of a probe that stops are counted in proportion to its items.
    """
    until = study.settings.until
    goal = Goal.parse(until) if until is not None else None
    if goal is None or goal.precision is not None or goal.every:
        return []
    told = Deciding(study).told()
    units = max(p.units for p in told.populations if p.tested)
    return [
        {
            "change": effect,
            "discordance": max(share, effect),
            "items": items,
            "prompts": round(told.fixed_trials * items / units),
            "share": items / units,
        }
        for effect in EFFECTS
        for share in SHARES
        if share >= effect or share == SHARES[-1]
        for items in [min(units, forecast(effect, share, goal.size, told.questions))]
    ]


def forecast(effect: float, share: float, size: float, questions: int) -> int:
    """Items until a change of accuracy is found or ruled out, by bets that grow as the best do.

    The stake grows by gap^2 / (2 variance) an item: to log(1 / alpha) it takes so many.
    """
    found, small = levels("both", questions)
    variance = max(share, effect) - effect**2
    gaps = ((effect, found), (size - effect, small))
    needed = [2 * variance * log(1 / alpha) / gap**2 for gap, alpha in gaps if gap > 0]
    return ceil(SLOWER * min(needed))


def cautions(study: Study, rows: Sequence[Mapping[str, Any]] | None = None) -> tuple[str, ...]:
    """What to know of `--until` before anything is asked; nothing where everything is asked."""
    if study.settings.until is None:
        return ()
    goal = Goal.parse(study.settings.until)
    near = goal.precision and f"known to within {100 * goal.precision:g} points either way"
    told = TOLD[goal.every].format(near or "decided")
    if len(study.items) >= WORTH_IT:
        return (told,)
    advice = f"With fewer than {WORTH_IT:,} items it saves little: better ask all, without --until."
    return told, advice

"""What `--until` is forecast to save, and what it leaves untold: both are said before asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from horsesense.runs.goal import Goal
from horsesense.runs.planner import item_index
from horsesense.runs.prepare import Study
from horsesense.runs.until import Deciding, budget
from horsesense.stats.sequential import Design
from horsesense.stats.sequential_cost import forecast

EFFECTS = (0.0, 0.02, 0.08, 0.1, 0.2, 0.3)
SHARES = (0.1, 0.2, 0.4)
"""True changes, and shares of items that change, for which `--until` is forecast."""
LITTLE: Final = 0.2
"""Share of the prompts below which saving them is not worth what is left untold."""
BRIEFLY: Final = 2_000
"""Items up to which the forecast takes no time that anybody would notice."""
DECIDES: Final[Mapping[bool, str]] = {
    False: "With --until, a probe stops once its changes of accuracy are settled. Positions,"
    " agreement, changed answers and choices then have wide bands or none, and the share known is"
    " not told.",
    True: "With --until decided=all, a probe stops once the verdict on it is settled. Its numbers"
    " have wider bands than if everything were asked, and the share known is not told.",
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
    deciding = Deciding(study, item_index(study.items))
    told = deciding.told()
    units = max(p.units for p in told.populations if p.tested)
    design = Design(units, goal.size, budget(told))
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
        for items in [forecast(effect, share, design, told.batch)]
    ]


def cautions(study: Study, rows: Sequence[Mapping[str, Any]] | None = None) -> tuple[str, ...]:
    """What to know of `--until` before anything is asked; nothing where everything is asked.

    Without forecasts they are made, where that is quick.
    """
    if study.settings.until is None:
        return ()
    told = DECIDES[Goal.parse(study.settings.until).every]
    if rows is None:
        rows = forecasts(study) if len(study.items) <= BRIEFLY else ()
    little = sum(row["share"] > 1 - LITTLE for row in rows)
    if not rows or 2 * little <= len(rows):
        return (told,)
    cases = f"all {len(rows)}" if little == len(rows) else f"{little} of {len(rows)}"
    advice = (
        f"In {cases} cases that horsesense plan forecasts, it saves less than a fifth of the"
        " prompts: better ask everything, without --until."
    )
    return told, advice

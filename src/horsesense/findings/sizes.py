"""Which sizes the kinds of findings can have, and which they have."""

from __future__ import annotations

from collections.abc import Mapping

from horsesense.errors import UsageError
from horsesense.findings.kinds import KINDS, SIZES


def check_sizes(sizes: Mapping[str, float]) -> None:
    """UsageError for a kind that there is not, or a size that no fault of its kind can have.

    What guessing gives is not known beforehand and taken for 0.
    """
    kinds = {kind.name: kind for kind in KINDS}
    for name, size in sizes.items():
        if name not in kinds:
            raise UsageError.unknown("kind of finding", name, SIZES)
        room = kinds[name].room(kinds[name].null or 0.0)
        if not 0 < size < room:
            raise UsageError(
                f"smallest: {name} cannot be {size:g}.",
                hint=f"Sizes are shares; here above 0 and below {room:g} (0.05 is 5 points).",
            )


def sizes_of(smallest: Mapping[str, float], change: float | None = None) -> dict[str, float]:
    """The size of every kind; `change` is that of changes of accuracy, where `--until` names one
    and the settings do not."""
    of = {k.name: change for k in KINDS if k.measure == "accuracy_change" and change is not None}
    return {**SIZES, **of, **smallest}

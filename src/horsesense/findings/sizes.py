"""Which sizes the kinds of findings can have, and which they have."""

from __future__ import annotations

from collections.abc import Mapping

from horsesense.errors import UsageError
from horsesense.findings.early import DECIDED
from horsesense.findings.kinds import KINDS, SIZES


def check_sizes(sizes: Mapping[str, float], until: str | None = None) -> None:
    """UsageError for a kind that there is not, or a size that no fault of its kind can have.

    What guessing gives is not known beforehand and taken for 0. With `until`, changes of accuracy
    have the size at which asking stops.
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
        if until is not None and kinds[name].measure == DECIDED:
            raise UsageError(
                f"smallest: {name} is decided by --until, against the size that it names.",
                hint=f"Say --until decided={size:g} and leave {name} out of --smallest.",
            )


def sizes_of(smallest: Mapping[str, float], decided: float | None = None) -> dict[str, float]:
    """The size of every kind; `decided` is that of changes of accuracy that may stop early."""
    early = {} if decided is None else {k.name: decided for k in KINDS if k.measure == DECIDED}
    return {**SIZES, **early, **smallest}

"""Positions that so few of the items have that they are not judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from horsesense.findings.evidence import Evidence
from horsesense.findings.kinds import KINDS
from horsesense.measures.estimate import Computed
from horsesense.probes.base import LETTERS
from horsesense.trials.condition import Condition

RARE = 0.05
"""Share of items below which a position is not judged, unless a smaller size matters: a model that
chose it always would do so in fewer of all items than matter."""
Places = Collection[tuple[str, Condition, str]]
Had = Mapping[tuple[str, Condition, str], float]
_KINDS = frozenset(kind.name for kind in KINDS if kind.by_position)
_MEASURES = frozenset(kind.measure for kind in KINDS if kind.by_position)


def least_share(sizes: Mapping[str, float]) -> float:
    """The share of items from which on a position is judged, by the sizes that matter."""
    return min(RARE, *(sizes[name] for name in _KINDS))


def had(found: Iterable[Computed], options: Sequence[int] = ()) -> Had:
    """The share of the items that have each position, whatever was answered.

    Of all items of a set where their numbers of options are given, so that it is no matter when
    asking stopped; else of those in the numbers.
    """
    asked = {
        (e.probe, e.condition, e.group): e.n + e.n_missing
        for e, *_ in found
        if e.measure == "position_locked"  # whose n and missing are all items with the position
    }
    most: dict[tuple[str, Condition], int] = {}
    for (probe, condition, _), items in asked.items():
        most[probe, condition] = max(most.get((probe, condition), 0), items)
    among = dict(zip(LETTERS, _shares(options), strict=False))
    return {
        where: among.get(where[2], items / max(most[where[:2]], 1))
        for where, items in asked.items()
    }


def rare_positions(have: Had, share: float) -> Places:
    """Positions that few of the items have: probe, condition, position."""
    return {where for where, items in have.items() if items < share}


def rare_among(options: Sequence[int], share: float) -> frozenset[int]:
    """Numbers of the positions that few of the items have, of items with so many options each."""
    return frozenset(place for place, items in enumerate(_shares(options)) if items < share)


def _shares(options: Sequence[int]) -> list[float]:
    """Of items with so many options each, the share that have each position."""
    most = max(options, default=0)
    return [sum(k > place for k in options) / len(options) for place in range(most)]


def judged(evidence: Iterable[Evidence], rare: Places) -> Iterator[Evidence]:
    """All but that of rare positions."""
    for e in evidence:
        if e.measure not in _MEASURES or (e.probe, e.condition, e.group) not in rare:
            yield e

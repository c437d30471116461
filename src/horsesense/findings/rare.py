"""Positions that so few of the items have that they are not judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS
from horsesense.findings.wording import number
from horsesense.measures.estimate import Found
from horsesense.trials.condition import Condition

RARE = 0.05
"""Share of items below which a position is not judged, unless a smaller size matters: a model that
chose it always, whatever it holds, would do so in fewer of all items than matter, and too few items
to tell would keep all other positions open."""
Places = Collection[tuple[str, Condition, str]]
_KINDS = frozenset(kind.name for kind in KINDS if kind.each)
_MEASURES = frozenset(kind.measure for kind in KINDS if kind.each)


def least_share(sizes: Mapping[str, float]) -> float:
    """The share of items from which on a position is judged, by the sizes that matter."""
    return min(RARE, *(sizes[name] for name in _KINDS))


def rare_positions(found: Iterable[Found], share: float) -> Places:
    """Positions that few of the items have, whatever was answered: probe, condition, position."""
    asked = {
        (e.probe, e.condition, e.group): e.n + e.n_missing
        for e, _ in found
        if e.measure == "position_locked"  # whose n and missing are all items with the position
    }
    most: dict[tuple[str, Condition], int] = {}
    for (probe, condition, _), items in asked.items():
        most[probe, condition] = max(most.get((probe, condition), 0), items)
    return {where for where, items in asked.items() if items < share * most[where[:2]]}


def rare_among(options: Sequence[int], share: float) -> frozenset[int]:
    """Numbers of the positions that few of the items have, of items with so many options each."""
    most = max(options, default=0)
    return frozenset(
        place for place in range(most) if sum(k > place for k in options) < share * len(options)
    )


def judged(evidence: Iterable[Evidence], rare: Places) -> Iterator[Evidence]:
    """All but that of rare positions."""
    for e in evidence:
        if e.measure not in _MEASURES or (e.probe, e.condition, e.group) not in rare:
            yield e


def beside(f: Finding, rare: Places, share: float) -> Finding:
    """The same; unless it names what was found, with the positions that it does not speak for,
    since few of the items have them."""
    few = sorted({group for probe, _, group in rare if probe == f.probe})
    if not few or not f.measured or f.kind == "found" or f.name not in _KINDS:
        return f
    *first, last = few
    named = f"positions {', '.join(first)} and {last}" if first else f"position {last}"
    have = f"{named}, which fewer than {number(share, 'fraction', 0)} of items have"
    return replace(f, sentence=f"{f.sentence[:-1]}; {have}, {'are' if first else 'is'} not judged.")

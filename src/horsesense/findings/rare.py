"""Positions that so few of the items have that they are not judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding
from horsesense.findings.forms import speaking
from horsesense.findings.kinds import KINDS
from horsesense.findings.wording import number, rounded_up
from horsesense.measures.estimate import Found
from horsesense.probes.base import LETTERS
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

RARE = 0.05
"""Share of items below which a position is not judged, unless a smaller size matters: a model that
chose it always, whatever it holds, would do so in fewer of all items than matter, and too few items
to tell would keep all other positions open."""
FEW = 0.1
"""Share of items below which a position that cannot be told does not hide what the others show."""
Places = Collection[tuple[str, Condition, str]]
Had = Mapping[tuple[str, Condition, str], float]
_KINDS = frozenset(kind.name for kind in KINDS if kind.each)
_MEASURES = frozenset(kind.measure for kind in KINDS if kind.each)


def least_share(sizes: Mapping[str, float]) -> float:
    """The share of items from which on a position is judged, by the sizes that matter."""
    return min(RARE, *(sizes[name] for name in _KINDS))


def had(found: Iterable[Found], options: Sequence[int] = ()) -> Had:
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


def speaking_of(group: Sequence[Finding], have: Had) -> Finding:
    """The finding that speaks for its group, by position where that tells more.

    Positions that cannot be told and that fewer than `FEW` of the items have are named after the
    others, which it speaks for: they would take several times as many items.
    """
    by = {(probe, c.format(), place): share for (probe, c, place), share in have.items()}
    shares = [by.get((f.probe, f.condition, f.group), 1.0) for f in group]
    each = group[0].name in _KINDS
    few = [
        (f, share)
        for f, share in zip(group, shares, strict=True)
        if each and f.kind == "cannot_tell" and share < FEW
    ]
    rest = [f for f in group if all(f is not one for one, _ in few)]
    if not few or not rest:
        return speaking(group)
    told = speaking(rest)
    if told.kind == "found" or told.reason:
        return told
    *first, last = (f"{f.group} ({number(share, 'fraction', 0)} of items)" for f, share in few)
    named = f"positions {', '.join(first)} and {last}" if first else f"position {last}"
    most = max((f.items for f, _ in few if f.items), default=None)
    would = f" would take about {plural(rounded_up(most), 'item')} in all" if most else ""
    if told.kind == "cannot_tell":
        aside = f"{named} {'are' if first else 'is'} open too{would and f' and{would}'}"
    else:
        aside = f"not to be told of {named}{would and f', which{would}'}"
    return replace(told, sentence=f"{told.sentence[:-1]}; {aside}.")

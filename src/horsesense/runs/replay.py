"""What a study that could stop early decided, replayed from its tables, and its bands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.findings.early import COMPARING, Banded, banded
from horsesense.findings.evidence import Evidence
from horsesense.findings.known import composition_by_reader
from horsesense.items.item import ItemSet
from horsesense.measures.base import FINITE, SAMPLED, Estimate, Measure
from horsesense.measures.cells import Cell
from horsesense.measures.composition import CompositionQuestionless
from horsesense.measures.joined import FIRST_TOKEN, ORIGINAL, AgainstOriginal
from horsesense.measures.positions import PositionPreference
from horsesense.probes.base import LETTERS
from horsesense.runs.bands import SIZE, Bands, Seen
from horsesense.runs.deciding import (
    CHANGE,
    COMPOSED,
    COMPOSITION,
    SCORE,
    TOLD,
    Ends,
    Floats,
    Key,
    differences,
)
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.runs.until import budget
from horsesense.stats.sequential import (
    DOWN,
    KINDS,
    OPEN,
    RULED_OUT,
    UP,
    Band,
    Decision,
    Design,
    band,
    with_band,
)
from horsesense.trials.condition import Condition

UNFINISHED = (
    "asking ended before the findings of the probe were decided, where this number has no valid"
    " interval; the same audit goes on, and without --until it asks all"
)
"""Why a measure is left out where a budget, say, ended asking."""
STOPPED = (
    "the probe was stopped when its findings were decided, where this number has no valid"
    " interval; the same audit without --until asks the rest"
)
"""Why a measure is left out where a probe was not put to all items."""

_OF_GOLD = frozenset((CHANGE.name, SCORE.name, *(measure.name for measure in COMPOSED)))
"""Measures that only items with a right answer have a place in."""
LOOKS = 60
"""Looks at which a band is kept, to be drawn."""


def bands(d: Floats, design: Design, batch: int) -> list[list[float]]:
    """[items, low, high] at the looks, at most about `LOOKS` of them, and at the last item."""
    n = d.shape[-1]
    step = batch * -(-n // (batch * LOOKS)) or batch
    growing = Band(design)
    found = []
    for start in range(0, n, step):
        low, high = growing.extend(d[..., start : start + step]).ends()
        found.append([min(start + step, n), round(low, 4), round(high, 4)])
    return found


_JOINED: Mapping[str, frozenset[str]] = {
    COMPOSITION.name: frozenset((ORIGINAL, "order")),
    CompositionQuestionless.name: frozenset((ORIGINAL, "order", "options_only")),
}
"""Measures of several probes, each of which may have stopped."""


@dataclass(frozen=True)
class Sequences:
    """The decisions and bands of a finished study, replayed from its tables.

    Attributes:
        cluster: number of each item's cluster; None where each item is one of its own.
    """

    extents: Extents
    items: ItemSet
    cells: Sequence[Cell]
    seed: int
    level: float
    cluster: npt.NDArray[np.intp] | None = None

    @cached_property
    def _own(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.reader == self.extents.reader]

    @cached_property
    def stopped(self) -> frozenset[str]:
        """Names of the probes that were not put to all items."""
        whole = len(self.items)
        return frozenset(
            signature.partition("(")[0]
            for signature, n in self.extents.extents.items()
            if n < whole
        )

    def findings(self) -> list[dict[str, Any]]:
        """A row per finding: decision, band, and the items that it took.

        kind: found, ruled_out, cannot_tell or open; `direction` 1 or -1 where found. `at`: items
        at which the decision fell; `reached`: whether nothing more was wanted, decided or known to
        the precision named; `n` of `units` were asked, and of `missing` of them not every answer
        is there. `low` and `high` hold at `level`; `value` is the mean so far of the others, which
        stopping early pulls away from the smallest size that matters. `band`: [items, low, high]
        at the looks, not cut to the decision.
        """
        tested = (p for p in self.extents.populations if p.tested)
        return [self._row(p, self._sequence(CHANGE, p)) for p in tested]

    @cached_property
    def _planned(self) -> dict[Key, Population]:
        return {(p.probe, Condition.parse(p.condition)): p for p in self.extents.populations}

    @cached_property
    def bands(self) -> Bands:
        """The bands over items like these."""
        batch = self.extents.batch
        cells = [c for c in self.cells if c.reader in (self.extents.reader, FIRST_TOKEN)]
        return Bands(self.items, cells, self.seed, batch, self.cluster)

    @cached_property
    def _known(self) -> frozenset[int]:
        """Numbers of the items whose right answer is known."""
        return frozenset(n for n, item in enumerate(self.items) if item.gold is not None)

    @cached_property
    def _values(self) -> dict[str, dict[Key, dict[int, Ends]]]:
        return {m.name: differences(self._own, m) for m in (CHANGE, SCORE)}

    def _ranked(self, measure: Measure, population: Population) -> tuple[list[int], Floats]:
        """Numbers of the items of a population in the random order, and the ends of their values,
        (2, items)."""
        key = population.probe, Condition.parse(population.condition)
        values = self._values[measure.name].get(key, {})
        # Of a probe, only items that it changes are in the population, with a right answer.
        changed = self._values[CHANGE.name].get(key, values)
        members = values.keys() & changed.keys() & self._known
        ranked = sorted(members, key=self.bands.ranks.__getitem__)
        ends = np.array([values[item] for item in ranked], dtype=np.float64).reshape(-1, 2).T
        return ranked, ends

    def _sequence(self, measure: Measure, population: Population) -> Floats:
        """The ends of the values of a population in the random order, (2, items)."""
        return self._ranked(measure, population)[1]

    def _row(self, population: Population, d: Floats) -> dict[str, Any]:
        goal, alpha = Goal.parse(self.extents.goal), budget(self.extents)
        design = Design(population.units, goal.size, alpha)
        decision = Decision(design).extend(d[:, None])
        told, at = decision.told
        code, low, high = with_band(told, d, design)
        whole = d[0, d[0] == d[1]]
        return {
            "probe": population.probe,
            "condition": population.condition,
            "kind": KINDS[code],
            "direction": {UP: 1, DOWN: -1}.get(code, 0),
            "value": float(whole.mean()) if len(whole) else None,
            "low": low,
            "high": high,
            "level": 1 - (2 * alpha if code in (UP, DOWN, RULED_OUT) else alpha),
            "size": goal.size,
            "n": d.shape[1],
            "missing": d.shape[1] - len(whole),
            "units": population.units,
            "at": at or None,
            "reached": high - low <= 2 * goal.precision if goal.precision else code != OPEN,
            "band": bands(d, design, self.extents.batch),
        }

    def estimates(self, naive: Iterable[Estimate]) -> Iterator[Estimate]:
        """Estimates with the intervals of stopped probes replaced by bands, or left out.

        An interval that supposes a number of items fixed beforehand is too narrow where asking
        stopped because of what was seen.
        """
        rows = self.findings()
        undecided = {r["probe"] for r in rows if r["kind"] == "open" and not r.get("reached")}
        changes = {(row["probe"], Condition.parse(row["condition"])): row for row in rows}
        names = {p.probe for p in self.extents.populations if p.tested}
        for e in naive:
            probes = _JOINED.get(e.measure, frozenset((e.probe,)))
            if not self.stopped & probes or e.value is None:
                # One error budget: where the sequence decides, no second test does.
                yield replace(e, p_adjusted=None) if e.probe in names else e
                continue
            compares = e.measure == COMPARING and banded(e.measure, e.reader, self.extents.reader)
            own = e.reader == self.extents.reader
            told = self._told(e, changes) if own or compares else None
            blank = replace(e, p_value=None, p_adjusted=None, detectable=None, low=None, high=None)
            if told is None or not told.n:
                ended = e.probe in undecided or (undecided and e.probe not in names)
                note = UNFINISHED if ended else STOPPED
                yield replace(blank, value=None, interval="", note=note)
            else:
                signature = replace(e.signature, interval=told.signature)
                within = replace(blank, low=told.low, high=told.high, level=told.level)
                yield replace(within, interval=told.kind, signature=signature)

    def _told(self, e: Estimate, changes: Mapping[Key, Mapping[str, Any]]) -> _Told | None:
        """The band of a number of a probe that stopped; None where there is none."""
        key = e.probe, e.condition
        if e.measure == CHANGE.name:
            row = changes.get(key)
            names = ("low", "high", "level", "n", "units")
            return None if row is None else _Told(*(row[name] for name in names))
        population = self._planned.get(key)
        if population is None:
            return None
        if e.measure == SCORE.name:
            return self._finite(population, self._sequence(SCORE, population))
        seen = self.bands.seen(e.measure, (*key, e.reader), e.group)
        if seen is None:
            return None
        if e.measure == COMPOSITION.name:
            return self._finite(population, np.stack([seen.ratio.low, seen.ratio.high]))
        ends = self.bands.band(seen, (1 - self.level) / 2)
        counts = self._asked(population, e.measure, e.group, seen)
        return _Told(*ends, self.level, *counts, SAMPLED)

    def _finite(self, population: Population, d: Floats) -> _Told | None:
        """The band of a share of these items: one number, at the level of any interval."""
        n = d.shape[1]
        if not n:
            return None
        units = self._of(population, SCORE.name, "")
        low, high = band(d, Design(units, SIZE, 1 - self.level))
        return _Told(max(0.0, low), high, self.level, n, units)

    def composed(self, estimates: Sequence[Estimate]) -> dict[str, Any]:
        """What the score is made of, of the items that its probes were asked of, by reader.

        Other readers than the one that decided have no bands, nor has a share with many gaps.
        """
        about = next((p.units for p in self.extents.populations if p.probe == "order"), None)
        blocks = composition_by_reader(self._own, estimates, about)
        return {name: block for name, block in blocks.items() if not block["bounds_only"]}

    def _asked(
        self, population: Population, measure: str, group: str, seen: Seen
    ) -> tuple[int, int]:
        """How many items were asked for a number, and of how many that could be."""
        units = self._of(population, measure, group)
        return (seen.asked if population.items else len(seen.items)), units

    def _of(self, population: Population, measure: str, group: str) -> int:
        """How many items can be asked for a number: what the probe does not fit, or has no right
        answer where one is needed, is none of them."""
        if measure in _OF_GOLD:
            parts = _JOINED.get(measure, frozenset((population.probe,)))
            others = (p.units for p in self.extents.populations if p.probe in parts)
            return min(population.units, *others)
        if not population.items:
            whole = len(self._known) == len(self.items)
            return population.units if whole else len(self.items)
        told = TOLD[measure]
        if isinstance(told, PositionPreference):
            return population.with_position(LETTERS.index(group))
        return population.changed if isinstance(told, AgainstOriginal) else population.items

    def put_to(self, probe: str) -> int:
        """How many items a probe can be put to."""
        found = (p.items for p in self.extents.populations if p.probe == probe)
        return max(found, default=0) or len(self.items)

    def band(self, evidence: Evidence, alpha: float) -> Banded | None:
        """The band of a number over items like these, with an error of `alpha` on either side.

        It is about as many items as there could be, not about these alone: an accusation is of the
        model, and where nearly all items were asked their own share is above what guessing gives
        half of the time. None unless the deciding reader read it of a population that was planned,
        and what an item adds to it is bounded.
        """
        key = evidence.probe, evidence.condition
        population = self._planned.get(key)
        place = *key, evidence.reader
        bounded = banded(evidence.measure, evidence.reader, self.extents.reader)
        seen = self.bands.seen(evidence.measure, place, evidence.group) if bounded else None
        if population is None or seen is None:
            return None
        null = self.bands.null(evidence.measure, place, evidence.group)
        counts = self._asked(population, evidence.measure, evidence.group, seen)
        return Banded(*self.bands.band(seen, alpha), *counts, null)


class _Told(NamedTuple):
    """A band as it is told beside a number."""

    low: float
    high: float
    level: float
    n: int
    units: int
    kind: str = FINITE

    @property
    def signature(self) -> str:
        whom = ", finite" if self.kind == FINITE else ""
        return f"{self.level:g}betting({self.n} of {self.units} items{whom})"

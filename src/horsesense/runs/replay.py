"""What a study that could stop early decided, replayed from its tables, and its bands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from horsesense.findings.early import Banded, banded, conclude, levels
from horsesense.findings.evidence import Evidence
from horsesense.findings.known import composition_by_reader
from horsesense.items.item import ItemSet
from horsesense.measures.base import SAMPLED, Estimate
from horsesense.measures.cells import Cell
from horsesense.measures.joined import FIRST_TOKEN, ORIGINAL, AgainstOriginal
from horsesense.measures.positions import PositionPreference
from horsesense.probes.base import LETTERS
from horsesense.runs.bands import CHANGE, COMPOSED, SCORE, TOLD, Bands, Key, Seen
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.trials.condition import Condition

STOPPED = (
    "the probe was stopped early, where this number has no valid interval; the same audit without"
    " --until asks the rest"
)
"""Why a measure is left out where a probe was not put to all items."""
_OF_GOLD = frozenset((CHANGE.name, SCORE.name, *(measure.name for measure in COMPOSED)))
"""Measures that only items with a right answer have a place in."""
LOOKS = 12
"""Looks at which a band is kept, to be drawn."""
_JOINED: Mapping[str, frozenset[str]] = {
    "score_composition": frozenset((ORIGINAL, "order")),
    "composition_questionless": frozenset((ORIGINAL, "order", "options_only")),
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
    def stopped(self) -> frozenset[str]:
        """Names of the probes that were not put to all items."""
        whole = len(self.items)
        return frozenset(
            signature.partition("(")[0]
            for signature, n in self.extents.extents.items()
            if n < whole
        )

    @property
    def goal(self) -> Goal:
        """When asking had enough."""
        return Goal.parse(self.extents.goal)

    @property
    def questions(self) -> int:
        """Among how many questions the error of what is found is shared."""
        return self.extents.questions or len(self.extents.populations)

    @cached_property
    def bands(self) -> Bands:
        """The bands over items like these."""
        batch = self.extents.batch
        cells = [c for c in self.cells if c.reader in (self.extents.reader, FIRST_TOKEN)]
        return Bands(self.items, cells, self.seed, batch, self.cluster)

    @cached_property
    def _planned(self) -> dict[Key, Population]:
        return {(p.probe, Condition.parse(p.condition)): p for p in self.extents.populations}

    def findings(self) -> list[dict[str, Any]]:
        """A row for each change of accuracy: conclusion, band, and the items that it took.

        `n` of `units` items were asked, and of `missing` of them not every answer is there. `low`
        and `high` hold at `level` whenever asking stopped; `value` is the mean so far of the
        others. `band`: [items, low, high] at some of the looks.
        """
        tested = (p for p in self.extents.populations if p.tested)
        rows = (self._row(p) for p in tested)
        return [row for row in rows if row is not None]

    def _row(self, population: Population) -> dict[str, Any] | None:
        key = population.probe, Condition.parse(population.condition)
        seen = self.bands.seen(CHANGE.name, (*key, self.extents.reader))
        if seen is None:
            return None
        goal = self.goal
        first, second = (self.bands.band(seen, a) for a in levels("both", self.questions))
        conclusion = conclude(first, second, "both", 0.0, goal.size)
        low, high = first if conclusion == "found" else second
        whole = seen.ratio.low == seen.ratio.high
        mean = seen.ratio.low[whole].sum() / max(seen.ratio.weight[whole].sum(), 1)
        return {
            "probe": population.probe,
            "condition": population.condition,
            "conclusion": conclusion,
            "value": float(mean) if whole.any() else None,
            "low": low,
            "high": high,
            "level": 1 - 2 * levels("both", self.questions)[conclusion != "found"],
            "size": goal.size,
            "n": len(seen.items),
            "missing": int((~whole).sum()),
            "units": population.units,
            "band": [*self._looks(seen)],
        }

    def _looks(self, seen: Seen) -> Iterator[list[float]]:
        """[items, low, high] at about `LOOKS` of the looks."""
        n = len(seen.items)
        step = self.extents.batch * max(1, -(-n // (self.extents.batch * LOOKS)))
        for end in (*range(step, n, step), n):
            some = np.arange(end)
            part = Seen(seen.items[some], seen.ratio.of(some))
            low, high = self.bands.band(part, levels("both", self.questions)[1])
            yield [end, round(low, 4), round(high, 4)]

    def estimates(self, naive: Iterable[Estimate]) -> Iterator[Estimate]:
        """Estimates with the intervals of stopped probes replaced by bands, or left out.

        An interval that supposes a number of items fixed beforehand is too narrow where asking
        stopped because of what was seen.
        """
        for e in naive:
            probes = _JOINED.get(e.measure, frozenset((e.probe,)))
            if not self.stopped & probes or e.value is None:
                yield e
                continue
            blank = e._replace(p_value=None, p_adjusted=None, detectable=None, low=None, high=None)
            told = self.band(e, (1 - self.level) / 2)
            if told is None:
                yield blank._replace(value=None, interval="", note=STOPPED)
                continue
            how = f"{self.level:g}betting({told.n} of {told.units} items)"
            signature = e.signature._replace(interval=how)
            within = blank._replace(low=told.low, high=told.high, level=self.level)
            yield within._replace(interval=SAMPLED, signature=signature)

    def composed(self, estimates: Sequence[Estimate]) -> dict[str, Any]:
        """What the score is made of, of the items that its probes were asked of, by reader.

        Other readers than the one that decided have no bands, nor has a share with many gaps.
        """
        own = [cell for cell in self.cells if cell.reader == self.extents.reader]
        about = next((p.units for p in self.extents.populations if p.probe == "order"), None)
        blocks = composition_by_reader(own, estimates, about)
        return {name: block for name, block in blocks.items() if not block["bounds_only"]}

    def put_to(self, probe: str) -> int:
        """How many items a probe can be put to."""
        found = (p.items for p in self.extents.populations if p.probe == probe)
        return max(found, default=0) or len(self.items)

    def band(self, e: Evidence | Estimate, alpha: float) -> Banded | None:
        """The band of a number over items like these, with an error of `alpha` on either side.

        None unless the deciding reader read it of a population that was planned, and what an item
        adds to it is bounded.
        """
        place = e.probe, e.condition, e.reader
        composed = e.reader == self.extents.reader and e.measure in _JOINED
        known = composed or banded(e.measure, e.reader, self.extents.reader)
        population = self._planned.get(place[:2])
        seen = self.bands.seen(e.measure, place, e.group) if known else None
        if population is None or seen is None:
            return None
        units = self._of(population, e.measure, e.group)
        n = seen.asked if population.items else len(seen.items)
        return Banded(*self.bands.band(seen, alpha), n, units, seen.null)

    def _of(self, population: Population, measure: str, group: str) -> int:
        """How many items can be asked for a number: what the probe does not fit, or has no right
        answer where one is needed, is none of them."""
        if measure in _OF_GOLD:
            parts = _JOINED.get(measure, frozenset((population.probe,)))
            others = (p.units for p in self.extents.populations if p.probe in parts)
            return min(population.units, *others)
        if not population.items:
            return len(self.items)
        told = TOLD[measure]
        if isinstance(told, PositionPreference):
            return population.with_position(LETTERS.index(group))
        return population.changed if isinstance(told, AgainstOriginal) else population.items

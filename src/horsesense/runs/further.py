"""Which questions of the verdict are open while a study is asked.

They are held to the bands that the verdict will hold them to, at no higher a level: what is decided
here is decided there. Where asking stops has no part in whether a band is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.findings.early import BANDED, levels
from horsesense.findings.evidence import faulty, harmless
from horsesense.findings.kinds import KINDS, Kind, sizes_of
from horsesense.findings.places import Anywhere
from horsesense.findings.rare import least_share, rare_among
from horsesense.measures.cells import Cell
from horsesense.probes.base import LETTERS
from horsesense.runs.bands import Bands, Seen, clusters
from horsesense.runs.deciding import CHANGE, TOLD, Place, added
from horsesense.runs.expected import Expected
from horsesense.runs.goal import Goal
from horsesense.runs.prepare import Study, reader_names
from horsesense.stats.ratio_bets import Ratio
from horsesense.trials.condition import Condition


class _Part(NamedTuple):
    """What the items of a batch added to a number, and what guessing gives it there."""

    item: npt.NDArray[np.int64]
    ratio: Ratio
    null: float


class Further:
    """The questions that asking waits for, from the answers so far: changes of accuracy, or all."""

    def __init__(
        self,
        study: Study,
        reader: str,
        batch: int,
        goal: Goal,
        places: Iterable[tuple[str, Condition]],
    ) -> None:
        settings, items = study.settings, study.items
        self.run = Expected.of(study, reader, reader_names(settings, items, study.model))
        self.bands = Bands(items, (), settings.seed, batch, clusters(items))
        self.goal = goal
        self.sizes: Mapping[str, float] = sizes_of(settings.smallest, goal.size)
        options = [len(item.options) for item in items]
        self.questions = self.run.questions(places, max(options, default=0))
        few = rare_among(options, least_share(self.sizes))
        self.rare = frozenset(LETTERS[place] for place in few if place < len(LETTERS))
        self.kinds = [
            kind
            for kind in KINDS
            if kind.measure in BANDED and (goal.every or kind.measure == CHANGE.name)
        ]
        self._parts: dict[tuple[str, Place, str], list[_Part]] = {}

    def look(self, cells: Sequence[Cell]) -> None:
        """Take note of all answers to a batch."""
        for measure in {kind.measure for kind in self.kinds}:
            for key, values in added(cells, TOLD[measure]).items():
                for group, (ratio, null) in values.groups.items():
                    part = _Part(values.item, ratio, 0.0 if null is None else null)
                    self._parts.setdefault((measure, key, group), []).append(part)

    @property
    def accused(self) -> frozenset[str]:
        """Names of the probes that have such questions."""
        return frozenset(p for k in self.kinds for p in self.run.probes if k.asks(self.run, p))

    def undecided(self) -> frozenset[str]:
        """Names of the probes of which any is open."""
        return frozenset(probe for kind in self.kinds for probe in self._open(kind))

    def _open(self, kind: Kind) -> Iterator[str]:
        """Probes by which a kind accuses and that are not decided."""
        for (measure, key, group), parts in self._parts.items():
            taken = measure == kind.measure and kind.takes(self.run, Anywhere(*key, group))
            if taken and not (kind.by_position and group in self.rare):
                seen, guessing = self._together(parts)
                null, size = guessing if kind.null is None else kind.null, self.sizes[kind.name]
                possible = seen is not None and size < kind.room(null)
                if possible and self._is_open(kind, seen, null, size):
                    yield key[0]

    def _is_open(self, kind: Kind, seen: Seen | None, null: float, size: float) -> bool:
        assert seen is not None
        found, small = levels(kind.way, self.questions)
        if self.goal.precision is not None:
            low, high = self.bands.band(seen, small)
            return high - low > 2 * self.goal.precision
        if self.bands.lies(seen, *harmless(kind.way, null, size), small):
            return False
        return not any(self.bands.lies(seen, *e, found) for e in faulty(kind.way, null, size))

    def _together(self, parts: Sequence[_Part]) -> tuple[Seen | None, float]:
        """The parts of a number in the random order, about one null: their mean."""
        items = np.concatenate([p.item for p in parts])
        weight = np.concatenate([p.ratio.weight for p in parts])
        if not weight.any():
            return None, 0.0
        null = sum(p.null * float(p.ratio.weight.sum()) for p in parts) / float(weight.sum())
        moved = [(null - p.null) * p.ratio.weight for p in parts]
        ratio = Ratio(
            np.concatenate([p.ratio.low + by for p, by in zip(parts, moved, strict=True)]),
            np.concatenate([p.ratio.high + by for p, by in zip(parts, moved, strict=True)]),
            weight,
            max(p.ratio.largest for p in parts),
            parts[0].ratio.least,
            max(p.ratio.lean + abs(null - p.null) for p in parts),
        )
        order = np.argsort(self.bands.ranks[items], kind="stable")
        order = order[weight[order] > 0]
        return Seen(items[order], ratio.of(order)), null

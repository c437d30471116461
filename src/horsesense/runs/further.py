"""Which findings are open besides the changes of accuracy, while a study is asked.

They are those of the verdict, held to the bands that it will hold them to, at no higher a level:
what is decided here is decided there. Where asking stops has no part in whether a band is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from horsesense.findings.accusation import ALPHA
from horsesense.findings.early import BANDED, DECIDED, ROUTES, SHARE
from horsesense.findings.evidence import faulty, harmless
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Anywhere
from horsesense.findings.rare import least_share, rare_among
from horsesense.findings.sizes import sizes_of
from horsesense.measures.cells import Cell
from horsesense.probes.base import LETTERS
from horsesense.runs.bands import Bands, Seen, clusters
from horsesense.runs.deciding import TOLD, Place, added
from horsesense.runs.expected import Expected
from horsesense.runs.goal import Goal
from horsesense.runs.prepare import Study, reader_names
from horsesense.stats.ratio_bets import Ratio


class _Part(NamedTuple):
    """What the items of a batch added to a number, and what guessing gives it there."""

    item: npt.NDArray[np.int64]
    ratio: Ratio
    null: float


class Further:
    """The findings besides the changes of accuracy, from the answers so far."""

    def __init__(self, study: Study, reader: str, batch: int) -> None:
        settings, items = study.settings, study.items
        self.run = Expected.of(study, reader, reader_names(settings, items, study.model))
        self.bands = Bands(items, (), settings.seed, batch, clusters(items))
        self.sizes: Mapping[str, float] = sizes_of(
            settings.smallest, Goal.parse(settings.until or "decided").size
        )
        few = rare_among([len(item.options) for item in items], least_share(self.sizes))
        self.rare = frozenset(LETTERS[place] for place in few if place < len(LETTERS))
        self._parts: dict[tuple[str, Place, str], list[_Part]] = {}

    def look(self, cells: Sequence[Cell]) -> None:
        """Take note of all answers to a batch."""
        for measure in BANDED:
            for key, values in added(cells, TOLD[measure]).items():
                for group, (ratio, null) in values.groups.items():
                    part = _Part(values.item, ratio, 0.0 if null is None else null)
                    self._parts.setdefault((measure, key, group), []).append(part)

    @property
    def accused(self) -> frozenset[str]:
        """Names of the probes that have such findings."""
        kinds = (kind for kind in KINDS if kind.measure in BANDED)
        return frozenset(p for kind in kinds for p in self.run.probes if kind.asks(self.run, p))

    def undecided(self) -> frozenset[str]:
        """Names of the probes of which any is open."""
        return frozenset(
            probe for kind in KINDS if kind.measure in BANDED for probe in self._open(kind)
        )

    def _open(self, kind: Kind) -> Iterator[str]:
        """Probes by which a kind accuses and that are not decided."""
        places = [
            (key[0], parts)
            for (measure, key, group), parts in self._parts.items()
            if measure == kind.measure
            and kind.takes(self.run, Anywhere(*key, group))
            and not (kind.each and group in self.rare)
        ]
        weight = self.run.weight(kind, DECIDED, 1 - SHARE)
        alpha = ALPHA * weight / max(1, len(places)) / ROUTES
        for probe, parts in places:
            seen, guessing = self._together(parts)
            null, size = guessing if kind.null is None else kind.null, self.sizes[kind.name]
            bounds = (side(kind.way, null, size) for side in (faulty, harmless))
            if seen is None or size >= kind.room(null):
                continue
            if not any(self.bands.lies(seen, *ends, alpha) for ends in bounds):
                yield probe

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

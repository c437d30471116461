"""How well a reader does on replies whose readings are known.

Every share comes with an interval for kinds of reply not seen: replies of one kind go together
(`stats.share`); within one kind, each reply stands for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from horsesense.readers.corpus import Example, Part
from horsesense.readers.reading import Reading
from horsesense.stats.share import Share as Trials

SURE: Final = 0.9
"""Confidence from which on a reading is counted as sure."""
BINS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
UNREAD: Final = Reading("illegal", rule="no_reading", confidence=0.0)
"""Stands for a reply that a reader gave no reading of."""

Read = tuple[Example, Reading | None]
"""A reply, and what a reader made of it; None where it gave no reading."""


@dataclass(frozen=True, slots=True)
class ScoreShare:
    """A share of 0 to 1 with its 95 % interval.

    Attributes:
        value: None where it is of nothing.
        low, high: None where there is one reply alone.
        n: of how many.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """How a reader does on one group of replies.

    Attributes:
        by: what groups them: "all", "part", "status", "kind", "manner", "sort", "length".
        group: which of them.
        right: read as status and position are.
        wrong_choice: an option was read that was not chosen.
        sure: readings with a confidence of `SURE` and more.
        sure_right: right, of those.
    """

    by: str
    group: str
    right: ScoreShare
    wrong_choice: ScoreShare
    sure: ScoreShare
    sure_right: ScoreShare

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "n": self.right.n}


@dataclass(frozen=True, slots=True)
class Bin:
    """Readings of about the same confidence.

    Attributes:
        low, high: limits of the confidence; the upper one belongs to the last bin alone.
        n: how many.
        confidence: their mean; None where there are none.
        right: the share that is right.
    """

    low: float
    high: float
    n: int
    confidence: float | None
    right: ScoreShare


GROUPS: Final[Mapping[str, Callable[[Example], str]]] = {
    "status": lambda e: e.status,
    "kind": lambda e: e.kind,
    "manner": lambda e: e.manner,
    "sort": lambda e: e.sort,
    "length": lambda e: e.length,
}
"""What replies are grouped by within each part."""


def table(read: Mapping[Part, Sequence[Read]], by: Sequence[str] = tuple(GROUPS)) -> list[ScoreRow]:
    """Rows for each part, and for each group of `by` in each part.

    Args:
        read: part -> its replies with their readings.
    """
    found = []
    for part, pairs in read.items():
        found.append(_row("part", part, pairs))
        for name in by:
            groups: dict[str, list[Read]] = {}
            for pair in pairs:
                groups.setdefault(GROUPS[name](pair[0]), []).append(pair)
            found += [_row(name, f"{part}: {g}", groups[g]) for g in sorted(groups)]
    return found


def _row(by: str, group: str, pairs: Sequence[Read]) -> ScoreRow:
    sure = [pair for pair in pairs if _reading(pair).confidence >= SURE and _decided(pair)]
    return ScoreRow(
        by,
        group,
        share(pairs, right),
        share(pairs, wrong_choice),
        share(pairs, lambda pair: _reading(pair).confidence >= SURE and _decided(pair)),
        share(sure, right),
    )


def reliability(pairs: Sequence[Read]) -> list[Bin]:
    """The share that is right by what confidence was stated, of readings that decide."""
    found = []
    for low, high in pairwise(BINS):
        inside = [
            pair
            for pair in pairs
            if _decided(pair)
            and low <= (c := _reading(pair).confidence)
            and (c < high or high == BINS[-1])
        ]
        mean = sum(_reading(p).confidence for p in inside) / len(inside) if inside else None
        found.append(Bin(low, high, len(inside), mean, share(inside, right)))
    return found


def errors(pairs: Sequence[Read]) -> Iterator[Read]:
    """What is read wrongly, the most confident first."""
    wrong = [pair for pair in pairs if not right(pair)]
    return iter(sorted(wrong, key=lambda pair: -_reading(pair).confidence))


def right(pair: Read) -> bool:
    """Whether a reply is read as what it is."""
    return pair[0].agrees(_reading(pair)) and pair[1] is not None


def wrong_choice(pair: Read) -> bool:
    """Whether an option is read that the reply does not choose."""
    return _reading(pair).status == "answer" and not right(pair)


def share(pairs: Sequence[Read], holds: Callable[[Read], bool]) -> ScoreShare:
    """How many of some replies a statement holds for."""
    if not pairs:
        return ScoreShare(None, None, None, 0)
    hits = np.array([float(holds(pair)) for pair in pairs])
    names, kinds = np.unique([example.kind for example, _ in pairs], return_inverse=True)
    if len(names) == 1:
        kinds = np.arange(len(pairs))
    found = Trials.of(np.bincount(kinds, hits).astype(float), np.bincount(kinds).astype(float))
    low, high = found.interval() or (None, None)
    return ScoreShare(found.estimate, low, high, len(pairs))


def _reading(pair: Read) -> Reading:
    return pair[1] or UNREAD


def _decided(pair: Read) -> bool:
    return pair[1] is not None and _reading(pair).status != UNDECIDED


UNDECIDED: Final[str] = "unclear"
"""The status of a reading that decides nothing."""

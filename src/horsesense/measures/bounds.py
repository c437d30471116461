"""Bounds that must hold between accuracy, accuracy in every order and agreement.

    AccH <= min_j Acc_j <= mean Acc <= AccH + share(CS < 1)    and    share(CS < 1) <= n (1 - CS)

(specification, section 3.2). They are checked on every result set, and published numbers can be
held against them as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from horsesense.measures.agreement import most_frequent
from horsesense.measures.cells import Cell
from horsesense.measures.counting import complete
from horsesense.trials.condition import Condition

SLACK = 1e-9


class Bound(NamedTuple):
    """One inequality: `low` may not exceed `high`; both are fractions."""

    probe: str
    condition: Condition
    reader: str
    says: str
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.low <= self.high + SLACK

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "condition": self.condition.format(), "holds": self.holds}


def whatever_is_missing(share: float, n: int, n_missing: int) -> tuple[float, float]:
    """Between what a share of `n` lies with `n_missing` more, whatever these turn out to be.

    >>> whatever_is_missing(0.75, 80, 20)
    (0.6, 0.8)
    """
    held, whole = share * n, n + n_missing
    return held / whole, (held + n_missing) / whole


def bounds(cell: Cell) -> Iterator[Bound]:
    """The inequalities for items with gold that were read in all of their orders."""
    used = complete(cell) & ~(cell.read & (cell.correct < 0)).any(axis=1)
    if cell.answer_format not in ("letter", "label") or not used.any():
        return
    asked, hit = cell.asked[used], (cell.correct == 1)[used]
    n = asked.sum(axis=1)
    hard = float((hit | ~asked).all(axis=1).mean())
    accuracy = float((hit.sum(axis=1) / n).mean())
    agreement = most_frequent(cell)[used] / n
    unstable = float((agreement < 1).mean())

    def bound(says: str, low: float, high: float) -> Bound:
        return Bound(cell.probe, cell.condition, cell.reader, says, low, high)

    if asked.all():
        yield bound("AccH <= min Acc", hard, float(hit.mean(axis=0).min()))
        yield bound("min Acc <= mean Acc", float(hit.mean(axis=0).min()), accuracy)
    yield bound("AccH <= mean Acc", hard, accuracy)
    yield bound("mean Acc <= AccH + share(CS < 1)", accuracy, hard + unstable)
    spread = float((n * (1 - agreement)).mean())
    yield bound(
        "share(CS < 1) <= n (1 - CS)",
        unstable,
        spread if np.ptp(n) else n[0] * (1 - float(agreement.mean())),
    )

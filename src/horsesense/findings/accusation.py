"""What a run may be accused of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from horsesense.findings.constant import Constant
from horsesense.findings.early import Banded
from horsesense.findings.evidence import Evidence
from horsesense.findings.kinds import Kind

ALPHA = 0.05
"""Error rate of all that is found together, and of all that is ruled out together."""


@dataclass(frozen=True)
class Accusation:
    """What a run may be accused of, with the evidence, its null and its weight.

    Where asking stopped for what was answered (`stopped`), only a band can decide. Where no value
    lies a size from its null (`possible`), as 50 points above a guess among two, nothing can.
    `own_null`: other groups have another null, as positions that not every item has.
    `base`: what a change is compared with, where that is not the items as published.
    `right_ones`: of wrong options judged one at a time, what becomes of the right ones.
    `spared`: what the evidence is if replies that choose nothing do not count for the fault.
    `constant`: the best answer that looks at no item, where it is about a share of right answers.
    Each p is that of a test times the `routes` on which it can come to the accusation.
    """

    kind: Kind
    evidence: Evidence
    null: float
    size: float
    weight: float = 0.0
    p: float = 1.0
    p_small: float = 1.0
    stopped: bool = False
    band: Banded | None = None
    own_null: bool = False
    routes: int = 1
    base: str = ""
    right_ones: str = ""
    spared: Evidence | None = None
    constant: Constant | None = None

    @property
    def group(self) -> tuple[str, str, str]:
        """What one sentence speaks for: its kind, probe and reader."""
        return self.kind.name, self.evidence.probe, self.evidence.reader

    @property
    def place(self) -> tuple[object, ...]:
        """What tells it from every other accusation."""
        return (*self.group, self.evidence.condition, self.evidence.group)

    @property
    def possible(self) -> bool:
        return self.size < self.kind.room(self.null)

    def tested(self) -> Accusation:
        """The same with both p. It is found where replies that choose nothing do not show it: by
        the larger p of both shares (Berger 1982), so that no rate of errors grows."""
        shares = [self.evidence, *([self.spared] if self.spared else [])]
        p = max(e.p_found(self.kind.way, self.null, self.size) for e in shares)
        p_small = self.evidence.p_ruled_out(self.kind.way, self.clears, self.size)
        p, p_small = (min(1.0, self.routes * each) for each in (p, p_small))
        return replace(self, p=p, p_small=p_small)

    @property
    def clears(self) -> float:
        """What a value must surpass, for "lacks": the null, and the best constant answer.

        A fault is measured from the null all the same; of other kinds the null decides both.
        """
        if self.kind.way != "lacks" or self.constant is None:
            return self.null
        return max(self.null, self.constant.share)

    def explained(self, low: float) -> bool:
        """Whether the best constant answer keeps a value, with this lower end, from showing more.

        Of a value that should lack, as it surpasses the null; of one that should not, as it may
        be all that is found.
        """
        if self.constant is None or self.constant.share <= self.null:
            return False
        if self.kind.way != "lacks":
            return self.kind.way == "above" and low <= self.constant.share
        value = self.evidence.value
        return value > self.null and (low > self.null or value <= self.constant.share)

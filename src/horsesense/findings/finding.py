"""One sentence of a verdict, with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Outcome = Literal["found", "ruled_out", "cannot_tell"]
About = Literal["items_like_these", "these_items"]
"""Of whom an interval is: of the model on others like these items too, or on these alone."""
ORDER: tuple[Outcome, ...] = ("found", "cannot_tell", "ruled_out")
"""In which the outcomes are shown: what to act on comes first."""
TITLES: Mapping[Outcome, str] = {
    "found": "Found",
    "cannot_tell": "Cannot tell",
    "ruled_out": "Fault ruled out",
}
UNTOLD = " cannot be told: "
"""In a sentence, between what is looked for and the reason why nothing is said of it."""


@dataclass(frozen=True)
class Finding:
    """One sentence of the verdict.

    Attributes:
        kind: found, ruled_out or cannot_tell.
        name, title: the kind of finding.
        probe, condition, reader, group: where it was measured.
        value, low, high: the share or difference, with the interval at its corrected level; low
            and high are None where there is no interval, value where nothing was answered.
        level: of that interval.
        null: what there is without the fault.
        size: the smallest distance from the null that matters.
        p_adjusted: of "there is no such fault", corrected over all accusations; None where asking
            stopped early, since a sequence and its band have no p, or nothing was measured.
        p_ruled_out: of "there is one of at least the size that matters", corrected likewise.
        weight: the accusation's share of the error rate.
        n, counted: trials or items behind it.
        units: independent ones of these, items or clusters of items, that the interval rests on.
        n_missing: trials or items that lack a reply, beside n; where a sequence decided, among n.
        items: how many would settle it, where it cannot be told; None: not known.
        section: of the report that shows more.
        sentence: in plain words.
        about: of whom low and high are; "these_items" is a band over the items of the set, which is
            a point where all were asked.
        found_beyond: what its interval leaves out where it is found, on the side of the fault: the
            null; null and size together where the fault is to lack something, and where bets decide
            about these items, whose band may end at it; None for runs measured before.
        constant: of a share of right answers, what the best constant answer scores on these items;
            a score that is ruled out to be guessing surpasses it as well as the null.
    """

    kind: Outcome
    name: str
    title: str
    probe: str
    condition: str
    reader: str
    group: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    null: float
    size: float
    p_adjusted: float | None
    p_ruled_out: float | None
    weight: float
    n: int
    counted: str
    items: int | None
    section: str
    sentence: str
    about: About = "items_like_these"
    units: int = 0
    n_missing: int = 0
    found_beyond: float | None = None
    constant: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        return asdict(self)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def measured(self) -> bool:
        """Whether there is anything that it rests on."""
        return self.n > 0

    @property
    def reason(self) -> str:
        """Why nothing is said of it, in words; "" where its numbers settle what is said."""
        return self.sentence.removesuffix(".").partition(UNTOLD)[2]

    @property
    def effect(self) -> float:
        """Distance from the null; 0 where there is no value."""
        return 0.0 if self.value is None else self.value - self.null

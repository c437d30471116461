"""One answer of the verdict, as data: every sentence about it is made from these fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

Conclusion = Literal["found", "ruled_out", "undecided"]
Telling = Literal["", "noise", "few_clusters", "many_questions", "drawn_anew"]
"""Reasons beside which the numbers say all there is; the others say why there is nothing to see."""
Hidden = Literal["missing", "silent", "at_chance", "unread", "lost", "never_differs", "impossible"]
"""Of what replies do not show."""
Unasked = Literal["first_items", "stopped", "budget", "interrupted", "failures", "alarm"]
"""Of what was not asked to its end; most are what ended it."""
Reason = Telling | Hidden | Unasked | Literal["unmeasured"]
"""Why something is undecided; "" of what is decided. In words: `findings.sentences.WHY`."""
About = Literal["items_like_these", "these_items"]
"""Of whom a finding is: of the model on others like these items too, or on these alone."""
Beside = Literal["", "other_orders"]
"""What a change of answers is held against, where that is not asking again."""
ORDER: tuple[Conclusion, ...] = ("found", "undecided", "ruled_out")
"""In which conclusions are shown: what to act on comes first."""
TITLES: Mapping[Conclusion, str] = {
    "found": "Found",
    "undecided": "Undecided",
    "ruled_out": "No fault",
}
BY_DATA: frozenset[Reason] = frozenset(get_args(Telling))


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One answer of the verdict.

    Attributes:
        kind: what was looked for (`findings.kinds`).
        conclusion: found, ruled_out or undecided.
        reason: why it is undecided.
        probe, condition, reader, group: where it was measured.
        label: the form in words; of a reader, its name.
        form: of the label, what sets the form apart from others of its probe; else all of it.
        value, low, high: the share or difference with its interval; None where there is none.
        level: of that interval: .95, and .9 of what is ruled out, each end of which is tested.
        null: what there is without the fault.
        size: the smallest distance from the null that matters.
        p: of "there is no such fault", after Holm's correction over the report; None where nothing
            was tested.
        n, counted: trials or items behind it.
        n_missing: trials or items that lack a reply, beside n.
        units: independent items or texts among them.
        needed: how many items would rule it out if there is nothing to find; None: not known.
        about: of whom it is.
        forms, found_in: how many forms it speaks for, and in how many it is found.
        found_forms: the labels of those, the largest first.
        found_apart: the same, as `form` has them.
        detail: the cause of the reason, in words, where that is more than its name.
        beside: "other_orders" where a change of answers is held against that between two orders of
            the options, since asking again never differs.
    """

    kind: str
    conclusion: Conclusion
    reason: Reason
    probe: str
    condition: str = ""
    reader: str
    group: str = ""
    label: str
    form: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    null: float
    size: float
    p: float | None = None
    n: int = 0
    counted: str = "items"
    n_missing: int = 0
    units: int = 0
    needed: int | None = None
    about: About = "items_like_these"
    forms: int = 1
    found_in: int = 0
    found_forms: Sequence[str] = ()
    found_apart: Sequence[str] = ()
    detail: str = ""
    beside: Beside = ""

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The finding that `as_json` made a row of; TypeError for what is none.

        A row of version 0.2 or before is understood, too: its `kind` was the conclusion.
        """
        if "conclusion" not in row:
            row = {
                **row,
                "conclusion": row["kind"],
                "kind": row["name"],
                "reason": "noise" if row["kind"] == "cannot_tell" else "",
                "label": row["probe"],
                "p": row.get("p_adjusted"),
                "needed": row.get("items"),
            }
        if row["conclusion"] == "cannot_tell":
            row = {**row, "conclusion": "undecided"}
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in row.items() if name in names})

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval, where there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def measured(self) -> bool:
        """Whether there is anything that it rests on."""
        return self.n > 0

    @property
    def effect(self) -> float:
        """Distance from the null; 0 where there is no value."""
        return 0.0 if self.value is None else self.value - self.null

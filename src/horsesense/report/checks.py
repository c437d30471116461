"""Every check of a run on one axis: points away from what should hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from horsesense.findings.finding import BY_DATA, ORDER, TITLES, Conclusion, Finding
from horsesense.findings.kinds import BY_NAME
from horsesense.findings.sentences import spread, statement, why, words
from horsesense.findings.uncounted import noun_of
from horsesense.findings.wording import against, between, level_text, plus, signed
from horsesense.report.reasons import Reason, reason_for
from horsesense.report.text import LACKING
from horsesense.runs.results import Results
from horsesense.stats.words import plural

MOST_FOUND = 3
"""Findings that stand on the first screen; the others are folded below them."""
TICKS = (2, 5, 10, 20, 50)
"""Steps of the axis, in points."""
WIDEST = 50.0
"""Points that the axis reaches at most, either way."""


class Axis(NamedTuple):
    """Points from `-reach` to `reach`, with a tick at each `step`."""

    reach: int
    step: int

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> Axis:
        """An axis that holds all values, intervals and sizes, as far as `WIDEST`."""
        drawn = [f for f in findings if f.kind not in LACKING]
        ends = [abs(e - f.null) for f in drawn for e in (f.low, f.value, f.high) if e is not None]
        sizes = [2 * f.size for f in drawn]
        reach = min(WIDEST, max([*(100 * end for end in (*ends, *sizes)), 10.0]))
        step = next((t for t in TICKS if reach / t <= 4), TICKS[-1])
        return cls(step * ceil(reach / step), step)

    def at(self, points: float) -> float:
        """Percent of the axis; its end for what lies beyond it."""
        return round(50 + 50 * max(-1.0, min(1.0, points / self.reach)), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """(percent of the axis, text)."""
        at = range(-self.reach, self.reach + 1, self.step)
        return [(self.at(n), plus(signed(n, 0))) for n in at]


class CheckRow(NamedTuple):
    """One row.

    Attributes:
        finding: what the verdict says of it.
        axis: on which it is drawn.
        filter: the filter of the items that are evidence; None where there are none.
    """

    finding: Finding
    axis: Axis
    filter: str | None

    @property
    def title(self) -> str:
        """What is looked for; of what is ruled out, what holds instead."""
        f = self.finding
        return statement(f, short=True) if f.conclusion == "ruled_out" else BY_NAME[f.kind].title

    @property
    def where(self) -> str:
        """The form in which it was looked for, and its value; "" where neither tells more."""
        f, told = self.finding, []
        if f.label and f.label not in self.title:
            told.append(f"read by {f.label}" if f.kind == "other_reader" else f.label)
        if f.kind.startswith("position") and f.group and f.conclusion != "ruled_out":
            told.append(f"position {f.group}")
        if f.null and f.value is not None and f.conclusion != "ruled_out":
            told.append("{} against {}".format(*against(f.value, f.null, 0)))
        return ", ".join(told)

    @property
    def why(self) -> str:
        """Why nothing is said of it; "" where its numbers say so."""
        return why(self.finding) or spread(self.finding)

    @property
    def beside(self) -> list[str]:
        """What stands beside its title: where and why; not a form that the reason names."""
        f, where, why = self.finding, self.where, self.why
        named = where == f.label and (f.form or f.label) in why
        return [text for text in ("" if named else where, why) if text]

    @property
    def lacking(self) -> bool:
        """Whether it should lie far from guessing; it is not drawn."""
        return self.finding.kind in LACKING

    @property
    def effect(self) -> float:
        """Points away from what should hold."""
        return 100 * self.finding.effect

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval in points."""
        f = self.finding
        return None if f.ends is None else (100 * (f.ends[0] - f.null), 100 * (f.ends[1] - f.null))

    @property
    def drawn(self) -> bool:
        return self.finding.measured and not self.lacking

    @property
    def beyond(self) -> list[str]:
        """Ends of the axis past which the value or its interval reaches."""
        reached = (self.effect, *(self.ends or ()))
        past = {"left": min(reached) < -self.axis.reach, "right": max(reached) > self.axis.reach}
        return [end for end, reaches in past.items() if reaches and self.drawn]

    @property
    def outside(self) -> bool:
        """Whether the value itself lies beyond the axis."""
        return self.drawn and abs(self.effect) > self.axis.reach

    @property
    def number(self) -> str:
        return plus(signed(self.effect, 1)) if self.finding.measured else "–"

    @property
    def interval(self) -> str:
        if self.ends is None:
            return "no interval" if self.finding.measured else "not measured"
        return between(*self.ends, 1)

    @property
    def own(self) -> tuple[str, str]:
        """Value and interval as its sentence and the terminal have them: points are differences."""
        f = self.finding
        if not f.null or not f.measured or f.ends is None:
            return self.number, self.interval + " pts" * (f.ends is not None)
        digits = 0 if f.ends[1] - f.ends[0] > 0.02 else 1
        return words(f)["value"], between(100 * f.ends[0], 100 * f.ends[1], digits)

    @property
    def level(self) -> str:
        """The level of its interval, in words."""
        f = self.finding
        return f"at {level_text(f.level)}" if f.ends and f.ends[0] != f.ends[1] else ""

    @property
    def about(self) -> str:
        """What the numbers are about, in words."""
        f = self.finding
        of = "of these items" if f.about == "these_items" else ""
        count = plural(f.n, noun_of(f.counted, f.probe)) if f.measured else ""
        return "; ".join(filter(None, (of, self.level, count)))


class Group(NamedTuple):
    """Checks of one conclusion, the largest first."""

    outcome: Conclusion
    checks: tuple[CheckRow, ...]

    @property
    def title(self) -> str:
        return TITLES[self.outcome]

    @property
    def first(self) -> tuple[CheckRow, ...]:
        """Those on the first screen."""
        return self._ranked[: MOST_FOUND if self.outcome == "found" else 1]

    @property
    def rest(self) -> tuple[CheckRow, ...]:
        """The others, which are folded below them."""
        return self._ranked[len(self.first) :]

    @property
    def _ranked(self) -> tuple[CheckRow, ...]:
        """The largest of each kind, then the others: one kind in many forms hides no other. What
        the numbers themselves leave open comes before what cannot be tested."""
        leading: dict[str, CheckRow] = {}
        for check in sorted(self.checks, key=lambda check: check.finding.reason not in BY_DATA):
            leading.setdefault(check.finding.kind, check)
        chosen = {id(check) for check in leading.values()}
        return (*leading.values(), *(check for check in self.checks if id(check) not in chosen))


class Checks(NamedTuple):
    """All checks with their axis, by conclusion, in the order in which they are shown."""

    groups: tuple[Group, ...]
    axis: Axis

    @property
    def rows(self) -> list[CheckRow]:
        return [check for group in self.groups for check in group.checks]


def checks_of(run: Results, reasons: Sequence[Reason], filters: Mapping[str, str]) -> Checks:
    """The checks of a run.

    Args:
        run: what was measured.
        reasons: what items may be evidence for.
        filters: the filter of each reason that holds for an item shown.
    """
    axis = Axis.of(run.verdict)

    def row(f: Finding) -> CheckRow:
        reason = reason_for(f, reasons)
        return CheckRow(f, axis, None if reason is None else filters.get(reason.name))

    rows = [row(f) for f in run.verdict]
    groups = (Group(o, tuple(r for r in rows if r.finding.conclusion == o)) for o in ORDER)
    return Checks(tuple(group for group in groups if group.checks), axis)

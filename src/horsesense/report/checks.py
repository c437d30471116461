"""Every check of a run on one axis: points away from what should hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from horsesense.errors import UsageError
from horsesense.findings.evidence import badness
from horsesense.findings.finding import BY_DATA, ORDER, TITLES, Conclusion, Finding
from horsesense.findings.kinds import BY_NAME
from horsesense.findings.sentences import sentence, together, why
from horsesense.findings.uncounted import noun_of
from horsesense.findings.untested import named as named_reader
from horsesense.findings.wording import (
    MINUS,
    against,
    between,
    level_text,
    plus,
    signed,
)
from horsesense.report.reasons import Reason, reason_for
from horsesense.report.shown import LACKING
from horsesense.runs.results import Results
from horsesense.stats.words import plural
from horsesense.trials.condition import Condition

MOST_FOUND = 3
"""Findings that have a sentence on the first screen; the others are named after them."""
MOST_ALIKE = 3
"""Sentences of one kind beyond which one of them speaks and the others are named."""
TICKS = (2, 5, 10, 20, 50)
"""Steps of the axis, in points."""
WIDEST = 50.0
"""Points that the axis reaches at most, either way."""
RULES: Mapping[Conclusion, str] = {
    "found": "the line leaves out 0, on the side of the fault",
    "undecided": "neither, or what is named keeps it from showing",
    "ruled_out": "the line ends before the far edge of the grey, on the side of the fault",
}
"""What the picture shows, by outcome."""
UNDRAWN: Mapping[Conclusion, str] = {
    "found": "what should lie above guessing has no line: its interval ends below the size",
    "undecided": "",
    "ruled_out": "what should lie above guessing has no line: its interval begins above 0",
}
"""The same of what is not drawn, where the fault is to lack a distance."""
NOTES = "¹²³⁴⁵⁶⁷⁸⁹"
"""Marks of reasons that many rows share, which stand once above them."""


@dataclass(frozen=True)
class Check:
    """One row.

    Attributes:
        finding: with its sentence and numbers.
        title: what is looked for.
        where: the form in which it was looked for, and its value; "" where neither tells more.
        why: why nothing is said of it; "" where its numbers say so.
        low, value, high: percent of the axis, at its end where they lie beyond it; None without an
            interval, or where it has no place.
        band: ends of the sizes that do not matter, percent of the axis.
        number, interval: texts, in points; `of` says of which items, if not of the model.
        level, count: of the interval, and how many it rests on; "" where there is none.
        filter: the filter of the items that are evidence; None where there are none.
        beyond: ends of the axis, "left" or "right", past which the value or its interval reaches.
        outside: whether the value itself does.
    """

    finding: Finding
    title: str
    where: str
    why: str
    low: float | None
    value: float | None
    high: float | None
    band: tuple[float, float]
    number: str
    interval: str
    of: str
    level: str
    count: str
    filter: str | None
    beyond: tuple[str, ...] = ()
    outside: bool = False

    @property
    def lacking(self) -> bool:
        """Whether it should lie far from guessing."""
        return self.finding.kind in LACKING

    @property
    def about(self) -> str:
        """What the numbers are about, in words."""
        return "; ".join(filter(None, (self.of, self.level, self.count)))


@dataclass(frozen=True)
class Group:
    """Checks of one outcome, the largest first."""

    outcome: Conclusion
    title: str
    rule: str
    checks: tuple[Check, ...]

    @property
    def first(self) -> tuple[Check, ...]:
        """Those with a sentence on the first screen."""
        return self._ranked[: MOST_FOUND if self.outcome == "found" else 1]

    @property
    def rest(self) -> tuple[Check, ...]:
        """The others, which are named after them."""
        return self._ranked[len(self.first) :]

    @property
    def notes(self) -> Mapping[str, str]:
        """Marks of the reasons that many of its rows share."""
        n = Counter(check.why for check in self.checks if check.why)
        many = [why for why, rows in n.most_common(len(NOTES)) if rows > MOST_ALIKE]
        return dict(zip(many, NOTES, strict=False))

    @property
    def _ranked(self) -> tuple[Check, ...]:
        """The largest of each kind, then the others: one kind in many forms hides no other."""
        leading: dict[str, Check] = {}
        for check in self.checks:
            leading.setdefault(check.finding.kind, check)
        chosen = {id(check) for check in leading.values()}
        return (*leading.values(), *(check for check in self.checks if id(check) not in chosen))

    @property
    def in_words(self) -> list[str]:
        """The sentences of the others; what one sentence says of several stands here once."""
        told = {sentence(check.finding) for check in self.first}
        kinds: dict[str, dict[str, Check]] = {}
        for check in self.checks:
            f = check.finding
            if sentence(f) not in told:
                cause = f.kind if f.reason in BY_DATA else why(f)
                kinds.setdefault(cause, {}).setdefault(sentence(f), check)
        return [line for same in kinds.values() for line in self._lines([*same.values()])]

    def _lines(self, same: Sequence[Check]) -> list[str]:
        """The sentences of one kind; of many, one with the others named. What one reason keeps open
        is one sentence, with the others of a kind named."""
        reason = same[0].finding.reason not in BY_DATA
        if not reason and (self.outcome == "found" or len(same) <= MOST_ALIKE):
            return [sentence(check.finding) for check in same]
        leading = {check.finding.kind: check for check in reversed(same)}
        first = [check for check in same if check is leading[check.finding.kind]]
        others = [check for check in same if check is not leading[check.finding.kind]]
        said = together([check.finding for check in first])
        if not others:
            return [said]
        names = "; ".join(_beside_others(check) for check in others)
        whom = "another" if len(others) == 1 else f"{len(others)} others"
        return [f"{said} The same goes for {whom}: {names}."]

    def also(self, most: int) -> list[str]:
        """The first of `rest`, named; those that share a reason together, with the reason once."""
        shared: dict[str, list[Check]] = {}
        for check in self.rest[:most]:
            untold = check.finding.reason not in BY_DATA
            shared.setdefault(check.why if untold else f"{id(check)}", []).append(check)
        return [
            named(same[0]) if len(same) == 1 else f"{_listed(same)}: {same[0].why}"
            for same in shared.values()
        ]


@dataclass(frozen=True)
class Checks:
    """All checks with their axis.

    Attributes:
        groups: by outcome, in the order in which they are shown.
        ticks: (percent of the axis, text).
        total: checks in all.
        of_these: whether an interval of any is about these items alone.
        beyond: whether any reaches past the axis.
    """

    groups: tuple[Group, ...]
    ticks: tuple[tuple[float, str], ...]
    total: int
    of_these: bool
    beyond: bool


def checks_of(run: Results, reasons: Sequence[Reason], filters: Mapping[str, str]) -> Checks:
    """The checks of a run.

    Args:
        run: what was measured.
        reasons: what items may be evidence for.
        filters: the filter of each reason that holds for an item shown.
    """
    reach = _reach([f for f in run.verdict if f.kind not in LACKING])
    step = next((t for t in TICKS if reach / t <= 4), TICKS[-1])
    reach = step * ceil(reach / step)

    def at(points: float) -> float:
        return round(50 + 50 * max(-1.0, min(1.0, points / reach)), 2)

    def row(f: Finding) -> Check:
        low, high = (None if e is None else 100 * (e - f.null) for e in (f.low, f.high))
        placed = f.kind not in LACKING
        drawn = low is not None and high is not None and placed
        effect = 100 * f.effect
        digits = 1
        reason = reason_for(f, reasons)
        ends = [effect] if low is None or high is None else [effect, low, high]
        past = {"left": min(ends) < -reach, "right": max(ends) > reach}
        beyond = tuple(end for end, reaches in past.items() if reaches and f.measured and placed)
        return Check(
            f,
            BY_NAME[f.kind].title,
            _where(run, f),
            why(f),
            at(low) if drawn and low is not None else None,
            at(effect) if f.measured and placed else None,
            at(high) if drawn and high is not None else None,
            (at(-100 * f.size), at(100 * f.size)),
            _signed(effect, digits) if f.measured else "–",
            _interval(f, low, high, digits),
            "of these items" if f.about == "these_items" else "",
            "" if low is None or low == high else f"at {level_text(f.level)}",
            plural(f.n, noun_of(f.counted, f.probe)) if f.measured else "",
            None if reason is None else filters.get(reason.name),
            beyond,
            bool(beyond) and abs(effect) > reach,
        )

    rows = [row(f) for f in run.verdict]
    held = {o: tuple(r for r in rows if r.finding.conclusion == o) for o in ORDER}
    groups = (Group(o, TITLES[o], _rule(o, own), own) for o, own in held.items())
    ticks = ((at(n * step), _tick(n * step)) for n in range(-(reach // step), reach // step + 1))
    return Checks(
        tuple(g for g in groups if g.checks),
        tuple(ticks),
        len(rows),
        any(r.of for r in rows),
        any(r.beyond for r in rows),
    )


def _rule(outcome: Conclusion, checks: Sequence[Check]) -> str:
    """What the picture of a group shows, of the rows that it has."""
    lacking = any(c.finding.kind in LACKING for c in checks)
    drawn = outcome == "undecided" or any(c.finding.kind not in LACKING for c in checks)
    parts = (drawn, RULES), (lacking, UNDRAWN)
    said = (words[outcome] for holds, words in parts if holds)
    return "; ".join(filter(None, said))


def _interval(f: Finding, low: float | None, high: float | None, digits: int) -> str:
    """The interval, or why there is none."""
    if low is None or high is None:
        return "no interval" if f.measured else "not measured"
    return between(low, high, digits)


def _reach(findings: Sequence[Finding]) -> int:
    ends = [
        100 * abs(e - f.null) for f in findings for e in (f.low, f.value, f.high) if e is not None
    ]
    sizes = [200 * f.size for f in findings]
    return ceil(min(WIDEST, max([*ends, *sizes, 10.0])))


def _where(run: Results, f: Finding) -> str:
    """The form; a reader or a group where that tells one row from another."""
    told = ""
    if f.null and f.value is not None:
        value, null = against(f.value, f.null, 0)
        told = f"{value} against {null}"
    if f.kind.startswith("position") and f.group and f.conclusion != "ruled_out":
        told = "; ".join(filter(None, (f"position {f.group}", told)))
    if f.probe == "original":
        by = named_reader(f.reader, run.readers).removesuffix(",")
        return f"read by {by}" if f.kind == "other_reader" else told
    try:
        label = run.label(f.probe, Condition.parse(f.condition))
    except (KeyError, UsageError):
        label = f.probe
    return f"{label}, {told}" if told else label


def _beside_others(check: Check) -> str:
    """One of many of a kind, with what tells it from the others."""
    if not check.finding.measured:
        return check.where or check.title
    return f"{check.where or check.title} ({check.number})"


def _listed(checks: Sequence[Check]) -> str:
    """Several that are open for one reason."""
    titles = (f"{c.title[:1].lower()}{c.title[1:]}" for c in checks)
    *first, last = (
        f"{t} ({c.where})" if c.where else t for t, c in zip(titles, checks, strict=True)
    )
    return f"{', '.join(first)} and {last}"


def _signed(value: float, digits: int) -> str:
    return plus(signed(value, digits))


def _tick(points: int) -> str:
    return f"+{points}" if points > 0 else str(points).replace("-", MINUS)


def named(check: Check) -> str:
    """A check in a list of others: what is looked for, where, and the distance.

    Of what is open without a sign of a fault, or cannot be seen, no distance: it would read as one.
    """
    f = check.finding
    title = check.title[:1].lower() + check.title[1:]
    off = badness(f.value or 0.0, BY_NAME[f.kind].way, f.null)
    harmless = f.measured and f.kind not in LACKING and off <= 0
    if f.conclusion == "undecided" and (f.reason not in BY_DATA or harmless):
        if f.reason not in BY_DATA:
            told = f"{check.where}: {check.why}" if check.where else check.why
        else:
            told = "; ".join(filter(None, (check.where, "no sign of it")))
        return f"{title} ({told})"
    where = f" ({check.where})" if check.where else ""
    return f"{title}{where} {check.number}"

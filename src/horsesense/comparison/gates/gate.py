"""A gate: requirements on a run, and nothing lost against an earlier one, item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from horsesense.comparison.align import Side, stop_notice
from horsesense.comparison.compare import Comparison, Difference, compare
from horsesense.comparison.gates.expression import MissingError, Requirement
from horsesense.comparison.gates.looking import (
    Seen,
    defined,
    look_up,
    number_of,
    told,
    unfinished,
)
from horsesense.errors import UsageError
from horsesense.findings.uncounted import left_out
from horsesense.findings.wording import level_text
from horsesense.runs.results import Results
from horsesense.stats.words import agreeing, plural

State = Literal["passed", "failed", "cannot tell"]
AFTER, BEFORE = "this run", "baseline"


@dataclass(frozen=True)
class Check:
    """One thing that was checked.

    Attributes:
        name: what had to hold.
        state: cannot tell passes unless the gate is strict.
        says: the numbers that it rests on, in one sentence.
        values: reference -> number, None where it is undefined.
    """

    name: str
    state: State
    says: str
    values: Mapping[str, float | None]


@dataclass(frozen=True)
class Verdict:
    """What a gate came to.

    Attributes:
        checks: every one.
        strict: whether what cannot be told fails.
        notes: what differs between the runs, and what could not be compared.
    """

    checks: tuple[Check, ...]
    strict: bool = False
    notes: tuple[str, ...] = ()

    def fails(self, check: Check) -> bool:
        """Whether a check keeps the gate shut."""
        return check.state == "failed" or (self.strict and check.state == "cannot tell")

    @property
    def passed(self) -> bool:
        return not any(map(self.fails, self.checks))

    @property
    def in_numbers(self) -> str:
        """How many checks failed or passed, and how many could not be told."""
        of, failed = plural(len(self.checks), "check"), sum(map(self.fails, self.checks))
        passed = sum(c.state == "passed" for c in self.checks)
        open_ = len(self.checks) - failed - passed
        untold = f", {open_:,} cannot be told" if open_ else ""
        if failed:
            return f"{failed:,} of {of} failed{untold}"
        if passed == len(self.checks):
            return f"{'all ' if passed > 1 else ''}{of} passed"
        return f"no check failed; {f'{passed:,} of {of}' if passed else 'none'} passed{untold}"

    def as_json(self) -> dict[str, Any]:
        """Every field by name."""
        return {
            "passed": self.passed,
            "strict": self.strict,
            "checks": [asdict(c) | {"fails": self.fails(c)} for c in self.checks],
            "notes": list(self.notes),
        }


def require(
    requirements: Sequence[Requirement], run: Results, baseline: Results | None
) -> Iterator[Check]:
    """Each requirement, checked; what holds in a run that is not finished cannot be told.

    UsageError for a measure, probe or group that is not there, and for a baseline that is not
    given: a gate that asks for what cannot be must not pass, nor look like a regression.
    """
    for requirement in requirements:
        found = {r.text: look_up(r, run, baseline) for r in requirement.references}
        sides = {r.baseline for r in requirement.references}
        lacking = [
            text for own, text in _unfinished(run, baseline).items() if own in sides and text
        ]
        yield _required(requirement, found, lacking)


def _unfinished(run: Results, baseline: Results | None) -> dict[bool, str]:
    """What is not finished, by whether it is the baseline."""
    return {False: unfinished(run, AFTER), True: unfinished(baseline, f"the {BEFORE}")}


def _required(requirement: Requirement, found: Mapping[str, Seen], lacking: Sequence[str]) -> Check:
    """One requirement on what it names.

    Answers that are still to come may be of any kind, and were not left out by chance.
    """
    named = {r.text: r for r in requirement.references}.values()
    values = {r.text: number_of(r, found[r.text]) for r in named}
    try:
        holds = requirement.holds(lambda r: defined(r, found[r.text]))
    except MissingError as missing:
        return Check(requirement.text, "failed", f"cannot be judged, {missing}", values)
    says = "; ".join([*(told(r, found[r.text]) for r in named), *lacking])
    state: State = "failed" if not holds else "cannot tell" if lacking else "passed"
    return Check(requirement.text, state, says, values)


def notes_on(run: Results, baseline: Results | None) -> list[str]:
    """That a run is not finished, a sentence for each."""
    said = filter(None, _unfinished(run, baseline).values())
    return [f"{text[0].upper()}{text[1:]}." for text in said]


@dataclass(frozen=True)
class Tolerances:
    """How much may be lost, as a fraction: everywhere, and under single probes."""

    everywhere: float = 0.0
    of: Mapping[str, float] | None = None

    @classmethod
    def parse(cls, given: Sequence[str]) -> Tolerances:
        """From texts such as "0.02", "2%" and "order=5%"; UsageError for others."""
        everywhere, of = 0.0, {}
        for text in given:
            probe, equals, number = text.rpartition("=")
            try:
                size = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
            except ValueError:
                size = -1.0
            if not 0 <= size <= 1 or bool(equals) != bool(probe):
                raise UsageError(
                    f"--tolerance {text!r} is not a loss from 0 to 1.",
                    hint="Write 0.02 or 2% for all probes, order=0.05 for one.",
                )
            if probe:
                of[probe] = size
            else:
                everywhere = size
        return cls(everywhere, of)

    def under(self, probe: str) -> float:
        return (self.of or {}).get(probe, self.everywhere)


def regressions(
    run: Results, baseline: Results, tolerances: Tolerances, *, measure: str, level: float
) -> tuple[list[Check], list[str]]:
    """Whether a run lost more than is tolerated against a baseline, in every view of both.

    The two are compared item by item. Failed: the whole interval of the change, at a level that
    Bonferroni's correction over all views gives, lies beyond the tolerance; passed: none of it
    does, held out to what texts that lost nothing could hide, and no more answers are missing than
    may be lost; else it cannot be told.
    """
    known = {*run.probes, *baseline.probes}
    for probe in tolerances.of or ():
        if probe not in known:
            raise UsageError.unknown("probe in these runs", probe, known)
    sides = [Side(AFTER, AFTER, run), Side(BEFORE, BEFORE, baseline)]
    found = compare(sides, measure=measure, across=True, level=level, evenly=True)
    checks = [
        _regression(d, tolerances.under(found.views[d.view]), measure, found)
        for d in _ranked(found)
    ]
    return checks, list(_notes(found))


def _ranked(found: Comparison) -> list[Difference]:
    """The changes that are judged: of views in which both runs have an interval."""
    return [d for d in found.differences if found.by_view[d.view][AFTER].rank_low is not None]


def _regression(d: Difference, tolerance: float, measure: str, found: Comparison) -> Check:
    sign = 1 if d.first == AFTER else -1
    value = sign * d.value
    ends = sorted(sign * end for end in (d.low, d.high) if end is not None)
    scores, missing = found.by_view[d.view], found.missing[d.view]
    size = f"{100 * tolerance:g}"
    name = f"{measure}, {d.view}: no loss beyond {size} point{'s' * (size != '1')}"
    moved = (
        f"{100 * scores[BEFORE].value:.1f} % before, {100 * scores[AFTER].value:.1f} % now:"
        f" {100 * value:+.1f} points"
    )
    values = {"change": value, "low": None, "high": None, "tolerance": tolerance}
    if not ends:
        says = f"{moved} on {d.n:,} shared items; no interval: {d.note}"
        return Check(name, "cannot tell", says, values)
    low, high = ends
    values |= {"low": low, "high": high}
    state: State = "cannot tell"
    if high < -tolerance:
        state = "failed"
    elif low >= -tolerance and missing <= tolerance * (d.n + missing):
        state = "passed"
    why = f"{agreeing(missing, 'lack')} an answer"
    why = f"{agreeing(missing, 'were')} not asked of both, or {why}" if found.stopped else why
    lost = f", {missing:,} more {why}" if missing else ""
    says = f"{moved} [{100 * low:+.1f}, {100 * high:+.1f}] on {d.n:,} shared items{lost}"
    return Check(name, state, says, values)


def _notes(found: Comparison) -> Iterator[str]:
    of = ", ".join(f"{name} has {n:,}" for name, n in found.items["of"].items())
    shared = plural(found.items["shared"], "item")
    items = filter(None, (f"{shared} ({of})", left_out(found.items["goldless"])))
    yield f"Shared: {'; '.join(items)}; read by {found.reader}."
    yield from stop_notice(found.stopped)
    if views := len(_ranked(found)):
        each = level_text(1 - (1 - found.level) / views)
        yield f"Intervals: {each} each, {level_text(found.level)} over {plural(views, 'view')}."
    for name, values in found.settings:
        if name != "horsesense":
            told = "; ".join(f"{place}: {value}" for place, value in values.items())
            yield f"Differs: {name} ({told})."
    if found.left_out:
        yield "Not compared: " + "; ".join(f"{r.label} ({r.reason})" for r in found.left_out) + "."

"""The sentences of a verdict for a page and for a terminal: which stand for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from horsesense.findings.evidence import looks_faulty
from horsesense.findings.finding import ORDER, TITLES, UNTOLD, Finding, Outcome
from horsesense.findings.kinds import KINDS
from horsesense.findings.needed import UNKNOWN
from horsesense.findings.wording import level_text, rounded_up
from horsesense.report.score_bar import NO_SCORE, spoken
from horsesense.report.sections import in_order
from horsesense.report.shown import shown_interval
from horsesense.runs.results import Results
from horsesense.stats.no_interval import NO_INTERVAL
from horsesense.stats.words import plural

LEVEL = "LEVEL"
"""Where a reason names its level."""
ALWAYS = "no_better_than_guessing"
"""The kind that a terminal is told of whatever it shows: every other question rests on it."""


def verdict_of(results: Results) -> list[str]:
    """The sentences at the top of the report, in the report's order."""
    said = [
        f"[{TITLES[kind].lower()}] {told.sentence}{told.more}"
        for kind, _, group in told_of(results)
        for told in group
    ]
    return [*(spoken(results) or [NO_SCORE]), *said, *notices_of(results)]


def in_brief(results: Results) -> list[str]:
    """The same for a terminal: with intervals; what is open without a sign of it is one line."""
    said, folded = [], []
    for kind, _, group in told_of(results):
        for told in group:
            each = (told.finding, *(f for f in told.others if f.name == ALWAYS))
            if kind == "cannot_tell" and not any(map(_worth_a_line, each)):
                folded.append(told)
            else:
                ends = _ends(told.finding)
                said.append((kind, f"{told.sentence[:-1]}{ends}.{told.more}"))
    if len(folded) == 1:
        said.append(("cannot_tell", f"{folded[0].sentence}{folded[0].more}"))
    elif folded:
        left = [f for t in folded for f in (t.finding, *t.others)]
        further = any(kind != "ruled_out" for kind, _ in said)
        said.append(("cannot_tell", _open(left, further)))
    said.sort(key=lambda one: ORDER.index(one[0]))
    lines = (f"[{TITLES[kind].lower()}] {line}" for kind, line in said)
    return [*(spoken(results) or [NO_SCORE]), *lines, *notices_of(results)]


def as_rows(results: Results) -> dict[str, Any]:
    """The same as data: every finding with its numbers, and the sentences that are about none."""
    return {
        "headline": " ".join(spoken(results)),
        "verdict": [f.as_json() for f in results.verdict],
        "notices": notices_of(results),
        "nothing_to_judge": why_silent(results),
    }


def in_short(results: Results, most: int = 3) -> tuple[list[str], int]:
    """The first lines of a run among several, with all that was found; how many are left out."""
    lines = in_brief(results)
    found = f"[{TITLES['found'].lower()}]"
    kept = [line for n, line in enumerate(lines) if n < most or line.startswith(found)]
    return kept, len(lines) - len(kept)


def _worth_a_line(f: Finding) -> bool:
    """Whether something that cannot be told looks like a fault of a size that matters."""
    if f.name == ALWAYS:
        return True
    way = next(kind.way for kind in KINDS if kind.name == f.name)
    seen = f.measured and not f.reason and f.value is not None
    return seen and looks_faulty(f.value or 0.0, way, f.null, f.size)


def _ends(f: Finding) -> str:
    """The interval of what is decided, where its sentence has none."""
    if f.kind == "cannot_tell" or f.section == "until" or f.low is None:
        return ""
    return f"; {shown_interval(f)}"


def _open(findings: Sequence[Finding], further: bool = True) -> str:
    """Questions that the items leave open, with what would settle them, in one sentence.

    `further` where others were told of one by one.
    """
    numbers = [f.items for f in findings if f.items]
    all_of = "them all" if len(numbers) == len(findings) else f"{len(numbers)} of them"
    n, noun = len(findings), f"{'further ' * further}question"
    said = f"{plural(n, noun)} {'is' if n == 1 else 'are'} open, which the report names"
    if numbers:
        so = ", in clusters like these," if any(_clustered(f) for f in findings) else ""
        items = plural(rounded_up(max(numbers)), "item")
        said += f"; about {items} in all{so} would settle {all_of}, if there is nothing to find"
    reasons = Counter(f.reason for f in findings if not f.items and f.reason)
    unknown = [f for f in findings if not f.items and not f.reason]
    if unknown and (numbers or reasons):
        why = "; ".join(_no_numbers(unknown))
        said += f"; for {len(unknown)} of them the number is not known{': ' * bool(why)}{why}"
    if not reasons:
        return f"{said}."
    told = [why if len(reasons) == 1 else f"{why} ({n})" for why, n in reasons.most_common()]
    why = "; ".join(told)
    if reasons.total() == len(findings):
        return f"{said}: {why}."
    return f"{said}; {reasons.total()} of them cannot be told: {why}."


def _no_numbers(findings: Sequence[Finding]) -> list[str]:
    """Why their sentences name no number of items; what differs in the level alone, once."""
    levels: dict[str, list[float]] = {}
    for f in findings:
        if why := _no_number(f):
            levels.setdefault(why.replace(level_text(f.level), LEVEL), []).append(f.level)
    return [why.replace(LEVEL, _span(min(at), max(at))) for why, at in levels.items()]


def _span(low: float, high: float) -> str:
    least, most = level_text(low), level_text(high)
    return most if least == most else f"{least.removesuffix('%').rstrip()} to {most}"


def _no_number(f: Finding) -> str:
    """Why its sentence names no number of items; "" where it does not say."""
    clauses = f.sentence.removesuffix(".").split("; ")
    told = (clause for clause in clauses if clause.startswith((UNKNOWN, NO_INTERVAL)))
    return next(told, "").removeprefix(UNKNOWN)


def _clustered(f: Finding) -> bool:
    return "in clusters like these" in f.sentence


class Told(NamedTuple):
    """A finding, and others of its kind that its sentence stands for."""

    finding: Finding
    others: list[Finding]

    def speaks_for(self, f: Finding) -> bool:
        """Whether its sentence stands for another finding: one that is open for the same reason, or
        one of its kind."""
        here, there = ((one.reason or one.name, one.measured) for one in (f, self.finding))
        return here == there

    @property
    def _named(self) -> list[Finding]:
        """Those that its sentence names: of what was measured and is open for one reason, the first
        of each kind."""
        if not self.finding.reason:
            return [self.finding]
        each = (self.finding, *self.others)
        return [*{f.name if f.measured else id(f): f for f in reversed(each)}.values()][::-1]

    @property
    def sentence(self) -> str:
        """What is said of it, or of all that one reason keeps open."""
        return together(self._named)

    @property
    def more(self) -> str:
        """How many others there are, in words; "" for none, or where its sentence names them.

        Each of them has its own number of items that would tell.
        """
        n = len(self.others) + 1 - len(self._named)
        if not n:
            return ""
        noun = "reader" if self.finding.name == "other_reader" else "form"
        which = f"one other {noun}" if n == 1 else plural(n, f"other {noun}")
        numbers = {f.items and rounded_up(f.items) for f in (self.finding, *self.others)}
        known = [rounded_up(f.items) for f in self.others if f.items]
        but = ""
        if len(numbers) > 1:
            upto = "about" if n == 1 else "up to"
            but = (
                f" ({upto} {plural(max(known), 'item')})"
                if known
                else ", with no known number of items"
            )
        return f" The same goes for {which}{but}."


def together(findings: Sequence[Finding]) -> str:
    """The sentence of a finding; of several that one reason keeps open, in one."""
    asked = [f.sentence.partition(UNTOLD)[0] for f in findings]
    first, *rest = dict.fromkeys(asked)
    if not rest:
        return findings[0].sentence
    *more, last = (f"{clause[:1].lower()}{clause[1:]}" for clause in rest)
    clauses = f"{', '.join([first, *more])}{',' if more else ''} or {last}"
    return f"{clauses}{UNTOLD}{findings[0].reason}."


def told_of(results: Results) -> list[tuple[Outcome, str, list[Told]]]:
    """Outcome, heading and findings of each outcome that has any.

    What is found is told one by one; of the rest, the strongest of a kind speaks for it, and what
    one reason keeps open is one sentence.
    """
    groups: dict[Outcome, list[Told]] = {outcome: [] for outcome in ORDER}
    for f in results.verdict:
        told = next((t for t in groups[f.kind] if f.kind != "found" and t.speaks_for(f)), None)
        if told is None:
            groups[f.kind].append(Told(f, []))
        else:
            told.others.append(f)
    return [(outcome, TITLES[outcome], told) for outcome, told in groups.items() if told]


def notices_of(results: Results) -> list[str]:
    """What a reader of the verdict must know beside it; first, why there is none."""
    why = why_silent(results)
    silent = [] if why is None else [f"There is nothing to judge: {why}."]
    return [*silent, *(text for section in in_order() for text in section.notices(results))]


def why_silent(run: Results) -> str | None:
    """Why a run has no verdict; None where it has one."""
    if run.verdict and run.readers:
        return None
    if not run.readers:
        return "no reply could be read"
    if not run.findings["dataset"]["with_gold"] and not run.all("position_preference", "order"):
        return "no item has a known right answer, and no orders were compared"
    return "no probe that applies has enough replies"

"""What an audit that may stop early has decided, as findings: no other test is valid after it.

A change of accuracy is decided by betting and tested by nothing else. Of a probe that stopped for
what was answered, no test for a number of items fixed beforehand is valid: a share of one reply an
item is held to its own band, which is valid at every look, and all else cannot be told. All share
one error rate, `SHARE` of which is for the changes of accuracy.

A decision is about the items of the set alone. "Found" accuses the model, which would have other
items too: it also needs the paired test of a run that asks everything, with clusters as units, to
reject at the level of the decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final, NamedTuple

from horsesense.findings.bases import Bases
from horsesense.findings.evidence import Evidence, clusters_needed
from horsesense.findings.finding import Finding, Outcome
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Run
from horsesense.findings.wording import between, in_points, plus, rounded_up, short_of, signed
from horsesense.stats.equivalence import Interval
from horsesense.stats.words import plural, these
from horsesense.trials.condition import Condition

SHARE: Final = 0.8
"""Share of the error rate that the changes of accuracy have; the rest is for everything else."""
DECIDED: Final = "accuracy_change"
"""The measure that is decided by betting, whatever kind of finding rests on it."""
BANDED: Final = (
    "accuracy",
    "valid_rate",
    "valid_change",
    "answer_switch_beyond_repeat",
    "position_preference",
    "position_locked",
    "plurality_agreement",
    "mismatch_valid",
)
"""Measures that are ratios of what each item adds, within bounds: they have a band."""
COMPARING: Final = "mismatch_valid"
"""The one of them that is of another reader than the one that decides, beside it."""


def banded(measure: str, reader: str, deciding: str) -> bool:
    """Whether a number has a band: by the reader that decides, or of another beside it."""
    return measure in BANDED and (reader == deciding) != (measure == COMPARING)


ROUTES: Final = 2
"""In how many ways a number with a band can come to an accusation: by it, or by a test of all."""
STOPS: Final = 2
"""What the level of a paired test is divided by, since decisions stop the asking: at the whole
level of a decision it accused up to 1.6 times as often, at half of it no oftener than that level
(docs/sequential.md)."""
STOPPED: Final = "asking stopped early"
"""Why something cannot be told."""
ENDED: Final[Mapping[str, str]] = {
    "budget": "the budget ended asking",
    "interrupted": "asking was interrupted",
    "failures": "asking ended early, with failed requests",
}
"""The same where asking ended before its goal, by what ended it."""
BETS: Final = "until"
"""The section of what bets decide."""
TOO_FEW: Final = "too few to say"
"""Of the items that were asked, where a band leaves out nothing."""


AT_PRECISION: Final = "is open at the precision that was asked for"
UNDECIDED: Final = "is not decided yet"
OTHERS: Final = "whether it is on others like them cannot be told"
_OPEN: Final[Mapping[str, str]] = {
    AT_PRECISION: "open at the precision asked for",
    UNDECIDED: "not decided yet",
    OTHERS: "not shown on others like these",
}
"""What a sentence says of a change that is open whatever its band shows, and the same in brief."""


def still_open(f: Finding) -> str:
    """Why a change is open that bets decide, as its band alone may look decided; "" of all else.

    Bets decide, and not the band beside them; and "found" needs the paired test, too.
    """
    if f.section != BETS or f.kind != "cannot_tell" or f.about != "these_items":
        return ""
    return next((brief for said, brief in _OPEN.items() if said in f.sentence), "")


def why(ended: str) -> str:
    """Why nothing is told of a study that was not put to all items."""
    return ENDED.get(ended, STOPPED)


class Banded(NamedTuple):
    """A share's band after the first `n` of all `units` items, and what guessing gives to them."""

    low: float
    high: float
    n: int
    units: int
    guessing: float | None = None


class _Where(NamedTuple):
    probe: str
    condition: Condition
    reader: str
    group: str = ""


@dataclass(frozen=True)
class Early:
    """The decisions of an audit that may stop early.

    Attributes:
        rows: one for each finding, as in `until` of estimates.json.
        stopped: probes that were not put to all items.
        reader: the one whose readings decided.
        band: of a share, with an error of at most alpha on either side, whenever asking stopped;
            None where there is none.
    """

    rows: Sequence[Mapping[str, Any]]
    stopped: frozenset[str]
    reader: str
    band: Callable[[Evidence, float], Banded | None] = lambda evidence, alpha: None

    def bets(self, evidence: Evidence) -> bool:
        """Whether a row has decided it, and nothing else may test it."""
        tested = {(row["probe"], row["condition"]) for row in self.rows}
        where = evidence.probe, evidence.condition.format()
        return evidence.measure == DECIDED and where in tested

    def routes(self, evidence: Evidence, kind: Kind) -> int:
        """In how many ways it can come to an accusation, of which each has its part of the level.

        A number is held to its band where asking stopped and to a test of all items where it did
        not. These exclude each other in a run, yet which of them it is depends on the answers, so
        that the chances of an error add up.
        """
        both = banded(evidence.measure, evidence.reader, self.reader)
        return ROUTES if both and kind.way != "both" else 1

    def decided(self, run: Run, known: Iterable[Evidence], each: float = 1.0) -> Iterator[Decided]:
        """One for each row that a kind accuses by in a run that asks everything.

        Args:
            known: what is behind the estimates, from which the paired tests are made.
            each: items of a cluster, on average.
        """
        known = [*known]
        bases = Bases(known)
        behind = {
            (e.probe, e.condition.format()): e.open_ended()
            for e in known
            if e.measure == DECIDED and e.reader == self.reader and not e.group
        }
        for row in self.rows:
            where = _Where(row["probe"], Condition.parse(row["condition"]), run.reader)
            for kind in KINDS:
                if kind.measure == DECIDED and kind.takes(run, where):
                    label = run.label(where.probe, where.condition)
                    e = behind.get((row["probe"], row["condition"]))
                    weight = SHARE / len(self.rows)
                    base = bases.of(where)
                    yield Decided(row, kind, label, e, self.reader, weight, each, base)


@dataclass(frozen=True)
class Decided:
    """A row, with what it is about and the differences behind it.

    Attributes:
        evidence: of the items with every answer, and of what is missing.
        base: what they are differences from, in words; "" where that is as published.
    """

    row: Mapping[str, Any]
    kind: Kind
    label: str
    evidence: Evidence | None
    reader: str
    weight: float
    each: float
    base: str = ""

    @property
    def form(self) -> str:
        """The form in words, and what it is compared with where that is not as published."""
        rebased = self.base and self.kind.name == "accuracy_change"
        return f"Under “{self.label}”" + (f", compared with {self.base}" if rebased else "")

    def finding(self) -> Finding:
        """What is decided, with its band, which is about the items of the set alone."""
        return _finding(self)

    def told(self, finding: Finding) -> Finding:
        """A finding that may have been taken back, with ends that are about what it says.

        Of the items of a set that were all asked, nothing is uncertain: what is ruled out is so
        among them, and they are a point. What accuses, or cannot be told, is of the model, with the
        interval of the paired test behind it.
        """
        e = self.evidence
        if finding.kind == "ruled_out" or not self.complete or e is None:
            return finding
        ends = self.others or (None, None)
        low, high = ends
        level = 1 - self.alpha
        # The paired test is of no change at all.
        among = replace(finding, value=e.value, low=low, high=high, level=level, found_beyond=0.0)
        return replace(among, about="items_like_these", units=e.about.clusters)

    @property
    def complete(self) -> bool:
        """Whether every item was asked and answered."""
        return bool(self.row["n"] == self.row["units"] and not self.row["missing"])

    @property
    def others(self) -> Interval:
        """The interval about items like these, at the level of the paired test.

        None where there is none, or not every item was asked: no such interval allows for the stop.
        """
        e = self.evidence
        return e.interval(1 - self.alpha) if e is not None and self.complete else None

    @property
    def outcome(self) -> Outcome:
        """A change that is decided for the side that is no fault rules the fault out."""
        row = self.row
        if row["kind"] == "found" and self.kind.way == "below" and row["direction"] > 0:
            return "ruled_out"
        if row["kind"] == "open" or self.these_alone:
            return "cannot_tell"
        decided: Outcome = row["kind"]
        return decided

    @property
    def these_alone(self) -> bool:
        """Whether it is beyond the size among these items, and may be nothing among others."""
        row = self.row
        if row["kind"] != "found" or (self.kind.way == "below" and row["direction"] > 0):
            return False
        return not self._rejects(self.evidence)

    @property
    def for_missing(self) -> bool:
        """Whether the items with every answer would tell of others, and those without may not.

        What is missing may be so where the change is favourable: it is supposed to be.
        """
        e = self.evidence
        return e is not None and not self._rejects(e) and self._rejects(e.as_answered())

    def _rejects(self, e: Evidence | None) -> bool:
        """Whether the paired test shows a change in the direction that was decided."""
        if e is None or e.value * self.row["direction"] <= 0:
            return False
        return e.p_found("both", 0.0, self.row["size"]) <= self.alpha

    @property
    def beyond(self) -> float:
        """The size, on the side on which a change would be found: a band that is found begins there
        at the earliest, whether or not it leaves out 0."""
        row = self.row
        falls = self.kind.way == "below" or (row["direction"] or row["value"] or -1) < 0
        return float(-row["size"] if falls else row["size"])

    @property
    def alpha(self) -> float:
        """The level of the paired test: half of that of the decision, as asking can have stopped.

        The band of a decision errs at both ends together as often as the decision itself.
        """
        return (1 - float(self.row["level"])) / 2 / STOPS

    @property
    def needed(self) -> int | None:
        """How many items would tell of others, if the effect is as large as it looks."""
        e, size = self.evidence, self.row["size"]
        if not self.these_alone or self.for_missing or e is None:
            return None
        if not e.about.clusters or e.interval(0.95) is None:
            return None
        clusters = clusters_needed(e, "both", 0.0, size, self.alpha)
        if clusters is None or clusters <= e.about.clusters:
            return None
        return ceil(clusters / e.about.clusters * int(self.row["n"]))


def _finding(decided: Decided) -> Finding:
    row, kind, outcome = decided.row, decided.kind, decided.outcome
    return Finding(
        kind=outcome,
        name=kind.name,
        title=kind.title,
        probe=row["probe"],
        condition=row["condition"],
        reader=decided.reader,
        group="",
        value=row["value"],
        low=row["low"],
        high=row["high"],
        level=row["level"],
        null=0.0,
        size=row["size"],
        p_adjusted=None,
        p_ruled_out=None,
        weight=decided.weight,
        n=row["n"],
        counted="items",
        items=decided.needed,
        section=BETS,
        sentence=_sentence(decided),
        about="these_items",
        units=row["n"],
        n_missing=row["missing"],
        found_beyond=decided.beyond,
    )


def _sentence(decided: Decided) -> str:
    row, asked = decided.row, f"{decided.row['n']:,} of {plural(decided.row['units'], 'item')}"
    alone = "this one" if row["units"] == 1 else f"these {row['units']:,}"
    if decided.these_alone:
        others = f"{OTHERS}{_may_be(decided)}"
        return f"{_of_these(decided)}; {others}{_would(decided)}."
    if decided.outcome == "found" and decided.complete:
        return f"{_of_these(decided)}, and on items like them too{_may_be(decided)}."
    about = f"this is about {alone} alone"
    if decided.outcome == "found":
        moves = "rises" if row["direction"] > 0 else "falls"
        about = f"by how much is about {alone} alone, that it {moves} is about items like them too"
    return f"{_said(decided)}, after {asked}{_without(row)}; {about}."


def _without(row: Mapping[str, Any]) -> str:
    """That the band allows for what the mean so far leaves out."""
    if not row["missing"]:
        return ""
    if row["value"] is None:
        return ", all of which lack an answer" if row["n"] > 1 else ", which lacks an answer"
    lack = "lacks" if row["missing"] == 1 else "lack"
    n, so_far = row["n"] - row["missing"], plus(signed(100 * row["value"], 1))
    return (
        f", of which {row['missing']:,} {lack} an answer, for which the band allows (the others"
        f" alone, {n:,}: {so_far} points so far)"
    )


def _of_these(decided: Decided) -> str:
    """The change over these items, where nothing is known of others: it is certain, or a band."""
    row = decided.row
    compared = "higher" if row["direction"] > 0 else "lower"
    if row["n"] == row["units"] and not row["missing"]:
        change = f"{in_points(abs(row['value']))} {compared} on {these(row['n'], 'item')}"
        return f"{decided.form}, accuracy is {change}"
    least, most = sorted(abs(100 * row[end]) for end in ("low", "high"))
    change = f"between {signed(least, 1)} and {signed(most, 1)} points {compared}"
    asked = f"on {these(row['units'], 'item')} (after {row['n']:,} of them)"
    return f"{decided.form}, accuracy is {change} {asked}"


def _may_be(decided: Decided) -> str:
    """How large the change may be among items like these, in brackets."""
    ends = decided.others
    if ends is None:
        return ""
    low, high = map(plus, between(100 * ends[0], 100 * ends[1], 1)[1:-1].split(", "))
    return f" (between {low} and {high} points)"


def _would(decided: Decided) -> str:
    if decided.for_missing:
        missing = decided.row["missing"]
        return f", as {missing:,} of them {'lacks' if missing == 1 else 'lack'} an answer"
    if decided.needed is None:
        return ""
    so = ", in clusters like these," if decided.each > 1 else ""
    items = plural(rounded_up(decided.needed), "item")
    return f"; it would take about {items} in all{so} if the effect is as large as it looks"


def _said(decided: Decided) -> str:
    row, kind = decided.row, decided.kind
    size, falls = in_points(row["size"]), kind.way == "below"
    if decided.outcome == "found":
        moves = "rises" if row["direction"] > 0 else "falls"
        return f"{decided.form}, accuracy {moves} by {size} or more ({_band(row)})"
    if decided.outcome == "ruled_out":
        moves = f"does not fall by {size} or more" if falls else f"changes by less than {size}"
        return f"{decided.form}, accuracy {moves} ({_band(row)})"
    moves = "falls" if falls else "changes"
    question = f"Whether accuracy {moves} by {size} {decided.form[0].lower()}{decided.form[1:]}"
    if row["kind"] == "open" and row.get("reached"):
        return f"{question} {AT_PRECISION} ({_band(row)})"
    undecided = UNDECIDED if row["kind"] == "open" else "cannot be told"
    return f"{question} {undecided} ({_band(row)})"


def _band(row: Mapping[str, Any]) -> str:
    if row["low"] <= -1 and row["high"] >= 1:
        return f"these are {TOO_FEW}"
    low, high = (_moved(row[end], row["size"]) for end in ("low", "high"))
    if row["kind"] == "ruled_out" and row["low"] < row["high"]:
        # An end that is the size says no more than the sentence, which leaves the size out.
        below, above = row["high"] == row["size"], row["low"] == -row["size"]
        if below and above:
            return "no more is known"
        if below or above:
            return _one_end(row, up=below)
    return f"{low} points" if low == high else f"between {low} and {high} points"


def _moved(change: float, size: float) -> str:
    """A change in points, with its sign: that of a fall is not that of a rise."""
    text = short_of(100 * change, 100 * size, 1)
    return text if change <= 0 or text == "0.0" else re.sub(r"(?=\d)", "+", text, count=1)


def _one_end(row: Mapping[str, Any], *, up: bool) -> str:
    """A band whose upper, or else lower, end is the size, which is not reached."""
    size, near = 100 * row["size"], 100 * (row["low"] if up else row["high"])
    most, text = f"less than {size:g}", short_of(abs(near), size, 1)
    this, other = ("up", "down") if up else ("down", "up")
    if (near > 0) == up and text != "0.0":
        return f"at least {text} and {most} points {this}"
    first, second = (f"at most {text}", other), (most, this)
    return f"{first[0]} points {first[1]}, {second[0]} {second[1]}"

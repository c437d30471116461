"""What an audit that may stop early has decided, as findings: no other test is valid after it.

A change of accuracy is decided by betting and tested by nothing else. Of a probe that stopped for
what was answered, no test for a number of items fixed beforehand is valid: a share of one reply an
item is held to its own band, which is valid at every look, and all else cannot be told. All share
one error rate, `SHARE` of which is for the changes of accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding, Outcome
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Run
from horsesense.findings.wording import in_points, signed
from horsesense.trials.condition import Condition

SHARE: Final = 0.8
"""Share of the error rate that the changes of accuracy have; the rest is for everything else."""
DECIDED: Final = "accuracy_change"
"""The measure that is decided by betting, whatever kind of finding rests on it."""
STOPPED: Final = "asking stopped early; ask the full set (without --until)"
"""Why something cannot be told."""
ENDED: Final[Mapping[str, str]] = {
    "budget": "the budget ended asking; a larger one goes on, or ask the full set (without"
    " --until)",
    "interrupted": "asking was interrupted; the same audit goes on, or ask the full set (without"
    " --until)",
    "failures": "asking ended with failed requests; the same audit goes on, or ask the full set"
    " (without --until)",
}
"""The same where asking ended before its goal, by what ended it."""


class Banded(NamedTuple):
    """A share's band after the first `n` of all `units` items."""

    low: float
    high: float
    n: int
    units: int


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

    def findings(self, run: Run) -> Iterator[Finding]:
        """One finding for each row that a kind accuses by in a run that asks everything."""
        for row in self.rows:
            where = _Where(row["probe"], Condition.parse(row["condition"]), run.reader)
            for kind in KINDS:
                if kind.measure == DECIDED and kind.takes(run, where):
                    label = run.label(where.probe, where.condition)
                    yield _finding(row, kind, label, self.reader, len(self.rows))


def _finding(row: Mapping[str, Any], kind: Kind, label: str, reader: str, of: int) -> Finding:
    outcome = _outcome(row, kind)
    return Finding(
        kind=outcome,
        name=kind.name,
        title=kind.title,
        probe=row["probe"],
        condition=row["condition"],
        reader=reader,
        group="",
        value=row["value"],
        low=row["low"],
        high=row["high"],
        level=row["level"],
        null=0.0,
        size=row["size"],
        p_adjusted=None,
        p_ruled_out=None,
        weight=SHARE / of,
        n=row["n"],
        counted="items",
        items=None,
        section="until",
        sentence=f"{_said(row, kind, outcome, label)}, after {row['n']:,} of"
        f" {row['units']:,} items; this is about these {row['units']:,} alone.",
    )


def _outcome(row: Mapping[str, Any], kind: Kind) -> Outcome:
    """A change that is decided for the side that is no fault rules the fault out."""
    if row["kind"] == "found" and kind.way == "below" and row["direction"] > 0:
        return "ruled_out"
    found: Outcome = "cannot_tell" if row["kind"] == "open" else row["kind"]
    return found


def _said(row: Mapping[str, Any], kind: Kind, outcome: Outcome, label: str) -> str:
    size, falls = in_points(row["size"]), kind.way == "below"
    if outcome == "found":
        moves = "rises" if row["direction"] > 0 else "falls"
        return f"Under “{label}”, accuracy {moves} by {size} or more ({_band(row)})"
    if outcome == "ruled_out":
        moves = f"does not fall by {size} or more" if falls else f"changes by less than {size}"
        return f"Under “{label}”, accuracy {moves} ({_band(row)})"
    undecided = "is not decided yet" if row["kind"] == "open" else "cannot be told"
    moves = "falls" if falls else "changes"
    return f"Whether accuracy {moves} by {size} under “{label}” {undecided} ({_band(row)})"


def _band(row: Mapping[str, Any]) -> str:
    low, high = (signed(100 * row[end], 1) for end in ("low", "high"))
    return f"{low} points" if low == high else f"between {low} and {high} points"

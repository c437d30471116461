"""What an audit that may stop early has decided, as findings: the sequence is the only test there.

A change of accuracy that betting decides is tested by nothing else, and what was measured under a
probe that stopped accuses of nothing: no test for a number of items fixed beforehand is valid after
such a stop. Both share one error rate, `SHARE` of which is the sequences'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding, Outcome
from horsesense.findings.kinds import Run
from horsesense.findings.wording import in_points, signed
from horsesense.trials.condition import Condition

SHARE: Final = 0.8
"""Share of the error rate that the sequences have; the rest is for everything else."""
DECIDED: Final = "accuracy_change"
"""The measure, and the kind of finding, that is decided early."""


@dataclass(frozen=True)
class Early:
    """The decisions of an audit that may stop early.

    Attributes:
        rows: one for each finding, as in `until` of estimates.json.
        stopped: probes that were not put to all items.
        reader: the one whose readings decided.
    """

    rows: Sequence[Mapping[str, Any]]
    stopped: frozenset[str]
    reader: str

    def settles(self, evidence: Evidence) -> bool:
        """Whether no other test of it is valid, or may be made."""
        tested = {(row["probe"], row["condition"]) for row in self.rows}
        where = evidence.probe, evidence.condition.format()
        return evidence.probe in self.stopped or (evidence.measure == DECIDED and where in tested)

    def findings(self, run: Run) -> Iterator[Finding]:
        """One finding for each row."""
        for row in self.rows:
            label = run.label(row["probe"], Condition.parse(row["condition"]))
            yield _finding(row, label, self.reader, len(self.rows))


def _finding(row: Mapping[str, Any], label: str, reader: str, of: int) -> Finding:
    kind: Outcome = "cannot_tell" if row["kind"] == "open" else row["kind"]
    return Finding(
        kind=kind,
        name=DECIDED,
        title="The form changes the score",
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
        sentence=f"{_said(row, label)}, after {row['n']:,} of {row['units']:,} items.",
    )


def _said(row: Mapping[str, Any], label: str) -> str:
    size = in_points(row["size"])
    if row["kind"] == "found":
        moves = "rises" if row["direction"] > 0 else "falls"
        return f"Under “{label}”, accuracy {moves} by {size} or more ({_band(row)})"
    if row["kind"] == "ruled_out":
        return f"Under “{label}”, accuracy changes by less than {size} ({_band(row)})"
    undecided = "is not decided yet" if row["kind"] == "open" else "cannot be told"
    return f"Whether accuracy changes by {size} under “{label}” {undecided} ({_band(row)})"


def _band(row: Mapping[str, Any]) -> str:
    low, high = (signed(100 * row[end], 1) for end in ("low", "high"))
    return f"between {low} and {high} points"

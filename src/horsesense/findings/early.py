"""An audit that may stop early: its bands hold at every look, and no other test is valid after it.

Of a probe that stopped for what was answered, a share or a difference is held to its band
(`stats.ratio_bets`), which is about items like those that were asked, as every finding is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from horsesense.findings.evidence import Evidence, Way, faulty, harmless, within
from horsesense.findings.finding import Conclusion

ALPHA: Final = 0.05
"""Error rate of all that is found together, and of each answer that is ruled out."""
BANDED: Final = (
    "accuracy",
    "accuracy_change",
    "valid_rate",
    "valid_change",
    "answer_switch_beyond_repeat",
    "answer_switch_beyond_orders",
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


class Banded(NamedTuple):
    """A band after the first `n` of all `units` items, and what guessing gives to them."""

    low: float
    high: float
    n: int
    units: int
    guessing: float | None = None


class Early(NamedTuple):
    """The bands of an audit that may stop early.

    Attributes:
        stopped: probes that were not put to all items.
        reader: the one whose readings decided.
        questions: among how many the plan shares the error of what is found.
        band: of a number, with an error of at most alpha on either side, whenever asking stopped;
            None where there is none.
    """

    stopped: frozenset[str]
    reader: str
    questions: int
    band: Callable[[Evidence, float], Banded | None] = lambda evidence, alpha: None

    def banded(self, e: Evidence) -> bool:
        """Whether a number has a band where asking stops."""
        return banded(e.measure, e.reader, self.reader)


def levels(way: Way, questions: int) -> tuple[float, float]:
    """The errors beyond each end of two bands: of what is found, one of so many questions, and of
    what is ruled out. Half of each is for a test of all items, where asking does not stop."""
    return ALPHA / max(questions, 1) / (4 if way == "both" else 2), ALPHA / 2


def conclude(
    first: tuple[float, float], second: tuple[float, float], way: Way, null: float, size: float
) -> Conclusion:
    """What the bands at both levels say."""
    if any(within(first, *ends) for ends in faulty(way, null, size)):
        return "found"
    return "ruled_out" if within(second, *harmless(way, null, size)) else "undecided"

"""What a rule of `horsesense check` is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from horsesense.items.item import ItemSet, Kind

Weight = Literal["fault", "cue", "style"]
WEIGHTS: Final[dict[Weight, str]] = {
    "fault": "Faults: the item should not be scored as it stands",
    "cue": "Cues: the answer can be guessed without understanding",
    "style": "Style: published guidelines advise against it",
}
"""How much a finding weighs, the heaviest first."""


class Hit(NamedTuple):
    """One item that a rule found, and what shows it."""

    item: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Test:
    """A share of items compared with what chance gives.

    Attributes:
        share: the observed share, 0 to 1.
        low, high: its 95 % interval; None where it has none (a single cluster).
        n: items that it is a share of.
        expected: the share without the flaw.
        p: two-sided p of no difference; None where none can be stated.
        method: the name of the test.
    """

    share: float
    low: float | None
    high: float | None
    n: int
    expected: float
    p: float | None
    method: str


@dataclass(frozen=True)
class RuleHit:
    """What a rule saw.

    Attributes:
        n: items that it could look at.
        hits: the items that have the flaw, in the set's order.
        test: for rules that are about the whole set; the rule speaks where it rejects chance.
        says: a sentence on the whole set, where the count does not say it all.
    """

    n: int
    hits: tuple[Hit, ...] = ()
    test: Test | None = None
    says: str = ""


class Rule(NamedTuple):
    """One flaw that items can have.

    Attributes:
        name: as in --rules and --json.
        title: what the items found have in common.
        weight: see `WEIGHTS`.
        source: the published list or study that names the flaw.
        advice: what to do about it.
        find: finds the flaw in a set.
        tested: whether it is about the whole set, and speaks by its test alone.
        kinds: the kinds of sets that it applies to.
        languages: the languages whose words it knows; empty where it needs none.
    """

    name: str
    title: str
    weight: Weight
    source: str
    advice: str
    find: Callable[[ItemSet], RuleHit]
    tested: bool = False
    kinds: tuple[Kind, ...] = ("choice",)
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class ItemFinding:
    """A rule with what it found; one that has a test speaks only where it rejects chance.

    Attributes:
        rule: the rule.
        found: what it saw.
        p_adjusted: of its test, after Holm's correction over the tests of all rules.
        low, high: 95 % interval of the share of items with the flaw (exact, over clusters); None
            where all items of the set were looked at.
    """

    rule: Rule
    found: RuleHit
    p_adjusted: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def count(self) -> int:
        """Items with the flaw."""
        return len(self.found.hits)

"""When a study that may stop early has asked enough, and how far it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from horsesense.errors import UsageError

SIZE = 0.05
"""Smallest change of accuracy that matters, unless another is named."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What `--until` says: "decided", "decided=0.03", "decided=all" or "precision=0.03".

    Attributes:
        size: smallest change of accuracy that matters, as a fraction.
        precision: half the width that a band may have; None where a decision is wanted.
        every: whether all findings are to be decided, and not the changes of accuracy alone.

    >>> Goal.parse("decided").size, Goal.parse("precision=0.03").precision
    (0.05, 0.03)
    >>> Goal.parse("decided=all,0.03")
    Goal(size=0.03, precision=None, every=True)
    """

    size: float = SIZE
    precision: float | None = None
    every: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """The goal that a text names; UsageError says what there is."""
        name, equals, value = text.partition("=")
        allowed = 'Say "decided", "decided=0.03", "decided=all" or "precision=0.03".'
        if name not in ("decided", "precision"):
            raise UsageError(f"until cannot be {text!r}.", hint=allowed)
        every = name == "decided" and value.partition(",")[0] == "all"
        if every:
            value = value.removeprefix("all").removeprefix(",")
        if name == "decided" and (not equals or text == "decided=all"):
            return cls(every=every)
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not 0 < number < 1:
            said = f"until: {name} takes a number between 0 and 1, as in {name}=0.03."
            raise UsageError(said, hint=allowed)
        return cls(number, every=every) if name == "decided" else cls(precision=number)


class Population(BaseModel):
    """The items over which the effect of one condition of a probe is defined.

    Attributes:
        probe, condition: as in the table of trials.
        units: number of items to which the probe applies and whose right answer is known.
        tested: whether the difference from the original is a finding, and has a decision.
        items: number of items that it can be put to, whether or not their right answer is known; 0
            of a run of an earlier version, which did not note it.
        changed: of these, the items of which it changes the prompt.
        options: number of options shown, and how many of `items` have so many.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    probe: str
    condition: str
    units: int
    tested: bool
    items: int = 0
    changed: int = 0
    options: tuple[tuple[int, int], ...] = ()

    def with_position(self, place: int) -> int:
        """How many of the items show an option at a position, counted from 0."""
        return sum(items for shown, items in self.options if shown > place)


class Extents(BaseModel):
    """How far a study went that could stop early. Decisions follow from the answers themselves.

    Attributes:
        goal: what `--until` said.
        reader: the one whose readings decide; settled before the first answer.
        batch: items between two looks.
        extents: signature of each probe -> to how many items of the random order it was put.
        populations: what the effects are means of.
        fixed_trials: prompts that the whole study would have put.
        questions: among how many the error of what is found is shared; 0 of a run of an earlier
            version.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    goal: str
    reader: str
    batch: int
    extents: dict[str, int] = Field(default_factory=dict)
    populations: tuple[Population, ...] = ()
    fixed_trials: int = 0
    questions: int = 0

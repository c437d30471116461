"""Other names for the options: does the answer depend on what stands before the text?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from horsesense.items.item import Item
from horsesense.probes.base import LETTERS, NotApplicableError, Probe, Setting, check_choice, show
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial

LABEL_SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "digits": tuple(str(i) for i in range(1, 27)),
        "lower": tuple(letter.lower() for letter in LETTERS),
        # Signs that are rarely used to number anything, so that no habit is attached to a place.
        "symbols": tuple("§¶†‡¤◊¢£¥€"),
    }
)
_SPEAKS_OF_LABELS = re.compile(
    r"\b(?:[Bb]oth|[Nn]either|[Ee]ither|[Oo]ptions?|[Aa]nswers?|[Cc]hoices?|[Aa]ll of)"
    r" \(?[A-J]\)?(?![\w'-])|(?<![\w'])\(?[A-J]\)?,? (?:and|or|&) \(?[A-J]\)?(?![\w'-])"
    r"|^\W*[A-J] only\W*$"
)
"""What speaks of other options by their letters ("Both A and B"), which then are not shown."""


@dataclass(frozen=True)
class Labels(Probe):
    """`set` is one of digits, lower, symbols, or all."""

    set: str = "all"

    name = "labels"
    title = "Other labels"
    summary = "A, B, C, D become digits, small letters or rare symbols; nothing else changes."
    expectation = "The same answer: the content has not changed."
    invariant = "same_answer"
    kinds = frozenset(("choice",))

    def __post_init__(self) -> None:
        check_choice(self.name, "set", self.set, ("all", *LABEL_SETS))

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        if any(_SPEAKS_OF_LABELS.search(option) for option in item.options):
            raise NotApplicableError("options speak of the letters of others")
        unfit = {name: _unfit(item, LABEL_SETS[name]) for name in self._sets}
        fitting = [name for name, why in unfit.items() if why is None]
        if not fitting:
            raise NotApplicableError(unfit[self._sets[-1]] or "")
        for name in fitting:
            labels = LABEL_SETS[name][: len(item.options)]
            yield self.trial(show(item, "choice", labels=labels), Condition(set=name))

    def parts_left_out(self, item: Item, setting: Setting) -> Iterator[str]:
        """The sets that do not fit an item which others do."""
        for name in self._sets:
            if why := _unfit(item, LABEL_SETS[name]):
                yield f"set={name}: {why}"

    @property
    def _sets(self) -> tuple[str, ...]:
        return tuple(LABEL_SETS) if self.set == "all" else (self.set,)


def _unfit(item: Item, labels: tuple[str, ...]) -> str | None:
    """Why these labels cannot name the options; None where they can."""
    k = len(item.options)
    if k > len(labels):
        return f"{k} options are more than the labels of this set"
    if {option.strip().casefold() for option in item.options} & {*labels[:k]}:
        return "a label of this set is an option's text"
    return None

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
        sets = LABEL_SETS if self.set == "all" else (self.set,)
        k = len(item.options)
        if any(_SPEAKS_OF_LABELS.search(option) for option in item.options):
            raise NotApplicableError("options speak of the letters of others")
        long = {name: LABEL_SETS[name][:k] for name in sets if len(LABEL_SETS[name]) >= k}
        if not long:
            raise NotApplicableError(f"{k} options are more than the labels of this set")
        texts = {option.strip().casefold() for option in item.options}
        fitting = {name: labels for name, labels in long.items() if texts.isdisjoint(labels)}
        if not fitting:
            raise NotApplicableError("a label of this set is an option's text")
        for name, labels in fitting.items():
            yield self.trial(show(item, "choice", labels=labels), Condition(set=name))

"""Other names for the options: does the answer depend on what stands before the text?"""

from __future__ import annotations

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
        fitting = {name: LABEL_SETS[name] for name in sets if len(LABEL_SETS[name]) >= k}
        if not fitting:
            raise NotApplicableError(f"{k} options are more than the labels of this set")
        for name, labels in fitting.items():
            yield self.trial(show(item, "choice", labels=labels[:k]), Condition(set=name))

"""Can the model say that no option is right? (REVAS, section 3.1, `rv.nota`)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from horsesense.items.item import Item
from horsesense.items.none_options import says_none
from horsesense.probes.base import NotApplicableError, Probe, Setting, check_choice, show
from horsesense.trials.condition import Condition
from horsesense.trials.orders import Design
from horsesense.trials.trial import NONE_OPTION, Trial, Variant

WORDINGS: Mapping[str, str] = MappingProxyType(
    {"above": "None of the above", "know_no": "none-of-them"}
)
PLACES = ("kept", "last", "distractor")


@dataclass(frozen=True)
class NoneOfTheAbove(Probe):
    """`place` is kept (gold replaced where it stood), last (replaced and pinned last),
    distractor (a wrong option replaced, the gold stays), or all; `wording` is above or know_no;
    `design` orders the options."""

    place: str = "all"
    wording: str = "above"
    design: str = "published"

    name = "none_of_the_above"
    title = "None of the above"
    summary = "The right option, or a wrong one, is replaced by a none-option."
    expectation = "Chooses the none-option exactly where the right answer is gone."
    invariant = "same_accuracy"
    needs_gold = True

    def __post_init__(self) -> None:
        check_choice(self.name, "place", self.place, ("all", *PLACES))
        check_choice(self.name, "wording", self.wording, tuple(WORDINGS))
        Design.parse(self.design)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        if any(map(says_none, item.options)):
            raise NotApplicableError("the item has a none-option of its own")
        k = len(item.options)
        orders = setting.orders(Design.parse(self.design), item, k, item.gold)
        for place in PLACES if self.place == "all" else (self.place,):
            condition = Condition(place=place, wording=self.wording, design=self.design)
            for repetition, order in enumerate(orders):
                variant = self._variant(item, setting, place, order)
                yield self.trial(variant, condition, repetition)

    def _variant(self, item: Item, setting: Setting, place: str, order: tuple[int, ...]) -> Variant:
        assert item.gold is not None
        replaced = item.gold
        if place == "distractor":
            distractors = [i for i in range(len(item.options)) if i != item.gold]
            replaced = setting.dice(item, "none_distractor").choice(distractors)
        if place == "last":
            order = (*(i for i in order if i != replaced), replaced)
        none = WORDINGS[self.wording]
        options = [none if i == replaced else text for i, text in enumerate(item.options)]
        origin = [NONE_OPTION if i == replaced else i for i in range(len(options))]
        return show(item, setting.items.kind, order, options=options, origin=origin)

"""Each option on its own: is it accepted, and how surely? (REVAS, section 3.1, `rv.tf`)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Probe, Setting, check_choice
from horsesense.probes.earlier import RIGHT_ITEMS, require_consistent, require_right
from horsesense.probes.order import Order
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Proposed
from horsesense.trials.trial import NO, YES, Trial, Variant

POLARITIES: Mapping[str, str] = MappingProxyType({"positive": "correct", "negative": "wrong"})
"""Polarity -> the word of the question ("Is the proposed answer ...?")."""


@dataclass(frozen=True)
class OneByOne(Probe):
    """What the probes that propose one option at a time have in common."""

    items: str = "consistent"
    polarity: str = "positive"
    design: str = "auto"

    invariant = "same_answer"
    kinds = frozenset(("choice",))
    needs_gold = True

    def __post_init__(self) -> None:
        check_choice(self.name, "items", self.items, RIGHT_ITEMS)
        check_choice(self.name, "polarity", self.polarity, ("both", *POLARITIES))
        Order(self.design)

    @property
    def stage(self) -> int:
        return 1 if self.items == "all" else 2

    @property
    def needs(self) -> tuple[str, ...]:
        return () if self.items == "all" else (f"order(design={self.design})",)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        if len(item.options) < 2:
            raise NotApplicableError("the item has no distractor")
        setting.refuse_if_order_matters(item)
        if self.items != "all":
            require_consistent(item, setting, Order(self.design).condition(len(item.options)))
        if self.items == "derived":
            require_right(item, setting)
        for polarity in POLARITIES if self.polarity == "both" else (self.polarity,):
            for number in range(len(item.options)):
                yield self._propose(item, number, polarity)

    def _propose(self, item: Item, number: int, polarity: str) -> Trial:
        origin = (YES, NO) if polarity == "positive" else (NO, YES)
        accepts = YES if number == item.gold else NO
        variant = Variant(
            item.id, item.question, ("Yes", "No"), ("Yes", "No"), origin, origin.index(accepts),
            context=item.context, subject=item.subject,
        )  # fmt: skip
        return self.trial(
            variant,
            Condition(items=self.items, polarity=polarity),
            number,
            answer_format="yes_no",
            form="true_false",
            extras=Proposed(item.options[number], POLARITIES[polarity]),
        )


class TrueFalse(OneByOne):
    """`items` is consistent (answered right in every order, as published), derived (and in every
    other form of order, option_count and none_of_the_above that is asked too) or all; `polarity`
    asks whether the proposed answer is correct (positive), wrong (negative), or both; `design`
    is that of the orders."""

    name = "true_false"
    title = "One option at a time"
    summary = "Each option is proposed alone: is it correct, yes or no?"
    expectation = "Yes to the right option, no to every other."


class OptionConfidence(OneByOne):
    """The same questions as `true_false`, for the probability of yes; parameters as there."""

    name = "option_confidence"
    title = "Confidence in each option"
    summary = "Each option is proposed alone; the probability of yes is read at the first token."
    expectation = "Much more confidence in the right option than in any other."

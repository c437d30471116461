"""Is it noticed that the right answer is missing? (Know-No, section 2.1 of the specification)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from types import MappingProxyType
from typing import ClassVar

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.items.none_options import says_none
from horsesense.probes.base import LETTERS, NotApplicableError, Probe, Setting, check_choice, show
from horsesense.probes.context_length import GAP
from horsesense.probes.none_of_the_above import WORDINGS
from horsesense.probes.order import MOST_CYCLIC
from horsesense.trials.condition import Condition
from horsesense.trials.extras import WithheldGold
from horsesense.trials.orders import Design
from horsesense.trials.trial import NONE_OPTION, Trial, Variant

HINTS = ("hint_option", "hint_instruction", "no_hint")
PROMPTS = ("with_gold", *HINTS)
ASKING: Mapping[str, str] = MappingProxyType({"own": "", "know_no": "know_no_"})
"""Wording of the task -> what the names of its templates begin with."""
HINT_CLAUSES = ("table", "appendix")
"""When hint_instruction asks for the phrase. The paper prints two wordings: that of its table 2
speaks of what the model believes, that of its appendix of what is so. Both are worded anew here."""


def capped(design: Design, k: int) -> Design:
    """The design with no more random orders than `k` options have."""
    if design.kind == "random" and design.n and k < 8:
        return Design("random", min(design.n, factorial(k)))
    return design


def asked_in(asking: str, variant: Variant, hint: str = "") -> str:
    """The name of the template: the paper's own tells of EquInfer what stands around the gap."""
    kind = "choice" if variant.labels else "label"
    if asking == "know_no" and variant.labels and GAP in (variant.context or ""):
        kind = "equation"
    return f"{ASKING[asking]}{kind}{hint}"


def refuse_none_options(item: Item) -> None:
    if any(map(says_none, item.options)):
        raise NotApplicableError("the item has a none-option of its own")


@dataclass(frozen=True)
class GoldAbsent(Probe):
    """`prompt` is one of with_gold (the same options with the right one, for comparison),
    hint_option (a none-option is offered; `positions` last, or every one in turn, of more than 10
    options the first, the middle and the last),
    hint_instruction (the instruction offers the phrase), no_hint, or all four. `wording` is the
    none-option's; `hint` says when hint_instruction asks for it: where the model believes that
    nothing is right (table), or where nothing is (appendix). `asking` is the task's wording:
    know_no ("return the correct option(s)") or own (the
    wording of the other probes, which says that one option is to be chosen)."""

    prompt: str = "all"
    positions: str = "last"
    wording: str = "know_no"
    asking: str = "know_no"
    design: str = "random(3)"
    hint: str = "table"

    former_parameters: ClassVar[Mapping[str, str]] = {"slots": "positions"}
    name = "gold_absent"
    title = "Right answer removed"
    summary = "The right option is taken away; a none-option is offered, announced, or neither."
    expectation = "Says that none is right (or supplies the missing answer)."
    invariant = "none"
    needs_gold = True

    def __post_init__(self) -> None:
        check_choice(self.name, "prompt", self.prompt, ("all", *PROMPTS))
        check_choice(self.name, "positions", self.positions, ("last", "every"))
        check_choice(self.name, "wording", self.wording, tuple(WORDINGS))
        check_choice(self.name, "asking", self.asking, tuple(ASKING))
        check_choice(self.name, "hint", self.hint, HINT_CLAUSES)
        self._design(2)

    def _design(self, k: int) -> Design:
        if self.design == "auto":
            return Design.parse("cyclic" if k <= MOST_CYCLIC else "random(3)")
        return capped(Design.parse(self.design), k)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        if len(item.options) < 2:
            raise NotApplicableError("the item has no distractor")
        setting.refuse_if_order_matters(item)
        refuse_none_options(item)
        prompts = PROMPTS if self.prompt == "all" else (self.prompt,)
        made = [trial for prompt in prompts for trial in self._prompted(prompt, item, setting)]
        yield from made

    def _prompted(self, prompt: str, item: Item, setting: Setting) -> Iterator[Trial]:
        kept = [i for i in range(len(item.options)) if prompt == "with_gold" or i != item.gold]
        orders = setting.orders(self._design(len(kept)), item, len(kept), None)
        for repetition, order in enumerate(orders):
            shown = [kept[i] for i in order]
            if prompt == "with_gold":
                yield self._with_gold(item, setting, shown, repetition)
            elif prompt != "hint_option":
                yield self._without(prompt, item, setting, shown, repetition)
            elif self.positions == "last":
                yield self._offered(item, setting, shown, len(shown), repetition)
        if prompt == "hint_option" and self.positions == "every":
            for number, position in enumerate(_positions(len(item.options))):
                shown = [kept[i] for i in orders[number % len(orders)]]
                yield self._offered(item, setting, shown, position, number)

    def _condition(self, prompt: str, **more: str) -> Condition:
        if self.hint != "table":
            more["hint"] = self.hint
        return Condition(prompt=prompt, asking=self.asking, design=self.design, **more)

    def _with_gold(self, item: Item, setting: Setting, shown: list[int], repetition: int) -> Trial:
        variant = show(item, setting.items.kind, shown)
        condition = self._condition("with_gold")
        return self.trial(variant, condition, repetition, form=asked_in(self.asking, variant))

    def _offered(
        self, item: Item, setting: Setting, shown: list[int], position: int, repetition: int
    ) -> Trial:
        """The none-option stands in one position, the distractors around it."""
        origin = [*shown[:position], NONE_OPTION, *shown[position:]]
        none = WORDINGS[self.wording]
        texts = [none if i == NONE_OPTION else item.options[i] for i in origin]
        variant = show(
            item, setting.items.kind, options=texts, origin=origin, gold=position,
            labels=_labels(setting, len(texts)),
        )  # fmt: skip
        condition = self._condition("hint_option", positions=self.positions, wording=self.wording)
        form = asked_in(self.asking, variant)
        return self.trial(variant, condition, repetition, form=form, expects="none")

    def _without(
        self, prompt: str, item: Item, setting: Setting, shown: list[int], repetition: int
    ) -> Trial:
        assert item.gold is not None
        texts = [item.options[i] for i in shown]
        variant = show(
            item, setting.items.kind, options=texts, origin=shown, gold=None,
            labels=_labels(setting, len(texts)),
        )  # fmt: skip
        gold = item.options[item.gold]
        if prompt == "no_hint":
            form = asked_in(self.asking, variant)
            condition = self._condition(prompt)
            changes = {"answer_format": "free", "form": form, "extras": WithheldGold(gold)}
        else:
            condition = self._condition(prompt, wording=self.wording)
            form = asked_in(self.asking, variant, "_hint")
            changes = {
                "form": form,
                "extras": WithheldGold(gold, WORDINGS[self.wording], self.hint),
            }
        return self.trial(variant, condition, repetition, expects="none", **changes)


def _positions(k: int) -> Sequence[int]:
    """Every position; of long lists of class names the first, the middle and the last."""
    return range(k) if k <= MOST_CYCLIC else (0, k // 2, k - 1)


def _labels(setting: Setting, k: int) -> tuple[str, ...]:
    return LETTERS[:k] if setting.items.kind == "choice" else ()


@dataclass(frozen=True)
class GoldPlusNone(Probe):
    """The gold stays, one distractor becomes the none-option: is the right answer still found?
    `sample` is how many items are asked, those that `--limit` would keep; 0 is all."""

    wording: str = "know_no"
    asking: str = "know_no"
    design: str = "random(3)"
    sample: int = 0

    name = "gold_plus_none"
    title = "None-option beside the right answer"
    summary = "One wrong option, drawn at random, is replaced by a none-option; the gold stays."
    expectation = "The right answer, not the none-option."
    invariant = "same_accuracy"
    needs_gold = True

    def __post_init__(self) -> None:
        check_choice(self.name, "wording", self.wording, tuple(WORDINGS))
        check_choice(self.name, "asking", self.asking, tuple(ASKING))
        if self.design != "auto":
            Design.parse(self.design)
        if self.sample < 0:
            raise UsageError(f"probe {self.name}: sample must be 0 or more, not {self.sample}.")

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        k = len(item.options)
        if k < 2:
            raise NotApplicableError("the item has no distractor")
        setting.refuse_if_order_matters(item)
        refuse_none_options(item)
        if self.sample and item.id not in setting.items.drawn(self.sample, setting.seed):
            raise NotApplicableError(f"it is none of the {self.sample:,} items drawn for this")
        auto = "cyclic" if k <= MOST_CYCLIC else "random(3)"
        design = capped(Design.parse(auto if self.design == "auto" else self.design), k)
        distractors = [i for i in range(k) if i != item.gold]
        replaced = setting.dice(item, "none_distractor").choice(distractors)
        none = WORDINGS[self.wording]
        options = [none if i == replaced else text for i, text in enumerate(item.options)]
        origin = [NONE_OPTION if i == replaced else i for i in range(k)]
        condition = Condition(wording=self.wording, asking=self.asking, design=self.design)
        for repetition, order in enumerate(setting.orders(design, item, k, item.gold)):
            variant = show(item, setting.items.kind, order, options=options, origin=origin)
            form = asked_in(self.asking, variant)
            yield self.trial(variant, condition, repetition, form=form)

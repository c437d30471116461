"""Another look at what was answered wrongly (REVAS, section 3.1, `rv.multi` and `rv.mislead`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from horsesense.items.item import Item
from horsesense.probes.base import NotApplicableError, Probe, Setting, check_choice, show
from horsesense.probes.earlier import WRONG_ITEMS, wrong_choice
from horsesense.probes.fillers import FORMS, nonsense
from horsesense.trials.condition import Condition
from horsesense.trials.extras import NO_EXTRAS, Marked
from horsesense.trials.trial import FILLER, Trial

ARMS = ("misleading", "other", "unchanged")


@dataclass(frozen=True)
class SecondLook(Probe):
    """What the probes of wrongly answered items have in common."""

    items: str = "wrong"

    kinds = frozenset(("choice",))
    needs_gold = True

    @property
    def stage(self) -> int:
        return 2

    def __post_init__(self) -> None:
        check_choice(self.name, "items", self.items, WRONG_ITEMS)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("order",) if self.items == "majority_wrong" else ()

    def misled(self, item: Item, setting: Setting) -> int | None:
        """The misleading option of a fitting item (see `wrong_choice`)."""
        if len(item.options) < 2:
            raise NotApplicableError("the item has no distractor")
        setting.refuse_if_options_repeat(item)
        return wrong_choice(item, setting, self.items)


class MultiSelect(SecondLook):
    """`items` is wrong (answered wrongly as published), majority_wrong (over the orders) or all."""

    name = "multi_select"
    title = "All that are correct"
    summary = "All correct options are asked for instead of one."
    expectation = "The right option alone: the one it had rejected."
    invariant = "same_accuracy"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        misleading = self.misled(item, setting)
        extras = NO_EXTRAS if misleading is None else Marked(misleading)
        yield self.trial(
            show(item, "choice"),
            Condition(items=self.items),
            answer_format="letters",
            form="select_all_options",
            extras=extras,
        )


@dataclass(frozen=True)
class MisleadingReplaced(SecondLook):
    """`items` is wrong or majority_wrong; `arm` is misleading (the wrongly chosen option becomes
    a text without meaning of the given `form`), one of the controls other (a distractor that was
    not chosen becomes one) and unchanged (asked again as it was), or all."""

    arm: str = "all"
    form: str = "letters"

    name = "misleading_replaced"
    title = "Misleading option replaced"
    summary = "The option that was wrongly chosen is replaced by a text without meaning."
    expectation = "Right now, and more often than when another option is replaced, or none."
    invariant = "same_accuracy"

    def __post_init__(self) -> None:
        check_choice(self.name, "items", self.items, WRONG_ITEMS[:2])
        check_choice(self.name, "arm", self.arm, ("all", *ARMS))
        check_choice(self.name, "form", self.form, tuple(FORMS))

    @property
    def borrows(self) -> bool:
        return self.form == "words"

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        misleading = self.misled(item, setting)
        others = [i for i in range(len(item.options)) if i not in (item.gold, misleading)]
        replaced = {"misleading": misleading, "unchanged": None}
        if others:
            replaced["other"] = setting.dice(item, "other_distractor").choice(others)
        (filler,) = nonsense(self.form, item, setting, 1)
        for arm in ARMS if self.arm == "all" else (self.arm,):
            if arm in replaced:
                yield self._replaced(item, arm, replaced[arm], filler)

    def _replaced(self, item: Item, arm: str, number: int | None, filler: str) -> Trial:
        """Asked again unchanged is another draw of the same prompt."""
        options = [filler if i == number else text for i, text in enumerate(item.options)]
        origin = [FILLER if i == number else i for i in range(len(options))]
        variant = show(item, "choice", options=options, origin=origin)
        condition = Condition(arm=arm, items=self.items)
        return self.trial(variant, condition, sample=int(number is None))

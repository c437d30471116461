"""What a probe declares: one controlled change, and what should hold after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, Kind
from horsesense.rng import Dice
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.history import History
from horsesense.trials.orders import Design, NoOrdersError, Order
from horsesense.trials.trial import Trial, Variant

LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

Invariant = Literal["same_answer", "same_accuracy", "none", "chance", "baseline"]
"""What a sound model keeps when the probe is applied:

same_answer    the answer follows its content
same_accuracy  the share of right answers (another answer may be right)
none           says that no option is right
chance         nothing better than guessing
baseline       nothing: this is what others are compared with
"""


class NotApplicableError(Exception):
    """The probe does not apply to an item, because ... (counted and shown, never dropped)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a probe may know besides the item.

    Attributes:
        items: the set it belongs to.
        seed: the study's seed.
        history: what earlier stages brought; None in the first.
        continues: whether the model goes on with a reply that is begun.
    """

    items: ItemSet
    seed: int = 0
    history: History | None = None
    continues: bool = False

    def dice(self, item: Item, purpose: str, repetition: int = 0) -> Dice:
        return Dice(self.seed, item.id, purpose, repetition)

    def orders(self, design: Design, item: Item, k: int, gold: int | None) -> list[Order]:
        """The design's orders of this item; NotApplicableError says why there are none."""
        try:
            return design.orders(k, gold, lambda p, r: self.dice(item, p, r))
        except NoOrdersError as error:
            raise NotApplicableError(str(error)) from None

    def refuse_if_order_matters(self, item: Item) -> None:
        """Items whose options speak of each other, or repeat, cannot be reordered by content."""
        if item.id in self.items.flagged("order_dependent"):
            raise NotApplicableError("an option speaks of other options by place or letter")
        self.refuse_if_options_repeat(item)

    def refuse_if_options_repeat(self, item: Item) -> None:
        if item.id in self.items.flagged("repeated_options"):
            raise NotApplicableError("two options have the same text")


@dataclass(frozen=True)
class Probe(ABC):
    """One family of controlled changes. Parameters are dataclass fields with defaults.

    Attributes:
        name: as written on the command line.
        title: for tables and figures.
        summary: one sentence: what is changed.
        expectation: one sentence: what should hold then.
        invariant: the same for machines.
        kinds: kinds of item sets it can be applied to.
        needs_gold: whether items without gold are left out (with that reason).
        stage: 2 for probes that depend on answers to probes of stage 1.
        needs: those probes, as they are written on the command line.
        borrows: whether it shows texts of other items, also of those that are not asked.
        repeats_prompts: whether prompts of an item may be equal and still count as often as they
            come; of others, equal ones are put once, as they would have one reply.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    expectation: ClassVar[str]
    invariant: ClassVar[Invariant]
    kinds: ClassVar[frozenset[Kind]] = frozenset(("choice", "label"))
    needs_gold: ClassVar[bool] = False
    repeats_prompts: ClassVar[bool] = False

    @property
    def stage(self) -> int:
        return 1

    @property
    def needs(self) -> tuple[str, ...]:
        return ()

    @property
    def borrows(self) -> bool:
        return False

    @property
    def signature(self) -> str:
        """Name and all parameters, as they can be written on the command line."""
        settings = ", ".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))
        return f"{self.name}({settings})" if settings else self.name

    def apply(self, item: Item, setting: Setting) -> list[Trial]:
        """The trials for one item; NotApplicableError says why there are none."""
        self.check(item, setting)
        return list(self.trials(item, setting))

    def parts_left_out(self, item: Item, setting: Setting) -> Iterator[str]:
        """Reasons why some trials of an item are left out where others are not: one each."""
        return iter(())

    def check(self, item: Item, setting: Setting) -> None:
        """NotApplicableError if the probe does not take items like this one."""
        if setting.items.kind not in self.kinds:
            raise NotApplicableError(self.undefined_for_kind(setting.items.kind))
        if self.needs_gold and item.gold is None:
            raise NotApplicableError("the item has no gold answer")

    def undefined_for_kind(self, kind: Kind) -> str:
        """The reason given for all items of a kind that the probe cannot take."""
        return {
            "label": "the answers are one label set for the whole task",
            "choice": "the options differ from item to item",
        }[kind]

    @abstractmethod
    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        """Generate the trials; raise NotApplicableError before the first one."""

    def trial(
        self,
        variant: Variant,
        condition: Condition = PLAIN,
        repetition: int = 0,
        **changes: object,
    ) -> Trial:
        """A trial of this probe that asks for a letter, or for a label where there are none."""
        answer_format = "letter" if variant.labels else "label"
        form = "choice" if variant.labels else "label"
        defaults: dict[str, object] = {"answer_format": answer_format, "form": form}
        return Trial(self.name, condition, repetition, (variant,), **{**defaults, **changes})  # type: ignore[arg-type]


class SetProbe(Probe):
    """A probe that shows several items together, and so makes its trials from the whole set."""

    @abstractmethod
    def set_trials(self, items: Sequence[Item], setting: Setting) -> Iterator[Trial]:
        """Generate the trials from the items that passed `check`.

        UsageError, before the first trial, if they cannot be made from so few.
        """

    def left_out(self, items: Sequence[Item], setting: Setting) -> Iterator[tuple[str, str]]:
        """(reason, item id) of what `set_trials` leaves out of the items that passed `check`."""
        return iter(())

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        raise TypeError(f"{self.name} makes its trials from the whole set")


def show(
    item: Item,
    kind: Kind,
    order: Sequence[int] | None = None,
    *,
    options: Sequence[str] | None = None,
    origin: Sequence[int] | None = None,
    gold: int | None = -1,
    labels: Sequence[str] | None = None,
    question: str | None = "",
) -> Variant:
    """An item as shown.

    Args:
        order: shown position -> index into `options`; as given if None.
        options: texts before ordering; the item's own by default.
        origin: what each of `options` is (see `trials`); 0, 1, ... by default.
        gold: index into `options` of the right one; the item's own by default, None for none.
        labels: what stands before the options; letters by default, none for a label set.
        question: replaces the question; None withholds it together with the context.
    """
    options = item.options if options is None else options
    origin = range(len(options)) if origin is None else origin
    gold = item.gold if gold == -1 else gold
    if labels is None:
        labels = LETTERS[: len(options)] if kind == "choice" else ()
    if order is not None:
        options, origin = [options[i] for i in order], [origin[i] for i in order]
        gold = None if gold is None else list(order).index(gold)
    withheld = question is None
    return Variant(
        item_id=item.id,
        question=item.question if question == "" else question,
        options=tuple(options),
        labels=tuple(labels),
        origin=tuple(origin),
        gold_at=gold,
        context=None if withheld else item.context,
        text_b=None if withheld else item.text_b,
        target=None if withheld else item.target,
        subject=item.subject,
    )


def check_choice(probe: str, name: str, value: str, allowed: Sequence[str]) -> None:
    """UsageError if a probe's parameter has none of the allowed values."""
    if value not in allowed:
        raise UsageError(
            f"probe {probe}: {name} cannot be {value!r}.", hint=f"Allowed: {', '.join(allowed)}."
        )

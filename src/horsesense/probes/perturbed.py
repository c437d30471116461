"""Perturbed questions, shuffled options and abstention options (Look at the Text, section 5).

A question that is perturbed, or put in other words, is shown in several versions, each under the
same shuffles of its options; the answers of a version are put to a vote by content, so that what
remains is the effect of the wording and not of the order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import factorial
from typing import Final

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes import perturbations
from horsesense.probes.base import LETTERS, NotApplicableError, Probe, Setting, show
from horsesense.rng import Dice
from horsesense.trials.condition import Condition
from horsesense.trials.orders import Design, Order
from horsesense.trials.trial import NONE_OPTION, REFUSED_OPTION, UNKNOWN_OPTION, Trial

EXTRA: Final = {
    NONE_OPTION: "No correct answer is given",
    REFUSED_OPTION: "Refused",
    UNKNOWN_OPTION: "I do not know",
}
"""The added options as they stand in the published data."""


def shuffles_of(n: int, k: int, item: Item, setting: Setting) -> list[Order]:
    """`n` different orders of `k` options, or all where there are fewer."""
    most = factorial(k) if k < len(LETTERS) else n
    return setting.orders(Design("random", min(n, most)), item, k, item.gold)


def check_counts(probe: str, **counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            raise UsageError(f"probe {probe}: {name} must be 1 or more, not {value}.")


@dataclass(frozen=True)
class Perturbation(Probe):
    """`versions` wordings of the question, each under the same `shuffles` orders of the options.

    Repetition v * shuffles + s is version v under shuffle s. Where fewer orders exist, as 2 of two
    options, all of them are shown.
    """

    versions: int = 4
    shuffles: int = 5

    invariant = "same_answer"
    repeats_prompts = True  # versions may happen to be equal, and each has its vote

    def __post_init__(self) -> None:
        check_counts(self.name, versions=self.versions, shuffles=self.shuffles)

    @abstractmethod
    def wordings(self, item: Item, setting: Setting) -> Sequence[Item]:
        """The item in `versions` wordings; NotApplicableError if there are not as many."""

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        wordings = self.wordings(item, setting)
        orders = shuffles_of(self.shuffles, len(item.options), item, setting)
        repetition = 0
        for worded in wordings:
            for order in orders:
                variant = show(worded, setting.items.kind, order)
                yield self.trial(variant, self.condition, repetition)
                repetition += 1

    @property
    def condition(self) -> Condition:
        return Condition(versions=self.versions, design=f"random({self.shuffles})")


class RandomPerturbation(Perturbation):
    """Versions of the question that differ by chance."""

    expectation = "The same answer: a reader sees through it."

    @abstractmethod
    def perturbed(self, text: str, dice: Dice, kept: str | None) -> str | None:
        """The text perturbed but for the word `kept`; None where it offers nothing to perturb."""

    def wordings(self, item: Item, setting: Setting) -> Sequence[Item]:
        """Of a pair both texts are perturbed; the target word that is asked about stays."""
        found = [self._version(item, setting, version) for version in range(self.versions)]
        worded = [each for each in found if each is not None]
        if len(worded) < self.versions:
            raise NotApplicableError("the question has no words that could be perturbed")
        return worded

    def _version(self, item: Item, setting: Setting, version: int) -> Item | None:
        first = self.perturbed(item.question, setting.dice(item, self.name, version), item.target)
        if item.text_b is None:
            return None if first is None else replace(item, question=first)
        dice = setting.dice(item, f"{self.name}/second", version)
        second = self.perturbed(item.text_b, dice, item.target)
        if first is None and second is None:
            return None
        return replace(item, question=first or item.question, text_b=second or item.text_b)


class KeyTypo(RandomPerturbation):
    name = "key_typo"
    title = "Typing errors, options shuffled"
    summary = "One letter is replaced in every fifth word of the question, by chance."
    expectation = "The same answer: a reader sees through it. A short question may have no typo."

    def perturbed(self, text: str, dice: Dice, kept: str | None) -> str | None:
        return perturbations.key_typo(text, dice, kept)


class LetterScramble(RandomPerturbation):
    name = "letter_scramble"
    title = "Scrambled letters, options shuffled"
    summary = "The inner letters of all longer words of the question stand in another order."

    def perturbed(self, text: str, dice: Dice, kept: str | None) -> str | None:
        return perturbations.letter_scramble(text, dice, kept)


class LetterSwap(RandomPerturbation):
    name = "letter_swap"
    title = "Swapped letters, options shuffled"
    summary = "Two neighbouring inner letters change places in all longer words of the question."

    def perturbed(self, text: str, dice: Dice, kept: str | None) -> str | None:
        return perturbations.letter_swap(text, dice, kept)


class WordSwap(RandomPerturbation):
    name = "word_swap"
    title = "Swapped words, options shuffled"
    summary = "Four words of the question change places, none of them the first or the last."

    def perturbed(self, text: str, dice: Dice, kept: str | None) -> str | None:
        return perturbations.word_swap(text, dice, kept)


class Paraphrase(Perturbation):
    """The item's own `paraphrases`, the first `versions` of them.

    Items with fewer are left out: an entropy of three votes does not compare with one of four.
    """

    name = "paraphrase"
    title = "Other words, options shuffled"
    summary = (
        "The question in other words, as the items give them (`horsesense build paraphrases`)."
    )
    expectation = "The same answer: the same is asked."

    def wordings(self, item: Item, setting: Setting) -> Sequence[Item]:
        if not item.paraphrases:
            raise NotApplicableError(
                "the item has no paraphrases; `horsesense build paraphrases` adds them"
            )
        found = len(item.paraphrases)
        if found < self.versions:
            raise NotApplicableError(f"the item has {found} of {self.versions} paraphrases")
        return [replace(item, question=text) for text in item.paraphrases[: self.versions]]


@dataclass(frozen=True)
class OptionSwap(Probe):
    """`n` different random orders of the options, or all where there are fewer."""

    n: int = 4

    name = "option_swap"
    title = "Shuffled options"
    summary = "The options in random orders, the question as published."
    expectation = "The answer follows its content."
    invariant = "same_answer"

    def __post_init__(self) -> None:
        check_counts(self.name, n=self.n)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        orders = shuffles_of(self.n, len(item.options), item, setting)
        for repetition, order in enumerate(orders):
            variant = show(item, setting.items.kind, order)
            yield self.trial(variant, Condition(design=f"random({self.n})"), repetition)


@dataclass(frozen=True)
class ExtraOptions(Probe):
    """Three abstention options are added, and all shuffled `shuffles` times; beside it the
    published options alone under as many shuffles, for the vote without them."""

    shuffles: int = 5

    name = "extra_options"
    title = "Abstention options, all shuffled"
    summary = (
        "Three options are added: no correct answer, refused, do not know. Also asked without "
        "them, under as many orders."
    )
    expectation = "The same answer: nothing that is right was added or removed."
    invariant = "same_answer"
    kinds = frozenset(("choice",))

    def __post_init__(self) -> None:
        check_counts(self.name, shuffles=self.shuffles)

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        setting.refuse_if_order_matters(item)
        k = len(item.options)
        if k + len(EXTRA) > len(LETTERS):
            raise NotApplicableError(f"{k} options leave no letters for more")
        if {text.casefold() for text in EXTRA.values()} & {o.casefold() for o in item.options}:
            raise NotApplicableError("an option declines as it is")
        for added in ({}, EXTRA):
            options = [*item.options, *added.values()]
            origin = [*range(k), *added]
            condition = Condition(added=len(added), design=f"random({self.shuffles})")
            orders = shuffles_of(self.shuffles, len(options), item, setting)
            for repetition, order in enumerate(orders):
                variant = show(item, "choice", order, options=options, origin=origin)
                yield self.trial(variant, condition, repetition)

"""Models with one known weakness each, for the probes that look a second time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from horsesense.models.messages import Key
from horsesense.models.simulated.decision import Decision, Luck, choose, drawn
from horsesense.models.simulated.profiles import Profile, knows, luck_of, right
from horsesense.rng import unit
from horsesense.trials.trial import FILLER, NONE_OPTION, YES, Trial, Variant

LAST_FILLER = FILLER - 50
"""Codes from here to FILLER are options without meaning."""


def favourite(variant: Variant) -> int | None:
    """Position of the wrong original option that an item's fixed taste prefers; None without."""
    item = variant.item_id.encode()
    wrong = [s for s, o in enumerate(variant.origin) if o >= 0 and s != variant.gold_at]
    taste = {s: unit(b"favourite", item, str(variant.origin[s]).encode()) for s in wrong}
    return max(wrong, key=taste.__getitem__, default=None)


def judged(trial: Trial, accepts: bool) -> Decision:
    """Yes or no to a proposed answer, whichever way it was asked."""
    origin = trial.variant.origin
    yes = origin.index(YES)
    return choose(yes if accepts else 1 - yes, 2)


def proposes_gold(trial: Trial) -> bool:
    variant = trial.variant
    return variant.gold_at == variant.origin.index(YES)


@dataclass(frozen=True)
class Stubborn(Profile):
    """Is sure of one wrong option where it does not know; sees no other to be right.

    Where it does not know, always the same wrong content; the next one where that is gone.
    """

    know: float = 0.6

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        wrong = favourite(variant)
        if wrong is None or knows(variant, self.know):
            return right(variant)
        return choose(wrong, len(variant.options))


@dataclass(frozen=True)
class Torn(Profile):
    """Knows the right option, yet prefers a misleading one while that is shown.

    Where it does not know, it holds the right option and its favourite wrong one to be right,
    and takes the wrong one if it may name only one.
    """

    know: float = 0.6

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        variant = trial.variants[0]
        if trial.answer_format == "yes_no" and not knows(variant, self.know):
            return [judged(trial, accepts=True)]
        if trial.probe == "misleading_replaced" and misleading_gone(variant):
            return [right(variant)]
        return super().decide_all(trial, key)

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        misleading = favourite(variant)
        if knows(variant, self.know) or misleading is None or variant.gold_at is None:
            return right(variant)
        return choose(misleading, len(variant.options))._replace(also=(variant.gold_at,))


def misleading_gone(variant: Variant) -> bool:
    """Whether the favourite of the item as published was replaced (in its place, by one text)."""
    item = variant.item_id.encode()
    wrong = [n for n in range(len(variant.origin)) if n != variant.gold_at]
    best = max(wrong, key=lambda n: unit(b"favourite", item, str(n).encode()))
    return variant.origin[best] != best


@dataclass(frozen=True)
class Rates(Profile):
    """Says yes to each option with a given probability; otherwise knows every answer.

    `gold` and `other` are probabilities; each differs between options by up to `spread`.
    """

    gold: float = 0.8
    other: float = 0.4
    spread: float = 0.0

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        if trial.answer_format != "yes_no":
            return super().decide_all(trial, key)
        yes = trial.variant.origin.index(YES)
        p = self.gold if proposes_gold(trial) else self.other
        at = f"{trial.variant.item_id}|{trial.repetition}".encode()
        p = min(max(p + self.spread * (unit(b"rates", at) - 0.5), 1e-9), 1 - 1e-9)
        logits = [math.log(1 - p)] * 2
        logits[yes] = math.log(p)
        return [Decision(yes if p >= 0.5 else 1 - yes, tuple(logits))]

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return right(variant)


class Excludes(Profile):
    """Guesses, but never an option without meaning."""

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return drawn([float(not LAST_FILLER < o <= FILLER) for o in variant.origin], luck)


class Recites(Profile):
    """Knows every answer by heart, and says it as published whatever is shown.

    Where the right answer is not shown it gives it nevertheless, as published.
    """

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        decision = right(variant)
        return decision._replace(style=3) if decision.says == "none" else decision


class LooksUp(Profile):
    """Takes the option whose text stands in the context; guesses where none does."""

    name = "looks_up"

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k = len(variant.options)
        context = (variant.context or "").casefold()
        there = [s for s in range(k) if variant.options[s].casefold() in context]
        if len(there) == 1:
            return choose(there[0], k)
        if NONE_OPTION in variant.origin:
            return choose(variant.origin.index(NONE_OPTION), k)
        return drawn([1.0] * k, luck)


@dataclass(frozen=True)
class Slips(Profile):
    """Has one fault, under one probe, in a given share of its replies.

    Knows an item with probability `know`, else guesses, every position alike. Of its replies
    under the probe `under` (all replies where that is empty) a share `wrong` takes another option
    than it would, a share `silent` declines, and a share `gold` takes what is right. Items that
    the probe shows as published, for others to be compared with, are not under it.
    """

    know: float = 1.0
    under: str = "labels"
    wrong: float = 0.0
    silent: float = 0.0
    gold: float = 0.0

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        decisions = super().decide_all(trial, key)
        comparison = trial.condition.matches(prompt="with_gold")
        if self.under and (comparison or self.under != trial.probe):
            return decisions
        return [
            self._slipped(trial.variants[place], decision, luck_of(key, place))
            for place, decision in enumerate(decisions)
        ]

    def _slipped(self, variant: Variant, decision: Decision, luck: Luck) -> Decision:
        k, die = len(variant.options), luck("slips")
        if die < self.wrong and k > 1:
            here = k - 1 if decision.position is None else decision.position
            others = k if decision.position is None else k - 1
            return choose((here + 1 + int(luck("elsewhere") * others)) % k, k)
        if self.wrong <= die < self.wrong + self.silent:
            return Decision(None, (0.0,) * k, "refusal")
        if self.wrong + self.silent <= die < self.wrong + self.silent + self.gold:
            return right(variant)
        return decision

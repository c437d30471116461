"""How simulated models decide: the general ones (see `second_thoughts` for the others)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar

from horsesense.models.messages import Failure, Key, Request, Response
from horsesense.models.simulated.decision import Decision, Luck, choose, drawn
from horsesense.models.simulated.speech import STYLES
from horsesense.rng import unit
from horsesense.trials.trial import BUNDLED, NONE_OPTION, YES, Trial, Variant, bundled


def luck_of(key: Key, place: int) -> Luck:
    """Uniform numbers that belong to one variant of a request."""
    at = b"" if place == 0 else b"%d:" % place
    return lambda purpose: unit(key, at + purpose.encode())


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(f"{v:g}" for v in value)
    return value if isinstance(value, str) else f"{value:g}"


ALLOWED: Mapping[type, str] = {
    int: "a whole number from 0",
    float: "a number from 0 to 1",
    str: "a name",
    tuple: "weights from 0, separated by commas",
}
"""Values of a parameter, by the type of its default."""


@dataclass(frozen=True)
class Profile:
    """How a simulated model decides. Parameters are dataclass fields.

    `decide` is given a variant and `luck`, a function from a purpose to a uniform number that is
    fixed for the request. The docstring is what the catalogue says: what the model does, and in a
    paragraph of its own what its parameters are for. The name is that of the class in small
    letters, unless it says another.
    """

    name: ClassVar[str]
    formerly: ClassVar[str | None] = None
    thinks: ClassVar[bool] = False
    """Whether it takes how much to think."""

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        """Of a profile without a rule of its own: it knows a share `know`, and guesses the rest."""
        if knows(variant, getattr(self, "know", 1.0)):
            return right(variant)
        return drawn([1.0] * len(variant.options), luck)

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        """A decision about each variant of a trial; `key` is that of the request."""
        return [self.decide(v, luck_of(key, place)) for place, v in enumerate(trial.variants)]

    def delivered(self, response: Response, trial: Trial, request: Request) -> Response | Failure:
        """What becomes of a reply on its way; nothing, unless a profile says so."""
        return response

    def text_logits(self, variant: Variant, decision: Decision) -> tuple[float, ...]:
        """One number per position for the option's text as the reply; those of what it says.

        Empty where it has nothing to say of the options.
        """
        logits, place = decision.logits, decision.position
        if place is None or not logits or logits[place] == max(logits):
            return logits
        return choose(place, len(logits)).logits

    @classmethod
    def parameters(cls) -> str:
        """Each parameter with its default, as it is written, and which values it takes."""
        return ", ".join(
            f"{f.name}={_written(f.default) or 'none'} ({ALLOWED[type(f.default)]})"
            for f in fields(cls)
        )

    @property
    def spec(self) -> str:
        """Name and all parameters, as they are written in `--model`."""
        values = "&".join(f"{f.name}={_written(getattr(self, f.name))}" for f in fields(self))
        return f"sim:{self.name}?{values}" if values else f"sim:{self.name}"

    @property
    def shown(self) -> str:
        """The same for tables: without parameters that are left empty."""
        name, _, values = self.spec.partition("?")
        given = "&".join(part for part in values.split("&") if not part.endswith("="))
        return f"{name}?{given}" if given else name


def knows(variant: Variant, share: float) -> bool:
    """Whether an item is among the `share` that a model knows; needs the question."""
    return variant.question is not None and _hardness(variant.item_id) < share


@lru_cache(maxsize=1 << 13)
def _hardness(item_id: str) -> float:
    """The share from which on an item is known, uniform in [0, 1)."""
    return unit(b"knows", item_id.encode())


def right(variant: Variant) -> Decision:
    """What is right: the gold position, or that no option is."""
    if variant.gold_at is None:
        return Decision(None, (0.0,) * len(variant.options), "none")
    return choose(variant.gold_at, len(variant.options))


class Oracle(Profile):
    """Knows every answer, and says so when no option is right."""


class Cheat(Profile):
    """Knows every answer from the options alone, also where the question is withheld."""

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return right(variant)


@dataclass(frozen=True)
class Habit(Profile):
    """Chooses the option labelled B where there is one, else knows every answer.

    The habit holds in a share `share` of the items.
    """

    share: float = 1.0

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        if "B" in variant.labels and unit(b"habit", variant.item_id.encode()) < self.share:
            return choose(variant.labels.index("B"), len(variant.options))
        return right(variant)

    def text_logits(self, variant: Variant, decision: Decision) -> tuple[float, ...]:
        """What is right: the habit is for a label, and texts have none."""
        return right(variant).logits


class Uniform(Profile):
    """Guesses, every position alike."""

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return drawn([1.0] * len(variant.options), luck)


@dataclass(frozen=True)
class PlaceHabit(Profile):
    """Always chooses the position numbered k (from 0), whatever it holds.

    `k` counts from 0; past the last option, the last is taken.
    """

    k: int = 0

    name = "position"
    formerly = "slot"

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return choose(min(self.k, len(variant.options) - 1), len(variant.options))


@dataclass(frozen=True)
class Prior(Profile):
    """Knows an item with probability know, else draws a position from a prior, which favours the
    first ones unless prior= gives other weights.

    `prior` gives a weight per position; further positions repeat its last weight.

    Without it the weights fall linearly (for four options 0.4, 0.3, 0.2, 0.1).
    """

    know: float = 0.6
    prior: tuple[float, ...] = ()

    def weights(self, k: int) -> tuple[float, ...]:
        """The prior over `k` positions; sums to 1."""
        return _stretched(self.prior or tuple(range(k, 0, -1)), k)

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        if knows(variant, self.know):
            return right(variant)
        return drawn(self.weights(len(variant.options)), luck)


@lru_cache(maxsize=1024)
def _stretched(prior: tuple[float, ...], k: int) -> tuple[float, ...]:
    weights = [prior[min(position, len(prior) - 1)] for position in range(k)]
    total = sum(weights)
    return tuple(weight / total for weight in weights)


class Ranker(Profile):
    """Takes the most plausible option shown: gold first, a none-option never."""

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k = len(variant.options)
        if variant.question is None:
            return drawn([1.0] * k, luck)
        if YES in variant.origin:  # it compares, and a single answer has no rival
            return choose(variant.origin.index(YES), k)
        scores = [self._plausibility(variant, position) for position in range(k)]
        best = max(range(k), key=scores.__getitem__)
        return Decision(best, tuple(scores))

    def _plausibility(self, variant: Variant, position: int) -> float:
        """Gold 3; other original options 1 to 2, fixed per item; added 0 to 1; none-options -9."""
        origin = variant.origin[position]
        if origin == NONE_OPTION:
            return -9.0
        if position == variant.gold_at:
            return 3.0
        taste = unit(b"ranker", variant.item_id.encode(), str(origin).encode())
        return taste + (1.0 if origin >= 0 else 0.0)


class SaysNone(Profile):
    """Chooses the none-option, or says that no option is right."""

    name = "none"

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k = len(variant.options)
        if NONE_OPTION in variant.origin:
            return choose(variant.origin.index(NONE_OPTION), k)
        return Decision(None, (0.0,) * k, "none")


class Refuses(Profile):
    """Declines to answer."""

    name = "refuse"

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return Decision(None, (0.0,) * len(variant.options), "refusal")


@dataclass(frozen=True)
class Locked(Profile):
    """Keeps to one position, whatever it holds, in a share of the items.

    A share `lock` of the items is answered by a position drawn once for the item, with the
    weights `prior` (as in the profile of that name; without it, all alike). Others are known with
    probability `know`, else guessed, every position alike.
    """

    lock: float = 0.1
    know: float = 0.6
    prior: tuple[float, ...] = (1.0,)

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k, item = len(variant.options), variant.item_id.encode()
        if unit(b"locked", item) < self.lock:
            weights = Prior(prior=self.prior).weights(k)
            return drawn(weights, lambda purpose: unit(b"place", purpose.encode(), item))
        return super().decide(variant, luck)


@dataclass(frozen=True)
class Talker(Profile):
    """Answers in sentences; its first token favours another position at a given rate.

    The text is right with probability `know` (else uniform over the wrong positions); the first
    token favours another position with probability `disagree`.
    """

    know: float = 0.6
    disagree: float = 0.3

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k = len(variant.options)
        decision = super().decide(variant, luck)
        if decision.position is not None and luck("disagree") < self.disagree:
            other = (decision.position + 1 + int(luck("other") * (k - 1))) % k
            decision = decision._replace(logits=choose(other, k).logits)
        return decision._replace(style=int(luck("style") * len(STYLES)))


@dataclass(frozen=True)
class Clerk(Profile):
    """Sorts many problems with known failures: forgets, assigns twice, stops early.

    Labels are the same in every task: right with probability `know` (and where the prompt
    shows the label itself), else another one. Of many problems, each is forgotten with
    probability `forget` and given a second label with probability `twice`; those after the first
    `stop` are not answered (0: all are). `style` numbers the formats of replies; 9 takes turns.
    """

    know: float = 1.0
    forget: float = 0.0
    twice: float = 0.0
    stop: int = 0
    style: int = 0

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        k = len(variant.options)
        if variant.gold_at is None:
            return drawn([1.0] * k, luck)
        item = variant.item_id.encode()
        if unit(b"clerk", item) < self.know:
            return choose(variant.gold_at, k)
        return choose((variant.gold_at + 1 + int(unit(b"other", item) * (k - 1))) % k, k)

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        if bundled(trial).shows == "label":
            decisions = [right(variant) for variant in trial.variants]
        else:
            decisions = super().decide_all(trial, key)
        if trial.answer_format not in BUNDLED:
            return decisions
        return [self._muddled(d, trial, place) for place, d in enumerate(decisions)]

    def _muddled(self, decision: Decision, trial: Trial, place: int) -> Decision:
        """What becomes of one of many; the same in every prompt about the same bundle."""
        variant = trial.variants[place]
        at = f"{trial.condition}|{trial.repetition}|{variant.item_id}".encode()
        style = self.style if self.style < 9 else trial.repetition
        if (self.stop and place >= self.stop) or unit(b"forget", at) < self.forget:
            return Decision(None, decision.logits, "none", style)
        assert decision.position is not None
        also: tuple[int, ...] = ()
        if unit(b"twice", at) < self.twice:
            also = ((decision.position + 1) % len(variant.options),)
        return decision._replace(also=also, style=style)

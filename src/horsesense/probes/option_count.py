"""More options, or fewer (REVAS, section 3.1, `rv.inc` and `rv.red`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.probes.base import LETTERS, NotApplicableError, Probe, Setting, check_choice, show
from horsesense.probes.fillers import FORMS, nonsense, plausible
from horsesense.probes.order import MOST_CYCLIC
from horsesense.trials.condition import Condition
from horsesense.trials.orders import Design
from horsesense.trials.trial import BORROWED, FILLER, Trial

KINDS = ("nonsense", "plausible")


@dataclass(frozen=True)
class OptionCount(Probe):
    """`n` options are shown. Missing ones are made up: `kind` is nonsense (in the `form` letters,
    symbols, placeholders or words) or plausible (options of other items of the subject). Surplus
    distractors are drawn at random; the gold is always kept. `design=auto` is cyclic for up to
    10 options. Where a random design asks for more orders than there are, as 4 of 2 options, the
    rest is shown with other distractors."""

    n: int = 6
    kind: str = "nonsense"
    form: str = "letters"
    design: str = "auto"

    name = "option_count"
    title = "Another number of options"
    summary = "Options are added (without meaning, or from other items), or distractors removed."
    expectation = "The same answer, but for what guessing gains or loses by the number."
    invariant = "baseline"
    kinds = frozenset(("choice",))
    needs_gold = True

    def __post_init__(self) -> None:
        check_choice(self.name, "kind", self.kind, KINDS)
        check_choice(self.name, "form", self.form, tuple(FORMS))
        if not 2 <= self.n <= len(LETTERS):
            raise UsageError(f"probe {self.name}: n must be 2 to {len(LETTERS)}, not {self.n}.")
        self._design()

    @property
    def borrows(self) -> bool:
        return self.kind == "plausible" or self.form == "words"

    def _design(self) -> Design:
        if self.design != "auto":
            return Design.parse(self.design)
        return Design.parse("cyclic" if self.n <= MOST_CYCLIC else "random(4)")

    def trials(self, item: Item, setting: Setting) -> Iterator[Trial]:
        k = len(item.options)
        if k < 2:
            raise NotApplicableError("the item has no distractor")
        if k == self.n:
            raise NotApplicableError(f"the item already has {self.n} options")
        setting.refuse_if_order_matters(item)
        shown = self._reduced(item, setting) if self.n < k else self._extended(item, setting)
        for repetition, (options, origin, order) in enumerate(shown):
            gold = list(origin).index(item.gold or 0)
            variant = show(item, "choice", order, options=options, origin=origin, gold=gold)
            yield self.trial(variant, self._condition(k), repetition)

    def _condition(self, k: int) -> Condition:
        plain = Condition(n=self.n, design=self._design().name)
        if self.n <= k:
            return plain
        made = plain.with_(kind=self.kind)
        return made.with_(form=self.form) if self.kind == "nonsense" else made

    def _extended(self, item: Item, setting: Setting) -> list[_Shown]:
        missing = self.n - len(item.options)
        if self.kind == "plausible":
            added, first = plausible(item, setting, missing), BORROWED
        else:
            added, first = nonsense(self.form, item, setting, missing), FILLER
        options = [*item.options, *added]
        origin = [*range(len(item.options)), *(first - j for j in range(missing))]
        orders = setting.orders(self._design(), item, self.n, item.gold)
        return [(options, origin, order) for order in orders]

    def _reduced(self, item: Item, setting: Setting) -> list[_Shown]:
        """The gold and n - 1 distractors; other distractors once all orders were shown."""
        assert item.gold is not None
        distractors = [i for i in range(len(item.options)) if i != item.gold]
        drawn = setting.dice(item, "distractors").sample(distractors, len(distractors))
        design = self._design()
        asked = design.n if design.kind == "random" and design.n else 0
        exist = factorial(self.n) if self.n < MOST_CYCLIC else asked
        shown: list[_Shown] = []
        for draw in range(-(-asked // exist) if asked else 1):
            at = draw % len(drawn)
            origin = sorted([item.gold, *(drawn[at:] + drawn[:at])[: self.n - 1]])
            part = Design("random", min(exist, asked - draw * exist)) if asked else design
            orders = setting.orders(part, item, self.n, origin.index(item.gold))
            options = [item.options[i] for i in origin]
            shown += [(options, origin, order) for order in orders]
        return shown


_Shown = tuple[Sequence[str], Sequence[int], Sequence[int]]
"""Option texts, what each is, and the order in which they stand."""

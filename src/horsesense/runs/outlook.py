"""What asking is about to take, told before the first request: counted, or estimated from a sample.

Small sets are counted whole. Of large ones, items at even distances are planned and the rest is
taken to be like them, so that the count takes no time that anybody would notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from horsesense.inference.limits import Limits, rounded_up
from horsesense.inference.store import Store
from horsesense.items.item import Item
from horsesense.models.base import Capabilities, Model, NeedsAnswerKey, Probing
from horsesense.models.messages import Key
from horsesense.probes.base import SetProbe
from horsesense.progress import clock
from horsesense.runs.planner import characters
from horsesense.runs.prepare import Study, reader_names
from horsesense.trials.trial import Trial

LOOKED_AT: Final = 200
"""Items up to which all are planned; so many of larger sets."""
MANY_REQUESTS: Final = 20_000
MANY_TOKENS: Final = 20_000_000
"""Beyond either, somebody who named no limit is told how to."""


def items_of(n: int, dataset: str) -> str:
    """So many items, and of which set, if its name says more than that they are items.

    >>> items_of(1200, "mmlu"), items_of(12, "items")
    ('1,200 items of mmlu', '12 items')
    """
    items = f"{n:,} item{'s' * (n != 1)}"
    return items if dataset == "items" else f"{items} of {dataset}"


@dataclass(frozen=True)
class Outlook:
    """What a study will ask, before anything is spent.

    Attributes:
        dataset, items: name and size of the set, or of the part that is asked here.
        notes: how the set was read, such as the layout that was guessed.
        probes: their names.
        forms: different ways in which an item is shown, over all probes.
        prompts: as shown, equal ones counted each time.
        requests: different ones, which are asked once.
        stored: of these, answered already; no more than there are answers at all.
        prompt_tokens: of the others; as the model counts them, else characters / 4.
        tokens_counted: whether the model counted them.
        completion_tokens: upper limit of the replies to the others.
        cost: upper limit in the currency of the prices; None without prices.
        exact: False where numbers are estimated from some of the items.
        at_most: whether asking may stop before all is asked (`until`, or probes that depend on
            answers).
        judged: whether a judge will ask more than this.
        unlimited: whether a model is paid or far away, and no budget is given.
        budget: requests that may be sent at most, over all sessions; None without such a limit.
        never: probes that apply to no item.
        cautions: what `until` leaves untold, and whether it is worth that.
    """

    dataset: str
    items: int
    notes: tuple[str, ...]
    probes: tuple[str, ...]
    forms: int
    prompts: int
    requests: int
    stored: int
    prompt_tokens: int
    tokens_counted: bool
    completion_tokens: int
    cost: float | None
    exact: bool
    at_most: bool
    judged: bool
    unlimited: bool
    budget: int | None
    cautions: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    @property
    def to_ask(self) -> int:
        """Requests without an answer."""
        return self.requests - self.stored

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)

    def sentences(self) -> list[str]:
        """What is told before the first request, a line each."""
        about = "" if self.exact else "about "
        most = "at most " if self.at_most else ""
        forms = f"{self.forms:,} form{'s' * (self.forms != 1)}"
        asked = (
            f"{most}{about}{self.prompts:,} prompts, {about}{self.requests:,} different requests"
        )
        if self.stored:
            asked += f" ({about}{self.stored:,} of them answered already)"
        probes = ", ".join(self.probes)
        lines = [
            *self.notes,
            *([f"No item can be asked under {' or '.join(self.never)}."] if self.never else []),
            f"{items_of(self.items, self.dataset)}, in {forms} ({probes}): {asked}.",
            *self.cautions,
        ]
        if self.to_ask:
            lines.append(self._tokens())
        if self.judged:
            lines.append("A judge's requests come on top, as many as there are replies to judge.")
        if self.budget is not None and self.budget < self.to_ask:
            lines.append(
                f"The budget ends that at {self.budget:,} requests, those of earlier sessions"
                " included."
            )
        total = self.prompt_tokens + self.completion_tokens
        if self.unlimited and (self.to_ask > MANY_REQUESTS or total > MANY_TOKENS):
            lines.append(
                "No limit is set: --budget requests=N (or tokens=N, or money=X with --price) sets"
                " one, --limit N draws a sample of the items, --until decided stops early."
            )
        return lines

    def _tokens(self) -> str:
        about = "" if self.exact and self.tokens_counted else "about "
        source = "" if self.tokens_counted else " (characters / 4)"
        line = (
            f"To ask: {about}{self.prompt_tokens:,} prompt tokens{source}, at most"
            f" {self.completion_tokens:,} completion tokens"
        )
        return line + (
            "." if self.cost is None else f"; at most {rounded_up(self.cost)} at these prices."
        )

    def pace(self, seconds: float, together: int, rate: float | None = None) -> str:
        """How long it will take if every reply takes as long as the first, `together` at a time.

        `rate`: requests a second that may be sent.
        """
        rounds = max(1, -(-self.to_ask // max(together, 1)))
        least, limit = 0.0, ""
        if rate is not None:
            least, limit = self.to_ask / rate, f" and {rate:g} a second at most"
        return (
            f"A first reply took {seconds:.2g} s; at that pace, {together} at a time{limit}, this"
            f" takes {clock(max(1.0, least, rounds * seconds))}."
        )


def outlook(study: Study, model: Model, store: Store, limits: Limits) -> Outlook:
    """What asking this study will take; `model` has been entered, and is sent nothing."""
    own, shard = study.planner.own, study.settings.shard
    items = [item for item in study.items if own is None or item.id in own]
    tally = _Tally(study, model)
    few = evenly(items, LOOKED_AT)
    share = len(items) / max(len(few), 1)
    together = [probe for probe in study.probes if isinstance(probe, SetProbe)]
    singles = [probe for probe in study.probes if not isinstance(probe, SetProbe)]
    for trial in study.planner.batch(few).trials(singles):
        tally.add(trial, share)
    for trial in study.planner.trials(together):
        tally.add(trial, 1.0)
    known = store.known(list(tally.keys))
    ask = [one for key, one in tally.keys.items() if key not in known]
    there = min(sum(tally.keys[key][0] for key in known), store.answered())
    left = sum(weight for weight, _, _ in ask)
    total = sum(weight for weight, _, _ in tally.keys.values()) if ask else there
    # Answers that the sample has too many of are to be asked too, with prompts like the others.
    each = (total - there) / left if left else 0.0
    prompt, completion = (round(each * sum(one[0] * one[n] for one in ask)) for n in (1, 2))
    free = isinstance(model, NeedsAnswerKey) or tally.counted
    asked = {form[0] for form in tally.forms}
    sure = [p for p in study.probes if len(few) == len(items) or isinstance(p, SetProbe)]
    names_of = dict.fromkeys(probe.name for probe in study.probes)
    first = {probe.name for probe in sure} - {p.name for p in study.probes if p.stage > 1}
    never = tuple(name for name in names_of if name in first - asked)
    names = reader_names(study.settings, study.items, study.model)
    return Outlook(
        dataset=study.items.name if shard is None else f"{study.items.name}, shard {shard}",
        items=len(items),
        notes=tuple(study.items.notes),
        probes=tuple(name for name in names_of if name not in never),
        never=never,
        forms=len(tally.forms),
        prompts=round(tally.prompts),
        requests=round(total),
        stored=round(there),
        prompt_tokens=prompt,
        tokens_counted=tally.counted,
        completion_tokens=completion,
        cost=limits.cost(prompt, completion),
        exact=len(few) == len(items),
        at_most=study.settings.until is not None or any(p.stage > 1 for p in study.probes),
        judged=any(name.startswith("judge:") for name in names),
        unlimited=not free and not limits.any,
        budget=limits.requests,
        cautions=_cautions(study),
    )


def _cautions(study: Study) -> tuple[str, ...]:
    """What is said of a study that may stop early; statistics are loaded for one alone."""
    if study.settings.until is None:
        return ()
    from horsesense.runs.savings import cautions

    return cautions(study)


async def assumed(model: Model, before: Capabilities | None) -> Capabilities:
    """What a model is taken to offer: one that must be asked, what it did before, or chat alone."""
    if isinstance(model, Probing):
        return before or Capabilities()
    return await model.capabilities()


@dataclass
class _Tally:
    """Prompts and different requests, each standing for `weight` of its kind."""

    study: Study
    model: Model
    prompts: float = 0.0
    counted: bool = True
    forms: set[tuple[Any, ...]] = field(default_factory=set)
    keys: dict[Key, tuple[float, int, int]] = field(default_factory=dict)
    """Key -> weight, prompt tokens, most completion tokens."""

    def add(self, trial: Trial, weight: float) -> None:
        planner = self.study.planner
        self.prompts += weight
        # Prompts with several problems are numbered by their bundles, which are no forms.
        number = 0 if len(trial.variants) > 1 else trial.repetition
        self.forms.add((trial.probe, trial.condition, number, trial.sample))
        request = planner.prompter.request(trial)
        key = request.key(planner.identity)
        if key in self.keys:
            return
        tokens = self.model.count_tokens(request)
        self.counted = self.counted and tokens is not None
        tokens = characters(request) // 4 if tokens is None else tokens
        self.keys[key] = (weight, tokens, request.params.max_tokens)


def evenly(items: Sequence[Item], n: int) -> Sequence[Item]:
    """At most `n` of the items, at even distances, so that no part of a sorted set is left out."""
    if len(items) <= n:
        return items
    return [items[place * len(items) // n] for place in range(n)]

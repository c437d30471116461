"""What asking a study will take: prompts, different requests, tokens and cost, before any is sent.

`plan` counts everything; before an audit begins, a large set is judged by some of its items, so
that the count takes no time that anybody would notice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from horsesense.inference.ledger import bound
from horsesense.inference.limits import UNLIMITED, Limits, rounded_up
from horsesense.inference.store import Store
from horsesense.items.item import Item
from horsesense.models.base import Capabilities, Model, NeedsAnswerKey, Probing
from horsesense.models.messages import Key, Request
from horsesense.probes.base import Probe, SetProbe
from horsesense.probes.registry import parse_probes
from horsesense.progress import clock
from horsesense.runs.planner import Planned, Planner, characters
from horsesense.runs.prepare import Study, reader_names
from horsesense.stats.words import OneLine, plural
from horsesense.trials.condition import PLAIN, Condition

LOOKED_AT: Final = 1_000
"""Items up to which all are planned before an audit, as `plan` does."""
SOME: Final = 300
"""Items that are planned of larger sets."""
ENOUGH_TO_THINK: Final = 1_000
"""Tokens of a reply below which a thought is likely to be cut off."""
MANY_REQUESTS: Final = 20_000
MANY_TOKENS: Final = 20_000_000
"""Beyond either, somebody who named no limit is told how to."""


@dataclass(frozen=True)
class ProbePlan:
    """What one probe will ask.

    Attributes:
        name, probe: its name, and its signature.
        trials: prompts.
        own_requests: what it would ask alone: with its own original, and with the earlier answers
            that it depends on.
        at_most: whether that is an upper bound, as of a probe that depends on answers.
    """

    name: str
    probe: str
    trials: int
    own_requests: int
    at_most: bool = False


@dataclass(frozen=True)
class ShownPrompt:
    """One whole prompt: the template, of which probe and condition, and its text."""

    form: str
    probe: str
    condition: str
    text: str


@dataclass(frozen=True)
class Plan(OneLine):
    """What asking a study will take.

    Attributes:
        dataset, items: name and size of the set, or of the part that is asked here.
        notes: how the set was read.
        never: probes that no item can be asked under.
        forms: different ways in which an item is shown.
        trials, requests: prompts as shown, equal ones counted each time; different ones.
        stored: requests that are answered already; 0 before an audit.
        prompt_tokens, completion_tokens, tokens_exact: of the others, and of their replies at most;
            whether the model counted the former, else they are characters / 4.
        cost: as cost_at_most; rounded up, as in words.
        too_long, too_long_by, excluded: requests that exceed the model's context with room for
            their reply; the same by probe and condition; items to which a probe does not apply.
        exact: whether all items were planned.
        at_most: whether asking may stop before all is asked.
        judged: whether a judge will ask more than this.
        unlimited: whether the model costs something and no limit is set.
        budget: requests that may be sent; null without a limit.
        short: whether the budget suffices, or what of it does not.
        cautions: what --until leaves untold.
        prompts: one whole prompt of each task.
        seen: which change of accuracy so many items show, in a sentence.
    """

    dataset: str
    items: int
    notes: tuple[str, ...]
    probes: tuple[ProbePlan, ...]
    never: tuple[str, ...]
    forms: int
    trials: int
    requests: int
    stored: int
    prompt_tokens: int
    tokens_exact: bool
    completion_tokens: int
    cost: float | None
    too_long: int
    too_long_by: list[dict[str, Any]]
    excluded: list[dict[str, Any]]
    exact: bool
    at_most: bool
    judged: bool
    unlimited: bool
    budget: int | None
    short: str = ""
    cautions: tuple[str, ...] = ()
    prompts: tuple[ShownPrompt, ...] = ()
    seen: str = ""

    def __repr__(self) -> str:
        requests = f"{plural(self.trials, 'prompt')}, {plural(self.requests, 'request')}"
        return f"Plan({items_of(self.items, self.dataset)}, {requests})"

    def __str__(self) -> str:
        return "\n".join(filter(None, (*self.sentences(), self.seen)))

    @property
    def to_ask(self) -> int:
        """Requests without an answer."""
        return self.requests - self.stored

    @property
    def saved(self) -> int:
        """Requests saved because equal prompts are asked once."""
        return self.trials - self.requests

    @property
    def saved_over_probes_alone(self) -> float:
        """Share of requests saved against running each probe with its own original."""
        alone = sum(probe.own_requests for probe in self.probes)
        return 1 - self.requests / alone if alone else 0.0

    def as_json(self) -> dict[str, Any]:
        """All fields, and what is derived from them."""
        derived = {name: getattr(self, name) for name in ("saved", "saved_over_probes_alone")}
        return {**asdict(self), **derived}

    def sentences(self) -> list[str]:
        """What is told before the first request, a line each."""
        about = "" if self.exact else "about "
        most = "at most " if self.at_most else ""
        names = ", ".join(dict.fromkeys(probe.name for probe in self.probes))
        done = f" ({about}{self.stored:,} of them answered already)" if self.stored else ""
        lines = [
            *self.notes,
            *[f"The probe {name} is left out: no item fits it." for name in self.never],
            f"{items_of(self.items, self.dataset)}, in {plural(self.forms, 'form')} ({names}):"
            f" {most}{about}{plural(self.trials, 'prompt')},"
            f" {about}{plural(self.requests, 'different request')}{done}.",
            *self.cautions,
        ]
        if self.to_ask:
            lines.append(self._tokens())
        if self.judged:
            lines.append("A judge's requests come on top, as many as there are replies to judge.")
        lines += [self.short] * bool(self.short)
        total = self.prompt_tokens + self.completion_tokens
        if self.unlimited and (self.to_ask > MANY_REQUESTS or total > MANY_TOKENS):
            lines.append(
                "No limit is set: --budget requests=N (or tokens=N, or money=X with --price) sets"
                " one, --limit N draws a sample of the items, --until decided stops early."
            )
        return lines

    def _tokens(self) -> str:
        about = "" if self.exact and self.tokens_exact else "about "
        source = "" if self.tokens_exact else " (characters / 4)"
        most = "at most" if self.tokens_exact else "about"
        price = "" if self.cost is None else f"; {most} {rounded_up(self.cost)} at these prices"
        return (
            f"To ask: {about}{plural(self.prompt_tokens, 'prompt token')}{source}, at most"
            f" {plural(self.completion_tokens, 'completion token')}{price}."
        )

    def pace(
        self, seconds: float, together: int, rate: float = math.inf, limits: Limits = UNLIMITED
    ) -> str:
        """How long it will take if every reply takes as long as the first, `together` at a time.

        `rate`: requests a second that may be sent; `limits`: what is left to be spent.
        """
        sent, most = limits.reach(self.to_ask, self.prompt_tokens, self.completion_tokens)
        few = most < min(together, self.to_ask)
        many = f"at most {most} at a time under this budget" if few else f"{together} at a time"
        least = max(1.0, sent / rate, -(-sent // max(1, min(together, most))) * seconds)
        limit = f" and {rate:g} a second at most" if rate < math.inf else ""
        pace = f"A first reply took {seconds:.2g} s. At that pace, {many}{limit}, asking takes"
        return f"{pace} {clock(least)}{' or more' * few}."


def plan_of(
    study: Study,
    model: Model,
    limits: Limits = UNLIMITED,
    *,
    store: Store | None = None,
    sample: int | None = None,
) -> Plan:
    """What asking a study will take; `model` has been entered, and is sent nothing.

    Args:
        study, model, limits: what is asked, whom, and what may be spent.
        store: answers that need not be asked again.
        sample: of more items than these, plan some at even distances, and take the rest to be like
            them; by default all are planned, and what was excluded is kept by the study's planner.
    """
    own, shard = study.planner.own, study.settings.shard
    items = [item for item in study.items if own is None or item.id in own]
    few = items if sample is None or len(items) <= sample else evenly(items, SOME)
    tally = _Tally(study, model)
    for planner, probes, weight in _parts(study, items, few):
        for planned in planner.plan(probes):
            tally.add(planner, planned, weight)
    known = set() if store is None else store.known(list(tally.keys))
    ask = [one for key, one in tally.keys.items() if key not in known]
    total = sum(weight for weight, *_ in tally.keys.values())
    there = min(sum(tally.keys[key][0] for key in known), store.answered() if store else 0)
    total = total if ask else there
    left = sum(weight for weight, *_ in ask)
    # Answers that the sample has too many of are to be asked too, with prompts like the others.
    each = (total - there) / left if left else 0.0
    prompt, completion, bytes_ = (round(each * sum(o[0] * o[n] for o in ask)) for n in (1, 2, 3))
    free = isinstance(model, NeedsAnswerKey) or tally.counted
    later = [probe for probe in study.probes if probe.stage > 1]
    names = reader_names(study.settings, study.items, study.model)
    money = limits.cost(prompt, completion)
    return Plan(
        dataset=study.items.name if shard is None else f"{study.items.name}, shard {shard}",
        items=len(items),
        notes=tuple(study.items.notes),
        probes=tally.probes(),
        never=tally.never(whole=len(few) == len(items)),
        forms=len(tally.forms),
        trials=round(sum(tally.trials.values())),
        requests=round(total),
        stored=round(there),
        prompt_tokens=prompt,
        tokens_exact=tally.counted,
        completion_tokens=completion,
        cost=None if money is None else float(rounded_up(money)),
        too_long=study.planner.too_long.total(),
        too_long_by=study.planner.too_long_json(),
        excluded=study.planner.excluded.as_json(),
        exact=len(few) == len(items),
        at_most=study.settings.until is not None or bool(later),
        judged=any(name.startswith("judge:") for name in names),
        unlimited=not free and not limits.any,
        budget=limits.requests,
        short=limits.short_of(total - there, prompt, completion, bytes_),
        cautions=_cautions(study),
        prompts=tuple(tally.prompts.values()),
    )


def _parts(
    study: Study, items: Sequence[Item], few: Sequence[Item]
) -> list[tuple[Planner, Sequence[Probe], float]]:
    """Planners with their probes, and how many prompts each of theirs stands for."""
    if few is items:
        return [(study.planner, study.probes, 1.0)]
    singles = [probe for probe in study.probes if not isinstance(probe, SetProbe)]
    together = [probe for probe in study.probes if isinstance(probe, SetProbe)]
    share = len(items) / max(len(few), 1)
    return [(study.planner.batch(few), singles, share), (study.planner.again(), together, 1.0)]


def _cautions(study: Study) -> tuple[str, ...]:
    """What is said of thought, and of a study that may stop early: statistics for that alone."""
    thinking = _thinking(study)
    if study.settings.until is None:
        return thinking
    from horsesense.runs.savings import cautions

    return *thinking, *cautions(study)


def _thinking(study: Study) -> tuple[str, ...]:
    """What is said of how much the model is to think, if anything is set."""
    effort, most = study.settings.effort, study.settings.thinking_tokens
    room = study.settings.max_tokens
    if most is not None:
        asked = "" if effort is None else f", effort {effort}"
        return (f"Thought may take {most:,} tokens of each reply, its answer {room:,}{asked}.",)
    if effort is None:
        return ()
    few = " Give more, or --thinking-tokens N." if room < ENOUGH_TO_THINK else ""
    return (f"Thought (effort {effort}) and answer share the {room:,} of --max-tokens.{few}",)


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
    counted: bool = True
    forms: set[tuple[Any, ...]] = field(default_factory=set)
    trials: dict[str, float] = field(default_factory=dict)
    """Signature of a probe -> prompts."""
    own: dict[str, set[Key]] = field(default_factory=dict)
    """Signature of a probe -> its requests."""
    keys: dict[Key, tuple[float, int, int, int]] = field(default_factory=dict)
    """Key -> weight, prompt tokens, most completion tokens, prompt tokens as they are charged
    where nobody counts them."""
    prompts: dict[tuple[str, Condition], ShownPrompt] = field(default_factory=dict)
    """Template, and what distinguishes prompts with several problems -> the first of them."""

    def add(self, planner: Planner, planned: Planned, weight: float) -> None:
        trial, request = planned.trial, planned.request
        place = trial.probe, trial.condition
        signature, _ = planner.made[place]
        self.trials[signature] = self.trials.get(signature, 0.0) + weight
        self.own.setdefault(signature, set()).add(planned.key)
        # Prompts with several problems are numbered by their bundles, which are no forms.
        number = 0 if len(trial.variants) > 1 else trial.repetition
        self.forms.add((*place, number, trial.sample))
        kind = trial.form, trial.condition.without("size") if len(trial.variants) > 1 else PLAIN
        if kind not in self.prompts:
            told = str(trial.condition)
            shown = ShownPrompt(trial.form, trial.probe, told, written(request))
            self.prompts[kind] = shown
        if planned.key in self.keys:
            return
        tokens = self.model.count_tokens(request)
        self.counted = self.counted and tokens is not None
        most = bound(request).prompt_tokens if tokens is None else tokens
        tokens = characters(request) // 4 if tokens is None else tokens
        room, context = request.params.max_tokens, self.study.capabilities.context_length
        self.keys[planned.key] = weight, tokens, room, most
        if context is not None and tokens + room > context:
            self.study.planner.too_long[place] += 1

    def probes(self) -> tuple[ProbePlan, ...]:
        """What each probe asks that asks anything."""
        return tuple(
            ProbePlan(p.name, p.signature, round(n), self._alone(p), p.stage > 1)
            for p in self.study.probes
            if (n := self.trials.get(p.signature))
        )

    def _alone(self, probe: Probe) -> int:
        """Requests of a probe with the original and with what it needs."""
        together = {p.signature for p in parse_probes((*probe.needs, probe.signature))}
        return len(set[Key]().union(*(self.own.get(signature, ()) for signature in together)))

    def never(self, *, whole: bool) -> tuple[str, ...]:
        """Names of probes that ask nothing, as far as that is sure: not from a sample of items."""
        every = self.study.probes
        asked = {probe.name for probe in every if probe.signature in self.trials}
        sure = [p for p in every if p.stage == 1 and (whole or isinstance(p, SetProbe))]
        return tuple(dict.fromkeys(p.name for p in sure if p.name not in asked))


def written(request: Request) -> str:
    """A prompt as people read it: turns apart, each after the first with whose it is."""
    if request.messages is None:
        return request.text or ""
    first, *others = request.messages
    return "\n\n".join([first[1], *(f"[{role}]\n{text}" for role, text in others)])


def evenly(items: Sequence[Item], n: int) -> Sequence[Item]:
    """At most `n` of the items, at even distances, so that no part of a sorted set is left out."""
    if len(items) <= n:
        return items
    return [items[place * len(items) // n] for place in range(n)]


def items_of(n: int, dataset: str) -> str:
    """So many items, and of which set, if its name says more than that they are items.

    >>> items_of(1200, "mmlu"), items_of(12, "items")
    ('1,200 items of mmlu', '12 items')
    """
    items = f"{n:,} item{'s' * (n != 1)}"
    return items if dataset == "items" else f"{items} of {dataset}"

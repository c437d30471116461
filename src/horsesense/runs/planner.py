"""From items and probes to numbered trials with their requests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from horsesense.items.item import Item, ItemSet
from horsesense.models.messages import Key, Request
from horsesense.probes.base import NotApplicableError, Probe, SetProbe, Setting
from horsesense.prompts import Prompter
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Served
from horsesense.trials.trial import Trial, prompt_of

EXAMPLES = 5
TWICE = "prompts that came twice under the same conditions are put once"


class Planned(NamedTuple):
    """A trial with its number in the run and the request that puts it."""

    number: int
    trial: Trial
    key: Key
    request: Request


@dataclass
class Exclusions:
    """Items to which a probe does not apply, by probe and reason."""

    ids: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, probe: str, reason: str, item_id: str) -> None:
        self.ids[probe, reason].append(item_id)

    def as_json(self) -> list[dict[str, Any]]:
        """One row per probe and reason, with the number of items and a few of their ids."""
        return [
            {"probe": probe, "reason": reason, "items": len(ids), "examples": ids[:EXAMPLES]}
            for (probe, reason), ids in self.ids.items()
        ]


@dataclass
class Planner:
    """Generates the trials of a study, item by item, so that millions need no memory.

    Attributes:
        items, probes, setting, prompter: what is asked, and how.
        identity: of the model; part of every key.
        excluded: filled while trials are generated.
        made: (probe, condition) -> (signature of the probe, prompt form), filled likewise.
        too_long: (probe, condition) -> prompts that exceed the model's context and were not
            sent.
        count: trials generated so far.
        own: ids of the items that are asked here, the others being of other shards; None for all.
        only: signature of a probe -> ids of the items that it is put to; None for all.
        as_shown: gives a trial as it was shown to a model that was recorded.
    """

    items: ItemSet
    probes: Sequence[Probe]
    setting: Setting
    prompter: Prompter
    identity: str
    excluded: Exclusions = field(default_factory=Exclusions)
    made: dict[tuple[str, Condition], tuple[str, str]] = field(default_factory=dict)
    too_long: Counter[tuple[str, Condition]] = field(default_factory=Counter)
    count: int = 0
    own: Collection[str] | None = None
    only: Mapping[str, Collection[str]] | None = None
    as_shown: Callable[[Trial], Trial] | None = None

    def too_long_json(self) -> list[dict[str, Any]]:
        """One row per probe and condition with prompts that were too long to be sent."""
        return [
            {"probe": probe, "condition": str(condition), "prompts": prompts}
            for (probe, condition), prompts in self.too_long.items()
        ]

    def trials(self, probes: Sequence[Probe]) -> Iterator[Trial]:
        """Trials of some of the probes, without requests; exclusions are not recorded."""
        for _, trial in self.by_probe(probes):
            yield trial

    def by_probe(self, probes: Sequence[Probe]) -> Iterator[tuple[Probe, Trial]]:
        """The same, each with its probe."""
        return self._generate(probes, record=False)

    def batch(self, items: Sequence[Item]) -> Planner:
        """A planner that puts trials about some of the items alone, and counts anew."""
        return replace(self.again(), items=replace(self.items, items=tuple(items)))

    def again(self) -> Planner:
        """A planner of the same trials, which counts anew."""
        return replace(self, excluded=Exclusions(), made={}, too_long=Counter(), count=0)

    def counted(self) -> tuple[Any, ...]:
        """What was counted, but for prompts that are too long, as plain values (see `add`)."""
        made = [(name, str(condition), *told) for (name, condition), told in self.made.items()]
        return self.count, list(self.excluded.ids.items()), made

    def add(self, counted: tuple[Any, ...]) -> None:
        """Count what another planner counted after what this one did."""
        count, excluded, made = counted
        self.count += count
        for reason, ids in excluded:
            self.excluded.ids[reason] += ids
        for name, condition, signature, form in made:
            self.made.setdefault((name, Condition.parse(condition)), (signature, form))

    def plan(self, probes: Sequence[Probe]) -> Iterator[Planned]:
        """Numbered trials with requests, item by item; exclusions are recorded."""
        for probe, trial in self._generate(probes, record=True):
            if (place := (trial.probe, trial.condition)) not in self.made:
                self.made[place] = probe.signature, trial.form
            request = self.prompter.request(trial)
            identity = other_model(trial) or self.identity
            yield Planned(self.count, trial, request.key(identity), request)
            self.count += 1

    def _generate(self, probes: Sequence[Probe], *, record: bool) -> Iterator[tuple[Probe, Trial]]:
        """Trials item by item, then those of the probes that need the whole set."""
        singles = [probe for probe in probes if not isinstance(probe, SetProbe)]
        for item in filter(self._ours, self.items):
            put: set[Hashable] = set()
            for probe in singles:
                if self.only is not None and item.id not in self.only[probe.signature]:
                    continue
                trials = self._apply(probe, item, record=record)
                once = self._once(probe, map(self._shown, trials), put)
                yield from ((probe, trial) for trial in once)
                if record and trials and not once:
                    self.excluded.add(probe.signature, TWICE, item.id)
        for probe in probes:
            if isinstance(probe, SetProbe):
                for trial in probe.set_trials(self._fit(probe, record=record), self.setting):
                    if self.own is None or trial.variants[0].item_id in self.own:
                        yield probe, self._shown(trial)

    def _shown(self, trial: Trial) -> Trial:
        return trial if self.as_shown is None else self.as_shown(trial)

    def _once(self, probe: Probe, trials: Iterable[Trial], put: set[Hashable]) -> list[Trial]:
        """The trials without those that `put` has, to which they are added.

        Equal prompts share one reply: as two trials of an item it would agree with itself, and
        count as two guesses. They come where two of the probes are one under two names (`order`
        and `order(design=cyclic)`), or where a probe draws one order twice.
        """
        if probe.repeats_prompts:
            return list(trials)
        once = []
        for trial in trials:
            before = len(put)
            put.add(prompt_of(trial))
            if len(put) > before:
                once.append(trial)
        return once

    def _ours(self, item: Item) -> bool:
        return self.own is None or item.id in self.own

    def _apply(self, probe: Probe, item: Item, *, record: bool) -> Sequence[Trial]:
        try:
            trials = probe.apply(item, self.setting)
            for why in probe.parts_left_out(item, self.setting) if record else ():
                self.excluded.add(probe.signature, why, item.id)
            return trials
        except NotApplicableError as reason:
            if record:
                self.excluded.add(probe.signature, str(reason), item.id)
            return ()

    def _fit(self, probe: SetProbe, *, record: bool) -> list[Item]:
        """The items that can stand in a trial of the probe."""
        fit = []
        for item in self.items:
            try:
                probe.check(item, self.setting)
            except NotApplicableError as reason:
                if record and self._ours(item):
                    self.excluded.add(probe.signature, str(reason), item.id)
            else:
                fit.append(item)
        if record:
            for why, item_id in probe.left_out(fit, self.setting):
                if self.own is None or item_id in self.own:
                    self.excluded.add(probe.signature, why, item_id)
        return fit


def other_model(trial: Trial) -> str | None:
    """The model that a trial is put to in place of the run's own, as `--model` names it."""
    return trial.extras.against if isinstance(trial.extras, Served) else None


def exceeds(
    request: Request, count_tokens: Callable[[Request], int | None], context: int | None
) -> bool:
    """Whether a prompt and the room for its reply certainly exceed a context of that many tokens.

    What cannot be counted is not known to exceed it.
    """
    if context is None:
        return False
    counted = count_tokens(request)
    return counted is not None and counted + request.params.max_tokens > context


def characters(request: Request) -> int:
    """Length of a prompt in characters."""
    if request.text is not None:
        return len(request.text)
    return sum(len(content) for _, content in request.messages or ())


def item_index(items: ItemSet) -> Mapping[str, int]:
    """Item id -> number in the set."""
    return {item.id: number for number, item in enumerate(items)}

"""Asking until decided: which probe is put to which items, from the answers that came so far.

Items come in a random order that the seed settles, batch by batch. After a batch the paired
differences of every finding are looked at (`stats.sequential`); a probe whose findings are all
decided is put to no further item. Nothing of this is stored but how far each probe went: the
decisions follow from the answers, by the same functions while asking and afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from horsesense.errors import UsageError
from horsesense.findings.accusation import ALPHA
from horsesense.findings.early import SHARE
from horsesense.items.item import Item, ItemSet
from horsesense.measures.cells import Cell
from horsesense.measures.contrast import REPEAT, tested
from horsesense.measures.joined import ORIGINAL
from horsesense.probes.base import Probe, SetProbe
from horsesense.runs.deciding import CHANGE, Ends, Key, deciding_reader, differences
from horsesense.runs.further import Further
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.runs.prepare import Study
from horsesense.stats.sequential import OPEN, Band, Decision, Design, in_random_order
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial, same_prompt


def batch_size(items: int) -> int:
    """Items between two looks: a look costs nothing, but requests want company."""
    return 50 if items >= 2000 else 25


def budget(extents: Extents) -> float:
    """Error budget of one finding: equal shares, fixed by the plan (weighted Bonferroni).

    A part of the verdict's whole is left for the findings that are not decided early; the level of
    the intervals has nothing to do with it.
    """
    return SHARE * ALPHA / max(1, sum(p.tested for p in extents.populations))


@dataclass
class _Put:
    """The items that one condition of a probe can be put to, by number.

    Attributes:
        shown: how many options each of them has there.
        changed: those of which it changes the prompt.
        members: of these, those whose change of accuracy is defined.
    """

    shown: dict[int, int] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    members: set[int] = field(default_factory=set)


UNKNOWN: Ends = (-1.0, 1.0)
"""Of an item whose change is not known at all."""


@dataclass
class _Finding:
    """One condition of a probe: the items that it applies to, and what has been seen."""

    probe: str
    population: Population
    members: frozenset[int]
    goal: Goal
    decision: Decision
    band: Band

    @property
    def key(self) -> Key:
        return self.population.probe, Condition.parse(self.population.condition)

    @property
    def going(self) -> bool:
        """Whether further answers are needed."""
        if self.decision.seen == self.population.units:
            return False
        if self.goal.precision is None:
            return bool(self.decision.code[0] == OPEN)
        low, high = self.band.ends()
        return high - low > 2 * self.goal.precision

    def look(self, values: Mapping[int, Ends], items: Sequence[int]) -> None:
        ends = [values.get(item, UNKNOWN) for item in items if item in self.members]
        d = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        self.decision.extend(d[:, None])
        if self.goal.precision is not None:
            self.band.extend(d)


@dataclass
class Deciding:
    """The state of a study that may stop early; made from answers alone, never stored.

    Attributes:
        seen: items of the random order whose answers were looked at.
        answered: items up to the last one with any answer.
        extents: signature of a probe -> items that it was put to.

    Raises UsageError where a probe cannot be asked item by item, or none has a finding.
    """

    study: Study
    number: Mapping[str, int]
    seen: int = 0
    answered: int = 0
    extents: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for probe in self.study.probes:
            if isinstance(probe, SetProbe) or probe.stage > 1:
                raise UsageError(
                    f"--until takes probes item by item; {probe.name} "
                    + (
                        "puts several items into a prompt."
                        if isinstance(probe, SetProbe)
                        else "depends on the answers to others."
                    ),
                    hint="Leave it out with --probes, or ask everything without --until; of the"
                    " suites, basic, know-no and look-at-text can stop early.",
                )
        self.reader = deciding_reader(self.study)
        self.goal = Goal.parse(self.study.settings.until or "decided")
        self.order = in_random_order([i.id for i in self.study.items], self.study.settings.seed)
        self.extents = {probe.signature: 0 for probe in self.study.probes}
        size = batch_size(len(self.order))
        self.further = Further(self.study, self.reader.name, size) if self.goal.every else None
        if not self._findings:
            raise UsageError(
                "--until has nothing to decide: no probe changes what should leave accuracy as it"
                " is, about items whose right answer is known.",
                hint="Add a probe such as order or labels.",
            )

    @cached_property
    def _trials(self) -> dict[tuple[str, str, str], _Put]:
        """(signature, probe, condition) -> the items of its trials, where any change is defined."""
        found: dict[tuple[str, str, str], _Put] = {}
        published: Trial | None = None
        self.fixed_trials = 0
        self.putting: set[str] = set()
        for probe, trial in self.study.planner.by_probe(self.study.probes):
            self.fixed_trials += 1
            self.putting.add(probe.signature)
            published = trial if trial.probe == ORIGINAL else published
            same = published is not None and same_prompt(trial, published)
            key = (probe.signature, trial.probe, trial.condition.format())
            put, item = found.setdefault(key, _Put()), self.number[trial.variant.item_id]
            put.shown[item] = max(put.shown.get(item, 0), len(trial.variant.options))
            if trial.probe == ORIGINAL or not same:
                put.changed.add(item)
                if _scored(trial, self.study.items):
                    put.members.add(item)
        return {key: put for key, put in found.items() if put.members}

    @cached_property
    def populations(self) -> tuple[Population, ...]:
        names = tested((p.name, p.invariant) for p in self.study.probes)
        return tuple(
            Population(
                probe=probe,
                condition=condition,
                units=len(put.members),
                tested=probe in names and Condition.parse(condition).get("items", "all") == "all",
                items=len(put.shown),
                changed=len(put.changed),
                options=tuple(sorted(Counter(put.shown.values()).items())),
            )
            for (_, probe, condition), put in self._trials.items()
        )

    @cached_property
    def _findings(self) -> list[_Finding]:
        alpha = budget(self.told())
        made = []
        for (signature, _, _), population in zip(self._trials, self.populations, strict=True):
            if population.tested:
                put = self._trials[signature, population.probe, population.condition]
                design = Design(population.units, self.goal.size, alpha)
                made.append(
                    _Finding(
                        signature,
                        population,
                        frozenset(put.members),
                        self.goal,
                        Decision(design),
                        Band(design),
                    )
                )
        return made

    def active(self) -> list[Probe]:
        """Probes that are put to the next items; none once everything is decided.

        A probe without a finding of its own goes on with the others, and so do the original and a
        repeat, which others are compared with; one whose prompts are all another's does not.
        """
        if not self.seen:
            return list(self.study.probes)
        going = {finding.probe for finding in self._findings if finding.going}
        deciding = {finding.probe for finding in self._findings}
        if self.further is not None:
            undecided, accused = self.further.undecided(), self.further.accused
            probes = self.study.probes
            going |= {probe.signature for probe in probes if probe.name in undecided}
            deciding |= {probe.signature for probe in probes if probe.name in accused}
        if not going or self.seen == len(self.order):
            return []
        return [
            probe
            for probe in self.study.probes
            if probe.signature in self.putting
            if probe.signature not in deciding - going or probe.name in (ORIGINAL, REPEAT)
        ]

    def next_items(self, probes: Iterable[Probe]) -> list[Item]:
        """The next batch in the random order, which these probes are now put to."""
        end = min(len(self.order), self.seen + batch_size(len(self.order)))
        chosen = self.order[self.seen : end]
        self.extents |= {probe.signature: end for probe in probes}
        return [self.study.items.by_id[name] for name in chosen]

    def came(self, ids: Collection[str], items: Sequence[Item]) -> None:
        """Of the next batch, items with these ids have an answer."""
        last = max((n for n, item in enumerate(items, 1) if item.id in ids), default=0)
        self.answered = self.seen + last if last else self.answered

    def end(self) -> None:
        """Asking ended before its goal: what nothing came back of was not asked.

        Of the items up to the last one with an answer, every answer that is not there is missing.
        Where there is no answer at all, the first batch is what would be asked.
        """
        if self.answered:
            self.extents = {name: min(n, self.answered) for name, n in self.extents.items()}

    def look(self, probes: Sequence[Probe], items: Sequence[Item], cells: Sequence[Cell]) -> None:
        """Look at all answers to a batch."""
        found = differences(cells, CHANGE)
        numbers = [self.number[item.id] for item in items]
        names = {probe.signature for probe in probes}
        for finding in self._findings:
            if finding.probe in names:
                finding.look(found.get(finding.key, {}), numbers)
        if self.further is not None:
            self.further.look(cells)
        self.seen += len(items)

    def only(self) -> dict[str, frozenset[str]]:
        """Which items each probe was put to."""
        return {name: frozenset(self.order[:n]) for name, n in self.extents.items()}

    def told(self) -> Extents:
        """What is kept of it."""
        return Extents(
            goal=self.study.settings.until or "decided",
            reader=self.reader.name,
            batch=batch_size(len(self.order)),
            extents=self.extents,
            populations=self.populations,
            fixed_trials=self.fixed_trials,
        )


def _scored(trial: Trial, items: ItemSet) -> bool:
    """Whether a trial and the original of its item have right answers to be compared."""
    known = trial.expects == "none" or trial.variant.gold_at is not None
    gold = items.by_id[trial.variant.item_id].gold is not None
    return known and gold and trial.answer_format in CHANGE.answer_format

"""Asking until decided: which probe is put to which items, from the answers that came so far.

Items come in a random order that the seed settles, batch by batch. After a batch the paired
differences of every finding are looked at (`stats.sequential`); a probe whose findings are all
decided is put to no further item. Nothing of this is stored but how far each probe went: the
decisions follow from the answers, by the same functions while asking and afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from horsesense.errors import UsageError
from horsesense.findings.accusation import ALPHA
from horsesense.findings.early import SHARE, Banded
from horsesense.findings.evidence import Evidence
from horsesense.items.item import Item, ItemSet
from horsesense.measures.base import FINITE, Estimate, Measure
from horsesense.measures.cells import Cell
from horsesense.measures.contrast import tested
from horsesense.measures.joined import ORIGINAL
from horsesense.probes.base import Probe, SetProbe
from horsesense.runs.deciding import (
    CHANGE,
    SCORE,
    SHARES,
    Ends,
    Floats,
    Key,
    deciding_reader,
    differences,
)
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.runs.prepare import Study
from horsesense.stats.cluster_bets import band_of_clusters
from horsesense.stats.sequential import (
    DOWN,
    KINDS,
    OPEN,
    RULED_OUT,
    UP,
    Band,
    Decision,
    Design,
    band,
    in_random_order,
)
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial, same_prompt

UNFINISHED = (
    "asking ended before the findings of the probe were decided, where this number has no valid"
    " interval; the same audit goes on, and without --until it asks all"
)
"""Why a measure is left out where a budget, say, ended asking."""
STOPPED = (
    "the probe was stopped when its findings were decided, where this number has no valid"
    " interval; the same audit without --until asks the rest"
)
"""Why a measure is left out where a probe was not put to all items."""


def batch_size(items: int) -> int:
    """Items between two looks: a look costs nothing, but requests want company."""
    return 50 if items >= 2000 else 25


LOOKS = 60
"""Looks at which a band is kept, to be drawn."""


def bands(d: Floats, design: Design, batch: int) -> list[list[float]]:
    """[items, low, high] at the looks, at most about `LOOKS` of them, and at the last item."""
    n = d.shape[-1]
    step = batch * -(-n // (batch * LOOKS)) or batch
    growing = Band(design)
    found = []
    for start in range(0, n, step):
        low, high = growing.extend(d[..., start : start + step]).ends()
        found.append([min(start + step, n), round(low, 4), round(high, 4)])
    return found


def budget(extents: Extents) -> float:
    """Error budget of one finding: equal shares, fixed by the plan (weighted Bonferroni).

    A part of the verdict's whole is left for the findings that are not decided early; the level of
    the intervals has nothing to do with it.
    """
    return SHARE * ALPHA / max(1, sum(p.tested for p in extents.populations))


UNKNOWN: Ends = (-1.0, 1.0)
"""Of an item whose change is not known at all."""


def _ends(values: Iterable[Ends]) -> Floats:
    """The lowest and the highest that each value can be, (2, items)."""
    return np.array([*values], dtype=np.float64).reshape(-1, 2).T


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
        d = _ends(values.get(item, UNKNOWN) for item in items if item in self.members)
        self.decision.extend(d[:, None])
        if self.goal.precision is not None:
            self.band.extend(d)


@dataclass
class Deciding:
    """The state of a study that may stop early; made from answers alone, never stored.

    Raises UsageError where a probe cannot be asked item by item, or none has a finding.
    """

    study: Study
    number: Mapping[str, int]
    seen: int = 0
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
        if not self._findings:
            raise UsageError(
                "--until has nothing to decide: no probe changes what should leave accuracy as it"
                " is, about items whose right answer is known.",
                hint="Add a probe such as order or labels.",
            )

    @cached_property
    def _trials(self) -> dict[tuple[str, str, str], set[int]]:
        """(signature, probe, condition) -> numbers of the items whose change is defined."""
        found: dict[tuple[str, str, str], set[int]] = {}
        published: Trial | None = None
        self.fixed_trials = 0
        for probe, trial in self.study.planner.by_probe(self.study.probes):
            self.fixed_trials += 1
            published = trial if trial.probe == ORIGINAL else published
            same = published is not None and same_prompt(trial, published)
            if (trial.probe == ORIGINAL or not same) and _scored(trial, self.study.items):
                key = (probe.signature, trial.probe, trial.condition.format())
                found.setdefault(key, set()).add(self.number[trial.variant.item_id])
        return found

    @cached_property
    def populations(self) -> tuple[Population, ...]:
        names = tested((p.name, p.invariant) for p in self.study.probes)
        return tuple(
            Population(
                probe=probe,
                condition=condition,
                units=len(members),
                tested=probe in names and Condition.parse(condition).get("items", "all") == "all",
            )
            for (_, probe, condition), members in self._trials.items()
        )

    @cached_property
    def _findings(self) -> list[_Finding]:
        alpha = budget(self.told())
        made = []
        for (signature, _, _), population in zip(self._trials, self.populations, strict=True):
            if population.tested:
                members = self._trials[signature, population.probe, population.condition]
                design = Design(population.units, self.goal.size, alpha)
                made.append(
                    _Finding(
                        signature,
                        population,
                        frozenset(members),
                        self.goal,
                        Decision(design),
                        Band(design),
                    )
                )
        return made

    def active(self) -> list[Probe]:
        """Probes that are put to the next items; none once everything is decided.

        A probe without a finding of its own (the original, a repeat) goes on with the others.
        """
        going = {finding.probe for finding in self._findings if finding.going}
        deciding = {finding.probe for finding in self._findings}
        if not going or self.seen == len(self.order):
            return []
        stopped = deciding - going
        return [probe for probe in self.study.probes if probe.signature not in stopped]

    def next_items(self, probes: Iterable[Probe]) -> list[Item]:
        """The next batch in the random order, which these probes are now put to."""
        end = min(len(self.order), self.seen + batch_size(len(self.order)))
        chosen = self.order[self.seen : end]
        self.extents |= {probe.signature: end for probe in probes}
        return [self.study.items.by_id[name] for name in chosen]

    def look(self, probes: Sequence[Probe], items: Sequence[Item], cells: Sequence[Cell]) -> None:
        """Look at all answers to a batch."""
        found = differences(cells, CHANGE)
        numbers = [self.number[item.id] for item in items]
        names = {probe.signature for probe in probes}
        for finding in self._findings:
            if finding.probe in names:
                finding.look(found.get(finding.key, {}), numbers)
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


@dataclass(frozen=True)
class Sequences:
    """The decisions and bands of a finished study, replayed from its tables.

    Attributes:
        cluster: number of each item's cluster; None where each item is one of its own.
    """

    extents: Extents
    items: ItemSet
    cells: Sequence[Cell]
    seed: int
    level: float
    cluster: npt.NDArray[np.intp] | None = None

    @cached_property
    def _rank(self) -> dict[int, int]:
        number = {item.id: place for place, item in enumerate(self.items)}
        order = in_random_order(list(number), self.seed)
        return {number[name]: rank for rank, name in enumerate(order)}

    @cached_property
    def _own(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.reader == self.extents.reader]

    @cached_property
    def stopped(self) -> frozenset[str]:
        """Names of the probes that were not put to all items."""
        whole = len(self.items)
        return frozenset(
            signature.partition("(")[0]
            for signature, n in self.extents.extents.items()
            if n < whole
        )

    def findings(self) -> list[dict[str, Any]]:
        """A row per finding: decision, band, and the items that it took.

        kind: found, ruled_out, cannot_tell or open; `direction` 1 or -1 where found. `at`: items
        at which the decision fell; `reached`: whether nothing more was wanted, decided or known to
        the precision named; `n` of `units` were asked, and of `missing` of them not every answer
        is there. `low` and `high` hold at `level`; `value` is the mean so far of the others, which
        stopping early pulls away from the smallest size that matters. `band`: [items, low, high]
        at the looks, not cut to the decision.
        """
        return [self._row(p, d) for p, d in self._sequences(CHANGE) if p.tested]

    def _sequences(self, measure: Measure) -> Iterator[tuple[Population, Floats]]:
        """The ends of the values of each population in the random order, (2, items)."""
        for population, values in self._valued(measure):
            yield population, _ends(values.values())

    def _valued(self, measure: Measure) -> Iterator[tuple[Population, dict[int, Ends]]]:
        """The ends of the values of each population by item number, in the random order."""
        found, changes = differences(self._own, measure), differences(self._own, CHANGE)
        known = {number for number, item in enumerate(self.items) if item.gold is not None}
        for population in self.extents.populations:
            key = population.probe, Condition.parse(population.condition)
            values = found.get(key, {})
            # Of a probe, only items that it changes are in the population, with a right answer.
            members = values.keys() & changes.get(key, values).keys() & known
            ranked = sorted(members, key=self._rank.__getitem__)
            yield population, {item: values[item] for item in ranked}

    def _row(self, population: Population, d: Floats) -> dict[str, Any]:
        goal, alpha = Goal.parse(self.extents.goal), budget(self.extents)
        design = Design(population.units, goal.size, alpha)
        decision = Decision(design).extend(d[:, None])
        code = int(decision.code[0])
        low, high = band(d, design, code)
        whole = d[0, d[0] == d[1]]
        return {
            "probe": population.probe,
            "condition": population.condition,
            "kind": KINDS[code],
            "direction": {UP: 1, DOWN: -1}.get(code, 0),
            "value": float(whole.mean()) if len(whole) else None,
            "low": low,
            "high": high,
            "level": 1 - (2 * alpha if code in (UP, DOWN, RULED_OUT) else alpha),
            "size": goal.size,
            "n": d.shape[1],
            "missing": d.shape[1] - len(whole),
            "units": population.units,
            "at": int(decision.at[0]) or None,
            "reached": high - low <= 2 * goal.precision if goal.precision else code != OPEN,
            "band": bands(d, design, self.extents.batch),
        }

    def estimates(self, naive: Iterable[Estimate]) -> Iterator[Estimate]:
        """Estimates with the intervals of stopped probes replaced by bands, or left out.

        An interval that supposes a number of items fixed beforehand is too narrow where asking
        stopped because of what was seen.
        """
        rows = self.findings()
        undecided = {r["probe"] for r in rows if r["kind"] == "open" and not r.get("reached")}
        bands = {
            (CHANGE.name, row["probe"], Condition.parse(row["condition"])): row for row in rows
        } | {
            (SCORE.name, p.probe, Condition.parse(p.condition)): self._score(p, d)
            for p, d in self._sequences(SCORE)
        }
        names = {p.probe for p in self.extents.populations if p.tested}
        for e in naive:
            if e.probe not in self.stopped or e.value is None:
                # One error budget: where the sequence decides, no second test does.
                yield replace(e, p_adjusted=None) if e.probe in names else e
                continue
            row = bands.get((e.measure, e.probe, e.condition))
            blank = replace(e, p_value=None, p_adjusted=None, detectable=None, low=None, high=None)
            if row is None or e.reader != self.extents.reader or not row["n"]:
                ended = e.probe in undecided or (undecided and e.probe not in names)
                note = UNFINISHED if ended else STOPPED
                yield replace(blank, value=None, interval="", note=note)
            else:
                ends = {name: row[name] for name in ("low", "high", "level")}
                how = f"{row['level']:g}betting({row['n']} of {row['units']} items, finite)"
                signature = replace(e.signature, interval=how)
                yield replace(blank, **ends, interval=FINITE, signature=signature)

    def band(self, evidence: Evidence, alpha: float) -> Banded | None:
        """The band of a share over items like these, with an error of `alpha` on either side.

        It is about as many items as there could be, not about these alone: an accusation is of the
        model, and where nearly all items were asked their own share is above what guessing gives
        half of the time. Clusters are its units. None unless the deciding reader read one share per
        item of a population that was planned.
        """
        measure = SHARES.get(evidence.measure)
        if measure is None or evidence.reader != self.extents.reader or evidence.group:
            return None
        where = evidence.probe, evidence.condition.format()
        for population, values in self._valued(measure):
            units = population.units
            if (population.probe, population.condition) == where and 0 < len(values) <= units:
                low, high = self._of_like_items(values, alpha)
                return Banded(max(0.0, low), high, len(values), units)
        return None

    def _of_like_items(self, values: Mapping[int, Ends], alpha: float) -> tuple[float, float]:
        """The band of a share, item number -> value in the random order."""
        d = np.clip(_ends(values.values()), 0.0, 1.0)
        if self.cluster is None or len(np.unique(self.cluster)) == len(self.items):
            return band(d, Design(ENDLESS, SIZE_OF_SCORE, 2 * alpha))
        looks = -(-len(self.items) // self.extents.batch)
        numbers = in_random_order([str(n) for n in np.unique(self.cluster)], self.seed)
        rank = {int(number): place for place, number in enumerate(numbers)}
        ranks = np.array([rank[int(self.cluster[item])] for item in values])
        return band_of_clusters(d, ranks, SIZE_OF_SCORE, alpha / looks)

    def _score(self, population: Population, d: Floats) -> dict[str, Any]:
        """The band of a share of right answers: one number, at the level of any interval."""
        low, high = band(d, Design(population.units, SIZE_OF_SCORE, 1 - self.level))
        return {
            "low": max(0.0, low),
            "high": high,
            "level": self.level,
            "n": d.shape[1],
            "units": population.units,
        }


ENDLESS = 10**9
"""Items of which those of a benchmark are a small part."""
SIZE_OF_SCORE = 0.05
"""Only how bold the bets on a share of right answers are."""

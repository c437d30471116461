"""Asking until decided: which probe is put to which items, from the answers that came so far.

Items come in a random order that the seed settles, batch by batch. After a batch the
questions of every probe are held to their bands (`Further`); a probe whose questions are all
decided is put to no further item. Nothing of this is stored but how far each probe went: the
decisions follow from the answers, by the same functions while asking and afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from horsesense.errors import UsageError
from horsesense.findings.early import BANDED, levels
from horsesense.findings.evidence import faulty, harmless
from horsesense.findings.guesses import INSTEAD, differs
from horsesense.findings.kinds import KINDS, Kind, rare_positions, sizes_of
from horsesense.findings.places import Anywhere
from horsesense.items.item import Item, ItemSet
from horsesense.measures.cells import Cell
from horsesense.measures.contrast import ORDER, REPEAT, tested
from horsesense.measures.joined import ORIGINAL
from horsesense.probes.base import Probe, SetProbe
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.model_based.cases import BulkReader
from horsesense.runs.bands import CHANGE, Bands, Seen, clusters
from horsesense.runs.expected import Expected
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.runs.prepare import Study, reader_names
from horsesense.stats.ratio_bets import in_random_order
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial, same_prompt


class Further:
    """The questions that asking waits for, from the answers so far: changes of accuracy, or all.

    They are held to the bands that the verdict will hold them to, at no higher a level: what is
    decided here is decided there. Where asking stops has no part in whether a band is right.
    """

    def __init__(
        self,
        study: Study,
        reader: str,
        batch: int,
        goal: Goal,
        places: Iterable[tuple[str, Condition]],
    ) -> None:
        settings, items = study.settings, study.items
        self.run = Expected.of(study, reader, reader_names(settings, items, study.model))
        self.bands = Bands(items, (), settings.seed, batch, clusters(items))
        self.goal = goal
        self.sizes: Mapping[str, float] = sizes_of(settings.smallest, goal.size)
        options = [len(item.options) for item in items]
        self.questions = self.run.questions(places, max(options, default=0))
        self.rare = rare_positions(options, self.sizes)
        self.kinds = [
            kind
            for kind in KINDS
            if kind.measure in BANDED and (goal.every or kind.measure == CHANGE.name)
        ]
        self._differs: set[bool] = set()

    def look(self, cells: Sequence[Cell]) -> None:
        """Take note of all answers to a batch."""
        self._differs |= {*differs(cells).values()}
        own = {kind.measure for kind in self.kinds}
        for measure in own | {INSTEAD[name] for name in own & INSTEAD.keys()}:
            self.bands.take(cells, measure)

    @property
    def accused(self) -> frozenset[str]:
        """Names of the probes that have such questions."""
        return frozenset(p for k in self.kinds for p in self.run.probes if k.asks(self.run, p))

    def undecided(self) -> frozenset[str]:
        """Names of the probes of which any is open."""
        return frozenset(probe for kind in self.kinds for probe in self._open(kind))

    def _open(self, kind: Kind) -> Iterator[str]:
        """Probes by which a kind accuses and that are not decided, and what these rest on."""
        own, steady = kind.measure, self._differs == {False}
        judged = INSTEAD.get(own, own) if steady else own
        for place, group in self.bands.places(judged):
            taken = kind.takes(self.run, Anywhere(*place, group))
            if not taken or (kind.by_position and group in self.rare):
                continue
            if (seen := self.bands.seen(judged, place, group)) is None:
                continue
            null, size = kind.null, self.sizes[kind.name]
            null = (seen.null or 0.0) if null is None else null
            if size < kind.room(null) and self._is_open(kind, seen, null, size):
                yield from {place[0], ORDER} if judged != own else {place[0]}

    def _is_open(self, kind: Kind, seen: Seen, null: float, size: float) -> bool:
        found, small = levels(kind.way, self.questions)
        if self.goal.precision is not None:
            low, high = self.bands.band(seen, small)
            return high - low > 2 * self.goal.precision
        if self.bands.lies(seen, *harmless(kind.way, null, size), small):
            return False
        return not any(self.bands.lies(seen, *e, found) for e in faulty(kind.way, null, size))


def deciding_reader(study: Study) -> Reader:
    """The reader whose readings decide: settled before the first answer.

    What a reply says, where there are replies; else the first reader that needs neither a fit nor
    a model of its own. UsageError where there is none.
    """
    replies = study.capabilities.text and study.settings.max_tokens > 0
    plain = [r for r in study.readers() if not isinstance(r, FittedReader | BulkReader)]
    ranked = sorted(plain, key=lambda reader: (reader.name == "text") is not replies)
    if not ranked:
        raise UsageError(
            "--until needs a reader that decides as answers come.",
            hint="Add text to --readers."
            if study.settings.max_tokens
            else "Give more --max-tokens, or --readers option_text.",
        )
    return ranked[0]


def batch_size(items: int) -> int:
    """Items between two looks: a look costs nothing, but requests want company."""
    return 50 if items >= 2000 else 25


@dataclass
class _Put:
    """The items that one condition of a probe can be put to, by their ids.

    Attributes:
        shown: how many options each of them has there.
        changed: those of which it changes the prompt.
        members: of these, those whose change of accuracy is defined.
    """

    shown: dict[str, int] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)


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
    seen: int = 0
    answered: int = 0
    extents: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for probe in self.study.probes:
            whole = isinstance(probe, SetProbe)
            if whole or probe.stage > 1:
                why = "takes the whole set at once" if whole else "depends on the answers to others"
                raise UsageError(
                    f"--until takes probes item by item; {probe.name} {why}.",
                    hint="Leave it out with --probes, or ask everything without --until; of the"
                    " suites, basic, know-no and look-at-text can stop early.",
                )
        self.reader = deciding_reader(self.study)
        goal = Goal.parse(self.study.settings.until or "decided")
        self.order = in_random_order([i.id for i in self.study.items], self.study.settings.seed)
        self.extents = {probe.signature: 0 for probe in self.study.probes}
        size = batch_size(len(self.order))
        tested = any(population.tested for population in self.populations)
        self.further = Further(self.study, self.reader.name, size, goal, self.places)
        if not tested:
            raise UsageError(
                "--until has nothing to decide: no probe changes what should leave accuracy as it"
                " is, about items whose right answer is known.",
                hint="Add a probe such as order or labels.",
            )

    @cached_property
    def _trials(self) -> dict[tuple[str, str, Condition], _Put]:
        """(signature, probe, condition) -> the items of its trials, where any change is defined."""
        found: dict[tuple[str, str, Condition], _Put] = {}
        published: Trial | None = None
        self.fixed_trials = 0
        self.putting: set[str] = set()
        for probe, trial in self.study.planner.by_probe(self.study.probes):
            self.fixed_trials += 1
            self.putting.add(probe.signature)
            published = trial if trial.probe == ORIGINAL else published
            same = published is not None and same_prompt(trial, published)
            put = found.setdefault((probe.signature, trial.probe, trial.condition), _Put())
            item = trial.variant.item_id
            put.shown[item] = max(put.shown.get(item, 0), len(trial.variant.options))
            if trial.probe == ORIGINAL or not same:
                put.changed.add(item)
                if _scored(trial, self.study.items):
                    put.members.add(item)
        self.places = {(probe, condition) for _, probe, condition in found}
        return {key: put for key, put in found.items() if put.members}

    @cached_property
    def populations(self) -> tuple[Population, ...]:
        names = tested((p.name, p.invariant) for p in self.study.probes)
        return tuple(
            Population(
                probe=probe,
                condition=condition.format(),
                units=len(put.members),
                tested=probe in names and condition.get("items", "all") == "all",
                items=len(put.shown),
                changed=len(put.changed),
                options=tuple(sorted(Counter(put.shown.values()).items())),
            )
            for (_, probe, condition), put in self._trials.items()
        )

    def active(self) -> list[Probe]:
        """Probes that are put to the next items; none once everything is decided.

        A probe without a finding of its own goes on with the others, and so do the original and a
        repeat, which others are compared with; one whose prompts are all another's does not.
        """
        if not self.seen:
            return list(self.study.probes)
        undecided, accused = self.further.undecided(), self.further.accused
        going = {probe.signature for probe in self.study.probes if probe.name in undecided}
        deciding = {probe.signature for probe in self.study.probes if probe.name in accused}
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

    def look(self, items: Sequence[Item], cells: Sequence[Cell]) -> None:
        """Look at all answers to a batch."""
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
            questions=self.further.questions,
        )


def _scored(trial: Trial, items: ItemSet) -> bool:
    """Whether a trial and the original of its item have right answers to be compared."""
    known = trial.expects == "none" or trial.variant.gold_at is not None
    gold = items.by_id[trial.variant.item_id].gold is not None
    return known and gold and trial.answer_format in CHANGE.answer_format

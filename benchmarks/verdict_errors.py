"""How often a verdict is wrong: whole studies of models whose truth is known.

    python benchmarks/verdict_errors.py --out RESULTS.jsonl
    python benchmarks/verdict_errors.py --out RESULTS.jsonl --groups innocent --suites basic
    python benchmarks/verdict_errors.py --out RESULTS.jsonl --table
    python benchmarks/verdict_errors.py --check
    python benchmarks/verdict_errors.py --out RESULTS.jsonl --shape mixed,texts
    python benchmarks/verdict_errors.py --model 'sim:prior?know=0.15&prior=1,1,1,1' --items 400

Every study has new items (simulated answers are hashes of item and prompt) and goes through the
production planner, prompts, readers, measures and verdict, in memory and without a report. A cell
(group, suite, items, model) is appended to --out when all its studies are done; the same command
goes on, and one with more --studies adds those that are missing. --table prints what is there;
--check prints what studies of many items find, to compare with the truths written here.

Groups: *innocent* models, for false accusations; *edge*, with an effect just above the size that
matters, for faults that are ruled out; *guilty*, whose fault must be found, beside the share of
the same studies in which the most powerful test of that finding alone rejects at the level that its
weight gives it.

--shape runs the same models with items that differ in their number of options, stand in clusters or
lose replies (`SHAPES` of verdict_shapes.py, which says what is true there).

--model runs one model of your own, in --suites (`basic`) and every --shape named, and prints how
many questions each study has, how many are ruled out on average, and in how many studies each is
found or ruled out.

Reference: the truth of each model, in closed form.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from itertools import islice, product
from math import erfc, sqrt
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import orjson
import polars as pl
from horsesense.findings.accusation import ALPHA, Accusation
from horsesense.findings.constant import Constants
from horsesense.findings.weights import weighted
from horsesense.stats.paired import Paired
from scipy.stats import binomtest

from horsesense.findings.evidence import Evidence
from horsesense.findings.finding import Finding
from horsesense.findings.kinds import KINDS, SIZES
from horsesense.findings.needed import Needed
from horsesense.findings.verdict import accusations, verdict
from horsesense.items.load import load_items
from horsesense.measures import estimate
from horsesense.measures.base import complete
from horsesense.measures.cells import MISSING, NO_OPTION, NOT_ASKED, STATUS_CODE, Cell, Scores
from horsesense.measures.estimate import Context, Found
from horsesense.measures.registry import MEASURES
from horsesense.models.base import Asked
from horsesense.models.messages import Key, Response
from horsesense.models.registry import make_model
from horsesense.models.simulated.backend import PROFILES
from horsesense.models.simulated.decision import Decision
from horsesense.models.simulated.profiles import Profile
from horsesense.models.simulated.second_thoughts import Slips
from horsesense.probes.base import Setting
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.reading import Reading
from horsesense.readers.registry import reads_scores
from horsesense.rng import unit
from horsesense.runs.ask import stages
from horsesense.runs.cells import cells
from horsesense.runs.garbage import fewer_collections
from horsesense.runs.parts import TableInMemory, frame_of
from horsesense.runs.planner import Planned
from horsesense.runs.prepare import Study, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings
from horsesense.runs.tables import (
    READINGS,
    TRIALS,
    is_correct,
    option_of,
    reading_row,
    trial_rows,
)
from horsesense.trials.history import load_history
from horsesense.trials.trial import Trial
from verdict_bundles import Bundles
from verdict_shapes import PLAIN, SHAPES, Reply, Shape

SUITES = ("basic", "revas", "know-no", "look-at-text", "multi-problem")
JUDGED = [MEASURES.get(name) for name in sorted({k.measure for k in KINDS} | {"status_share"})]
"""What a verdict rests on, and what the main reader is chosen by."""
COMPARING = ("mismatch_valid", "score_gain")
"""Those that compare two readers."""
REDRAWN = ("basic", "know-no")
"""Suites whose trials do not depend on answers, of one item each, read by readers without a fit."""


Measured = tuple[Results, list[Found]]


@dataclass(frozen=True)
class Case:
    """A model in a suite, with what is true of it.

    Attributes:
        group: innocent, edge or guilty.
        true: findings (a name, name/probe or name@reader) whose null does not hold.
        large: those whose effect is at least the size that matters.
        must: the finding that a guilty model must be found by.
        gold_first: whether the right option always stands first.
        shape: name of that of its items.
    """

    group: str
    suite: str
    model: str
    true: frozenset[str] = frozenset()
    large: frozenset[str] = frozenset()
    must: str = ""
    gold_first: bool = False
    shape: str = "plain"

    @property
    def items(self) -> Shape:
        return SHAPES[self.shape]

    def holds(self, f: Finding, among: frozenset[str]) -> bool:
        return bool({f.name, f"{f.name}/{f.probe}", f"{f.name}@{f.reader}"} & among)


def rows(case: Case, n: int, number: int) -> list[dict[str, Any]]:
    """New items: classes for many problems in one prompt, else options of their own."""
    if case.suite == "multi-problem":
        labels = ("north", "east", "south", "west")
        return [
            {"id": f"s{number}-{i}", "text": f"Case {number}.{i}", "label": labels[i % 4]}
            for i in range(n)
        ]
    shape = case.items
    return [
        {
            "id": f"s{number}-{i}",
            "question": f"Study {number}: which of these is number {i}?",
            "options": [f"answer {number}.{i}.{j}" for j in range(shape.k(i))],
            "answer_index": 0 if case.gold_first else shape.gold(i),
            **({"cluster": f"text {shape.cluster(i)}"} if shape.size > 1 else {}),
        }
        for i in range(n)
    ]


@cache
def settings_of(model: str, suite: str) -> Settings:
    probes = {} if suite == "basic" else {"suite": suite, "probes": ()}
    return Settings.of(items="benchmark", model=model, **probes)


def prepared(case: Case, n: int, number: int) -> tuple[Study, Any]:
    """A study that is ready to be asked, and its model."""
    settings = settings_of(case.model, case.suite).model_copy(update={"seed": number})
    items = load_items(rows(case, n, number))
    model = cast(Any, make_model(case.model))
    record = ModelRecord.of(model, asyncio.run(model.capabilities()))
    names = reader_names(settings, items, record)
    return prepare(settings, items, None, record, names), model


def asked(study: Study, model: Any) -> list[Cell]:
    """Every cell of a study: asked, read and joined as a run does it, in memory."""
    index = {item.id: place for place, item in enumerate(study.items)}
    readers, planner = study.readers(), study.planner
    names = [reader.name for reader in readers]
    trials, readings = TableInMemory(TRIALS), TableInMemory(READINGS)

    def tables() -> tuple[pl.LazyFrame, pl.LazyFrame]:
        return trials.frame().lazy(), readings.frame().lazy()

    for stage, probes in stages(study.probes):
        if stage > 1:
            planner.setting = replace(planner.setting, history=load_history(*tables(), names))
        answered = list(replies_of(model, planner.plan(probes)))
        if stage == 1:
            fit(readers, [(one.trial, reply) for one, reply in answered], planner.setting)
        for one, reply in answered:
            for row in trial_rows(one.number, stage, one.trial, one.key, index):
                trials.add(row)
            for reader in readers:
                if reader.name != "text" and one.trial.probe != "original":
                    continue  # of no use to a verdict: see `settled`
                for place, found in enumerate(reader.read(one.trial, reply)):
                    readings.add(reading_row(one.number, place, reader.name, found, one.trial))
    by_scores = [name for name in names if reads_scores(name)]
    return cells(*tables(), names, by_scores=by_scores)


def replies_of(model: Any, planned: Iterable[Planned]) -> Iterator[tuple[Planned, Response]]:
    """What the model replies, in batches that its answer key has room for; a prompt that comes
    again has the reply that it had."""
    had: dict[bytes, Response] = {}
    for batch in batched(planned, 500):
        model._answer_key.clear()
        new = [one for one in batch if one.key not in had]
        for one in new:
            model.attach_trial(one.key, one.trial)
        replies = asyncio.run(model.respond([Asked(one.key, one.request) for one in new]))
        had.update(zip([one.key for one in new], replies, strict=True))
        yield from ((one, had[one.key]) for one in batch)


def batched(planned: Iterable[Planned], size: int) -> Iterator[list[Planned]]:
    """Lists of up to `size` of them."""
    rest = iter(planned)
    while batch := list(islice(rest, size)):
        yield batch


def fit(
    readers: Sequence[Reader], answered: Sequence[tuple[Trial, Response]], setting: Setting
) -> None:
    """Let the readers that need it look at the answers of the first stage."""
    for reader in readers:
        if isinstance(reader, FittedReader):
            reader.fit([pair for pair in answered if pair[0].probe in reader.fits_on], setting)


def settled(study: Study, case: Case, n: int, every: Sequence[Cell]) -> Measured:
    """The estimates that a verdict needs, and what is behind them.

    A verdict takes the text's word but where it compares readers, and those as published; nor does
    it use minimum detectable effects: neither is computed, which changes no verdict.
    """
    sign = cast(Any, lambda *_: None)
    context = Context("benchmark", case.model, case.items.clusters(n), signature=sign)
    text = [cell for cell in every if cell.reader == "text"]
    published = [cell for cell in every if cell.probe == "original"]
    with patch.object(estimate, "minimum_detectable", lambda *_: None):
        found = estimate.found_all(text, [m for m in JUDGED if m.name not in COMPARING], context)
        pairs = [m for m in JUDGED if m.name in COMPARING]
        found += estimate.found_all(published, pairs, context)
    declared = ("name", "title", "invariant")
    findings = {
        "readers": [reader.name for reader in study.readers()],
        "probes": [{name: getattr(p, name) for name in declared} for p in study.probes],
        "stages": {"ask": {"state": "complete", "reason": ""}},
    }
    return Results(cast(Any, None), findings, tuple(one.estimate for one in found)), found


def measured(case: Case, n: int, number: int) -> Measured:
    """The estimates of one study."""
    study, every = answered(case, n, number)
    return settled(study, case, n, every)


def answered(case: Case, n: int, number: int) -> tuple[Study, list[Cell]]:
    """One study: redrawn from a template where its trials are the same in every study."""
    if case.suite in REDRAWN:
        template = Template.of(case, n)
        return template.study, template.redrawn(number)
    if case.suite == "multi-problem":
        bundles = bundles_of(case, n)
        return bundles.study, bundles.redrawn(number)
    study, model = prepared(case, n, number)
    return study, asked(study, model)


@lru_cache(maxsize=2)
def bundles_of(case: Case, n: int) -> Bundles:
    return Bundles.made(*prepared(case, n, 0))


@dataclass(frozen=True)
class Template:
    """The trials of a study, to which new answers are drawn for new items of the same shape.

    The first study is asked as any other; its cells hold the number of each trial in place of a
    score. A model's decisions are drawn anew, with other items' names and keys, and put where the
    readers would put them: prompts that are the same in one study are the same in all.

    Attributes:
        study, model: ready to be asked.
        planned: the trials.
        cells: as read from the text, and which trial stands in each place, or -1.
        shape: what the answers share, and which are lost.
    """

    study: Study
    model: Any
    planned: tuple[Planned, ...]
    cells: tuple[tuple[Cell, npt.NDArray[np.intp]], ...]
    shape: Shape = PLAIN

    @classmethod
    @lru_cache(maxsize=2)
    def of(cls, case: Case, n: int) -> Template:
        return cls.made(*prepared(case, n, 0), case.items)

    @classmethod
    def made(cls, study: Study, model: Any, shape: Shape = PLAIN) -> Template:
        planned = tuple(study.planner.plan(study.probes))
        index = {item.id: place for place, item in enumerate(study.items)}
        trials = [r for p in planned for r in trial_rows(p.number, 1, p.trial, p.key, index)]
        marks = [
            reading_row(p.number, 0, "text", Reading("empty", score=float(p.number)), p.trial)
            for p in planned
        ]
        made = cells(frame_of(trials, TRIALS).lazy(), frame_of(marks, READINGS).lazy(), ["text"])
        places = [np.nan_to_num(c[Scores].score, nan=-1).astype(np.intp) for c in made]
        return cls(study, model, planned, tuple(zip(made, places, strict=True)), shape)

    @cached_property
    def asked_as(self) -> list[tuple[int, str, Key]]:
        """Of each trial the item's number, whose knowledge it shares, and with whose luck it is
        answered: in a cluster of copies that of the first item's trial of the same name."""
        names = [item.id for item in self.study.items]
        index = {name: place for place, name in enumerate(names)}
        leading: dict[tuple[Any, ...], Key] = {}
        luck: dict[Key, Key] = {}
        found = []
        for one in self.planned:
            trial, i = one.trial, index[one.trial.variant.item_id]
            first, key = self.shape.cluster(i) if self.shape.shared else i, one.key
            if self.shape.shared == "answers":
                form = first, trial.probe, trial.condition, trial.repetition, trial.sample
                # A prompt that is put twice has one answer, by whatever name it came first.
                key = luck.setdefault(key, leading.setdefault(form, key))
            found.append((i, names[first], key))
        return found

    def redrawn(self, number: int) -> list[Cell]:
        """The cells of both readers for new items; `number` 0 are the template's own."""
        drawn: dict[bytes, Decision] = {}
        said: list[tuple[int, int, int, int]] = []
        first: list[tuple[int, int, int, int]] = []
        for one, (i, name, luck) in zip(self.planned, self.asked_as, strict=True):
            key = one.key
            if number:
                name = f"{name}/{number}"
                key, luck = (
                    blake2b(k + b"%d" % number, digest_size=16).digest() for k in (key, luck)
                )
            if key not in drawn:
                trial = replace(one.trial, variants=(replace(one.trial.variant, item_id=name),))
                drawn[key] = self.model.profile.decide_all(trial, luck)[0]
            decision = drawn[key]
            if self.shape.loses(i, key, number, self.reply(name, decision)):
                said.append(LOST)
                first.append(LOST)
                continue
            said.append(as_read(decision.says, decision.position, one.trial))
            token = decision.position
            if decision.logits and token is not None:
                token = max(range(len(decision.logits)), key=decision.logits.__getitem__)
            first.append(as_read(decision.says, token, one.trial))
        tables = {"text": np.array(said), "first_token": np.array(first)}
        return [
            filled(cell, place, tables[reader], reader)
            for cell, place in self.cells
            for reader in (tables if cell.probe == "original" else ["text"])
        ]

    def reply(self, name: str, decision: Decision) -> Reply:
        """What a loss may depend on."""
        know = {"oracle": 1.0, "uniform": 0.0}.get(self.model.profile.name)
        know = getattr(self.model.profile, "know", 0.0) if know is None else know
        return Reply(know, unit(b"knows", name.encode()) < know, decision.position)


LOST = (MISSING, -1, NO_OPTION, -1)


def as_read(says: str, position: int | None, trial: Trial) -> tuple[int, int, int, int]:
    """Status, position, option and correctness of a decision, as codes of a cell."""
    status = "answer" if says == "position" else says
    places = (position,) if says == "position" and position is not None else ()
    option = option_of(Reading(cast(Any, status), places), trial.variant)
    right = is_correct(option, trial, trial.variant)
    return (
        STATUS_CODE[status],
        places[0] if places else -1,
        NO_OPTION if option is None else option,
        -1 if right is None else int(right),
    )


def filled(cell: Cell, place: npt.NDArray[np.intp], table: npt.NDArray[Any], reader: str) -> Cell:
    """A template's cell with the answers of a table of trials."""
    kinds = {"status": np.int8, "position": np.int16, "option": np.int16, "correct": np.int8}
    empty = {"status": NOT_ASKED, "position": -1, "option": NO_OPTION, "correct": -1}
    columns: dict[str, Any] = {
        name: np.where(place >= 0, table[place, column], empty[name]).astype(kind)
        for column, (name, kind) in enumerate(kinds.items())
    }
    return replace(cell, reader=reader, by_scores=reader != "text", **columns)


def best_alone(a: Accusation, every: Sequence[Cell], shape: Shape = PLAIN) -> bool:
    """Whether the most powerful test of one accusation, alone, rejects at its weight's level.

    For positions they are relabelled within items, from the answers; for locked ones the exact sum
    of what guesses lock, of single items; exact binomial for shares of independent trials (in
    clusters: of as many as they are worth); for differences of single pairs the exact sign test of
    those that differ (McNemar), for others sign flips without continuity.
    """
    level, about = ALPHA * a.weight, a.evidence.about
    if a.kind.name == "position_preference":
        return by_relabelling(a.evidence, every, shape) <= level
    if a.kind.name == "position_locked" and shape.size == 1:
        return by_guessing(a.evidence, every) <= level
    side = {"above": "greater", "below": "less", "lacks": "less", "both": "two-sided"}[a.kind.way]
    if isinstance(about, Paired):
        differ, single = about.differing, about.mean_size == 1
        if single and about.moments[0].dd == differ > 0:
            ahead = round((differ + about.total) / 2)
            return bool(binomtest(ahead, differ, 0.5, side).pvalue <= level)
        squares = max(m.dd for m in about.moments)
        z = about.total / sqrt(squares) if squares else 0.0
        if a.kind.way == "both":
            return erfc(abs(z) / sqrt(2)) <= level
        return 0.5 * erfc((z if a.kind.way == "above" else -z) / sqrt(2)) <= level
    n = round(about.effective)
    null = a.null + a.size if a.kind.way == "lacks" else a.null
    return bool(binomtest(round(n * about.estimate), n, null, side).pvalue <= level)


def by_relabelling(e: Evidence, every: Sequence[Cell], shape: Shape = PLAIN) -> float:
    """Chance of as many choices of a position, or more, if positions change places within the items
    of a cluster that have as many options."""
    (cell,) = [
        c for c in every if (c.probe, c.reader, c.condition) == (e.probe, e.reader, e.condition)
    ]
    counts: dict[tuple[int, int], npt.NDArray[np.intp]] = {}
    for item, k, chosen in zip(cell.item.tolist(), cell.k.tolist(), cell.position, strict=True):
        row = np.bincount(chosen[chosen >= 0], minlength=k)
        counts[shape.cluster(item), k] = row + counts.get((shape.cluster(item), k), 0)
    place, seen, chance = "ABCDEFGHIJ".index(e.group), 0, np.ones(1)
    for row in counts.values():
        if place < len(row):
            seen += int(row[place])
            chance = np.convolve(chance, np.bincount(row) / len(row))
    return float(chance[seen:].sum())


def by_guessing(e: Evidence, every: Sequence[Cell]) -> float:
    """Chance of as many items locked to a position, or more, by the sum of single guesses."""
    (cell,) = [
        c for c in every if (c.probe, c.reader, c.condition) == (e.probe, e.reader, e.condition)
    ]
    place, chance = "ABCDEFGHIJ".index(e.group), np.ones(1)
    used = complete(cell) & (cell.k > place)
    for k, orders in zip(cell.k[used], cell.asked[used].sum(axis=1), strict=True):
        one = float(k) ** -float(orders)
        chance = np.convolve(chance, [1 - one, one])
    seen = np.where(cell.asked, cell.position == place, True).all(axis=1) & used
    return float(chance[int(seen.sum()) :].sum())


def said(case: Case, n: int, number: int) -> tuple[Sequence[Finding], Measured, list[Cell]]:
    """What a verdict says of one study, and what it rests on.

    How many items would tell is not computed, which changes no outcome.
    """
    study, every = answered(case, n, number)
    results, found = settled(study, case, n, every)
    with patch("horsesense.findings.needed.items_needed", lambda *_, **__: Needed()):
        told = verdict(results, found, constants=Constants(every, [*study.items]))
    return told, (results, found), every


@fewer_collections()
def judged(case: Case, n: int, number: int) -> dict[str, Any]:
    """One study: what it found and ruled out wrongly, and whether it found what it must."""
    told, (results, found), every = said(case, n, number)
    wrong = [f.name for f in told if f.kind == "found" and not case.holds(f, case.true)]
    missed = [f.name for f in told if f.kind == "ruled_out" and case.holds(f, case.large)]
    alone = False
    if case.must:
        made = weighted([*accusations(results, found, SIZES)])
        alone = any(best_alone(a, every, case.items) for a in made if a.kind.name == case.must)
    return {
        "accused": sorted(set(wrong)),
        "cleared": sorted(set(missed)),
        "found": any(f.kind == "found" and f.name == case.must for f in told),
        "alone": alone,
    }


def cell(case: Case, n: int, first: int, studies: int, *, shaped: bool = False) -> dict[str, Any]:
    """The studies of a cell from number `first` up to `studies` (without it), as counts."""
    start = time.perf_counter()
    told = [judged(case, n, number) for number in range(first, studies)]
    return {
        "group": case.group,
        "suite": case.suite,
        "model": case.model,
        **({"shape": case.shape} if shaped else {}),
        "items": n,
        "studies": len(told),
        "must": case.must,
        "accused": sum(bool(t["accused"]) for t in told),
        "cleared": sum(bool(t["cleared"]) for t in told),
        "found": sum(t["found"] for t in told),
        "alone": sum(t["alone"] for t in told),
        "of": Counter(name for t in told for name in t["accused"]),
        "cleared_of": Counter(name for t in told for name in t["cleared"]),
        "seconds": round(time.perf_counter() - start),
    }


@dataclass(frozen=True)
class Unnoticing(Slips):
    """Slips where the right answer is missing, and nowhere else: the items in the words of a probe,
    which it is compared with, are of that probe too."""

    under: str = ""

    name = "unnoticing"
    summary = "slips in a given share of its replies where no option is right"

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        if trial.expects == "none":
            return super().decide_all(trial, key)
        return Profile.decide_all(self, trial, key)


PROFILES.add(Unnoticing.name, Unnoticing)
GUESSING = frozenset(("no_better_than_guessing", "no_agreement"))


def flat(know: float) -> str:
    return f"sim:prior?know={know}&prior=1,1,1,1"


INNOCENT = ("sim:oracle", flat(0.9), flat(0.6), flat(0.3), "sim:uniform")
ADDED = frozenset(("accuracy_change/extra_options", "answer_change/extra_options"))
SINGLE_LABELS = frozenset(("many_problems/select_one",))
TRUE: dict[tuple[str, str], frozenset[str]] = {
    ("basic", "sim:uniform"): GUESSING,
    # Who guesses does not say that the right answer is missing.
    ("know-no", flat(0.3)): frozenset(("without_gold",)),
    ("know-no", "sim:uniform"): GUESSING | {"without_gold"},
    # Of wrong options proposed alone, who guesses accepts half.
    ("revas", flat(0.6)): frozenset(("wrong_accepted",)),
    ("revas", flat(0.3)): frozenset(("wrong_accepted",)),
    ("revas", "sim:uniform"): GUESSING | {"wrong_accepted"},
    # A guess falls on an abstention option too, and on several labels that are asked one by one.
    ("look-at-text", flat(0.9)): ADDED,
    ("look-at-text", flat(0.6)): ADDED,
    ("look-at-text", flat(0.3)): ADDED,
    ("look-at-text", "sim:uniform"): GUESSING | ADDED,
    ("multi-problem", flat(0.9)): SINGLE_LABELS,
    ("multi-problem", flat(0.6)): SINGLE_LABELS,
    ("multi-problem", flat(0.3)): SINGLE_LABELS,
    ("multi-problem", "sim:uniform"): GUESSING | SINGLE_LABELS,
}
"""What is true of an innocent model in a suite; nothing where it is not named."""


def edge(suite: str, model: str, *large: str, gold_first: bool = False) -> Case:
    return Case("edge", suite, f"sim:{model}", large=frozenset(large), gold_first=gold_first)


def under(probe: str) -> list[str]:
    """What a wrong answer under a probe is."""
    return [f"{name}/{probe}" for name in ("accuracy_change", "answer_change")]


def silent_under(probe: str) -> list[str]:
    """What no answer under a probe is."""
    return [f"{name}/{probe}" for name in ("accuracy_change", "fewer_choices")]


EDGE = (
    edge(
        "basic",
        "prior?know=0&prior=30.5,23.2,23.2,23.1",
        "position_preference",
        "no_better_than_guessing",
    ),
    edge(
        "basic",
        "prior?know=0.6&prior=39,20.3,20.3,20.4",
        "position_preference",
        "accuracy_change/order",
        "without_question",
        "none_option",
        gold_first=True,
    ),
    edge("basic", "talker?disagree=0.052", "first_token", "other_reader"),
    edge("basic", "locked?lock=0.07", "answer_change/order"),
    edge("basic", "locked?lock=0.055&prior=1,0", "position_locked"),
    edge(
        "basic", "slips?under=labels&wrong=0.055", "accuracy_change/labels", "answer_change/labels"
    ),
    edge(
        "basic", "slips?under=labels&silent=0.055", "fewer_choices/labels", "accuracy_change/labels"
    ),
    edge(
        "basic",
        "slips?under=none_of_the_above&wrong=0.055",
        "none_option",
        "accuracy_change/none_of_the_above",
    ),
    edge("basic", "slips?under=options_only&gold=0.0734", "without_question"),
    edge("basic", "slips?under=&silent=0.105", "no_choice"),
    edge("basic", "talker?know=1&disagree=0.022", "other_reader"),
    edge("know-no", "unnoticing?wrong=0.555", "without_gold", "none_option"),
    edge("know-no", "unnoticing?wrong=0.055", "none_option"),
    edge("know-no", "slips?under=gold_plus_none&wrong=0.055", "accuracy_change/gold_plus_none"),
    edge("revas", "slips?under=true_false&wrong=0.205", "wrong_accepted"),
    edge("look-at-text", "slips?under=letter_swap&wrong=0.06", *under("letter_swap")),
    edge("look-at-text", "slips?under=extra_options&wrong=0.055", *under("extra_options")),
    edge("look-at-text", "slips?under=letter_swap&silent=0.06", *silent_under("letter_swap")),
    edge("look-at-text", "talker?know=1&disagree=0.022", "other_reader@text"),
    edge("multi-problem", "slips?under=batch&wrong=0.055", "many_problems/batch"),
    edge("multi-problem", "slips?under=select_all&wrong=0.055", "many_problems/select_all"),
)
"""An effect just above the size that matters, or exactly none where "better" would be claimed."""
GUILTY = {
    ("basic", "prior?know=0&prior=30,23.4,23.3,23.3"): "position_preference",
    ("basic", "prior?know=0.6&prior=70,10,10,10"): "position_preference",
    ("basic", "prior?know=0.9&prior=40,20,20,20"): "position_preference",
    ("basic", "prior?know=0.95&prior=50,17,17,16"): "position_preference",
    ("basic", "prior?know=0.95&prior=45,19,18,18"): "position_preference",
    ("basic", "locked?lock=0.1&prior=1,0"): "position_locked",
    ("basic", "talker?disagree=0.1"): "first_token",
    ("basic", "locked?lock=0.05"): "answer_change",
    ("basic", "ranker"): "none_option",
    ("basic", "cheat"): "without_question",
    ("basic", "refuse"): "no_choice",
    ("basic", "uniform"): "no_better_than_guessing",
    ("basic", "habit?share=0.05"): "answer_change",
    ("basic", "slips?under=labels&wrong=0.03"): "accuracy_change",
    ("basic", "slips?under=labels&silent=0.03"): "fewer_choices",
    ("basic", "slips?under=none_of_the_above&wrong=0.02"): "none_option",
    ("basic", "slips?under=options_only&gold=0.1"): "without_question",
    ("basic", "slips?under=&silent=0.09"): "no_choice",
    ("basic", "talker?know=1&disagree=0.03"): "other_reader",
    ("basic", "prior?know=0&prior=1,1,1,1"): "no_agreement",
    ("know-no", "unnoticing?wrong=0.56"): "without_gold",
    ("know-no", "unnoticing?wrong=0.03"): "none_option",
    ("revas", "slips?under=true_false&wrong=0.17"): "wrong_accepted",
    ("look-at-text", "slips?under=letter_swap&wrong=0.1"): "accuracy_change",
    ("multi-problem", "slips?under=batch&wrong=0.12"): "many_problems",
}
"""By suite and model, the finding that must be found."""


SHAPED = frozenset(
    (
        "sim:prior?know=0&prior=30,23.4,23.3,23.3",
        "sim:locked?lock=0.1&prior=1,0",
        "sim:prior?know=0&prior=30.5,23.2,23.2,23.1",
        "sim:slips?under=labels&wrong=0.055",
    )
)
"""Guilty models and models of the edge that shapes are compared with."""


def cases(shape: str = "plain", *, fewer: bool = False) -> Iterator[Case]:
    """Every model in every suite, or the fewer that shapes are compared with."""
    for case in _cases():
        if not fewer or case.group == "innocent" or case.model in SHAPED:
            yield replace(case, shape=shape)


def _cases() -> Iterator[Case]:
    for suite in SUITES:
        for model in INNOCENT:
            true = TRUE.get((suite, model), frozenset())
            yield Case("innocent", suite, model, true, true & GUESSING)
    yield from EDGE
    for (suite, model), must in GUILTY.items():
        yield Case("guilty", suite, f"sim:{model}", frozenset((must,)), must=must)


PLAN = (
    ("innocent", "basic", 12),
    ("innocent", "basic", 40),
    ("edge", "basic", 100),
    ("innocent", "basic", 100),
    ("edge", "basic", 400),
    ("innocent", "know-no", 40),
    ("guilty", "basic", 400),
    ("innocent", "basic", 400),
    ("innocent", "know-no", 100),
    ("innocent", "revas", 40),
    ("innocent", "look-at-text", 40),
    ("innocent", "multi-problem", 40),
    ("innocent", "revas", 100),
    ("innocent", "look-at-text", 100),
    ("innocent", "multi-problem", 100),
    ("edge", "know-no", 100),
    ("edge", "know-no", 400),
    ("guilty", "know-no", 400),
    ("edge", "revas", 100),
    ("edge", "revas", 400),
    ("guilty", "revas", 100),
    ("edge", "look-at-text", 100),
    ("edge", "look-at-text", 400),
    ("guilty", "look-at-text", 100),
    ("edge", "multi-problem", 100),
    ("guilty", "multi-problem", 100),
)
"""Group, suite and number of items, in the order in which they are run."""
SHAPED_PLAN = (
    ("innocent", "basic", 40),
    ("innocent", "basic", 100),
    ("guilty", "basic", 100),
    ("guilty", "basic", 400),
    ("innocent", "know-no", 40),
    ("innocent", "know-no", 100),
    ("edge", "basic", 400),
    ("innocent", "basic", 400),
)
"""The same under shapes."""


def run(options: argparse.Namespace) -> None:
    """Run the studies that cells still lack, each cell written down when they are done.

    Raises SystemExit where no cell is of the groups, suites and number of items named.
    """
    planned = False
    done = {identity(row): row["studies"] for row in stored(options.out)}
    wanted = [set(text.split(",")) - {""} for text in (options.groups, options.suites)]
    shapes = options.shape.split(",") if options.shape else ["plain"]
    plan = SHAPED_PLAN if options.shape else PLAN
    for (group, suite, n), shape in product(plan, shapes):
        chosen = zip(wanted, (group, suite), strict=True)
        if any(some and name not in some for some, name in chosen) or options.items not in (0, n):
            continue
        for case in cases(shape, fewer=bool(options.shape)):
            if (case.group, case.suite) != (group, suite):
                continue
            planned = True
            first = done.get((group, suite, n, case.model, shape), 0)
            if first < options.studies:
                numbers = options.first + first, options.first + options.studies
                row = cell(case, n, *numbers, shaped=bool(options.shape))
                with options.out.open("ab") as file:
                    file.write(orjson.dumps(row) + b"\n")
                print(line(row), flush=True)
    if not planned:
        cells = "; ".join(f"{group} {suite} {n}" for group, suite, n in plan)
        raise SystemExit(f"No study has these --groups, --suites and --items. There are: {cells}.")


@fewer_collections()
def one_model(options: argparse.Namespace) -> None:
    """A table of what is said of one model, a line for each shape."""
    print("| shape | items | studies | questions | ruled out, mean | found in | ruled out in |")
    print(f"|{'---|' * 7}")
    n, numbers = options.items or 400, range(options.first, options.first + options.studies)
    for shape in options.shape.split(",") if options.shape else ["plain"]:
        case = Case("own", options.suites or "basic", options.model, shape=shape)
        kinds: dict[str, Counter[str]] = {"found": Counter(), "ruled_out": Counter()}
        asked = out = 0
        for number in numbers:
            findings, *_ = said(case, n, number)
            asked, out = asked + len(findings), out + sum(f.kind == "ruled_out" for f in findings)
            for kind, names in kinds.items():
                names.update({f"{f.name}/{f.probe}" for f in findings if f.kind == kind})
        named = " | ".join(told(dict(names.most_common())) for names in kinds.values())
        mean = f"{asked / len(numbers):g} | {out / len(numbers):.1f}"
        print(f"| {shape} | {n} | {len(numbers)} | {mean} | {named} |", flush=True)


def stored(path: Path) -> list[dict[str, Any]]:
    """The cells of a file, in the order of the plan, each the sum of its rows."""
    whole: dict[tuple[str, str, int, str, str], dict[str, Any]] = {}
    for row in map(orjson.loads, path.read_bytes().splitlines() if path.exists() else ()):
        so_far = whole.setdefault(identity(row), row)
        if so_far is not row:
            counts = {name: so_far[name] + row[name] for name in COUNTS}
            named = {name: Counter(so_far[name]) + Counter(row[name]) for name in NAMED}
            whole[identity(row)] = so_far | counts | named
    plan, shapes = (*PLAN, *SHAPED_PLAN), [*SHAPES]
    return sorted(
        whole.values(),
        key=lambda row: (plan.index(identity(row)[:3]), shapes.index(identity(row)[4])),
    )


COUNTS = ("studies", "accused", "cleared", "found", "alone", "seconds")
NAMED = ("of", "cleared_of")
"""What a row of a file counts, as numbers and by name."""


def identity(row: dict[str, Any]) -> tuple[str, str, int, str, str]:
    return row["group"], row["suite"], row["items"], row["model"], row.get("shape", "plain")


def line(row: dict[str, Any]) -> str:
    """A row of the table of its group."""
    start = f"| {row['suite']} | `{row['model'].removeprefix('sim:')}` | {row['items']} |"
    if "shape" in row:
        start = f"| {row['shape']} {start}"
    if row["group"] == "innocent":
        both = f"{row['accused']} {told(row['of'])} | {row['cleared']} {told(row['cleared_of'])}"
        return f"{start} {row['studies']} | {both} |"
    if row["group"] == "edge":
        return f"{start} {row['studies']} | {row['cleared']} {told(row['cleared_of'])} |"
    return f"{start} {row['studies']} | {row['must']} | {row['found']} | {row['alone']} |"


def told(names: dict[str, int]) -> str:
    return "" if not names else "(" + ", ".join(f"{k} {v}" for k, v in names.items()) + ")"


HEADS = {
    "innocent": "suite | model | items | studies | falsely accused | falsely cleared",
    "edge": "suite | model | items | studies | falsely cleared",
    "guilty": "suite | model | items | studies | must find | found | best test alone",
}


def table(path: Path) -> None:
    """Everything that is there, a table for each group, with the sums."""
    found = stored(path)
    for group, head in HEADS.items():
        own = [row for row in found if row["group"] == group]
        if group == "innocent" and any("shape" in row for row in own):
            together(own)
            continue
        head = f"shape | {head}" if any("shape" in row for row in own) else head
        print(f"\n| {head} |\n|{'---|' * (head.count('|') + 1)}")
        print(*map(line, own), sep="\n")
        if own:
            studies = sum(row["studies"] for row in own)
            wrong = {"innocent": ("accused", "cleared"), "edge": ("cleared",)}.get(group, ())
            sums = [f"{sum(row[name] for row in own)} falsely {name}" for name in wrong]
            print(f"\nOf {studies:,} studies together: {', '.join(sums) or 'see above'}.")


def together(own: Sequence[dict[str, Any]]) -> None:
    """The innocent models of a shape in one line each number of items: how many were accused."""
    head = ["shape", "suite", "items", "studies each", *INNOCENT, "accused", "falsely cleared"]
    print(f"\n| {' | '.join(name.removeprefix('sim:') for name in head)} |\n|{'---|' * len(head)}")
    places = dict.fromkeys((row["shape"], row["suite"], row["items"]) for row in own)
    for place in sorted(places, key=lambda place: [*SHAPES].index(place[0])):
        rows = {r["model"]: r for r in own if (r["shape"], r["suite"], r["items"]) == place}
        accused = [rows[model]["accused"] if model in rows else "-" for model in INNOCENT]
        each = "/".join(str(n) for n in dict.fromkeys(row["studies"] for row in rows.values()))
        sums = (
            f"{sum(row[count] for row in rows.values())}"
            f" {told(sum((Counter(row[name]) for row in rows.values()), Counter[str]()))}".rstrip()
            for count, name in (("accused", "of"), ("cleared", "cleared_of"))
        )
        print(f"| {' | '.join(map(str, (*place, each, *accused, *sums)))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("verdict_errors.jsonl"))
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--groups", default="", help="of innocent,edge,guilty")
    parser.add_argument("--suites", default="")
    parser.add_argument("--items", type=int, default=0)
    parser.add_argument("--shape", default="", help=f"of {','.join(SHAPES)}")
    parser.add_argument("--first", type=int, default=0, help="number of the first study")
    parser.add_argument("--model", default="", help="this one alone, and what is said of it")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.model:
        one_model(options)
    elif options.table:
        table(options.out)
    elif options.check:
        for case in cases(options.shape or "plain", fewer=bool(options.shape)):
            of_suite = not options.suites or case.suite in options.suites.split(",")
            if of_suite and (not options.groups or case.group in options.groups.split(",")):
                check(case)
    else:
        run(options)


def check(case: Case) -> None:
    """What a study of many items finds of a model beyond what is written down as true, and what it
    sees of that which is written down as large."""
    n = {"multi-problem": 150, "look-at-text": 400, "revas": 400}.get(case.suite, 3000)
    results, found = measured(case, n, 1)
    print(case.group, case.suite, case.model, flush=True)
    for a in weighted([*accusations(results, found, SIZES)]):
        names = {a.kind.name, f"{a.kind.name}/{a.evidence.probe}"}
        if (a.p < 0.01 and not names & case.true) or names & case.large:
            e = a.evidence
            where = f"{e.probe} {e.condition} {e.reader} {e.group}"
            said = f"  {a.kind.name} {where}: {e.value:.4f} against {a.null:.4f}, p {a.p:.2g}"
            print(said, flush=True)


if __name__ == "__main__":
    main()

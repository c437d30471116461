"""Whole studies of many problems in one prompt, with answers drawn anew (see verdict_errors.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from horsesense.measures.cells import NO_OPTION, NOT_ASKED, STATUS_CODE, Cell, Scores, Selection
from horsesense.models.messages import Key
from horsesense.models.simulated.decision import Decision
from horsesense.readers.reading import Reading
from horsesense.runs.cells import cells
from horsesense.runs.parts import frame_of
from horsesense.runs.planner import Planned
from horsesense.runs.prepare import Study
from horsesense.runs.tables import READINGS, TRIALS, reading_row, trial_rows
from horsesense.trials.trial import Trial, Variant, bundled


@dataclass(frozen=True)
class Bundles:
    """The trials of a study, to which new answers are drawn for new items of the same shape.

    The first study is asked as any other; its cells hold the number of each answer in place of a
    score. A model's decisions are drawn anew, with other items' names and keys, and put where the
    reader of texts would put them: prompts that are the same in one study are the same in all.
    Every decision is a position: silence about one of many problems is not drawn anew. Nor are
    prompts that no accusation rests on: smaller ones than the largest, and those that show labels.

    Attributes:
        study, model: ready to be asked.
        planned: the trials that accusations rest on.
        answers: of each problem of each trial, the number of the answer that it makes or helps to
            make: prompts for one label each make one answer.
        shown: the variants of the trials, each once, by `id`.
        about: the variant that each answer is about.
        cells: as read from the text, and which answer stands in each place, or -1.
    """

    study: Study
    model: Any
    planned: tuple[Planned, ...]
    answers: tuple[list[int], ...]
    shown: dict[int, Variant]
    about: dict[int, Variant]
    cells: tuple[tuple[Cell, npt.NDArray[np.intp]], ...]

    @classmethod
    def made(cls, study: Study, model: Any) -> Bundles:
        every = [p for p in study.planner.plan(study.probes) if "shows" not in p.trial.condition]
        largest = max(size(p.trial) for p in every)
        planned = tuple(p for p in every if size(p.trial) in (0, largest))
        index = {item.id: place for place, item in enumerate(study.items)}
        trials = [r for p in planned for r in trial_rows(p.number, 1, p.trial, p.key, index)]
        known: dict[Any, int] = {}
        answers = tuple(
            [known.setdefault(name, len(known)) for name in names(p.trial)] for p in planned
        )
        marks, about = [], {}
        for one, numbers in zip(planned, answers, strict=True):
            for place, number in enumerate(numbers):
                mark = Reading("empty", score=float(number))
                marks.append(reading_row(one.number, place, "text", mark, one.trial))
                about[number] = one.trial.variants[place]
        made = cells(frame_of(trials, TRIALS).lazy(), frame_of(marks, READINGS).lazy(), ["text"])
        places = [np.nan_to_num(c[Scores].score, nan=-1).astype(np.intp) for c in made]
        shown = {id(v): v for p in planned for v in p.trial.variants}
        paired = tuple(zip(made, places, strict=True))
        return cls(study, model, planned, answers, shown, about, paired)

    def redrawn(self, number: int) -> list[Cell]:
        """The cells for new items; `number` 0 are the template's own."""
        new = self.shown
        if number:
            new = {i: replace(v, item_id=f"{v.item_id}/{number}") for i, v in new.items()}
        drawn: dict[Key, list[Decision]] = {}
        chosen = [0] * len(self.about)
        for one, answers in zip(self.planned, self.answers, strict=True):
            trial, key = one.trial, one.key
            if number:
                key = blake2b(key + b"%d" % number, digest_size=16).digest()
            if key not in drawn:
                named = replace(trial, variants=tuple([new[id(v)] for v in trial.variants]))
                drawn[key] = self.model.profile.decide_all(named, key)
            asked = bundled(trial).asked
            only = None if asked is None else trial.variants[0].options.index(asked)
            for answer, decision in zip(answers, drawn[key], strict=True):
                assert decision.position is not None
                if only in (None, decision.position):
                    chosen[answer] |= 1 << decision.position
        codes = [code(chosen[i], v.origin, v.gold_at) for i, v in sorted(self.about.items())]
        table = np.array(codes)
        return [filled(cell, place, table) for cell, place in self.cells]


def size(trial: Trial) -> int:
    """How many problems a prompt is said to hold; 0 where it holds the one problem of an item."""
    return trial.condition.integer("size", 0)


def names(trial: Trial) -> Iterator[Any]:
    """What tells the answers to a trial from others, one of each problem."""
    for variant in trial.variants:
        yield trial.probe, trial.condition.format(), trial.repetition, variant.item_id


@lru_cache(maxsize=1024)
def code(chosen: int, origin: tuple[int, ...], gold_at: int | None) -> tuple[int, ...]:
    """Status, position, option, correctness and the positions themselves, as codes of a cell."""
    single = chosen.bit_count() == 1
    position = chosen.bit_length() - 1 if single else -1
    return (
        STATUS_CODE["answer" if chosen else "none"],
        position,
        origin[position] if single else NO_OPTION,
        -1 if gold_at is None else int(position == gold_at),
        chosen,
    )


def filled(cell: Cell, place: npt.NDArray[np.intp], table: npt.NDArray[Any]) -> Cell:
    """A template's cell with the answers of a table."""
    there = place >= 0
    status, position, option, correct, chosen = np.moveaxis(table[place], -1, 0)
    groups = (
        replace(group, chosen=np.where(there, chosen, 0)) if isinstance(group, Selection) else group
        for group in cell.groups
    )
    return replace(
        cell,
        status=np.where(there, status, NOT_ASKED).astype(np.int8),
        position=np.where(there, position, -1).astype(np.int16),
        option=np.where(there, option, NO_OPTION).astype(np.int16),
        correct=np.where(there, correct, -1).astype(np.int8),
        groups=tuple(groups),
    )

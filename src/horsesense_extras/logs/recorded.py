"""What an evaluation that was published hides: every model of a study, as graded and as said.

All numbers come from the measures and comparisons of the runs; here they are laid side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from horsesense.api import Run, compare
from horsesense.comparison.compare import Comparison, Difference
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.measures.base import Estimate
from horsesense.readers.causes import CAUSES, NO_REPLY, WORDS
from horsesense.report.text import ShownShare
from horsesense.stats.share import Share
from horsesense.stats.words import percent, plural
from horsesense_extras.checks.label_errors import Choices, LabelError, label_errors
from horsesense_extras.cue_tests.answers import load_choices
from horsesense_extras.logs.log_score import VALUE, joined, main_scores, mean_of
from horsesense_extras.logs.told import logs_of

LEVEL: Final = 0.95
_ENDED: Final = ("cut_off", "thought_open", "empty", "filtered")
"""Causes of replies that ended before they stated a choice."""


@dataclass(frozen=True)
class Model:
    """One model of a record.

    Attributes:
        name: as its runs name it; page: the file of its report.
        left_out: rows that the import could not take; the report has the reasons.
        published: mean score of the `graded` answers that its program graded.
        unfound: of these, replies in which the program found no answer; `drawn` of them had an
            option drawn at random, which counts for `chance` of the score; `stated` of them state
            a choice as they are read here, `stated_right` the right one.
        lost: replies without a choice that break off or are empty, of which the program took an
            answer all the same.
        gained, spurned: answers that are right only as read, and only as graded.
        said: share right as read, an unread reply being wrong; None where nothing was read.
        unread: replies that no reader can tell, and that are wrong in `said`.
        least, most: that share if all lost replies were wrong, and if all of them were right.
        causes: cause -> how many replies it has.
        subjects: subject -> share right of the replies that could be read.
    """

    name: str
    page: str
    left_out: int
    published: float | None
    graded: int
    unfound: int
    drawn: int
    chance: float
    stated: int
    stated_right: int
    lost: int
    gained: int
    spurned: int
    said: Estimate | None
    unread: int
    least: float | None
    most: float | None
    causes: Mapping[str, int]
    subjects: Mapping[str, Estimate]

    @property
    def unfound_share(self) -> float:
        return self.unfound / self.graded if self.graded else 0.0

    @property
    def value(self) -> float:
        return (self.said.value if self.said is not None else None) or 0.0

    @property
    def moved(self) -> float | None:
        """How much more is right as said than as published."""
        return None if self.published is None or self.said is None else self.value - self.published

    @property
    def basis(self) -> str:
        """Of how many replies `said` is, and how many are lacking."""
        lacking = {"missing": self.said.n_missing if self.said else 0, "unclear": self.unread}
        of = [f"n = {self.said.n if self.said else 0:,}"]
        return ", ".join(of + [f"{n:,} {how}" for how, n in lacking.items() if n])

    @property
    def told(self) -> str:
        """The main numbers in one line."""
        graded = "not graded" if self.published is None else f"graded {percent(self.published, 1)}"
        said = "nothing" if self.said is None else percent(self.value, 1)
        drawn = f" ({self.drawn:,} drawn at random, {self.stated:,} state one)" * bool(self.drawn)
        found = f"; no answer found in {percent(self.unfound_share, 1)}{drawn}" * bool(self.graded)
        left = f"; {plural(self.left_out, 'row')} left out" * bool(self.left_out)
        return f"{self.name}: {graded}, said {said}{found}{left}."


class Alike(NamedTuple):
    """Two models: how often they chose the same of `n` items, and the same wrong option of the
    `wrong` that both answered wrongly."""

    first: str
    second: str
    n: int
    same: float
    wrong: int
    same_wrong: ShownShare


@dataclass(frozen=True)
class Record:
    """A study laid open.

    Attributes:
        name: of the items.
        told: what the logs of the runs say of themselves, each sentence once.
        models: best first, by what was said.
        items: by their ids.
        compared: all pairs of models with replies, on the items that all of them share; None where
            there are no two, or for what `why_unranked` says.
        places: model -> its place as published on the items that all were graded on.
        doubted: items whose right answer most models contradict; or `why_none`.
        alike: pairs of models, those first whose errors are surely most alike.
    """

    name: str
    told: Sequence[str]
    models: Sequence[Model]
    items: Mapping[str, Item]
    compared: Comparison | None
    why_unranked: str
    places: Mapping[str, int]
    doubted: Sequence[LabelError]
    why_none: str
    alike: Sequence[Alike]

    @property
    def notes(self) -> list[str]:
        """What was guessed and assumed, and whether the models were asked the same."""
        found, shared = [*self.told], self.compared.items["shared"] if self.compared else 0
        if any(model.unfound > model.drawn for model in self.models):
            found.append(
                "A reply in which the program found no answer is graded as wrong. With --unread"
                " random --out ANOTHER it is graded as a random draw."
            )
        if 0 < shared < len(self.items):
            every = plural(len(self.items), "item")
            found.append(f"The models were asked different items: all share {shared:,} of {every}.")
        return found

    @property
    def neighbours(self) -> list[Difference]:
        """Each model and the next, in the order of their scores."""
        c = self.compared
        return [c.between(*pair) for pair in pairwise(c.models)] if c is not None else []

    @property
    def causes(self) -> list[tuple[str, str]]:
        """Causes that some reply has, with their words."""
        return [(c, WORDS[c]) for c in CAUSES if any(m.causes.get(c) for m in self.models)]

    def as_json(self) -> dict[str, Any]:
        """The numbers of the page; the comparison as `compare` has it."""
        models = [
            {
                **vars(m),
                "said": m.said and m.said.as_json(),
                "subjects": {name: e.as_json() for name, e in m.subjects.items()},
            }
            for m in self.models
        ]
        return {
            "models": models,
            "compare": self.compared and self.compared.as_json(),
            "why_unranked": self.why_unranked,
            "places": dict(self.places),
            "doubted": [asdict(each) for each in self.doubted],
            "alike": [{**p._asdict(), "same_wrong": asdict(p.same_wrong)} for p in self.alike],
        }


def record_of(runs: Sequence[tuple[Run, str]]) -> Record:
    """The record of some runs, each with the file of its report.

    Raises:
        StoreError: a run cannot be read.
        UsageError: two runs are of one model.
    """
    names = Counter(run.directory.known.model.name for run, _ in runs)
    for name in [name for name, n in names.items() if n > 1]:
        raise UsageError(f"Several runs are of {name!r}.", hint="Keep one run of each model.")
    graded = {run.directory.known.model.name: _graded(run) for run, _ in runs}
    models = [_model(run, page, graded[run.directory.known.model.name]) for run, page in runs]
    items = {item.id: item for run, _ in runs for item in run.items}
    every = ItemSet(runs[0][0].items.name, "choice", tuple(items.values()))
    choices = load_choices([run.path for run, _ in runs], every)
    doubted, why = _doubted(every, choices)
    compared, why_unranked = _compared([run for run, _ in runs if run.results.readers])
    logs = [log for run, _ in runs for log in logs_of(run.directory)]
    return Record(
        name=every.name,
        told=list(dict.fromkeys(note for log in logs for note in log["notes"])),
        models=sorted(models, key=lambda model: -model.value),
        items=items,
        compared=compared,
        why_unranked=why_unranked,
        places={name: n for n, name in enumerate(_as_published(graded), 1)},
        doubted=doubted,
        why_none=why,
        alike=sorted(_alike(items, choices), key=lambda pair: -(pair.same_wrong.low or 0)),
    )


def _compared(runs: Sequence[Run]) -> tuple[Comparison | None, str]:
    """All pairs of models, or why there are none: the page tells the rest all the same."""
    try:
        return (compare(runs) if len(runs) > 1 else None), ""
    except UsageError as error:
        return None, str(error).splitlines()[0]


def _graded(run: Run) -> pl.DataFrame:
    """The answers that the program of a run graded, a row each; see `log_score.joined`."""
    names = main_scores(logs_of(run.directory))
    every = joined(run.directory, run.results.reader)
    return every.filter(pl.col("name").is_in(names[:1]))


def _model(run: Run, page: str, graded: pl.DataFrame) -> Model:
    results, reader = run.results, run.results.reader
    became: Mapping[str, Any] = next(
        (
            r
            for r in results.findings["replies"]
            if (r["probe"], r["reader"]) == ("original", reader)
        ),
        {},
    )
    unfound = graded.head(0)
    # A program that tells none of its answers has not failed to find them.
    if graded.height and graded["answer"].null_count() < graded.height:
        unfound = graded.filter(pl.col("answer").is_null())
    drawn = unfound.filter(pl.col("value").is_between(0, 1, closed="none"))
    stated = unfound.filter(pl.col("cause") == "choice") if unfound.height else unfound
    lost = graded.filter(pl.col("answer").is_not_null() & pl.col("cause").is_in(_ENDED)).height
    guessed = pl.when(VALUE.is_between(0, 1, closed="none") & pl.col("answer").is_null())
    right, counted = pl.col("correct").fill_null(value=False), VALUE > 0.5
    came = ~pl.col("cause").is_in(list(NO_REPLY))
    of = [results.one(n, reader=reader) for n in ("accuracy_as_graded", "accuracy")]
    return Model(
        name=run.directory.known.model.name,
        page=page,
        left_out=sum(row["samples"] for log in logs_of(run.directory) for row in log["left_out"]),
        published=mean_of(graded),
        graded=graded.height,
        unfound=unfound.height,
        drawn=drawn.height,
        chance=(mean_of(graded, guessed.then("value").otherwise(0.0)) or 0.0) * bool(drawn.height),
        stated=stated.height,
        stated_right=int(stated["correct"].sum()) if stated.height else 0,
        lost=lost,
        gained=graded.filter(came & right & ~counted).height,
        spurned=graded.filter(came & ~right & counted).height,
        said=of[0],
        unread=of[1].n_missing - of[0].n_missing if of[0] and of[1] else 0,
        least=became.get("least"),
        most=became.get("most"),
        causes=became.get("causes", {}),
        subjects={str(e.group): e for e in results.all("accuracy_by_subject", "original", reader)},
    )


def _as_published(graded: Mapping[str, pl.DataFrame]) -> list[str]:
    """The models in the order of their published scores on items that all were graded on."""
    shared = list(set.intersection(*(set(frame["item_id"]) for frame in graded.values())))
    means: dict[str, Any] = {
        name: mean_of(frame.filter(pl.col("item_id").is_in(shared)))
        for name, frame in graded.items()
        if shared
    }
    return sorted(means, key=lambda name: -means[name])


def _doubted(items: ItemSet, choices: Choices) -> tuple[list[LabelError], str]:
    """The items whose right answer most models contradict, most likely wrong first."""
    try:
        found = [each for each in label_errors(items, choices).found if each.agreement > 0.5]
    except UsageError as error:
        return [], str(error).splitlines()[0]
    return found, "There is none."


def _alike(items: Mapping[str, Item], choices: Choices) -> Iterator[Alike]:
    """Every pair of models, by the first answer of each to an item."""
    gold = np.array([-1 if item.gold is None else item.gold for item in items.values()])
    chosen = {
        model: np.array([given[name][0] if given.get(name) else -1 for name in items])
        for model, given in choices.items()
    }
    for first, second in combinations(chosen, 2):
        one, other = chosen[first], chosen[second]
        both, same = (one >= 0) & (other >= 0), one == other
        wrong = both & (gold >= 0) & (one != gold) & (other != gold)
        told = Share.of(same[wrong].astype(np.float64), np.ones(int(wrong.sum())))
        if told.n:
            shown = ShownShare(told.estimate, *(told.interval(LEVEL) or (None, None)))
            yield Alike(
                first, second, int(both.sum()), float(same[both].mean()), int(told.n), shown
            )

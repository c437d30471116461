"""What an evaluation that was published hides: every model of a study, as graded and as said.

All numbers come from the measures and comparisons of the runs; here they are laid side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from statistics import median
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from horsesense.api import Run, compare
from horsesense.comparison.compare import Comparison, Difference
from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.readers.causes import CAUSES, WORDS
from horsesense.report.text import ShownShare
from horsesense.runs.parts import scan_parts
from horsesense.stats.share import Share
from horsesense.stats.words import percent
from horsesense_extras.checks.label_errors import LabelErrors, label_errors
from horsesense_extras.logs.imported import RECORDED, load_imported
from horsesense_extras.logs.log_score import main_scores

LEVEL: Final = 0.95


@dataclass(frozen=True)
class Model:
    """One model of a record.

    Attributes:
        name: as its runs name it; page: the file of its report.
        graded: answers that its program graded, and their mean score, `published`.
        unfound: of these, replies in which the program found no answer; `drawn` of them had an
            option drawn at random, which counts for `chance` of the score.
        said: share right as read, an unread reply being wrong; `n` and `missing` go with it.
        least, most: that share if all lost replies were wrong, and if all of them were right.
        causes: cause -> how many replies it has.
    """

    name: str
    page: str
    published: float | None
    graded: int
    unfound: int
    drawn: int
    chance: float
    said: ShownShare
    n: int
    missing: int
    least: float | None
    most: float | None
    causes: Mapping[str, int]

    @property
    def unfound_share(self) -> float:
        return self.unfound / self.graded if self.graded else 0.0

    @property
    def told(self) -> str:
        """The main numbers in one line."""
        graded = "not graded" if self.published is None else f"graded {percent(self.published, 1)}"
        said = "–" if self.said.value is None else percent(self.said.value, 1)
        drawn = f" ({self.drawn:,} drawn at random)" if self.drawn else ""
        return (
            f"{self.name}: {graded}, said {said}; no answer found in"
            f" {percent(self.unfound_share, 1)}{drawn}."
        )

    @property
    def moved(self) -> float | None:
        """How much more is right as said than as published."""
        known = self.published is not None and self.said.value is not None
        return (self.said.value or 0) - (self.published or 0) if known else None


class Alike(NamedTuple):
    """Two models: how often they chose the same of `n` items, and the same wrong option of the
    `wrong` that both answered wrongly."""

    first: str
    second: str
    n: int
    same: float
    wrong: int
    same_wrong: ShownShare


class Doubted(NamedTuple):
    """An item whose right answer most models contradict."""

    item: Item
    suggested: str
    gold: str
    agreement: float
    right: float
    models: int


@dataclass(frozen=True)
class Record:
    """A study laid open.

    Attributes:
        models: best first, by what was said.
        compared: all pairs on the items that all runs share; None for one model.
        places: model -> its place as published on those items, best first.
        subjects: subject -> (items, model -> share right as said, with n).
        doubted: items whose right answer most models contradict, and why there are none.
        alike: pairs of models, those first whose errors are most alike; `usual` is the median.
    """

    models: Sequence[Model]
    compared: Comparison | None
    places: Mapping[str, int]
    subjects: Mapping[str, tuple[int, Mapping[str, tuple[ShownShare, int]]]]
    doubted: Sequence[Doubted]
    why_none: str
    alike: Sequence[Alike]
    usual: float | None

    @property
    def neighbours(self) -> list[Difference]:
        """Each model and the next, in the order of their scores."""
        c = self.compared
        return [c.between(*pair) for pair in pairwise(c.models)] if c is not None else []

    def as_json(self) -> dict[str, Any]:
        """The numbers of the page; the comparison as `compare` has it."""
        return {
            "models": [asdict(model) for model in self.models],
            "compare": None if self.compared is None else self.compared.as_json(),
            "places": dict(self.places),
            "subjects": [
                {"subject": name, "items": items, "model": model, **asdict(share), "n": n}
                for name, (items, by_model) in self.subjects.items()
                for model, (share, n) in by_model.items()
            ],
            "doubted": [{**each._asdict(), "item": each.item.id} for each in self.doubted],
            "alike": [
                {**pair._asdict(), "same_wrong": asdict(pair.same_wrong)} for pair in self.alike
            ],
        }

    @property
    def causes(self) -> list[tuple[str, str]]:
        """Causes that some reply has, with their words."""
        return [(c, WORDS[c]) for c in CAUSES if any(m.causes.get(c) for m in self.models)]


def record_of(runs: Sequence[tuple[Run, str]]) -> Record:
    """The record of some runs, each with the file of its report.

    Raises:
        StoreError: a run cannot be read.
        UsageError: the runs have no items, reader or prompt in common.
    """
    frames = {_name(run): _answers(run) for run, _ in runs}
    models = sorted(
        (_model(run, page, frames[_name(run)]) for run, page in runs),
        key=lambda model: -(model.said.value or 0),
    )
    items = {item.id: item for run, _ in runs for item in run.items}
    compared = compare([run for run, _ in runs]) if len(runs) > 1 else None
    order = list(compared.models) if compared is not None else [m.name for m in models]
    doubted, why = _doubted(items, frames)
    alike = list(_alike(items, {name: frames[name] for name in order}))
    return Record(
        models=models,
        compared=compared,
        places=dict(_places(frames)),
        subjects=_subjects(items, frames),
        doubted=doubted,
        why_none=why,
        alike=sorted(alike, key=lambda pair: -(pair.same_wrong.low or 0)),  # few items tell little
        usual=median(pair.same_wrong.value or 0 for pair in alike) if alike else None,
    )


def _name(run: Run) -> str:
    return run.directory.known.model.name


def _answers(run: Run) -> pl.DataFrame:
    """One row an answer: item, option chosen (-1 for none), whether right, and how it was graded.

    `right` is null where there is no reply, or no right answer is known.
    """
    directory, reader = run.directory, run.results.reader
    told = load_imported(directory)
    shown = directory.trials().filter(pl.col("probe") == "original").select("trial", "item_id")
    read = directory.readings().filter(pl.col("reader") == reader)
    graded = pl.LazyFrame(schema={n: RECORDED[n] for n in ("trial", "value", "answer")})
    if told is not None and (names := main_scores(told)):
        every = scan_parts([directory.layout.recorded], RECORDED)
        graded = every.filter(pl.col("name") == names[0]).select("trial", "value", "answer")
    gold = pl.DataFrame(
        {"item_id": [i.id for i in run.items], "gold": [i.gold for i in run.items]},
        schema={"item_id": pl.String, "gold": pl.Int64},
    )
    return (
        shown.join(read.select("trial", "option", "correct", "status"), on="trial", how="left")
        .join(graded, on="trial", how="left")
        .join(gold.lazy(), on="item_id", how="left")
        .with_columns(
            option=pl.when(pl.col("status") == "answer").then("option").fill_null(-1),
            right=pl.when(pl.col("gold").is_not_null() & pl.col("status").is_not_null()).then(
                pl.col("correct").fill_null(value=False)
            ),
        )
        .sort("trial")
        .collect()
    )


def _model(run: Run, page: str, frame: pl.DataFrame) -> Model:
    reader = run.results.reader
    said = run.results.one("accuracy_as_graded", reader=reader)
    rows = run.results.findings["replies"]
    became: Mapping[str, Any] = next(
        (r for r in rows if r["probe"] == "original" and r["reader"] == reader), {}
    )
    graded = frame.filter(pl.col("value").is_not_null())
    answers = graded["answer"].null_count() < graded.height  # else it tells none of any reply
    unfound = graded.filter(pl.col("answer").is_null() & answers)
    drawn = unfound.filter(pl.col("value").is_between(0, 1, closed="none"))
    mean: Any = graded["value"].mean()
    return Model(
        name=_name(run),
        page=page,
        published=mean,
        graded=graded.height,
        unfound=unfound.height,
        drawn=drawn.height,
        chance=float(drawn["value"].sum()) / max(graded.height, 1),
        said=ShownShare(*((said.value, said.low, said.high) if said else (None, None, None))),
        n=said.n if said else 0,
        missing=said.n_missing if said else 0,
        least=became.get("least"),
        most=became.get("most"),
        causes=became.get("causes", {}),
    )


def _places(frames: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, int]]:
    """The place of each model as published, on the items that all of them were graded on."""
    graded = {n: f.filter(pl.col("value").is_not_null()) for n, f in frames.items()}
    shared = set.intersection(*(set(f["item_id"]) for f in graded.values()))
    means = {
        name: frame.filter(pl.col("item_id").is_in(list(shared)))["value"].mean() or 0.0
        for name, frame in graded.items()
        if shared
    }
    for place, name in enumerate(sorted(means, key=lambda name: -float(means[name])), 1):  # type: ignore[arg-type]
        yield name, place


def _shown(hits: npt.ArrayLike, trials: npt.ArrayLike) -> ShownShare:
    found = Share.of(np.asarray(hits, np.float64), np.asarray(trials, np.float64))
    if not found.n:
        return ShownShare(None, None, None)
    return ShownShare(found.estimate, *(found.interval(LEVEL) or (None, None)))


def _subjects(
    items: Mapping[str, Item], frames: Mapping[str, pl.DataFrame]
) -> dict[str, tuple[int, Mapping[str, tuple[ShownShare, int]]]]:
    of = pl.DataFrame(
        {"item_id": list(items), "subject": [item.subject for item in items.values()]},
        schema={"item_id": pl.String, "subject": pl.String},
    ).drop_nulls()
    sizes = dict(of.group_by("subject").len().rows())
    found: dict[str, dict[str, tuple[ShownShare, int]]] = {name: {} for name in sorted(sizes)}
    for model, frame in frames.items():
        known = frame.join(of, on="item_id").filter(pl.col("right").is_not_null())
        by_item = known.group_by("subject", "item_id").agg(
            hits=pl.col("right").sum(), trials=pl.len()
        )
        for (subject,), part in by_item.group_by("subject"):
            shown = _shown(part["hits"].to_numpy(), part["trials"].to_numpy())
            found[str(subject)][model] = shown, int(part["trials"].sum())
    return {name: (sizes[name], by_model) for name, by_model in found.items()}


def _doubted(
    items: Mapping[str, Item], frames: Mapping[str, pl.DataFrame]
) -> tuple[list[Doubted], str]:
    """The items whose right answer most models contradict, most likely wrong first."""
    choices: dict[str, dict[str, list[int]]] = {}
    for model, frame in frames.items():
        chosen = frame.filter(pl.col("option") >= 0)
        by_item = choices.setdefault(model, {})
        for name, option in chosen.select("item_id", "option").iter_rows():
            by_item.setdefault(name, []).append(option)
    try:
        found: LabelErrors = label_errors(ItemSet("", "choice", tuple(items.values())), choices)
    except UsageError as error:
        return [], str(error).splitlines()[0]
    made = [
        Doubted(
            item,
            item.options[error.suggested],
            item.options[error.gold],
            error.agreement,
            error.right,
            error.models,
        )
        for error in found.found
        if error.agreement > 0.5
        for item in [items[error.item]]
    ]
    return made, "" if made else "There is none."


def _alike(items: Mapping[str, Item], frames: Mapping[str, pl.DataFrame]) -> Iterator[Alike]:
    """Every pair of models, by the first answer of each to an item."""
    place = {name: n for n, name in enumerate(items)}
    gold = np.array([-1 if item.gold is None else item.gold for item in items.values()])
    chosen: dict[str, npt.NDArray[np.int64]] = {}
    for model, frame in frames.items():
        options = np.full(len(items), -1)
        once = frame.unique("item_id", keep="first", maintain_order=True)
        options[[place[name] for name in once["item_id"]]] = once["option"].to_numpy()
        chosen[model] = options
    for first, second in combinations(chosen, 2):
        one, other = chosen[first], chosen[second]
        both = (one >= 0) & (other >= 0)
        wrong = both & (gold >= 0) & (one != gold) & (other != gold)
        same = one == other
        if both.any():
            told = _shown(same[wrong], np.ones(int(wrong.sum())))
            yield Alike(
                first, second, int(both.sum()), float(same[both].mean()), int(wrong.sum()), told
            )

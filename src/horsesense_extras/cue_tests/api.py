"""`find_cues`: from items to rows, verdict and named cues, top to bottom."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final

import numpy as np

from horsesense.api import Items
from horsesense.api.given import items_of
from horsesense.errors import UsageError
from horsesense.progress import progress
from horsesense.stats.words import plural
from horsesense_extras.cue_tests.dependence import Answers, below_limit, depend, family_summary
from horsesense_extras.cue_tests.evaluate import BEST, cue_rows, evaluate
from horsesense_extras.cue_tests.features import Ints
from horsesense_extras.cue_tests.groups import Grouping, Groups, built_alike, find_groups
from horsesense_extras.cue_tests.result import CueResult, CueRow, Grounds, is_predictable
from horsesense_extras.cue_tests.scores import (
    Split,
    is_constant,
    published,
    published_draw,
    repeated,
)
from horsesense_extras.cue_tests.sweep import Method
from horsesense_extras.cue_tests.task import Task, make_task, need_packages

WORTH_SHOWING: Final = 0.05
"""Share of grouped items from which the result without groups is shown beside it."""

MANY_ALIKE: Final = 0.2
"""Share of items that only a frame groups, from which they might come from templates."""
FEWEST_FRAMES: Final = 20


STEADY: Final = 2000
"""Predictions (items times repeats) from which the division hardly matters."""


def find_cues(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    faithful: bool = False,
    presence_bug: bool = False,
    grouping: Grouping = "found",
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    answers: Sequence[Answers] = (),
    families: Mapping[str, str] | None = None,
) -> CueResult:
    """Find out how far simple features predict the labels of a benchmark, and which do.

    No model is asked. This is `horsesense.cues`.

    >>> from horsesense.items.item import Item, ItemSet
    >>> words = ["surely", "rarely"]
    >>> texts = [f"{words[i % 2]} word{i % 7} and word{i % 5}" for i in range(240)]
    >>> rows = [Item(str(i), t, ("no", "yes"), i % 2) for i, t in enumerate(texts)]
    >>> toy = ItemSet("toy", "label", tuple(rows))
    >>> result = find_cues(toy, grouping="none", folds=2, repeats=1, jobs=1)
    >>> result.verdict.strength, sorted(cue.name for cue in result.cues[:2])
    ('strong', ['rarely', 'surely'])

    Args:
        items: labelled texts, or questions with options and gold.
        map, split, where, limit: as for `audit`.
        faithful: the published method: one split (the items' own where they name one), unscaled
            readability, no groups. (Leaving the barn door open for Clever Hans, section 3.)
        presence_bug: presence as the published code computed it: counts.
        grouping: which items are never divided between training and test (see `find_groups`).
        folds: 1 divides once, 60/20/20, and predicts the last fifth alone.
        repeats: repetitions of the folds; by default 2, and up to 10 for fewer than 1,000 items,
            where one division differs much from the next.
        seed: of folds, shuffles and ties.
        jobs: processes; by default one per core.
        answers: recorded answers of models to these items.
        families: model -> family; by default guessed from the model's name.

    Raises:
        UsageError: the items cannot be used (too few, one label, equal texts), or a setting.
    """
    need_packages()
    items = items_of(items, map=map, split=split, where=where, limit=limit, seed=seed)
    started = time.monotonic()
    if folds < 1 or (repeats is not None and repeats < 1):
        raise UsageError(f"folds is {folds} and repeats {repeats}; both must be at least 1.")
    task = make_task(items, faithful=faithful)
    repeats = repeats or min(max(STEADY // len(task), 2), 10)
    groups = find_groups(task, "none" if faithful else grouping)
    splits = _splits(task, groups.numbers, faithful, folds, repeats, seed)
    method = Method(faithful, presence_bug, seed)
    jobs = jobs or os.cpu_count() or 1
    loose_rows: tuple[CueRow, ...] = ()
    loose = alike = None
    with progress(f"cues in {task.name}", 0, about=True, forks=True) as shown:
        run = partial(evaluate, task, method=method, jobs=jobs, shown=shown)
        found = run(splits, groups.numbers)
        rows, best = cue_rows(task, found, groups.numbers, grouped=groups.n_grouped > 0)
        constant = is_constant(found.predicted[BEST])

        def again(numbers: Ints, grouped: bool) -> tuple[tuple[CueRow, ...], CueRow]:
            """All rows and the best one by another grouping, once."""
            divided = list(repeated(task.gold, numbers, folds, 1, seed))
            return cue_rows(task, run(divided, numbers, lean=True), numbers, grouped=grouped)

        if groups.n_grouped >= WORTH_SHOWING * len(task):
            loose_rows, loose = again(np.arange(len(task)), False)
        if grouping == "found" and not faithful and is_predictable(best, constant):
            numbers = _alike(task, groups, folds)
            alike = None if numbers is None else again(numbers, True)[1]
    right = np.mean(found.predicted[BEST] == task.gold[found.items], axis=0)
    ids = [task.ids[i] for i in found.items]
    models, by_family = depend(task, found.items, right, groups.numbers, answers, families)
    return CueResult(
        dataset=task.name,
        kind=task.kind,
        labels=task.labels,
        rows=rows,
        ungrouped=loose,
        ungrouped_rows=loose_rows,
        alike=alike,
        verdict=Grounds(
            best, rows, loose, constant, faithful, alike, bool(models), task.kind == "options",
            # Items that templates may have made which nobody could tell apart, where they are many.
            groups.unresolved if groups.unresolved >= MANY_ALIKE * len(task) else 0,
        ).verdict(),
        cues=found.cues,
        predictions=dict(zip(ids, right.tolist(), strict=True)),
        items=tuple(i for i, share in zip(ids, right, strict=True) if share == 1),
        models=models,
        families=by_family,
        notes=tuple(_notes(task, groups)),
        seconds=time.monotonic() - started,
        faithful=faithful,
        settings={
            "faithful": faithful, "presence_bug": presence_bug, "grouping": grouping,
            "folds": folds, "repeats": repeats, "seed": seed, "items": items.fingerprint,
        },
    )  # fmt: skip


def _splits(
    task: Task, groups: Ints, faithful: bool, folds: int, repeats: int, seed: int
) -> list[Split]:
    if not faithful:
        if len(np.unique(groups)) < max(folds, 3):
            raise UsageError(
                f"{task.name} has {plural(len(np.unique(groups)), 'group')}, too few for"
                f" {plural(folds, 'fold')}.",
                hint="Use fewer --folds, or --no-groups to divide groups.",
            )
        return list(repeated(task.gold, groups, folds, repeats, seed))
    if any(task.splits) and len(set(task.splits)) > 1:
        return [published(list(task.splits))]
    shuffle, split = published_draw(len(task))
    return [Split(shuffle[split.fit], shuffle[split.choose], None, shuffle[split.test])]


def _alike(task: Task, groups: Groups, folds: int) -> Ints | None:
    """Groups that keep texts which are built alike on one side, where many are.

    None where few are, or where they leave too few groups to be divided.
    """
    together = built_alike(task, groups)
    many = together.n_grouped - groups.n_grouped >= MANY_ALIKE * len(task)
    left = len(np.unique(together.numbers)) >= max(2 * folds, FEWEST_FRAMES)
    return together.numbers if many and left else None


def _notes(task: Task, groups: Groups) -> list[str]:
    notes = [*task.notes, *groups.notes]
    for rule, n in groups.joined.items():
        what = "clusters, named or of exact copies" if rule == "given" else rule
        notes.append(f"Grouped by {what}: {plural(n, 'item')}.")
    sizes = np.bincount(task.gold)
    rare = int(np.sum(sizes[sizes > 0] < 5))
    if rare and task.kind == "labels":
        notes.append(
            f"Fewer than five items: {plural(rare, 'label')}, of which little can be learned."
        )
    return notes


def as_json(results: Sequence[CueResult]) -> dict[str, Any]:
    """`rows` of all data sets; verdicts, cues, models, families and items beside them."""
    families, published_tests = family_summary(results)
    return {
        "rows": [asdict(row) for result in results for row in result.rows],
        "alike_rows": [asdict(result.alike) for result in results if result.alike],
        "ungrouped_rows": [asdict(row) for result in results for row in result.ungrouped_rows],
        "verdict": {result.dataset: asdict(result.verdict) for result in results},
        "cues": [
            {"dataset": result.dataset, **asdict(cue)} for result in results for cue in result.cues
        ],
        "models": [asdict(model) for result in results for model in result.models],
        "families": [asdict(family) for family in families],
        "published_families": [asdict(test) for test in published_tests],
        "published_left_out": list(below_limit(results)),
        "items": {result.dataset: list(result.items) for result in results},
        "notes": {result.dataset: list(result.notes) for result in results},
        "settings": {result.dataset: dict(result.settings) for result in results},
    }

"""What has no answer in a run: for those who ask it by other ways, and for those who count it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from horsesense.errors import UsageError
from horsesense.inference.store import Store
from horsesense.models.base import Asked
from horsesense.models.messages import Key
from horsesense.runs.directory import RunDirectory
from horsesense.runs.planner import other_model
from horsesense.runs.prepare import Study
from horsesense.runs.recalled import with_thoughts
from horsesense.runs.rounds import stages
from horsesense.trials.history import load_history


def unanswered(directory: RunDirectory, store: Store) -> Iterator[Asked]:
    """The requests of a run that have no answer yet, each once.

    Those of a second stage come only once every request of the first has an answer, and was read.
    """
    study, seen = directory.study(), set[Key]()
    for stage, probes in stages(study.probes):
        if stage > 1:
            _remember(study, directory)
        before = len(seen)
        for planned in study.planner.plan(probes):
            elsewhere = other_model(planned.trial)
            if planned.key not in seen and not (elsewhere or store.known([planned.key])):
                seen.add(planned.key)
                yield Asked(planned.key, planned.request)
        if len(seen) > before:
            return


def trials_unanswered(directory: RunDirectory, store: Store) -> pl.DataFrame:
    """The trials of a run that have no answer: one row each, with its first item (`item_id`)."""
    first = directory.trials().filter(pl.col("variant") == 0)
    trials = first.select("trial", "item_id", "key").collect()
    there = store.known(trials["key"].unique().to_list())
    return trials.filter(~pl.col("key").is_in(list(there))) if there else trials


OF: Final = ("not_asked", "failed", "prompts")
"""What is counted of the prompts of a form."""


def silent_forms(directory: RunDirectory, unread: Sequence[int]) -> list[dict[str, Any]]:
    """How many of these trials have no reply, by probe and condition: `not_asked`, and `failed`,
    of how many `prompts`; all conditions of a probe that lacks any. And how many of each are of an
    item without a right answer (`goldless`).
    """
    if not len(unread):
        return []
    some = pl.col("trial").is_in(pl.Series(unread, dtype=pl.UInt32).implode())
    form = ["probe", "condition"]
    rows = directory.trials().filter(some).select(*form, "key", "item").collect()
    keys = rows["key"].unique().to_list()
    with directory.store() as store:
        known, failed = store.known(keys), store.failures(keys)
    there, broken = (pl.Series([*k], dtype=pl.Binary).implode() for k in (known, failed))
    gold = [n for n, item in enumerate(directory.items) if item.gold is not None]
    goldless, gone = ~pl.col("item").is_in(gold), pl.col("key").is_in(broken)
    counts = _counts(
        rows.lazy().filter(~pl.col("key").is_in(there)), goldless, not_asked=~gone, failed=gone
    )
    whole = _counts(directory.trials(), goldless, prompts=pl.col("key").is_not_null())
    without = [pl.col(f"goldless_{name}").alias(name) for name in OF]
    probes = counts.select("probe").unique()
    return (
        whole.join(probes, on="probe", how="semi")
        .join(counts, on=form, how="left", maintain_order="left")
        .with_columns(pl.exclude(form).fill_null(0))
        .select(*form, *OF, goldless=pl.struct(*without))
        .collect()
        .to_dicts()
    )


def _counts(trials: pl.LazyFrame, goldless: pl.Expr, **these: pl.Expr) -> pl.LazyFrame:
    """How many trials of each form are so, and of these without a right answer (`goldless_`)."""
    return trials.group_by("probe", "condition", maintain_order=True).agg(
        **{name: so.sum() for name, so in these.items()},
        **{f"goldless_{name}": (so & goldless).sum() for name, so in these.items()},
    )


def failure_kinds(directory: RunDirectory) -> list[tuple[str, str, int]]:
    """Kind and message of the requests that failed, and how many did so, most first."""
    with directory.store() as store:
        seen = Counter((f.failure.kind, f.failure.message) for f in store.failures().values())
    return [(kind, message, n) for (kind, message), n in seen.most_common()]


def study_after(directory: RunDirectory) -> tuple[Study, int]:
    """A study whose first stage was read, ready to plan the stage that comes next; its number.

    Raises UsageError where no probe depends on earlier answers.
    """
    study = directory.study()
    later = [stage for stage, _ in stages(study.probes) if stage > 1]
    if not later:
        raise UsageError("No probe of this study depends on earlier answers: it has one stage.")
    _remember(study, directory)
    return study, later[0]


def _remember(study: Study, directory: RunDirectory) -> None:
    """Give the planner what was read of the first stage, and go on counting behind it."""
    readers = list(directory.known.readers)
    trials = directory.trials([1])
    history = load_history(trials, directory.readings(), readers)
    with directory.store() as store:
        history = with_thoughts(history, study.probes, trials, store)
    study.planner.setting = replace(study.planner.setting, history=history)
    study.planner.count = directory.trials([1]).select(pl.col("trial").n_unique()).collect().item()

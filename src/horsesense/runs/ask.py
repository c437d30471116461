"""The first stage: put every trial to a model, and keep what was asked about which item.

Probes that depend on earlier answers form a second round, made from what was read of the first.
Without a model the same trials are made again: so an interrupted run is completed for its report.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from horsesense.errors import BudgetSpentError, UsageError
from horsesense.inference.control import Control
from horsesense.inference.limits import PATIENT, UNLIMITED, Limits, Retry, RunSummary
from horsesense.inference.probe import capabilities
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent
from horsesense.models.base import Model, Probing
from horsesense.models.registry import make_model
from horsesense.progress import Progress, progress
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import left_by_workers
from horsesense.runs.plan import LOOKED_AT, Plan, assumed, plan_of
from horsesense.runs.prepare import Study
from horsesense.runs.recalled import tried
from horsesense.runs.record import ModelRecord
from horsesense.runs.rounds import Asking, other_models
from horsesense.runs.watch import Watch, preflight
from horsesense.side import side


async def ask(
    directory: RunDirectory,
    model: Model,
    limits: Limits,
    max_connections: int | None = None,
    tell: Callable[[str], None] | None = None,
    control: Control | None = None,
) -> tuple[RunSummary, Plan]:
    """Ask what has no answer yet; `model` has been entered. Also what this was expected to take.

    The run is held from the start, and nothing but the lock is written before the first answer has
    come. `tell` is given what will be asked, a sentence at a time, before anything is sent.
    `control` says how fast requests are sent.

    Raises:
        ModelError: the model cannot be reached, or answered not a single request.
        InterruptedRunError: stopped by the user; what was answered is stored.
        StoreError: the answers cannot be stored, or another process works on the run.
    """
    same_model(directory, model)
    if left_by_workers(directory.layout):
        side("workers", "take_over")(directory.layout)
    say = tell or (lambda sentence: None)
    for sentence in other_goal(directory):
        say(sentence)
    with directory.hold(lambda: directory.begin(described)) as store:
        left = limits.less(sum(store.spent().values(), start=Spent()))
        expected = await expectation(directory, model, store, left)
        expected = replace(expected, budget=limits.requests)  # over all sessions
        for sentence in expected.sentences():
            say(sentence)
        with progress("finding out what the model offers"):
            described, probed = await described_model(directory, model, store, limits)
        study = ready(directory, model, described)
        described, more = await tried(study, model, store, limits, say)
        probed += more
        study = ready(directory, model, described)
        asking = Asking(directory, study, store, model, max_connections, PATIENT, probed)
        asking.control = control
        asking.watch = Watch(expected, limits, say, asking.study)
        for other in asking.others.values():
            if isinstance(other, Probing):
                async with other:  # what cannot be reached is known before anything is asked
                    asking.probed += (await capabilities(other, store, limits))[1]
        asking.shown = Progress("asking", expected.trials, about=not expected.exact)
        if probed.seconds and expected.to_ask:
            rate = (control and control.rate) or math.inf
            together = max_connections or model.max_connections
            say(expected.pace(probed.seconds, together, rate, left))
        try:
            if expected.to_ask and directory.record is None:
                asking.probed += await preflight(asking.study, model, store, limits, say)
            spent = await asking.rounds(limits)
        except (KeyboardInterrupt, asyncio.CancelledError):  # Ctrl-C while no request is out
            raise asking.interrupted() from None
    return settled(directory, spent), expected


def other_goal(directory: RunDirectory) -> Iterator[str]:
    """That a run which stops early is to stop by another goal than before."""
    now = directory.settings.until
    before = now if directory.record is None else directory.record.settings.until
    if now is not None and now != before:
        was = "everything was to be asked" if before is None else f"the goal was {before}"
        yield (
            f"--until {now}: {was} when the answers so far came. The error rate of decisions holds"
            " only for a goal that was set before the first answer."
        )


async def expectation(directory: RunDirectory, model: Model, store: Store, limits: Limits) -> Plan:
    """What will be asked, before the model is asked anything."""
    before = None if directory.record is None else directory.record.model.offers
    offers = await assumed(model, before)
    if directory.settings.takes_prefix:  # until it refuses one
        offers = replace(offers, continues=True)
    study = ready(directory, model, ModelRecord.of(model, offers))
    with progress("planning"):
        return plan_of(study, model, limits, store=store, sample=LOOKED_AT)


async def ask_as(
    directory: RunDirectory,
    model: Model,
    described: ModelRecord,
    limits: Limits = UNLIMITED,
    max_connections: int | None = None,
    retry: Retry = PATIENT,
    store: Store | None = None,
    control: Control | None = None,
    shown: Progress | None = None,
    watched: Callable[[Study], Watch] | None = None,
) -> RunSummary:
    """Ask, where what is written down of the model is settled already; see `ask`.

    Answers that came by other ways (a batch, a log) are put by a model that stands for the one
    that gave them (`models.known`). What is asked elsewhere has a `store`, a `control`, a
    progress and a watch of its own (`runs.workers`).
    """
    same_model(directory, described)
    if isinstance(model, Probing):
        model.recall(described.offers)
    with store or directory.hold(partial(directory.begin, described)) as kept:
        study = ready(directory, model, described)
        asking = Asking(directory, study, kept, model, max_connections, retry)
        asking.control, asking.shown = control, shown or asking.shown
        asking.watch = watched(study) if watched else None
        spent = await asking.rounds(limits)
    return settled(directory, spent)


def ready(directory: RunDirectory, model: Model, described: ModelRecord) -> Study:
    """The study of what is to be asked of a model; UsageError for what cannot be asked."""
    study = directory.study(described)
    thinking = study.settings.effort, study.settings.thinking_tokens
    if thinking != (None, None) and not getattr(model, "thinks", False):
        raise UsageError(
            f"{model.name} takes neither --effort nor --thinking-tokens.",
            hint="Models behind http:, inspect: and batch: do.",
        )
    check = getattr(model, "check", None)
    if check is not None:
        check(directory.items)
    study.planner.as_shown = getattr(model, "as_shown", None)
    study.readers()  # an unknown one is an error before anything is asked, as is another model
    other_models(study.probes, model)
    return study


def settled(directory: RunDirectory, spent: RunSummary) -> RunSummary:
    """Write down how asking ended."""
    reason = spent.stopped or ("failures" if spent.failed else "")
    directory.mark("ask", "stopped" if reason else "complete", reason)
    return spent


async def described_model(
    directory: RunDirectory, model: Model, store: Store, limits: Limits
) -> tuple[ModelRecord, RunSummary]:
    """What the model offers, and what finding out took.

    Where the budget of a run that is continued is spent, it is what it offered before.
    """
    try:
        offers, probed = await capabilities(model, store, limits)
    except BudgetSpentError:
        if directory.record is None:
            raise
        return directory.record.model, RunSummary()
    return ModelRecord.of(model, offers), probed


def same_model(directory: RunDirectory, model: Model | ModelRecord) -> None:
    """UsageError if the run holds answers of another model."""
    before = None if directory.record is None else directory.record.model
    if before is not None and before.identity != model.identity:
        raise UsageError(
            f"{directory.layout.root} holds answers of {before.identity}, not of {model.identity}.",
            hint="Choose another --out directory.",
        )


async def plan_again(directory: RunDirectory, store: Store) -> None:
    """Make the trials of an interrupted run again, from its own files and without a model.

    Of a run of recorded answers the file is needed too: it says in which order options were shown.
    """
    study = directory.study()
    if directory.known.model.identity.startswith("replay:"):
        recorded = make_model(directory.settings.model)
        recorded.check(directory.items)  # type: ignore[attr-defined]
        study.planner.as_shown = recorded.as_shown  # type: ignore[attr-defined]
    asking = Asking(directory, study, store, None, None)
    await asking.rounds(Limits(requests=0))


async def plan_only(directory: RunDirectory, model: Model) -> ModelRecord:
    """Write down a study that is to be asked later, or elsewhere; `model` has been entered.

    What was answered before stays. Raises as `ask` does before anything is asked.
    """
    described = ModelRecord.of(model, await model.capabilities())
    same_model(directory, described)
    directory.study(described).readers()
    with directory.hold(lambda: directory.begin(described)) as store:
        store.begin()
        await plan_again(directory, store)
    return described

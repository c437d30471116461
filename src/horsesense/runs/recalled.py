"""Thoughts that an earlier stage recorded, and whether a model goes on behind a part of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.probe import ask_aside
from horsesense.inference.store import Store
from horsesense.measures.joined import ORIGINAL
from horsesense.models.base import Model
from horsesense.models.messages import Failure, Request, Response, SamplingParams, as_thought
from horsesense.models.openai.protocol import thought_apart
from horsesense.probes.base import Probe
from horsesense.probes.thought import Thought
from horsesense.runs.prepare import Study
from horsesense.runs.record import ModelRecord
from horsesense.trials.history import History

_BEGUN: Final = ("assistant", as_thought("The letter A is wanted."))
TRIED: Final = Request((("user", "Reply with the letter A."), _BEGUN), None, SamplingParams())
"""A reply that is begun, to find out whether a server takes one."""


async def tried(
    study: Study, model: Model, store: Store, limits: Limits, say: Callable[[str], None]
) -> tuple[ModelRecord, RunSummary]:
    """The record of the model, which says whether it goes on with a reply that is begun.

    A server is asked for that only where a probe needs it, and the user says that it may.
    """
    wanted = study.settings.takes_prefix and _recalls(study.probes)
    if not wanted or study.planner.setting.continues:
        return study.model, RunSummary()
    (result,), spent = await ask_aside(model, store, limits, [TRIED])
    if isinstance(result, Failure):
        say(f"The server refuses a begun reply; probe thought is left out: {result.message}")
    anew = isinstance(result, Response) and bool(result.reasoning or thinks(result.text))
    if anew:
        say(
            "The server goes on with a begun reply by a thought of its own; probe thought is left"
            " out. Start it without a reasoning parser, with a template that goes on."
        )
    offers = replace(study.capabilities, continues=isinstance(result, Response) and not anew)
    return ModelRecord.of(model, offers), spent


def thinks(text: str) -> bool:
    """Whether a reply holds a thought, ended or not."""
    return "<think>" in text or bool(thought_apart(text)[0])


def with_thoughts(
    history: History, probes: Sequence[Probe], trials: pl.LazyFrame, store: Store
) -> History:
    """The same with the whole thoughts before answers to items as published, where a probe needs
    them."""
    if not _recalls(probes):
        return history
    published = (pl.col("probe") == ORIGINAL) & (pl.col("condition") == "")
    rows = trials.filter(published).select("item_id", "key").collect().rows()
    replies = store.get([key for _, key in rows])
    found = {name: _whole(replies[key]) for name, key in rows if key in replies}
    return replace(history, thoughts={name: thought for name, thought in found.items() if thought})


def _whole(reply: Response) -> str:
    """The thought before a reply; "" where there is none, or it was not ended."""
    thought, text = thought_apart(reply.text)
    return reply.reasoning or thought if text.strip() else ""


def _recalls(probes: Sequence[Probe]) -> bool:
    return any(isinstance(probe, Thought) for probe in probes)

"""audit = ask, read, measure and report in a row; what it would cost; items and replies alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from horsesense.api.given import Items, ModelLike, default_out, items_of, study_of
from horsesense.api.runs import Run
from horsesense.errors import ModelError, UsageError
from horsesense.files import usable
from horsesense.inference.limits import UNLIMITED, Limits
from horsesense.items.item import ItemSet
from horsesense.items.tasks import check_task
from horsesense.models.base import Capabilities, Model
from horsesense.plugins import split_outside_brackets
from horsesense.runs import REPORT_ITEMS
from horsesense.runs import run as runs
from horsesense.runs.plan import Plan, plan_of
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import GivenSettings, Names, Settings
from horsesense.runs.start import check_names

if TYPE_CHECKING:
    import polars as pl

    from horsesense.checks.check import CheckResult

UNREACHED = (
    "The model could not be asked what it offers ({}). Counted as for chat prompts; unknown are "
    "its context length, whether it gives token scores, and its own count of tokens."
)


def audit(
    items: Items,
    model: ModelLike,
    *,
    out: str | Path | None = None,
    budget: str | None = None,
    price: str | None = None,
    limits: Limits = UNLIMITED,
    rate: float | None = None,
    max_connections: int | None = None,
    key_env: str | None = None,
    timeout: float | None = None,
    report_items: int = REPORT_ITEMS,
    **settings: Unpack[GivenSettings],
) -> Run:
    """Audit a model on a set of items: ask, read, measure and report.

    Args:
        items: a file, "sample" or "hf:..."; an ItemSet; rows as mappings, or a polars or pandas
            frame, with the fields of an items file.
        model: "http:NAME@URL", "hf:NAME", "sim:PROFILE" or "replay:FILE"; a function from a list
            of prompts to as many texts; or an object of the protocol `Model`.
        out: run directory; one that is there is continued. By default "audits/ITEMS-MODEL".
        budget, price: what the run directory may spend, over all sessions, and what a million
            tokens cost: texts as on the command line, such as "money=2" and "0.4,1.6".
        limits: the same as an object; what the texts name goes before it.
        rate: at most so many requests a second.
        max_connections: requests under way together.
        key_env: environment variable with the key for the server of `model`.
        timeout: seconds for one call to it; 300 by default.
        report_items: items shown in the report.
        settings: what is asked, and how it is read: the fields of `horsesense.Settings`
            (`help(horsesense.Settings)`), the long options of `horsesense audit`. Where these hold
            several names, one text with commas will do.

    Raises:
        UsageError, ItemsError: before anything is asked.
        ModelError, StoreError: the model or the run directory cannot be used, or no prompt was
            answered.
        InterruptedRunError: stopped by the user; the same call continues.

    >>> run = audit("sample", "sim:position?k=1", out="run", probes="order")  # doctest: +SKIP
    >>> run.estimate("position_locked", "order", reader="text", group="B").value
    ... # doctest: +SKIP
    1.0
    """
    limits = limits.given(budget, price)
    chosen, found, answering = study_of(items, model, settings, key_env=key_env, timeout=timeout)
    run = Run.start(default_out(chosen) if out is None else out, chosen, found)
    run.ask(answering, limits=limits, max_connections=max_connections, rate=rate)
    run.read(limits=limits)
    run.measure()
    run.report(items=report_items)
    return run


def plan(
    items: Items,
    model: ModelLike | None = None,
    *,
    budget: str | None = None,
    price: str | None = None,
    key_env: str | None = None,
    timeout: float | None = None,
    **settings: Unpack[GivenSettings],
) -> Plan:
    """What `audit` would ask and could show: prompts, requests, tokens. Spends next
    to nothing.

    The arguments are those of `audit`. Without a model the plan is that of one that chats. (A
    server is asked one or two tiny probing questions to find out what it offers.)
    """
    from horsesense.runs.plan_text import plan_json

    chosen, found, answering = study_of(items, model, settings, key_env=key_env, timeout=timeout)
    limits = UNLIMITED.given(budget, price)
    counted, study = plan_study(chosen, answering, found, limits=limits)
    return replace(counted, seen=plan_json(counted, study)["seen"])


def plan_study(
    settings: Settings,
    model: Model,
    items: ItemSet | None = None,
    *,
    limits: Limits = UNLIMITED,
    offline: bool = False,
) -> tuple[Plan, Study]:
    """What a study would ask, and the study itself.

    With `offline`, a model that cannot be reached is taken for one that chats and gives no scores.
    """
    return runs.complete(_plan(settings, model, items, limits, offline))


async def _plan(
    settings: Settings, model: Model, items: ItemSet | None, limits: Limits, offline: bool
) -> tuple[Plan, Study]:
    check_names(settings)
    found = load_study_items(settings) if items is None else items
    check_task(found, settings.task)
    async with model as entered:
        try:
            offers = await entered.capabilities()
        except ModelError as error:
            if not offline:
                raise
            offers = Capabilities(notes=(UNREACHED.format(error.message),))
        described = ModelRecord.of(entered, offers)
        names = reader_names(settings, found, described)
        study = prepare(settings, found, load_shots(settings, found), described, names)
        return plan_of(study, entered, limits), study


def check(
    items: Items,
    *,
    map: Mapping[str, str] | None = None,
    split: str | None = "*",
    where: Mapping[str, str] | None = None,
    limit: int | None = None,
    rules: Names | None = None,
    seed: int = 0,
) -> CheckResult:
    """Flaws of the items themselves: cues, repeats, broken texts. No model is asked.

    Args:
        items, map, where, limit, seed: as for `audit`.
        split: the splits to look at; "*" is all, and finds what they share.
        rules: names of the rules to apply; all by default.

    Raises UsageError, ItemsError as `audit` does, or where there is no such rule.

    >>> found = check("sample")
    >>> found.finding("equal_options") is None
    True
    """
    from horsesense.checks.check import check_items

    found = items_of(items, map=map, split=split, where=where, limit=limit, seed=seed)
    names = split_outside_brackets(rules) if isinstance(rules, str) else rules
    return check_items(found, names)


def read(responses: str | Path, *, multiple: bool = False, reader: str = "text") -> pl.DataFrame:
    """Which option each recorded response chooses: one row per response, in order.

    Args:
        responses: JSONL (plain, .gz or .zst) with `options` and `response`, and where present
            `id`, `labels`, `finish_reason`.
        multiple: whether a response may choose several options.
        reader: "text"; `horsesense read` knows readers that are models as well.

    Returns columns id, status, positions (from 0), letters (labels as shown), rule, span,
    confidence (0 to 1).

    Raises UsageError for a missing file or an unknown reader, ItemsError for faulty rows.
    """
    import polars as pl

    from horsesense.readers.recorded import read_file

    if reader != "text":
        raise UsageError.unknown("reader of recorded responses", reader, ["text"])
    found = [row.as_json() for row in read_file(usable(responses), multiple=multiple)]
    kinds: dict[str, Any] = {
        "id": pl.String, "status": pl.String, "positions": pl.List(pl.Int64),
        "letters": pl.List(pl.String), "rule": pl.String, "span": pl.List(pl.Int64),
        "confidence": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame([{name: row[name] for name in kinds} for row in found], schema=kinds)

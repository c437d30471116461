"""audit = ask, read, measure and report in a row; what it would cost; replies read alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from horsesense.api.given import (
    Items,
    ModelLike,
    Names,
    default_out,
    study_of,
)
from horsesense.api.runs import Run
from horsesense.errors import ModelError, UsageError
from horsesense.files import usable
from horsesense.inference.limits import UNLIMITED, Limits
from horsesense.items.item import ItemSet
from horsesense.models.base import Capabilities, Model
from horsesense.runs import run as runs
from horsesense.runs.planner import Plan, measure_plan
from horsesense.runs.prepare import Study, load_shots, load_study_items, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.start import check_names

if TYPE_CHECKING:
    import polars as pl

UNREACHED = (
    "The model could not be asked what it offers ({}). Counted as for chat prompts; unknown are "
    "its context length, whether it gives token scores, and its own count of tokens."
)


def audit(
    items: Items,
    model: ModelLike,
    *,
    out: str | Path | None = None,
    probes: Names | None = None,
    suite: str | None = None,
    faithful: bool = False,
    sizes: str | None = None,
    bundles: int | None = None,
    disjoint: bool = False,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    labels: Names | None = None,
    task: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    shots: int = 0,
    shots_from: str | Path | None = None,
    style: Literal["auto", "chat", "completion"] = "auto",
    templates: str | Path | None = None,
    max_tokens: int | None = None,
    temperature: float = 0.0,
    top_p: float | None = None,
    readers: Names | None = None,
    draws: int = 1000,
    level: float = 0.95,
    until: str | None = None,
    smallest: Mapping[str, float] | None = None,
    limits: Limits = UNLIMITED,
    max_connections: int | None = None,
    key_env: str | None = None,
    timeout: float | None = None,
    report_items: int = 200,
) -> Run:
    """Audit a model on a set of items: ask, read, measure and report.

    Args:
        items: a file, "sample" or "hf:..."; an ItemSet; rows as mappings, or a polars or pandas
            frame, with the fields of an items file.
        model: "http:NAME@URL", "hf:NAME", "sim:PROFILE" or "replay:FILE"; a function from a list
            of prompts to as many texts; or an object of the protocol `Model`.
        out: run directory; one that is there is continued. By default "audits/ITEMS-MODEL".
        probes: what is changed ("order, labels"); see `horsesense list probes`.
        suite: a named set of probes; `faithful` chooses its published protocol.
        sizes, bundles, disjoint: of the probes that put several problems into a prompt.
        map: our field name -> the file's.
        split, where, limit: which rows are taken; `limit` draws a sample by `seed`.
        labels: the label set of a classification task.
        task: words for what is classified.
        seed: of every random choice.
        shots, shots_from: few-shot examples before each question, and their file.
        style: whether prompts are chat messages or plain text; "auto" takes what the model offers.
        templates: folder with prompt templates of your own.
        max_tokens: longest reply; 0 for scores alone; 16, or with `faithful` the paper's.
        temperature, top_p: decoding; temperature 0 is greedy.
        readers: how replies are read; see `horsesense list readers`.
        draws: without effect, intervals need no resamples any more.
        level: the confidence level of intervals (0.5 to 1).
        until: "decided" asks the items in random order and stops each probe once its change of
            accuracy is found or ruled out to be 5 points or more ("decided=0.03": 3 points);
            "decided=all" ("decided=all,0.03") once all that the verdict asks of it is decided;
            "precision=0.03" once it is known to within 3 points. By default all are asked.
        smallest: the smallest size that matters, by kind of finding, as a share:
            {"position_locked": 0.02}; see docs/verdict.md.
        limits: what the run directory may spend, over all sessions.
        max_connections: requests under way together.
        key_env: environment variable with the key for the server of `model`.
        timeout: seconds for one call to it; 300 by default.
        report_items: items shown in the report.

    Raises:
        UsageError, ItemsError: before anything is asked.
        ModelError, StoreError: the model or the run directory cannot be used.
        InterruptedRunError: stopped by the user; the same call continues.

    >>> run = audit("sample", "sim:position?k=1", out="run", probes="order")  # doctest: +SKIP
    >>> run.estimate("position_locked", "order", reader="text", group="B").value
    ... # doctest: +SKIP
    1.0
    """
    chosen, found, answering = study_of(
        items, model, {"key_env": key_env, "timeout": timeout},
        probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
        disjoint=disjoint, map=map, split=split, where=where, labels=labels, task=task,
        limit=limit, seed=seed, shots=shots, shots_from=shots_from, style=style,
        templates=templates, max_tokens=max_tokens, temperature=temperature, top_p=top_p,
        readers=readers, draws=draws, level=level, until=until, smallest=smallest,
    )  # fmt: skip
    run = Run.start(default_out(chosen) if out is None else out, chosen, found)
    run.ask(answering, limits=limits, max_connections=max_connections)
    run.read(limits=limits)
    run.measure()
    run.report(items=report_items)
    return run


def plan(
    items: Items,
    model: ModelLike,
    *,
    probes: Names | None = None,
    suite: str | None = None,
    faithful: bool = False,
    sizes: str | None = None,
    bundles: int | None = None,
    disjoint: bool = False,
    map: Mapping[str, str] | None = None,
    split: str | None = None,
    where: Mapping[str, str] | None = None,
    labels: Names | None = None,
    task: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    shots: int = 0,
    shots_from: str | Path | None = None,
    style: Literal["auto", "chat", "completion"] = "auto",
    templates: str | Path | None = None,
    max_tokens: int | None = None,
    key_env: str | None = None,
    timeout: float | None = None,
) -> Plan:
    """What `audit` would ask: trials, different requests, tokens. Spends nothing.

    The arguments are those of `audit`. (A server is asked one or two tiny probing questions to
    find out what it offers.)
    """
    chosen, found, answering = study_of(
        items, model, {"key_env": key_env, "timeout": timeout},
        probes=probes, suite=suite, faithful=faithful, sizes=sizes, bundles=bundles,
        disjoint=disjoint, map=map, split=split, where=where, labels=labels, task=task,
        limit=limit, seed=seed, shots=shots, shots_from=shots_from, style=style,
        templates=templates, max_tokens=max_tokens,
    )  # fmt: skip
    counted, _ = plan_study(chosen, answering, found)
    return counted


def plan_study(
    settings: Settings, model: Model, items: ItemSet | None = None, *, offline: bool = False
) -> tuple[Plan, Study]:
    """What a study would ask, and the study itself.

    With `offline`, a model that cannot be reached is taken for one that chats and gives no scores.
    """
    return runs.complete(_plan(settings, model, items, offline))


async def _plan(
    settings: Settings, model: Model, items: ItemSet | None, offline: bool
) -> tuple[Plan, Study]:
    check_names(settings)
    found = load_study_items(settings) if items is None else items
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
        context = study.capabilities.context_length
        return measure_plan(study.planner, entered.count_tokens, context), study


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

"""`horsesense audit`, `plan` and `demo`: a study from its items to its report."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.grouped import grouped
from horsesense.cli.options import (
    MODEL,
    AsJson,
    Budget,
    Connections,
    FieldMap,
    Items,
    KeyEnv,
    Limit,
    Models,
    Price,
    Rate,
    ReportItems,
    RunOut,
    Seed,
    Split,
    Temperature,
    Templates,
    Timeout,
    Where,
    limits,
    pairs,
)
from horsesense.cli.output import print_json
from horsesense.errors import UsageError
from horsesense.side import offered, side

if TYPE_CHECKING:
    from horsesense.runs.settings import Settings


@dataclass(frozen=True)
class StudyOptions:
    """What is asked: the options that `audit` and `plan` share."""

    items: Items
    model: Models
    probes: Annotated[
        str | None,
        typer.Option(help="Probes, separated by commas; `horsesense list probes` names them."),
    ] = None
    suite: Annotated[str | None, typer.Option(help="A named set of probes.")] = None
    faithful: Annotated[bool, typer.Option(help="The suite's protocol exactly as published.")] = (
        False
    )
    sizes: Annotated[
        str | None,
        typer.Option(help="Problems in one prompt, such as 5,10,20 (suite multi-problem)."),
    ] = None
    bundles: Annotated[int | None, typer.Option(help="Number of bundles of each size.")] = None
    disjoint: Annotated[
        bool, typer.Option("--disjoint", help="Bundles of a size share no item.")
    ] = False
    task: Annotated[
        str | None,
        typer.Option(help="Words for what is classified: a shipped task or a TOML file."),
    ] = None
    limit: Limit = None
    seed: Seed = 0
    shots: Annotated[int, typer.Option(help="Few-shot examples before each question.")] = 0
    shots_from: Annotated[
        str | None, typer.Option(help="Items file with the few-shot examples.")
    ] = None
    map: FieldMap = None
    split: Split = None
    where: Where = None
    labels: Annotated[str | None, typer.Option(help="Label set, separated by commas.")] = None
    style: Annotated[
        str, typer.Option(help="chat, completion, or auto (what the model offers).")
    ] = "auto"
    templates: Templates = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Longest reply; 0 for scores alone. 16, or with --faithful what the paper used."
        ),
    ] = None
    temperature: Temperature = 0.0
    top_p: Annotated[
        float | None,
        typer.Option(
            help="Sample from the likeliest tokens that make up this share; with --faithful what"
            " the paper used."
        ),
    ] = None
    readers: Annotated[
        str,
        typer.Option(
            help="How replies are read, separated by commas; auto: first_token, text, and"
            " option_text where the model scores texts."
        ),
    ] = "auto"
    until: Annotated[
        str | None,
        typer.Option(
            help="Stop each probe once its change of accuracy is decided (decided, decided=0.03),"
            " all that the verdict asks of it is (decided=all), or the change is known well enough"
            " (precision=0.03); all items are asked otherwise."
        ),
    ] = None

    smallest: Annotated[
        list[str] | None,
        typer.Option(
            help="KIND=SHARE: the smallest size that matters for a kind of finding, such as"
            " position_locked=0.02; the report shows it beside every check."
        ),
    ] = None

    def settings(self, **more: Any) -> Settings:
        """The settings that these options ask for; lists and maps are taken apart here alone.

        Of several models they name the first.
        """
        from horsesense.plugins import split_outside_brackets
        from horsesense.runs.settings import Settings

        given = asdict(self) | {"model": self.model[0]} | more
        found = {name: value for name, value in given.items() if value is not None}
        for name in ("map", "where", "smallest"):
            if name in found:
                found[name] = pairs(name, found[name])
        for name in ("probes", "readers", "labels"):
            if name in found:
                found[name] = tuple(split_outside_brackets(found[name]))
        return Settings.of(**found)


@dataclass(frozen=True)
class EngineOptions:
    """Where workers run, if the run is not asked by this process."""

    engine: Annotated[
        str | None,
        typer.Option(help="Who asks: ray, workers on this machine or on a cluster (extra ray)."),
    ] = None
    address: Annotated[
        str | None,
        typer.Option(help="Of the Ray cluster, such as auto; without one, this machine alone."),
    ] = None
    workers: Annotated[
        int | None, typer.Option(help="Workers; by default one for each core of this machine.")
    ] = None
    shards: Annotated[
        int | None,
        typer.Option(help="Parts that workers take one after the other; by default many."),
    ] = None
    keep: Annotated[
        str | None,
        typer.Option(
            help="Where workers keep answers that do not see --out: s3://BUCKET/FOLDER, or any"
            " other address that fsspec knows.",
        ),
    ] = None
    worker_cpus: Annotated[float, typer.Option(help="Cores that Ray sets aside for each.")] = 1.0
    worker_gpus: Annotated[float, typer.Option(help="GPUs of each worker.")] = 0.0

    def made(self) -> Any:
        """The engine that is named; UsageError for options that belong to one and none is."""
        if self.engine is None:
            given = [f.name for f in fields(self) if getattr(self, f.name) != f.default]
            if given:
                names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
                raise UsageError(f"{names}: only with --engine.", hint="Add --engine ray.")
            return None
        if self.engine not in offered("engines"):
            raise UsageError.unknown("engine", self.engine, list(offered("engines")))
        if self.workers is None and self.address is not None:
            raise UsageError(
                "How many workers there are on a cluster must be said.",
                hint="Give --workers, such as the cores or GPUs that the cluster has.",
            )
        engine = side("engines", self.engine)(
            (os.cpu_count() or 1) if self.workers is None else self.workers,
            self.address,
            self.shards,
            self.keep,
            self.worker_cpus,
            self.worker_gpus,
        )
        engine.check()
        return engine


PlanOut = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Write the plan as a run to be asked later, or as a batch (`export`)."
    ),
]


NO_FORECAST = (
    "No forecast for --until precision or decided=all: how fast a band narrows depends on every"
    " batch of answers, and no formula for it has been measured."
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(grouped(audit))
    app.command()(grouped(plan))
    app.command()(demo)


def audit(
    study: StudyOptions,
    apart: EngineOptions,
    out: RunOut = None,
    shard: Annotated[
        str | None,
        typer.Option(help="Ask only this part of the items, such as 2/8; `merge` unites the runs."),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            help="Changes no number (intervals need no resamples), but signatures name it."
        ),
    ] = 1000,
    max_connections: Connections = None,
    rate: Rate = None,
    budget: Budget = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    report_items: ReportItems = 200,
    as_json: AsJson = False,
) -> None:
    """Ask every item in many controlled forms and report what the score is made of.

    Several models (-m A -m B) are a run each in the folder --out. A study.toml beside what is
    written can be given to `horsesense run`. The same --out continues where it stopped, after
    Ctrl-C, a crash or a budget.
    """
    from horsesense.api import Run, default_out
    from horsesense.cli.each import AuditOptions, audit_all, audit_one, show
    from horsesense.models.registry import make_model
    from horsesense.runs.studies import Study as StudyOfModels

    options = AuditOptions(
        limits(budget, price),
        max_connections,
        report_items,
        as_json,
        rate,
        apart.made(),
        {"key_env": key_env, "timeout": timeout},
    )
    settings = study.settings(draws=draws, shard=shard)
    models = tuple(dict.fromkeys(study.model))
    if len(models) > 1:
        folder = out or Path("audits") / f"{default_out(settings).name}-and-others"
        code = audit_all(StudyOfModels.of(settings, *models), folder, options)
    else:
        model = make_model(settings.model, key_env=key_env, timeout=timeout)
        run = Run.start(out or default_out(settings), settings)
        code = audit_one(run, model, options)
        show(run, as_json)
    if code:
        raise typer.Exit(code)


def plan(
    study: StudyOptions,
    out: PlanOut = None,
    shards: Annotated[
        int | None, typer.Option(min=1, help="Say also what each of so many shards would ask.")
    ] = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    as_json: AsJson = False,
) -> None:
    """Say what an audit would ask and cost, and what it could see, before anything is spent."""
    from horsesense.api import Run, plan_study
    from horsesense.models.registry import make_model
    from horsesense.runs.plan_text import plan_json, plan_text, shards_json

    if out is not None and len(set(study.model)) > 1:
        raise UsageError("--out holds the plan of one model.", hint="Plan each on its own.")
    for spec in dict.fromkeys(study.model):
        settings = study.settings(model=spec)
        model = make_model(spec, key_env=key_env, timeout=timeout)
        counted, ready = plan_study(settings, model, offline=out is None)
        if out is not None:
            Run.start(out, settings).plan(model)
        found = plan_json(counted, ready, limits(None, price))
        found["shards"] = [] if shards is None else shards_json(ready, shards)
        if as_json:
            print_json("plan", found)
        else:
            print(plan_text(found))
            if settings.until is not None and not found["until"]:
                print(NO_FORECAST)


def demo(
    model: Annotated[str, typer.Option("--model", "-m", help=MODEL)] = "sim:prior",
    out: Annotated[Path, typer.Option(help="Run directory.")] = Path("horsesense-demo"),
    as_json: AsJson = False,
) -> None:
    """Audit the packaged sample items; by default with a model whose truth is known."""
    from horsesense.api import Run
    from horsesense.cli.each import AuditOptions, audit_one, show
    from horsesense.models.registry import make_model
    from horsesense.runs.settings import Settings

    run = Run.start(out, Settings.of(items="sample", model=model))
    code = audit_one(run, make_model(model), AuditOptions(as_json=as_json))
    show(run, as_json)
    if code:
        raise typer.Exit(code)

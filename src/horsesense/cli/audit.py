"""`horsesense audit`, `plan` and `demo`: a study from its items to its report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import (
    MODEL,
    REPORT_ITEMS,
    AsJson,
    Budget,
    Connections,
    Items,
    KeyEnv,
    Models,
    Price,
    Rate,
    ReportItems,
    RunOut,
    Timeout,
)
from horsesense.cli.output import print_json, print_json_line
from horsesense.errors import UsageError
from horsesense.progress import clock
from horsesense.side import offered, side
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense.runs.settings import Settings


class StudyOptions:
    """What is asked: an option for each field of `Settings`, with its words and its default.

    Attributes:
        models: as many as --model names.
    """

    def __init__(self, model: Sequence[str] | None, **given: Any) -> None:
        self.models = tuple(dict.fromkeys(model or ()))
        self._given = given

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """The options as parameters of a command."""
        from horsesense.runs.settings import FORMER, Settings

        own: dict[str, Any] = {"items": Items, "model": Models}
        return [
            *(Parameter(name, Parameter.KEYWORD_ONLY, annotation=own[name]) for name in own),
            *(_option(name) for name in Settings.model_fields if name not in own),
            *(_parameter(name, int, typer.Option(hidden=True)) for name in FORMER),
        ]

    def settings(self, model: str | None = None) -> Settings:
        """The settings that these options ask for, of the first model unless another is named."""
        from horsesense.runs.settings import Settings

        return Settings.of(model=model or self.models[0], **self._given)


class PlanOptions(StudyOptions):
    """The same, where no model need be named, and the items may be a study.toml."""

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """The options as parameters of a command."""
        given = super().parameters()
        return [p.replace(default=None) if p.name == "model" else p for p in given]

    def runs(self) -> list[tuple[Path | None, str | None, Settings]]:
        """What is planned: directory, model and settings of each run of a study.toml; else of each
        model, whose directory nothing names yet."""
        from horsesense.models.callables import NO_MODEL
        from horsesense.runs.studies import FILE, StudyFile

        named = Path(self._given["items"])
        if named.suffix != ".toml" and not (named / FILE).is_file():
            each = self.models or (None,)
            return [(None, model, self.settings(model or NO_MODEL)) for model in each]
        if self.models or any(v for name, v in self._given.items() if name != "items"):
            raise UsageError(f"{named} has the models and all settings.", hint="Name it alone.")
        study = StudyFile.load(named)
        folder = study.folder(named if named.is_dir() else named.parent)
        return [(path, settings.model, settings) for path, settings in study.runs(folder)]


def _option(name: str) -> Parameter:
    """A setting as an option of the command line; None where it is not given."""
    from horsesense.runs.settings import Settings, alternatives, holds

    field = Settings.model_fields[name]
    collected: dict[type | None, Any] = {tuple: str, dict: list[str]}
    simple = next((k for k in (bool, int, float) if k in alternatives(field.annotation)), str)
    usual = field.default
    shown = ",".join(usual) if isinstance(usual, tuple) else usual
    default = (
        f" Default: {shown}." if isinstance(shown, str | float | int) and simple is not bool else ""
    )
    option = typer.Option(f"--{name.replace('_', '-')}", help=f"{field.description}{default}")
    return _parameter(name, collected.get(holds(name), simple), option)


def _parameter(name: str, kind: Any, option: Any) -> Parameter:
    annotation = Annotated[kind | None, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@dataclass(frozen=True)
class EngineOptions:
    """Where workers run, if the run is not asked by this process.

    Attributes:
        engine: Have workers ask: ray, on this machine or on a cluster (extra ray).
        address: Address of the Ray cluster, such as auto; by default this machine alone.
        workers: Workers; by default one for each core of this machine.
        shards: Parts that workers take one after the other; by default many.
        keep: Where workers keep answers that do not see --out: s3://BUCKET/FOLDER, or any other
            address that fsspec knows.
        worker_cpus: Cores that Ray sets aside for each.
        worker_gpus: GPUs of each worker.
    """

    engine: str | None = None
    address: str | None = None
    workers: int | None = None
    shards: int | None = None
    keep: str | None = None
    worker_cpus: float = 1.0
    worker_gpus: float = 0.0

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


def audit(
    study: StudyOptions,
    apart: EngineOptions,
    out: RunOut = None,
    max_connections: Connections = None,
    rate: Rate = None,
    budget: Budget = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    report_items: ReportItems = REPORT_ITEMS,
    as_json: AsJson = False,
) -> None:
    """Ask every item in many controlled forms and report what the score is made of.

    Of several models (-m A -m B), each gets a run in the folder --out. `horsesense run` repeats
    the audit from the study.toml that is written there. Give the same --out to continue after
    Ctrl-C, a crash or a spent budget.

    Example: horsesense audit exam.csv -m http:gpt-4.1-mini --limit 200
    """
    from horsesense.api import Run, default_out
    from horsesense.cli.each import AuditOptions, audit_all, audit_one, show
    from horsesense.inference.limits import UNLIMITED
    from horsesense.models.registry import make_model
    from horsesense.runs.studies import StudyFile

    options = AuditOptions(
        UNLIMITED.given(budget, price),
        max_connections,
        report_items,
        as_json,
        rate,
        apart.made(),
        {"key_env": key_env, "timeout": timeout},
    )
    settings = study.settings()
    if len(study.models) > 1:
        folder = out or Path("audits") / f"{default_out(settings).name}-and-others"
        code = audit_all(StudyFile.of(settings, *study.models), folder, options)
    else:
        model = make_model(settings.model, key_env=key_env, timeout=timeout)
        run = Run.start(out or default_out(settings), settings)
        code = audit_one(run, model, options)
        show(run, as_json, options.may)
    if code:
        raise typer.Exit(code)


def plan(
    study: PlanOptions,
    out: PlanOut = None,
    shards: Annotated[
        int | None, typer.Option(min=1, help="Say also what each of so many shards would ask.")
    ] = None,
    budget: Budget = None,
    price: Price = None,
    rate: Rate = None,
    max_connections: Annotated[int | None, typer.Option(hidden=True)] = None,
    report_items: Annotated[int | None, typer.Option(hidden=True)] = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    as_json: AsJson = False,
) -> None:
    """Say what an audit would ask, cost and can find; a server gets a few tiny requests.

    It takes the options of `audit`, without those for workers (--engine); or, in the place of
    ITEMS, a study.toml alone. Without --model, tokens are estimated. What a judge costs depends on
    the replies and is not counted.

    Example: horsesense plan exam.csv -m http:gpt-4.1-mini --price 0.4,1.6
    """
    from horsesense.api import Run, default_out, plan_study
    from horsesense.api.given import model_of
    from horsesense.inference.limits import UNLIMITED, rounded_up
    from horsesense.inference.stored_rows import Spent
    from horsesense.models.registry import refuse_shared_key
    from horsesense.runs.plan_text import plan_json, plan_text

    plans, runs = [], study.runs()
    if out is not None and (len(runs) != 1 or runs[0][1] is None):
        hint = "Name one with --model; sim:oracle where none is to be asked."
        raise UsageError("--out holds the plan of one model.", hint=hint)
    show = print_json_line if len(runs) > 1 else print_json
    may = UNLIMITED.given(budget, price).share(Spent(), len(runs))
    models = [model_of(spec, key_env=key_env, timeout=timeout) for _, spec, _ in runs]
    refuse_shared_key(models)
    for (place, _, settings), model in zip(runs, models, strict=True):
        counted, ready = plan_study(settings, model, limits=may, offline=out is None)
        if out is not None:
            Run.start(out, settings).plan(model)
        found = plan_json(counted, ready, shards, out or place or default_out(settings))
        found["pace"] = _pace(counted.to_ask, rate)
        plans.append(counted)
        if as_json:
            show("plan", found)
        else:
            print(plan_text(counted, found, ready.items.items[0].id, out))
    if len(plans) > 1 and not as_json:
        tokens = ([p.prompt_tokens for p in plans], [p.completion_tokens for p in plans])
        cost = may.cost(*map(sum, tokens))
        money = "" if cost is None else f", about {rounded_up(cost)} at these prices"
        together = plural(sum(p.requests for p in plans), "request")
        pace = _pace(sum(p.to_ask for p in plans), rate)
        what = "models" if runs[0][0] is None else "runs"
        print(f"\nAll {len(plans)} {what} together: {together}{money}. {pace}".rstrip())


def _pace(requests: int, rate: float | None) -> str:
    return f"At {rate:g} requests a second: {clock(requests / rate)} at least." if rate else ""


DEMO = "sim:prior?know=0.5&prior=8,1,1,1"
TRUTH = (
    "The truth: this simulated model knows half of the items. Of the others it guesses, and says A"
    " in 8 of 11 cases."
)


def demo(
    model: Annotated[str, typer.Option("--model", "-m", help=MODEL)] = DEMO,
    out: Path = Path("horsesense-demo"),
    as_json: AsJson = False,
) -> None:
    """Audit the sample items, by default with a simulated model that has a known fault.

    Example: horsesense demo --out first-look

    Args:
        out: Run directory.
    """
    from horsesense.api import Run
    from horsesense.cli.each import AuditOptions, audit_one, show
    from horsesense.models.registry import make_model
    from horsesense.runs.settings import Settings

    run = Run.start(out, Settings.of(items="sample", model=model))
    code = audit_one(run, make_model(model), AuditOptions(as_json=as_json))
    show(run, as_json)
    if model == DEMO and not as_json:
        print(TRUTH)
    if code:
        raise typer.Exit(code)

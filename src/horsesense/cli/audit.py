"""`horsesense audit`, `plan` and `demo`: a study from its items to its report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from horsesense.api import Run
    from horsesense.runs.results import Results
    from horsesense.runs.settings import Settings
    from horsesense.runs.studies import Study as StudyOfModels


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
    max_tokens: Annotated[int, typer.Option(help="Longest reply; 0 for scores alone.")] = 16
    temperature: Temperature = 0.0
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
            help="Stop each probe once its finding is decided (decided, decided=0.03), or known"
            " well enough (precision=0.03); all items are asked otherwise."
        ),
    ] = None

    smallest: Annotated[
        list[str] | None,
        typer.Option(
            help="KIND=SHARE: the smallest size that matters for a kind of finding, such as"
            " accuracy_change=0.03; the report shows all of them."
        ),
    ] = None

    def settings(self, **more: Any) -> Settings:
        """The settings that these options ask for; lists and maps are taken apart here alone.

        Of several models they name the first; see `several`.
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

    def several(self) -> StudyOfModels | None:
        """The study of several models; None where one is named."""
        from horsesense.runs.studies import Study as StudyOfModels

        models = tuple(dict.fromkeys(self.model))
        if len(models) == 1:
            return None
        shared = self.settings().model_dump(mode="json", exclude_defaults=True)
        named = {name: value for name, value in shared.items() if name not in ("items", "model")}
        return StudyOfModels(models=models, items=(self.items,), settings=named)


PlanOut = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Write the plan as a run to be asked later, or as a batch (`export`)."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(grouped(audit))
    app.command()(grouped(plan))
    app.command()(demo)


def audit(
    study: StudyOptions,
    out: RunOut = None,
    draws: Annotated[
        int, typer.Option(help="Without effect since intervals need no resamples.")
    ] = 1000,
    max_connections: Connections = None,
    budget: Budget = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    report_items: ReportItems = 200,
    as_json: AsJson = False,
) -> None:
    """Ask every item in many controlled forms and report what the score is made of.

    Several models (-m A -m B) are a run each in the folder --out, with a study.toml that
    `horsesense run` takes. The same --out continues where it stopped, after Ctrl-C, a crash
    or a budget.
    """
    from horsesense.api import Run, default_out
    from horsesense.cli.each import audit_all
    from horsesense.models.registry import make_model

    may = limits(budget, price)
    settings = study.settings(draws=draws)
    models = study.several()
    if models is not None:
        folder = out or Path("audits") / f"{default_out(settings).name}-and-others"
        code = audit_all(
            models, folder, may, max_connections, report_items, as_json, shortfalls=shortfalls
        )
        if code:
            raise typer.Exit(code)
        return
    model = make_model(settings.model, key_env=key_env, timeout=timeout)
    run = Run.start(out or default_out(settings), settings)
    spent = run.ask(model, limits=may, max_connections=max_connections)
    run.read(limits=may)
    run.measure()
    run.report(items=report_items)
    _show(run, as_json)
    if spent.stopped == "failures" or run.results.findings["failures"]:
        raise typer.Exit(3)


def plan(
    study: StudyOptions,
    out: PlanOut = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    as_json: AsJson = False,
) -> None:
    """Say what an audit would ask and cost, and what it could see, before anything is spent."""
    from horsesense.api import Run, plan_study
    from horsesense.models.registry import make_model
    from horsesense.runs.plan_text import plan_json, plan_text

    if out is not None and len(set(study.model)) > 1:
        raise UsageError("--out holds the plan of one model.", hint="Plan each on its own.")
    for spec in dict.fromkeys(study.model):
        settings = study.settings(model=spec)
        model = make_model(spec, key_env=key_env, timeout=timeout)
        counted, ready = plan_study(settings, model)
        if out is not None:
            Run.start(out, settings).plan(model)
        found = plan_json(counted, ready, limits(None, price))
        if as_json:
            print_json("plan", found)
        else:
            print(plan_text(found))


def demo(
    model: Annotated[str, typer.Option("--model", "-m", help=MODEL)] = "sim:prior",
    out: Annotated[Path, typer.Option(help="Run directory.")] = Path("horsesense-demo"),
    as_json: AsJson = False,
) -> None:
    """Audit the packaged sample items; by default with a model whose truth is known."""
    from horsesense.api import audit as run_audit

    _show(run_audit("sample", model, out=out), as_json)


def _show(run: Run, as_json: bool) -> None:
    from horsesense.inference.limits import RunSummary

    results, report = run.results, run.directory.layout.report
    if as_json:
        rows = [estimate.as_json() for estimate in results.estimates]
        found = {"out": str(run.path), "report": str(report), **results.findings}
        print_json("audit", {**found, "estimates": rows})
        return
    for sentence in run.verdict():
        print(f"- {sentence}")
    for name, spent in results.findings["judges"].items():
        print(f"{name}: {RunSummary(**spent).costs()}.")
    for name, told in results.findings.get("cascades", {}).items():
        print(_steps(name, told, results))
    for line in shortfalls(run):
        print(line)
    print(f"Report: {report}")


def _steps(name: str, told: Mapping[str, Any], results: Results) -> str:
    """What each step of a cascade read, and how the score changed."""
    scores = [results.one("accuracy", reader=reader) for reader in ("text", name)]
    values = [f"{e.value:.1%}" for e in scores if e is not None and e.value is not None]
    score = f" Accuracy as published: {' by text, then '.join(values)}." if len(values) == 2 else ""
    return (
        f"{name}: text settled {told['read'] - told['left_open']:,} of {told['read']:,} replies;"
        f" of the other {told['left_open']:,} the judge understood {told['judged']:,}, and read"
        f" {told['changed']:,} otherwise.{score}"
    )


def shortfalls(run: Run) -> list[str]:
    """What was not asked or not answered, and how to continue; empty where nothing is missing."""
    findings, lines = run.results.findings, []
    reason = findings["stages"]["ask"]["reason"]
    if reason == "budget":
        lines.append("The budget is spent; the same command with a larger one continues the run.")
    if reason == "interrupted":
        lines.append("The run was interrupted; the audit command with this --out continues it.")
    failure = findings["run"].get("last_failure")
    if reason == "failures" and findings["run"].get("stopped") and failure is not None:
        lines.append(f"Stopped, since too many requests failed: {failure['message']}")
    for name, why in findings["silent"].items():
        lines.append(f"The reader {name} has no reading: {why}.")
    if findings["failures"]:
        lines.append(
            f"{findings['failures']:,} requests have no answer; the same audit asks them again."
        )
    if findings["unread"]:
        lines.append(
            f"{findings['unread']:,} of {findings['trials']:,} prompts have no reading and are"
            " missing from the numbers."
        )
    return lines

"""`horsesense audit` and what is done with its run directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import (
    MODEL,
    AsJson,
    Budget,
    Connections,
    FieldMap,
    Items,
    Limit,
    Model,
    Price,
    Seed,
    Split,
    Temperature,
    Templates,
    Where,
    json_text,
    limits,
    pairs,
)
from horsesense.errors import UsageError

if TYPE_CHECKING:
    from horsesense.runs.findings import Result
    from horsesense.runs.settings import Settings

Probes = Annotated[
    str | None, typer.Option(help="Probes, separated by commas; `horsesense list` names them.")
]
Suite = Annotated[str | None, typer.Option(help="A named set of probes.")]
Faithful = Annotated[bool, typer.Option(help="The suite's protocol exactly as published.")]
Sizes = Annotated[
    str | None, typer.Option(help="Problems in one prompt, such as 5,10,20 (suite multi-problem).")
]
Bundles = Annotated[int | None, typer.Option(help="Number of bundles of each size.")]
Disjoint = Annotated[bool, typer.Option("--disjoint", help="Bundles of a size share no item.")]
Task = Annotated[
    str | None, typer.Option(help="Words for what is classified: a shipped task or a TOML file.")
]
Shots = Annotated[int, typer.Option(help="Few-shot examples before each question.")]
ShotsFrom = Annotated[str | None, typer.Option(help="Items file with the few-shot examples.")]
Labels = Annotated[str | None, typer.Option(help="Label set, separated by commas.")]
Style = Annotated[str, typer.Option(help="chat, completion, or auto (what the model offers).")]
MaxTokens = Annotated[int, typer.Option(help="Longest reply; 0 for scores alone.")]
Readers = Annotated[
    str,
    typer.Option(
        help="How replies are read, separated by commas; auto: first_token, text, and option_text "
        "where the model scores texts."
    ),
]
Draws = Annotated[int, typer.Option(help="Bootstrap resamples.")]
Out = Annotated[Path | None, typer.Option(help="Run directory; the same one goes on.")]
ReportItems = Annotated[int, typer.Option(help="Items shown in the report with every answer.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (audit, plan, report):
        app.command()(command)
    app.command("list")(list_)
    app.command()(verify)
    app.command()(demo)


def audit(
    items: Items,
    model: Model,
    probes: Probes = None,
    suite: Suite = None,
    faithful: Faithful = False,
    sizes: Sizes = None,
    bundles: Bundles = None,
    disjoint: Disjoint = False,
    task: Task = None,
    limit: Limit = None,
    seed: Seed = 0,
    out: Out = None,
    shots: Shots = 0,
    shots_from: ShotsFrom = None,
    map: FieldMap = None,
    split: Split = None,
    where: Where = None,
    labels: Labels = None,
    style: Style = "auto",
    templates: Templates = None,
    max_tokens: MaxTokens = 16,
    temperature: Temperature = 0.0,
    readers: Readers = "auto",
    draws: Draws = 1000,
    max_connections: Connections = None,
    budget: Budget = None,
    price: Price = None,
    report_items: ReportItems = 200,
    as_json: AsJson = False,
) -> None:
    """Ask every item in many controlled forms and report what the score is made of."""
    from horsesense.api import audit as run_audit
    from horsesense.api import default_out

    settings = _settings(locals())
    folder = out or default_out(settings)
    result = run_audit(
        out=folder,
        limits=limits(budget, price),
        max_connections=max_connections,
        report_items=report_items,
        **settings.model_dump(),
    )
    _show_result(result, as_json)
    if result.run.stopped == "failures" or result.findings["failures"]:
        raise typer.Exit(3)


def plan(
    items: Items,
    model: Model,
    probes: Probes = None,
    suite: Suite = None,
    faithful: Faithful = False,
    sizes: Sizes = None,
    bundles: Bundles = None,
    disjoint: Disjoint = False,
    task: Task = None,
    limit: Limit = None,
    seed: Seed = 0,
    shots: Shots = 0,
    shots_from: ShotsFrom = None,
    map: FieldMap = None,
    split: Split = None,
    where: Where = None,
    labels: Labels = None,
    style: Style = "auto",
    templates: Templates = None,
    max_tokens: MaxTokens = 16,
    price: Price = None,
    as_json: AsJson = False,
) -> None:
    """Say what an audit would ask and cost, and what it could see, before anything is spent."""
    from horsesense.api import complete
    from horsesense.runs.plan_text import plan_json, plan_text
    from horsesense.runs.study import plan as plan_study

    counted, study = complete(plan_study(_settings(locals())))
    found = plan_json(counted, study, limits(None, price))
    print(json_text(found) if as_json else plan_text(found))


def report(
    run: Annotated[Path, typer.Argument(help="Run directory.", show_default=False)],
    report_items: ReportItems = 200,
    item: Annotated[str | None, typer.Option(help="Show this item's prompts and answers.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run directory again, or open one item of it."""
    from horsesense.report import item_report, write_report

    path = write_report(run, max_items=report_items) if item is None else item_report(run, item)
    print(json_text({"report": str(path)}) if as_json else path)


def list_(
    kind: Annotated[
        str | None, typer.Argument(help="probes, measures, readers, models, designs, suites.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List probes, measures, readers, simulated models, designs and suites."""
    from horsesense.catalogue import catalogue

    found = catalogue()
    if kind is not None:
        if kind not in found:
            raise UsageError.unknown("kind of thing to list", kind, found)
        found = {kind: found[kind]}
    if as_json:
        print(json_text(found))
        return
    for title, entries in found.items():
        print(f"{title}")
        width = max(map(len, entries))
        for name, summary in entries.items():
            print(f"  {name:<{width}}  {summary}")
        print()


def verify(
    run: Annotated[Path, typer.Argument(help="Run directory.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Derive every hash of a run directory again and say what does not match."""
    from horsesense.inference.store import Store

    with Store.open(run / "store.sqlite", read_only=True) as store:
        found = store.verify()
    if as_json:
        print(json_text({"checked": found.checked, "faults": found.faults}))
    else:
        print(f"{found.checked:,} stored answers checked, {len(found.faults)} faults")
        for fault in found.faults[:20]:
            print(f"  {fault}")
    if not found.sound:
        raise typer.Exit(3)


def demo(
    model: Annotated[str, typer.Option("--model", "-m", help=MODEL)] = "sim:prior",
    out: Annotated[Path, typer.Option(help="Run directory.")] = Path("horsesense-demo"),
    as_json: AsJson = False,
) -> None:
    """Audit the packaged sample items; by default with a model whose truth is known."""
    from horsesense.api import audit as run_audit

    _show_result(run_audit("sample", model, out=out), as_json)


def _settings(options: dict[str, Any]) -> Settings:
    """Settings from a command's options; lists and maps are split here and nowhere else."""
    from horsesense.plugins import split_outside_brackets
    from horsesense.runs.settings import Settings

    fields = {k: v for k, v in options.items() if k in Settings.model_fields and v is not None}
    for name in ("map", "where"):
        if name in fields:
            fields[name] = pairs(name, fields[name])
    for name in ("probes", "readers", "labels"):
        if name in fields:
            fields[name] = tuple(part.strip() for part in split_outside_brackets(fields[name]))
    return Settings.of(**fields)


def _show_result(result: Result, as_json: bool) -> None:
    from horsesense.inference.limits import RunSummary
    from horsesense.report import verdict_of

    report = result.out / "report.html"
    if as_json:
        print(json_text({"out": str(result.out), "report": str(report), **result.findings}))
        return
    for sentence in verdict_of(result.out, items=result.items):
        print(f"- {sentence}")
    for name, spent in result.findings["judges"].items():
        print(f"{name}: {RunSummary(**spent).costs()}.")
    for line in _shortfalls(result):
        print(line)
    print(f"Report: {report}")


def _shortfalls(result: Result) -> list[str]:
    """What was not asked or not answered, and how to go on; empty where nothing is missing."""
    run, failures = result.run, result.findings["failures"]
    lines = []
    if run.stopped == "budget":
        lines.append("The budget is spent; the same command goes on where it stopped.")
    if run.stopped == "failures" and run.last_failure is not None:
        lines.append(f"Stopped, since too many requests failed: {run.last_failure.message}")
    if failures:
        lines.append(f"{failures:,} requests have no answer; the same command asks them again.")
    return lines

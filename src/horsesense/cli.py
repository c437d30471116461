"""The command line. Results go to stdout, progress and errors to stderr.

Exit codes: 0 fine, 1 a gate failed, 2 wrong use, 3 trouble with the respondent or the run
directory (or requests left without an answer), 130 stopped by the user and resumable.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from horsesense.errors import HorsesenseError, InterruptedRunError, UsageError

if TYPE_CHECKING:
    from horsesense.findings import Result
    from horsesense.runner import Limits
    from horsesense.settings import Settings

app = typer.Typer(
    name="horsesense",
    help="Find out what a multiple-choice score is made of before you believe it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

EXTENSIONS = ("cli_read", "cli_cues", "cli_build", "cli_annotate", "cli_check", "cli_train")
"""Modules with a `register(app)` that adds further commands."""

ITEMS = (
    "File (JSONL, CSV, Parquet; plain, .gz or .zst), 'sample', or hf:[ORG/]NAME[@CONFIG][:SPLIT]."
)
MODEL = "http:NAME[@URL], hf:PATH-or-NAME, sim:PROFILE[?key=value&...] or replay:FILE."

Items = Annotated[str, typer.Argument(help=ITEMS, show_default=False)]
Model = Annotated[str, typer.Option("--model", "-m", help=MODEL, show_default=False)]
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
Limit = Annotated[int | None, typer.Option(help="At most so many items (a seeded sample).")]
Seed = Annotated[int, typer.Option(help="Of every random choice.")]
Shots = Annotated[int, typer.Option(help="Few-shot examples before each question.")]
ShotsFrom = Annotated[str | None, typer.Option(help="Items file with the few-shot examples.")]
FieldMap = Annotated[
    list[str] | None, typer.Option("--map", help="OURS=THEIRS, a field's name in the file.")
]
Split = Annotated[str | None, typer.Option(help="Rows whose field `split` has this value.")]
Where = Annotated[list[str] | None, typer.Option(help="FIELD=VALUE that a row must have.")]
Labels = Annotated[str | None, typer.Option(help="Label set, separated by commas.")]
Style = Annotated[str, typer.Option(help="chat, completion, or auto (what the model offers).")]
Templates = Annotated[str | None, typer.Option(help="Folder with prompt templates of your own.")]
MaxTokens = Annotated[int, typer.Option(help="Longest reply; 0 for scores alone.")]
Temperature = Annotated[float, typer.Option(help="0 is greedy.")]
Readers = Annotated[str, typer.Option(help="How replies are read, separated by commas.")]
Draws = Annotated[int, typer.Option(help="Bootstrap resamples.")]
Out = Annotated[Path | None, typer.Option(help="Run directory; the same one goes on.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Connections = Annotated[int | None, typer.Option(help="Requests under way together.")]
Budget = Annotated[
    str | None, typer.Option(help="requests=N,tokens=N,money=X: stop asking when one is spent.")
]
Price = Annotated[
    str | None, typer.Option(help="PROMPT,COMPLETION: price of a million tokens of each.")
]
ReportItems = Annotated[int, typer.Option(help="Items shown in the report with every answer.")]


@app.command()
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
    readers: Readers = "first_token,text",
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


@app.command()
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
    from horsesense.plan_report import plan_json, plan_text
    from horsesense.study import plan as plan_study

    counted, study = complete(plan_study(_settings(locals())))
    found = plan_json(counted, study, limits(None, price))
    print(_json(found) if as_json else plan_text(found))


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="Run directory.", show_default=False)],
    report_items: ReportItems = 200,
    item: Annotated[str | None, typer.Option(help="Show this item's prompts and answers.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run directory again, or open one item of it."""
    from horsesense.report import item_report, write_report

    path = write_report(run, max_items=report_items) if item is None else item_report(run, item)
    print(_json({"report": str(path)}) if as_json else path)


@app.command("list")
def list_(
    kind: Annotated[
        str | None, typer.Argument(help="probes, measures, readers, respondents, designs, suites.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List probes, measures, readers, simulated respondents, designs and suites."""
    from horsesense.catalogue import catalogue

    found = catalogue()
    if kind is not None:
        if kind not in found:
            raise UsageError.unknown("kind of thing to list", kind, found)
        found = {kind: found[kind]}
    if as_json:
        print(_json(found))
        return
    for title, entries in found.items():
        print(f"{title}")
        width = max(map(len, entries))
        for name, summary in entries.items():
            print(f"  {name:<{width}}  {summary}")
        print()


@app.command()
def verify(
    run: Annotated[Path, typer.Argument(help="Run directory.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Derive every hash of a run directory again and say what does not match."""
    from horsesense.store import Store

    with Store.open(run / "store.sqlite", read_only=True) as store:
        found = store.verify()
    if as_json:
        print(_json({"checked": found.checked, "faults": found.faults}))
    else:
        print(f"{found.checked:,} stored answers checked, {len(found.faults)} faults")
        for fault in found.faults[:20]:
            print(f"  {fault}")
    if not found.sound:
        raise typer.Exit(3)


@app.command()
def demo(
    model: Annotated[str, typer.Option("--model", "-m", help=MODEL)] = "sim:prior",
    out: Annotated[Path, typer.Option(help="Run directory.")] = Path("horsesense-demo"),
    as_json: AsJson = False,
) -> None:
    """Audit the packaged sample items; by default with a respondent whose truth is known."""
    from horsesense.api import audit as run_audit

    _show_result(run_audit("sample", model, out=out), as_json)


def _settings(options: dict[str, Any]) -> Settings:
    """Settings from a command's options; lists and maps are split here and nowhere else."""
    from horsesense.probes import split_outside_brackets
    from horsesense.settings import Settings

    fields = {k: v for k, v in options.items() if k in Settings.model_fields and v is not None}
    for name in ("map", "where"):
        if name in fields:
            fields[name] = pairs(name, fields[name])
    for name in ("probes", "readers", "labels"):
        if name in fields:
            fields[name] = tuple(part.strip() for part in split_outside_brackets(fields[name]))
    return Settings.of(**fields)


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """What a repeated option NAME=VALUE says."""
    return dict(_pair(option, text) for text in given or ())


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--{option} {text!r} is no NAME=VALUE.")
    return name, value


def limits(budget: str | None, price: str | None) -> Limits:
    """What --budget and --price say."""
    from horsesense.runner import Limits

    values: dict[str, Any] = {}
    kinds = {"requests": int, "tokens": int, "money": float}
    for name, text in (_pair("budget", part) for part in (budget or "").split(",") if part):
        if name not in kinds:
            raise UsageError.unknown("budget", name, kinds)
        values[name] = _number("budget", text, kinds[name])
    if price is not None:
        prices = price.split(",")
        if len(prices) != 2:
            raise UsageError(f"--price {price!r} is no PROMPT,COMPLETION.")
        values["prompt_price"] = _number("price", prices[0], float)
        values["completion_price"] = _number("price", prices[1], float)
    return Limits(**values)


def _number(option: str, text: str, kind: type) -> Any:
    try:
        return kind(text.replace("_", ""))
    except ValueError:
        noun = "a whole number" if kind is int else "a number"
        raise UsageError(f"--{option}: {text!r} is not {noun}.") from None


def _show_result(result: Result, as_json: bool) -> None:
    from horsesense.limits import RunSummary
    from horsesense.report import verdict_of

    report = result.out / "report.html"
    if as_json:
        print(_json({"out": str(result.out), "report": str(report), **result.findings}))
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def register_extensions() -> None:
    """Add the commands of the other modules; done once, before the command line is used."""
    for name in EXTENSIONS:
        if find_spec(f"horsesense.{name}"):
            import_module(f"horsesense.{name}").register(app)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A run makes millions of small objects that hold no cycles: Python need not look so often.
    gc.set_threshold(100_000, 20, 50)
    register_extensions()
    try:
        code = app(words, standalone_mode=False)
    except HorsesenseError as error:
        _complain(error, as_json="--json" in words)
        code = error.exit_code
    except KeyboardInterrupt:
        _complain(InterruptedRunError("Stopped."), as_json=False)
        code = InterruptedRunError.exit_code
    except Exception as error:  # noqa: BLE001 - defects are raised again
        code = _usage_exit(error)
    sys.exit(code if isinstance(code, int) else 0)


def _complain(error: HorsesenseError, *, as_json: bool) -> None:
    if as_json:
        print(_json({"error": error.message, "hint": error.hint}), file=sys.stderr)
    else:
        print(f"horsesense: {error}", file=sys.stderr)


def _usage_exit(error: Exception) -> int:
    """Exit code of the option parser's errors, which show themselves; the rest are defects."""
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, typer.Abort):
        return InterruptedRunError.exit_code
    show = getattr(error, "show", None)
    if show is None:
        raise error
    show()
    return 2

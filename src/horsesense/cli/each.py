"""One audit from its first request to its report, and several in a row.

`audit`, `demo` and `run` share this.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from horsesense.cli.output import print_json
from horsesense.errors import BudgetSpentError, ExitCode, InterruptedRunError, StoreError, install
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary, exactly
from horsesense.inference.stored_rows import Spent
from horsesense.progress import harmless, say
from horsesense.runs import REPORT_ITEMS
from horsesense.stats.words import agreeing, percent, plural

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense.models.base import Model
    from horsesense.runs.results import Results
    from horsesense.runs.studies import StudyFile


REASON = 120
"""Characters of a failure's message that a line has room for."""
MOST_UNCOUNTED = 0.05
"""Share of calls without token counts up to which a budget is not said to suffer from them."""


@dataclass(frozen=True)
class AuditOptions:
    """What does not change what is asked: limits, speed, and what is shown."""

    may: Limits = UNLIMITED
    max_connections: int | None = None
    report_items: int = REPORT_ITEMS
    as_json: bool = False
    rate: float | None = None
    engine: Any = None
    server: Mapping[str, Any] = field(default_factory=dict)
    """Of a model behind a server: `key_env` and `timeout`."""


def audit_one(run: Run, model: Model, options: AuditOptions) -> ExitCode:
    """Ask, read, measure and report; leaves a study.toml in the run. How the command ends."""
    from horsesense.runs.studies import StudyFile

    may, connections = options.may, options.max_connections
    try:
        asked = run.ask(
            model if options.engine is None else None,
            limits=may,
            max_connections=connections,
            tell=None if options.as_json else say,
            rate=options.rate,
            engine=options.engine,
            **(options.server if options.engine is not None else {}),
        )
    finally:
        # Not where the run may have been moved, and another be in its place.
        failed = isinstance(sys.exc_info()[1], StoreError)
        if run.directory.record is not None and not failed:
            StudyFile.of(run.settings).priced(may).save(run.path)
    # A refused call that probed the server has no counts either, and costs next to nothing.
    short = asked.stopped == "budget" and may.counts_tokens and not options.as_json
    if short and asked.uncounted > MOST_UNCOUNTED * asked.sent:
        say(
            f"{plural(asked.uncounted, 'call')} came back without token counts. Each is charged at"
            " its most: a token for each byte of the request, and the longest reply."
        )
    judged = run.read(limits=may, max_connections=connections)
    run.measure()
    run.report(items=options.report_items)
    if "budget" in (asked.stopped, judged.stopped):
        return ExitCode.BUDGET
    missing = asked.stopped == "failures" or run.results.findings["failures"]
    return ExitCode.TROUBLE if missing else ExitCode.FINE


def audit_all(study: StudyFile, folder: Path, options: AuditOptions) -> ExitCode:
    """Audit in turn; the runs share the limits, with what each spent in earlier sessions. How
    the command ends: as its worst run did."""
    from horsesense.api import Run
    from horsesense.inference.store_file import held
    from horsesense.models.registry import make_model, refuse_shared_key
    from horsesense.report.sections.until import saved
    from horsesense.report.told import as_rows, in_short
    from horsesense.runs.accounts import spent_in
    from horsesense.runs.layout import RunLayout

    tell = _nothing if options.as_json else partial(print, flush=True)
    runs = list(study.runs(folder))
    models = {s.model: make_model(s.model, **options.server) for _, s in runs}
    refuse_shared_key(models.values())
    # Two at once would both spend what one run leaves to the next.
    shared = len(runs) > 1 and options.may.any
    with held(folder / "study.lock") if shared else nullcontext():
        study.priced(options.may).save(folder)
        rows, codes = [], [ExitCode.FINE]
        spent = {path: spent_in(RunLayout(path)) for path, _ in runs} if options.may.any else {}
        if spent and len(runs) > 1:
            tell(f"{len(runs)} runs share the budget equally; what one leaves goes to the next.")
        for number, (path, settings) in enumerate(runs, 1):
            model = models[settings.model]
            tell(f"{number} of {len(runs)}: {model.name} on {settings.items}")
            run = Run.start(path, settings)
            others = (of for one, of in spent.items() if one != path)
            may = options.may.less(sum(others, start=Spent()))
            if spent:
                may = may.share(spent[path], len(runs) - number + 1)
            try:
                codes.append(audit_one(run, model, replace(options, may=may)))
            except BudgetSpentError as error:
                codes.append(error.exit_code)
                say(f"{path}: not asked, since the budget of the study is spent.")
                continue
            except InterruptedRunError as error:  # the command named the study, not the run
                error.hint = (error.hint or "").replace(f" with --out {path} ", " ")
                raise
            finally:  # what a run sent before it was refused counts too
                if spent:
                    spent[path] = spent_in(RunLayout(path))
            report, missing = run.directory.layout.report, shortfalls(run)
            rows.append(
                {"run": str(path), "items": settings.items, "model": model.name,
                 "suite": settings.suite, "report": str(report), **as_rows(run.results),
                 "missing": missing, "expected": _expected(run)}
            )  # fmt: skip
            said, more = in_short(run.results)
            ends = [*saved(run.results), *missing, *cost(run, may)]
            tell(*(f"- {line}" for line in [*said, *ends]), sep="\n")
            tell(f"  and {plural(more, 'more check')} (open {report})" if more else f"  {report}")
    if options.as_json:
        print_json("run", {"study": str(folder), "runs": rows})
    elif len(runs) > 1:
        print(f"Side by side: horsesense compare {folder}")
    return ExitCode.TROUBLE if ExitCode.TROUBLE in codes else max(codes)


def _nothing(*_: str, sep: str = "") -> None:
    """In the place of `print`, where JSON alone is to be printed."""


def cost(run: Run, may: Limits) -> list[str]:
    """What a run has cost over all sessions, if it costs anything: one that has a limit or prices,
    or was told that it has none."""
    from horsesense.runs.accounts import spent_in

    if not (may.any or may.priced or (run.expected and run.expected.unlimited)):
        return []
    spent, last = spent_in(run.directory.layout), run.results.findings["run"]
    money = may.cost(spent.prompt_tokens, spent.completion_tokens)
    priced = "" if money is None else f" ({exactly(money)} at these prices)"
    prompt, completion = spent.prompt_tokens, plural(spent.completion_tokens, "completion token")
    again = f"; {n:,} in the last session were repeats" if (n := last.get("retried")) else ""
    return [
        f"Spent over all sessions: {plural(spent.requests, 'call')}, at most {prompt:,} prompt and"
        f" {completion}{priced}{again}."
        + " Where no tokens are counted, each byte of a request is charged as one."
        * bool(last.get("uncounted"))
    ]


def _expected(run: Run) -> dict[str, object]:
    """What asking was expected to take, as it was told before."""
    return {} if run.expected is None else run.expected.as_json()


def show(run: Run, as_json: bool, may: Limits = UNLIMITED) -> None:
    """Say what an audit found and where it lies."""
    from horsesense.cli.ending import ending
    from horsesense.report.sections.until import saved
    from horsesense.report.told import as_rows

    results, report = run.results, run.directory.layout.report
    if as_json:
        rows = [estimate.as_json() for estimate in results.estimates]
        found: dict[str, Any] = {
            "out": str(run.path),
            "report": str(report),
            "expected": _expected(run),
        }
        said = as_rows(results)
        print_json("audit", {**results.findings, **found, **said, "estimates": rows})
        return
    print(*ending(results), sep="\n")
    for name, spent in results.findings["judges"].items():
        print(f"{name}: {RunSummary(**spent).costs()}.")
    for name, spent in results.findings.get("judges_before", {}).items():
        print(f"{name}, in earlier readings: {RunSummary(**spent).costs()}.")
    for name, told in results.findings.get("cascades", {}).items():
        print(_steps(name, told, results))
    for line in [*saved(results), *shortfalls(run), *cost(run, may)]:
        print(line)
    if find_spec("vl_convert") is None:
        print(f"The report has its charts in words; to have them drawn: {install('figures')}")
    print(f"Report: {report}")


def _steps(name: str, told: Mapping[str, Any], results: Results) -> str:
    """What each step of a cascade read, and how the score changed."""
    scores = [results.one("accuracy", reader=reader) for reader in ("text", name)]
    values = [f"{percent(e.value, 1)}" for e in scores if e is not None and e.value is not None]
    score = (
        f" Accuracy in the original order: {' by text, then '.join(values)}."
        if len(values) == 2
        else ""
    )
    return (
        f"{name}: text settled {told['read'] - told['left_open']:,} of"
        f" {plural(told['read'], 'reply')};"
        f" of the other {told['left_open']:,} the judge understood {told['judged']:,}, and read"
        f" {told['changed']:,} otherwise.{score}"
    )


def _reasons(run: Run) -> str:
    """What went wrong with most of the requests that failed, in brackets; "" where unknown."""
    from horsesense.runs.unanswered import failure_kinds

    kinds = failure_kinds(run.directory) if run.directory.layout.store.exists() else []
    if not kinds:
        return ""
    told = [f"{n:,} x {kind}: {shorten(message, REASON)}" for kind, message, n in kinds[:2]]
    if len(kinds) > 2:
        told.append(f"{sum(n for *_, n in kinds[2:]):,} more")
    slow = any(message.startswith("no reply within") for _, message, _ in kinds[:2])
    return harmless(f" ({'; '.join(told)}{'; --timeout waits longer' * slow})")


def _serving(findings: Mapping[str, Any], requests: int) -> str:
    """How many prompts the requests that failed serve, where these are more."""
    prompts = sum(row["failed"] for row in findings.get("unanswered", ()))
    if prompts <= requests:
        return ""
    return f", which {agreeing(requests, 'serve')} {plural(prompts, 'prompt')},"


def shortfalls(run: Run) -> list[str]:
    """What was not asked or not answered, and how to continue; empty where nothing is missing, or
    a sentence of the verdict says so."""
    from horsesense.report.behind_score import prompts_too_long, unread

    findings, lines = run.results.findings, []
    if run.settings.shard is not None:
        lines.append(
            f"This is shard {run.settings.shard} of a study: all numbers are about its own items."
            " horsesense merge unites the shards."
        )
    reason = run.results.ended
    told = "until" in findings  # then a notice of the verdict says so
    if reason == "budget" and not told:
        lines.append("The budget is spent. Run the same command with a larger one to continue.")
    if reason == "interrupted" and not told:
        begun = findings["unread"] < findings["trials"]
        head = "The run was interrupted" if begun else "Nothing was asked yet"
        lines.append(f"{head}. Run the same audit command with this --out to continue.")
    failure = findings["run"].get("last_failure")
    if reason == "failures" and findings["run"].get("stopped") and failure is not None:
        lines.append(f"Stopped, since too many requests failed: {failure['message']}")
    for name, why in findings["silent"].items():
        lines.append(f"The reader {name} has no reading: {why.rstrip('.')}.")
    if findings["failures"]:
        n = findings["failures"]
        lines.append(
            f"{plural(n, 'request')}{_serving(findings, n)} {agreeing(n, 'have')} no answer"
            f"{_reasons(run)}; the same audit asks {'it' if n == 1 else 'them'} again."
        )
    if long := prompts_too_long(run.results):
        lines.append(f"{long} The report says which.")
    return [*lines, *filter(None, (unread(run.results),))]

"""`horsesense gate`: exit code 1 where a run does not reach what it must, 5 in doubt, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from horsesense.cli.compare import Level, plain
from horsesense.cli.options import AsJson, RunPath
from horsesense.cli.output import print_json
from horsesense.errors import ExitCode, HorsesenseError, UsageError

if TYPE_CHECKING:
    from horsesense.comparison.gates.gate import OnDoubt, Verdict


def gate(
    run: RunPath,
    require: list[str] | None = None,
    baseline: Path | None = None,
    tolerance: list[str] | None = None,
    strict: Annotated[bool, typer.Option("--strict", help="The same as --on-doubt fail.")] = False,
    on_doubt: str | None = None,
    measure: str = "accuracy_as_graded",
    level: Level = 0.95,
    lost: str = "20%",
    junit: Path | None = None,
    markdown: Path | None = None,
    as_json: AsJson = False,
) -> None:
    """Check a run against requirements and against an earlier run; asks nothing.

    Exit code 1 if a check failed, 5 if some are undecided, 2 if the gate could not be carried out.

    Example: horsesense gate audits/new --baseline audits/old --tolerance 2%

    Args:
        require: What must hold, such as 'found == 0' (of the verdict) or 'accuracy_hard.low > 0.5'
            (docs/compare.md); repeatable.
        baseline: An earlier run; this one must not be worse.
        tolerance: Loss against the baseline that is accepted: 0.02, 2%, or order=5% for one probe;
            repeatable.
        on_doubt: What undecided checks count as: pass, fail, or ask-more, which says what to ask
            (exit code 5, as by default).
        measure: What must not be lost; see --measure of compare.
        lost: Fail where more than this share of the replies is cut off, empty, unreadable or
            failed, or nearly all state no choice; `never` switches this off.
        junit: Write the checks as JUnit XML.
        markdown: Write the checks as Markdown, for a job summary.
    """
    from horsesense.api import gate as judged

    try:
        doubt = _on_doubt(on_doubt, strict)
        found = judged(
            run,
            require=require or (),
            baseline=baseline,
            tolerance=tolerance or (),
            on_doubt=doubt,
            measure=measure,
            level=level,
            lost=lost,
        )
    except HorsesenseError as error:
        # In CI a gate that could not look must not be taken for trouble with a model.
        error.exit_code = ExitCode.USAGE
        raise
    _write(found, run.name or str(run), junit, markdown)
    if as_json:
        print_json("gate", found.as_json())
    else:
        _show(found)
    if not found.passed:
        failed = found.result == "failed"
        raise typer.Exit(ExitCode.FAILED if failed else ExitCode.UNDECIDED)


def _on_doubt(given: str | None, strict: bool) -> OnDoubt:
    if given not in (None, "pass", "fail", "ask-more") or (strict and given not in (None, "fail")):
        raise UsageError(
            f"--on-doubt {given} is not possible{' with --strict' if strict else ''}.",
            hint="Write --on-doubt pass, fail or ask-more.",
        )
    return "fail" if strict else cast("OnDoubt", given or "")


def _write(found: Verdict, name: str, junit: Path | None, markdown: Path | None) -> None:
    from horsesense.comparison.gates import reports
    from horsesense.files import write_again

    if junit is not None:
        write_again(junit, reports.junit(found, name))
    if markdown is not None:
        write_again(markdown, reports.markdown(found, name))


def _show(found: Verdict) -> None:
    """Which loss can be seen, and every check on a line, those that fail last, where a log is read
    first."""
    if found.sees:
        print(plain(found.sees))
    for check in sorted(found.checks, key=found.fails):
        mark = "FAILED" if found.fails(check) else check.state
        refused = mark == "FAILED" and check.state == "undecided"
        why = "undecided, which --on-doubt fail refuses: " if refused else ""
        print(f"{mark:<12} {plain(check.name)}\n{'':<13}{why}{plain(check.says)}")
    for note in found.notes:
        print(plain(note))
    result = {"passed": "Gate passed", "failed": "Gate failed", "undecided": "Undecided"}
    print(f"{result[found.result]}: {plain(found.in_numbers)}")

"""Several audits in a row: what `audit` with several models and `run` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.cli.output import print_json

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense.inference.limits import Limits
    from horsesense.runs.studies import Study


def audit_all(
    study: Study,
    folder: Path,
    may: Limits,
    max_connections: int | None,
    report_items: int,
    as_json: bool,
    shortfalls: Callable[[Run], list[str]],
) -> int:
    """Audit in turn; the limits hold for each run. The exit code: 3 after failures.

    `shortfalls` says what a run has not asked or was not answered.
    """
    from horsesense.api import Run
    from horsesense.inference.limits import UNLIMITED
    from horsesense.models.openai.http import refuse_shared_key
    from horsesense.models.registry import make_model

    runs = list(study.runs(folder))
    models = {settings.model: make_model(settings.model) for _, settings in runs}
    refuse_shared_key(models.values())
    study.save(folder)
    rows, failed = [], False
    if may != UNLIMITED and not as_json:
        print(f"The budget holds for each of the {len(runs)} runs.")
    for number, (path, settings) in enumerate(runs, 1):
        if not as_json:
            print(f"{number} of {len(runs)}: {settings.model} on {settings.items}", flush=True)
        run = Run.start(path, settings)
        spent = run.ask(models[settings.model], limits=may, max_connections=max_connections)
        run.read(limits=may)
        run.measure()
        report = run.report(items=report_items)
        missing = shortfalls(run)
        failed |= spent.stopped == "failures" or bool(run.results.findings["failures"])
        rows.append(
            {"run": str(path), "items": settings.items, "model": settings.model,
             "suite": settings.suite, "report": str(report), "verdict": run.verdict(),
             "missing": missing}
        )  # fmt: skip
        if not as_json:
            print(*(f"- {line}" for line in [*run.verdict()[:3], *missing]), sep="\n")
            print(f"  {report}")
    if as_json:
        print_json("run", {"study": str(folder), "runs": rows})
    return 3 if failed else 0

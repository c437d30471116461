"""`horsesense run`: every audit of a study.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.options import (
    REPORT_ITEMS,
    AsJson,
    Budget,
    Connections,
    KeyEnv,
    Price,
    Rate,
    ReportItems,
    Timeout,
)

StudyPath = Annotated[Path, typer.Argument(help="A study.toml, or the folder it lies in.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder of the runs; by default that of study.toml.")
]


def run_study(
    study: StudyPath,
    out: Out = None,
    max_connections: Connections = None,
    rate: Rate = None,
    budget: Budget = None,
    price: Price = None,
    key_env: KeyEnv = None,
    timeout: Timeout = None,
    report_items: ReportItems = REPORT_ITEMS,
    as_json: AsJson = False,
) -> None:
    """Audit every model of a study.toml on every set, or continue where that stopped.

    Example: horsesense run audits/study.toml
    """
    from horsesense.cli.each import AuditOptions, audit_all
    from horsesense.errors import UsageError
    from horsesense.inference.limits import UNLIMITED
    from horsesense.runs.studies import StudyFile

    found = StudyFile.load(study)
    here = study if study.is_dir() else study.parent
    folder = out or found.folder(here)
    known = ",".join(map(str, found.price or ()))
    if known and not price and "money" in (budget or ""):
        raise UsageError(
            f"--budget money needs prices, and {study} alone names some.",
            hint=f"If these are right, add them: --price {known}",
        )
    price = price or known or None
    server = {"key_env": key_env, "timeout": timeout}
    may = UNLIMITED.given(budget, price)
    options = AuditOptions(may, max_connections, report_items, as_json, rate, server=server)
    code = audit_all(found, folder, options)
    if code:
        raise typer.Exit(code)

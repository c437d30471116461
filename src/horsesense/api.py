"""The audit in a few calls, for scripts and notebooks."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from horsesense.inference.runner import Limits
from horsesense.report import write_report
from horsesense.runs.findings import Result
from horsesense.runs.planner import Plan
from horsesense.runs.settings import Settings
from horsesense.runs.study import plan as plan_study
from horsesense.runs.study import run_study

T = TypeVar("T")


def audit(
    items: str | Path,
    model: str,
    *,
    out: str | Path | None = None,
    limits: Limits | None = None,
    max_connections: int | None = None,
    report_items: int = 200,
    **settings: Any,
) -> Result:
    """Audit a model on a set of items; writes the run directory and its report.

    Args:
        items: a file, "sample", or "hf:...", as on the command line.
        model: "http:NAME@URL", "hf:NAME", "sim:PROFILE" or "replay:FILE".
        out: run directory; the same one goes on where it stopped. By default
            "audits/ITEMS-MODEL" in the working directory.
        limits: what may be spent.
        max_connections: requests under way together.
        report_items: items shown in the report.
        **settings: any other field of `Settings` (probes, limit, seed, shots, ...).

    Raises:
        UsageError, ItemsError: before anything is asked.
        ModelError, StoreError: model or run directory cannot be used.
        InterruptedRunError: stopped by the user; the same call goes on.

    >>> result = audit("sample", "sim:position?k=1", out="run", probes=["order"])  # doctest: +SKIP
    >>> result.estimate("position_locked", "order", reader="text", group="B").value
    ... # doctest: +SKIP
    1.0
    """
    chosen = Settings.of(items=str(items), model=model, **settings)
    folder = default_out(chosen) if out is None else Path(out)
    result = complete(run_study(chosen, folder, limits=limits, max_connections=max_connections))
    write_report(folder, items=result.items, max_items=report_items)
    return result


def plan(items: str | Path, model: str, **settings: Any) -> Plan:
    """What `audit` would ask: trials, different requests, tokens. Spends nothing.

    (A server is asked one or two tiny probing questions to find out what it offers.)
    """
    counted, _ = complete(plan_study(Settings.of(items=str(items), model=model, **settings)))
    return counted


def default_out(settings: Settings) -> Path:
    """The run directory of a study that names none."""
    items = Path(settings.items.split(":")[-1]).name.split(".")[0] or "items"
    return Path("audits") / f"{_slug(items)}-{_slug(settings.model)}"


def _slug(text: str) -> str:
    """A file name made of letters, digits, dots and dashes."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:60] or "x"


def complete(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is already running (notebooks)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T | BaseException] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            outcome.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    result = outcome[0]
    if isinstance(result, BaseException):
        raise result
    return result

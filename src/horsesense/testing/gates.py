"""A gate as a test: pytest and others need no plug-in for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horsesense.api import Run, gate


def assert_gate(run: Run | str | Path, **asked: Any) -> None:
    """Raise AssertionError with every check that fails or is undecided; see `horsesense.gate`.

    >>> def test_no_loss() -> None:
    ...     assert_gate("runs/new", baseline="runs/old", tolerance=["2%"])
    """
    found = gate(run, **asked)
    if not found.passed:
        open_ = [check for check in found.checks if check.state != "passed"]
        lines = [f"{check.state}: {check.name}: {check.says}" for check in open_]
        raise AssertionError("\n".join([f"{found.result}: {found.in_numbers}", *lines]))

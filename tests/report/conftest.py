"""Runs of models whose truth is known, each asked once for all tests of reports."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import browser
from horsesense.runs.results import Results
from studies import items_file, results_of, study

ITEMS = 40


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


class Runs(dict[str, Results]):
    """Results by the name of a simulated model, made when they are first looked at; in `kept` for
    all workers."""

    def __init__(self, folder: Path, kept: Path) -> None:
        super().__init__()
        self.folder, self.kept = folder, kept
        self.items = items_file(folder / "made_up.jsonl", ITEMS)

    def __missing__(self, model: str) -> Results:
        out = self.folder / model.partition("?")[0]
        kept = self.kept / out.name
        if kept.exists():
            self[model] = results_of(shutil.copytree(kept, out))
        else:
            self[model] = study(self.items, f"sim:{model}", out).results
            with contextlib.suppress(OSError):  # another worker was as quick
                shutil.copytree(out, self.folder / "copy").rename(kept)
        return self[model]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("runs")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    kept = (folder.parents[1] if worker else folder) / "runs-of-all-workers"
    kept.mkdir(exist_ok=True)
    return Runs(folder, kept)

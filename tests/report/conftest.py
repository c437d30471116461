"""Runs of models whose truth is known, each asked once for all tests of reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.runs.results import Results
from studies import items_file, study

ITEMS = 40


class Runs(dict[str, Results]):
    """Results by the name of a simulated model, made when they are first looked at."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.items = items_file(folder / "made_up.jsonl", ITEMS)

    def __missing__(self, model: str) -> Results:
        out = self.folder / model.partition("?")[0]
        self[model] = study(self.items, f"sim:{model}", out).results
        return self[model]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(tmp_path_factory.mktemp("runs"))

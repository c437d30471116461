"""Cells and estimates are the same, in however many spans and parts they are made."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from horsesense.api import Run
from horsesense.errors import StoreError
from horsesense.measures import cells as of_cells
from horsesense.measures.cells import Cell, Columns
from horsesense.runs.cells import cells
from horsesense.runs.parts import check_trials
from horsesense.runs.settings import Settings

STUDIES: dict[str, dict[str, Any]] = {
    "two stages": {"probes": ("option_count(6)", "misleading_replaced", "true_false")},
    "bundles": {"suite": "multi-problem", "sizes": "2,5", "bundles": 6},
    "fitted reader": {"probes": ("order", "labels"), "readers": ("text", "pride")},
}


@pytest.fixture(scope="module", params=STUDIES.values(), ids=STUDIES.keys())
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    settings = Settings.of(items="sample", model="sim:talker", limit=12, **request.param)
    made = Run.start(tmp_path_factory.mktemp("parts") / "run", settings)
    made.ask("sim:talker", tell=None)
    made.read()
    return made


def arrays(columns: Cell | Columns) -> dict[str, Any]:
    """All that a cell or a group of its columns holds."""
    held = {f.name: getattr(columns, f.name) for f in fields(columns) if f.name != "groups"}
    return {type(columns).__name__: held}


def content(cell: Cell) -> dict[str, Any]:
    found = arrays(cell)
    for group in cell.groups:
        found |= arrays(group)
    return found


def test_cells_are_the_same_in_any_spans(run: Run) -> None:
    directory = run.directory
    tables = directory.trials(), directory.readings(), list(directory.known.readers)
    whole, found = cells(*tables), cells(*tables, span=97)
    assert len(whole) == len(found) > 1
    for one, other in zip(whole, found, strict=True):
        np.testing.assert_equal(content(other), content(one))


@pytest.mark.thorough
def test_estimates_are_the_same_bytes_over_any_parts(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.measure()
    whole = run.directory.layout.estimates.read_bytes()
    monkeypatch.setattr(of_cells, "PART", 9)
    run.measure()
    assert run.directory.layout.estimates.read_bytes() == whole


def table(*rows: tuple[int, int]) -> pl.LazyFrame:
    kinds = {"trial": pl.UInt32, "variant": pl.UInt16}
    return (
        pl.DataFrame(rows, schema=kinds, orient="row")
        .lazy()
        .with_columns(item=0, options=pl.lit([], pl.List(pl.String)))
    )


def test_a_prompt_with_thousands_of_options_is_not_measured() -> None:
    wide = table((0, 0)).with_columns(options=pl.lit(["a"] * 1001))
    with pytest.raises(StoreError, match=r"shows 1,001 options, and 1,000 may be"):
        check_trials(Path("run"), wide, 1, 1)


def test_trials_are_counted_in_any_order_of_their_table() -> None:
    check_trials(Path("run"), table((0, 0), (0, 1), (1, 0)), 2, 1)
    check_trials(Path("run"), table((1, 0), (0, 1), (0, 0)), 2, 1)
    with pytest.raises(StoreError, match="holds 2 trials"):
        check_trials(Path("run"), table((1, 0), (0, 1), (0, 0)), 1, 1)
    for twice in [((0, 0), (0, 0)), ((1, 0), (0, 0), (1, 0))]:
        with pytest.raises(StoreError, match="holds a row twice"):
            check_trials(Path("run"), table(*twice), 9, 1)

"""Runs that were made before: measured again by what measures now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from horsesense import __version__
from horsesense.runs.tables import read_trials
from horsesense.trials.condition import Condition
from studies import Result, items_file, study

PROBES = (
    "gold_absent",
    "none_of_the_above",
    "multi_select(items=all)",
    "true_false(items=all)",
    "extra_options",
    "batch(sizes=5, bundles=6, lines=anchored)",
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("recomputed")
    items = items_file(folder / "items.jsonl", 24)
    return study(items, "sim:ranker", folder / "run", probes=PROBES)


def estimates(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads((out / "estimates.json").read_bytes())["estimates"]
    return found


def test_a_run_is_measured_with_measures_that_came_later(result: Result) -> None:
    """As if made by an older version that lacked some of them, joined cells included."""
    before = estimates(result.out)
    found = orjson.loads((result.out / "estimates.json").read_bytes())
    later = ("accuracy", "omni_accuracy", "accuracy_without_gold", "answer_floating")
    found["estimates"] = [
        {**e, "signature": e["signature"].replace(f"horsesense:{__version__}", "horsesense:0.0.1")}
        for e in before
        if e["measure"] not in later
    ]
    assert 0 < len(found["estimates"]) < len(before)
    (result.out / "estimates.json").write_bytes(orjson.dumps(found))
    result.done.measure()
    assert estimates(result.out) == before


def test_tables_of_version_0_1_are_read(result: Result) -> None:
    """No column of settings, settings in the order of the probe, extras that are all texts."""
    before = estimates(result.out)
    paths = sorted((result.out / "trials").rglob("*.parquet"))
    changed = False
    kept = [(path, pl.read_parquet(path)) for path in paths]
    for path, frame in kept:
        trials = list(read_trials(frame.lazy()))
        old = frame.drop("settings").with_columns(
            condition=pl.col("condition").map_elements(backwards, pl.String),
            extras=pl.col("extras").map_elements(former, pl.String),
        )
        changed |= not old.drop("key").equals(frame.drop("key", "settings"))
        assert list(read_trials(old.lazy())) == trials
        old.write_parquet(path)
    assert changed
    result.done.measure()
    assert estimates(result.out) == before
    for path, frame in kept:
        frame.write_parquet(path)


def backwards(condition: str) -> str:
    settings = reversed(Condition.parse(condition).settings)
    return ", ".join(f"{name}={value}" for name, value in settings)


def former(extras: str) -> str:
    if not extras:
        return ""
    found = orjson.loads(extras)
    del found["kind"]
    texts = {k: str(int(v)) if isinstance(v, bool | int) else v for k, v in found.items()}
    return orjson.dumps(texts).decode()


def test_the_table_of_trials_holds_the_settings(result: Result) -> None:
    rows = result.done.trials.select("condition", "settings").unique().rows()
    assert len(rows) > 8
    for text, settings in rows:
        assert Condition.parse(text).format() == text
        assert Condition(**{s["name"]: s["value"] for s in settings}) == Condition.parse(text)

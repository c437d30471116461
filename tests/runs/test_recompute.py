"""Runs that were made before: measured again by what measures now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from horsesense import __version__
from horsesense.trials.condition import Condition
from studies import Result, study

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
    return study(24, "sim:ranker", folder / "run", probes=PROBES)


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


def test_the_table_of_trials_holds_the_settings(result: Result) -> None:
    rows = result.done.trials.select("condition", "settings").unique().rows()
    assert len(rows) > 8
    for text, settings in rows:
        assert Condition.parse(text).format() == text
        assert Condition(**{s["name"]: s["value"] for s in settings}) == Condition.parse(text)

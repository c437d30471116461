"""Both suites on real benchmarks: what the papers used, with models whose truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.runs.prepare import load_study_items
from horsesense.runs.settings import Settings
from studies import study, value

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(
    ("name", "classes"), [("mctest/mctest_1000.jsonl.gz", 0), ("bank77/bank77_1000.jsonl.gz", 77)]
)
def test_the_papers_data_are_whole(shared: Path, name: str, classes: int) -> None:
    items = load_study_items(Settings.of(items=str(shared / "data" / name), model="sim:none"))
    assert len(items) == 1000
    assert len(items.labels) == classes
    assert all(item.gold is not None for item in items)
    assert classes or {len(item.options) for item in items} == {4}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "model", "omni"),
    [("mctest/mctest_1000.jsonl.gz", "none", 0.5), ("bank77/bank77_1000.jsonl.gz", "oracle", 1.0)],
)
def test_know_no(shared: Path, tmp_path: Path, name: str, model: str, omni: float) -> None:
    result = study(
        shared / "data" / name, f"sim:{model}", tmp_path,
        suite="know-no", probes=(), limit=30,
    )  # fmt: skip
    assert value(result, "omni_accuracy") == omni
    assert value(result, "response_class", "needs_review", has="prompt=no_hint") == 0
    assert result.findings["bounds"]["violated"] == []


@pytest.mark.slow
def test_revas_on_mmlu(shared: Path, tmp_path: Path) -> None:
    """A model with a habit for positions and no preference for content gains nothing."""
    result = study(
        shared / "data/mmlu/mmlu_test.jsonl.gz", "sim:prior?know=0.5", tmp_path,
        suite="revas", probes=(), limit=60,
    )  # fmt: skip
    (gain,) = [
        e for e in result.estimates
        if (e.measure, e.group, e.reader)
        == ("recovery_rate", "misleading-unchanged", "text")
    ]  # fmt: skip
    assert gain.low <= 0 <= gain.high
    assert value(result, "accuracy_hard", has="n=10, kind=nonsense") == pytest.approx(0.5, abs=0.15)
    agreement = [value(result, "plurality_agreement", has=f"n={n}, ") for n in (2, 3)] + [
        value(result, "plurality_agreement", has=f"n={n}, kind=nonsense") for n in (6, 8, 10)
    ]
    assert agreement == sorted(agreement, reverse=True), "falls with the number of options"
    shares = [
        e.value for e in result.estimates
        if (e.measure, e.probe, e.reader) == ("status_share", "multi_select", "text")
    ]  # fmt: skip
    assert sum(share or 0 for share in shares) == pytest.approx(1)

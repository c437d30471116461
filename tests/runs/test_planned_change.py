"""The change of accuracy that a plan names is one that the verdict of that study finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from horsesense.api import plan_study
from horsesense.errors import UsageError
from horsesense.findings.accusation import ALPHA
from horsesense.inference.limits import UNLIMITED
from horsesense.models.registry import make_model
from horsesense.runs.plan_text import DISCORDANT, NO_SMALLEST, _saved, plan_json, plan_text
from horsesense.runs.settings import Settings
from horsesense.stats.power import power
from studies import items_file, study

N = 24


def planned(root: Path, model: str = "sim:oracle", **asks: Any) -> dict[str, Any]:
    items = str(items_file(root / "items.jsonl", N))
    settings = Settings.of(items=items, model=model, **asks)
    found = plan_json(*plan_study(settings, make_model(model)), UNLIMITED)
    return {**found, "shards": []}


@pytest.mark.parametrize(
    ("asks", "once"),
    [
        ({}, 4),
        ({"probes": ("labels(set=digits)",)}, 1),
        ({"suite": "know-no", "probes": ()}, 0),
        ({"suite": "revas", "probes": ()}, 0),
    ],
    ids=["basic", "labels", "know-no", "revas"],
)
def test_the_level_is_that_of_the_verdict(tmp_path: Path, asks: dict[str, Any], once: int) -> None:
    """It was 5 %, of which the verdict leaves a change of `basic` a seventieth."""
    told = planned(tmp_path, **asks)
    probes = {"probes": ("repeat", "order", "labels", "none_of_the_above", "options_only")}
    done = study(tmp_path / "items.jsonl", "sim:oracle", tmp_path / "run", **(asks or probes))
    judged = [f for f in done.findings["verdict"] if f["name"] == "accuracy_change"]
    weights = {f["weight"] for f in judged if f["weight"]}
    assert {round(ALPHA * w, 12) for w in weights} == {round(told["smallest_detectable_level"], 12)}
    assert told["accuracy_changes_asked_once"] == once
    assert (told["smallest_detectable_change"] is None) == (once == 0)
    if once:
        level = told["smallest_detectable_level"]
        found = power(N, DISCORDANT, told["smallest_detectable_change"], level)
        assert found == pytest.approx(0.8, abs=0.01)
        assert f"80\u202f% power at {100 * level:.2g}\u202f%" in plan_text(told)
    else:
        assert "cannot be said beforehand: every form" in plan_text(told)


def test_what_a_model_cannot_show_has_no_weight(tmp_path: Path) -> None:
    """Without scores there is no other reader, and three kinds share what four did."""
    with_scores = planned(tmp_path, probes=("labels(set=digits)",))
    text_alone = planned(tmp_path, probes=("labels(set=digits)",), readers=("text",))
    assert with_scores["smallest_detectable_level"] == pytest.approx(ALPHA / 8)
    assert text_alone["smallest_detectable_level"] == pytest.approx(ALPHA / 6)


def test_no_change_is_named_where_none_is_judged(tmp_path: Path) -> None:
    assert "no change of accuracy is judged" in plan_text(planned(tmp_path, probes=("repeat",)))
    with pytest.raises(UsageError, match="nothing is written that --readers text could read"):
        planned(tmp_path, "sim:oracle", probes=("labels",), readers=("text",), max_tokens=0)
    rows = [{"question": f"{n}?", "options": ["yes", "no"]} for n in range(8)]
    (tmp_path / "open.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    settings = Settings.of(items=str(tmp_path / "open.jsonl"), model="sim:oracle")
    found = plan_json(*plan_study(settings, make_model("sim:oracle")), UNLIMITED)
    assert found["accuracy_changes"] == 0
    assert found["smallest_detectable_change"] is None


def test_no_change_is_named_where_asking_may_stop(tmp_path: Path) -> None:
    """ "6.9 points would be seen", with --until decided=0.1, which finds 10 at least, at a level of
    its own."""
    whole = planned(tmp_path, probes=("labels",))
    assert "points would be seen" in plan_text(whole)
    assert NO_SMALLEST not in plan_text(whole)
    for until in ("decided=0.1", "decided=all", "precision=0.1"):
        told = planned(tmp_path, probes=("labels",), until=until)
        assert told["smallest_detectable_change"] is None
        assert told["smallest_detectable_level"] is None
        assert told["accuracy_changes"] == whole["accuracy_changes"] > 0
        assert NO_SMALLEST in told["until_notes"]
        assert plan_text(told).count(NO_SMALLEST) == 1
        assert "power at" not in plan_text(told)


def test_what_is_asked_once_has_a_baseline_in_numbers() -> None:
    """ "22 equal prompts are asked once (28 % fewer than each probe with its own original)"."""
    found = {"requests": 760, "trials": 782, "saved": 22, "saved_over_probes_alone": 0.28}
    assert _saved(found) == (
        "; 22 of 782 prompts are the same as another and asked once"
        "; runs of one probe each would ask 1,056"
    )
    assert _saved({**found, "saved": 0, "saved_over_probes_alone": 0.0}) == ""
    assert _saved({**found, "saved": 1}).startswith("; 1 of 782 prompts is the same as another")

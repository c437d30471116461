"""What an audit that stops early says besides changes of accuracy: bands, and when to stop."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cells import cell_of
from horsesense.findings.early import BANDED
from horsesense.findings.sizes import sizes_of
from horsesense.findings.verdict import SIZES
from horsesense.items.load import load_items
from horsesense.measures.cells import MISSING
from horsesense.report import verdict_of
from horsesense.runs.bands import Bands
from horsesense.runs.deciding import BOUNDED, added
from horsesense.runs.goal import Goal
from horsesense.trials.condition import PLAIN
from studies import items_file, study

ORDERS = ("order", PLAIN, "text")
ALL = "decided=all"


def test_goals_name_all_findings() -> None:
    assert Goal.parse("decided=all") == Goal(every=True)
    assert Goal.parse("decided=all,0.03") == Goal(size=0.03, every=True)
    assert sizes_of({}, Goal.parse("decided=all").size) == SIZES


def test_a_lost_answer_counts_as_the_worst_for_each_bet() -> None:
    """As far as the others leave it open: three that differ agree in two at most, and lock none."""
    cell = cell_of([[0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 2, 3]], [0] * 3)
    status = cell.status.copy()
    status[2, 0] = MISSING
    position = np.tile([0, 1, 2, 3], (3, 1)).astype(cell.position.dtype)
    cell = replace(cell, status=status, position=position)
    values = {name: added([cell], BOUNDED[name])[ORDERS].groups for name in BANDED[-4:-1]}
    for name, weight, low, high in (
        ("position_preference", 4.0, 0.0, [1.0, 1.0, 1.0]),
        ("position_locked", 1.0, 0.0, [0.0, 0.0, 0.0]),
        ("plurality_agreement", 1.0, 0.25, [0.25, 1.0, 0.5]),
    ):
        ratio, null = values[name][next(iter(values[name]))]
        assert null is not None
        assert ratio.weight.tolist() == [weight] * 3
        assert ratio.high.tolist() == high
        assert ratio.low[2] == low
        assert ratio.largest == weight
        assert ratio.lean == 0.0


def test_items_with_other_numbers_of_options_are_held_to_nulls_of_their_own() -> None:
    """A model that guesses among 2 or 4 options has no preference, whatever comes first."""
    rng = np.random.default_rng(1)
    k = np.repeat([2, 4], 150)
    chosen = rng.integers(0, k[:, None], (300, 4))
    cell = cell_of(chosen.tolist(), [0] * 300)
    cell = replace(cell, k=k.astype(cell.k.dtype), position=chosen.astype(cell.position.dtype))
    rows = [
        {"id": f"q{i}", "question": f"q {i}", "options": [*"wxyz"][:n], "answer_index": 0}
        for i, n in enumerate(k)
    ]
    bands = Bands(load_items(rows), [cell], 0, 25)
    for group, (ratio, null) in bands.added("position_preference")[ORDERS].groups.items():
        seen = bands.seen("position_preference", ORDERS, group)
        assert seen is not None
        assert null is not None
        low, high = bands.band(seen, 0.005)
        assert low < null < high
        assert high - low < 0.25
        assert ratio.lean > 0 or group in "CD"


@pytest.mark.parametrize("until", ["decided", "decided=all"])
def test_an_innocent_is_accused_of_nothing(tmp_path: Path, until: str) -> None:
    items = items_file(tmp_path / "items.jsonl", 250)
    probes = ("repeat", "order", "options_only")
    flat = "sim:prior?know=0.6&prior=1,1,1,1"
    result = study(items, flat, tmp_path / "run", probes=probes, until=until)
    verdict = result.findings["verdict"]
    assert "found" not in {f["kind"] for f in verdict}
    told = [line for line in verdict_of(result.results) if "decided=all goes on" in line]
    assert len(told) == (until == "decided")


def test_a_preference_is_found_before_all_is_asked(tmp_path: Path) -> None:
    """Of 10 points, where accuracy stays as it is."""
    items = items_file(tmp_path / "items.jsonl", 600)
    leans = "sim:prior?know=0.6&prior=50,16,17,17"
    probes = ("repeat", "order")
    result = study(items, leans, tmp_path / "run", probes=probes, until="decided")
    (row,) = (f for f in result.findings["verdict"] if f["name"] == "position_preference")
    assert (row["kind"], row["group"]) == ("found", "A")
    assert 0.25 < row["low"] < 0.35 < row["high"]
    assert ", after " in row["sentence"]


def test_a_position_that_few_items_have_keeps_asking_nobody(tmp_path: Path) -> None:
    """Five of 400 items have a fifth option, which all of them could not settle."""
    rows = [
        {"id": f"q{i}", "question": f"q {i}", "options": [f"{o} {i}" for o in "vwxyz"[:k]]}
        | {"answer_index": i % k}
        for i, k in enumerate([5] * 5 + [4] * 395)
    ]
    path = tmp_path / "items.json"
    path.write_text(json.dumps(rows))
    result = study(path, "sim:oracle", tmp_path / "run", probes=("repeat", "order"), until=ALL)
    assert max(result.findings["until"]["extents"].values()) < 400

"""What figures draw: axes that hold what is drawn, names that end before the next panel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from horsesense.report.charts import Point
from horsesense.report.sections import score as section
from horsesense.report.sections import until
from horsesense.report.sections.until import TITLE_LINE, reach, title
from studies import study


def test_a_band_that_was_found_ends_on_the_axis() -> None:
    """It left an axis of 15 points, towards the -57 that were found."""
    looks = [("a", -100.0, 100.0), ("a", -57.0, -14.0), ("b", -90.0, 90.0), ("b", -2.0, 1.0)]
    rows = [{"label": label, "low": low, "high": high} for label, low, high in looks]
    assert reach(rows, 0.05) == pytest.approx([-68.4, 68.4])
    assert reach(rows[2:], 0.05) == [-15.0, 15.0]


def test_the_name_of_a_panel_is_folded() -> None:
    """ "..., in its place" stood on top of "..., last"."""
    lines = title("None of the above: for the right option, in its place").split("\n")
    assert len(lines) == 2
    assert all(len(line) <= TITLE_LINE for line in lines)


@pytest.mark.thorough
def test_what_was_decided_early_is_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls from 88 to 54 were blue: a sequence that decides has no p."""
    drawn: list[Point] = []
    forest = section.forest

    def seen(rows: list[Point], *words: Any, **more: Any) -> Any:
        drawn.extend(rows)
        return forest(rows, *words, **more)

    monkeypatch.setattr(section, "forest", seen)
    probes = ("order", "none_of_the_above")
    done = study(40, "sim:ranker", tmp_path / "run", probes=probes, until="decided")
    context = section.context(done.results)
    assert context["early"]
    rows = done.results.findings["until"]["findings"]
    found = {(r["probe"], r["condition"]) for r in rows if r["conclusion"] == "found"}
    assert found
    red = {(p.estimate.probe, p.estimate.condition.format()) for p in drawn if p.warning}
    assert red == found
    old = [
        {"kind": row["conclusion"], **{k: v for k, v in row.items() if k != "conclusion"}}
        for row in rows
    ]
    told = {**done.results.findings["until"], "findings": [{**old[0], "kind": "open"}, *old[1:]]}
    run = replace(done.results, findings={**done.results.findings, "until": told})
    shown = until.context(run)
    assert shown is not None, "a run of version 0.2 opens"
    assert (old[0]["n"], shown["rows"][0]["word"]) == (old[0]["units"], "not early: all asked")
    assert not until.early(row := {**rows[0], "conclusion": "undecided"})
    assert until.early({**row, "n": row["n"] - 1})
    assert section.context(run) is not None

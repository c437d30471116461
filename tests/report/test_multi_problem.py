"""The part of the report about many problems in one prompt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horsesense.api import audit
from horsesense.probes.multi_problem import BundlesOfProblems
from horsesense.report.reasons import evidence_of
from horsesense.report.sections.multi_problem import over_cells
from horsesense.runs.suites import SUITES, with_parameters
from studies import jsonl, results_of


def films(path: Path) -> Path:
    rows = [
        {"text": f"text number {i} of many", "label": ("Positive", "Negative")[i % 2]}
        for i in range(150)
    ]
    return jsonl(path, rows)


@pytest.mark.thorough
def test_what_many_problems_cost_is_said_and_drawn(tmp_path: Path) -> None:
    out = tmp_path / "run"
    audit(
        films(tmp_path / "sst2.jsonl"),
        "sim:clerk?forget=0.3",
        out=out,
        suite="multi-problem",
        sizes="5,20",
        bundles=15,
    )
    html = (out / "report.html").read_text()
    part = html[html.index('id="multi_problem"') :]
    for caption in ("Accuracy per problem by size", "Accuracy by place"):
        assert f'aria-label="{caption}' in part
    kinds = part.split("What became of each problem")[1].split("</table>")[0]
    (batch,) = re.findall("<bdi>one answer a line, 20</bdi></th>(.*?)</tr>", kinds)
    assert re.fullmatch(r"7\d.*(2|3)\d", "".join(re.findall(r"(\d\d)\u202f%", batch)))
    assert "select one label, 20, labels shown" in kinds
    costs = [f for f in results_of(out).verdict if f.kind == "many_problems"]
    assert {f.conclusion for f in costs} == {"found"}
    assert [f.value for f in costs] == pytest.approx([-0.3] * len(costs), abs=0.05)
    assert "one answer a line − select one label, 20" in part
    several = over_cells([results_of(out)] * 3)  # as of three runs with two sizes each
    assert [contrast.cells for _, contrast in several] == [6, 6, 6]
    assert "One answer a line (numbered) keeps more than 0.90 of the accuracy one by one at" in part
    printed = part.partition("by task and size on SST-2")[2].partition("</table>")[0]
    own = re.findall('<td class="n">(.*?)</td>', printed.partition("this run")[2])[:16]
    one = results_of(out).all("per_problem_accuracy", "batch")[0]
    assert one.condition.matches(size="5")
    assert (own[1].partition("<br>")[0], own[2]) == (f"{100 * one.value:.2f}", "–")
    assert own.count("–") == 9, "two sizes of three tasks, and the texts one by one"
    assert not re.search("select_one - |lines=anchored| ;", part[: part.index("</section>")])


def test_leaving_an_item_out_of_another_label_is_right(tmp_path: Path) -> None:
    probes = ("select_one(sizes=5, bundles=3)",)
    out = tmp_path / "run"
    audit(films(tmp_path / "sst2.jsonl"), "sim:oracle", out=out, probes=probes, limit=10)
    assert not evidence_of(results_of(out)).holds
    assert "leaves it out" in (out / "report.html").read_text()


def test_a_run_without_shared_prompts_has_no_such_part(tmp_path: Path) -> None:
    audit(films(tmp_path / "films.jsonl"), "sim:oracle", out=tmp_path / "run", probes=("repeat",))
    assert 'id="multi_problem"' not in (tmp_path / "run/report.html").read_text()


@pytest.mark.parametrize("faithful", [True, False])
def test_bundles_of_a_suite_can_be_changed_together(faithful: bool) -> None:
    specs = SUITES.get("multi-problem").probes(faithful)
    changes = {"sizes": "3/5", "bundles": 7, "design": "disjoint"}
    changed = with_parameters(("order", *specs), {BundlesOfProblems: changes})
    assert changed[0] == "order"
    for spec in changed[1:]:
        assert "sizes=3/5, bundles=7, design=disjoint" in spec
    assert with_parameters(specs, {BundlesOfProblems: {"sizes": None}}) == specs

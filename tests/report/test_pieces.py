"""Figures and tables as files of their own, and published tables whatever the file is called."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import horsesense
from command_line import call
from horsesense.errors import UsageError
from horsesense.report.pieces import Table, as_csv, as_latex, as_markdown, figure, papers, table
from horsesense.report.published_tables import published
from horsesense.report.score_bar import spoken
from horsesense.runs.results import Results
from studies import items_file, study

BAD = Table("t|<b>", ["a_b", "=x"], [["=1+1", -0.5], ["@me|*x*", "50\u202f% & $1 {x} \\"]])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Results:
    root = tmp_path_factory.mktemp("pieces")
    items = items_file(root / "my-own-name.jsonl", 24)
    study(items, "sim:oracle", root / "run", probes=("order",), suite="know-no")
    return horsesense.open(root / "run").results


def test_a_figure_is_a_document_of_its_own(run: Results) -> None:
    svg = ElementTree.fromstring(figure(run, "score", "svg"))
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(svg.attrib["height"]) > 0
    assert "In the original order" in figure(run, "score", "svg").decode()
    assert figure(run, "score", "pdf").startswith(b"%PDF")
    assert figure(run, "score", "png").startswith(b"\x89PNG")


def test_an_unknown_piece_is_refused_with_what_there_is(run: Results) -> None:
    with pytest.raises(UsageError) as refused:
        figure(run, "scores", "svg")
    assert "Known: " in str(refused.value)
    assert "score" in str(refused.value)
    with pytest.raises(UsageError, match="score"):
        figure(run, "score-9", "svg")
    with pytest.raises(UsageError, match="no table"):
        table(run, "figures")


def test_the_table_of_scores_holds_the_runs_numbers(run: Results) -> None:
    found = table(run, "scores")
    assert found.rows[0][:2] == ["In the original order", "100\u202f%"]
    head, first_line, *_ = str(found).splitlines()
    assert head.index("accuracy") == first_line.index("100 %"), "aligned, and nothing escaped"
    assert found.note in as_markdown(found)
    assert r"\par{\footnotesize An item may have several prompts" in as_latex(found)
    assert "needs the package booktabs" in as_latex(found).splitlines()[0]
    first = next(csv.DictReader(io.StringIO(as_csv(found))))
    assert (first["accuracy"], first["n"], first["change_low"]) == ("1.0", "24", "")


def test_the_table_of_estimates_holds_all_of_them(run: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(table(run, "estimates")))))
    assert len(rows) == len(run.estimates)
    assert [row["measure"] for row in rows] == [e.measure for e in run.estimates]


def test_a_published_table_stands_beside_a_file_of_any_name(run: Results) -> None:
    found, beside_none = papers(run, "MC-Test")
    assert "table 4" in beside_none.title
    assert "Xu et al." in found.title
    assert found.rows[0][0] == "sim:oracle on my-own-name"
    assert found.rows[0][1] == "100.00"
    assert found.rows[1][:2] == ["its interval, and of how many", "[86, 100] n = 96 prompts"]
    assert found.rows[1][-1].endswith(" items")
    assert found.rows[2][:2] == ["GPT-4", "98.67"]
    named = {**run.findings, "dataset": {**run.findings["dataset"], "name": "mctest"}}
    # The row of people, 97.67, is no model's.
    assert max(published(replace(run, findings=named), "know_no", "omni_accuracy")) == 82.98
    assert any("†" in str(cell) for row in found.rows for cell in row)
    with pytest.raises(UsageError, match="no published data set"):
        papers(run, "hellaswag")
    [agreement] = papers(run, "medmcqa")
    assert "table 2" in agreement.title
    assert "†: LLaMA2-13B share 0.75: 43.02 is meant (" in agreement.note


def test_a_run_that_measured_nothing_of_a_table_says_so(tmp_path: Path) -> None:
    probes = "labels,original,order(design=random(3))"
    other = horsesense.audit("sample", "sim:oracle", out=tmp_path / "run", probes=probes, limit=4)
    assert "known cannot be estimated: not every option stood" in " ".join(spoken(other.results))
    with pytest.raises(UsageError, match="measured nothing") as told:
        papers(other.results, "MC-Test")
    assert "--suite revas: mmlu, medmcqa;" in told.value.hint


def test_no_format_lets_a_cell_become_more_than_text() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(BAD))))
    assert rows == [["a_b", "'=x"], ["'=1+1", "-0.5"], ["'@me|*x*", BAD.rows[1][1]]]
    text = as_markdown(BAD)
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert all(line.replace("\\|", "").count("|") == 3 for line in text.splitlines()[2:])
    latex = as_latex(Table("t", ("*a", "b"), (("[2cm]x", 1), ("*", 2))))
    assert [line[:3] for line in latex.splitlines()[3:7]] == ["{}*", r"\mi", "{}[", "{}*"]
    latex = as_latex(BAD)
    assert r"a\_b & =x \\" in latex
    assert r"50\,\% \& \$1 \{x\} \textbackslash{} \\" in latex


def test_the_command_line(run: Results, tmp_path: Path) -> None:
    place = str(run.directory.layout.root)
    call("export", place, "--table", "scores", "--format", "latex", cwd=tmp_path, code=0)
    assert (tmp_path / "scores.tex").read_text().startswith("% sim:oracle")
    out = tmp_path / "f.pdf"
    done = call("export", place, out, "--figure", "score", "--json")
    assert done.json | {"out": str(out), "format": "pdf"} == done.json
    assert out.read_bytes().startswith(b"%PDF"), "SVG stood in a file named .pdf"
    table = ["--table", "scores"]
    for words in ([], [*table, "--figure", "score"], [*table, "--format", "pdf"],
                  ["t.pdf", *table], ["t.csv", *table, "--format", "latex"],
                  [*table, "--limit", "1"], ["--to", "csv", "--probes", "order"]):  # fmt: skip
        call("export", place, *words, cwd=tmp_path, code=2)

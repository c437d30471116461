"""Sections of the two papers: they stand where they apply, and tell the paper's table apart."""

from __future__ import annotations

import importlib.util
import math
import re
import shutil
from pathlib import Path

import pytest

from conftest import ROOT
from damaging import rewritten
from each import each
from horsesense.report import verdict_of, write_report
from horsesense.report.own_numbers import own_numbers
from horsesense.report.published_tables import DATA_NAMES, beside, known
from horsesense.report.score_bar import score_rows
from horsesense.report.sections import option_count
from studies import items_file, jsonl, results_of, study

PROBES = ("order", "option_count(2)", "option_count(6)", "option_count(6, kind=plausible)",
          "true_false", "option_confidence", "multi_select", "misleading_replaced",
          "gold_absent", "gold_plus_none")  # fmt: skip


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    items = items_file(folder / "mmlu_made_up.jsonl", 12)
    return study(items, "sim:torn", folder / "run", probes=PROBES, suite="revas").out


@pytest.fixture(scope="module")
def page(out: Path) -> str:
    return write_report(results_of(out), max_items=1).read_text()


@pytest.mark.parametrize("section", ["option_count", "without_gold", "second_look", "protocol"])
def test_each_section_stands_in_the_report(page: str, section: str) -> None:
    assert f'id="{section}"' in page


def test_the_papers_table_stands_beside_the_own_result(page: str) -> None:
    table = page.partition("AccH by number of options on MMLU")[2].partition("</table>")[0]
    rows = re.findall(r'<th scope="row">(.*?)</th>', table)
    assert rows == ["this run", "LLaMA2-13B", "Baichuan2-13B", "ChatGPT-3.5"]
    assert "arXiv 2402.01349" in page
    assert "Know-No on MC-Test" not in page, "another data set"


def test_a_suites_own_numbers_come_first_beside_the_papers(out: Path, page: str) -> None:
    run = results_of(out)
    hard, agreement = own_numbers(run)
    assert (hard.title, agreement.title) == ("AccH", "CS")
    assert hard.share == run.one("accuracy_hard", "order")
    assert hard.said == "right in every order; paper: 27 to 45\u202f%"
    assert hard.ends == pytest.approx((0.2699, 0.4469))
    first = page.partition("<h1>")[2].partition("</h1>")[0]
    assert re.fullmatch(r"AccH [^;]+; CS [^;]+; [^;]+ right in the original order\.", first)
    assert page.index(hard.said) < page.index('<ul class="findings"')
    assert score_rows(run)[0][0] == f"AccH ({hard.said})"


def test_always_none_is_drawn(page: str) -> None:
    figure = page.partition('id="without_gold"')[2].partition("</figure>")[0]
    assert "always none" in figure
    assert "OmniAccuracy" in figure


def test_the_protocol_is_said(page: str) -> None:
    section = page.partition('id="protocol"')[2].partition("</section>")[0]
    assert "Not run with the published protocol" in section
    assert "all hold" in section


def test_the_verdict_speaks_of_them(out: Path) -> None:
    assert "without_gold" in {f.kind for f in results_of(out).verdict}


def test_broken_bounds_are_never_silent(out: Path, tmp_path: Path) -> None:
    shutil.copytree(out, tmp_path, dirs_exist_ok=True)
    broken = {"probe": "order", "condition": "", "reader": "text", "says": "AccH <= Acc",
              "low": 0.9, "high": 0.1, "holds": False}  # fmt: skip
    rewritten(tmp_path / "estimates.json", lambda found: found["bounds"].update(violated=[broken]))
    assert any(
        "that must hold between these numbers do" in sentence
        for sentence in verdict_of(results_of(tmp_path))
    )


def test_published_tables_are_whole() -> None:
    for table in known("tables"):
        assert table["data"] in DATA_NAMES
        assert {m["row"] for m in table["marks"]} <= {row["name"] for row in table["rows"]}
        assert {m["column"] for m in table["marks"]} <= set(table["columns"])
        for row in table["rows"]:
            assert len(row["values"]) == len(table["columns"])
            assert all(0 <= value <= 100 or math.isnan(value) for value in row["values"])


@each(
    ("name", "data"),
    [("mmlu_test", "mmlu"), ("cais/mmlu", "mmlu"), ("MC-Test", "mctest"), ("banking77", "bank77"),
     ("mmlu_redux", None), ("MMLU-Pro", None), ("arc_easy", None), ("arc", "arc"),
     ("sst2_pairs", None), ("cola_dev", "cola"), ("chocolates", None), ("sandwich", None),
     ("AG News", "agnews")],
)  # fmt: skip
def test_data_sets_are_told_by_name(name: str, data: str | None) -> None:
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    assert [d for d, pattern in DATA_NAMES.items() if pattern.search(plain)] == (
        [data] if data else []
    )


def test_the_section_that_contributing_shows_is_rendered(tmp_path: Path) -> None:
    """CONTRIBUTING shows this file of the example (tests/test_example_plugin.py)."""
    from horsesense.report.rendering import rendered

    path = ROOT / "examples/plugin/src/horsesense_example/section.py"
    spec = importlib.util.spec_from_file_location("section", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    run = study(4, "sim:oracle", tmp_path / "run", probes=("order",)).results
    [(section, html)] = rendered(run, [module.SECTION])
    assert section.id == "valid_replies"
    assert "<li>order: 100" in html


@pytest.mark.thorough
def test_a_model_that_draws_its_answers_is_told_where_its_error_comes_from(tmp_path: Path) -> None:
    """And one that gives the same answer to the same prompt is not."""
    items, probes = items_file(tmp_path / "items.jsonl", 40), ("original", "repeat", "order")
    pages = []
    for model in ("sim:oracle", "sim:prior?know=0.5"):
        made = study(items, model, tmp_path / model.partition("?")[0][4:], probes=probes)
        pages.append(write_report(made.results, max_items=1).read_text())
    [design] = [d for d in made.findings["designs"] if d["reader"] == "text"]
    assert ['id="variance"' in page for page in pages] == [False, True]
    told = re.search(r"standard error of ([\d.]+) points as .*? of ([\d.]+) points as", pages[1])
    want = [f"{100 * design[name]:.2f}" for name in ("standard_error", "again")]
    assert list(told.groups()) == want


@pytest.mark.parametrize(("shots", "told"), [(0, "zero-shot"), (5, "5-shot")])
def test_the_papers_tables_are_those_of_the_same_prompts(
    out: Path, tmp_path: Path, shots: int, told: str
) -> None:
    shutil.copytree(out, tmp_path, dirs_exist_ok=True)
    rewritten(tmp_path / "estimates.json", lambda found: found["study"].update(shots=shots))
    run = results_of(tmp_path)
    one = run.one("accuracy")
    tables = beside(run, "revas", lambda *_: one)
    assert tables
    assert all(told in table.title for table in tables)


def test_agreement_over_two_pairs_of_options_feeds_no_sentence(tmp_path: Path) -> None:
    items = items_file(tmp_path / "mmlu_made_up.jsonl", 12)
    probes = ("order", "option_count(2, design=random(4))", "option_count(6)")
    run = study(items, "sim:prior", tmp_path / "run", probes=probes).results
    shown = option_count.context(run)
    [(_, figure)] = shown["figures"]
    said = re.search(r"agreement with itself: ([^.;]*)", str(figure))
    assert not said[1].startswith("2 ")
    assert said[1].startswith("4 ")
    assert "mixes two questions" in write_report(run, max_items=1).read_text()


def test_the_report_lists_what_still_differs(tmp_path: Path) -> None:
    items = tmp_path / "few.csv"
    rows = [f"Sample text number {n} of its kind,{('pos', 'neg')[n % 2]}" for n in range(25)]
    items.write_text("\n".join(("text,label", *rows)))
    suite = {"suite": "multi-problem", "faithful": True, "bundles": 2}
    run = study(items, "sim:none", tmp_path / "run", **suite)
    page = write_report(run.results, max_items=1).read_text()
    [told] = run.findings["suites"]
    told_first = f'<a href="#protocol">{len(told["departures"])} differences</a> from '
    assert told_first in page.partition("</header>")[0]
    section = page.partition('id="protocol"')[2].partition("</section>")[0]
    assert (
        "<strong>bundles of batch, select_one, select_all</strong>: 2; published: 100." in section
    )
    assert "too few items for bundles of 100); published: all of it" in section


def test_items_with_different_numbers_of_options_lose_no_form(tmp_path: Path) -> None:
    """Three of four options and three made of two stood under one number, which the last had."""
    rows = [
        {"question": f"Which is {i}?", "options": [f"{i}.{j}" for j in range(2 + 2 * (i % 3 > 0))],
         "answer_index": i % 2}
        for i in range(18)
    ]  # fmt: skip
    items = jsonl(tmp_path / "items.jsonl", rows)
    probes = ("order", "option_count(3)", "option_count(6)")
    run = study(items, "sim:prior", tmp_path / "run", probes=probes).results
    shown = option_count.context(run)
    rows = [(way, n, of) for way, n, of, _ in shown["rows"]]
    assert rows == [
        ("Wrong options are left out", "3", 12),
        ("As published", "2 to 4", 18),
        ("Added options have no meaning", "3", 6),
        ("Added options have no meaning", "6", 18),
    ]
    [(_, figure)] = shown["figures"]
    assert "accuracy, options left out: 3 " in str(figure)
    assert "accuracy, options added: 3 " in str(figure)
    assert "As published there are 2 to 4." in write_report(run, max_items=1).read_text()

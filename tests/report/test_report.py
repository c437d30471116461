"""The report: hostile text stays text, every part has its place, and the page stays small."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import orjson
import pytest

from horsesense.cli.each import shortfalls
from horsesense.errors import StoreError
from horsesense.report import item_report, reasons, write_report
from horsesense.report.charts import ChartLine, Point, forest
from horsesense.report.curves import Curve, curves
from horsesense.report.item_view import view_of
from horsesense.report.score_bar import headline
from horsesense.report.sections.until import bands
from horsesense.report.text import visible
from horsesense.runs.results import Results
from pages import ALLOWED, IMAGE, MODELS, NASTY, SCRIPT, UNPRINTABLE, Page, check_harmless
from scripted import short
from studies import estimate, items_file, jsonl, results_of, study

pytestmark = pytest.mark.usefixtures("charts_once")


def test_numbers_without_an_interval_say_why(runs: dict[str, Results], tmp_path: Path) -> None:
    """The last column was left blank."""
    note = "no interval: all trials belong to one independent cluster"
    lone = runs["oracle"].estimates[0]._replace(value=0.5, low=None, high=None)
    made = replace(runs["oracle"], estimates=(lone._replace(interval="", note=note),))
    assert f"<td>{note}</td></tr>" in write_report(made, to=tmp_path / "page.html").read_text()


def test_what_happened_to_items_is_the_same_in_parts_of_any_size(
    runs: dict[str, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = reasons.evidence_of(run := runs["oracle"])
    monkeypatch.setattr(reasons, "MOST_TRIALS", 100)
    assert reasons.evidence_of(run) == whole


class TestPage:
    @pytest.mark.parametrize("model", MODELS[::2])
    def test_each_run_gives_a_harmless_page_with_its_sections(
        self, runs: dict[str, Results], model: str
    ) -> None:
        run = runs[model]
        page = Page(write_report(run, max_items=6))
        check_harmless(page)
        for part in (*headline(run), "What each change does", "Signatures", "Asked again"):
            assert part in page.text
        ids = [value for name, value in page.attributes if name == "id"]
        assert len(ids) == len(set(ids))
        targets = [v for name, v in page.attributes if name in ("href", "for")]
        assert {target.removeprefix("#") for target in targets} <= set(ids)
        for conclusion in {f.conclusion for f in run.verdict}:
            assert conclusion in ids, "every group stands on the page"
        for f in run.verdict:
            assert f.label in page.text

    def test_it_says_how_many_items_are_not_shown(self, runs: dict[str, Results]) -> None:
        page = Page(write_report(runs["talker"], max_items=7))
        assert "This page holds 7 of 40 items" in page.text
        assert "The others: horsesense view RUN." in page.text

    def test_no_run_is_too_large(
        self, runs: dict[str, Results], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        drawn = Mock(side_effect=view_of)
        monkeypatch.setattr("horsesense.report.ITEM_BYTES", 100_000)
        monkeypatch.setattr("horsesense.report.view_of", drawn)
        path = write_report(runs["talker"])
        assert drawn.call_count < 40, "nothing is prepared for items beyond the room"
        page = Page(path)
        assert re.search(r"This page holds \d\d? of 40 items", page.text)
        assert page.tags.count("pre") > 0
        assert path.stat().st_size < 500_000

    def test_every_prompt_and_answer_of_an_item(self, runs: dict[str, Results]) -> None:
        run = runs["talker"]
        page = Page(item_report(run, "q3"))
        check_harmless(page)
        assert page.text.count("Which of these is number 3?") > 8
        assert page.text.count("Reply") >= 12

    def test_a_run_outlives_the_file_of_its_items(self, tmp_path: Path) -> None:
        items = items_file(tmp_path / "items.jsonl", 3)
        out = study(items, "sim:oracle", tmp_path / "run", probes=()).out
        items.unlink()
        assert "answer 2.1" in write_report(results_of(out)).read_text()

    def test_items_that_have_changed(self, tmp_path: Path) -> None:
        out = study(3, "sim:oracle", tmp_path / "run", probes=()).out
        stored = out / "items.json"
        (out / "manifest").unlink()
        stored.write_text(stored.read_text().replace("answer 2.1", "another answer"))
        with pytest.raises(StoreError, match="does not hold the items"):
            results_of(out)


class TestOtherRuns:
    def test_one_item(self, tmp_path: Path) -> None:
        result = study(items_file(tmp_path / "one.jsonl", 1), "sim:prior", tmp_path / "run")
        page = Page(write_report(result.results))
        check_harmless(page)
        assert "There is only 1 independent item, so there are no intervals." in page.text

    def test_without_gold(self, tmp_path: Path) -> None:
        rows = [{"id": str(i), "question": f"{i}?", "options": ["x", "y"]} for i in range(12)]
        items = jsonl(tmp_path / "opinions.jsonl", rows)
        result = study(items, "sim:position?k=0", tmp_path / "run", probes=("order",))
        page = Page(write_report(result.results))
        check_harmless(page)
        assert "refers position A" in page.text
        assert "0 of them with a known right answer" in page.text

    @pytest.mark.parametrize("shared", [False, True])
    def test_a_spread_by_permutation_needs_items_of_their_own(
        self, shared: bool, tmp_path: Path
    ) -> None:
        items = items_file(tmp_path / "items.jsonl", 12)
        rows = [orjson.loads(line) for line in items.read_bytes().splitlines()]
        for number, row in enumerate(rows):
            row["context"] = f"Text {number // 4 if shared else number}."
        run = study(jsonl(items, rows), "sim:prior", tmp_path / "run", probes=("order",)).results
        text = Page(write_report(run)).text
        assert ("where chance alone gives some" in text) == (not shared)
        assert "No more than chance (p " in text

    def test_labels_without_positions(self, tmp_path: Path) -> None:
        labels = [f"intent_{i}" for i in range(30)]
        rows = [{"id": str(i), "text": f"text {i}", "label": labels[i]} for i in range(30)]
        items = jsonl(tmp_path / "intents.jsonl", rows)
        result = study(items, "sim:prior", tmp_path / "run", probes=("order",))
        page = Page(write_report(result.results))
        check_harmless(page)
        assert "Does the place of an option matter?" not in page.text
        assert "intent_7" in page.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything that can be hostile is: items, ids, model, file, replies."""
    folder = tmp_path_factory.mktemp("hostile")
    rows, replies = [], []
    for i, nasty in enumerate(NASTY):
        name = f"{i}{nasty[:60]}"
        options = [f"{nasty}{j}" for j in range(3)]
        rows.append({"id": name, "question": nasty, "options": options, "answer_index": 0})
        replies.append({"id": name, "model": IMAGE + UNPRINTABLE, "response": f"A {nasty}"})
    replies[0]["response"] = SCRIPT * 30_000  # a megabyte
    items = jsonl(folder / "<b onclick=x>items.jsonl", rows)
    recorded = jsonl(folder / "recorded.jsonl", replies)
    return study(items, f"replay:{recorded}", folder / "run", probes=("order",)).out


class TestHostile:
    def test_the_page_holds_it_as_text(self, hostile: Path) -> None:
        path = write_report(results_of(hostile))
        page = Page(path)
        check_harmless(page)
        assert path.stat().st_size < 1_000_000
        for nasty in NASTY[:4]:
            assert visible(nasty) in page.text
        assert "{{ 7*7 }}" in page.text
        assert "more characters" in page.text
        assert "nul␀ bell␇ escape␛[31m over⟨U+202E⟩ride" in page.text

    def test_so_does_the_page_of_one_item(self, hostile: Path) -> None:
        for item in results_of(hostile).items:
            page = Page(item_report(results_of(hostile), item.id))
            check_harmless(page)
            assert visible(item.question) in page.text

    @pytest.mark.parametrize("nasty", [*NASTY[:4], '"];alert(1);["', "\\u003cscript>"])
    def test_charts_hold_it_as_text(self, nasty: str) -> None:
        e = estimate(0.5, 0.4, 0.6)
        points, below = [Point(nasty, e, 0.25), Point(nasty, e)], Point("", e._replace(low=-0.5))
        lines = [Curve(nasty, [(nasty, e), ("2", e)]), Curve("$rows", [("2", e)])]
        charts = [
            forest([*points, below], "x", caption=nasty, line=ChartLine(0.5, nasty)),
            curves(lines, [nasty, "2"], x_title="x", y_title="y", caption=nasty),
            bands([(nasty, [(10, -0.2, 0.3)])], 0.05, nasty),
        ]
        assert ">−50</text>" in charts[0], "a minus, no hyphen"
        assert "--whole:1." in charts[0], "which a narrow screen needs"
        for chart in charts:
            page = Page(chart)
            assert set(page.tags) <= ALLOWED
            assert not any(name.startswith("on") for name, _ in page.attributes)
            assert page.open == []
            assert dict(reversed(page.attributes))["aria-label"].startswith(visible(nasty))
            assert visible(nasty)[:10] in page.text
            assert visible(page.text) == page.text


def test_prompts_beyond_the_context_are_told_with_their_number(tmp_path: Path) -> None:
    probes = ("original", "order")
    asked = {"probes": probes, "limit": 20, "readers": "text", "asked": short("prior", 100)}
    run = study("sample", "sim:prior", tmp_path / "run", **asked).done
    by_form = [row["prompts"] for row in run.findings["too_long"]]
    assert len(by_form) > 1
    assert 0 < sum(by_form) == run.findings["unread"] < run.findings["trials"]
    told = f"{sum(by_form)} of {run.findings['trials']} prompts were not sent"
    assert [line for line in shortfalls(run) if line.startswith(told)]
    page = Page(run.report())
    assert told in page.text
    assert "Prompts that exceed the model’s context" in page.text

"""The report: sentences follow from numbers, hostile text stays text, and the page stays small."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from cells import cell_of
from horsesense.api import Run
from horsesense.cli.each import shortfalls
from horsesense.errors import StoreError, UsageError
from horsesense.findings.finding import UNTOLD, Finding
from horsesense.findings.kinds import AT_CHANCE, KINDS
from horsesense.inference.store import Store
from horsesense.measures.base import Estimate
from horsesense.measures.registry import MEASURES
from horsesense.measures.signature import Signature
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import Failure, Request, Response
from horsesense.models.simulated.backend import Simulated
from horsesense.report import item_report, verdict_of, write_report
from horsesense.report.bands import bands
from horsesense.report.charts import Line, Point, forest
from horsesense.report.checks import MOST_FOUND, checks_of
from horsesense.report.curves import Curve, curves
from horsesense.report.examples import choose, exchanged, pieces, trials_of
from horsesense.report.item_view import ItemView, quoted, view_of
from horsesense.report.marks import side
from horsesense.report.reasons import reasons_of
from horsesense.report.score_bar import headline, score_bar
from horsesense.report.text import interval_of, p_text, value_of, visible
from horsesense.report.told import Told
from horsesense.runs.results import Results
from horsesense.runs.settings import Settings
from horsesense.trials.condition import PLAIN
from studies import Result, results_of, run_study

UNPRINTABLE = "nul\x00 bell\x07 escape\x1b[31m over\u202eride isolate\u2066 zero\u200bwidth \x9b"
SCRIPT = "</script><script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(2)>"
BREAKS = "\"'--></pre></details></svg><svg onload=alert(3)><style>*{display:none}</style>"
NASTY = (SCRIPT, IMAGE, BREAKS, UNPRINTABLE, "{{ 7*7 }}{% raw %}", "&lt;b&gt;", "w" * 3000)
VOID = {"meta", "br", "hr", "wbr", "img", "input", "link"}


class Page(HTMLParser):
    """What a browser would make of a page: elements, attributes, text; tags must nest."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        text: list[str] = []
        self.handle_data = text.append  # type: ignore[method-assign]
        html = path.read_text(encoding="utf-8") if isinstance(path, Path) else path
        self.feed(html)
        self.close()
        self.text = "".join(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"


ELEMENTS = """
    html head meta title style body header main footer nav section h1 h2 h3 p ul ol li a b i span
    div bdi code pre mark details summary figure figcaption table caption thead tbody tr th td dl
    dt dd svg g path text line rect defs clippath circle tspan
    fieldset legend label input small s em
"""
ALLOWED = frozenset(ELEMENTS.split())


def check_harmless(page: Page) -> None:
    """Nothing runs, nothing is loaded, nothing unseen is left, and every element is closed."""
    assert set(page.tags) <= ALLOWED
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in {"src", "xlink:href", "action", "srcdoc"}
        if name == "href":
            assert value.startswith("#")
    assert page.open == []
    assert visible(page.text) == page.text
    assert ("http-equiv", "Content-Security-Policy") in page.attributes
    policy = next(value for name, value in page.attributes if "default-src" in value)
    assert "default-src 'none'" in policy
    assert "script" not in policy


def items_file(path: Path, n: int = 80) -> Path:
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which of these is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": i % 4,
        }
        for i in range(n)
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def study(items: Path, model: str, out: Path, **settings: Any) -> Result:
    chosen = Settings.of(items=str(items), model=model, **settings)
    return run_study(chosen, out)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    """Runs of models whose truth is known."""
    items = items_file(tmp_path_factory.mktemp("items") / "made_up.jsonl")
    models = ("oracle", "uniform", "position?k=1", "ranker", "refuse", "talker")
    found = {}
    for model in models:
        result = study(items, f"sim:{model}", tmp_path_factory.mktemp("run"))
        found[model.partition("?")[0]] = result.results
    return found


def said(run: Results, kind: str) -> str:
    return "\n".join(f.sentence for f in run.verdict if f.kind == kind)


def names(run: Results, kind: str) -> set[str]:
    return {f.name for f in run.verdict if f.kind == kind}


SIGNATURE = Signature("d", 1, "m", "p", PLAIN, "t", "", "r", 0, "accuracy", "", 0, "0")


def estimate(value: float, low: float, high: float, **changes: Any) -> Estimate:
    names = ("dataset", "model", "probe", "reader", "group")
    blank = dict.fromkeys(names, "")
    whole: dict[str, Any] = {
        **blank,
        "condition": PLAIN,
        "signature": SIGNATURE,
        "measure": "accuracy",
        "value": value,
        "low": low,
        "high": high,
        "level": 0.95,
        "n": 100,
        "n_missing": 0,
        "counted": "items",
        "unit": "fraction",
        **changes,
    }
    return Estimate(**whole)


def test_numbers_without_an_interval_say_why(runs: dict[str, Results], tmp_path: Path) -> None:
    """The last column was left blank."""
    note = "no interval: all trials belong to one independent cluster"
    lone = replace(runs["oracle"].estimates[0], value=0.5, low=None, high=None)
    made = replace(runs["oracle"], estimates=(replace(lone, interval="", note=note),))
    assert f"<td>{note}</td></tr>" in write_report(made, to=tmp_path / "page.html").read_text()


class TestVerdict:
    def test_position_is_caught(self, runs: dict[str, Results]) -> None:
        found = said(runs["position"], "found")
        assert "The model chooses position B in 100\u202f% of items, whatever stands there" in found
        assert (
            "The model prefers position B: over the orders, 100\u202f% of its answers go there"
            in found
        )

    def test_oracle_is_spared(self, runs: dict[str, Results]) -> None:
        assert said(runs["oracle"], "found") == ""
        assert "no_better_than_guessing" in names(runs["oracle"], "ruled_out")
        assert "100\u202f% as published; 100\u202f% in every order" in headline(runs["oracle"])[0]

    def test_what_cannot_be_told_says_how_many_items_would(self, runs: dict[str, Results]) -> None:
        open_ = [f for f in runs["oracle"].verdict if f.kind == "cannot_tell"]
        assert open_
        for f in open_:
            assert f.p_adjusted > 0.05
            assert f.p_ruled_out > 0.05
            if f.items is not None:
                assert re.search(r"it would take about [\d,]+ items", f.sentence)

    def test_others_are_told_with_their_numbers(self, runs: dict[str, Results]) -> None:
        """ "The same goes for 1 other form, with other numbers of items (up to 1,700)"."""
        f = replace(runs["oracle"].verdict[0], name="accuracy_change", items=2200)
        fewer, more, none = (replace(f, items=items) for items in (1655, 2640, None))
        goes = " The same goes for "
        assert Told(f, []).more == ""
        assert Told(f, [f]).more == f"{goes}one other form."
        assert Told(f, [fewer]).more == f"{goes}one other form (about 1,700 items)."
        assert Told(f, [fewer, more]).more == f"{goes}2 other forms (up to 2,700 items)."
        known = f"{goes}one other form, with no known number of items."
        assert Told(f, [none]).more == known

    def test_a_sentence_speaks_for_none_that_is_open_for_another_reason(
        self, runs: dict[str, Results]
    ) -> None:
        f = replace(runs["oracle"].verdict[0], name="accuracy_change", sentence="It is 6 lower.")
        hidden = replace(
            f,
            sentence=f"Whether it changes{UNTOLD}{AT_CHANCE}.",
        )
        assert "may be guessing" not in AT_CHANCE, "a headline may not doubt it"
        assert Told(f, []).speaks_for(f)
        assert not Told(f, []).speaks_for(hidden)

    def test_the_interval_of_what_cannot_be_told_shows_that_it_was_not_found(
        self, runs: dict[str, Results]
    ) -> None:
        ways = {kind.name: kind.way for kind in KINDS}
        for run in runs.values():
            for f in run.verdict:
                if f.kind != "cannot_tell" or f.low is None or f.high is None:
                    continue
                way = ways[f.name]
                assert way not in ("above", "both") or f.low <= f.null + 1e-9
                assert way not in ("below", "both") or f.high >= f.null - 1e-9

    def test_ranker_cannot_say_none(self, runs: dict[str, Results]) -> None:
        found = said(runs["ranker"], "found")
        assert "The model says “none of these” less often than it should" in found
        assert "accuracy is 100 points lower than where it is shown" in found

    def test_talker_says_another_thing_than_its_first_token(self, runs: dict[str, Results]) -> None:
        assert "First token and text choose different options" in said(runs["talker"], "found")
        assert "First token and text choose different options" not in said(runs["oracle"], "found")

    def test_refusals_are_found_and_nothing_is_praised(self, runs: dict[str, Results]) -> None:
        assert "0\u202f% of replies choose an option, fewer than 95\u202f%" in said(
            runs["refuse"], "found"
        )
        assert said(runs["refuse"], "ruled_out") == ""

    def test_at_chance_no_change_of_accuracy_is_called_absent(
        self, runs: dict[str, Results]
    ) -> None:
        assert not names(runs["uniform"], "ruled_out") & {"accuracy_change", "none_option"}
        assert names(runs["uniform"], "found") <= {"no_better_than_guessing", "no_agreement"}

    def test_every_sentence_carries_its_number(self, runs: dict[str, Results]) -> None:
        for run in runs.values():
            assert run.verdict
            for f in run.verdict:
                assert f.sentence.endswith(".")
                if not f.measured:
                    assert (f.kind, bool(f.reason)) == ("cannot_tell", True)
                    continue
                assert f.low is not None
                assert f.high is not None
                assert f.low <= f.value <= f.high
                assert "{" not in f.sentence

    def test_the_verdict_is_in_the_json_with_its_fields(self, runs: dict[str, Results]) -> None:
        for row in runs["ranker"].findings["verdict"]:
            assert row["kind"] in ("found", "ruled_out", "cannot_tell")
            fields = ("name", "probe", "value", "low", "high", "size", "p_adjusted", "sentence")
            assert set(fields) <= set(row)
            assert Finding(**row) in runs["ranker"].verdict
            assert 0 < row["units"] <= row["n"], "several trials of an item are one unit"
            assert row["n_missing"] == 0
        of = {row["name"]: row for row in runs["ranker"].findings["verdict"]}
        position = of["position_preference"]
        assert position["counted"] == "trials"
        assert position["units"] == len(runs["ranker"].items) < position["n"]

    def test_the_bar_adds_up_to_the_published_score(self, runs: dict[str, Results]) -> None:
        for name in ("oracle", "uniform", "position", "ranker"):
            bar, score = score_bar(runs[name]), runs[name].one("accuracy")
            assert bar is not None
            assert score is not None
            assert sum(s.width for s in bar.segments) == pytest.approx(100, abs=0.01)
            published = bar.segments[0].width + bar.segments[1].width
            assert published == pytest.approx(100 * (score.value or 0), abs=0.01)

    def test_a_probe_without_any_answer_is_noticed(self, hostile: Path) -> None:
        told = "\n".join(verdict_of(results_of(hostile)))
        assert (
            "74 of 84 prompts have no reply and 5 have no clear answer; the share is largest under"
            " “Asked again” (7 of 7)" in told
        )

    def test_missing_answers_are_noticed(self, runs: dict[str, Results]) -> None:
        lost = tuple(
            replace(e, n_missing=30) if (e.measure, e.probe) == ("valid_rate", "order") else e
            for e in runs["oracle"].estimates
        )
        run = replace(runs["oracle"], estimates=lost)
        assert "the share is largest under “Options reordered” (30 of" in "\n".join(verdict_of(run))

    @pytest.mark.parametrize(
        ("reference", "comparisons", "expected"),
        [(0.5, 1, 0), (0.39, 1, 1), (0.61, 1, -1), (0.39, 20, 0), (0.3, 20, 1)],
    )
    def test_side_widens_for_the_strongest_of_several(
        self, reference: float, comparisons: int, expected: int
    ) -> None:
        assert side(estimate(0.5, 0.4, 0.6), reference, comparisons) == expected


class TestReader:
    def test_text_is_the_main_reader_where_it_is_understood(self, runs: dict[str, Results]) -> None:
        assert runs["oracle"].reader == "text"
        assert runs["refuse"].reader == "text"

    def test_else_the_first_token_is(self, runs: dict[str, Results]) -> None:
        silent = tuple(
            replace(e, value=float(e.group == "empty"))
            if (e.measure, e.reader) == ("status_share", "text")
            else e
            for e in runs["oracle"].estimates
        )
        run = replace(runs["oracle"], estimates=silent)
        assert run.reader == "first_token"


class TestChecks:
    def test_one_kind_in_many_forms_hides_no_other(self, runs: dict[str, Results]) -> None:
        """Three sentences about changed answers kept a preferred position off the first screen."""
        (group, *_) = checks_of(runs["talker"], [], {}).groups
        (one, *_), rows = group.checks, []
        for name, value in (("a", 0.9), ("a", 0.8), ("a", 0.7), ("b", 0.6), ("c", 0.5)):
            rows.append(replace(one, finding=replace(one.finding, name=name, value=value)))
        told = replace(group, outcome="found", checks=tuple(rows))
        assert [check.finding.name for check in told.first] == ["a", "b", "c"]
        assert told.rest == (rows[1], rows[2])
        alike = replace(told, checks=tuple(rows[:3]))
        assert (alike.first, alike.rest) == (tuple(rows[:3]), ())


class TestPage:
    def test_each_run_gives_a_harmless_page_with_its_sections(
        self, runs: dict[str, Results]
    ) -> None:
        for run in runs.values():
            page = Page(write_report(run, max_items=30))
            check_harmless(page)
            for part in (*headline(run), "What each change does", "Signatures", "Asked again"):
                assert part in page.text
            found = [f.sentence for f in run.verdict if f.kind == "found"]
            for sentence in found[:MOST_FOUND]:
                assert page.text.count(sentence) == 1
            for finding in run.verdict:
                assert finding.title.lower() in page.text.lower()
            ids = [value for name, value in page.attributes if name == "id"]
            assert len(ids) == len(set(ids))
            targets = [v for name, v in page.attributes if name in ("href", "for")]
            assert {target.removeprefix("#") for target in targets} <= set(ids)

    def test_the_page_is_the_same_each_time(self, runs: dict[str, Results]) -> None:
        run = runs["talker"]
        first = write_report(run).read_bytes()
        assert write_report(run).read_bytes() == first

    def test_it_says_how_many_items_are_not_shown(self, runs: dict[str, Results]) -> None:
        page = Page(write_report(runs["talker"], max_items=7))
        assert "This page holds 7 of 80 items" in page.text
        assert "The others: horsesense view RUN." in page.text

    def test_no_run_is_too_large(
        self, runs: dict[str, Results], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("horsesense.report.ITEM_BYTES", 100_000)
        path = write_report(runs["talker"])
        page = Page(path)
        assert re.search(r"This page holds \d\d? of 80 items", page.text)
        assert page.tags.count("pre") > 0
        assert path.stat().st_size < 500_000

    def test_every_prompt_and_answer_of_an_item(self, runs: dict[str, Results]) -> None:
        run = runs["talker"]
        page = Page(item_report(run, "q3"))
        check_harmless(page)
        assert page.text.count("Which of these is number 3?") > 8
        assert page.text.count("Reply") >= 12

    def test_unknown_item(self, runs: dict[str, Results]) -> None:
        with pytest.raises(UsageError, match="no item 'q33x'"):
            item_report(runs["talker"], "q33x")

    def test_unfinished_run(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="is not a run directory"):
            results_of(tmp_path)

    def test_a_run_outlives_the_file_of_its_items(self, tmp_path: Path) -> None:
        items = items_file(tmp_path / "items.jsonl", 3)
        out = study(items, "sim:oracle", tmp_path / "run", probes=()).out
        items.unlink()
        assert "answer 2.1" in write_report(results_of(out)).read_text()

    def test_items_that_have_changed(self, tmp_path: Path) -> None:
        items = items_file(tmp_path / "items.jsonl", 3)
        out = study(items, "sim:oracle", tmp_path / "run", probes=()).out
        stored = out / "items.json"
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
        items = tmp_path / "opinions.jsonl"
        items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        result = study(items, "sim:position?k=0", tmp_path / "run")
        page = Page(write_report(result.results))
        check_harmless(page)
        assert "prefers position A: over the orders, 100\u202f% of its answers" in page.text
        assert "0 of them with a known right answer" in page.text

    @pytest.mark.parametrize("shared", [False, True])
    def test_a_spread_by_permutation_needs_items_of_their_own(
        self, shared: bool, tmp_path: Path
    ) -> None:
        items = items_file(tmp_path / "items.jsonl", 12)
        rows = [orjson.loads(line) for line in items.read_bytes().splitlines()]
        for number, row in enumerate(rows):
            row["context"] = f"Text {number // 4 if shared else number}."
        items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        text = Page(write_report(study(items, "sim:prior", tmp_path / "run").results)).text
        assert ("by permutation" in text) == (not shared)
        assert ("and trials were independent, which these are not" in text) == shared

    def test_labels_without_positions(self, tmp_path: Path) -> None:
        labels = [f"intent_{i}" for i in range(30)]
        rows = [{"id": str(i), "text": f"text {i}", "label": labels[i % 30]} for i in range(60)]
        items = tmp_path / "intents.jsonl"
        items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        result = study(items, "sim:prior", tmp_path / "run")
        page = Page(write_report(result.results))
        check_harmless(page)
        assert "Does the place of an option matter?" not in page.text
        assert "intent_7" in page.text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything that can be hostile is: items, ids, model, file, replies."""
    folder = tmp_path_factory.mktemp("hostile")
    items, recorded = folder / "<b onclick=x>items.jsonl", folder / "recorded.jsonl"
    rows, replies = [], []
    for i, nasty in enumerate(NASTY):
        name = f"{i}{nasty[:60]}"
        options = [f"{nasty}{j}" for j in range(3)]
        rows.append({"id": name, "question": nasty, "options": options, "answer_index": 0})
        replies.append({"id": name, "model": IMAGE + UNPRINTABLE, "response": f"A {nasty}"})
    replies[0]["response"] = SCRIPT * 30_000  # a megabyte
    items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    recorded.write_bytes(b"\n".join(map(orjson.dumps, replies)))
    return study(items, f"replay:{recorded}", folder / "run").out


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
        points = [Point(nasty, e, 0.25), Point(nasty, e)]
        lines = [Curve(nasty, [(nasty, e), ("2", e)]), Curve("$rows", [("2", e)])]
        charts = [
            forest(points, "x", caption=nasty, line=Line(0.5, nasty)),
            curves(lines, [nasty, "2"], x_title="x", y_title="y", caption=nasty),
            bands([(nasty, [(10, -0.2, 0.3)])], 0.05, nasty),
        ]
        for chart in charts:
            page = Page(chart)
            assert set(page.tags) <= ALLOWED
            assert not any(name.startswith("on") for name, _ in page.attributes)
            assert page.open == []
            assert dict(reversed(page.attributes))["aria-label"].startswith(visible(nasty))
            assert visible(nasty)[:10] in page.text
            assert visible(page.text) == page.text


class TestText:
    @pytest.mark.parametrize(
        ("given", "shown"),
        [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x00\x1b\x7f", "␀␛␡"),
            ("\x85\u2028", "⟨U+0085⟩⟨U+2028⟩"),
            ("\u202e\u2066\u200f", "⟨U+202E⟩⟨U+2066⟩⟨U+200F⟩"),
            ("\ud800", "⟨U+D800⟩"),
            ("\U000e0041", "⟨U+E0041⟩"),
            ("naïve שלום 👩\u200d🔬", "naïve שלום 👩\u200d🔬"),
            ("a\r\nb\rc", "a\nb␍c"),
        ],
    )
    def test_visible(self, given: str, shown: str) -> None:
        assert visible(given) == shown

    @pytest.mark.parametrize(
        ("e", "value", "interval"),
        [
            (estimate(0.531, 0.51, 0.55), "53\u202f%", "[51, 55]"),
            (estimate(0.531, 0.526, 0.536), "53.1\u202f%", "[52.6, 53.6]"),
            (estimate(0.0, 0.0, 0.008), "0\u202f%", "[0.0, 0.8]"),
            (estimate(4.46, 3.8, 5.1, unit="points"), "4.5", "[3.8, 5.1]"),
            (
                estimate(-0.062, -0.078, -0.047, measure="accuracy_change"),
                "−6\u202fpts",
                "[−8, −5]",
            ),
            (estimate(-0.001, -0.03, 0.02), "0\u202f%", "[−3, 2]"),
            (estimate(0.01, -0.03, 0.05, measure="accuracy_change"), "1\u202fpt", "[−3, 5]"),
        ],
    )
    def test_numbers(self, e: Estimate, value: str, interval: str) -> None:
        assert (value_of(e), interval_of(e)) == (value, interval)

    def test_p_values(self) -> None:
        assert [p_text(p) for p in (None, 1e-9, 0.0312, 1.0)] == ["", "< 0.0001", "0.031", "1"]


class TestPieces:
    @pytest.mark.parametrize("span", [None, (0, 3), (5, 9), (990, 999), (400, 700), (2000, 2010)])
    def test_nothing_is_lost_uncounted(self, span: tuple[int, int] | None) -> None:
        text = "".join(chr(65 + i % 26) for i in range(1000))
        found = pieces(text, 100, span)
        assert sum(len(p.text) + p.cut for p in found) == len(text)
        marked = "".join(p.text for p in found if p.marked)
        expected = "" if span is None else text[slice(*span)]
        assert marked == expected[:100]
        assert sum(len(p.text) for p in found) <= 400

    def test_a_short_text_is_whole(self) -> None:
        assert "".join(p.text for p in pieces("I say B.", 100, (6, 7))) == "I say B."


class TestChoice:
    def test_evidence_first_then_a_sample(self, runs: dict[str, Results]) -> None:
        choice = choose(runs["talker"], 40)
        assert len(set(choice.ids)) == 40
        assert all(choice.reasons[i] for i in choice.ids[:8])
        assert set(choice.evidence.holds) <= {reason.name for reason in reasons_of(runs["talker"])}
        assert choice.total == 80

    def test_nothing_happens_to_an_oracle_but_its_lucky_guesses(
        self, runs: dict[str, Results]
    ) -> None:
        choice = choose(runs["oracle"], 40)
        assert set(choice.evidence.holds) == {"right without the question"}
        assert any(not choice.reasons[i] for i in choice.ids)
        assert set(choice.evidence.part.values()) == {"every_form"}

    def test_counts_are_those_of_the_measures(self, runs: dict[str, Results]) -> None:
        held = choose(runs["position"], 5).evidence.holds
        assert len(held["same place in every order"]) == 80
        refused = choose(runs["refuse"], 5).evidence.holds
        assert len(refused["no option chosen"]) == 80
        assert "same place in every order" not in refused

    def test_items_stand_in_the_parts_that_are_counted(self, runs: dict[str, Results]) -> None:
        for run in runs.values():
            bar, part = score_bar(run), choose(run, 1).evidence.part
            assert bar is not None
            for segment in bar.segments:
                assert segment.count == str(sum(name == segment.name for name in part.values()))

    def test_every_reason_has_an_example(self, runs: dict[str, Results]) -> None:
        choice = choose(runs["ranker"], 8)
        shown = {reason for reasons in choice.reasons.values() for reason in reasons}
        assert shown == set(choice.evidence.holds)


def view_of_item(run: Results, item_id: str, store: Store) -> ItemView:
    [(_, trials)] = trials_of(run, [item_id], store)
    return view_of(run.items.by_id[item_id], trials, run.reader, partial(exchanged, store=store))


class TestItem:
    def test_a_model_that_follows_the_place_is_scattered_over_the_columns(
        self, runs: dict[str, Results]
    ) -> None:
        run = runs["position"]
        with run.directory.store() as store:
            view = view_of_item(run, "q2", store)
        orders = [form for form in view.forms if form.asked.probe == "order"]
        columns = {next(i for i, cell in enumerate(f.cells) if cell) for f in orders}
        assert len(columns) > 1
        assert {cell for f in orders for cell in f.cells if cell} == {"B"}
        unfolded = [form for form in view.forms if form.unfolded]
        assert len(unfolded) == 1
        told = [line for message in unfolded[0].prompt for line in message.lines]
        assert any(line.text.startswith("⋮") for line in told)
        # The options stand whole, whether they moved or not.
        for option in view.item.options:
            assert any(option in line.text for line in told)

    def test_what_was_chosen_is_told_in_words(self, runs: dict[str, Results]) -> None:
        run = runs["oracle"]
        with run.directory.store() as store:
            view = view_of_item(run, "q2", store)
        assert view.forms[0].answer == quoted(view.item.options[2]) == "“answer 2.2”"
        assert view.tally[0][2]
        assert view.changed == sum(not form.plain for form in view.forms[1:])


def strata(name: str, contents: Sequence[Sequence[int | None]]) -> dict[str, float]:
    measure, cell = MEASURES.get(name), cell_of(contents, [0] * len(contents))
    values = measure.value(measure.rows(cell).rows.sum(axis=0))
    return dict(zip(measure.groups(cell), np.round(values, 6).tolist(), strict=True))


class TestStrata:
    CONTENTS = ((0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3), (0, 0, 0, None))

    def test_share(self) -> None:
        expected = {"0.25": 0.2, "0.50": 0.2, "0.75": 0.2, "1.00": 0.4}
        assert strata("agreement_share", self.CONTENTS) == expected

    def test_ties_count_their_part(self) -> None:
        expected = {"0.25": 0.25, "0.50": 0.5, "0.75": 1.0, "1.00": 0.5}
        assert strata("stratum_plurality_accuracy", self.CONTENTS) == expected

    def test_mean_over_orders(self) -> None:
        expected = {"0.25": 0.25, "0.50": 0.5, "0.75": 0.75, "1.00": 0.5}
        assert strata("stratum_accuracy", self.CONTENTS) == expected

    def test_items_that_were_not_fully_answered_are_counted_as_missing(self) -> None:
        cell = cell_of([(0, 0), (0, -99)], [0, 0])
        rows = MEASURES.get("agreement_share").rows(cell)
        assert (rows.n, rows.n_missing) == (1, 1)

    def test_undefined_for_single_trials(self) -> None:
        cell = cell_of([(0,)], [0])
        assert MEASURES.get("agreement_share").undefined_reason(cell) is not None


class Small(Simulated):
    """A simulation with a context of few words."""

    async def capabilities(self) -> Capabilities:
        return replace(await super().capabilities(), context_length=100)

    def count_tokens(self, request: Request) -> int | None:
        return sum(len(text.split()) for _, text in request.messages or ())


def test_prompts_beyond_the_context_are_told_with_their_number(tmp_path: Path) -> None:
    probes = ("original", "order")
    settings = Settings.of(items="sample", model="sim:prior", probes=probes, limit=20)
    run = Run.start(tmp_path / "run", settings)
    run.ask(Small.from_spec("prior"), tell=None)
    run.read("text")
    run.measure()
    by_form = [row["prompts"] for row in run.findings["too_long"]]
    assert len(by_form) > 1
    assert 0 < sum(by_form) == run.findings["unread"] < run.findings["trials"]
    told = f"{sum(by_form)} of {run.findings['trials']} prompts were not sent"
    assert [line for line in shortfalls(run) if line.startswith(told)]
    page = Page(run.report())
    assert f"context: {sum(by_form)} prompts, counted as missing" in page.text
    assert "Prompts that exceed the model’s context" in page.text


class Rambling(Simulated):
    """A simulation that talks of something else."""

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        said = "Hm, animals are nice and there are many of them in the garden today."
        found = await super().respond(batch)
        return [replace(one, text=said) if isinstance(one, Response) else one for one in found]


def test_prompts_of_which_every_reading_is_unclear_count_as_unread(tmp_path: Path) -> None:
    settings = Settings.of(items="sample", model="sim:prior", probes=("original",), limit=10)
    run = Run.start(tmp_path / "run", settings)
    run.ask(Rambling.from_spec("prior"), tell=None)
    run.read("text")
    run.measure()
    assert set(run.readings["status"]) == {"unclear"}
    assert run.findings["unread"] == run.findings["unclear"] == run.findings["trials"] == 10
    assert any("10 because what the reply chooses is unclear" in line for line in shortfalls(run))

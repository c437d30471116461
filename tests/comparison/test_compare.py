"""Runs compared: shared items, paired differences, ranks, what is refused and what is said."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import orjson
import pytest

import horsesense as hs
from command_line import call
from horsesense import audit, compare
from horsesense.api import sides
from horsesense.cli.schemas import OUTPUTS
from horsesense.comparison.align import SharedItems, shared_items
from horsesense.comparison.compare import Comparison, OrderInView, Standing, _orders
from horsesense.comparison.views import View, ViewScores
from horsesense.errors import UsageError
from horsesense.report.comparison import (
    as_table,
    headline,
    items_text,
    score_text,
    sentences,
    table,
    write_comparison,
)
from horsesense.report.rank_chart import dot_chart
from horsesense.trials.condition import PLAIN
from studies import items_file, jsonl, study

FIELDS = ("model", "first", "second", "better")
"""Where rows name a model."""
PROBES = ("order", "none_of_the_above", "options_only")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three models on overlapping items, and one of them under other prompts."""
    root = tmp_path_factory.mktemp("runs")
    every = items_file(root / "items.jsonl", 120)
    rows = [orjson.loads(line) for line in every.read_bytes().splitlines()]
    rows[100]["options"][0] = "changed"
    fewer = jsonl(root / "fewer.jsonl", rows[20:])
    told = {
        "oracle": (every, "sim:oracle", {}),
        "good": (fewer, "sim:prior?know=0.8", {}),
        "ranker": (every, "sim:ranker", {}),
        "plain": (every, "sim:oracle", {"style": "completion", "probes": ("order",)}),
        "plain2": (every, "sim:prior?know=0.3", {"style": "completion", "probes": ("order",)}),
        "longer": (
            every,
            "sim:prior?know=0.3",
            {"max_tokens": 32, "seed": 1, "probes": PROBES[1:2]},
        ),
    }
    for name, (items, model, settings) in told.items():
        study(items, model, root / name, **{"probes": PROBES, **settings})
    return {name: root / name for name in told}


@pytest.fixture(scope="module")
def found(runs: dict[str, Path]) -> Comparison:
    return compare({name: runs[name] for name in ("good", "oracle", "ranker")})


def test_only_what_all_runs_hold_is_compared(found: Comparison, runs: dict[str, Path]) -> None:
    assert found.items["shared"] == 99
    assert found.items["changed"] == 1
    assert "1 more item has the same id, but other texts" in " ".join(sentences(found))
    assert found.items["of"][str(runs["good"])] == 100
    assert {s.n for s in found.standings} == {99}


def test_a_difference_is_that_of_the_shared_items(found: Comparison, runs: dict[str, Path]) -> None:
    right = {}
    for name in ("oracle", "good"):
        run = hs.open(runs[name])
        trials = run.trials.filter(probe="original").select("trial", "item_id")
        read = run.readings.filter(reader=found.reader).select("trial", "correct")
        right[name] = dict(trials.join(read, on="trial").select("item_id", "correct").rows())
    shared = [id for id in right["good"] if id in right["oracle"] and id != "q100"]
    gap = np.mean([right["oracle"][id] - right["good"][id] for id in shared])
    assert found.between("oracle", "good").value == pytest.approx(gap)
    assert found.between("good", "oracle").value == pytest.approx(-gap)


def test_the_best_stands_first_and_is_shown_to_be(found: Comparison) -> None:
    assert found.models[0] == "oracle"
    first = found.by_view[found.main]["oracle"]
    assert (first.value, first.rank, first.rank_low, first.rank_high) == (1.0, 1.5, 1, 2)
    assert found.between("oracle", "good").better == "oracle"


def test_one_correction_covers_every_pair_of_every_view(found: Comparison) -> None:
    assert len(found.differences) == 3 * len(found.views)
    for d in found.differences:
        assert d.p_adjusted >= d.p_value or d.p_adjusted == pytest.approx(d.p_value)


def test_no_detectable_change_of_means_over_orders_where_nothing_differs(
    runs: dict[str, Path],
) -> None:
    made = compare({"before": runs["oracle"], "after": runs["oracle"]})
    named = {d.view: d.detectable for d in made.differences}
    assert named.pop(made.main) is not None
    orders = [view for view in named if "reordered" in view]
    assert orders
    assert {named[view] for view in orders} == {None}


def test_the_question_withheld_is_shown_and_not_ranked(found: Comparison) -> None:
    assert all(s.rank_low is None for s in found.by_view["Question withheld"].values())
    assert "Question withheld" not in {order.view for order in found.orders}


def test_the_order_of_a_ranker_does_not_survive_a_none_option(runs: dict[str, Path]) -> None:
    """The ranker takes the gold while it is shown and never a none-option."""
    made = compare({"ranker": runs["ranker"], "prior": runs["longer"]})
    view = "None of the above: for the right option, last"
    assert made.models[0] == "ranker"
    assert made.by_view[view]["ranker"].value == 0
    [order] = [order for order in made.orders if order.view == view]
    assert order.reversed == (("ranker", "prior"),)
    assert order.verdict == "changes"
    assert made.between("prior", "ranker", view).better == "prior"


def test_runs_that_share_no_prompt_are_refused_unless_it_is_asked_for(
    runs: dict[str, Path],
) -> None:
    with pytest.raises(UsageError, match="No prompt was put to all"):
        compare({"a": runs["plain"], "b": runs["good"]})
    made = compare({"a": runs["plain"], "b": runs["good"]}, across=True)
    assert "prompt" in dict(made.settings)


def test_other_prompts_of_the_same_models_are_a_view_of_their_own(runs: dict[str, Path]) -> None:
    made = compare([runs[name] for name in ("oracle", "longer", "plain", "plain2")])
    assert len(made.models) == 2
    [view] = [view for view in made.views if "completion" in view]
    assert view.startswith("In the original order")
    assert view in {order.view for order in made.orders}


def test_differing_settings_are_said(runs: dict[str, Path]) -> None:
    made = compare([runs["oracle"], runs["longer"]])
    told = dict(made.settings)
    assert told["max_tokens"][str(runs["longer"])] == 32
    assert "seed" in told


def test_what_cannot_be_compared_is_refused(runs: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least two models"):
        compare([runs["oracle"]])
    with pytest.raises(UsageError, match="with the same"):
        compare([runs["oracle"], runs["good"], runs["oracle"]])
    with pytest.raises(UsageError, match="'rstd' is no measure to compare models by"):
        compare([runs["oracle"], runs["good"]], measure="rstd")
    other = study(items_file(tmp_path / "k3.jsonl", 20, k=3), "sim:none", tmp_path / "k3")
    with pytest.raises(UsageError, match="20 ids are the same"):
        compare([runs["oracle"], other.out])


def test_equal_items_are_found_whatever_their_ids(runs: dict[str, Path]) -> None:
    one, other = sides([("a", runs["oracle"]), ("b", runs["longer"])])
    shared: SharedItems = shared_items([one, other])
    renamed = [replace(item, id=f"x-{item.id}") for item in other.results.items]
    object.__setattr__(other.results.directory.items, "items", tuple(renamed))
    other.__dict__.pop("keys", None)
    assert len(shared_items([one, other]).cluster) == len(shared.cluster) == 120


def test_clusters_that_any_run_names_hold_whichever_comes_first(runs: dict[str, Path]) -> None:
    """Texts of ten and models alike: with the run that names none first, .58 of equal models
    differed."""
    one, other = sides([("a", runs["oracle"]), ("b", runs["longer"])])
    items = [replace(item, cluster=f"text {n // 10}") for n, item in enumerate(other.results.items)]
    object.__setattr__(other.results.directory.items, "items", tuple(items))
    for pair in ([one, other], [other, one]):
        assert np.unique(shared_items(pair).cluster, return_counts=True)[1].tolist() == [10] * 12


def test_models_that_tie_in_a_view_have_not_changed_their_order() -> None:
    """400 items, one of which the second view scores otherwise: tau .82 against 1.00."""
    rng = np.random.default_rng(1)
    right = np.stack([rng.permutation(400) < hits for hits in (380, 241, 240)], axis=1)
    again = right.copy()
    again[np.flatnonzero(right[:, 1] & ~right[:, 2])[0], 1] = False
    views = [
        ViewScores(View("", name, PLAIN, "text"), name, seen * 1.0, np.arange(400), 0)
        for name, seen in (("first", right), ("again", again))
    ]
    decided = {view.label: np.zeros((3, 3), dtype=np.bool_) for view in views}
    (order,) = _orders(["a", "b", "c"], views, decided, 0.95)
    assert order.tau == pytest.approx(0.816, abs=0.001)
    assert not order.beyond


def test_the_page_holds_no_script_and_no_foreign_markup(found: Comparison, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"

    def renamed(row: Any) -> Any:
        named = [f for f in FIELDS if getattr(row, f, None) == found.models[0]]
        return replace(row, **dict.fromkeys(named, name))

    bad = replace(
        found,
        models=(name, *found.models[1:]),
        standings=tuple(map(renamed, found.standings)),
        differences=tuple(map(renamed, found.differences)),
    )
    page = write_comparison(bad, tmp_path / "page.html").read_text()
    assert write_comparison(bad, tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert "<script" not in page
    assert html.escape(name, quote=False) in page
    assert page.count("<svg") == 1
    for view in found.views:
        assert html.escape(view) in page


def test_the_items_that_a_sentence_counts_are_those_with_scores(found: Comparison) -> None:
    more = replace(found, items={**found.items, "shared": 120})
    told = "99 items with a score of every model, of 120 that all runs share (21 lack a score)"
    assert f"On {told}, " in sentences(more)[0]
    assert items_text(found) == "99 items that all runs share"
    assert items_text(more) == told


def test_sentences_tell_what_changes(found: Comparison) -> None:
    text = " ".join(sentences(found))
    assert "99 items" in text
    assert "rank 1" in text
    view = found.orders[0].view
    turned = OrderInView(view, -1.0, 0.3, 0.8, 0.001, True, (("oracle", "good"),), 0, 3)
    told = " ".join(sentences(replace(found, orders=(turned,))))
    assert f"changes under “{view}”: good leads oracle" in told
    alone = " ".join(sentences(replace(found, orders=(replace(turned, reversed=()),))))
    assert "Kendall's tau" in alone


def test_the_headline_says_who_leads_and_whether_it_is_noise(found: Comparison) -> None:
    best, second = found.models[:2]
    pair = replace(found.between(best, second), value=0.044, low=-0.046, high=0.133, better="")
    two = replace(found, models=(best, second), differences=(pair,), orders=())
    told = f"No clear winner: {best} leads by 4.4 points, within noise (−4.6 to 13.3)."
    assert headline(two) == sentences(two)[1] == told
    sure = replace(two, differences=(replace(pair, low=0.01, better=best),))
    assert headline(sure) == f"{best} is better than {second} by 4.4 points (1.0 to 13.3)."
    none = replace(two, differences=(replace(pair, low=None, high=None, note="too few items"),))
    assert headline(none) == f"No clear winner: {best} leads by 4.4 points; too few items."


def test_a_pair_that_a_change_alone_decides_is_told(found: Comparison) -> None:
    best, second = found.models[:2]
    view = next(o.view for o in found.orders)
    as_seen = [
        replace(d, better=second if d.view == view else "")
        for d in found.differences
        if {d.first, d.second} == {best, second}
    ]
    orders = tuple(replace(o, reversed=(), beyond=False) for o in found.orders)
    two = replace(found, models=(best, second), differences=tuple(as_seen), orders=orders)
    assert any(text.startswith(f"Under “{view}”, {second} is better") for text in sentences(two))
    heads, rows = table(two)
    assert heads[-2:] == ["items", "ranking"]
    only = tuple(s for s in two.standings if s.view == two.main)
    one = replace(two, views={two.main: "original"}, standings=only)
    assert table(one)[0][-1] == "items"
    assert as_table(two).note.startswith(headline(two))
    assert score_text(Standing(view, best, 0.005, 0.0001, 0.03, 200, 1)) == "0\u202f% [0, 3]"
    assert {row[-1] for row in rows[1:]} <= {"undecided", "changes", "holds", ""}


def test_missing_replies_are_told_where_they_are_many(found: Comparison) -> None:
    asked = found.by_view[found.main][found.models[0]].n
    for missing, told in ((asked // 10, True), (asked // 30, False)):
        said = " ".join(sentences(replace(found, missing={found.main: missing})))
        assert ("whatever the missing replies are" in said) == told


def test_a_third_model_that_lost_replies_changes_no_other_difference() -> None:
    right = np.zeros((100, 3))
    right[10:, 0] = right[:20, 1] = right[:, 2] = 1
    held, lost = right.copy(), np.arange(100) >= 10
    held[lost, 2] = np.nan
    least, most = (np.where(np.isnan(held), end, held) for end in (0, 1))
    view = View("", "original", PLAIN, "text")
    scores = ViewScores(view, "o", held, np.arange(100), 90, least=least, most=most)
    first, third = scores.pair(0, 1), scores.pair(2, 0)
    assert (first.n, first.estimate) == (100, pytest.approx(0.7))
    assert (third.n, third.seen.estimate) == (10, 1.0)
    assert third.estimate == pytest.approx(0.1), "the most that can be true"


def test_items_with_other_orders_of_their_options_are_the_same_items(tmp_path: Path) -> None:
    rows = [
        orjson.loads(line) for line in items_file(tmp_path / "a.jsonl", 40).read_text().splitlines()
    ]
    turned = [{**r, "options": r["options"][::-1]} for r in rows]
    for one in turned:
        one["answer_index"] = len(one["options"]) - 1 - one["answer_index"]
    sides = [("sim:oracle", rows), ("sim:uniform", turned)]
    made = [
        audit(items, model, out=tmp_path / f"run{n}", probes=())
        for n, (model, items) in enumerate(sides)
    ]
    found = compare(made)
    assert (found.items["shared"], found.items["reordered"]) == (40, 40)
    assert any("in another order in some run" in said for said in sentences(found))


def test_the_chart_names_every_rank(found: Comparison) -> None:
    chart = dot_chart(found)
    assert "oracle rank 1" in chart
    assert "Question withheld" not in chart


def test_the_command_line(runs: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("compare", f"A={runs['oracle']}", f"B={runs['good']}", "--out", str(page))
    (runs["good"] / "report.html").write_text("here", encoding="utf-8")
    done = call(*words, code=0)
    assert "On 99 items that all runs share" in done.stdout
    html = page.read_text(encoding="utf-8")
    assert html.count('/good/report.html">report</a>') == 1, "a link to the report that is there"
    assert html.count("<code>horsesense report <bdi>") == 1, "and how to write the other"
    assert html.count("Found in ") == 2
    told = call(*words, "--json").stdout
    OUTPUTS["compare"].model_validate_json(told, strict=True)
    assert json.loads(told)["models"] == ["A", "B"]
    split = json.loads(told)["differing"]
    assert len(split) == int(re.findall(r"of (\d+) items that some answer right", html)[0])
    assert all({one["right"] for one in row["chosen"]} == {True, False} for row in split)
    assert json.loads(told)["differences"][0]["level"] > 0.95
    call("compare", runs["oracle"], code=2)


def test_lost_replies_leave_no_winner(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 60)
    models = {"well": "sim:oracle", "spoilt": "sim:garbled?share=0.6&how=empty"}
    asked = {"probes": ("original",), "stop_if": "never"}
    runs = [
        (name, str(study(items, model, tmp_path / name, **asked).out))
        for name, model in models.items()
    ]
    found = compare(dict(runs))
    assert "empty" in found.lost["spoilt"]
    assert headline(found).startswith("No winner can be told")
    assert any(said.startswith("spoilt: ") for said in sentences(found))


@pytest.mark.thorough
def test_several_sets_stand_on_one_page_with_mean_ranks(tmp_path: Path) -> None:
    runs = {}
    for name, k in (("three", 3), ("four", 4)):
        items = items_file(tmp_path / f"{name}.jsonl", 40, k=k)
        for model in ("oracle", "none"):
            out = tmp_path / f"{name}-{model}"
            runs[name, model] = study(items, f"sim:{model}", out, probes=("original",)).out
    given = [f"{model}={out}" for (_, model), out in runs.items()]
    page = tmp_path / "all.html"
    told = call("compare", *given, "--out", page).stdout
    assert re.search(r"Mean rank in 2 sets +1.00 \[1.00, 1.00\] +2.00 \[2.00, 2.00\]", told)
    shown = page.read_text(encoding="utf-8")
    assert shown.index(">oracle<") < shown.index(">none<")
    for link in re.findall('href="([^"]*)">', shown):
        assert "oracle is better than none" in (tmp_path / unquote(link)).read_text("utf-8")
    assert len(re.findall("href=", shown)) == 2
    lacking = call("compare", *given, f"more={runs['three', 'none']}", "--out", page)
    assert "Mean rank" not in lacking.stdout
    assert "not every model answered every set" in page.read_text(encoding="utf-8")

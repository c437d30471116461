"""Asking until decided: the decisions of the whole study for a part of its requests."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from scipy.stats import binomtest

from cells import cell_of
from horsesense.cli.each import shortfalls
from horsesense.errors import InterruptedRunError, UsageError
from horsesense.findings.early import BANDED, SHARE
from horsesense.findings.evidence import Evidence
from horsesense.findings.known import FIXED_BEFOREHAND
from horsesense.inference.limits import Limits
from horsesense.items.load import load_items
from horsesense.models.base import Asked
from horsesense.models.registry import make_model
from horsesense.report.sections.readers import notices
from horsesense.report.sections.until import _band, context
from horsesense.report.told import in_brief, verdict_of
from horsesense.runs.deciding import CHANGE, SCORE, differences
from horsesense.runs.goal import Extents, Goal, Population
from horsesense.runs.replay import Sequences
from horsesense.runs.results import Results
from horsesense.runs.run import Run
from horsesense.runs.settings import Settings
from horsesense.runs.until import Deciding
from horsesense.stats.sequential import in_random_order
from horsesense.stats.shares import Shares
from horsesense.trials.condition import PLAIN
from refusing import refusing
from studies import Result, items_file, study

DROP = "sim:prior?know=0.56&prior=0.7,0.1,0.1,0.1"
"""Where gold always stands first: .868 as published, .66 in other orders, so 21 points fewer."""
PROBES = ("repeat", "order", "labels")


@pytest.fixture(scope="module")
def gold_first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = items_file(tmp_path_factory.mktemp("items") / "items.jsonl", 600)
    rows = [orjson.loads(line) | {"answer_index": 0} for line in path.read_bytes().splitlines()]
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


@pytest.fixture(scope="module")
def early(gold_first: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    out = tmp_path_factory.mktemp("early") / "run"
    return study(gold_first, DROP, out, probes=PROBES, until="decided")


@pytest.fixture(scope="module")
def fixed(gold_first: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    return study(gold_first, DROP, tmp_path_factory.mktemp("fixed") / "run", probes=PROBES)


def decisions(result: Result) -> dict[tuple[str, str], dict[str, Any]]:
    return {(r["probe"], r["condition"]): r for r in result.findings["until"]["findings"]}


def test_a_large_effect_is_found_early(early: Result, fixed: Result) -> None:
    row = decisions(early)["order", "design=cyclic"]
    assert (row["kind"], row["direction"]) == ("found", -1)
    assert row["n"] <= 0.3 * 600
    assert row["at"] <= row["n"] < row["at"] + 25
    whole = fixed.estimate("accuracy_change", "order", reader="text").value
    assert whole is not None
    assert row["low"] <= whole <= row["high"] <= -0.05


def test_decisions_are_those_of_the_whole_study(early: Result, fixed: Result) -> None:
    for (probe, condition), row in decisions(early).items():
        where = {"condition": condition, "reader": "text"}
        whole = fixed.estimate("accuracy_change", probe, **where).value
        assert whole is not None
        right = "ruled_out" if abs(whole) < 0.05 else "found"
        assert row["kind"] == right
        assert row["low"] <= whole <= row["high"]


def test_requests_are_saved_and_the_rest_are_the_same(early: Result, fixed: Result) -> None:
    told = early.findings["until"]
    assert told["fixed_trials"] == fixed.findings["trials"]
    assert early.run.answered < fixed.run.answered
    assert early.findings["trials"] < told["fixed_trials"]
    keys = set(fixed.done.trials["key"])
    assert set(early.done.trials["key"]) <= keys


def test_each_probe_is_put_to_the_first_items_of_the_random_order(early: Result) -> None:
    order = in_random_order([item.id for item in early.items], early.done.settings.seed)
    trials = early.done.trials
    for signature, n in early.findings["until"]["extents"].items():
        name = signature.partition("(")[0]
        asked = trials.filter(trials["probe"] == name)["item_id"]
        assert set(asked) == set(order[:n])


def test_no_number_of_a_stopped_probe_has_a_naive_interval(early: Result) -> None:
    stopped = [e for e in early.estimates if e.probe == "order"]
    measures: dict[str, set[str]] = {}
    for e in stopped:
        if e.value is not None:
            measures.setdefault(e.interval, set()).add(e.measure)
    assert measures.pop("betting") == {"accuracy", "accuracy_change", "score_composition"}
    assert measures == {"betting, items like these": {*BANDED} - {"accuracy"}}
    assert all(e.p_value is None and e.p_adjusted is None for e in stopped)
    left_out = next(e for e in stopped if e.measure == "accuracy_hard")
    assert "was stopped" in left_out.note


def test_no_design_is_computed_from_a_stopped_probe(early: Result, fixed: Result) -> None:
    assert fixed.findings["designs"]
    assert not early.findings["designs"]


def test_the_report_says_what_was_decided_and_saved(early: Result) -> None:
    html = early.done.report().read_text(encoding="utf-8")
    assert "What was decided early?" in html
    assert "were saved" in html
    [found] = [text for text in early.done.verdict() if "accuracy falls" in text]
    assert found.endswith(
        "of 600 items; by how much is about these 600 alone, that it falls is about items like"
        " them too."
    )
    assert found.startswith(
        "[found] Under “Options reordered”, accuracy falls by 5 points or more (between"
    )


def test_nothing_vanishes_from_the_verdict(early: Result, fixed: Result) -> None:
    """Position, agreement, guessing ... were left out of the verdict without a word."""

    def told(result: Result) -> dict[tuple[str, str], dict[str, Any]]:
        return {(f["name"], f["probe"]): f for f in result.findings["verdict"]}

    assert told(early).keys() == told(fixed).keys()


def test_a_position_is_found_where_asking_stopped(early: Result, fixed: Result) -> None:
    """It could not be told, however far beyond chance: no band was made of anything but a score."""
    whole = fixed.estimate("position_preference", "order", group="A", reader="text").value
    (row,) = (f for f in early.findings["verdict"] if f["name"] == "position_preference")
    assert (row["kind"], row["group"]) == ("found", "A")
    assert row["n"] < 600
    assert 0.25 < row["low"] <= whole <= row["high"]
    assert row["p_adjusted"] is None
    assert ", after " in row["sentence"]


def test_what_is_open_at_the_stop_has_a_band(early: Result) -> None:
    left = (f for f in early.findings["verdict"] if ", after " in f["sentence"])
    told = [f for f in left if f["kind"] == "cannot_tell" and f["section"] != "until"]
    assert told
    went_on = "Asking stopped early; --until decided=all goes on, or ask the full set"
    assert [line for line in early.done.verdict() if "asking" in line.lower()][-1].startswith(
        went_on
    )
    for f in told:
        assert f["kind"] == "cannot_tell"
        assert f["low"] < f["high"]
        assert re.search(r" and the .* may be between .* on items like these[.;]", f["sentence"])


def test_all_findings_are_decided_if_that_is_wanted(gold_first: Path, tmp_path: Path) -> None:
    """A probe goes on until its bands settle everything that the verdict asks of it."""
    probes = ("repeat", "order", "options_only")
    result = study(gold_first, DROP, tmp_path / "run", probes=probes, until="decided=all")
    extents = result.findings["until"]["extents"]
    assert all(0 < n < 600 for n in extents.values())
    kinds = {(f["name"], f["probe"]): f["kind"] for f in result.findings["verdict"]}
    assert kinds.pop(("other_reader", "original")) == "cannot_tell"
    # All right answers stand first: always answering A would be as good.
    assert kinds.pop(("no_better_than_guessing", "original")) == "cannot_tell"
    assert set(kinds.values()) == {"found", "ruled_out"}
    blind = {"group": "all", "reader": "text"}
    without = result.estimate("composition_questionless", "options_only", **blind)
    assert without.interval == "betting, items like these"
    changes = decisions(result)["order", "design=cyclic"]
    order = next(n for signature, n in extents.items() if signature.startswith("order"))
    assert changes["at"] <= order - 25, "the other findings took longer"
    assert result.findings["composition"]["first_token"]["reason"]


def test_the_score_is_held_to_its_own_band(early: Result, fixed: Result) -> None:
    """A share of one reply an item is decided where the band is valid at every look."""
    (row,) = (f for f in early.findings["verdict"] if f["name"] == "no_better_than_guessing")
    score = fixed.estimate("accuracy", "original", reader="text").value
    assert row["constant"] == 1, "all right answers stand first, so that it is not cleared"
    assert "; always answering A would be right on 100" in row["sentence"]
    assert "asking stopped" not in row["sentence"]
    assert row["n"] < 600
    assert 0.25 < row["low"] <= score <= row["high"]
    assert row["level"] > 1 - 2 * 0.05 * (1 - SHARE)


def test_an_accusation_is_about_more_than_these_items() -> None:
    """All but one of 100 items were asked: their own share is all but known, the model's is not."""
    items = load_items(
        [{"id": f"q{i}", "question": f"q {i}", "options": [*"wxyz"], "answer_index": 0}
         for i in range(100)]
    )  # fmt: skip
    lucky = cell_of([[0]] * 34 + [[1]] * 65, [0] * 99, probe="original")
    only = Population(probe="original", condition="", units=100, tested=False)
    extents = Extents(goal="decided", reader="text", batch=25, populations=(only,))
    share = Shares.of(np.repeat([1.0, 0.0], [34, 65]), np.ones(99))
    e = Evidence(share, "accuracy", "original", PLAIN, "text", "", 99, "trials", 0.25)
    found = Sequences(extents, items, [lucky], 0, 0.95).band(e, 0.025)
    assert found is not None
    assert (found.n, found.units) == (99, 100)
    exact = binomtest(34, 99).proportion_ci(0.95)
    assert found.low < exact.low < 0.25 + 0.01
    assert found.high > exact.high


def test_a_copied_answer_is_no_second_answer() -> None:
    """Ten texts of ten items that are right together: 4 of 10 texts, not 40 of 100 items."""
    items = load_items(
        [{"id": f"q{i}", "question": f"q {i}", "options": [*"wxyz"], "answer_index": 0}
         for i in range(100)]
    )  # fmt: skip
    cell = cell_of([[0]] * 50 + [[1]] * 40, [0] * 90, probe="original")
    only = Population(probe="original", condition="", units=100, tested=False)
    extents = Extents(goal="decided", reader="text", batch=25, populations=(only,))
    share = Shares.of(np.repeat([1.0, 0.0], [50, 40]), np.ones(90))
    e = Evidence(share, "accuracy", "original", PLAIN, "text", "", 90, "trials", 0.25)
    alone, texts = (
        Sequences(extents, items, [cell], 0, 0.95, np.arange(100) // size).band(e, 0.001)
        for size in (1, 10)
    )
    assert alone is not None
    assert texts is not None
    assert alone.low > 0.25 > texts.low
    assert texts.high > alone.high


def test_an_innocent_of_few_items_is_not_accused(tmp_path: Path) -> None:
    """All 40 were asked: their own change is certain, and is nearly always 5 points or more."""
    items = items_file(tmp_path / "items.jsonl", 40)
    flat = "sim:prior?know=0.3&prior=1,1,1,1"
    result = study(items, flat, tmp_path / "run", probes=("order", "labels"), until="decided")
    assert "found" in {row["kind"] for row in decisions(result).values()}
    told = [f for f in result.findings["verdict"] if f["section"] == "until"]
    assert {f["kind"] for f in told} <= {"cannot_tell", "ruled_out"}
    assert any("on these 40 items; whether it is on others like" in f["sentence"] for f in told)


def test_the_share_known_is_refused_with_the_reason(early: Result) -> None:
    """Its interval is a likelihood's, of a number of items that was fixed before."""
    why = early.findings["known"]["text"]["reason"]
    asked = decisions(early)["order", "design=cyclic"]["n"]
    assert why.endswith(
        f"stopped early, after {asked} of 600 items in the orders, and {FIXED_BEFOREHAND}"
    )
    # A terminal, which shows no figure, had not said a word of it.
    assert f"The share known cannot be told: {why}." in verdict_of(early.results)


def test_the_table_shows_the_ends_of_the_band(early: Result) -> None:
    """A band up to −4.6 points whose decision is a fall of 5 or more ended at "−5.0"."""
    row = {"low": -0.203, "high": -0.05, "size": 0.05, "band": [[50, -1, 1], [90, -0.203, -0.046]]}
    assert _band(row) == "−20.3 to −4.6"
    assert _band({**row, "low": 0.061, "high": 0.12, "band": []}) == "+6.1 to +12.0"
    told = context(early.results)
    assert told is not None
    for shown in told["rows"]:
        _, low, high = shown["band"][-1]
        first, _, last = shown["band_text"].replace("−", "-").partition(" to ")
        assert float(first) == pytest.approx(100 * low, abs=0.5)  # drawn on a coarser grid
        assert float(last or first) == pytest.approx(100 * high, abs=0.5)  # drawn on a coarser grid


def test_the_parts_of_the_score_have_bands(early: Result, fixed: Result) -> None:
    """They were not told at all, not even after 250 of 300 items."""
    block, whole = (r.findings["composition"]["text"] for r in (early, fixed))
    asked = decisions(early)["order", "design=cyclic"]["n"]
    assert (block["items"], block["about"]) == (asked, 600)
    for part, truth in zip(block["parts"], whole["parts"], strict=True):
        assert part["n"] == asked
        assert part["low"] <= truth["value"] <= part["high"]
    html = early.done.report().read_text(encoding="utf-8")
    assert f"The parts are of the {asked} of 600 items that were asked in every order" in html
    assert f"in every order (of the {asked} items asked in all of them)" in html


def test_replies_without_a_choice_rule_nothing_out(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 300)
    result = study(items, "sim:none", tmp_path / "run", probes=("labels",), until="decided")
    kinds = {f["name"]: f["kind"] for f in result.findings["verdict"]}
    assert {row["kind"] for row in decisions(result).values()} == {"ruled_out"}
    assert kinds["accuracy_change"] == "cannot_tell"
    assert kinds["no_choice"] == "found"


def test_no_effect_is_ruled_out(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 1000)
    result = study(items, "sim:position", tmp_path / "run", probes=("labels",), until="decided")
    rows = decisions(result).values()
    assert {row["kind"] for row in rows} == {"ruled_out"}
    assert all(row["n"] <= 150 for row in rows)
    strict = study(items, "sim:position", tmp_path / "two", probes=("labels",), until="decided=.02")
    assert all(row["n"] > 150 for row in decisions(strict).values())


def same(one: Result, other: Result) -> None:
    assert one.findings["until"] == other.findings["until"]
    assert [e.as_json() for e in one.estimates] == [e.as_json() for e in other.estimates]


def test_a_stopped_run_goes_on_to_the_same_end(
    gold_first: Path, early: Result, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    options = {"probes": PROBES, "until": "decided"}
    first = study(gold_first, DROP, out, limits=Limits(requests=700), **options)
    assert first.run.stopped == "budget"
    assert first.run.answered == 700
    rows = decisions(first)
    assert "open" in {row["kind"] for row in rows.values()}
    again = study(gold_first, DROP, out, **options)
    assert first.run.answered + again.run.answered == early.run.answered
    same(again, early)
    once_more = study(gold_first, DROP, out, **options)
    assert once_more.run.answered == 0
    same(once_more, early)


def test_the_plan_follows_from_the_stored_answers(
    gold_first: Path, early: Result, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    before = study(gold_first, DROP, out, probes=PROBES, until="decided")
    (out / "asked.json").unlink()
    run = Run.open(out)
    run.read()
    run.measure()
    same(Result(run, before.run), early)


def test_failed_requests_count_as_the_worst_for_each_bet(
    gold_first: Path, early: Result, tmp_path: Path
) -> None:
    """One request in a hundred is refused for good: it may have been right or wrong."""
    model = refusing(DROP, 3)
    chosen = Settings.of(items=str(gold_first), model=DROP, probes=PROBES, until="decided")
    run = Run.start(tmp_path / "run", chosen)
    spent = run.ask(model)
    run.read()
    run.measure()
    result = Result(run, spent)
    row, whole = (decisions(r)["order", "design=cyclic"] for r in (result, early))
    assert row["missing"] > 0
    assert (row["kind"], row["direction"]) == ("found", -1)
    assert row["at"] >= whole["at"]
    (told,) = (f for f in result.findings["verdict"] if "accuracy falls" in f["sentence"])
    assert f"{row['missing']} lack an answer, for which the band allows" in told["sentence"]
    shown = context(Results.load(run.directory))
    assert shown is not None
    assert shown["lost"], "the table says of which items the mean beside a band is"


def test_one_lost_order_leaves_what_the_others_say() -> None:
    """An item with one lost order of four was worth no more than one that nobody answered."""
    published = cell_of([[0], [0], [-99]], [0] * 3, probe="original")
    orders = cell_of([[0, 0, 0, 1], [0, 0, 1, -99], [0, 0, 0, 0]], [0] * 3)
    (whole, partly, unknown) = differences([published, orders], CHANGE)["order", PLAIN].values()
    assert whole == (-0.25, -0.25)
    assert partly == (-0.5, -0.25)
    assert unknown == (0.0, 1.0)
    scores = differences([published, orders], SCORE)
    assert scores["order", PLAIN] == {0: (0.75, 0.75), 1: (0.5, 0.75), 2: (1.0, 1.0)}
    assert scores["original", PLAIN][2] == (0.0, 1.0)


def test_items_without_a_right_answer_have_no_change(tmp_path: Path) -> None:
    """They were counted among the items asked, and measuring the run ended in an error."""
    path = items_file(tmp_path / "items.jsonl", 60)
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    for row in rows[::4]:
        row["answer_index"] = None
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    result = study(path, "sim:oracle", tmp_path / "run", probes=("labels",), until="decided=0.15")
    for row in decisions(result).values():
        assert (row["kind"], row["units"], row["missing"]) == ("ruled_out", 45, 0)
        assert row["n"] <= 45


def test_a_precision_is_reached(gold_first: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"probes": ("order",), "until": "precision=0.1"}
    result = study(gold_first, DROP, tmp_path / "run", **options)
    (row,) = decisions(result).values()
    assert row["n"] < 600
    assert row["high"] - row["low"] <= 0.2
    assert row["reached"]
    wide = study(gold_first, "sim:uniform", tmp_path / "two", **options | {"until": "precision=.3"})
    (row,) = decisions(wide).values()
    assert (row["kind"], row["reached"]) == ("open", True)
    said = " ".join(wide.done.verdict())
    assert "is open at the precision that was asked for (between" in said
    assert "not decided yet" not in said
    every = " ".join(f.sentence for f in wide.results.verdict)
    assert "decided=all" not in every
    assert "asking stopped early" in every


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"until": "soon"}, "until cannot be 'soon'"),
        ({"until": "decided=2"}, "is not between 0 and 1"),
        ({"until": "precision"}, "is not between 0 and 1"),
        ({"until": "decided", "probes": ("misleading_replaced",)}, "depends on the answers"),
        ({"until": "decided", "probes": ("repeat",)}, "nothing to decide"),
        ({"until": "decided", "readers": ("pride",)}, "needs a reader"),
    ],
)
def test_what_cannot_stop_early_says_so(
    gold_first: Path, tmp_path: Path, settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        study(gold_first, "sim:oracle", tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_several_problems_in_a_prompt_cannot_stop_early(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 40)
    with pytest.raises(UsageError, match="several items into a prompt"):
        study(items, "sim:oracle", tmp_path / "run", probes=("batch",), until="decided")


def test_goals() -> None:
    assert Goal.parse("decided=0.03") == Goal(size=0.03)
    assert Goal.parse("precision=0.03") == Goal(precision=0.03)


def test_what_was_never_asked_is_not_missing(
    gold_first: Path, fixed: Result, tmp_path: Path
) -> None:
    """A budget, or Ctrl-C, ended asking: the rest of the batch was told as lost replies."""
    order = in_random_order([item.id for item in fixed.items], fixed.done.settings.seed)
    rows = fixed.done.trials.filter(fixed.done.trials["probe"].is_in(["original", "order"]))
    whole = rows.filter(rows["item_id"].is_in(order[:100]))["key"].n_unique()
    options = {"probes": ("order",), "until": "decided=0.2"}
    for more, asked in ((0, 100), (2, 101)):  # 100 items are four batches
        limits = Limits(requests=whole + more)
        result = study(gold_first, DROP, tmp_path / str(more), limits=limits, **options)
        assert result.run.answered == whole + more
        assert set(result.findings["until"]["extents"].values()) == {asked}
        (row,) = decisions(result).values()
        assert (row["n"], row["missing"]) == (asked, asked - 100)
        assert result.findings["composition"]["text"]["items"] == asked
        assert len(list(notices(result.results))) == asked - 100
        (result.out / "asked.json").unlink()
        again = Run.open(result.out)
        again.read()
        again.measure()
        assert Result(again, result.run).findings["until"] == result.findings["until"]


def test_ctrl_c_counts_the_answers_to_every_batch(gold_first: Path, tmp_path: Path) -> None:
    """It was "Stopped after 0 answers; all of them are stored." in the third batch."""
    chosen = Settings.of(items=str(gold_first), model=DROP, probes=PROBES, until="decided")
    model: Any = make_model(DROP)
    answer, seen = model.respond, [0]

    async def respond(batch: Sequence[Asked]) -> list[Any]:
        seen[0] += len(batch)
        if seen[0] >= 400:
            os.kill(os.getpid(), signal.SIGINT)
        return await answer(batch)  # type: ignore[no-any-return]

    model.respond = respond
    run = Run.start(tmp_path / "run", chosen)
    with pytest.raises(InterruptedRunError, match=r"Stopped after (\d+) answers") as error:
        run.ask(model)
    assert int(str(error.value).split()[2]) >= 400


def test_ctrl_c_between_two_batches_says_how_to_go_on(
    gold_first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was "Stopped.", and the run looked as if asking had stopped of itself."""
    chosen = Settings.of(items=str(gold_first), model=DROP, probes=PROBES, until="decided")
    looks, came = [0], Deciding.came

    def look(*args: Any) -> None:
        looks[0] += 1
        if looks[0] == 3:
            os.kill(os.getpid(), signal.SIGINT)
        came(*args)

    monkeypatch.setattr(Deciding, "came", look)
    run = Run.start(tmp_path / "run", chosen)
    # Where tests run behind a shell in the background, Ctrl-C is ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(InterruptedRunError, match=r"Stopped after \d+ answers") as error:
            run.ask(make_model(DROP))
    finally:
        signal.signal(signal.SIGINT, before)
    assert "continues from here" in str(error.value.hint)
    assert run.directory.known.stages["ask"].reason == "interrupted"


def test_a_process_that_was_killed_was_interrupted(gold_first: Path, tmp_path: Path) -> None:
    """Its sentences said that --until decided=all goes on; it never said how it ended."""
    limits = Limits(requests=300)
    result = study(
        gold_first, DROP, tmp_path / "run", probes=PROBES, until="decided", limits=limits
    )
    directory = result.results.directory
    directory.mark("ask", "begun")
    run = Run.open(result.out)
    run.read()
    run.measure()
    stopped = [f.reason for f in run.results.verdict if "asking" in f.sentence]
    assert set(stopped) == {"asking was interrupted"}
    said = "Asking was interrupted; the same audit goes on, or ask the full set (without --until)."
    assert in_brief(run.results).count(said) == 1
    assert "was interrupted" in run.results.findings["known"]["text"]["reason"]
    assert not any("interrupted" in line for line in shortfalls(run)), "it is told once"

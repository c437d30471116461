"""Gates: requirements, regressions item by item, exit codes, JUnit, Markdown and the action."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import horsesense
from command_line import call
from horsesense.cli.schemas import OUTPUTS
from horsesense.comparison.gates.expression import parse
from horsesense.comparison.gates.gate import BEFORE, Check, Verdict, require, tolerances
from horsesense.comparison.gates.looking import look_up
from horsesense.comparison.gates.more import needed, to_ask
from horsesense.comparison.gates.reports import junit, markdown
from horsesense.comparison.views import View, ViewScores
from horsesense.errors import ExitCode, UsageError
from horsesense.report.score_bar import headline
from horsesense.testing.faults import FaultServer
from horsesense.testing.gates import assert_gate
from horsesense.trials.condition import PLAIN
from studies import items_file, jsonl, study

if TYPE_CHECKING:
    from horsesense.runs.results import Results

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("gate")
    items = items_file(root / "items.jsonl", 160)
    models = {
        "good": "sim:prior?know=0.9",
        "near": "sim:prior?know=0.88",
        "bad": "sim:prior?know=0.5",
        "same": "sim:oracle",
    }
    for name, model in models.items():
        study(items, model, root / name, probes=("order", "options_only"))
    return {name: str(root / name) for name in models}


def test_what_holds_passes(runs: dict[str, str]) -> None:
    done = call(
        "gate", runs["good"], "--require", "accuracy_hard.low > 0.3 and accuracy > 80%", code=0
    )
    assert "Gate passed: 2 of 2 checks." in done.stdout
    assert "accuracy_hard.low = 0." in done.stdout
    assert "n = 160" in done.stdout
    plain = call("gate", runs["good"], "--require", "accuracy > 80%")
    assert re.search(r"accuracy = 0\.\d+ \(\[0\.", plain.stdout), "the value stood there twice"


def test_what_does_not_hold_fails_and_says_the_numbers(runs: dict[str, str]) -> None:
    done = call("gate", runs["bad"], "--require", "accuracy[probe=order].low > 0.9", code=1)
    run = horsesense.open(runs["bad"])
    low = run.estimate("accuracy", "order", reader="text").low
    assert f"{low:.4g}" in done.stdout


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a fault; its items lie beside it."""
    root = tmp_path_factory.mktemp("sound")
    study(30, "sim:oracle", root / "run", probes=("order",))
    return root / "run"


@pytest.mark.thorough
@pytest.mark.parametrize(("how", "share"), [("empty", 0.44), ("cut", 0.44), ("echo", 1)])
def test_replies_lost_to_the_instrument_fail_whatever_is_required(
    sound: Path, tmp_path: Path, how: str, share: float
) -> None:
    items = sound.parent / "items.jsonl"
    model = f"sim:garbled?how={how}&share={share}"
    run = study(items, model, tmp_path / "run", probes=("order",), stop_if="never").results
    words = ("gate", str(tmp_path / "run"), "--require", "valid_rate >= 0")
    done = call(*words, code=1)
    told = {"empty": "empty", "cut": "cut off"}.get(how, "unreadable")
    assert re.search(rf"\d+ of \d+ replies were {told} \(", done.stdout)
    # Neither the first sentence nor a finding says it of the model.
    (first,) = headline(run)
    nothing = ": this says nothing of what the model knows." if share == 1.0 else "; "
    assert re.match(rf"\d+ of 30 replies were {told}{re.escape(nothing)}", first)
    assert {f.kind for f in run.verdict if f.conclusion == "found"} <= {"no_choice"}
    # Against such a baseline no loss is seen, as the run itself is sound.
    later = call("gate", sound, "--baseline", tmp_path / "run", code=5)
    assert re.search(rf"in the baseline\n.* replies were {told} .*goes unseen", later.stdout)
    call(*words, "--lost", "never", code=0)
    call(*words, "--lost", "80%", code=1 if share == 1.0 else 0)
    call(*words, "--lost", "much", code=2)


def test_a_regression_fails_and_says_why(runs: dict[str, str]) -> None:
    words = ("gate", runs["bad"], "--baseline", runs["good"], "--tolerance", "0.02")
    done = call(*words, code=1)
    assert (
        "FAILED       accuracy_as_graded, In the original order: no loss beyond 2 points"
        in done.stdout
    )
    assert "% before" in done.stdout
    assert "Shared: 160 items (" in done.stdout
    sees = (
        r"^With 160 items, a loss of \d+ points \(the tolerance of 2 included\) is found in 4 of 5"
    )
    assert re.search(sees, done.stdout)
    assert "Question withheld" not in done.stdout
    gained = call("gate", runs["good"], "--baseline", runs["bad"], code=0)
    assert "FAILED" not in gained.stdout
    call(*words[:-1], "0.9", code=0)
    call(*words[:-1], "0.9", "--tolerance", "order=1%", code=1)


def test_an_interval_wholly_beyond_the_tolerance_is_decided(runs: dict[str, str]) -> None:
    states = []
    for tolerance in (0.25, 0.27, 0.29, 0.31, 0.33, 0.35):
        judged = horsesense.gate(runs["bad"], baseline=runs["good"], tolerance=tolerance).checks
        for check in (c for c in judged if c.values.get("low") is not None):
            low, high = check.values["low"], check.values["high"]
            beyond = "failed" if high < -tolerance else "undecided"
            assert check.state == ("passed" if low >= -tolerance else beyond), check
            states.append(check.state)
    assert {"failed", "undecided"} <= set(states)


def test_a_model_that_says_the_same_again_passes(tmp_path: Path) -> None:
    """Replies of a server differ in how long they took, whoever served them."""
    with FaultServer() as server:
        before, now = (
            horsesense.audit(
                "sample", f"http:m@{server.url}", out=tmp_path / name, limit=12, probes="order"
            )
            for name in ("before", "now")
        )
    told = horsesense.gate(now, baseline=before)
    assert [check.state for check in told.checks] == ["passed"] * len(told.checks)
    assert "all replies are the same" in told.checks[-1].says


def test_replies_that_end_otherwise_or_few_of_all_are_not_the_same(tmp_path: Path) -> None:
    def told(name: str, cut: int, n: int) -> str:
        rows = [
            {"question": f"Which is {i}?", "options": [f"x{i}", f"y{i}"], "answer_index": 0,
             "response": "The answer is A.", "finish_reason": "length" if i < cut else "stop"}
            for i in range(n)
        ]  # fmt: skip
        log = jsonl(tmp_path / f"{name}.jsonl", rows)
        horsesense.load_log(log, out=tmp_path / name)
        return str(tmp_path / name)

    whole = told("whole", 0, 40)
    for now in (told("cut", 7, 40), told("one", 0, 1)):
        for measure in ("accuracy", "accuracy_as_graded"):
            gate = horsesense.gate(now, baseline=whole, measure=measure)
            assert not any("word for word" in check.says for check in gate.checks)
    assert horsesense.gate(whole, baseline=whole).checks[-1].state == "passed"


def test_a_gate_is_a_test(runs: dict[str, str]) -> None:
    itself = horsesense.gate(runs["good"], baseline=runs["good"])
    assert "all replies are the same, word for word" in itself.checks[-1].says
    assert_gate(runs["good"], baseline=runs["good"])
    with pytest.raises(AssertionError, match=r"(?s)^failed: .*In the original order: no loss"):
        assert_gate(runs["bad"], baseline=runs["good"])
    with pytest.raises(UsageError, match="checks nothing"):
        horsesense.gate(runs["good"])


def test_undecided_is_a_result_of_its_own(runs: dict[str, str]) -> None:
    words = ("gate", runs["good"], "--baseline", runs["near"])
    done = call(*words, code=ExitCode.UNDECIDED)
    assert re.search(
        r"Undecided: \d of 4 checks. With 160 items, a loss of \d+ points is found in 4",
        done.stdout,
    )
    call(*words, "--on-doubt", "pass", code=0)
    strict = call(*words, "--strict", code=1)
    call(*words, "--on-doubt", "fail", code=1)
    assert "undecided, which --on-doubt fail refuses: " in strict.stdout
    call(*words, "--on-doubt", "maybe", code=2)
    assert "without --tolerance, only a gain that is shown passes" in done.stdout
    more = call(*words, "--tolerance", "0.001", "--on-doubt", "ask-more", code=ExitCode.UNDECIDED)
    assert re.search(r"if this change stays, about [0-9,]+ items decide it", more.stdout)
    assert re.search(
        r"No number of items of this set \(160\) most likely decides (\d) of \1", more.stdout
    )
    told = call(*words, "--json").json
    OUTPUTS["gate"].model_validate(told, strict=True)
    assert (told["result"], told["passed"]) == ("undecided", False)


def test_what_to_ask_next_is_one_number_and_commands_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a run that has no study.toml, from where it was made; and the gate then decides."""
    monkeypatch.chdir(tmp_path)
    items_file(Path("items.jsonl"), 400)
    for out, know, limit in (("new", "0.8", "40"), ("old", "0.95", "390")):
        words = ("items.jsonl", "-m", f"sim:prior?know={know}", "--limit", limit, "--out", out)
        call("audit", *words, "--probes", "labels", cwd=tmp_path, code=0)
    (tmp_path / "new" / "study.toml").unlink()
    gate = ("gate", "new", "--baseline", "old", "--tolerance", "5%", "--on-doubt", "ask-more")
    lines = call(*gate, cwd=tmp_path).stdout.splitlines()
    asks = [n for n, line in enumerate(lines) if line.startswith("Ask ")]
    told = re.fullmatch(r"Ask (\d+) items next \(if .*\), which most likely .*:", lines[asks[0]])
    needs = [int(n) for line in lines for n in re.findall(r"about (\d+) items", line)]
    assert (len(asks), int(told[1])) == (1, max(needs))
    [line] = [line for line in lines if line.startswith("  horsesense")]  # the other has more
    call(*shlex.split(line)[1:], cwd=tmp_path, code=0)
    run = horsesense.open("new").results
    assert len(run.items) == max(needs)
    first, *_, last = to_ask(run, None, {"a": {"needed": math.inf}, "b": {"needed": 500.0}})
    assert "Ask 500 items next" in first
    assert "decides 1 of 2" in last, "no number does"


def test_how_many_items_decide() -> None:
    """A model that lost nothing passes with so many items in 4 of 5 simulated cases."""
    rng, passed = np.random.default_rng(5), 0
    n, told = needed(scores(*(rng.random((2, 60)) < 0.5)).pair(0, 1), 60, 0.2, 0.5, 0.95)
    assert told == "a model that lost nothing needs about 78 items to pass"
    for _ in range(200):
        passed += scores(*(rng.random((2, int(n))) < 0.5)).pair(0, 1).p_above(-0.2) < 0.05
    assert 145 <= passed <= 178
    lost = scores(np.zeros(200), np.arange(200) < 40).pair(0, 1)
    assert needed(lost, 200, 0.2, 0.5, 0.95)[0] == math.inf, "as much as is tolerated"


def scores(now: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> ViewScores:
    """Two runs in one view; NaN is a missing reply."""
    both = np.column_stack([now, before]).astype(float)
    ends = (np.where(np.isnan(both), end, both) for end in (0.0, 1.0))
    lost = int(np.isnan(both).any(axis=1).sum())
    made = View("", "original", PLAIN, "text")
    return ViewScores(made, "v", both, np.arange(len(both)), lost, True, {}, False, *ends)


def test_who_loses_the_replies_that_are_wrong_gains_nothing() -> None:
    """Of equal models, the one that loses replies where it is wrong was better in .88 of 1,000."""
    rng, better = np.random.default_rng(3), 0
    for _ in range(100):
        now, before = (rng.random((2, 400)) < 0.6).astype(float)
        gone = (now == 0) & (rng.random(400) < 0.5)
        pair = scores(np.where(gone, np.nan, now), before).pair(0, 1)
        assert pair.seen.estimate > pair.least.estimate
        low, high = pair.interval(0.95) or (0.0, 0.0)
        assert low <= pair.least.estimate <= pair.most.estimate <= high
        better += pair.p_above() < 0.025
    assert better <= 6


@given(st.integers(0, 2**32), st.floats(0.0, 0.3))
def test_bounds_hold_whatever_the_missing_replies_are(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    now, before = (rng.random((2, 60)) < 0.6).astype(float)
    lost = rng.random((2, 60)) < share
    pair = scores(*np.where(lost, np.nan, [now, before])).pair(0, 1)
    true = float((now - before).mean())
    assert pair.least.estimate <= true + 1e-9
    assert true <= pair.most.estimate + 1e-9


def test_a_baseline_can_be_named_in_requirements(runs: dict[str, str]) -> None:
    both = ("--baseline", runs["good"], "--tolerance", "1")
    words = ("--require", "accuracy >= baseline.accuracy - 0.02")
    call("gate", runs["bad"], *words, *both, code=1)
    call("gate", runs["good"], *words, *both, code=0)
    done = call("gate", runs["good"], *words, code=2)
    assert "needs a baseline" in done.stderr


def test_findings_that_the_baseline_does_not_have(runs: dict[str, str]) -> None:
    """A count would pass where one fault went and another came."""
    bad = horsesense.open(runs["same"]).results
    assert not [f for f in bad.verdict if f.conclusion == "found"]
    [first, *_] = (f for f in bad.verdict if f.conclusion != "found")
    found = cast("Results", SimpleNamespace(verdict=(replace(first, conclusion="found"),)))
    other = replace(first, conclusion="found", condition="elsewhere")
    elsewhere = cast("Results", SimpleNamespace(verdict=(other,)))
    [new] = parse("new == 0").references
    assert [look_up(new, found, b).value for b in (bad, found, elsewhere)] == [1, 0, 1]
    with pytest.raises(UsageError, match="needs a baseline"):
        look_up(new, found, None)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--require", "acuracy > 0.5"),
        ("--require", "accuracy >"),
        ("--require", "accuracy[probe=labels] > 0.5"),
        ("--require", "status_share > 0.5"),
        ("--require", "accuracy > 0.5", "--tolerance", "0.1"),
        ("--baseline", "nowhere"),
        ("--baseline", "SELF", "--tolerance", "much"),
        ("--baseline", "SELF", "--tolerance", "labels=0.1"),
        ("--baseline", "SELF", "--measure", "rstd"),
    ],
)
def test_a_gate_that_cannot_be_carried_out_is_an_error(
    runs: dict[str, str], words: tuple[str, ...]
) -> None:
    said = [runs["good"] if word == "SELF" else word for word in words]
    done = call("gate", runs["good"], *said, code=2)
    assert done.stderr


@pytest.fixture(scope="module")
def all_at_b(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Runs on items whose right answers all stand at B: what is published accuses the perfect."""
    root = tmp_path_factory.mktemp("all_at_b")
    items = items_file(root / "items.jsonl", 80, gold=1)
    study(items, "sim:oracle", root / "perfect", probes=("order",))
    study(items, "sim:position?k=2", root / "biased", probes=("order",))
    study(items, "sim:oracle", root / "published", probes=("repeat",))
    return {name: str(root / name) for name in ("perfect", "biased", "published")}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text", ["position_preference[group={}] < 0.3", "found[position_preference] == 0"]
)
def test_a_preference_is_that_of_the_orders(all_at_b: dict[str, str], text: str) -> None:
    call("gate", all_at_b["perfect"], "--require", text.format("B"), code=0)
    biased = call("gate", all_at_b["biased"], "--require", text.format("C"), code=1)
    assert "order" in biased.stdout


def test_a_preference_of_the_published_order_alone_is_refused(all_at_b: dict[str, str]) -> None:
    text = "position_preference[group=B] < 0.3"
    done = call("gate", all_at_b["published"], "--require", text, code=2)
    assert "where the benchmark has its right answers" in " ".join(done.stderr.split())
    assert "--probes order" in done.stderr
    named = text.replace("[", "[probe=original, ")
    call("gate", all_at_b["published"], "--require", named, code=1)


def test_one_of_several_estimates_is_named_as_it_is_written(all_at_b: dict[str, str]) -> None:
    done = call("gate", all_at_b["perfect"], "--require", "position_preference < 0.3", code=2)
    for place in "ABCD":
        assert f"position_preference[probe=order, group={place}]" in done.stderr
    assert "found[position_preference] == 0" in done.stderr


def test_the_verdict_is_required_of(all_at_b: dict[str, str], runs: dict[str, str]) -> None:
    verdict = horsesense.open(all_at_b["biased"]).results.verdict
    n = sum(f.conclusion == "found" for f in verdict)
    text = f"found == {n} and cannot_tell >= 0 and ruled_out + found <= {len(verdict)}"
    done = call("gate", all_at_b["biased"], "--require", text, code=0)
    assert "position_preference under order" in done.stdout
    call("gate", all_at_b["biased"], "--require", "found == 0", code=1)
    unknown = call("gate", runs["good"], "--require", "found[many_problems] == 0", code=2)
    assert "position_preference" in unknown.stderr


def test_no_verdict_is_no_clean_verdict() -> None:
    silent = cast("Results", SimpleNamespace(verdict=(), unfinished="", findings={}))
    [check] = require([parse("found == 0")], silent, None)
    assert check.state == "failed"
    assert "has no verdict" in check.says


@pytest.mark.thorough
def test_a_run_that_is_not_finished_cannot_tell(runs: dict[str, str], tmp_path: Path) -> None:
    """Five prompts find no fault; that is no clean bill of the 795 that were never put."""
    items, early = str(Path(runs["good"]).parent / "items.jsonl"), str(tmp_path / "early")
    words = ("audit", items, "--model", "sim:oracle", "--probes", "order", "--out", early)
    call(*words, "--budget", "requests=5", code=4)
    xml, page = tmp_path / "gate.xml", tmp_path / "gate.md"
    words = ("gate", early, "--require", "found == 0", "--junit", str(xml))
    done = call(*words, "--markdown", page, code=ExitCode.UNDECIDED)
    said = "is not finished (budget): 795 of 800 prompts have no reading"
    assert f"This run {said}." in done.stdout
    more = call(
        "gate", early, "--baseline", runs["near"], "--tolerance", "1%", "--on-doubt", "ask-more"
    )
    assert re.search(
        f"Ask next what was not asked:\\n  horsesense audit .* --out {early}\\n", more.stdout
    )
    assert "undecided    found == 0" in done.stdout
    assert "Undecided: 1 of 2 checks." in done.stdout
    case = ElementTree.parse(xml).getroot()[0][0].find("error")
    assert said in case.get("message", "")
    assert "gate: undecided" in page.read_text()
    told = call(*words, "--json").json
    assert (told["checks"][0]["state"], told["notes"]) == ("undecided", [f"This run {said}."])
    call(*words, "--strict", code=1)
    both = ("gate", runs["good"], "--baseline", early, "--tolerance", "1")
    done = call(*both, "--require", "found <= baseline.found + 9")
    assert f"The baseline {said}." in done.stdout
    assert "undecided    found <= baseline.found + 9" in done.stdout
    assert "not finished" not in call("gate", runs["good"], "--require", "found >= 0").stdout
    part = str(tmp_path / "part")
    call("audit", items, "-m", "sim:oracle", "--probes", "order", "--shard", "1/3", "--out", part)
    done = call("gate", part, "--require", "found == 0", code=ExitCode.UNDECIDED)
    assert "This run is shard 1/3 of a study." in done.stdout


def test_what_the_verdict_leaves_open_stands_beside_a_count(runs: dict[str, str]) -> None:
    counts = Counter(f.conclusion for f in horsesense.open(runs["good"]).results.verdict)
    done = call("gate", runs["good"], "--require", "found >= 0")
    assert counts["undecided"]
    assert f"undecided {counts['undecided']}" in done.stdout


def test_an_undefined_number_fails(runs: dict[str, str]) -> None:
    done = call("gate", runs["good"], "--require", "accuracy_hard[probe=original] > 0", code=1)
    assert "cannot be judged" in done.stdout


def test_a_defect_is_not_taken_for_a_failed_gate(
    runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("horsesense.comparison.gates.gate.require", lambda *_: 1 / 0)
    words = ("gate", runs["good"], "--require", "accuracy > 0")
    done = call(*words, debug=False, code=ExitCode.UNEXPECTED)
    assert "ZeroDivisionError" in done.stderr


def test_files_for_machines(runs: dict[str, str], tmp_path: Path) -> None:
    xml, text = tmp_path / "gate.xml", tmp_path / "gate.md"
    words = ("gate", runs["bad"], "--baseline", runs["good"], "--require", "accuracy > 0")
    done = call(*words, "--junit", xml, "--markdown", text, "--json", code=1)
    OUTPUTS["gate"].model_validate_json(done.stdout, strict=True)
    told = json.loads(done.stdout)
    suite = ElementTree.parse(xml).getroot()[0]
    failures = [case.get("name") for case in suite if case.find("failure") is not None]
    assert suite.get("failures") == str(len(failures))
    assert failures == [check["name"] for check in told["checks"] if check["fails"]]
    assert "### horsesense gate: failed" in text.read_text()


HOSTILE = "a|b <img src=x onerror=alert(1)> [x](http://e.vil) @all `c` \x00\x1b[31m ]]> $x$"


def test_hostile_names_stay_text() -> None:
    verdict = Verdict((Check(HOSTILE, "failed", HOSTILE, {}),), notes=(HOSTILE,))
    case = ElementTree.fromstring(junit(verdict, HOSTILE))[0][0]
    assert "\x00" not in (case.get("name") or "")
    assert (case.get("name") or "").startswith("a|b <img")
    [row] = [line for line in markdown(verdict, HOSTILE).splitlines() if "**failed**" in line]
    assert row.replace("\\|", "").count("|") == 4
    for bad in (" <img", " [x]", " @all", " `c`", "http://"):
        assert bad not in row


def test_losses_that_are_tolerated() -> None:
    assert tolerances(["2%", "order=0.05"]) == {"": 0.02, "order": 0.05}
    for bad in ("x", "-1", "2", "=0.1", "order="):
        with pytest.raises(UsageError, match="tolerance"):
            tolerances([bad])


# -- the action -------------------------------------------------------------------------------


def run_steps(inputs: dict[str, str], where: Path) -> tuple[int, dict[str, str], str]:
    """The action's steps one after the other, as a runner takes them: code, outputs, summary."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: told.get("default", "") for name, told in action["inputs"].items()} | inputs
    assert all(name in action["inputs"] for name in inputs)
    files = {name: where / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for path in files.values():
        path.write_text("")
    known = {f"inputs.{name}": value for name, value in values.items()}
    known["github.action_path"] = str(ROOT)
    code = 0
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
        own = {
            name: known[text.removeprefix("${{").removesuffix("}}").strip()]
            for name, text in step["env"].items()
        }
        env = {
            **os.environ,
            "PYTHONPATH": str(where),  # as an earlier step, or a runner, may have left it
            "RUNNER_TEMP": str(where),
            **{name: str(path) for name, path in files.items()},
            **own,
        }
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(shell, env=env, cwd=where, capture_output=True, text=True)
        code = done.returncode
        if code:
            break
    told, summary = files["GITHUB_OUTPUT"].read_text(), files["GITHUB_STEP_SUMMARY"].read_text()
    return code, dict(line.split("=", 1) for line in told.splitlines()), summary


@pytest.mark.slow
def test_the_action_fails_on_a_regression_and_says_why(
    runs: dict[str, str], tmp_path: Path
) -> None:
    inputs = {
        "run": runs["bad"],
        "baseline": runs["good"],
        "tolerance": "0.02\norder=5%\n",
        "require": "accuracy > 0\nvalid_rate.low > 0.9\n",
        "python": sys.executable,
        "install": "",
    }
    code, outputs, summary = run_steps(inputs, tmp_path)
    assert code == 1
    assert outputs == {"junit": "horsesense-gate.xml", "passed": "false"}
    assert (
        "**failed** | accuracy\\_as\\_graded, In the original order: no loss beyond 2 points"
        in summary
    )
    assert "no loss beyond 5 points" in summary
    assert ElementTree.parse(tmp_path / "horsesense-gate.xml").getroot()[0].get("tests") == "6"


def test_the_action_passes_and_runs_neither_inputs_nor_the_workspace(
    runs: dict[str, str], tmp_path: Path
) -> None:
    """The folder that it runs in holds a pull request's files, some named like our modules."""
    for name in ("horsesense", "polars", "sitecustomize", "usercustomize", "typer"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'stolen')!r}, 'w').close()")
    inputs = {"run": runs["good"], "python": sys.executable, "install": ""}
    require = " \n\r\naccuracy > 0.5\n\t"
    code, outputs, summary = run_steps({**inputs, "require": require}, tmp_path)
    assert (code, outputs["passed"]) == (0, "true")
    assert "gate: passed" in summary
    # A later step whose Python lacks horsesense shows nothing of this one.
    assert run_steps({**inputs, "python": "false"}, tmp_path) == (1, {}, "")
    assert not (tmp_path / "horsesense-gate.xml").exists()
    evil = '"; touch stolen; $(touch stolen) `touch stolen`'
    code, outputs, _ = run_steps({**inputs, "require": evil}, tmp_path)
    assert code == 2
    assert not (tmp_path / "stolen").exists()


@pytest.mark.parametrize("name", ["run", "baseline", "junit", "python", "install", "on-doubt"])
@pytest.mark.parametrize("end", ["\n", "\r"])
def test_the_action_refuses_line_breaks(name: str, end: str, tmp_path: Path) -> None:
    inputs = {"run": "r", "python": "true", "install": "", name: f"x{end}passed=true"}
    assert run_steps(inputs, tmp_path)[:2] == (2, {})
    inputs[name] = ""
    assert run_steps({**inputs, "strict": "yes"}, tmp_path)[:2] == (2, {})


def test_the_action_installs_what_is_locked_and_then_what_it_is_told(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        f"""#!/bin/bash
printf "%s\\n" "$PYTHONPATH$*" >> "{tmp_path}/words"
if [ "$3" = venv ]; then mkdir -p "$5/bin"; cp "$0" "$5/bin/python"; fi
"""
    )
    python.chmod(0o755)
    for install, own in (
        ("action", ["--no-deps", "--no-build-isolation", "--", str(ROOT)]),
        ("--index-url=http://evil", ["--", "--index-url=http://evil"]),
    ):
        (tmp_path / "words").unlink(missing_ok=True)
        (tmp_path / "horsesense-gate.md").touch()
        code, _, _ = run_steps({"run": "r", "python": str(python), "install": install}, tmp_path)
        said = [line.split() for line in (tmp_path / "words").read_text().splitlines()]
        assert code == 0
        assert [words[:3] for words in said] == [
            ["-I", "-m", "venv"],
            *2 * [["-I", "-m", "pip"]],
            [f"{tmp_path}-I", "-m", "horsesense"],  # whose processes are isolated, -I says
        ]
        assert said[1][-5:] == [
            *("--require-hashes", "--only-binary", ":all:", "--requirement"),
            f"{ROOT}/core.lock",
        ]
        assert said[2][6:] == own


@pytest.mark.thorough
def test_a_run_that_stopped_early_is_named(runs: dict[str, str], tmp_path: Path) -> None:
    """Its intervals suppose a fixed number of items; what was never asked "lacked an answer"."""
    items = Path(runs["good"]).parent / "items.jsonl"
    early = str(tmp_path / "early")
    study(items, "sim:prior?know=0.2", tmp_path / "early", probes=("labels",), until="decided=0.2")
    done = call("gate", runs["good"], "--baseline", early, "--tolerance", "0.9")
    assert f"Asking stopped early in {BEFORE} (--until)" in done.stdout
    assert "more were not asked of both, or lack an answer" in done.stdout
    assert "Asking stopped" not in call("gate", runs["bad"], "--baseline", runs["good"]).stdout
    done = call("compare", early, runs["good"])
    assert f"Asking stopped early in {early} (--until); these intervals suppose" in done.stdout
    told = call("compare", early, runs["good"], "--json").json
    assert told["stopped"] == [early]
    assert told["differences"]

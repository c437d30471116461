"""What a run that may stop early says of its sizes, its error rate, and of whom its bands are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from horsesense.findings.accusation import ALPHA

import horsesense as hs
from command_line import call
from horsesense.cli.each import saved
from horsesense.comparison.gates.expression import parse
from horsesense.comparison.gates.gate import require
from horsesense.comparison.gates.looking import THESE_ALONE
from horsesense.errors import UsageError
from horsesense.findings.early import ENDED, STOPPED, Banded, Early, _without
from horsesense.findings.early import _band as _told_band
from horsesense.findings.kinds import KINDS
from horsesense.findings.known import _without_dust
from horsesense.findings.sizes import sizes_of
from horsesense.findings.verdict import _after
from horsesense.findings.wording import MINUS
from horsesense.inference.limits import Limits
from horsesense.measures.signature import Signature
from horsesense.models.registry import make_model
from horsesense.report import verdict_of
from horsesense.report.score_bar import headline
from horsesense.report.sections.readers import notices
from horsesense.report.sections.until import _band
from horsesense.report.text import interval_of
from horsesense.runs.goal import Extents, Population
from horsesense.runs.plan_text import NO_FORECAST
from horsesense.runs.run import Run
from horsesense.runs.settings import Settings
from horsesense.runs.until import budget
from refusing import refusing
from studies import Result, items_file, study

AFTER = re.compile(r"after [\d,]+ of (\d+) items")


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return items_file(tmp_path_factory.mktemp("items") / "items.jsonl", 120)


@pytest.fixture(scope="module")
def early(items: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """An oracle under other labels is decided before all items are asked."""
    out = tmp_path_factory.mktemp("early") / "run"
    return study(items, "sim:oracle", out, probes=("labels",), until="decided=0.15", level=0.8)


def test_an_audit_from_python_takes_sizes(tmp_path: Path) -> None:
    run = hs.audit(
        "sample", "sim:oracle", out=tmp_path / "run", probes="labels", limit=12, report_items=1,
        smallest={"no_choice": 0.02},
    )  # fmt: skip
    assert run.findings["sizes"]["no_choice"] == 0.02
    assert [f["size"] for f in run.findings["verdict"] if f["name"] == "no_choice"] == [0.02]
    with pytest.raises(UsageError, match="no_choice cannot be 2"):
        hs.audit("sample", "sim:oracle", smallest={"no_choice": 2})


@pytest.mark.parametrize("kind", ["accuracy_change", "none_option"])
def test_a_size_that_until_decides_against_is_named_there(kind: str) -> None:
    """It was ignored without a word: asking stopped at 5 points."""
    with pytest.raises(UsageError, match="decided by --until") as error:
        Settings.of(items="i", model="m", until="decided", smallest={kind: 0.15})
    assert "--until decided=0.15" in str(error.value.hint)
    Settings.of(items="i", model="m", smallest={kind: 0.15})
    Settings.of(items="i", model="m", until="decided", smallest={"no_choice": 0.15})


def test_kinds_in_one_option_are_told_apart() -> None:
    """ "Unable to parse string as a number" named neither the text nor the way out."""
    with pytest.raises(UsageError, match=r"not .0\.2,no_choice=0\.2.; say the option once"):
        Settings.of(items="i", model="m", smallest={"first_token": "0.2,no_choice=0.2"})


def test_the_sizes_told_are_those_at_which_asking_stops(early: Result) -> None:
    sizes = early.findings["sizes"]
    of = ("accuracy_change", "none_option", "no_choice")
    assert [sizes[name] for name in of] == [0.15, 0.15, 0.05]
    assert sizes == sizes_of({}, 0.15)
    assert {row["size"] for row in early.findings["until"]["findings"]} == {0.15}
    assert all(f["size"] == sizes[f["name"]] for f in early.findings["verdict"])


def test_the_level_of_intervals_leaves_the_error_rate_of_the_verdict_alone(early: Result) -> None:
    """At a level of .8 the page said 5 % and 16 %."""
    rows = early.findings["until"]["findings"]
    assert all(row["level"] == pytest.approx(1 - 2 * 0.8 * ALPHA / len(rows)) for row in rows)
    populations = [Population(probe=p, condition="", units=9, tested=True) for p in "ab"]
    told = Extents(goal="decided", reader="text", batch=25, populations=tuple(populations))
    assert budget(told) == pytest.approx(0.02)
    page = early.done.report().read_text(encoding="utf-8")
    assert "has a probability of at most 4\u202f%" in page
    assert "16\u202f%" not in page


def test_a_band_has_a_signature_of_its_own(early: Result) -> None:
    """Its number could not be told from the interval of all items by what it was made from."""
    band = early.estimate("accuracy", reader="text")
    assert band.finite
    told = Signature.parse(band.signature.format())
    assert told == band.signature
    assert told.interval == f"0.8betting({band.n} of 120 items, finite)"
    whole = next(e for e in early.estimates if not e.finite)
    assert "betting" not in whole.signature.interval


def test_headline_and_gate_say_of_whom_a_band_is(early: Result) -> None:
    asked = early.estimate("accuracy", reader="text").n
    assert asked < 120, "asking stopped early"
    band = interval_of(early.estimate("accuracy", reader="text"))
    of_whom = f"s published, of the {asked} of 120 items asked"
    said = f"100\u202f% a{of_whom} (all 120: {band})"
    assert verdict_of(early.results)[0].startswith(said), "the mean is of those asked"
    assert f"A{of_whom} (brackets: all 120)</div>" in early.done.report().read_text(
        encoding="utf-8"
    )
    (check,) = require([parse("accuracy.low > 0.5")], early.results, None)
    assert check.state == "passed"
    assert THESE_ALONE in check.says


def test_a_doubted_score_has_one_band(early: Result) -> None:
    """ "(all 60: [44, 62]), which may be guessing (25 %)", where its sentence said "18 to 89 %"."""
    run = early.results
    rows = [f.as_json() for f in run.verdict]
    (row,) = (row for row in rows if row["name"] == "no_better_than_guessing")
    row |= {"kind": "cannot_tell", "low": 0.18, "high": 0.89}
    (told,) = headline(replace(run, findings={**run.findings, "verdict": rows}))
    asked = early.estimate("accuracy", reader="text").n
    # Where all of so many are right, only the looks at them keep it open.
    said = (
        f"s published, of the {asked} of 120 items asked, too few to rule out guessing (25\u202f%)"
    )
    assert said in told
    assert "[" not in told.partition(";")[0]


def test_what_was_drawn_and_not_asked_was_not_asked(early: Result) -> None:
    """ "Of the 25 of 57 items asked (of 25 prompts 4 not asked, 3 failed)"."""
    score = early.estimate("accuracy", reader="text")
    estimates = [replace(e, n_missing=7) if e == score else e for e in early.results.estimates]
    lost = {"probe": "original", "condition": "", "not_asked": 4, "failed": 3}
    findings = {**early.results.findings, "unanswered": [lost]}
    run = replace(early.results, estimates=estimates, findings=findings)
    (told,) = headline(run)
    put = score.n + 3
    assert f"of the {put} of 120 items asked" in told
    assert f"(of {put} prompts 3 failed)" in told


def test_a_band_without_an_end_is_none(early: Result) -> None:
    """ "+7 points, and may be between -100.0 and 100.0"."""
    f = next(f for f in early.results.verdict if f.name == "no_better_than_guessing")
    f = replace(f, kind="cannot_tell")
    assert _after(f, Banded(0.0, 1.0, 25, 60), "30 %") == "after 25 of 60 items, too few to say"
    change = replace(f, null=0.0)
    assert _after(change, Banded(-1.0, 1.0, 25, 60), "") == "after 25 of 60 items, too few to say"
    ends = "and the change may be between 0.0 and +100.0 points on items like these"
    assert _after(change, Banded(0.0, 1.0, 25, 60), "") == f"after 25 of 60 items, {ends}"
    # "Chance is 27 %, after 363 of 780 items, and may be between 19 % and 42 %".
    said = _after(replace(f, null=0.25), Banded(0.19, 0.42, 25, 60), "30 %")
    assert ", and the 30 % may be between 19" in said
    assert _told_band({"kind": "open", "low": -1.0, "high": 1.0, "size": 0.05}) == (
        "these are too few to say"
    )


def test_the_figure_of_bands_scrolls_by_itself(early: Result) -> None:
    """The whole page was as wide as the figure."""
    page = early.done.report().read_text(encoding="utf-8")
    section = page.partition("What was decided early?")[2].partition("</section>")[0]
    assert '<figure><div class="scroll">' in section


def test_what_was_saved_is_told_in_a_line(early: Result) -> None:
    (line,) = saved(early.results)
    whole = early.findings["until"]["fixed_trials"]
    assert line.startswith(f"Until decided=0.15: {early.findings['trials']} of {whole} prompts")


def test_a_band_decides_without_a_p(early: Result) -> None:
    """Where it decided, a p of .05 less a trillionth was made up."""
    stopped = [f for f in early.findings["verdict"] if f["probe"] in ("original", "labels")]
    assert {f["kind"] for f in stopped} >= {"ruled_out"}
    assert all(f["p_adjusted"] is None and f["p_ruled_out"] is None for f in stopped)


def test_a_spent_budget_is_the_reason(items: Path, tmp_path: Path) -> None:
    """It said that asking had stopped for what was answered."""
    some = Limits(requests=150)
    asked = {"probes": ("labels",), "until": "decided=0.01", "limits": some}
    done = study(items, "sim:oracle", tmp_path / "run", **asked)
    said = " ".join(verdict_of(done.results))
    assert said.count("; a larger one goes on, or ask the full set (without --until).") == 1
    assert ENDED["budget"] in said
    assert STOPPED not in said
    assert "ended before that" in saved(done.results)[0]
    assert "saved" not in saved(done.results)[0]
    assert "prompts were not asked; the share is largest under" in said
    assert "clear answer" not in said, "replies that nobody asked for are not unclear"
    left_out = [e.note for e in done.estimates if e.value is None and "no valid interval" in e.note]
    assert left_out
    assert all(note.startswith("asking ended before") for note in left_out)


def test_items_are_counted_of_those_that_could_count(tmp_path: Path) -> None:
    """ "After 16 of 18" beside "after 19 of 60": only a third has a right answer."""
    rows = [
        {
            "question": f"Which is number {i}?",
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": None if i % 3 else i % 4,
        }
        for i in range(60)
    ]
    items = tmp_path / "items.jsonl"
    items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    some = Limits(requests=200)
    done = study(items, "sim:prior?know=0.3", tmp_path / "run", until="decided=all", limits=some)
    of_gold = {"no_better_than_guessing", "without_question", "accuracy_change", "none_option"}
    told = [(f, m) for f in done.results.verdict for m in AFTER.findall(f.sentence)]
    assert len(told) > 3
    # Where the right option is replaced it must be known, whatever is counted.
    gold = [f.name in of_gold or f.probe == "none_of_the_above" for f, _ in told]
    assert {of for (_, of), known in zip(told, gold, strict=True) if known} == {"20"}
    assert {of for (_, of), known in zip(told, gold, strict=True) if not known} == {"60"}


def test_one_missing_answer_lacks_it() -> None:
    row = {"missing": 1, "n": 9, "value": -0.1}
    assert _without({**row, "n": 2, "value": None}) == ", all of which lack an answer"
    assert "of which 1 lacks an answer" in _without(row)
    assert "of which 2 lack an answer" in _without({**row, "missing": 2})


def test_one_value_is_no_range() -> None:
    where = {"probe": "order", "condition": "", "kind": "found", "direction": -1, "value": -0.1}
    row = {**where, "low": -0.1, "high": -0.1, "level": 0.99, "size": 0.05, "n": 9, "units": 9}
    assert _band(row) == "−10.0"
    assert _band({**row, "low": -0.2}) == "−20.0 to −10.0"
    assert not Early([row], frozenset(), "text").stopped


def test_dust_is_nothing() -> None:
    found = _without_dust({"value": 1.27e-119, "fits": ({"q": [0.5, 1e-30]},), "n": 3, "low": None})
    assert found == {"value": 0.0, "fits": ({"q": [0.5, 0.0]},), "n": 3, "low": None}


def test_every_kind_has_a_size_in_the_report(early: Result) -> None:
    html = early.done.report().read_text(encoding="utf-8")
    checks = html[html.index('id="checks"') : html.index('id="items"')]
    rows = early.findings["verdict"]
    assert checks.count('<td role="cell" class="size">') == len(rows)
    assert "matters from 5 points" in html
    told = html[: html.index('id="items"')]
    for f in rows:
        assert told.count(f["sentence"]) == 1
    lacking = [kind for kind in KINDS if kind.way == "lacks"]
    assert len(lacking) == 2
    assert all("{by_at_least}" in kind.ruled_out for kind in lacking)
    shown = [f for f in rows if f["name"] in {kind.name for kind in lacking}]
    assert checks.count("<i>if all below</i> 5</td>") == len(shown)


def test_a_plan_for_a_precision_says_why_it_has_no_forecast(items: Path) -> None:
    asked = ["plan", str(items), "-m", "sim:oracle", "--probes", "labels", "--until"]
    done = call(*asked, "precision=0.03")
    assert done.returncode == 0
    assert NO_FORECAST in done.stdout
    forecast = call(*asked, "decided").stdout
    assert "about so many prompts" in forecast
    assert NO_FORECAST not in forecast


@pytest.fixture(scope="module")
def lossy(items: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A few requests are refused for good, and labels are decided all the same."""
    model = refusing("sim:oracle", 10)
    chosen = Settings.of(
        items=str(items), model="sim:oracle", probes=("labels",), until="decided=0.15"
    )
    run = Run.start(tmp_path_factory.mktemp("lossy") / "run", chosen)
    spent = run.ask(model)
    run.read()
    run.measure()
    return Result(run, spent)


def test_what_is_missing_is_told_of_the_items_asked(lossy: Result) -> None:
    """Accuracy of 120 items "would be" what 50 of them allow, and bands described "the rest"."""
    score = lossy.estimate("accuracy", reader="text")
    asked = score.n + score.n_missing
    assert score.n_missing > 0
    assert score.finite
    (told,) = notices(lossy.results)
    assert "Bands allow for that; all other numbers describe the rest." in told
    assert f"the score of the {asked} items asked lies between" in told


def test_another_goal_after_looking_is_said(items: Path, tmp_path: Path) -> None:
    out, told = tmp_path / "run", list[str]()
    for until in ("decided=0.15", "decided=0.15", "decided=0.3"):
        chosen = Settings.of(items=str(items), model="sim:oracle", probes=("labels",), until=until)
        assert not [line for line in told if "supposes a goal" in line]
        Run.start(out, chosen).ask(make_model("sim:oracle"), tell=told.append)
    (line,) = (line for line in told if "supposes a goal" in line)
    assert "the goal was decided=0.15 when the answers so far came" in line


def test_the_plan_says_that_the_slowest_change_counts(items: Path) -> None:
    shown = call("plan", str(items), "-m", "sim:oracle", "--until", "decided").stdout
    assert "goes on until the last of them is decided" in shown


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.031, 0.05, "at most 3.1 points down, less than 5 up"),
        (0.012, 0.05, "at least 1.2 and less than 5 points up"),
        (-0.05, 0.031, "at most 3.1 points up, less than 5 down"),
        (-0.05, 0.05, "no more is known"),
        (-0.031, 0.04, f"between {MINUS}3.1 and +4.0 points"),
        (0.03, 0.03, "+3.0 points"),
    ],
)
def test_an_end_at_the_size_does_not_contradict_the_sentence(
    low: float, high: float, said: str
) -> None:
    """ "Changes by less than 5 points (between -3.1 and 5.0 points)"."""
    assert _told_band({"kind": "ruled_out", "low": low, "high": high, "size": 0.05}) == said

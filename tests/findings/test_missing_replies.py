"""What replies are missing of: it is said where it could change what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from horsesense.cli.each import _serving, shortfalls
from horsesense.findings.uncounted import lost as told_of_lost
from horsesense.inference.limits import Limits
from horsesense.models.registry import make_model
from horsesense.report import verdict_of, write_report
from horsesense.report.score_bar import headline, score_bar
from horsesense.report.sections.readers import lacking
from horsesense.runs.results import Results
from horsesense.runs.run import Run
from horsesense.runs.settings import Settings
from horsesense.trials.condition import Condition
from refusing import refusing
from studies import items_file

SILENT = [{"probe": "original", "condition": "", "not_asked": 1, "failed": 2}]
MODEL = "sim:prior?know=0.7"


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A tenth of the replies never came."""
    folder = tmp_path_factory.mktemp("missing")
    items = items_file(folder / "items.jsonl", 80)
    model = refusing(MODEL, 26)
    chosen = Settings.of(items=str(items), model=MODEL, probes=("order",))
    run = Run.start(folder / "run", chosen)
    run.ask(model)
    run.read()
    run.measure()
    return run.results


def test_the_headline_counts_them(lost: Results) -> None:
    score = lost.one("accuracy")
    assert score is not None
    assert score.n_missing > 0
    assert f"as published (of 80 prompts {score.n_missing} failed)" in headline(lost)[0]
    some = replace(lost, findings={**lost.findings, "unanswered": SILENT})
    told = f"as published (of 80 prompts 1 not asked, 2 failed, {score.n_missing - 3} unclear)"
    assert told in headline(some)[0]
    old = replace(lost, findings={**lost.findings, "unanswered": []})
    told = f"as published ({score.n_missing} of 80 replies missing or unclear)"
    assert told in headline(old)[0]


def test_a_form_lacks_what_is_its_own_not_what_forms_with_more_settings_lack(
    lost: Results,
) -> None:
    """ "14,780 of 9,012 prompts were not asked": 5 problems, and 5 in numbered lines, were one."""
    rate = next(e for e in lost.estimates if e.measure == "valid_rate")
    rows = [
        {"probe": rate.probe, "condition": condition, "not_asked": n, "failed": 0, "prompts": 20}
        for condition, n in (("size=5", 3), ("lines=anchored, size=5", 9))
    ]
    some = replace(lost, findings={**lost.findings, "unanswered": rows})
    of = [replace(rate, condition=Condition.parse(row["condition"])) for row in rows]
    assert [some.silent(e)[0] for e in of] == [3, 9]
    once = replace(of[1], n=1, n_missing=4)
    assert some.missing_of(once)[:3] == (4, 0, 0), "no more are missing than are missing"
    mean = replace(rate, condition=Condition())
    assert some.silent(mean)[0] == 12, "a mean over forms lacks what all of them lack"


def test_guessing_is_one_number_on_a_page(tmp_path: Path) -> None:
    """The figure had that of the items with a reply, the sentence that of all."""
    two = items_file(tmp_path / "two", 41, 2).read_bytes()
    four = items_file(tmp_path / "four", 20, 4).read_bytes().replace(b'"id":"q', b'"id":"r')
    (items := tmp_path / "items.jsonl").write_bytes(two + b"\n" + four)
    run = Run.start(tmp_path / "run", Settings.of(items=str(items), model=MODEL, probes=("order",)))
    run.ask(refusing(MODEL, 60))
    run.read()
    run.measure()
    (f,) = (f for f in run.results.verdict if f.name == "no_better_than_guessing")
    score, bar = run.results.one("accuracy"), score_bar(run.results)
    assert score is not None
    assert bar is not None
    assert score.baseline != pytest.approx(f.null), "of the items with a reply"
    assert bar.guess == pytest.approx(100 * f.null, abs=0.001)


def test_replies_that_failed_or_were_never_asked_for_are_not_unclear(lost: Results) -> None:
    valid = [e for e in lost.missing if e.probe == "original"]
    n = valid[0].n_missing
    assert lacking(lost, valid, 80) == f"{n} of 80 prompts failed"
    some = replace(lost, findings={**lost.findings, "unanswered": SILENT})
    rest = f"{n - 3} have no clear answer"
    assert lacking(some, valid, 80) == f"1 of 80 prompts was not asked, 2 failed and {rest}"
    none = replace(lost, findings={**lost.findings, "unanswered": []})
    assert lacking(none, valid, 80) == f"{n} of 80 prompts have no clear answer"
    told = " ".join(verdict_of(lost))
    assert " prompts failed; the share is largest under " in told
    assert "clear answer" not in told


def test_a_terminal_says_what_went_wrong(lost: Results) -> None:
    (line,) = [line for line in shortfalls(Run(lost.directory)) if "no answer" in line]
    n = lost.findings["failures"]
    prompts = sum(row["failed"] for row in lost.findings["unanswered"])
    which = f", which serve {prompts} prompts," if prompts > n else ""
    why = f"({n} x rejected: no); the same audit asks them again."
    said = f"{n} requests{which} have no answer {why}"
    assert line == said


def test_requests_that_serve_several_prompts_are_told_apart(lost: Results) -> None:
    """ "80 requests of which failed" stood beside "85 of 756 trials failed"."""
    assert _serving({"unanswered": [{"failed": 85}]}, 80) == ", which serve 85 prompts,"
    assert _serving({"unanswered": [{"failed": 80}]}, 80) == ""
    of = lost.findings["trials"]
    page = write_report(lost).read_text(encoding="utf-8")
    assert f"{lost.findings['unread']} of {of} prompts failed; the share is largest" in page
    assert "requests of which failed" not in page
    assert "no reading and" not in page
    counted = shortfalls(Run(lost.directory), counted=True)
    assert not any("have no reading" in line for line in counted)


def test_an_item_that_lacks_one_reply_of_several_was_answered(lost: Results) -> None:
    """ "15 of 59 items were not answered", of which each had most of its replies."""
    of_items = [
        f.sentence for f in lost.verdict if f.counted == "items" and f.n_missing > 0.05 * f.n
    ]
    assert any("items lack a reply in a form that this compares" in said for said in of_items)
    (agreement,) = (f for f in lost.verdict if f.name == "no_agreement")
    assert agreement.sentence.endswith(" items lack a reply in some order."), "a mean over them"
    assert not any("items were not answered" in said for said in of_items)
    reason = lost.findings["known"]["text"]["reason"]
    assert reason.endswith(" items lack a reply in some order")


def test_what_they_could_change_is_said(lost: Results) -> None:
    score = lost.one("accuracy")
    assert score is not None
    assert score.value is not None
    right = round(score.value * score.n)
    ends = [100 * right / 80, 100 * (right + score.n_missing) / 80]
    said = f"the score lies between {ends[0]:.1f}\u202f% and {ends[1]:.1f}\u202f%."
    assert any(said in sentence for sentence in verdict_of(lost))


def test_sentences_count_them(lost: Results) -> None:
    (score,) = (f for f in lost.verdict if f.name == "no_better_than_guessing")
    assert score.sentence.endswith(f"; {80 - score.n} of 80 prompts were not answered.")
    assert score.n < 76


@pytest.mark.parametrize(
    ("asked", "requests"), [({"probes": ("labels",)}, 240), ({"suite": "know-no"}, 900)]
)
def test_the_first_items_of_a_file_are_no_sample_of_it(
    tmp_path: Path, asked: dict[str, Any], requests: int
) -> None:
    """A budget ended after the subject that the model guesses: "scores 24 %, below guessing"."""
    rows = [
        {
            "question": f"Which is number {i}?" + f" The one is answer {i}.{i % 4}." * (i >= 80),
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": i % 4,
        }
        for i in range(200)
    ]
    items = tmp_path / "items.jsonl"
    items.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    settings = Settings.of(items=str(items), model="sim:looks_up", **asked)
    run = Run.start(tmp_path / "run", settings)
    run.ask(make_model("sim:looks_up"), limits=Limits(requests=requests))
    run.read()
    run.measure()
    assert {f.kind for f in run.results.verdict} == {"cannot_tell"}


def test_one_lost_reply_is_told_as_one() -> None:
    evidence = SimpleNamespace(n=17, missing=1, counted="trials", probe="order")
    run = SimpleNamespace(lacking="were not answered", not_covered=lambda e: "")
    said = told_of_lost(evidence, run)  # type: ignore[arg-type]
    assert said == "; 1 of 18 prompts was not answered"
    bundled = SimpleNamespace(n=17, missing=1, counted="trials", probe="batch")
    said = told_of_lost(bundled, run)  # type: ignore[arg-type]
    assert said == "; 1 of 18 problems was not answered"


def test_what_was_never_asked_is_neither_missing_nor_unclear(tmp_path: Path) -> None:
    """ "20 of 60 replies are missing or unclear", of prompts that nobody had put."""
    items = str(items_file(tmp_path / "items.jsonl", 40))
    chosen = Settings.of(items=items, model="sim:oracle", probes=("order",))
    run = Run.start(tmp_path / "run", chosen)
    run.ask(make_model("sim:oracle"), limits=Limits(requests=100))
    run.read()
    run.measure()
    told = " ".join(f.sentence for f in run.results.verdict)
    assert "cannot be told: only the first items of the file were asked" in told
    assert "no reply could be read" not in told
    assert "clear" not in told
    assert "items were not asked in some order" in run.results.findings["known"]["text"]["reason"]
    some = {**run.results.findings, "unclear": 3}
    mixed = replace(run.results, findings=some).lacking
    assert mixed == "were not asked or lack a clear reply"


def test_parts_without_bounds_are_not_shown_beside_them(lost: Results) -> None:
    """Every form 97 % [92, 99] stood beside its own bounds, 67 % to 72 %."""
    block = lost.findings["composition"]["text"]
    assert block["bounds_only"]
    assert {part["value"] for part in block["parts"]} == {None}
    assert all(part["least"] < part["most"] for part in block["parts"])
    shown = [e for e in lost.estimates if e.measure == "score_composition" and e.reader == "text"]
    assert [e.value for e in shown] == [None]
    assert "lack a reply" in shown[0].note


def test_a_few_prompts_of_many_forms_that_were_not_asked_hide_no_fault(tmp_path: Path) -> None:
    """77 of 1,600 prompts were held against 80 items, and a fall of 40 points was not told."""
    model, items = "sim:slips?under=letter_swap&wrong=0.6", items_file(tmp_path / "i.jsonl", 80)
    chosen = Settings.of(items=str(items), model=model, probes=("letter_swap",))
    run = Run.start(tmp_path / "run", chosen)
    run.ask(make_model(model), limits=Limits(requests=1_400))
    run.read()
    run.measure()
    (fall,) = (f for f in run.results.verdict if f.name == "accuracy_change")
    form = Condition.parse(fall.condition)
    place = SimpleNamespace(probe=fall.probe, condition=form, measure="accuracy_change")
    unasked, failed = run.results.lost_shares(place)  # type: ignore[arg-type]
    assert run.results.ended == "budget"
    assert 0 < unasked < 0.05
    assert failed == 0
    assert fall.n_missing > 0
    assert fall.kind == "found"


def test_replies_that_were_read_are_not_called_unreadable(tmp_path: Path) -> None:
    model, reason = "sim:refuse", "no reply chooses an option"
    chosen = Settings.of(
        items=str(items_file(tmp_path / "items.jsonl", 20)), model=model, probes=("order",)
    )
    run = Run.start(tmp_path / "run", chosen)
    run.ask(make_model(model))
    run.read()
    run.measure()
    told = {f.name: f.sentence for f in run.results.verdict}
    assert told["position_preference"].endswith(f"cannot be told: {reason}.")
    assert not any("could be read" in sentence for sentence in told.values())

"""What does not count, and why: it is left out, or missing, and never one for the other."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from horsesense.comparison.align import Side
from horsesense.comparison.compare import compare
from horsesense.comparison.gates.gate import Tolerances, regressions
from horsesense.findings.uncounted import each_reason, left_out, not_covered
from horsesense.inference.limits import Limits
from horsesense.report import verdict_of
from horsesense.report.comparison import items_text
from horsesense.report.score_bar import headline, score_bar
from horsesense.runs.results import Results
from studies import study

N, GOLDLESS = 24, 4


def written(path: Path, few: int = 0) -> Path:
    """Items of four options, the first `few` of two; every sixth has no right answer."""
    rows = []
    for i in range(N):
        k = 2 if i < few else 4
        row = {"question": f"Which is number {i}?", "options": [f"{i}.{j}" for j in range(k)]}
        rows.append(row | {"answer_index": None if i % 6 == 5 else i % k})
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("goldless") / "items.jsonl")


def results(items: Path, model: str, out: Path, **settings: object) -> Results:
    return study(items, model, out, **settings).results


def test_a_gate_passes_whatever_has_no_right_answer(items: Path, tmp_path: Path) -> None:
    """ "cannot tell ... 4 more lack an answer": all had been answered."""
    right = results(items, "sim:oracle", tmp_path / "right", probes=("repeat",))
    wrong = results(items, "sim:uniform", tmp_path / "wrong", probes=("repeat",))
    checks, notes = regressions(
        right, wrong, Tolerances.parse(["0.02"]), measure="accuracy", level=0.95
    )
    assert {check.state for check in checks} == {"passed"}
    assert not any("lack an answer" in check.says for check in checks)
    assert f"{GOLDLESS} items without a right answer are left out" in notes[0]
    sides = [Side(name, name, run) for name, run in (("one", right), ("two", wrong))]
    found = compare(sides)
    assert set(found.missing.values()) == {0}
    assert found.items["goldless"] == GOLDLESS
    assert left_out(GOLDLESS) in items_text(found)
    assert compare(sides, measure="valid_rate").items["goldless"] == 0


def test_what_was_not_asked_is_counted_among_items_that_can_count(
    items: Path, tmp_path: Path
) -> None:
    """Of 56 items with a right answer 58 were shown, and their bounds were too wide."""
    run = results(
        items, "sim:oracle", tmp_path / "run", probes=("order",), limits=Limits(requests=40)
    )
    score = run.one("accuracy")
    assert score is not None
    whole = N - GOLDLESS
    assert score.n + score.n_missing == whole
    missing = score.n_missing
    assert missing > 0
    assert f"(of {whole} prompts {missing} not asked)" in headline(run)[0]
    low = 100 * score.n / whole
    said = f"accuracy as published would be between {low:.1f}\u202f% and 100.0\u202f%"
    assert any(said in sentence for sentence in verdict_of(run))
    block = run.findings["composition"]["text"]
    assert block["items"] == whole
    shown = score_bar(run)
    assert shown is not None
    lost = block["unclassified"]
    why = "they were not asked in some form"
    assert f"{lost} of {whole} items could not be placed: {why}; the shares are" in shown.notes[0]
    assert shown.notes[1:] == (f"{GOLDLESS} items without a right answer are left out.",)


def test_who_chooses_an_option_is_said_of_all_items(items: Path, tmp_path: Path) -> None:
    """24 replies stood beside a score of 20, and no sentence said why."""
    run = results(items, "sim:oracle", tmp_path / "run", probes=("labels",))
    found = {f.name: f for f in run.verdict}
    score, choice = found["no_better_than_guessing"], found["no_choice"]
    assert (score.n, choice.n) == (N - GOLDLESS, N)
    said = f"; {GOLDLESS} items without a right answer count here too."
    assert choice.sentence.endswith(said)
    assert found["fewer_choices"].sentence.endswith(said)
    assert "count here too" not in score.sentence


def test_a_share_of_right_answers_lacks_none_where_all_were_answered(
    items: Path, tmp_path: Path
) -> None:
    probes = ("repeat", "order", "options_only", "batch(sizes=2, bundles=8)")
    run = results(items, "sim:talker", tmp_path / "run", probes=probes)
    assert {e.measure for e in run.estimates if e.n_missing} == set()
    assert {e.n for e in run.all("change_from_single", "batch")} == {
        e.n for e in run.all("per_problem_accuracy", "batch")
    }


def test_items_that_a_reader_is_not_fitted_on_are_left_out(tmp_path: Path) -> None:
    """They were said to lack a clear reply."""
    run = results(
        written(tmp_path / "items.jsonl", few=4),
        "sim:position?k=1",
        tmp_path / "run",
        probes=("order",),
        readers=("text", "first_token", "pride(alpha=0.5)"),
    )
    gain = run.one("score_gain", reader="pride(alpha=0.5)")
    assert gain is not None
    assert (gain.n, gain.n_missing) == (N - GOLDLESS - 4, 0)
    told = [f.sentence for f in run.verdict if f.name == "other_reader"]
    why = f"4 of {N - GOLDLESS} items have 2 options, on which PriDe"
    assert any(why in sentence and "is not fitted" in sentence for sentence in told)


def test_reasons_are_told_with_what_they_are_true_of() -> None:
    assert each_reason([(3, "it has no gold")]) == "it has no gold"
    told = each_reason([(3, "it has no gold"), (27, "labels are not shared")])
    assert told == "labels are not shared (27 items); it has no gold (3 items)"
    fit = {"fits": [{"options": 4}]}
    assert not_covered(fit, [4, 4], "PriDe") == ""
    assert not_covered({}, [4, 2], "PriDe") == "", "it is not fitted, and says so elsewhere"
    told = not_covered(fit, [4, 2, 5], "PriDe")
    assert told == "2 of 3 items have 2 or 5 options, on which PriDe is not fitted"

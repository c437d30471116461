"""Replies out to reviewers and back: nothing runs in a spreadsheet, nothing is lost or guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import annotate
from horsesense.api import Run
from horsesense.errors import ItemsError
from horsesense.readers.reviews import Reviews
from horsesense_extras.people.review_files import (
    _rows_in,
    checked,
    known_keys,
    read_csv,
    rows_to_review,
    settle,
    write_csv,
)
from horsesense_extras.people.spreadsheet import inert_cell
from spreadsheets import rows_in, save
from studies import Result, jsonl, study

N = 12
REPLIES = ("=cmd|' /C calc'!A0, well", "Perhaps D?", "None of the above", "B")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Recorded replies to the question without a hint: half of them no rule can judge."""
    folder = tmp_path_factory.mktemp("reviewed")
    rows = [
        {
            "id": f"q{i}",
            "probe": "gold_absent",
            "condition": "prompt=no_hint, asking=know_no, design=random(3)",
            "repetition": r,
            "response": REPLIES[i % 4],
        }
        for i in range(N)
        for r in range(3)
    ]
    recorded = jsonl(folder / "recorded.jsonl", rows)
    probes = ("gold_absent(prompt=no_hint)",)
    return study(N, f"replay:{recorded}", folder / "run", probes=probes)


@pytest.fixture
def run(finished: Result) -> Path:
    """The finished run, with nothing reviewed."""
    (finished.out / "reviews.json").unlink(missing_ok=True)
    finished.done.measure()
    return finished.out


def measured(run: Path) -> dict[str, Any]:
    """estimates.json after the run was measured again."""
    Run.open(run).measure()
    return json.loads((run / "estimates.json").read_text())


def share(out: Path, group: str) -> float:
    found = json.loads((out / "estimates.json").read_text())["estimates"]
    return next(
        e["value"] for e in found if (e["measure"], e["group"]) == ("response_class", group)
    )


def filled(out: Path, path: Path, answer: str, **others: str) -> Path:
    """A reviewer's file: `others` by item, `answer` for the rest."""
    write_csv(rows_to_review(Run.open(out).directory), path)
    rows = [row | {"answer": others.get(row["item"], answer)} for row in rows_in(path)]
    return Path(save(rows, path))


def test_only_what_no_rule_decides_is_written(run: Path) -> None:
    assert share(run, "needs_review") == 0.5
    rows = rows_to_review(Run.open(run).directory)
    assert len(rows) == 3 * N // 2
    assert {row.rule for row in rows} == {"needs_review"}
    assert all(row.missing_answer.startswith("answer ") for row in rows)
    rows = rows_to_review(found := Run.open(run).directory, also=4)
    assert len(rows) == 3 * N // 2 + 4
    assert checked(found, {bytes.fromhex(row.key): row.rule for row in rows}) == [True] * 4


def answers_in(path: Path) -> dict[str, str]:
    return {row["key"]: row["answer"] for row in rows_in(path) if row["answer"]}


@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "cp1252"), ("\t", "utf-16"), (";", "utf-8-sig")]
)
def test_what_a_spreadsheet_saved_is_read(
    run: Path, tmp_path: Path, separator: str, encoding: str
) -> None:
    path = filled(run, tmp_path / "mine.csv", "other", q0="new_wrong")
    before = answers_in(path)
    rows = [row | {"prompt": "Caf\u00e9 \u2013 wo?"} for row in rows_in(path)]
    save(rows, path, separator, encoding)
    done = annotate(run, "--to", str(path), "--also", "3")
    assert not any(row.rule for row in _rows_in(Path(done["file"])) or ())  # blind to the rules
    assert done["carried"] == len(before) > 0
    assert answers_in(Path(done["file"])) == before
    assert annotate(run, "--take", str(path))["replies"] == len(before)


def test_disagreements_settle_what_they_are_about_and_no_more(run: Path, tmp_path: Path) -> None:
    a = filled(run, tmp_path / "a.csv", "new_correct")
    b = filled(run, tmp_path / "b.csv", "new_correct", q0="new_wrong", q1="other")
    done = annotate(run, "--take", str(a), "--take", str(b))
    assert (done["replies"], len(done["open"])) == (12, 6)
    path = run / "disagreements.csv"
    save([row | {"answer": "other"} for row in rows_in(path)], path)
    settled = annotate(run, "--take", str(path))
    assert (settled["replies"], settled["open"], settled["disagreements"]) == (18, [], 6)
    reviews = Reviews.load(run)
    assert sorted(reviews.classes.values()) == ["new_correct"] * 12 + ["other"] * 6
    path.unlink()


@given(st.text(max_size=60))
def test_any_reply_survives_the_file(text: str) -> None:
    shown = inert_cell(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert shown.removeprefix("'").encode(errors="replace") or not text


def test_reviewed_replies_are_measured_and_said(run: Path, tmp_path: Path) -> None:
    answers = read_csv(
        filled(run, tmp_path / "a.csv", "new_correct"), known_keys(Run.open(run).directory)
    )
    settle({"a": answers})[0].save(run)
    found = measured(run)
    assert share(run, "needs_review") == 0
    assert share(run, "new_correct") == 0.5
    accuracy = {e["measure"]: e for e in found["estimates"] if e["reader"] == "text"}
    assert accuracy["accuracy"]["value"] == 0.75
    assert f"+{3 * N // 2}reviewed|" in accuracy["accuracy"]["signature"]
    assert found["reviews"]["replies"] == 3 * N // 2


def test_two_reviewers_agree_as_far_as_they_do(run: Path, tmp_path: Path) -> None:
    known = known_keys(Run.open(run).directory)
    first = read_csv(filled(run, tmp_path / "a.csv", "new_correct", q0="other"), known)
    second = read_csv(filled(run, tmp_path / "b.csv", "new_correct", q1="other", q0="other"), known)
    reviews, still_open = settle({"a": first, "b": second})
    assert (reviews.compared, reviews.disagreements) == (18, 3)
    # Observed 15/18; expected (3 * 6 + 15 * 12) / 18^2 by the reviewers' own shares.
    expected = (3 * 6 + 15 * 12) / 18**2
    assert reviews.agreement == pytest.approx((15 / 18 - expected) / (1 - expected))
    assert len(still_open) == 3
    assert not set(still_open) & set(reviews.classes)
    settled, none_open = settle({"a": first, "b": second, "c": dict.fromkeys(still_open, "other")})
    assert none_open == []
    assert {settled.classes[key] for key in still_open} == {"other"}


def test_all_faults_of_a_file_at_once(run: Path, tmp_path: Path) -> None:
    key = rows_to_review(Run.open(run).directory)[0].key
    path = tmp_path / "bad.csv"
    rows = [("zz", "other"), ("00" * 16, "other"), (key, "right"), (key, "other"), (key, "other")]
    path.write_text("key,answer\n" + "".join(f"{k},{a}\n" for k, a in rows))
    with pytest.raises(ItemsError) as error:
        read_csv(path, known_keys(Run.open(run).directory))
    assert len(error.value.faults) == 4
    assert "Allowed: incorrect_option" in str(error.value)


def test_a_file_that_nobody_filled_is_taken(run: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    assert annotate(run, "--to", out)["undecided"] == 18
    said = annotate(run, "--take", out)["says"]
    assert "judged 0 replies; the run was measured anew.\n18 rows" in said
    assert (run / "report.html").exists()

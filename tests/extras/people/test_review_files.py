"""Replies out to reviewers and back: nothing runs in a spreadsheet, nothing is lost or guessed."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import call
from horsesense.api import Run
from horsesense.errors import ItemsError, StoreError, UsageError
from horsesense.readers.reviews import Reviews
from horsesense_extras.cli.annotate import _material
from horsesense_extras.people.review_files import (
    COLUMNS,
    Material,
    Row,
    known_keys,
    read_csv,
    rows_to_review,
    settle,
    write_csv,
)
from horsesense_extras.people.spreadsheet import inert_cell
from studies import Result, items_file, study

N = 12
REPLIES = ("=cmd|' /C calc'!A0, well", "Perhaps D?", "None of the above", "B")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Recorded replies to the question without a hint: half of them no rule can judge."""
    folder = tmp_path_factory.mktemp("reviewed")
    items = items_file(folder / "made_up.jsonl", N)
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
    recorded = folder / "recorded.jsonl"
    recorded.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    probes = ("gold_absent(prompt=no_hint)",)
    return study(items, f"replay:{recorded}", folder / "run", probes=probes)


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


def material(run: Path) -> Material:
    return _material(Run.open(run))


def share(out: Path, group: str) -> float:
    found = json.loads((out / "estimates.json").read_text())["estimates"]
    return next(
        e["value"] for e in found if (e["measure"], e["group"]) == ("response_class", group)
    )


def filled(out: Path, path: Path, answer: str, **others: str) -> Path:
    """A reviewer's file: `others` by item, `answer` for the rest."""
    rows = rows_to_review(material(out))
    write_csv(rows, path)
    with path.open(newline="", encoding="utf-8-sig") as file:
        read = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({**row, "answer": others.get(row["item"], answer)} for row in read)
    return path


def test_only_what_no_rule_decides_is_written(run: Path) -> None:
    assert share(run, "needs_review") == 0.5
    rows = rows_to_review(material(run))
    assert len(rows) == 3 * N // 2
    assert {row.rule for row in rows} == {"needs_review"}
    assert all(row.missing_answer.startswith("answer ") for row in rows)
    assert len(rows_to_review(material(run), also=4)) == 3 * N // 2 + 4


def test_nothing_in_the_file_is_a_formula(run: Path, tmp_path: Path) -> None:
    write_csv(rows_to_review(material(run)), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8-sig") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [cell for cell in cells if cell.startswith("'=cmd")]


@pytest.mark.parametrize(
    "before", ["", " ", "\u200b", "\ufeff", "\u00ad", "\u2060 \u3164", "\x1b", "\ufe0f"]
)
@pytest.mark.parametrize("sign", "=+-@＝＋－＠﹣﹢−₌⁼﹦﬩")
def test_formulas_in_disguise(before: str, sign: str) -> None:
    """Spreadsheets drop what is invisible, and take full-width signs for the plain ones."""
    assert inert_cell(f"{before}{sign}1+1").startswith("'")


@pytest.mark.parametrize("text", ["B", "(A)", "‘=’ is a sign", "日本", "", "\u200b", "'=1"])
def test_other_text_is_left_alone(text: str) -> None:
    assert inert_cell(text) == text


def answers_in(path: Path) -> dict[str, str]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {row["key"]: row["answer"] for row in csv.DictReader(file) if row["answer"]}


def annotate(run: Path, *words: str) -> dict[str, Any]:
    ended = call("annotate", str(run), *words, "--json")
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize("named", [False, True])
def test_a_second_annotate_keeps_what_people_wrote(run: Path, tmp_path: Path, named: bool) -> None:
    path = tmp_path / "mine.csv" if named else run / "review.csv"
    words = ("--to", str(path)) if named else ()
    path.unlink(missing_ok=True)
    annotate(run, *words)
    assert annotate(run, *words)["file"] == str(path)  # nothing is in it: written again
    filled(run, path, "other", q0="new_wrong")
    content = path.read_bytes()
    done = annotate(run, *words, "--also", "3")
    assert path.read_bytes() == content
    assert done["file"] != str(path)
    assert done["carried"] == len(answers_in(path)) == 3 * N // 2
    assert answers_in(Path(done["file"])) == answers_in(path)
    # Those of replies that are not chosen any more are carried over too.
    fewer = annotate(run, *words)
    assert Path(fewer["file"]) not in (path, Path(done["file"]))
    assert answers_in(Path(fewer["file"])) == answers_in(path)
    # What continues a file is the same reviewer's, who may have changed his mind.
    annotate(run, "--take", str(path))
    filled(run, Path(fewer["file"]), "new_correct")
    taken = annotate(run, "--take", fewer["file"])
    assert (taken["replies"], taken["compared"], taken["reviewers"]) == (18, 0, [f"1:{path.name}"])
    for each in path.parent.glob(f"{path.stem}*.csv"):
        each.unlink()


@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "cp1252"), ("\t", "utf-16"), (";", "utf-8-sig")]
)
def test_what_a_spreadsheet_saved_is_read(
    run: Path, tmp_path: Path, separator: str, encoding: str
) -> None:
    path = filled(run, tmp_path / "mine.csv", "other", q0="new_wrong")
    before = answers_in(path)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=separator)
        writer.writeheader()
        writer.writerows({**row, "prompt": "Caf\u00e9 \u2013 wo?"} for row in rows)
    done = annotate(run, "--to", str(path), "--also", "3")
    assert done["carried"] == len(before) > 0
    assert answers_in(Path(done["file"])) == before
    assert annotate(run, "--take", str(path))["replies"] == len(before)


def test_a_file_from_which_nothing_is_taken_over_is_named(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"\x81\x8d")
    done = call("annotate", str(run), "--to", str(path))
    assert done.returncode == 0, done.stderr
    assert f"{path} cannot be read as a reviewer's file" in done.stderr


def test_notes_without_an_answer_are_kept(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    annotate(run, "--to", str(path))
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [{"notes": f"unsure, see {row['item']}", **row} for row in csv.DictReader(file)]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(reversed(rows))
    content = path.read_bytes()
    again = annotate(run, "--to", str(path))
    assert (again["file"], "stays as it is" in again["says"]) == (str(path), True)
    more = annotate(run, "--to", str(path), "--also", "2")
    assert "columns that were added" in more["says"]
    # However often it is called, one file holds what is to be filled.
    assert annotate(run, "--to", str(path), "--also", "2")["file"] == more["file"] != str(path)
    assert path.read_bytes() == content
    assert len(list(tmp_path.glob("*.csv"))) == 2


def test_answers_to_what_is_not_asked_any_more_are_left_out(run: Path, tmp_path: Path) -> None:
    path = filled(run, tmp_path / "a.csv", "other")
    gone = read_csv(path, known_keys(material(run)))
    fewer = tmp_path / "run"
    shutil.copytree(run, fewer)
    trials = [*fewer.glob("trials/**/*.parquet")]
    for part in trials:
        pl.read_parquet(part).filter(pl.col("item_id").is_in(["q0", "q1"])).write_parquet(part)
    rows = [Row(key.hex(), "", "", "", "", "", "other") for key in gone]
    write_csv(rows, tmp_path / "all.csv")
    left = known_keys(material(fewer))
    assert 0 < len(left & gone.keys()) < len(gone)
    done = annotate(fewer, "--take", str(tmp_path / "all.csv"))
    assert done["replies"] == len(left & gone.keys())
    assert done["skipped"] == len(gone) - done["replies"]
    assert f"{done['skipped']} answers to replies that the run no longer asks" in done["says"]
    write_csv([Row("00" * 16, "", "", "", "", "", "other")], tmp_path / "foreign.csv")
    assert call("annotate", str(fewer), "--take", str(tmp_path / "foreign.csv")).returncode == 2


@pytest.mark.parametrize("text", ["=1" + "x" * 40_000, "x" * 40_000])
def test_a_long_cell_stays_as_it_was_written(text: str) -> None:
    assert inert_cell(inert_cell(text)) == inert_cell(text)


def test_a_file_of_others_is_left_alone(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("my notes")
    done = annotate(run, "--to", str(path))
    assert path.read_text() == "my notes"
    assert Path(done["file"]).exists()


def test_disagreements_settle_what_they_are_about_and_no_more(run: Path, tmp_path: Path) -> None:
    a = filled(run, tmp_path / "a.csv", "new_correct")
    b = filled(run, tmp_path / "b.csv", "new_correct", q0="new_wrong", q1="other")
    done = annotate(run, "--take", str(a), "--take", str(b))
    assert (done["replies"], len(done["open"])) == (12, 6)
    path = run / "disagreements.csv"
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    write_csv([Row(**{**row, "answer": "other"}) for row in rows], path)
    settled = annotate(run, "--take", str(path))
    assert (settled["replies"], settled["open"], settled["disagreements"]) == (18, [], 6)
    reviews = Reviews.load(run)
    assert sorted(reviews.classes.values()) == ["new_correct"] * 12 + ["other"] * 6
    path.unlink()


def test_reviews_of_an_earlier_release_stay(run: Path, tmp_path: Path) -> None:
    keys = sorted(known_keys(material(run)))
    old = {"classes": {key.hex(): "other" for key in keys}, "reviewers": ["1:a.csv"]}
    old |= {"agreement": 0.5, "compared": 9, "disagreements": 2}
    (run / "reviews.json").write_bytes(orjson.dumps(old))
    path = filled(run, tmp_path / "few.csv", "", q0="new_wrong")
    done = annotate(run, "--take", str(path))
    assert (done["replies"], done["compared"]) == (len(keys), 9)
    assert list(Reviews.load(run).classes.values()).count("new_wrong") == 3


@given(st.text(max_size=60))
def test_any_reply_survives_the_file(text: str) -> None:
    shown = inert_cell(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert shown.removeprefix("'").encode(errors="replace") or not text


def test_reviewed_replies_are_measured_and_said(run: Path, tmp_path: Path) -> None:
    answers = read_csv(filled(run, tmp_path / "a.csv", "new_correct"), known_keys(material(run)))
    settle({"a": answers})[0].save(run)
    found = measured(run)
    assert share(run, "needs_review") == 0
    assert share(run, "new_correct") == 0.5
    accuracy = {e["measure"]: e for e in found["estimates"] if e["reader"] == "text"}
    assert accuracy["accuracy"]["value"] == 0.75
    assert f"+{3 * N // 2}reviewed|" in accuracy["accuracy"]["signature"]
    assert found["reviews"]["replies"] == 3 * N // 2


def test_two_reviewers_agree_as_far_as_they_do(run: Path, tmp_path: Path) -> None:
    known = known_keys(material(run))
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


def test_agreement_by_constants_is_not_defined(run: Path, tmp_path: Path) -> None:
    answers = read_csv(filled(run, tmp_path / "a.csv", "other"), known_keys(material(run)))
    reviews, _ = settle({"a": answers, "b": answers})
    assert reviews.agreement is None


def test_all_faults_of_a_file_at_once(run: Path, tmp_path: Path) -> None:
    key = rows_to_review(material(run))[0].key
    path = tmp_path / "bad.csv"
    rows = [("zz", "other"), ("00" * 16, "other"), (key, "right"), (key, "other"), (key, "other")]
    path.write_text("key,answer\n" + "".join(f"{k},{a}\n" for k, a in rows))
    with pytest.raises(ItemsError) as error:
        read_csv(path, known_keys(material(run)))
    assert len(error.value.faults) == 4
    assert "Allowed: incorrect_option" in str(error.value)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError):
        read_csv(path, frozenset())


def test_a_broken_review_file_is_no_review(tmp_path: Path) -> None:
    (tmp_path / "reviews.json").write_text("{}")
    with pytest.raises(StoreError):
        Reviews.load(tmp_path)


def test_blank_answers_are_left_open(run: Path, tmp_path: Path) -> None:
    write_csv(rows_to_review(material(run)), tmp_path / "out.csv")
    assert read_csv(tmp_path / "out.csv", known_keys(material(run))) == {}


def test_command(run: Path, tmp_path: Path) -> None:
    def command(*words: str) -> dict[str, Any]:
        ended = call("annotate", str(run), *words, "--json")
        assert ended.returncode == 0, ended.stderr
        done: dict[str, Any] = json.loads(ended.stdout)
        return done

    assert command("--to", str(tmp_path / "out.csv"))["undecided"] == 18
    a = filled(run, tmp_path / "a.csv", "new_correct")
    b = filled(run, tmp_path / "b.csv", "new_wrong")
    done = command("--take", str(a), "--take", str(b))
    assert (done["replies"], done["disagreements"], len(done["open"])) == (0, 18, 18)
    assert (run / "disagreements.csv").exists()
    assert (run / "report.html").exists()


def test_rows_are_plain_text() -> None:
    assert COLUMNS[0] == "key"
    assert Row("k", "i", "p", "m", "r", "u").answer == ""

"""Replies to a person and back: how often readers are right, and the score corrected by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import annotate, call
from horsesense.kept import keep
from horsesense_extras.people.sample import shown
from spreadsheets import Rows, rows_in, save
from studies import Result, jsonl, study

N = 24


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Replies that say A, the right answer to a quarter; two refuse, with a formula before it."""
    folder = tmp_path_factory.mktemp("labelled")
    said = ["The answer is A."] * (N - 2) + ["=1+1\nI cannot answer that."] * 2
    rows = [
        {"id": f"q{i}", "probe": "original", "condition": "", "response": reply}
        for i, reply in enumerate(said)
    ]
    recorded = jsonl(folder / "recorded.jsonl", rows)
    return study(N, f"replay:{recorded}", folder / "run", probes=())


@pytest.fixture
def run(finished: Result) -> Path:
    (finished.out / "sample.json").unlink(missing_ok=True)
    return finished.out


def drawn(run: Path, path: Path, n: int) -> Rows:
    path.unlink(missing_ok=True)
    annotate(run, "--sample", str(n), "--to", str(path))
    return rows_in(path)


def test_from_the_sample_to_the_report(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    rows = drawn(run, path, N)
    assert [row["item"] for row in rows] != sorted(row["item"] for row in rows)
    assert sum(row["reply"].startswith("'=1+1") for row in rows) == 2
    assert rows[0]["options"].startswith("A. answer ")
    for row in rows[:10]:
        row["label"] = "a" if "answer is A" in row["reply"] else "Refusal"
    first = next(row for row in rows[:10] if row["label"] == "a" and row["item"] != "q0")
    gold = "ABCD"[int(first["item"][1:]) % 4]
    first["label"] = gold  # the person says otherwise than the reader
    told = annotate(run, "--take", save(rows, path))
    (row,) = told["sample"]
    assert (row["reader"], row["n"], row["of"]) == ("text", 10, N)
    more = float(gold != "A")
    assert row["agreed"][0] == pytest.approx(1 - more / 10)
    assert row["score"][0] == pytest.approx(row["plain"] + more / 10)
    assert row["score"][1] < row["score"][0] < row["score"][2]
    report = (run / "report.html").read_text()
    assert "How often readers are right" in report
    assert shown(tuple(row["score"])) in report
    assert row["otherwise"] == [{"item": first["item"], "label": gold, "read": "A"}] * (gold != "A")
    assert (row["needed"], f"Some {N} labels would tell" in report) == (N, True)
    assert told["says"].startswith(f"{N - 10} rows are still empty.\n")
    first["label"] = "none"
    assert annotate(run, "--take", save(rows, path))["says"].startswith("1 label replaces what")
    assert "one file, or two" in call("annotate", run, *["--take", str(path)] * 3).stderr
    rows[1]["label"] = "unclear"
    both = "--take", str(path), "--take", save(rows, tmp_path / "second.csv")
    compared = annotate(run, *both)
    found = "same label to 9 of 10 replies (90.0\u202f% [55.5, 99.7]; Cohen's kappa 0."
    assert found in compared["says"]
    assert (compared["compared"], compared["disagreements"], compared["alike"][0]) == (10, 1, 0.9)
    assert compared["sample"] == annotate(run, *both[:2])["sample"]  # the first one's labels count
    assert [r["label"] for r in drawn(run, path, 11)][10] == ""
    assert drawn(run, path, 10)[3]["label"] in ("A", "B", "C", "D", "refusal")


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("label", "E", "'E' is no label; allowed: A, B, C, D, none, refusal, unclear"),
        ("key", "00" * 16, "no reply of this run has this key and item"),
        ("reply", "A or B", "the reply is not as it was written"),
        ("label", "", "no label"),
        ("", "twice", "stands on line"),
    ],
)
def test_what_cannot_be_used_is_refused(
    run: Path, tmp_path: Path, column: str, value: str, said: str
) -> None:
    path = tmp_path / "sample.csv"
    rows = [{**row, "label": "A"} for row in drawn(run, path, 5)]
    if column:
        rows[0][column] = value
    else:
        rows.append(rows[0])
    ended = call("annotate", run, "--take", save(rows, path))
    assert ended.returncode != 0
    assert said in ended.stderr
    assert "Label every row" in ended.stderr
    assert not (run / "sample.json").exists()


def test_labels_after_a_reply_without_one_do_not_count(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    rows = [{**row, "label": "A"} for row in drawn(run, path, 6)]
    told = annotate(run, "--take", save(rows[:3] + rows[4:], path))
    assert told["sample"][0]["n"] == 3
    assert "2 labels count for nothing" in told["says"]
    assert "--sample 6 --to FILE" in told["says"]


def test_a_file_is_not_written_over_and_a_broken_store_is_named(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "sample.csv"
    drawn(run, path, 2)
    words = "annotate", str(run), "--sample", "2", "--to"
    assert "Name a new file" in call(*words, path).stderr
    keep(run / "sample.json", b"[1]")
    assert "Delete it" in call(*words, tmp_path / "b.csv").stderr

"""A file of replies that says what is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import call
from each import each
from horsesense.readers.recorded_gold import GoldScore, gold_of
from studies import jsonl

OPTIONS = ("red", "blue", "3", "green")
LABELS = tuple("ABCD")


def write(path: Path, field: str, golds: list[Any], replies: str = "ABCA") -> Path:
    rows = [
        {"id": str(i), "options": list(OPTIONS), "response": reply, field: gold}
        for i, (reply, gold) in enumerate(zip(replies, golds, strict=True))
    ]
    return jsonl(path, rows)


@each(
    ("given", "positions"),
    [
        ("B", {1}),
        ("b", {1}),
        ("(B)", {1}),
        ("B. blue", {1}),
        ("Blue", {1}),
        ("3", {2}),
        (3, {3}),
        (1.0, {1}),
        ("A, C", {0, 2}),
        ([0, 1, 0, 0], {1}),
        ([False, False, True, True], {2, 3}),
        (["A", "C"], {0, 2}),
        ("yellow", set()),
        (True, set()),
        ({"a": 1}, set()),
    ],
)
def test_gold_is_a_label_a_text_or_a_number(given: Any, positions: set[int]) -> None:
    found = gold_of(given, OPTIONS, LABELS)
    assert found.positions == positions


def test_numbers_that_are_labels_are_labels() -> None:
    found = gold_of(2, ("red", "blue"), ("1", "2"))
    assert (found.positions, found.by_number) == ({1}, False)


def test_nothing_is_no_gold() -> None:
    assert gold_of(None, OPTIONS, LABELS) is gold_of(" ", OPTIONS, LABELS) is None


@pytest.mark.parametrize(("golds", "first", "right"), [((1, 4), 1, 2), ((0, 3), 0, 2)])
def test_numbers_count_from_one_where_they_must(
    golds: tuple[int, ...], first: int, right: int
) -> None:
    score = GoldScore()
    for gold, position in zip(golds, (0, 3), strict=True):
        score.add(gold_of(gold, OPTIONS, LABELS), (position,), "answer", 4)
    found = score.as_json()
    assert (found["numbers_from"], found["read_as_gold"], found["n"]) == (first, right, 2)


@pytest.mark.parametrize("field", ["gold", "target", "answer", "label"])
def test_readings_are_scored_by_the_gold_of_the_file(tmp_path: Path, field: str) -> None:
    file = write(tmp_path / "replies.jsonl", field, ["A", "C", "C", None])
    done = call("read", file)
    assert "Gold: 2 of 3 choose gold (66.7\u202f%;" in done.stderr
    assert "1 another choice" in done.stderr
    assert "left out: 1 row without gold" in done.stderr
    assert ("gold from" in done.stderr) == (field != "gold")


def test_the_score_is_the_last_line_of_json(tmp_path: Path) -> None:
    file = write(tmp_path / "replies.jsonl", "answer", ["A", "C", "C", "yellow"])
    done = call("read", file, "--json")
    *readings, last = map(json.loads, done.stdout.splitlines())
    assert len(readings) == 4
    assert last["schema"].startswith("horsesense.read-score/")
    assert (last["n"], last["read_as_gold"], last["another_choice"]) == (3, 2, 1)
    assert (last["no_option"], last["unclear"]) == (1, 0)
    assert 0 < last["low"] < last["share"] < last["high"] < 1


def test_what_is_unclear_is_neither(tmp_path: Path) -> None:
    row = {"options": ["a cat", "a dog"], "response": "Well, that is as it may be.", "gold": "A"}
    file = jsonl(tmp_path / "replies.jsonl", [row])
    last = json.loads(call("read", file, "--json").stdout.splitlines()[1])
    assert (last["n"], last["unclear"], last["share"]) == (1, 1, 0)


def test_a_file_without_gold_has_no_score(tmp_path: Path) -> None:
    file = write(tmp_path / "replies.jsonl", "comment", ["A", "B", "C", "D"])
    done = call("read", file, "--json")
    assert "read-score" not in done.stdout
    assert "Gold" not in done.stderr


def test_a_row_that_holds_no_response_is_counted_apart(tmp_path: Path) -> None:
    """It was one more empty reply, and one more that missed the gold."""
    row = {"options": ["a", "b"], "gold": "B"}
    rows = [{**row, "response": text} for text in ("B", "", None)]
    done = call("read", jsonl(tmp_path / "answers.jsonl", rows))
    assert "2 responses: answer 1, empty 1\n" in done.stderr
    assert "1 row without a response (null): not counted" in done.stderr
    assert "Gold: 1 of 2 choose gold" in done.stderr
    assert len(done.stdout.splitlines()) == 3, "each row has its line"

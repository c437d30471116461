"""`horsesense read`: recorded responses in, readings out."""

from __future__ import annotations

import gzip
import json

import pytest
from typer.testing import CliRunner

from horsesense.cli import app
from horsesense.errors import ItemsError
from horsesense.readers.recorded import read_file

ROWS = [
    {"id": "q1", "question": "?", "options": ["red", "blue"], "response": "I choose B."},
    {"item_id": "q2", "options": ["2", "4"], "labels": ["x", "y"], "response": "(y) 4"},
    {"options": ["red", "blue"], "response": None},
    {"id": 4, "options": ["age_limit", "lost"], "labels": [], "response": "Age limit"},
    {"id": "e", "options": ["red", "blue"], "response": "\x1b[31mThe answer is A."},
    {"id": "t", "options": ["red", "blue"], "response": "So it is.", "finish_reason": "length"},
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in ROWS)
    return path


def test_every_row_is_read_in_order(file):
    found = [row.as_json() for row in read_file(file)]
    assert [row["id"] for row in found] == ["q1", "q2", "3", "4", "e", "t"]
    assert [row["status"] for row in found] == [
        *("answer", "answer", "empty", "answer", "answer", "truncated")
    ]
    assert [row["positions"] for row in found] == [[1], [1], [], [0], [0], []]
    assert [row["letters"] for row in found] == [["B"], ["y"], [], ["age_limit"], ["A"], []]
    assert list(found[0]) == [
        *("id", "status", "positions", "slots", "letters", "rule", "span", "confidence")
    ]


def test_all_faults_are_named_with_their_lines(tmp_path):
    path = tmp_path / "bad.jsonl"
    lines = [
        '{"options": ["a", "b"], "response": "A"}',
        '{"options": "ab", "response": 3}',
        "nonsense",
        '{"options": ["a", "b"], "labels": ["x"], "response": "A"}',
        '{"options": ["a", "b"], "labels": ["x", "x"], "response": "A"}',
        '{"response": "A"}',
        '{"options": ["a", "b"]}',
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(ItemsError) as caught:
        list(read_file(path))
    faults = "\n".join(caught.value.faults)
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        *("line 2", "line 2", "line 3", "line 4", "line 5", "line 6", "line 7")
    ]
    for words in ("`options` must be", "not int", "1 entries for 2", "alike", "is missing"):
        assert words in faults


def run(*arguments):
    return CliRunner().invoke(app, ["read", *map(str, arguments)])


def test_json_is_one_object_a_line(file):
    lines = run(file, "--json").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q2", "3", "4", "e", "t"]


def test_explain_shows_the_deciding_words_in_their_context(file):
    lines = run(file, "--explain").stdout.splitlines()
    assert lines[0].endswith("»I choose B«.")
    assert "The »answer is A«." in lines[4]


def test_a_response_cannot_steer_the_terminal(file):
    shown = run(file, "--explain").stdout
    assert "\x1b" not in shown
    assert "\\x1b[31m" in shown

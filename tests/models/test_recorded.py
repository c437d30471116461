"""`horsesense read`: recorded responses in, readings out."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest
from typer.testing import CliRunner

from horsesense.cli import app
from horsesense.errors import ItemsError
from horsesense.models.messages import Response
from horsesense.readers.recorded import FAILED, read_file
from horsesense.readers.text import TextReader
from horsesense.readers.text_answers import TextAnswers
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from studies import jsonl

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


def test_no_row_ends_a_file(tmp_path, monkeypatch):
    """A faulty row, and one whose reply the reader fails at, are rows that say why."""
    path = tmp_path / "bad.jsonl"
    lines = [
        '{"options": "ab", "response": 3}',
        '{"options": ["a", "b"], "response": "A"}',
        "nonsense",
        '{"options": ["a", "b"], "labels": ["x"], "response": "A", "id": "q4"}',
        '{"options": ["a", "b"], "response": "B, I am sure of it."}',
        *['{"options": ["a", "b"], "response": 3}'] * 1_500,
        '{"options": ["a", "b"], "response": "B"}',
    ]
    path.write_text("\n".join(lines))
    read = TextReader.read

    def failing(self, response, *given, **named):
        if "I am sure" in response:
            raise IndexError("out of range")
        return read(self, response, *given, **named)

    monkeypatch.setattr(TextReader, "read", failing)
    found = list(read_file(path))
    assert len(found) == len(lines)
    assert [row.id for row in found[:5]] == ["1", "2", "3", "q4", "5"]
    assert [row.status for row in found[:5]] == [FAILED, "answer", FAILED, FAILED, FAILED]
    assert found[4].reading.rule == "IndexError: out of range"
    assert "not int" in found[0].reading.rule
    assert (found[-2].status, found[-1].reading.positions) == (FAILED, (1,))
    done = run(path)
    assert done.exit_code == 2
    assert "1,504 rows failed to read: 1 (" in done.stderr
    trial = Trial("original", PLAIN, 0, (Variant("x", "?", ("a", "b"), ("A", "B"), (0, 1), 0),))
    monkeypatch.setattr(TextAnswers, "strict", False)
    [reading] = TextAnswers().read(trial, Response("B, I am sure of it."))
    assert (reading.status, reading.rule) == ("unclear", "failed to read (IndexError)")


def test_a_reply_that_was_an_error_is_read(tmp_path):
    """An offset of the original text was once used as one of the folded text."""
    options = ["41/8 days", "13/2 days", "12/3 days"]
    found = TextReader().read("$$$$$$$$$$$$C\nQuestion:", options, ["A", "B", "C"])
    assert (found.positions, found.span) == ((2,), (12, 13))


def test_replies_without_options_take_those_of_items(tmp_path):
    items, one, two = (tmp_path / name for name in ("items.jsonl", "one.jsonl", "two.jsonl"))
    items.write_text('{"id": "a", "question": "?", "options": ["x", "y"], "answer_index": 1}')
    one.write_text('{"id": "a", "response": "B"}\n{"id": "b", "response": "B"}')
    two.write_text('{"id": "a", "response": "A"}')
    done = run(one, two, "--items", items)
    assert done.exit_code == 2
    lines = [line.split("\t")[:4] for line in done.stdout.splitlines()]
    assert lines == [
        ["one.jsonl", "a", "answer", "B"],
        ["one.jsonl", "b", "failed to read", "-"],
        ["two.jsonl", "a", "answer", "A"],
    ]
    assert "1 of 1 choose gold" in done.stderr


def test_all_faults_of_a_file_without_a_sound_row_are_named_with_their_lines(tmp_path):
    path = tmp_path / "bad.jsonl"
    lines = [
        "{}",
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
        *("line 1", "line 2", "line 2", "line 3", "line 4", "line 5", "line 6", "line 7")
    ]
    for words in ("`options` must be", "not int", "1 entry for 2", "alike", "is missing"):
        assert words in faults


def run(*arguments):
    return CliRunner().invoke(app(), ["read", *map(str, arguments)])


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


ANSWERS = [("q1", "red", "blue", "I choose B."), ("q2", "2", "4", "A")]


def test_csv_with_options_in_columns_says_what_it_guessed(tmp_path):
    path = tmp_path / "answers.csv"
    lines = ["question_id,option_a,option_b,output", *(",".join(row) for row in ANSWERS)]
    path.write_text("\n".join(lines))
    done = run(path, "--json")
    assert [json.loads(line)["positions"] for line in done.stdout.splitlines()] == [[1], [0]]
    for words in ("id from `question_id`", "columns option_a, option_b", "response from `output`"):
        assert words in done.stderr


def test_names_of_our_own_are_no_guess(file):
    assert "Guessed" not in run(file).stderr


@pytest.mark.parametrize(
    "cell", ['["red", "blue"]', "['red', 'blue']", "red | blue"], ids=["json", "python", "bar"]
)
def test_a_list_in_a_cell(tmp_path, cell):
    path = tmp_path / "answers.tsv"
    path.write_text("options\tresponse\n" + '"' + cell.replace('"', '""') + '"\tB\n')
    (row,) = read_file(path)
    assert (row.reading.positions, row.letters) == ((1,), ("B",))


def test_parquet_is_read(tmp_path):
    path = tmp_path / "answers.parquet"
    frame = {"id": ["a", "b"], "choices": [["red", "blue"]] * 2, "response": ["B", None]}
    pl.DataFrame(frame).write_parquet(path)
    assert [row.reading.status for row in read_file(path)] == ["answer", "empty"]


def test_every_word_for_the_limit_on_tokens_is_understood(tmp_path):
    path = tmp_path / "answers.jsonl"
    row = '{"options": ["red", "blue"], "response": "Let us see", "stop_reason": "%s"}\n'
    path.write_text(row % "max_tokens" + row % "MAX_TOKENS")
    assert [row.reading.status for row in read_file(path)] == ["truncated", "truncated"]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_standard_input_is_read_in_the_format_that_it_has(form, tmp_path):
    rows = [dict(zip(("id", "A", "B", "response"), row, strict=True)) for row in ANSWERS]
    path = tmp_path / "answers"
    if form == "jsonl":
        jsonl(path, rows)
    else:
        getattr(pl.DataFrame(rows), f"write_{form}")(path)
    done = CliRunner().invoke(app(), ["read", "-", "--json"], input=path.read_bytes())
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["q1", "q2"]
    assert [json.loads(line)["letters"] for line in done.stdout.splitlines()] == [["B"], ["A"]]


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_packed_standard_input_is_unpacked(packing, tmp_path):
    from horsesense.items.files import PACKINGS

    path = tmp_path / f"answers.{packing}"
    with PACKINGS[f".{packing}"](path, "wb") as stream:
        stream.write(b'{"id": "q1", "options": ["red", "blue"], "response": "B"}\n')
    done = CliRunner().invoke(app(), ["read", "-", "--json"], input=path.read_bytes())
    assert [json.loads(line)["letters"] for line in done.stdout.splitlines()] == [["B"]]


@pytest.mark.parametrize("given", [b"options,response\nr|b,\xe9\n", b"\x1f\x8bxx", b"{"])
def test_faults_of_standard_input_name_no_file_of_ours(given):
    done = CliRunner().invoke(app(), ["read", "-"], input=given)
    said = f"{done.exception} {getattr(done.exception, 'hint', '')} {done.output}"
    assert "standard input" in said
    assert "horsesense-" not in said
    assert "standard input.csv" not in said


def test_a_field_is_named_where_the_guess_is_wrong(tmp_path):
    path = tmp_path / "answers.jsonl"
    row = {"options": ["red", "blue"], "response": "A", "second_reply": "B"}
    path.write_text(json.dumps(row))
    found = json.loads(run(path, "--json", "--map", "response=second_reply").stdout)
    assert found["positions"] == [1]
    assert "reply" in str(run(path, "--map", "reply=second_reply").exception)


def test_differences_come_with_the_most_confident_first(tmp_path, monkeypatch):
    from horsesense.cli import readings as command

    options = ["red", "blue"]
    replies = ["The answer is B.", "A", "Perhaps it is rather the blue one", "B"]
    rows = [{"id": n, "options": options, "response": r} for n, r in enumerate(replies)]
    path = jsonl(tmp_path / "answers.jsonl", rows)
    texts = {row.id: row for row in read_file(path)}
    others = {name: row._replace(reading=texts["1"].reading) for name, row in texts.items()}

    def second(path, name, show, judging, fields):
        assert name == "judge:http:x"
        for row in others.values():
            show(row)
        return 0, 3

    monkeypatch.setattr(command, "_read_in_bulk", second)
    done = run(path, "--compare", "judge:http:x", "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["id"] for row in found} == {"0", "2", "3"}
    sure = [row["first"]["confidence"] for row in found]
    assert sure == sorted(sure, reverse=True)
    assert "3 of 4 responses are read differently (75.0\u202f%)" in done.stderr

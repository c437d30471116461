"""The packaged replies, and the table of how a reader does on them."""

from __future__ import annotations

import json
import sys

import pytest

from command_line import call
from each import each
from horsesense.readers.corpus import PARTS, SEEN, Example, available, examples, path_of
from horsesense.readers.corpus_score import errors, reliability, table
from horsesense.readers.reading import STATUSES, Reading
from horsesense.readers.recorded import recorded_rows

EXAMPLE = Example(
    "d0-1", "d0", "one", "facts", "names", "base model", "?", ("red", "blue"), ("A", "B"),
    "B", "stop", "answer", 1,
)  # fmt: skip
OTHER = EXAMPLE._replace(id="d0-2", kind="two", status="none", position=None)


@each("part", available())
def test_every_row_is_sound(part: str) -> None:
    found = examples(part)  # type: ignore[arg-type]
    assert len({example.id for example in found}) == len(found)
    for example in found:
        assert example.status in STATUSES
        assert (example.status == "answer") == (example.position is not None)
        assert example.position is None or 0 <= example.position < len(example.options)
        assert not example.labels or len(example.labels) == len(example.options)
        assert example.finish_reason in ("stop", "length", None)
        assert (example.finish_reason is None) == bool(example.judged)
        assert len({said.removesuffix(", unsure") for said in example.judged}) <= 1
    rows = list(recorded_rows(path_of(part)))  # type: ignore[arg-type]
    agreed = {example.id for example in found}
    assert [row.id for row in rows if row.id in agreed] == [example.id for example in found]
    assert len(rows) - len(found) == (10 if part == "mmlu_pro" else 0)


def test_a_reading_is_right_where_status_and_option_are() -> None:
    assert EXAMPLE.agrees(Reading("answer", (1,)))
    assert not EXAMPLE.agrees(Reading("answer", (0,)))
    assert not EXAMPLE.agrees(Reading("answer", (1, 0)))
    assert not EXAMPLE.agrees(Reading("none"))
    assert OTHER.agrees(Reading("none"))
    assert not OTHER.agrees(Reading("answer", (1,)))
    recorded = OTHER._replace(judged=("none", "none"))
    assert recorded.agrees(Reading("refusal")), "no choice is taken"
    assert not recorded.agrees(Reading("answer", (1,)))


def test_the_table_counts_what_is_right_and_what_is_sure() -> None:
    pairs = [
        (EXAMPLE, Reading("answer", (1,), confidence=0.95)),
        (EXAMPLE, Reading("answer", (0,), confidence=0.9)),
        (OTHER, Reading("answer", (0,), confidence=0.5)),
        (OTHER, None),
    ]
    row = table({"development": pairs}, ())[0]
    assert (row.right.value, row.right.n) == (0.25, 4)
    assert row.wrong_choice.value == 0.5
    assert row.sure.value == 0.5
    assert (row.sure_right.value, row.sure_right.n) == (0.5, 2)
    assert row.right.low < 0.25 < row.right.high
    by = {(r.by, r.group): r.right.value for r in table({"development": pairs})}
    assert by["kind", "development: one"] == 0.5
    assert by["status", "development: none"] == 0.0
    bins = {(b.low, b.n): b.right.value for b in reliability(pairs) if b.n}
    assert bins == {(0.5, 1): 0.0, (0.9, 1): 0.0, (0.95, 1): 1.0}
    assert [reading and reading.confidence for _, reading in errors(pairs)] == [0.9, 0.5, None]


def test_a_reading_that_decides_nothing_is_not_sure_however_confident() -> None:
    unclear = Reading("unclear", confidence=0.99)  # type: ignore[arg-type]
    row = table({"development": [(EXAMPLE, unclear)]}, ())[0]
    assert row.sure.value == 0.0
    assert all(b.n == 0 for b in reliability([(EXAMPLE, unclear)]))


def test_a_program_is_scored_by_the_lines_that_it_prints(tmp_path) -> None:
    program = tmp_path / "reader.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    row = json.loads(line)\n"
        "    assert 'status' not in row and 'kind' not in row\n"
        "    print(json.dumps({'id': row['id'], 'status': 'none', 'confidence': 0.5}))\n"
    )
    words = ("--part=development", "--json", "--command", f"{sys.executable} {program}")
    found = call("read", "--benchmark", *words, code=0).json
    known = examples("development")
    share = sum(e.status == "none" for e in known) / len(known)
    assert found["rows"][0]["right"]["value"] == pytest.approx(share)
    assert found["rows"][0]["wrong_choice"]["value"] == 0
    assert found["without_reading"] == 0


@pytest.mark.parametrize(
    ("printed", "named"),
    [
        ('{"id": "nobody", "status": "none"}', "nobody"),
        ('{"id": "d1-1", "status": "sure"}', "no status"),
        ('{"id": "d1-1", "status": "answer", "position": 99}', "not among the options"),
        ('{"id": "d1-1", "status": "none", "confidence": 7}', "not within 0 and 1"),
        ("nonsense", "Line 1"),
    ],
)
def test_a_line_that_is_no_reading_is_named(tmp_path, printed: str, named: str) -> None:
    program = tmp_path / "reader.py"
    program.write_text(f"print({printed!r})")
    command = f"{sys.executable} {program}"
    done = call("read", "--benchmark", "--part=development", "--command", command)
    assert done.returncode != 0
    assert named in done.stderr


@pytest.mark.slow
def test_misread_replies_are_shown_of_the_development_part_alone(monkeypatch) -> None:
    monkeypatch.setattr("horsesense.cli.read_benchmark.available", lambda: ("unread",))
    monkeypatch.setattr(
        "horsesense.cli.read_benchmark.examples", lambda part: examples("development")
    )
    monkeypatch.setattr(
        "horsesense.cli.read_benchmark.path_of", lambda part: path_of("development")
    )
    done = call("read", "--benchmark", "--part=all", "--errors", "--json")
    assert done.json["errors"] == []
    for example in examples("development")[:50]:
        if len(example.response) > 20:
            assert json.dumps(example.response) not in done.stdout


def test_the_unread_part_is_scored_by_name_alone(monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "horsesense.cli.read_benchmark._read", lambda part, *rest: opened.append(part) or []
    )
    monkeypatch.setattr("horsesense.cli.read_benchmark.table", lambda read: [])
    for words, parts in (
        ([], [*SEEN, "mmlu_pro"]),
        (["--part=unread"], ["unread"]),
        (["--part=all"], [*PARTS]),
    ):
        opened.clear()
        call("read", "--benchmark", *words)
        assert opened == parts


def test_the_card_counts_every_part() -> None:
    card = (path_of("development").parent / "README.md").read_text(encoding="utf-8")
    head = f"| | {' | '.join(available())} |"
    assert card.count(head) == 7
    kept = next(line for line in card.splitlines() if line.startswith("| rows kept "))
    counts = [f"{len(examples(part)):,}" for part in available()]
    assert kept == f"| rows kept | {' | '.join(counts)} |"


def test_no_kind_comes_from_more_writers_than_the_card_says() -> None:
    """Of the parts that may be looked at."""
    writers: dict[str, set[str]] = {}
    for part in SEEN:
        for example in examples(part):
            writers.setdefault(example.kind, set()).add(example.writer)
    sizes = [len(names) for names in writers.values()]
    assert max(sizes) == 5
    assert sum(size <= 2 for size in sizes) > len(sizes) / 2

"""Reading items: formats, field maps, selection, and every fault of a file at once."""

from __future__ import annotations

import contextlib
import csv
import doctest
import gzip
import io
import json
import random
import subprocess
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import ROOT
from each import each
from horsesense.checks.check import check_items
from horsesense.errors import HorsesenseError, ItemsError, UsageError
from horsesense.items import files as datasets_files
from horsesense.items.files import load_rows, zstd
from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items
from studies import jsonl

Row = dict[str, Any]
BASE: Row = {"question": "Which?", "options": ["x", "y", "z"], "answer_index": 0}


def choice(name: str, **more: Any) -> Row:
    return {"id": name, **BASE, **more}


def lines(rows: Iterable[Row]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write rows (as JSON Lines) or bytes to a file and return its path."""

    def write_file(content: Iterable[Row] | bytes, name: str = "set.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else lines(content))
        return path

    return write_file


Write = Callable[..., Path]


# --- Formats -------------------------------------------------------------------------------------

ROWS = [
    {"id": "a", "text": "first, with a comma", "label": "yes"},
    {"id": "b", "text": 'a "quoted"\nsecond line — ünï', "label": "no"},
    {"id": "c", "text": "third", "label": "yes"},
]


def as_csv(rows: list[Row], delimiter: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_parquet(rows: list[Row]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows).write_parquet(out)
    return out.getvalue()


FORMATS: dict[str, Callable[[list[Row]], bytes]] = {
    "set.jsonl": lines,
    "set.ndjson": lines,
    "set.JSONL.GZ": lambda rows: gzip.compress(lines(rows), mtime=0),
    "set.jsonl.zst": lambda rows: zstd.compress(lines(rows[:2])) + zstd.compress(lines(rows[2:])),
    "set.csv": as_csv,
    "set.csv.gz": lambda rows: gzip.compress(as_csv(rows), mtime=0),
    "set.tsv": lambda rows: as_csv(rows, "\t"),
    "set.parquet": as_parquet,
    "bom.jsonl": lambda rows: b"\xef\xbb\xbf" + lines(rows),
    "blank.jsonl": lambda rows: lines(rows).replace(b"\n", b"\r\n\r\n"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_items(name: str, write: Write) -> None:
    items = load_items(write(FORMATS[name](ROWS), name))
    assert items.kind == "label"
    assert items.labels == ("no", "yes")
    assert [(i.id, i.question, i.gold) for i in items] == [
        ("a", ROWS[0]["text"], 1),
        ("b", ROWS[1]["text"], 0),
        ("c", ROWS[2]["text"], 1),
    ]


def test_rows_carry_the_line_on_which_they_begin(write: Write) -> None:
    assert [n for n, _ in load_rows(write(as_csv(ROWS), "a.csv"))] == [2, 3, 5]
    assert [n for n, _ in load_rows(write(b'{"a":1}\n\n{"a":2}', "a.jsonl"))] == [1, 3]
    assert [n for n, _ in load_rows(write(as_parquet(ROWS), "a.parquet"))] == [1, 2, 3]


def test_rows_keep_their_types_and_csv_cells_are_text_or_none(write: Write) -> None:
    row = {"n": 1, "x": 0.5, "none": None, "deep": {"a": [1]}}
    assert list(load_rows(write([row]))) == [(1, row)]
    assert list(load_rows(write(b"a,b\n1,\n", "a.csv"))) == [(2, {"a": "1", "b": None})]


def test_rows_with_numbers_that_json_does_not_know(write: Write) -> None:
    """Python writes log-probabilities of nothing as -Infinity."""
    [(_, row)] = load_rows(write(b'{"p": -Infinity, "big": 123456789012345678901234567890}'))
    assert row == {"p": float("-inf"), "big": 1.2345678901234568e29}


# --- Fields --------------------------------------------------------------------------------------


def only(items: ItemSet) -> Item:
    (item,) = items
    return item


def test_all_fields_of_a_choice_item(write: Write) -> None:
    row = choice("a", context="c", subject="s", cluster=7, split="test", extra={"x": 1})
    assert only(load_items(write([row]))) == Item(
        "a", "Which?", ("x", "y", "z"), 0, context="c", subject="s", cluster="7", split="test"
    )


def test_all_fields_of_a_pair(write: Write) -> None:
    rows = [
        {"id": 1, "text_a": "a", "text_b": "b", "target": "w", "label": 0},
        {"id": 2, "text_a": "c", "text_b": "d", "label": True},
    ]
    items = load_items(write(rows))
    assert items.labels == ("0", "true")
    assert items.items[0] == Item("1", "a", ("0", "true"), 0, text_b="b", target="w")


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (["x", "y", "z"], "B"),
        (["x", "y", "z"], "y"),
        (["x", "y", "z"], " y "),
        ({"text": ["x", "y", "z"], "label": ["1", "2", "3"]}, "2"),
        ([{"label": "P", "text": "x"}, {"label": "Q", "text": "y"}], "Q"),
        ({"A": "x", "B": "y", "C": "z"}, "B"),
        ('["x", "y"]', "B"),
        ([1, 2, 3], "2"),
    ],
)
def test_shapes_of_options_and_golds_by_name(options: Any, answer: str, write: Write) -> None:
    item = only(
        load_items(write([{"id": "a", "question": "q", "options": options, "answer": answer}]))
    )
    assert item.gold == 1
    assert item.options[1] in {"y", "2"}


def test_columns_as_options_with_empty_cells_at_the_end(write: Write) -> None:
    path = write(b"id,prompt,a,b,c,gold\n1,p,x,y,,1\n2,p,x,y,z,2\n", "a.csv")
    field_map = {"question": "prompt", "options": "a,b,c", "answer_index": "gold"}
    items = load_items(path, map=field_map)
    assert [(i.options, i.gold) for i in items] == [(("x", "y"), 1), (("x", "y", "z"), 2)]


def test_ids_are_row_numbers_where_there_are_none(write: Write) -> None:
    assert [i.id for i in load_items(write([BASE, BASE]))] == ["row-0001", "row-0002"]


def test_gold_may_be_unknown_in_all_or_some_rows(write: Write) -> None:
    bare = [{"question": text, "options": ["x", "y"]} for text in "qr"]
    items = load_items(write(bare))
    assert not items.has_gold
    assert items.notes == (
        "2 of 2 items have no right answer, so no score counts them; --map names its field.",
    )
    items = load_items(write([choice("a"), choice("b", answer_index=None)]))
    assert [i.gold for i in items] == [0, None]


def test_labels_given_keep_their_order_and_are_enforced(write: Write) -> None:
    path = write(ROWS)
    assert load_items(path, labels=["yes", "maybe", "no"]).items[0].gold == 0
    with pytest.raises(
        ItemsError, match=r"line 2: label 'no' is not in the label set \(yes, maybe"
    ):
        load_items(path, labels=["yes", "maybe"])


def test_hostile_text_is_data(write: Write) -> None:
    """Control characters stay; half a surrogate pair has no UTF-8 form and becomes U+FFFD."""
    text = '"a\\u0000\\u001b[2J<script>=1+1\\ud83d\\ude00\\ud800"'
    path = write(f'{{"id": "a", "question": {text}, "options": ["\\udc00", "y"]}}'.encode())
    item = only(load_items(path))
    assert item.question == "a\0\x1b[2J<script>=1+1😀\ufffd"
    assert item.options == ("\ufffd", "y")
    assert load_items(path).fingerprint


# --- Selection -----------------------------------------------------------------------------------

SPLITS = [
    choice(f"{s}{n}", question=f"{s} {n}?", split=s, topic=n % 2)
    for s in ("train", "test")
    for n in range(3)
]


def test_several_splits_and_no_choice_is_an_error_that_lists_them(write: Write) -> None:
    with pytest.raises(UsageError, match=r"several splits.*\nSplits: train \(3\), test \(3\)\."):
        load_items(write(SPLITS))


def test_choosing_splits_and_rows(write: Write) -> None:
    path = write(SPLITS)
    assert [i.id for i in load_items(path, split="test")] == ["test0", "test1", "test2"]
    assert len(load_items(path, split="test,train")) == 6
    assert [i.id for i in load_items(path, where={"split": "test", "topic": "1"})] == ["test1"]
    items = load_items(path, split="test")
    assert items.notes == ("3 of 6 rows selected (split test).",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "dev"}, r"no split 'dev'.\nSplits: train \(3\)"),
        ({"where": {"topic": "9"}}, r"no row has topic=9.\nValues: 0 \(4\), 1 \(2\)"),
        ({"where": {"topc": "1"}}, r"'topc' is no field. Did you mean 'topic'\?"),
        ({"map": {"question": "prompt"}}, r"no row has the mapped field 'prompt'.\nFields: id, "),
        ({"map": {"qestion": "prompt"}}, r"'qestion' is no field. Did you mean 'question'\?"),
        ({"split": "test", "limit": 0}, r"limit is 0"),
        ({"split": "test", "labels": ["x", "y"]}, r"labels were given, but the items have options"),
    ],
)
def test_impossible_selections(options: Any, message: str, write: Write) -> None:
    with pytest.raises(UsageError, match=message):
        load_items(write(SPLITS), **options)


def test_where_applies_before_the_label_set_is_taken_and_split_after(write: Write) -> None:
    rows = [
        {"text": "a", "label": "x", "task": "1", "split": "train"},
        {"text": "b", "label": "y", "task": "1", "split": "test"},
        {"text": "c", "label": "z", "task": "2", "split": "test"},
    ]
    items = load_items(write(rows), where={"task": "1"}, split="test")
    assert items.labels == ("x", "y")


def test_a_limit_draws_by_id_and_keeps_the_order_of_the_file(write: Write) -> None:
    rows = [choice(f"q{n:03}", question=f"Which, {n}?") for n in range(200)]
    drawn = [i.id for i in load_items(write(rows), limit=20)]
    assert drawn == sorted(drawn)
    assert len(drawn) == 20
    shuffled = random.Random(1).sample(rows, len(rows))
    assert {i.id for i in load_items(write(shuffled), limit=20)} == set(drawn)
    assert {i.id for i in load_items(write(rows), limit=20, seed=1)} != set(drawn)
    assert set(drawn) < {i.id for i in load_items(write(rows), limit=30)}
    assert load_items(write(rows), limit=20).notes == (
        "A random sample of 20 of 200 items (seed 0).",
    )


SHARED = "contexts are shared by several items; each is taken as a cluster."
ONE_SHARED = "1 context is shared by several items, which are taken as a cluster."
COPIES = "1 item with copies, word for word: an item and its copies are taken as a cluster."


@each(
    ("rows", "clusters", "notes"),
    [
        # (question, context, cluster of its own); names of clusters, "" for none
        ([("q", c, None) for c in "sstuu"], ["1", "1", "", "2", "2"], [f"2 {SHARED}"]),
        ([("q", c, None) for c in "sst"], ["1", "1", ""], [ONE_SHARED]),
        ([("q", c, "mine") for c in "sst"], ["mine"] * 3, []),
        # Of 8 texts with 6 copies each, models without a fault were accused in 8 of 53 studies.
        ([(q, None, None) for q in "pqp"], ["1", "", "1"], [COPIES]),
        ([(q, None, "mine") for q in "pqp"], ["mine"] * 3, []),
        # One story in a file of 20 passages made 400 items of their own of them: passages that were
        # declined as a whole accused a sound model in 25 of 150 studies.
        (
            [*(("q", c, None) for c in "sstuu"), ("r", None, "story")],
            ["1", "1", "", "2", "2", "story"],
            [f"2 {SHARED}"],
        ),
        (
            [
                *(("p", None, name) for name in (None, "story", "other")),
                ("q", None, None),
                ("q", "s", "passage"),
                ("r", "s", None),
            ],
            ["story", "story", "other", "", "passage", "passage"],
            [
                ONE_SHARED,
                COPIES,
                "2 items without a cluster are in that of another with the same text or context.",
            ],
        ),
    ],
)
def test_items_with_one_context_or_text_are_a_cluster(
    rows: list[tuple[str, str | None, str | None]], clusters: list[str], notes: list[str]
) -> None:
    made = [
        choice(str(n), question=question, context=context, cluster=own)
        for n, (question, context, own) in enumerate(rows)
    ]
    items = load_items(made)
    found = [i.cluster or "" for i in items]
    assert [a == b for a in found for b in found] == [a == b for a in clusters for b in clusters]
    assert all(a == b for a, b in zip(found, clusters, strict=True) if not b.isdigit())
    assert list(items.notes) == notes
    if not any(own for _, _, own in rows):
        assert [i.cluster or "" for i in load_items(made[::-1])][::-1] == found


def test_other_options_make_another_item() -> None:
    rows = [choice("a", question="p"), choice("b", question="p", options=["other", "options"])]
    assert [i.cluster for i in load_items(rows)] == [None, None]


def test_items_of_a_few_shot_file_are_flagged(write: Write) -> None:
    shots = write([choice("s", question="which ?")], "shots.jsonl")
    items = load_items(write([choice("a"), choice("b", question="Why?")]), shots_from=shots)
    assert items.flagged("in_shots") == {"a"}


# --- Faults --------------------------------------------------------------------------------------


def faults(path: Path, **options: Any) -> list[str]:
    with pytest.raises(ItemsError) as caught:
        load_items(path, **options)
    return list(caught.value.faults)


def test_all_faults_of_a_file_at_once_in_the_order_of_its_lines(write: Write) -> None:
    rows: list[Any] = [choice(f"i{n}") for n in range(1, 14)]
    rows[2].pop("question")
    rows[3]["answer_index"] = 3
    rows[4]["options"] = ["x"]
    rows[5]["id"] = "i1"
    rows[7]["options"] = [str(n) for n in range(30)]
    rows[8]["question"] = " \n"
    rows[9].update(question=float("nan"), options=["a", {"x": 1}, ""], answer_index=float("nan"))
    rows[10] = [1, 2]
    rows[11].pop("answer_index")
    rows[12]["question"] = {"stem": "q"}
    content = lines(rows).split(b"\n")
    content[6] = b'{"id": "i7", "question": '
    assert faults(write(b"\n".join(content))) == [
        "line 3: question is missing",
        "line 4: answer_index is 3; with 3 options it is 0 to 2",
        "line 5: the length of options is 1; an item has 2 to 26 options",
        "line 6: id 'i1' is already used in line 1",
        "line 7: broken JSON at column 27: Expecting value",
        "line 8: the length of options is 30; an item has 2 to 26 options",
        "line 9: question is empty",
        "line 10: question is NaN where text is expected",
        "line 10: option B is an object where text is expected",
        "line 10: option C is empty",
        "line 10: answer_index is nan, not a whole number "
        "(a letter or an option's text: --map answer=answer_index)",
        "line 11: a list where an object with fields is expected",
        "line 12: answer_index is missing (null means: not known)",
        "line 13: question is an object where text is expected",
    ]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"answer": "Q"}, "answer 'Q' is neither an option nor its letter"),
        ({"answer": "A", "options": ["B", "A"]}, "answer 'A' names more than one option"),
        ({"answer": "x", "options": ["x", "x"]}, "answer 'x' names more than one option"),
        ({"answer": 1}, "answer is a number, not a letter or an option "
                        "(a number from 0: --map answer_index=answer)"),
        ({"answer": "A", "options": "x or y"}, "options is text where a list is expected"),
        ({"answer": "A", "options": None}, "options is missing"),
        ({"answer": "A", "options": [True, "y"]},
         "option A is true/false where text is expected"),
        ({"answer": "A", "id": None}, "id is empty"),
        ({"answer": "A", "id": 1.5}, "id is a number where text is expected"),
        ({"answer": "A", "context": ["p"]}, "context is a list where text is expected"),
        ({"answer": "A", "subject": {}}, "subject is an object where text is expected"),
    ],
)  # fmt: skip
def test_faults_of_a_row(row: Row, fault: str, write: Write) -> None:
    sound = {"id": "0", "question": "q", "options": ["x", "y"], "answer": "A"}
    assert faults(write([sound, {**sound, "id": "1", **row}])) == [f"line 2: {fault}"]


def test_faults_of_labelled_texts(write: Write) -> None:
    rows = [*ROWS, {"id": "d", "text": "", "label": "yes"}, {"id": "e", "text": "t", "label": [1]},
            {"id": "f", "text": "t"}]  # fmt: skip
    assert faults(write(rows)) == [
        "line 4: text is empty",
        "line 5: label is a list where a label is expected",
        "line 6: label is missing (null means: not known)",
    ]
    pair = [{"text_a": "a", "text_b": "b", "label": "x"}, {"text_a": "a", "label": "y"}]
    assert faults(write(pair)) == ["line 2: text_b is missing"]


def test_mapped_names_stand_in_faults(write: Write) -> None:
    rows = [{"prompt": "", "choices": ["x"]}]
    found = faults(write(rows), map={"question": "prompt", "options": "choices"})
    assert found == [
        "line 1: prompt (question) is empty",
        "line 1: the length of choices (options) is 1; an item has 2 to 26 options",
    ]


def test_faults_of_a_csv_file(write: Write) -> None:
    content = b'id,text,label\n1,a,x\n2,b\n3,"b "c" d",x\n4,\xe9,y\n5,,y\n6,"c,y\n'
    assert faults(write(content, "a.csv")) == [
        "line 3: has 2 cells; the header has 3",
        "line 4: broken CSV: ',' expected after '\"'",
        "line 5: not UTF-8 text (byte 0xe9 at position 3)",
        "line 6: text is empty",
        "line 7: broken CSV: unexpected end of data",
    ]
    assert faults(write(b"id,id,text\n1,2,3\n", "b.csv")) == [
        "line 1: the header names a column twice: 'id'"
    ]


LONG = json.dumps(choice("b", question="x" * 50_000_000)).encode()


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.jsonl", b"", "it contains no rows"),
        ("a.jsonl", b"\n \n", "it contains no rows"),
        ("a.csv", b"id,text\n", "it contains no rows"),
        ("a.jsonl", '{"id": "é"}'.encode("latin-1"),
         "line 1: not UTF-8 text (byte 0xe9 at position 9)"),
        ("a.jsonl", '{"id": "a"}\n{"id": "b"}'.encode("utf-16"),
         "line 1: the file is UTF-16; it must be UTF-8"),
        ("a.jsonl", b'[\n  {\n "id": "a"\n}\n]',
         "line 1: a value over several lines; each line must contain one object"),
        ("a.jsonl", b'[{"id": "a"}]', "line 1: a list where an object with fields is expected"),
        ("a.jsonl", b'"text"', "line 1: 'text' where an object with fields is expected"),
        ("a.jsonl", b"[" * 100_000,
         "line 1: unusable JSON: nested too deeply, or a number of too many digits"),
        ("a.jsonl", b'{"id": ' + b"9" * 5_000 + b"}",
         "line 1: unusable JSON: nested too deeply, or a number of too many digits"),
        ("a.jsonl", LONG, "line 1: the line has 50,000,074 bytes; at most 16,777,216 are allowed"),
        ("a.jsonl.gz", b"hello",
         "line 1: the compressed data are damaged or cut off (Not a gzipped file (b'he'))"),
        ("a.jsonl.gz", gzip.compress(lines([choice("a")]), mtime=0)[:-9],
         "line 2: the compressed data are damaged or cut off "
         "(Compressed file ended before the end-of-stream marker was reached)"),
        ("a.jsonl.zst", zstd.compress(lines([choice("a")]))[:-9],
         "line 1: the compressed data are damaged or cut off "
         "(Compressed file ended before the end-of-stream marker was reached)"),
        ("a.jsonl.zst", b"hello",
         "line 1: the compressed data are damaged or cut off "
         "(Unable to decompress Zstandard data: Unknown frame descriptor)"),
    ],
)  # fmt: skip
def test_faults_of_a_whole_file(name: str, content: bytes, fault: str, write: Write) -> None:
    assert faults(write(content, name)) == [fault]


def test_a_damaged_parquet_file(write: Write) -> None:
    (fault,) = faults(write(b"PAR1....", "a.parquet"))
    assert fault.startswith("row 1: not a readable Parquet file")


def test_decompression_bombs_are_given_up(
    write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(datasets_files, "FREE_GROWTH", 2**20)
    monkeypatch.setattr(datasets_files, "MAX_LINE", 2**16)
    one_line = write(gzip.compress(b"a" * 2**23, mtime=0), "one.jsonl.gz")
    assert len(faults(one_line)) == 2
    assert "not read any further" in faults(one_line)[1]
    many = write(gzip.compress(b'{"a":1}\n' * 2**20, mtime=0), "many.jsonl.gz")
    assert "not read any further" in faults(many)[0]


def test_reading_stops_after_a_thousand_faults(write: Write) -> None:
    with pytest.raises(ItemsError, match=r"Reading stopped after 1,000 faults\.") as caught:
        load_items(write(b"{}\n" * 5_000))
    assert len(caught.value.faults) == 1_000
    assert "line 1 and 999 more: {}" in str(caught.value)


def test_options_are_gathered_and_other_fields_are_named() -> None:
    said = str(ItemsError("f", [f"line {n}: option {'ABCD'[n]} is empty" for n in (1, 2)]))
    assert "line 1: option B is empty; 1 more like it, the next line 2" in said
    assert "line 2: question" in str(
        ItemsError("f", ["line 1: id is empty", "line 2: question is empty"])
    )


def test_load_rows_yields_what_is_sound_and_then_names_all_faults(write: Write) -> None:
    path = write(b'{"a": 1}\n{"b\n{"a": 2}\n[]\n')
    seen: list[int] = []
    with pytest.raises(ItemsError) as caught:
        seen.extend(row["a"] for _, row in load_rows(path))
    assert seen == [1, 2]
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", r"is a directory\.\nName a file in it: mmlu_test\.jsonl"),
        ("mmlu_tset.jsonl", r"There is no file .*mmlu_tset.jsonl\.\nNear it: mmlu_test\.jsonl"),
        ("no/such/file.jsonl", r"There is no file"),
        ("a.txt", r"does not say what format.*\nKnown endings: \.jsonl, "),
        ("a.parquet.gz", r"does not say what format"),
        ("a.toml", r"a study or a run, not items\.\n`horsesense run"),
        ("a.xlsx", r"workbook.*\nSave it as .CSV UTF-8"),
        ("sampel", "Did you mean 'sample'"),
    ],
)
def test_sources_that_are_no_file_of_items(name: str, message: str, write: Write) -> None:
    folder = write(ROWS, "mmlu_test.jsonl").parent
    if name.startswith("a."):
        (folder / name).touch()
    with pytest.raises(UsageError, match=message):
        load_items(name if name == "sampel" else folder / name)


def test_rows_without_usable_fields(write: Write) -> None:
    with pytest.raises(UsageError, match=r"needs `question` and `options`.*\nFields: prompt, c\."):
        load_items(write([{"prompt": "x", "c": ["a"]}]))


def test_a_label_set_needs_two_labels(write: Write) -> None:
    with pytest.raises(UsageError, match="needs two different labels"):
        load_items(write(ROWS[:1]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["id", "question", "options", "answer_index", "answer", "text", "text_a", "label", "split", "x"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.dictionaries(NAMES, JSON, max_size=6), max_size=4))
def test_whatever_a_file_holds_it_is_read_or_refused(rows: list[Row], write: Write) -> None:
    path = write(rows)
    try:
        items = load_items(path)
    except HorsesenseError:
        return
    for item in items:
        assert item.question.strip()
        assert len(item.options) >= 2
        assert item.gold is None or 0 <= item.gold < len(item.options)
    assert items.fingerprint


# --- Hugging Face --------------------------------------------------------------------------------


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The `datasets` library, with its cache in the test's own directory."""
    datasets = pytest.importorskip("datasets", reason="needs the extra 'data'")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    datasets.disable_progress_bars()
    return datasets


HUB_MAP = {"options": "choices", "answer": "answerKey"}


def test_a_directory_in_the_layout_of_the_hub(
    hub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "arc"
    folder.mkdir()
    rows = [
        {
            "id": n,
            "question": "q",
            "choices": {"text": ["x", "y"], "label": ["1", "2"]},
            "answerKey": n,
        }
        for n in "12"
    ]
    (folder / "train.jsonl").write_bytes(lines(rows))
    (folder / "test.jsonl").write_bytes(lines(rows[1:]))
    monkeypatch.chdir(tmp_path)
    items = load_items("hf:./arc:train", map=HUB_MAP)
    assert items.name == "arc"
    assert [(i.id, i.options, i.gold, i.split) for i in items] == [
        ("1", ("x", "y"), 0, "train"),
        ("2", ("x", "y"), 1, "train"),
    ]
    assert len(load_items("hf:./arc", split="test", map=HUB_MAP)) == 1
    assert len(load_items("hf:./arc", split="test", map=HUB_MAP, limit=1)) == 1
    with pytest.raises(UsageError, match=r"several splits.*\nSplits: train \(2\), test \(1\)"):
        load_items("hf:./arc", map=HUB_MAP)
    with pytest.raises(UsageError, match=r"no split 'dev'"):
        load_items("hf:./arc:dev", map=HUB_MAP)
    assert len(load_items("hf:./arc:test", split="*", map=HUB_MAP)) == 1
    with pytest.raises(UsageError, match=r"names a split other than 'test'"):
        load_items("hf:./arc:train", split="test", map=HUB_MAP)
    with pytest.raises(UsageError, match=r"could not be loaded: .*'cfg' not found"):
        load_items("hf:./arc@cfg:test", map=HUB_MAP)


def test_class_numbers_become_the_names_that_the_set_declares(hub: Any, tmp_path: Path) -> None:
    features = hub.Features(
        {"text": hub.Value("string"), "label": hub.ClassLabel(names=["neutral", "contra"])}
    )
    columns = {"text": ["a", "b", "c"], "label": [1, 0, -1]}
    hub.Dataset.from_dict(columns, features=features).save_to_disk(tmp_path / "nli")
    items = load_items(f"hf:{tmp_path / 'nli'}")
    assert items.labels == ("neutral", "contra")
    assert [i.gold for i in items] == [1, 0, None]


def test_faults_of_hub_sets_name_their_rows(hub: Any, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "test.jsonl").write_bytes(lines([choice("a"), choice("b", answer_index=9)]))
    with pytest.raises(ItemsError, match=r"row 2: answer_index is 9"):
        load_items(f"hf:{folder}")


def test_only_tables_are_read_from_the_hub(hub: Any, tmp_path: Path) -> None:
    """An archive may hold anything, and its members are decoded by their names."""
    folder = tmp_path / "tar"
    folder.mkdir()
    (folder / "train.tar").write_bytes(b"\0" * 10_240)
    with pytest.raises(UsageError, match="of the form 'webdataset', which is not read"):
        load_items(f"hf:{folder}")


@pytest.mark.parametrize("source", ["hf:", "hf:a@", "hf:a:b:c", "hf:./no-such-directory"])
def test_hub_names_that_name_nothing(source: str) -> None:
    pytest.importorskip("datasets", reason="needs the extra 'data'")
    with pytest.raises(UsageError):
        load_items(source)


# --- Every file of the shared benchmark data -----------------------------------------------------


@pytest.mark.slow
@pytest.mark.shared
def test_every_shared_file_is_read_whole(shared: Path) -> None:
    paths = sorted((shared / "data").glob("*/*.jsonl.gz"))
    assert len(paths) > 40
    for path in paths:
        annotated = path.parent.name == "mcq_robustness_annotated"
        items = load_items(path, split="*", map={"answer_index": "gold_index"} if annotated else {})
        with gzip.open(path) as stream:
            assert len(items) == sum(1 for _ in stream), path
        assert items.has_gold == (not path.parent.name.startswith("opinionqa"))


# --- Documentation -------------------------------------------------------------------------------


def test_the_examples_of_the_documentation_run() -> None:
    page = ROOT / "docs" / "items.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 5)
    for name in ("items.item", "items.load", "items.fields", "items.nested", "progress"):
        assert doctest.testmod(import_module(f"horsesense.{name}"))[0] == 0
    assert doctest.testmod(import_module("horsesense_extras.cli.export"))[0] == 0


def test_a_split_behind_the_name_of_a_file(tmp_path: Path) -> None:
    rows = [{"text": f"text {i}", "label": "ab"[i % 2], "split": ["dev", "test"][i // 2]}
            for i in range(4)]  # fmt: skip
    path = jsonl(tmp_path / "a.jsonl", rows)
    assert [item.question for item in load_items(f"{path}:test")] == ["text 2", "text 3"]
    assert len(load_items(f"{path}:dev,test")) == 4
    with pytest.raises(UsageError, match="there is no split 'train'"):
        load_items(f"{path}:train")
    with pytest.raises(UsageError, match="--split says dev"):
        load_items(f"{path}:test", split="dev")
    hub = path.rename(tmp_path / "hf:a.jsonl")
    with contextlib.chdir(tmp_path):
        assert len(load_items(hub.name, split="dev,test")) == 4


@pytest.mark.parametrize(("encoding", "named"), [("latin-1", "WINDOWS-1252"), ("utf-16", "UTF-16")])
def test_a_text_in_another_encoding_is_refused_with_the_command(
    tmp_path: Path, encoding: str, named: str
) -> None:
    path = tmp_path / "old ones.csv"
    rows = [f"Où est {'x' * n}é?,là,ici,A" for n in range(3)]
    path.write_text("\n".join(["question,A,B,answer", *rows]), encoding=encoding)
    with pytest.raises(ItemsError) as caught:
        load_items(path)
    command = caught.value.hint.partition(": ")[2] if caught.value.hint else ""
    assert command.startswith(f"iconv -f {named} -t UTF-8 '")
    assert len(str(caught.value).splitlines()) == 3, "one line for all rows"
    subprocess.run(command, shell=True, check=True)
    assert len(load_items(tmp_path / "old ones.utf8.csv")) == 3


def test_faulty_rows_may_be_left_out_and_kept_in_mind(write: Write) -> None:
    path = write(
        b'{"id": "a", "text": "x", "label": "1"}\n{"text": "", "subject": [2], "label": "2"}\n{'
    )
    items = load_items(path, skip_faults=True)
    assert [item.id for item in items] == ["a"]
    assert [fault.split(":")[0] for fault in items.faults] == ["line 2", "line 3"]
    assert [hit.item for hit in check_items(items).findings[0].found.hits] == ["line 2", "line 3"]
    with pytest.raises(ItemsError):
        load_items(path)


def test_a_second_row_of_one_id_is_left_out_like_other_faults(write: Write) -> None:
    path = write(
        b'{"id": "a", "text": "x", "label": "1"}\n{"id": "a", "text": "y", "label": "2"}\n'
    )
    items = load_items(path, skip_faults=True)
    assert [(item.id, item.question) for item in items] == [("a", "x")]
    assert check_items(items).findings[0].found.n == 2


def test_empty_lines_of_a_spreadsheet_are_no_rows(write: Write) -> None:
    assert len(load_items(write(b"question;A;B;answer\nq;x;y;A\n;;;\n;;;\n", "a.csv"))) == 1

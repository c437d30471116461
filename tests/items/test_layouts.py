"""Items as people have them are read without a map; what is not safe is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from each import each
from horsesense.errors import ItemsError, UsageError
from horsesense.items.load import load_items
from horsesense.items.tasks import task_for
from studies import jsonl

Q = "What is the capital of France?"
TOWNS = ["Rome", "Paris", "Bonn", "Lyon"]
COLUMNS = {"A": "Rome", "B": "Paris", "C": "Bonn", "D": "Lyon"}
GPQA = {"Correct Answer": "Paris", "Incorrect Answer 1": "Rome", "Incorrect Answer 2": "Bonn",
        "Incorrect Answer 3": "Lyon"}  # fmt: skip

LAYOUTS: dict[str, dict[str, Any]] = {
    "index": {"question": Q, "choices": TOWNS, "answer": 1},
    "letter": {"question": Q, "choices": TOWNS, "answer": "B"},
    "small letter": {"question": Q, "options": TOWNS, "answer": "(b)"},
    "text": {"question": Q, "choices": TOWNS, "answer": "Paris"},
    "columns": {"Question": Q, **COLUMNS, "Answer": "B", "Subject": "towns"},
    "option_a": {"question": Q, **{f"option_{k.lower()}": v for k, v in COLUMNS.items()},
                 "correct_option": "B"},
    "medmcqa": {"id": "x", "question": Q, **{f"op{k.lower()}": v for k, v in COLUMNS.items()},
                "cop": 1, "subject_name": "towns"},
    "gpqa": {"Record ID": "r1", "Question": Q, **GPQA},
    "sciq": {"question": Q, "distractor1": "Rome", "distractor2": "Bonn", "distractor3": "Lyon",
             "correct_answer": "Paris", "support": "France is a country."},
    "distractors": {"question": Q, "correct": "Paris", "distractor1": "Rome",
                    "distractor2": "Bonn", "distractor3": "Lyon"},
    "arc": {"id": "x", "question": Q, "answerKey": "2",
            "choices": {"text": TOWNS, "label": ["1", "2", "3", "4"]}},
    "openbookqa": {"question_stem": Q, "answerKey": "B",
                   "choices": {"text": TOWNS, "label": ["A", "B", "C", "D"]}},
    "inspect": {"input": Q, "choices": TOWNS, "target": "B"},
    "hellaswag": {"ctx": Q, "endings": TOWNS, "label": "1"},
    "race": {"article": "France is a country.", "question": Q, "options": TOWNS, "answer": "B"},
    "mmlu-pro": {"question": Q, "options": TOWNS, "answer": "B", "answer_index": 1,
                 "category": "towns"},
}  # fmt: skip
OTHERS: dict[str, dict[str, Any]] = {"index": {"answer": 0}, "medmcqa": {"cop": 0, "id": "y"},
                                     "hellaswag": {"label": "0"}}  # fmt: skip


@each("name", LAYOUTS)
def test_layouts(name: str) -> None:
    rows = [LAYOUTS[name]]
    if name in OTHERS:  # a number is known to count from 0 by a 0
        rows.append(LAYOUTS[name] | OTHERS[name])
    items = load_items(rows)
    item = items.items[0]
    assert item.question == Q
    assert sorted(item.options) == sorted(TOWNS)
    assert item.options[item.gold] == "Paris"
    if name not in ("small letter", "race"):
        assert items.notes[0].startswith("Fields taken as ")
    if "Subject" in rows[0] or "subject_name" in rows[0] or "category" in rows[0]:
        assert item.subject == "towns"


@each(
    ("numbers", "golds"),
    [
        ([1, 4, 2], [0, 3, 1]),
        ([1, 4, 2, 4, 5], [0, 3, 1, 3]),
        (["1", "4", "2", "0", "4"], [0, 3, 1, 3]),
        ([0, 3, 1, 7], [0, 3, 1]),
        (["Rome", "Paris", "Bonn", "2", "0"], [0, 1, 2]),
    ],
)
def test_a_right_answer_is_read_as_fits_most_rows(numbers: list[Any], golds: list[int]) -> None:
    rows = [{"question": f"{i}?", "choices": TOWNS, "answer": n} for i, n in enumerate(numbers)]
    items = load_items(rows, skip_faults=True)
    assert [item.gold for item in items] == golds
    assert len(items) + len(items.faults) == len(rows)


def test_a_number_that_may_count_both_ways_is_asked_for() -> None:
    rows = [{"question": "a?", "choices": TOWNS, "answer": 1}]
    for more in ([], [rows[0] | {"answer": n} for n in (0, 4, 7)]):
        with pytest.raises(UsageError) as caught:
            load_items(rows + more)
        assert "--map answer_index=answer" in str(caught.value)
        assert "--map answer_number=answer" in str(caught.value)
    assert load_items(rows, map={"answer_number": "answer"}).items[0].gold == 0
    assert load_items(rows, map={"answer_index": "answer"}).items[0].gold == 1
    few = [{"question": f"{n}?", "choices": TOWNS, "answer": n or "B"} for n in range(5)]
    with pytest.raises(ItemsError, match=r"1 fault\n  row 1: answer \(answer_number\) is 'B'"):
        load_items(few)


def test_a_map_and_our_own_names_come_first() -> None:
    row = {"question": Q, "prompt": "Other?", "choices": TOWNS, "answer": "B"}
    assert load_items([row]).items[0].question == Q
    assert load_items([row], map={"question": "prompt"}).items[0].question == "Other?"


@pytest.mark.parametrize(
    "row",
    [{"sentence": "good", "sentiment": "positive"}, {"premise": "good", "hypothesis": "a",
                                                     "label": "positive"}],
)  # fmt: skip
def test_texts_to_classify(row: dict[str, str]) -> None:
    names = list(row)
    other = row | {names[0]: "bad", names[-1]: "negative"}
    items = load_items([row, other])
    assert items.kind == "label"
    assert [items.labels[i.gold] for i in items if i.gold is not None] == ["positive", "negative"]


def test_how_answers_are_read_is_said() -> None:
    letters = load_items([{"question": Q, "options": TOWNS, "answer": "B"}])
    assert letters.notes == (
        "Right answers in answer are the letters of options (--map says otherwise).",
    )
    texts = load_items([{"question": Q, "options": TOWNS, "gold": "Paris"}])
    assert "answer=gold; right answers in gold are the texts of options" in texts.notes[0]


def test_a_field_that_names_items_is_their_id() -> None:
    rows = [{"question": f"{n}?", "options": TOWNS, "answer": "B", "ref": f"r-{n}"} for n in "ab"]
    assert [item.id for item in load_items(rows)] == ["r-a", "r-b"]
    same = [{**row, "ref": "r"} for row in rows]
    assert "r" not in [item.id for item in load_items(same)]
    with pytest.raises(UsageError, match=r"--map question=q --map options=choices"):
        load_items([{"ref": row["ref"], "q": Q, "choices": TOWNS, "answer": "B"} for row in rows])


def test_right_answers_that_disagree_are_counted() -> None:
    rows = [
        {"question": f"{n}?", "options": TOWNS, "answer_index": 1, "answer": "AB"[n % 3 > 0]}
        for n in range(6)
    ]
    note = "answer_index is read as the right answer; answer names another option in 2 of 6 items."
    assert note in load_items(rows).notes
    assert not load_items(rows[1:3]).notes


def test_a_right_answer_may_differ_from_its_option_in_case() -> None:
    rows = [{"question": f"{n}?", "options": TOWNS, "answer": "PARIS"} for n in range(3)]
    items = load_items(rows)
    assert [item.gold for item in items] == [1, 1, 1]
    assert "3 of 3 right answers equal their option but for case." in items.notes
    with pytest.raises(ItemsError, match="names more than one option"):
        load_items([{"question": "a?", "options": ["ab", "AB"], "answer": "Ab"}])


def test_texts_that_nothing_reads_are_named() -> None:
    row = {"question": Q, "options": TOWNS, "answer": "B", "passage": "France."}
    more = {"story": "France.", "source": "atlas", "explanation": "It has been so since 987."}
    items = load_items([row | more])
    assert items.items[0].context == "France."
    assert "not used: story, explanation (--map" in items.notes[0]


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_of_objects(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    row = {"question": Q, "options": TOWNS, "answer": "B"}
    path.write_text(json.dumps([row, row], indent=indent))
    assert [item.gold for item in load_items(path)] == [1, 1]
    path.write_text(json.dumps([row, 3], indent=indent))
    with pytest.raises(ItemsError, match="row 2: 3 where an object"):
        load_items(path)
    path.write_text("[1, 2\n")
    with pytest.raises(ItemsError, match="broken JSON"):
        load_items(path)
    path.write_text("[" * 100_000)
    with pytest.raises(ItemsError, match="1 fault"):
        load_items(path)
    path.write_text(json.dumps(row) + "\n" + json.dumps(row))
    assert len(load_items(path)) == 2


def test_options_that_are_recognised_stand_in_the_map_to_type() -> None:
    row = {"Question Text": Q, **{f"Option {k}": v for k, v in COLUMNS.items()},
           "Correct Answer (A-D)": "B"}  # fmt: skip
    columns = "'options=Option A,Option B,Option C,Option D'"
    line = f"--map 'question=Question Text' --map {columns} --map 'answer=Correct Answer (A-D)'"
    with pytest.raises(UsageError, match=re.escape(line)):
        load_items([row])


def test_a_file_without_a_header_is_known(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text(f"{Q},Rome,Paris,Bonn,B\nWhat is 2 + 2?,3,4,5,B\n")
    with pytest.raises(UsageError, match="no header"):
        load_items(path)


@each(
    ("written", "place"),
    [("(A) red", 0), ("B. blue", 1), ("Option C", 2), ("answer: b", 1), ("c", 2), ("A) RED", 0)],
)
def test_letters_as_people_write_them(written: str, place: int) -> None:
    row = {"question": "?", "options": ["red", "blue", "green"], "answer": written}
    assert load_items([row]).items[0].gold == place


@each("written", ["A. blue", "option", "(D) red", "A or B"])
def test_what_is_no_letter_stays_a_fault(written: str) -> None:
    row = {"question": "?", "options": ["red", "blue", "green"], "answer": written}
    with pytest.raises(ItemsError, match="neither an option nor its letter"):
        load_items([row])


def test_an_answer_that_is_not_recognised_is_asked_for() -> None:
    rows = [{"question": f"{n}?", "options": ["x", "y"], "the right one": "x"} for n in range(3)]
    assert "type --map answer='the right one'" in " ".join(load_items(rows).notes)
    quiz = [{"Question": f"{n}?", "Answer 1": "a", "Answer 2": "b", "Correct answer(s)": n}
            for n in (1, 2)]  # fmt: skip
    assert [item.gold for item in load_items(quiz)] == [0, 1]


def test_texts_of_several_fields_are_joined(tmp_path: Path) -> None:
    rows = [{"law": "No dogs.", "case": f"Case {i}", "label": "yn"[i % 2]} for i in range(4)]
    rows[3]["law"] = None
    path = jsonl(tmp_path / "a.jsonl", rows)
    items = load_items(path, map={"text": "law+case"})
    assert [items.items[0].question, items.items[3].question] == ["No dogs.\nCase 0", "Case 3"]
    with pytest.raises(UsageError, match=r"no row has the mapped field 'law\+cases'"):
        load_items(path, map={"text": "law+cases"})
    rows[0]["law"] = ["No dogs."]
    with pytest.raises(ItemsError, match="is a list where text is expected"):
        load_items(jsonl(tmp_path / "b.jsonl", rows), map={"text": "law+case"})
    plus = jsonl(tmp_path / "c.jsonl", [{"a+b": f"t{i}", "label": "yn"[i % 2]} for i in range(2)])
    assert load_items(plus, map={"text": "a+b"}).items[1].question == "t1"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"text": "The mark {}"}, "The mark 1"),
        ({"question": "May mark {} be used?"}, "May mark 1 be used?"),
        ({"question": "Is it so?", "contract": "Clause {}"}, "Clause 1\nIs it so?"),
    ],
)
def test_legal_bench_is_known_by_its_fields(
    tmp_path: Path, fields: dict[str, str], text: str
) -> None:
    rows = [
        {"index": str(i), "answer": ["Yes", "No"][i % 2]}
        | {name: value.format(i) for name, value in fields.items()}
        for i in range(6)
    ]
    items = load_items(jsonl(tmp_path / "a.jsonl", rows))
    assert items.labels == ("No", "Yes")
    assert (items.items[1].id, items.items[1].question, items.items[1].gold) == ("1", text, 0)


def test_free_answers_are_no_labels(tmp_path: Path) -> None:
    rows = [{"index": str(i), "question": f"Q{i}?", "answer": f"A{i}"} for i in range(6)]
    with pytest.raises(UsageError, match="needs `question` and `options`"):
        load_items(jsonl(tmp_path / "a.jsonl", rows))


def test_rows_of_messages_are_texts_with_labels(tmp_path: Path) -> None:
    def said(i: int) -> list[dict[str, str]]:
        return [
            {"role": "system", "content": "Answer."},
            {"role": "user", "content": "An example"},
            {"role": "assistant", "content": "yes"},
            {"role": "user", "content": f"Text {i}"},
        ]

    rows = [
        {"input": said(i), "ideal": ["yes", ["no"]][i % 2], "problem_id": str(i // 2)}
        for i in range(4)
    ]
    items = load_items(jsonl(tmp_path / "a.jsonl", rows))
    first, second = items.items[:2]
    assert (items.labels, first.question, first.gold, second.gold) == (
        ("no", "yes"), "Text 0", 1, 0,
    )  # fmt: skip
    assert [item.cluster for item in items] == ["0", "0", "1", "1"]
    assert any("`input` is the text, `ideal` the label" in note for note in items.notes)
    flat = [{"prompt": f"Text {i}", "expected": ["yes", "no"][i % 2]} for i in range(4)]
    items = load_items(jsonl(tmp_path / "b.jsonl", flat))
    assert (items.labels, items.items[1].question) == (("no", "yes"), "Text 1")


def test_mrpc_and_wic_under_their_usual_names(tmp_path: Path) -> None:
    pair = {"sentence1": "A bank.", "sentence2": "The bank."}
    rows = [{**pair, "label": i % 2, "idx": i} for i in range(4)]
    items = load_items(jsonl(tmp_path / "glue-mrpc.jsonl", rows))
    assert (items.labels, items.items[1].gold, task_for(items).name) == (("No", "Yes"), 1, "mrpc")
    assert any("0 as No, 1 as Yes" in note for note in items.notes)
    quality = [{"Quality": str(i % 2), "#1 String": "a", "#2 String": "b"} for i in range(4)]
    assert task_for(load_items(jsonl(tmp_path / "mrpc.jsonl", quality))).name == "mrpc"
    words = [{**pair, "word": "bank", "label": bool(i % 2)} for i in range(4)]
    items = load_items(jsonl(tmp_path / "wic.jsonl", words))
    assert (items.items[0].target, items.labels, task_for(items).name) == (
        "bank", ("No", "Yes"), "wic",
    )  # fmt: skip
    without = [{**pair, "label": bool(i % 2)} for i in range(4)]
    items = load_items(jsonl(tmp_path / "wic.jsonl", without))
    assert task_for(items).name == "any"  # its words would ask about a word that nobody sees
    assert load_items(tmp_path / "wic.jsonl", labels=["true", "false"]).labels == ("true", "false")


def test_the_map_to_type_names_what_values_tell(tmp_path: Path) -> None:
    rows = [
        {"frage": f"Was ist {n}?", "antworten": ["ja", "nein"], "richtig": n % 2} for n in range(4)
    ]
    path = jsonl(tmp_path / "fragen.jsonl", rows)
    with pytest.raises(UsageError) as caught:
        load_items(path)
    line = "--map question=frage --map options=antworten --map answer=FIELD"
    assert str(caught.value).endswith(line)
    given = {"question": "frage", "options": "antworten", "answer_index": "richtig"}
    assert [item.gold for item in load_items(path, map=given)] == [0, 1, 0, 1]

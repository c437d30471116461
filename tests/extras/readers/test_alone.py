"""The reader by itself: its function, its command, and what other harnesses call."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from each import each
from horsesense.items.none_options import says_none
from horsesense.readers import text as modules
from horsesense.readers.corpus import examples
from horsesense.readers.text import TextReader
from horsesense.readers.text.words import SAYS_NONE
from horsesense_extras.readers import alone

OPTIONS = ["whale", "shark", "dog"]
QUESTION = "Which is not a mammal?"
SHARK = "A shark is not a mammal."


def test_the_command_reads_jsonl_and_no_row_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [e.asked() for e in examples("development")[:40]]
    lines = [*map(json.dumps, rows), "nonsense", '{"options": ["a"]}', json.dumps(rows[0])]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert alone.main([str(path)]) == 2
    assert alone.main([str(tmp_path / "none.jsonl")]) == 2
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["status"] for one in found[40:42]] == [alone.FAILED] * 2
    reader = TextReader()
    for row, one in zip([*rows, rows[0]], [*found[:40], found[42]], strict=True):
        given = {name: row[name] for name in ("finish_reason", "question")}
        reading = reader.read(row["response"], row["options"], row["labels"], **given)
        assert (one["status"], one["positions"]) == (reading.status, [*reading.positions])
        assert one["id"] == row["id"]


def test_nothing_but_the_reader_goes_into_its_wheel() -> None:
    files = [Path(alone.__file__), *Path(modules.__file__).parent.glob("*.py")]
    imported = re.findall(r"from (horsesense\.\S+)", "".join(f.read_text() for f in files))
    assert {".".join(name.split(".")[:3]) for name in imported} == {
        "horsesense.expressions", "horsesense.readers.reading", "horsesense.readers.text",
    }  # fmt: skip


@each("options", ["abc", {"A": "red", "B": "blue"}, ["red", None], None])
def test_what_is_no_list_of_options_is_not_read_as_one(options: object) -> None:
    [found] = alone.read_lines([json.dumps({"options": options, "response": "b"})])
    assert found["status"] == alone.FAILED
    with pytest.raises(ValueError, match="1 labels for 3 options"):
        alone.read("A", OPTIONS, ["A"])


def test_what_other_harnesses_call() -> None:
    for reply, letter in ((SHARK, "B"), ("I go with (A).", "A"), ("No idea.", "")):
        shown = {"options": OPTIONS, "question": QUESTION}
        assert alone.lm_eval([[reply]], [shown]) == [[letter]]
        doc = SimpleNamespace(choices=OPTIONS, query=QUESTION, gold_index=1)
        said = SimpleNamespace(final_text=[reply])
        assert alone.lighteval(doc=doc, model_response=said) == float(letter == "B")
        told = alone.promptfoo(reply, {"vars": {**shown, "answer": "B"}})
        assert (told["pass"], told["score"]) == (letter == "B", float(letter == "B"))
    assert alone.opencompass("The answer is (C).", options="ABCD") == "C"
    assert alone.opencompass("No idea.") == ""


def test_the_reader_says_what_items_say_of_none() -> None:
    options = {option.lower() for e in examples("development") for option in e.options}
    for text in (*options, "none of them", "neither of the options", "no correct answer", "none"):
        assert says_none(text) == bool(SAYS_NONE.match(text)), text

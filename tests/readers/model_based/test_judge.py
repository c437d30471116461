"""Another model as reader: its prompt, its answers, its store, and what it may not be."""

from __future__ import annotations

import json
import re
import shutil
import string
from pathlib import Path

import pytest

import horsesense as hs
from command_line import call
from each import each
from horsesense.api import audit
from horsesense.cli.each import show
from horsesense.errors import ExitCode, StoreError, UsageError
from horsesense.inference.limits import Limits
from horsesense.inference.store import Store
from horsesense.models.messages import Response
from horsesense.readers.model_based.cases import Case, case_of, references
from horsesense.readers.model_based.judge import JudgeReader, judge_prompt
from horsesense.readers.model_based.make import make_bulk_reader
from horsesense.testing.faults import FaultServer
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant
from studies import jsonl

CASE = Case("I would go with the blue one.", ("red", "blue"), ("A", "B"))
SERVER = "http:judge@http://127.0.0.1:9/v1"


@each(
    ("labels", "codes"),
    [
        ("AB", ("A", "B", "X", "Y", "Z")),
        ("XY", ("X", "Y", "W", "V", "Z")),
        ("xz", ("x", "z", "W", "Y", "V")),
        ("12", ("1", "2", "X", "Y", "Z")),
        ("", ("A", "B", "X", "Y", "Z")),
        (string.ascii_uppercase, (*string.ascii_uppercase, "NONE", "REFUSAL", "UNKNOWN")),
    ],
)
def test_codes_are_distinct_and_labels_stay(labels: str, codes: tuple[str, ...]) -> None:
    case = Case("?", tuple(f"text {n}" for n in range(len(labels) or 2)), tuple(labels))
    assert case.codes == codes
    assert len(set(codes)) == len(case.classes)


def test_a_class_that_an_option_says_is_that_option() -> None:
    case = Case("?", ("red", "Refused", "I do not know", "No correct answer is given"), ())
    assert case.special == ()
    assert case.codes == ("A", "B", "C", "D")


def test_the_prompt_has_reply_references_and_answer_in_order() -> None:
    text = judge_prompt(CASE)
    parts = ["- X: ", "- Y: ", "- Z: ", "- W: ", CASE.response, "References:", "A. red", "B. blue"]
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert text.endswith("\nAnswer:")
    assert len(judge_prompt(CASE._replace(response="word " * 10**6))) < 10_000


def test_the_judge_sees_neither_question_nor_gold() -> None:
    variant = Variant("i", "Which colour?", ("red", "blue"), ("A", "B"), (1, 0), 0)
    case = case_of(Trial("original", PLAIN, 0, (variant,)), Response("B"))
    assert case == Case("B", ("red", "blue"), ("A", "B"))
    assert "Which colour" not in references(case)


@each(
    ("answer", "status", "positions"),
    [
        ("B", "answer", (1,)),
        (" (B).", "answer", (1,)),
        ("The code is A", "answer", (0,)),
        ("X", "none", ()),
        ("Y", "refusal", ()),
        ("Z", "unknown", ()),
        ("W", "ambiguous", ()),
        ("I see.", None, ()),
        ("", None, ()),
    ],
)
def test_an_answer_of_the_judge_is_a_class_or_nothing(
    answer: str, status: str | None, positions: tuple[int, ...]
) -> None:
    found = JudgeReader(SERVER).understand(CASE, Response(answer))
    assert (None if found is None else found.status) == status
    if found is not None:
        assert found.positions == positions
        assert found.rule == "judge"


def test_the_probability_of_the_code_is_the_confidence() -> None:
    answer = Response("B", token_logprobs=({"B": -0.5, " B": -1.5, "A": -3.0},))
    found = JudgeReader(SERVER).understand(CASE, answer)
    assert found.rule == "judge_probability"
    assert found.confidence == pytest.approx(0.60653 + 0.22313, abs=1e-4)


def test_no_answer_of_the_judge_is_no_reading() -> None:
    assert JudgeReader(SERVER).understand(CASE, None) is None


@pytest.mark.parametrize("spec", ["sim:position?k=1", "nothing"])
def test_a_judge_that_cannot_judge_is_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        make_bulk_reader(f"judge:{spec}")


def first_letter_named(prompt: str) -> str:
    """A judge that takes the letter after "choose", and X where there is none."""
    reply = prompt.rpartition("The reply:\n")[2].partition("\nReferences:")[0]
    found = re.search(r"choose (\w)", reply)
    return found.group(1) if found else "X"


def write(path: Path) -> Path:
    rows = [
        {"id": "1", "options": ["red", "blue"], "response": "I choose B"},
        {"id": "2", "options": ["red", "blue"], "response": "Neither is right."},
        {"id": "3", "options": ["red", "blue"], "response": "  "},
        {"id": "4", "options": ["red", "blue"], "response": "I choose B"},
    ]
    return jsonl(path, rows)


def run_read(*arguments: object) -> tuple[int, list[dict[str, object]], str]:
    """`horsesense read --json`: exit code, rows, and what stood on stderr."""
    done = call("read", *arguments, "--json")
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_read_with_a_judge_asks_once_and_says_what_it_took(tmp_path: Path) -> None:
    path = write(tmp_path / "answers.jsonl")
    with FaultServer(answer=first_letter_named) as server:
        judge = f"judge:http:m@{server.url}"
        code, rows, said = run_read(str(path), "--reader", judge)
        asked = server.sent.total()
        assert code == 0
        assert [(row["id"], row["status"], row["letters"]) for row in rows] == [
            ("1", "answer", ["B"]),
            ("2", "none", []),
            ("3", "empty", []),
            ("4", "answer", ["B"]),
        ]
        assert "judge: 2 answers asked for" in said
        again = run_read(str(path), "--reader", judge)
        assert again[1] == rows
        assert "judge: 0 answers asked for, 2 from the store" in again[2]
        prompts = [prompt for prompt in server.sent if "References:" in prompt]
        assert len(prompts) == 2
        assert all(server.sent[prompt] == 1 for prompt in prompts)
        assert server.sent.total() >= asked
    with Store.open(tmp_path / "answers.jsonl.judge" / "store.sqlite", read_only=True) as store:
        assert store.verify().sound
        assert store.totals().responses == 2


def test_a_cascade_whose_budget_ends_says_so(tmp_path: Path) -> None:
    row = {"options": ["red", "blue"], "response": "Some like red, and some like blue."}
    path = tmp_path / "open.jsonl"
    path.write_text("\n".join(json.dumps({"id": str(n), **row}) for n in range(4)))
    with FaultServer(answer=first_letter_named) as server:
        judge = f"cascade:judge=http:m@{server.url}"
        words = (str(path), "--reader", judge, "--budget")
        code, rows, said = run_read(*words, "requests=1")
        assert (code, len(rows)) == (ExitCode.BUDGET, 4)
        assert "not read all: its budget is spent. A larger budget goes on." in said
        assert run_read(*words, "requests=9")[0] == 0


def test_what_the_judge_does_not_answer_has_no_reading(tmp_path: Path) -> None:
    path = write(tmp_path / "answers.jsonl")
    with FaultServer(answer=lambda prompt: "Hm.") as server:
        code, rows, said = run_read(
            str(path), "--reader", f"judge:http:m@{server.url}", "--out", str(tmp_path / "here")
        )
    assert code == 3
    assert [row["id"] for row in rows] == ["3"]
    assert "3 more have no reading" in said
    assert (tmp_path / "here" / "store.sqlite").is_file()


def options_shown(prompt: str) -> dict[str, str]:
    """Label -> option text of the last list of options in a prompt."""
    return dict(re.findall(r"^([A-Z])[.)] (.+)$", prompt, re.MULTILINE))


def test_a_study_asks_its_judge_once_and_counts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(prompt: str) -> str:
        return (
            "B"
            if "References:" in prompt
            else f"I take {options_shown(prompt).get('B', 'A')}, then."
        )

    with FaultServer(answer=answer) as server:
        judge = f"judge:http:judge@{server.url}"
        given = {
            "model": f"http:subject@{server.url}",
            "probes": ("original",),
            "readers": ("text", judge),
            "limit": 5,
        }
        result = audit("sample", out=tmp_path / "run", **given)
        asked = server.sent.total()
        assert result.findings["failures"] == 0
        spent = result.findings["judges"][judge]
        assert 0 < spent["answered"] <= 5
        page = (tmp_path / "run" / "report.html").read_text()
        assert f"<bdi>{judge}</bdi></th>" in page.split("What the judges cost")[1]
        show(result, as_json=False)
        assert f"{judge}: {spent['answered']} answers asked for" in capsys.readouterr().out
        assert spent["prompt_tokens"] > 0
        assert result.findings["run"]["answered"] == 5
        again = audit("sample", out=tmp_path / "run", **given)
        assert again.findings["judges"][judge]["answered"] == 0
        before = again.findings["judges_before"][judge]
        assert before["prompt_tokens"] == spent["prompt_tokens"]
        assert before["answered"] == spent["answered"]
        show(again, as_json=False)
        assert f"{judge}, in earlier readings: {spent['answered']}" in capsys.readouterr().out
        page = (tmp_path / "run" / "report.html").read_text()
        assert f"<bdi>{judge} before</bdi></th>" in page
        third = audit("sample", out=tmp_path / "run", **given)
        assert third.findings["judges_before"][judge]["answered"] == spent["answered"]
        assert server.sent.total() - asked <= 8  # what the servers offer, and no question
        [folder] = (tmp_path / "run" / "readings").glob("judge-*")
        shutil.rmtree(folder)
        with pytest.raises(StoreError) as lost:
            hs.open(result.path).report()
        assert f"horsesense read {result.path} --readers JUDGE" in str(lost.value.hint)
        hs.open(result.path).read(judge)
        assert hs.open(result.path).measure().one("accuracy", reader=judge)
    accuracy = {e.reader: e.value for e in result.results.estimates if e.measure == "accuracy"}
    assert accuracy["text"] == accuracy[judge]
    assert f"reader:{judge}@" in result.estimate("accuracy", reader=judge).signature.format()


def test_a_budget_binds_the_judge_too(tmp_path: Path) -> None:
    with FaultServer(answer=lambda prompt: "B") as server:
        judge = f"judge:http:judge@{server.url}"
        result = audit(
            "sample",
            model=f"http:subject@{server.url}",
            out=tmp_path / "run",
            probes=("original",),
            readers=(judge,),
            limit=5,
            limits=Limits(requests=10),
            no_preflight=True,
        )
    # Two calls each find out what the model and its judge offer.
    assert result.findings["run"]["sent"] == 7
    assert result.findings["judges"][judge]["sent"] == 3
    assert server.sent.total() == 10


def test_rows_with_one_id_are_told_of(tmp_path: Path) -> None:
    rows = [{"id": name, "options": ["red", "blue"], "response": "A"} for name in ("x", "y", "x")]
    path = jsonl(tmp_path / "alike.jsonl", rows)
    code, found, said = run_read(str(path))
    assert (code, len(found)) == (0, 3)
    assert "2 rows share their id with another one (x)" in said

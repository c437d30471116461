"""Questions in other words: what is accepted, what is asked, and the probe that shows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import call
from each import each
from horsesense.api import audit
from horsesense.inference.store import Store
from horsesense.items.item import Item, ItemSet
from horsesense.measures.votes import PERTURBED
from horsesense.probes.base import Setting
from horsesense.probes.registry import parse_probe
from horsesense.testing.faults import FaultServer
from horsesense_extras.build.paraphrases import CHECKS, unwrapped, why_refused
from studies import jsonl

QUESTION = "Which planet takes longest to go once around the Sun?"


@each(
    ("reply", "text"),
    [
        ("  What is it?\n", "What is it?"),
        ("Here is a paraphrase: What is it?", "What is it?"),
        ("Sure! Here's the reworded question:\n\nWhat is it?", "What is it?"),
        ('Rephrased question: "What is it?"', "What is it?"),
        ("**Reworded question:** What is it?", "What is it?"),
        ("“What is it?”", "What is it?"),
        ("Paraphrase: What is it?", "What is it?"),
        # What may belong to the question stays.
        ('"What" and "it"', '"What" and "it"'),
        ("Consider this: what is it?", "Consider this: what is it?"),
        ("Here, what is it?", "Here, what is it?"),
        ("The new one is which?", "The new one is which?"),
    ],
)
def test_only_what_surely_wraps_is_taken_off(reply: str, text: str) -> None:
    assert unwrapped(reply, QUESTION) == text


@pytest.mark.thorough
@given(st.text(max_size=80), st.text(max_size=80))
def test_no_reply_breaks_the_checks(reply: str, question: str) -> None:
    text = unwrapped(reply, question)
    assert text in reply
    item = Item("q", question or "?", ("red", "blue"), 0)
    assert why_refused(item, text) in {None, *CHECKS}
    assert why_refused(item, item.question) is not None


ACCEPTED = [
    (QUESTION, "Once around the Sun: for which planet is that the longest way in time?"),
    ("If $x^2 = 9$ and x > 0, what is x?", "What is x, given that $x^2 = 9$ and x > 0?"),
    ("The capital of France is", "France has as its capital"),
    ("Water boils at ___ degrees.", "The boiling point of water is ___ degrees."),
    ("What is not a metal?", "Which of them isn't a metal?"),
    ("How much is 1,000 - 5?", "What do you get from 1000 - 5?"),
    ("Who wrote a letter to his mother?", "To his mother, who sent some pages?"),
]


@each(("question", "text"), ACCEPTED)
def test_what_keeps_everything_is_accepted(question: str, text: str) -> None:
    assert why_refused(Item("q", question, ("Paris", "red ink"), 0), text) is None


REFUSED = [
    (QUESTION, " \n", "it is empty"),
    (QUESTION, "?", "it is empty"),
    (QUESTION, "I'm sorry, but I cannot help with that question?", "it declines"),
    (QUESTION, QUESTION.upper(), "it is the question itself"),
    (QUESTION, "Which planet is slowest?\n\nNote: as asked.", "it has more lines"),
    (QUESTION * 3, "Which is slowest?", "it is less than a third as long"),
    (QUESTION, "Which planet, pray, is it, " * 8 + "?", "it is over three times as long"),
    ("What is $x + 1$ here?", "Here, what is $1 + x$ worth?", "its formulas differ"),
    ("What are 2 and 3 together?", "What are 2 and 4 together?", "its numbers differ"),
    ("What are 2 and 3 together?", "What is the sum of 2 and three?", "its numbers differ"),
    ("What is 5 below zero?", "Below zero, what is -5?", "its numbers differ"),
    ("Who has vitamin A here?", "Here, who has the vitamin?", "a single letter is gone"),
    ('Who says "I gived it" here?', 'Who says "I gave it" here?', "its quotations differ"),
    ("Water is ___ and ___.", "Water is made of ___.", "its blanks differ"),
    ("Which is it, then?", "Then is it A) this or B) that?", "it lists options"),
    ("Which city is it?", "Is it the city of Paris or another?", "it names an option"),
    ("Which is not a city?", "Which of them is a city?", "a negation came or went"),
    ("Which is a city?", "Which isn't a town?", "a negation came or went"),
    ("Which town is the biggest?", "Surely it is the town of York.", "it asks nothing"),
]


@each(("question", "text", "reason"), REFUSED)
def test_what_changes_something_is_refused(question: str, text: str, reason: str) -> None:
    assert why_refused(Item("q", question, ("Paris", "red ink"), 0), text) == reason


ITEMS: list[dict[str, Any]] = [
    {"id": "a", "question": "Which animal barks?", "options": ["a dog", "a cat"],
     "answer_index": 0, "subject": "zoo"},
    {"id": "b", "question": "What are 2 and 2 together?", "options": ["4", "5"], "answer_index": 0},
    {"id": "c", "question": "Which sea is red?", "options": ["Red Sea", "Dead Sea"],
     "answer_index": None},
]  # fmt: skip

Build = Callable[..., tuple[int, Any]]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return jsonl(tmp_path / "items.jsonl", ITEMS)


@pytest.fixture
def build(source: Path, tmp_path: Path) -> Build:
    """`horsesense build paraphrases --json`: exit code, and what was printed."""

    def built(model: str, *more: str) -> tuple[int, Any]:
        words = ["build", "paraphrases", str(source), "--out", str(tmp_path / "worded.jsonl")]
        done = call(*words, "--model", model, "--json", *more)
        return done.returncode, json.loads(done.stdout or done.stderr)

    return built


def rows(tmp_path: Path) -> dict[str, dict[str, Any]]:
    lines = (tmp_path / "worded.jsonl").read_text().splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


WAYS = [letter * 3 for letter in "abcdefghijklmnopqrstuvwxyz"]


def asked_in(prompt: str) -> str:
    """The question that a prompt asks to reword."""
    return prompt.rpartition("\nQuestion: ")[2].removesuffix("\nReworded question:")


def writer(prompt: str) -> str:
    """A model that rewords by way, loses the number of one question and names an option."""
    instruction, question = prompt.partition("\n\n")[0], asked_in(prompt)
    if "2 and 2" in question:
        return question.replace("2 and 2", "two and two")
    if "sea" in question and "order" in instruction:
        return "Is it the Dead Sea that is red?"
    return f'Here is a paraphrase: "Say ({WAYS[len(instruction) % 26]}): {question}"'


def test_the_file_holds_the_items_with_what_was_accepted(build: Build, tmp_path: Path) -> None:
    with FaultServer(answer=writer) as server:
        model = f"http:m@{server.url}"
        code, found = build(model, "--versions", "3")
        prompts = [prompt for prompt in server.sent if "Reworded question:" in prompt]
        assert code == 0
        assert not any("a dog" in prompt or "Dead Sea" in prompt for prompt in prompts)
        assert len(prompts) == found["answered"]
        asked = dict(server.sent)
        _, again = build(model, "--versions", "3")
        assert {p: n for p, n in server.sent.items() if p in prompts} == {
            p: asked[p] for p in prompts
        }
    assert again["answered"] == 0
    assert {k: again[k] for k in ("paraphrases", "refused")} == {
        k: found[k] for k in ("paraphrases", "refused")
    }
    written = rows(tmp_path)
    assert [row | {"paraphrases": None} for row in written.values()] == [
        row | {"paraphrases": None} for row in ITEMS
    ]
    assert written["b"]["paraphrases"] == []
    assert found["refused"]["its numbers differ"] == 6  # 3 versions, 2 rounds
    for name in "ac":
        texts = written[name]["paraphrases"]
        assert len(set(texts)) == len(texts) <= 3
        assert all(text.startswith("Say (") for text in texts)
    assert found["items_with_none"] == 1
    assert found["paraphrases"] == sum(len(row["paraphrases"]) for row in written.values())
    with Store.open(tmp_path / "worded.jsonl.answers" / "store.sqlite", read_only=True) as store:
        assert store.verify().sound


def test_what_is_refused_is_asked_for_in_another_way(build: Build, tmp_path: Path) -> None:
    with FaultServer(answer=asked_in) as server:
        _, found = build(f"http:m@{server.url}", "--versions", "2")
    assert found["paraphrases"] == 0
    assert found["answered"] == 3 * 2 * 2
    assert found["refused"] == {"it is the question itself": 12}


def test_a_budget_stops_and_the_same_call_goes_on(build: Build) -> None:
    code, found = build("sim:oracle", "--budget", "requests=5")
    assert (code, found["stopped"], found["answered"]) == (4, "budget", 5)
    assert found["refused"] == {"there was no answer": 7}
    code, found = build("sim:oracle")
    assert (code, found["stopped"], found["cached"], found["paraphrases"]) == (0, None, 5, 12)


def test_a_corrected_file_is_not_overwritten(build: Build, tmp_path: Path) -> None:
    build("sim:oracle")
    path = tmp_path / "worded.jsonl"
    path.write_text(path.read_text().replace("barks", "gives bark"))
    code, found = build("sim:oracle")
    assert code == 2
    assert "not as this command wrote it" in found["error"]
    assert "gives bark" in path.read_text()


def one(*paraphrases: str) -> tuple[Item, Setting]:
    options = ("red", "green", "blue")
    item = Item("q", "Which colour is it?", options, 0, paraphrases=paraphrases)
    return item, Setting(ItemSet("s", "choice", (item,)))


def test_the_probe_shows_versions_under_the_shuffles_of_the_others() -> None:
    item, setting = one("One?", "Two?", "Three?")
    trials = parse_probe("paraphrase(versions=2)").apply(item, setting)
    assert [t.variant.question for t in trials] == ["One?"] * 5 + ["Two?"] * 5
    typos = parse_probe("key_typo(versions=2)").apply(item, setting)
    assert [t.variant.origin for t in trials] == [t.variant.origin for t in typos]
    assert "paraphrase" in PERTURBED


def test_from_build_to_report(build: Build, tmp_path: Path) -> None:
    """A model that knows is moved by no wording; the report has the entropy of the votes."""
    build("sim:oracle")
    path = tmp_path / "worded.jsonl"
    lines = path.read_text().splitlines()
    bare = {k: v for k, v in json.loads(lines[0]).items() if k != "paraphrases"}
    path.write_text("\n".join([json.dumps(bare), *lines[1:]]))
    result = audit(path, "sim:oracle", out=tmp_path / "run", probes=("paraphrase",))
    assert result.estimate("answer_entropy", "paraphrase", reader="text").value == 0
    assert result.estimate("vote_tie_rate", "paraphrase", reader="text").n == 8
    assert result.estimate("answer_change_rate", "paraphrase", reader="text").value == 0
    [left_out] = result.findings["exclusions"]
    assert (left_out["items"], left_out["examples"]) == (1, ["a"])
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Entropy of an item’s answers" in page
    assert "Other words" in page

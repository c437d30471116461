"""The record of an evaluation: as graded, as said, ranks, doubted answers, models alike."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from command_line import call
from studies import jsonl

ITEMS = 30
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, str, Path]:
    """Three models on thirty items: one is right, and two make the same mistakes.

    In the first item all contradict the right answer. The program finds no answer in every third
    reply of one model, and draws one.
    """
    folder = tmp_path_factory.mktemp("record")
    said = {
        "right": lambda n: n % 4 if n else 1,
        "drawn": lambda n: (n + n % 3) % 4 if n else 1,
        "twin": lambda n: (n + n % 3) % 4 if n else 1,
    }
    for model, choose in said.items():
        rows = []
        for n in range(ITEMS):
            letter = "ABCD"[choose(n)]
            found = None if model == "drawn" and n % 3 == 0 else letter
            reply = f"It is ({letter})."
            if model == "twin" and n in (5, 6):
                reply = None if n == 5 else "Let us look at each tree in turn, and begin with the"
            options = [f"{tree} {n}" for tree in ("oak", "elm", "yew", "fir")]
            rows.append({"question_id": n, "question": f"Which is it? {EVIL} ({n})", "pred": found,
                         "options": options, "answer_index": n % 4,
                         "category": f"part {n % 2} {EVIL}", "model_outputs": reply})  # fmt: skip
        if model == "twin":
            rows.append({**rows[0], "question_id": ITEMS, "options": ["one"]})
        (folder / f"model_outputs_{model}_5shots.json").write_text(json.dumps(rows))
    told = told_of(folder, folder / "out")
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    return told, page, folder / "out"


def test_each_model_as_graded_and_as_said(made: tuple[dict, str, Path]) -> None:
    told, _, _ = made
    models = {model["name"]: model for model in told["models"]}
    drawn = models["drawn"]
    assert (drawn["graded"], drawn["unfound"], drawn["drawn"]) == (30, 10, 10)
    assert (drawn["stated"], drawn["stated_right"]) == (10, 9)
    assert drawn["chance"] == pytest.approx(10 / 4 / 30)
    # Of the third in which no answer is found all but the first are said rightly; chance is 1/4.
    assert drawn["published"] == pytest.approx(drawn["chance"])
    assert drawn["said"]["value"] == pytest.approx(9 / 30)
    assert (models["twin"]["said"]["n"], models["twin"]["said"]["n_missing"]) == (29, 1)
    assert models["right"]["unfound"] == models["right"]["lost"] == 0
    assert [models[name]["left_out"] for name in ("right", "twin")] == [0, 1]
    assert models["twin"]["lost"] == 1
    changed = {name: (m["gained"], m["spurned"], m["unread"]) for name, m in models.items()}
    assert changed == {"right": (0, 0, 0), "drawn": (9, 0, 0), "twin": (0, 1, 1)}
    assert [e["n"] for e in models["right"]["subjects"].values()] == [15, 15]


def test_ranks_doubts_and_likeness(made: tuple[dict, str, Path]) -> None:
    told, _, _ = made
    assert told["compare"]["models"][0] == "right"
    assert told["places"]["right"] == 1
    assert [row["item"] for row in told["doubted"]][:1] == ["0"]
    first = told["alike"][0]
    assert {first["first"], first["second"]} == {"twin", "drawn"}
    assert first["same_wrong"]["value"] == 1


def test_the_page_is_static_and_everything_in_it_is_escaped(made: tuple[dict, str, Path]) -> None:
    _, page, out = made
    assert "in 33.3\u202f% of the replies no answer was found, and one was drawn" in page
    assert "<b>undecided</b>" in page
    assert "9 answers right only as said, 0 only as graded; the rest of the change" in page
    assert page.count("1 left out") == 1
    assert "the log grades them as wrong or as a guess" in (out / "drawn.html").read_text()
    assert "drew an option at random: 8.3 points of its 8.3" in page
    assert re.search(r"[12] of [23] models say", page), "models are counted, not put in percent"
    assert "reply of <bdi>twin</bdi> (n = 29) ends before" in page
    for text in (page, *(path.read_text(encoding="utf-8") for path in out.glob("*.html"))):
        assert "<img" not in text
        assert "<script" not in text
    for name in ("right", "drawn", "twin"):
        assert (out / f"{name}.html").is_file()
        assert f'href="{name}.html"' in page


def recorded(folder: Path, **models: dict[str, str | None]) -> tuple[dict, Path]:
    """The record of a table that no program graded: model -> number of an item -> reply."""
    rows = [
        {"model": model, "id": n, "question": f"Which is {n}?", "options": [f"oak {n}", f"elm {n}"],
         "answer": "A", "response": reply}
        for model, replies in models.items()
        for n, reply in replies.items()
    ]  # fmt: skip
    return told_of(jsonl(folder / "t.jsonl", rows), folder / "page"), folder / "page"


def told_of(folder: Path, out: Path) -> dict:
    return call("record", folder, "--out", out, "--json", code=0).json


@pytest.mark.thorough
def test_replies_that_nobody_graded_have_a_record(tmp_path: Path) -> None:
    said: dict[str, str | None] = {str(n): "AB"[n % 2] for n in range(12)}
    told, out = recorded(tmp_path, **{"index": said, "x\x1b[31m": said, "mute": {"1": None}})
    assert {m["name"]: m["published"] for m in told["models"]}["index"] is None
    assert set(told["compare"]["models"]) == {"index", "x\x1b[31m"}  # a mute one stops no ranking
    page = (out / "index.html").read_text(encoding="utf-8")
    assert 'href="index-model.html"' in page  # the report of a model does not lie under the page
    assert (out / "index-model.html").is_file()
    # No share of answers found, nor one of answers taken; of the mute one, nothing said either.
    assert page.count('<td class="n">–</td>\n<td class="n">–</td>') == 4
    result = call("record", out / "runs", "--out", tmp_path / "b")
    assert "\x1b" not in result.stdout
    assert "mute: not graded, said nothing.\n" in result.stdout


def test_it_says_what_it_assumes_and_that_models_were_asked_different_items(tmp_path: Path) -> None:
    rows = [
        {"model": model, "id": n, "question": f"Which is {n}?", "options": [f"oak {n}", f"elm {n}"],
         "answer": "A", "response": "A", "read": None if n == 3 else "A"}
        for model, n in [("a", 1), ("a", 3), ("b", 1), ("b", 2)]
    ]  # fmt: skip
    table = jsonl(tmp_path / "t.jsonl", rows)
    words = ("record", table, "--map", "read=read", "--out", tmp_path / "page")
    said = call(*words).stdout
    assert "holds a record already" in call(*words).stderr
    assert told_of(tmp_path / "page" / "runs", tmp_path / "page")["models"]
    for sentence in ("With --unread random --out ANOTHER", "all share 1 of 3 items."):
        assert sentence in said
        page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
        assert (sentence in page) == ("--" not in sentence), "a reader of it types nothing"


@pytest.mark.thorough
def test_models_without_an_item_in_common_have_no_ranks_and_none_is_there_twice(
    tmp_path: Path,
) -> None:
    told, out = recorded(tmp_path, a={"1": "A"}, b={"2": "B"})
    assert told["compare"] is None
    assert "share no item" in told["why_unranked"]
    assert "share no item" in (out / "index.html").read_text(encoding="utf-8")
    assert [m["name"] for m in told_of(out / "runs/a", tmp_path / "one")["models"]] == ["a"]
    shutil.copytree(out / "runs/a", out / "runs/c")
    result = call("record", out / "runs", "--out", tmp_path / "b")
    assert "Several runs are of 'a'." in result.stderr
    (tmp_path / "t.csv").write_text("model,id,response\na,1,A\nb,1,A\n")
    result = call("record", tmp_path / "t.csv", "--out", tmp_path / "n")
    assert "its item alone" in result.stderr
    assert "left out" not in result.stderr, "one refusal, not one a model before it"

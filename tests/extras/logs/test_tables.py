"""Tables of answers: layouts by name, guessed fields, several models, missing and hostile cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import horsesense as hs
from command_line import call
from horsesense.errors import ItemsError, UsageError
from horsesense.items.load import load_items
from horsesense_extras.cue_tests.answers import load_answers, load_choices
from horsesense_extras.logs.log_score import log_scores
from horsesense_extras.logs.recorded import record_of
from horsesense_extras.logs.sample import Sample, Score
from horsesense_extras.logs.tables import READ, tables
from horsesense_extras.logs.told import logs_of
from studies import jsonl

OPTIONS = ["a spoon", "a kettle", "a ladder", "a glove"]
ASKED = "Which of these boils water?"
REPLY = "Only a kettle does. The answer is (B)."


LAYOUTS = json.loads(Path(__file__).with_name("layouts.json").read_text())
"""A small file of each program, made as it writes them, with one answer to the same item."""


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pl.DataFrame(content).write_parquet(path)
    elif path.suffix in (".csv", ".tsv"):
        pl.DataFrame(content).write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".jsonl":
        jsonl(path, content)
    else:
        path.write_text(json.dumps(content))
    return path


def samples(*paths: Path, **more: Any) -> list[Sample]:
    return [sample for log in tables(paths, **more) for sample in log.samples()]


def said(sample: Sample) -> str | None:
    """The reply of a sample; None where there is none."""
    return getattr(sample.came, "text", None)


@pytest.mark.parametrize("made", LAYOUTS, ids=lambda made: made["file"])
def test_layouts_by_name(made: dict[str, Any], tmp_path: Path) -> None:
    [log] = tables([written(tmp_path, made["file"], made["content"])])
    [sample] = log.samples()
    assert not log.left_out.total
    assert log.format == made["layout"]
    assert (sample.model, said(sample), sample.gold) == ("org/m", REPLY, 1)
    assert sample.question.endswith(ASKED)
    assert [sample.options[place] for place in sample.order] == OPTIONS
    assert sample.labels == (*"ABCD",)
    values = [score.value for score in sample.scores.values()]
    assert values == ([1.0] if made["graded"] else [])


def rows(model: str = "m", replies: list[str | None] | None = None) -> list[dict[str, Any]]:
    """Rows of a table of no named program."""
    given = replies or ["The answer is (B).", "The answer is (A).", None, ""]
    return [
        {"question_id": f"q{n}", "question": f"{ASKED} ({n})", "A": "a spoon", "B": "a kettle",
         "C": "a ladder", "correct_answer": "BCA"[n % 3], "model": model, "model_output": reply}
        for n, reply in enumerate(given)
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet"])
def test_fields_of_other_tables_are_guessed_and_missing_replies_stay_missing(
    name: str, tmp_path: Path
) -> None:
    path = written(tmp_path, name, [*rows("m"), *rows("n", ["B"])])
    first, second = tables([path])
    taken = list(first.samples())
    assert (first.model, second.model, len(list(second.samples()))) == ("m", "n", 1)
    assert [s.id for s in taken] == ["q0", "q1", "q2", "q3"]
    assert (taken[0].gold, taken[0].options) == (1, ("a spoon", "a kettle", "a ladder"))
    assert taken[2].came is None
    # In CSV nothing tells an empty reply from a missing one, so that it is missing.
    assert said(taken[3]) == (None if name == "a.csv" else "")
    assert "response=model_output" in first.notes[0]


def test_a_reply_beside_an_error_or_held_back_is_none_and_keeps_its_grade(tmp_path: Path) -> None:
    ends = [("stop", "0"), ("SAFETY", None), ("content_filter", ""), ("stop", "timeout")]
    given = zip(rows(replies=["B", "The answer is B", "C", "A"]), ends, strict=True)
    told = [{**row, "finish_reason": e, "error": error, "score": 1} for row, (e, error) in given]
    taken = samples(written(tmp_path, "t.csv", told))
    assert [said(s) for s in taken] == ["B", None, None, None]
    assert [s.scores[READ].value for s in taken] == [1.0] * 4
    run = hs.load_log(tmp_path / "t.csv", out=tmp_path / "run")
    assert run.results.replies()["causes"] == {"choice": 1, "filtered": 2, "failed": 1}


def test_models_may_be_numbers_such_as_steps_of_training(tmp_path: Path) -> None:
    made = [{**row, "model": 1000 * (n > 3)} for n, row in enumerate([*rows(), *rows()])]
    path = written(tmp_path, "steps.jsonl", made)
    assert [log.model for log in tables([path])] == ["0", "1000"]


def test_a_table_without_a_row_that_can_be_read_says_why(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("question,A,B,answer,response\nq?,a,b,A,A\n", encoding="utf-16")
    with pytest.raises(ItemsError, match="UTF-16"):
        tables([path])


def test_a_reply_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    made = [{**row, "model_output": b"(B)"} for row in rows()]
    pl.DataFrame(made).write_parquet(tmp_path / "t.parquet")
    [log] = tables([tmp_path / "t.parquet"])
    assert list(log.samples()) == []
    assert dict(log.left_out.counts) == {"the reply is bytes, not text": 4}


def test_an_unknown_order_a_second_right_answer_and_a_grade_of_100(tmp_path: Path) -> None:
    row = {"question": ASKED, "options": OPTIONS, "answer_index": 1, "answer": "A"}
    one = {**row, "response": "D", "prompt": f"{ASKED} " + ", ".join(OPTIONS[::-1])}
    path = written(tmp_path, "t.jsonl", [one, {**row, "response": "B"}])
    [log] = tables([path], given={"prompt": "prompt"})
    assert [*map(said, log.samples())] == ["B"]
    assert "shows the options in an order that is not known" in str(log.left_out.counts)
    assert "In 2 rows, answer names another option" in log.notes[-1]
    shown = "\n".join(f"{n}. {t.upper()}" for n, t in zip("ABCD", OPTIONS[::-1], strict=True))
    other = written(tmp_path, "o.jsonl", [{**one, "prompt": f"{ASKED}\n{shown}"}])
    assert [s.order for s in samples(other, given={"prompt": "prompt"})] == [(3, 2, 1, 0)]
    [third] = samples(written(tmp_path, "p.jsonl", [{**row, "response": "B", "pred": "2"}]))
    assert third.scores == {READ: Score(None, "2")}, "in a notation of its own"
    beyond = {**row, "response": "I cannot.", "pred": "I"}
    [fourth] = samples(written(tmp_path, "i.jsonl", [beyond]))
    assert fourth.scores == {READ: Score(0.0, "I")}, "of no option"
    path = written(tmp_path, "g.jsonl", [{**row, "response": "B", "score": 100}])
    with pytest.raises(UsageError, match="A grade is '100'"):
        samples(path)


def test_a_grade_in_words_counts_and_one_that_is_none_is_refused(tmp_path: Path) -> None:
    graded = ["1", "fail", "85%", "✗"]
    given = zip(rows(replies=[*"BACB"]), graded, strict=True)
    made = [{**row, "score": grade} for row, grade in given]
    taken = samples(written(tmp_path, "t.csv", made))
    assert [s.scores[READ].value for s in taken] == [1.0, 0.0, 0.85, 0.0]
    path = written(tmp_path, "u.csv", [*made[:3], {**made[3], "score": "partly"}])
    with pytest.raises(UsageError, match="A grade is 'partly'"):
        samples(path)


def test_options_in_one_cell(tmp_path: Path) -> None:
    """As pandas writes a list into CSV, between bars, and as a prompt shows them."""
    lines = "\n".join(f"{n}) {text}" for n, text in zip("ABCD", OPTIONS, strict=True))
    cells = [str(OPTIONS), json.dumps(OPTIONS), " | ".join(OPTIONS), lines]
    made = [{"question": f"{ASKED} {n}", "choices": cell, "gold": "B", "output": "(B)"}
            for n, cell in enumerate(cells)]  # fmt: skip
    found = samples(written(tmp_path, "cells.csv", made))
    assert [(list(s.options), s.gold) for s in found] == [(OPTIONS, 1)] * 4


def test_a_wide_table_has_a_column_for_each_model(tmp_path: Path) -> None:
    made: list[dict[str, Any]] = []
    for row in rows():
        reply = row.pop("model_output")
        del row["model"]
        made.append({**row, "m response": reply, "n response": "(C)"})
    path = written(tmp_path, "wide.csv", made)
    assert {log.model: [*map(said, log.samples())] for log in tables([path])} == {
        "m": ["The answer is (B).", "The answer is (A).", None, None],
        "n": ["(C)"] * 4,
    }
    [one] = tables([path], given={"response": "n response"})
    assert one.model == "wide"
    mapped = tables([path], given={"response": "m response,n response"})
    assert [log.model for log in mapped] == ["m response", "n response"]
    for named in ({"response": "m response,o response"}, {"model": "o response"}):
        with pytest.raises(UsageError, match="No table has the field 'o response'"):
            tables([path], given=named)


def test_orders_that_a_program_shows_are_orders_of_one_item(tmp_path: Path) -> None:
    """CircularEval: each rotation is a row of its own, with the letter that is then right."""
    turned = [OPTIONS[n:] + OPTIONS[:n] for n in range(4)]
    golds = ["ABCD"[options.index("a kettle")] for options in turned]
    table = [
        {"index": 7 + 10**6 * n, "question": ASKED, **dict(zip("ABCD", options, strict=True)),
         "answer": gold, "prediction": "B"}
        for n, (options, gold) in enumerate(zip(turned, golds, strict=True))
    ]  # fmt: skip
    prompts = {
        str(n): {"origin_prompt": f"{ASKED}\n" + "\n".join(
            f"{label}. {text}" for label, text in zip("ABCD", options, strict=True)),
            "prediction": "B", "gold": gold}
        for n, (options, gold) in enumerate(zip(turned, golds, strict=True))
    }  # fmt: skip
    for name, content in (("v/v_MMBench.tsv", table), ("predictions/m/circular.json", prompts)):
        run = hs.load_log(written(tmp_path, name, content), out=tmp_path / f"run{len(name)}")
        assert len(run.items) == 1
        assert run.trials.filter(run.trials["probe"] == "order").height == 4
        assert run.estimate("accuracy", "order").value == 0.25


def test_no_answer_found_is_a_draw_where_the_program_draws(tmp_path: Path) -> None:
    [row] = LAYOUTS[0]["content"]
    drawn = {**row, "question_id": 8, "pred": None, "model_outputs": "It must be a kettle, (B)."}
    missing = {**row, "question_id": 9, "pred": None, "model_outputs": None}
    path = written(tmp_path, "model_outputs_m_5shots.json", [row, drawn, missing])
    [log] = tables([path])
    assert [s.scores.get(READ) for s in log.samples()] == [
        Score(1.0, "B"), Score(0.25, None), None,
    ]  # fmt: skip
    assert "found nothing in 1 answer of " in log.notes[-1]
    [wrong] = tables([path], unread="wrong")
    assert [s.scores[READ].value for s in wrong.samples() if s.scores] == [1.0, 0.0]


def test_names_of_items_alone_belong_to_the_items_beside_them(tmp_path: Path) -> None:
    written(
        tmp_path, "items.jsonl", [{"id": "q", "question": ASKED, "options": OPTIONS, "answer": "B"}]
    )
    for model in ("m", "n"):
        written(tmp_path, f"{model}.jsonl", [{"id": "q", "response": "(A)", "harness": "A"},
                                             {"id": "other", "response": "(A)"}])  # fmt: skip
    first, second = tables([tmp_path])
    [alone] = tables([tmp_path / "n.jsonl"])
    assert [s.id for s in alone.samples()] == ["q"]
    [sample] = first.samples()
    assert (first.model, second.model, sample.gold, sample.question) == ("m", "n", 1, ASKED)
    assert sample.scores[READ] == Score(0.0, "A")
    written(tmp_path / "b", "m.jsonl", [{"id": "q", "response": "(B)"}])
    assert [log.model for log in tables([tmp_path])] == ["b", tmp_path.name, "n"]
    [reason] = first.left_out.counts
    assert reason.startswith("about none of the items")


def test_of_a_file_of_items_the_sound_ones_are_taken(tmp_path: Path) -> None:
    sound = {"id": "q", "question": ASKED, "options": OPTIONS, "answer": "B"}
    items = written(tmp_path, "items.jsonl", [sound, {**sound, "id": "one", "options": ["x"]}])
    rows = [{"id": name, "response": "(B)"} for name in ("q", "one")]
    path = written(tmp_path / "a", "m.jsonl", rows)
    with pytest.raises(UsageError, match="--items FILE says what that is"):
        hs.load_log(path, out=tmp_path / "none")
    run = hs.load_log(path, items=items, out=tmp_path / "run")
    assert [item.id for item in run.items] == ["q"]
    [log] = logs_of(run.directory)
    [left] = log["left_out"]
    assert left["reason"].startswith("its item is left out: ")
    assert ("option" in left["reason"], left["samples"]) == (True, 1)


def test_the_column_that_names_the_given_items_is_found(tmp_path: Path) -> None:
    item = {"question": ASKED, "options": OPTIONS, "answer": "B"}
    items = load_items([{**item, "id": name} for name in ("q", "r")])
    answers = [{"question_id": 7 + n, "item_key": name, "response": "(B)"}
               for n, name in enumerate("qr")]  # fmt: skip
    [log] = tables([written(tmp_path, "m.jsonl", answers)], items)
    assert [s.id for s in log.samples()] == ["q", "r"]


def asked_again(folder: Path) -> Path:
    """Answers to ten questions; in two of them a call failed before, once and twice."""
    failed = {"model_output": "", "parsed": None}
    table = []
    for n, row in enumerate(rows(replies=["The answer is (B)."] * 10)):
        table += [{**row, **failed}] * {3: 1, 5: 2}.get(n, 0)
        table.append({**row, "parsed": "B"})
    return written(folder, "m.jsonl", table)


@pytest.mark.parametrize("unread", [None, "random"])
def test_a_failed_call_that_was_asked_again_is_no_answer(unread: Any, tmp_path: Path) -> None:
    """One score and one n in import, in the measures and in the record; nothing was guessed."""
    run = hs.load_log(asked_again(tmp_path), out=tmp_path / "run", unread=unread)
    [score], [log] = log_scores(run.results), logs_of(run.directory)
    [model] = record_of([(run, "m.html")]).models
    assert [row["samples"] for row in log["left_out"]] == [3]
    assert {score.own, score.from_samples, score.if_right or score.own, model.published} == {0.4}
    assert {score.answers, score.graded, score.both, model.graded, run.estimate("accuracy").n} == {
        10
    }
    assert (score.guesses, score.worth, score.lost, model.unfound) == (0, 0.0, {}, 0)


def test_draws_of_every_question_all_count(tmp_path: Path) -> None:
    """Where each question has several rows, an empty reply is one of the draws."""
    drawn = [*rows(replies=["B", "B"]), *rows(replies=["B", ""])]
    made = [{**row, "parsed": row["model_output"] or None} for row in drawn]
    assert len(samples(written(tmp_path, "m.jsonl", made))) == 4


def test_scores_of_items_asked_unequally_often_agree_and_credit_raises_them(tmp_path: Path) -> None:
    first, second = rows(replies=["The answer is (B).", "The answer is (C)."])
    graded = [{**first, "score": 1}] * 3 + [{**second, "score": 0}]
    run = hs.load_log(written(tmp_path, "m.jsonl", graded), out=tmp_path / "run")
    [score] = log_scores(run.results)
    [model] = record_of([(run, "m.html")]).models
    assert (score.own, model.published, score.if_right, score.worth) == (0.5, 0.5, 1.0, 0.0)


def test_import_and_record_say_the_same_of_unread_replies(tmp_path: Path) -> None:
    """A draw from two options is right for neither of them."""
    row = {"question": ASKED, "A": "a spoon", "B": "a kettle", "answer": "B"}
    replies = ["The answer is (B).", "The answer is (A).", "The answer might", "It is A or B"]
    made = [{**row, "question": f"{n}?", "output": reply, "parsed": "B" if n == 0 else None}
            for n, reply in enumerate(replies)]  # fmt: skip
    run = hs.load_log(written(tmp_path, "m.jsonl", made), out=tmp_path / "run", unread="random")
    [score] = log_scores(run.results)
    [model] = record_of([(run, "m.html")]).models
    assert score.said_as_graded == model.said
    assert (score.right, score.worth) == (1, 1.5)
    assert (score.differ - sum(score.only_log.values()), 0) == (model.gained, model.spurned)


def test_models_named_like_files_of_a_study(tmp_path: Path) -> None:
    row = {"question": ASKED, "options": OPTIONS, "answer": "B", "response": "B"}
    path = written(
        tmp_path, "t.jsonl", [{**row, "model": m} for m in ("study.toml", "Items.jsonl", "m")]
    )
    call("import", path, "--out", tmp_path / "out", code=0)
    runs = {found.parent.name for found in (tmp_path / "out").glob("*/run.toml")}
    assert runs == {"study.toml-2", "Items.jsonl-2", "m"}
    cited = call("cite", tmp_path / "out").stderr
    assert "merge" not in cited, "these are no shards"


@pytest.mark.thorough
def test_a_folder_of_models_is_a_study_that_other_commands_take(tmp_path: Path) -> None:
    replies = {"good": "(B)", "bad": "(A)", "odd": "(C)"}
    for model, reply in replies.items():
        table = rows(model, [reply] * 60)
        if model == "odd":  # shown in another order: A is now what B was, and C what A was
            turned = [{**row, "A": row["B"], "B": row["C"], "C": row["A"]} for row in table]
            golds = {"B": "A", "C": "B", "A": "C"}
            table = [{**row, "correct_answer": golds[row["correct_answer"]]} for row in turned]
        written(tmp_path / "in", f"{model}.csv", table)
    study = tmp_path / "study"
    made = call("import", tmp_path / "in", "--out", study, code=0)
    assert made.stdout.count("has what the replies say") == 3
    compared = call("compare", study, "--out", tmp_path / "c.html", code=0)
    assert "On 60 items that all runs share" in compared.stdout
    items = hs.load_items(study / "items.jsonl")
    chosen = load_choices([study], items)
    assert {model: len(given) for model, given in chosen.items()} == dict.fromkeys(replies, 60)
    shown = {
        model: {items.items[0].options[at] for at in given["q0"]} for model, given in chosen.items()
    }
    assert shown == {"good": {"a kettle"}, "bad": {"a spoon"}, "odd": {"a spoon"}}
    rights = {found.model: found.right for found in load_answers(study, items)}
    assert {
        model: sum(filter(None, right.values())) for model, right in rights.items()
    } == dict.fromkeys(replies, 20)


def test_hostile_tables_do_no_harm(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "deep.json").write_text(deep)
    with pytest.raises(ItemsError, match="broken JSON"):
        tables([tmp_path / "deep.json"])
    (tmp_path / "twice.csv").write_text("question,A,B,answer,response,response\nq?,x,y,A,A,B\n")
    with pytest.raises(ItemsError, match="names a column twice: 'response'"):
        tables([tmp_path / "twice.csv"])
    (tmp_path / "none.csv").write_text("question,A,B,answer\nq?,x,y,A\n")
    with pytest.raises(UsageError, match="nor a table with replies"):
        hs.load_log(tmp_path / "none.csv", out=tmp_path / "none")
    with pytest.raises(UsageError, match="'reply' is no field"):
        tables([tmp_path / "twice.csv"], given={"reply": "x"})
    evil = "=HYPERLINK(1)\x00<script>alert(1)</script>" + "x" * 300_000
    made = [{**row, "model_output": f"{evil} The answer is (B)."} for row in rows()]
    run = hs.load_log(written(tmp_path, "evil.jsonl", made), out=tmp_path / "run")
    assert run.estimate("accuracy").n_missing == 0
    assert "<script>alert" not in run.report().read_text(encoding="utf-8")

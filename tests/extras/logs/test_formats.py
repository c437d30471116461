"""Logs of other programs as samples: real files of each format, and small made ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from damaging import forbidden
from each import each
from horsesense.errors import ItemsError, UsageError
from horsesense.items.item import Item, ItemSet
from horsesense.models.messages import Failure, Usage
from horsesense_extras.logs import streams
from horsesense_extras.logs.known_items import KnownItems
from horsesense_extras.logs.log_score import log_scores
from horsesense_extras.logs.options import index_of, lettered, shown_order
from horsesense_extras.logs.registry import is_log, open_logs
from horsesense_extras.logs.sample import Sample
from horsesense_extras.logs.tables import tables


def samples(*paths: Path) -> list[Sample]:
    return [sample for log in open_logs(paths) for sample in log.samples()]


# -- Inspect -------------------------------------------------------------------------------------


def test_a_shuffled_log_says_what_was_written_and_not_what_it_shows(logs: Path) -> None:
    truth = json.loads((logs / "inspect/mmlu_shuffled_mock.truth.json").read_text())["rows"]
    found = {(s.id, s.epoch): s for s in samples(logs / "inspect/mmlu_shuffled_mock.eval")}
    assert len(found) == len(truth) == 120
    misreported = 0
    for row in truth:
        sample = found[row["id"], row["epoch"]]
        assert sample.came.text == f"ANSWER: {row['letter']}"
        place = sample.labels.index(row["letter"])
        assert sample.options[sample.order[place]] == row["chosen"]
        assert (sample.order[place] == sample.gold) == row["correct"]
        [scores] = sample.came.token_logprobs
        assert max(scores, key=scores.__getitem__) == row["letter"]
        [(_, prompt)] = sample.prompt
        assert f"{row['letter']}) {row['chosen']}" in prompt
        misreported += row["log_completion"] != sample.came.text
    assert misreported > 60


def test_messages_that_are_pooled_and_attached_are_put_back(logs: Path) -> None:
    [sample] = samples(logs / "inspect/mmlu-summary-choices.eval")
    [(role, text)] = sample.prompt
    assert role == "user"
    assert "A) 6.0 e\nB) 6.8 eV" in text
    assert sample.question.startswith("Positronium is an atom")
    came = sample.came
    assert (sample.gold, came.text, came.usage) == (0, "ANSWER: C", Usage(153, 3, 0))


def inspect_sample(**changes: Any) -> dict[str, Any]:
    """A sample of a made log, asked in the order of its choices."""
    row: dict[str, Any] = {
        "id": "q1",
        "epoch": 1,
        "input": "Which is red?",
        "choices": ["blood", "grass"],
        "target": "A",
        "messages": [{"role": "user", "content": "Which is red?\n\nA) blood\nB) grass"}],
        "output": {"choices": [{"message": {"id": "m", "content": "ANSWER: A"}}]},
        "scores": {"choice": {"value": "C", "answer": "A"}},
    }
    return {**row, **changes}


HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "made", "model": "made/m"},
    "results": {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 1.0}}}]},
}


def inspect_json(path: Path, rows: list[dict[str, Any]], **header: Any) -> Path:
    path.write_text(json.dumps({**HEADER, **header, "samples": rows}))
    return path


def inspect_eval(path: Path, rows: list[Any], *, crashed: bool = False) -> Path:
    method = streams.zipfile.ZIP_DEFLATED
    with streams.zipfile.ZipFile(path, "w", compression=method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": HEADER["eval"]}))
        for number, row in enumerate(rows):
            name = f"samples/{number}_epoch_1.json"
            archive.writestr(name, row if isinstance(row, str | bytes) else json.dumps(row))
        if not crashed:
            archive.writestr("header.json", json.dumps(HEADER))
    return path


def test_targets_are_letters_lists_or_texts(tmp_path: Path) -> None:
    targets = ["B", ["B"], "grass", ["A", "B"], "C", None]
    rows = [inspect_sample(id=str(n), target=target) for n, target in enumerate(targets)]
    [log] = open_logs([inspect_json(tmp_path / "log.json", rows)])
    assert [sample.gold for sample in log.samples()] == [1, 1, 1, None, None]
    assert log.left_out.counts == {"several options are right": 1}


def test_a_sample_that_reached_its_limit_without_a_reply_failed(tmp_path: Path) -> None:
    limit = {"type": "time", "limit": 60}
    rows = [inspect_sample(id="none", output={}, limit=limit), inspect_sample(limit=limit)]
    rows.append(inspect_sample(output={**rows[1]["output"], "error": "down"}))
    stopped, answered, failed = samples(inspect_json(tmp_path / "log.json", rows))
    assert answered.came.text
    seen = [stopped.came.message, failed.came.message]
    assert seen == ["the sample reached its limit (time)", "error: down"]


def test_options_that_a_task_writes_into_its_prompt_itself(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "Think.\n\nWhich is red?\n(A) blood\n(B) grass"}]
    rows = [
        inspect_sample(choices=None, input=asked, messages=asked),
        inspect_sample(id="t", choices=[], target="grass", messages=asked),
        inspect_sample(id="n", choices=None, target="42", messages=asked),
    ]
    [log] = open_logs([inspect_json(tmp_path / "log.json", rows)])
    by_label, by_text = log.samples()
    assert (by_label.options, by_label.gold, by_text.gold) == (("blood", "grass"), 0, 1)
    assert (by_label.question, by_label.labels) == ("Which is red?", ("A", "B"))
    assert log.left_out.counts == {"not multiple choice: the sample has no options": 1}


# -- lm-eval -------------------------------------------------------------------------------------


def test_a_row_for_each_filter_is_one_answer(logs: Path) -> None:
    found = samples(logs / "lm_eval/samples_mmlu_gen_smollm2.jsonl")
    assert len(found) == len({s.id for s in found}) == 60
    assert all(set(s.scores) == {"exact_match,strict", "exact_match,flexible"} for s in found)
    invalid = [s for s in found if s.scores["exact_match,strict"].answer == "[invalid]"]
    assert invalid
    assert all(s.came.text != "[invalid]" for s in found)
    assert found[0].settings == {"max_tokens": 12, "temperature": 0.0}


def lm_eval_row(**changes: Any) -> dict[str, Any]:
    context = "Which is red?\nA. blood\nB. grass\nAnswer:"
    row: dict[str, Any] = {
        "doc_id": 0,
        "doc": {"question": "Which is red?", "choices": ["blood", "grass"], "answer": 0},
        "target": "0",
        "arguments": {f"gen_args_{n}": {"arg_0": context, "arg_1": f" {x}"}
                      for n, x in enumerate("AB")},
        "resps": [[["-0.5", "True"]], [["-1.5", "False"]]],
        "filtered_resps": [["-0.5", "True"], ["-1.5", "False"]],
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1.0,
    }  # fmt: skip
    return {**row, **changes}


def jsonl(path: Path, rows: list[Any]) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def texts(*options: str, context: str = "Which is red?\nAnswer:") -> dict[str, Any]:
    """A row in which the options themselves were scored."""
    logs = [[-1.0 - n, n == 0] for n in range(len(options))]
    return {
        "arguments": [[context, f" {option}"] for option in options],
        "resps": [[each] for each in logs],
        "filtered_resps": logs,
        "doc": {"question": "Which is red?", "choices": list(options)},
    }


def test_scored_letters_and_scored_texts(tmp_path: Path) -> None:
    rows = [
        lm_eval_row(),
        lm_eval_row(doc_id=1, **texts("blood", "grass")),
        # A target that is a number and also a text: the recorded accuracy tells which is meant.
        lm_eval_row(doc_id=2, **texts("1", "0"), target="0", acc=1.0),
        lm_eval_row(doc_id=3, **texts("1", "0"), target="1", acc=1.0),
        lm_eval_row(doc_id=4, target="[0, 1]"),
        lm_eval_row(doc_id=5, doc={"question": "?"}, arguments=[["Say:", " A"], ["Say:", " B"]]),
    ]
    path = jsonl(tmp_path / "samples_t.jsonl", rows)
    [log] = open_logs([path])
    letters, plain, first, second = log.samples()
    assert letters.came.token_logprobs == ({"A": -0.5, "B": -1.5},)
    assert (letters.options, letters.labels) == (("blood", "grass"), ("A", "B"))
    assert plain.came.continuations == {" blood": (-1.0, 0), " grass": (-2.0, 0)}
    assert (plain.labels, plain.came.scores_alone, plain.gold) == ((), True, 0)
    assert (first.gold, second.gold) == (0, 0)
    assert set(log.left_out.counts) == {
        "several options are right",
        "letters were scored, and the options behind them are not to be found",
    }
    run = hs.load_log(path, out=tmp_path / "run")
    run.read("text")  # no reply is recorded, which is no empty one
    assert "text" not in set(run.readings["reader"])


def test_options_are_found_in_documents_of_many_kinds(tmp_path: Path) -> None:
    docs: list[dict[str, Any]] = [
        {"choices": {"text": ["blood", "grass"], "label": ["A", "B"]}, "answerKey": "A"},
        {"question": {"stem": "?", "choices": [{"text": "blood"}, {"text": "grass"}]}},
        {"opa": "blood", "opb": "grass", "cop": 0},
        {"option1": "blood", "option2": "grass", "answer": "1"},
        {"options": {"A": "blood", "B": "grass"}, "label": "A"},
        {"unknown": 3},
    ]
    context = "Which is red?\nA. blood\nB. grass\nAnswer:"
    call = {"gen_args_0": {"arg_0": context, "arg_1": {"until": ["\n"]}}}
    rows = [
        lm_eval_row(doc_id=n, doc=doc, arguments=call, resps=[["A."]], filtered_resps=["A"],
                    target="A")
        for n, doc in enumerate(docs)
    ]  # fmt: skip
    found = samples(jsonl(tmp_path / "samples_t.jsonl", rows))
    assert len(found) == len(docs)
    assert {(s.options, s.order, s.gold, s.came.text) for s in found} == {
        (("blood", "grass"), (0, 1), 0, "A.")
    }


def test_documents_that_share_an_id_count_one_by_one(tmp_path: Path) -> None:
    """Ids may be counted within each subject; older versions write no hash of the document."""
    rows = [
        lm_eval_row(doc_id=min(n, 1), doc={"question": f"{n}?", "choices": ["blood", "grass"]},
                    filter=name, acc=float(right))
        for n in range(4)
        for name, right in (("strict", n == 0), ("flexible", n > 1))
    ]  # fmt: skip
    run = hs.load_log(jsonl(tmp_path / "samples_t.jsonl", rows), out=tmp_path / "run")
    told = {score.name: score.from_samples for score in log_scores(run.results)}
    assert told == {"acc,strict": 0.25, "acc,flexible": 0.5}


def test_repeats_are_epochs_and_a_chat_is_kept_as_messages(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Which is red?\nA. blood\nB. grass"}]
    call = [[json.dumps(chat), {"until": [], "max_gen_toks": 8}]]
    row = lm_eval_row(arguments=call, resps=[["A", "B"]], filtered_resps=["A"], target="A")
    first, second = samples(jsonl(tmp_path / "samples_t.jsonl", [row]))
    assert (first.came.text, second.came.text, second.epoch) == ("A", "B", 2)
    assert first.prompt == (("user", chat[0]["content"]),)
    assert not second.scores


def test_results_are_found_beside_the_samples(tmp_path: Path) -> None:
    jsonl(tmp_path / "samples_abc_2026-01-21T03-44-18.458309.jsonl", [lm_eval_row()])
    results = {
        "results": {"abc": {"acc,none": 1.0, "alias": "abc"}, "ab": {"acc,none": 0.1}},
        "configs": {},
        "config": {"model_args": "pretrained=org/m,dtype=auto"},
    }
    (tmp_path / "results_2026-01-21T03-44-18.458309.json").write_text(json.dumps(results))
    [log] = open_logs([tmp_path])
    assert (log.task, log.model) == ("abc", "org/m")
    assert [(r.name, r.value, r.score) for r in log.reported] == [("acc,none", 1.0, "acc,none")]


# -- HELM ----------------------------------------------------------------------------------------


def helm(folder: Path, method: str, states: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    adapter = {"method": method, "model": "org/m"}
    state = {"adapter_spec": adapter, "request_states": states}
    (folder / "scenario_state.json").write_text(json.dumps(state))
    (folder / "run_spec.json").write_text(json.dumps({"name": "r", "adapter_spec": adapter}))
    stats = [{"instance_id": "id1", "train_trial_index": 0,
              "stats": [{"name": {"name": "exact_match"}, "mean": 1.0}]}]  # fmt: skip
    (folder / "per_instance_stats.json").write_text(json.dumps(stats))
    return folder


def instance(name: str = "id1", **changes: Any) -> dict[str, Any]:
    references = [{"output": {"text": text}, "tags": tags}
                  for text, tags in (("blood", ["correct"]), ("grass", []))]  # fmt: skip
    return {"input": {"text": "Which is red?"}, "references": references, "id": name,
            "split": "test", **changes}  # fmt: skip


def test_helm_requests_for_each_option_are_left_out_and_counted(tmp_path: Path) -> None:
    states = [{"instance": instance(), "train_trial_index": 0, "reference_index": 0}]
    [log] = open_logs([helm(tmp_path / "r", "multiple_choice_separate_calibrated", states)])
    assert not list(log.samples())
    reason = "asked by the method multiple_choice_separate_calibrated, and not by"
    assert list(log.left_out.counts) == [f"{reason} multiple_choice_joint"]


# -- batches and records -------------------------------------------------------------------------


def batch(folder: Path) -> tuple[Path, Path]:
    asked = [("r1", "A) blood\nB) grass"), ("r2", "A) grass\nB) blood"), ("r3", "Speak.")]
    requests = [
        {"custom_id": name, "method": "POST", "url": "/v1/chat/completions",
         "body": {"model": "m", "temperature": 0, "max_tokens": 9,
                  "messages": [{"role": "user", "content": f"Which is red?\n{shown}"}]}}
        for name, shown in asked
    ]  # fmt: skip
    reply = {"choices": [{"message": {"content": "B"}, "finish_reason": "stop"}]}
    answers = [
        {"custom_id": "r3", "response": {"status_code": 200, "body": reply}},
        {"custom_id": "r2", "response": {"status_code": 200, "body": reply}},
        {"custom_id": "r1", "response": {"status_code": 500, "body": {"error": {"message": "no"}}}},
        {"custom_id": "r9", "response": {"status_code": 200, "body": reply}},
    ]
    return jsonl(folder / "in.jsonl", requests), jsonl(folder / "out.jsonl", answers)


def test_answers_of_a_batch_are_joined_with_their_requests(tmp_path: Path) -> None:
    requests, answers = batch(tmp_path)
    [log] = open_logs([requests, answers])
    second, failed = log.samples()
    assert (second.options, second.came.text, second.model) == (("grass", "blood"), "B", "m")
    assert (failed.came.message, failed.id, failed.epoch) == ("no", "r2", 2)
    assert second.settings == {"max_tokens": 9, "temperature": 0.0}
    assert sorted(log.left_out.counts.values()) == [1, 1]
    lines = answers.read_text().splitlines(keepends=True)
    answers.write_text("".join([*lines, lines[0]]))
    assert len([*open_logs([requests, answers])[0].samples()]) == 2
    answers.write_text("".join([*lines, lines[0].replace("B", "A")]))
    with pytest.raises(UsageError, match="'r3' has two answers"):
        [*open_logs([requests, answers])[0].samples()]
    other = tmp_path / "other.jsonl"
    other.write_text(requests.read_text().replace("red", "green"))
    with pytest.raises(UsageError, match="'r1' names two requests"):
        [*open_logs([requests, answers, other])[0].samples()]
    other.unlink()
    requests.unlink()
    with pytest.raises(UsageError, match="not what was asked"):
        open_logs([answers])


DEEP = json.loads("[" * 400 + "]" * 400)
CUT = {"incomplete_details": {"reason": "max_output_tokens"}}
THOUGHT = {"type": "reasoning", "content": [{"text": "So (B)."}]}


def said(**more: Any) -> dict[str, Any]:
    """What /responses puts out."""
    return {"output": [{"type": "message", "content": [{"text": "B"}], **more}], "choices": None}


@each(
    ("reply", "changes"),
    [
        *((None, {"finish_reason": r}) for r in ("oom", {"type": "abort"}, "content_filter")),
        (None, {"finish_reason": "stop", "native_finish_reason": "ERROR"}),
        (None, {"finish_reason": "stop", "error": {"message": "down"}}),
        (None, {**said(), "incomplete_details": {"reason": "content_filter"}}),
        *((None, {**said(), **CUT, "status": status}) for status in ("cancelled", "failed")),
        (None, {"message": {"content": None}}),
        (None, {"message": None, "delta": {"content": "B"}}),
        (None, said(status="incomplete")),
        (None, said(error={"code": 1})),
        (None, {"choices": None, "status": "completed", "output": []}),
        (None, {"choices": {"0": {"message": {"content": ["B"]}}}}),
        (None, {"message": {"content": [DEEP], "more": DEEP}}),
        *((None, {"request_id": "r", "status_code": status}) for status in ("error", 0, 199)),
        (None, {"request_id": "r", "error": "down"}),
        ("No.", said(content=[{"type": "refusal", "refusal": "No."}])),
        ("B", {"choices": [], "output": [], "output_text": "B"}),
        ("B", {**said(status="incomplete"), **CUT, "status": "incomplete"}),
        ("B", {"message": {"content": [{"thought": True, "text": "A"}, {"text": "B"}]}}),
        ("B", {"finish_reason": "stop "}),
        ("", {"choices": None, "output": [THOUGHT], **CUT}),
    ],
)
def test_what_an_answer_of_a_batch_says(tmp_path: Path, reply: str | None, changes: Any) -> None:
    """A failed call, or what a call of ours would have kept."""
    requests, answers = batch(tmp_path)
    rows = [json.loads(line) for line in answers.read_text().splitlines()]
    body = (line := rows[1]["response"])["body"]
    body["usage"] = {"input_tokens": 7}
    inner = body if "choices" in changes else body["choices"][0]
    (line if "request_id" in changes else inner).update(changes)
    found, other = open_logs([requests, jsonl(answers, rows)])[0].samples()
    came = found.came
    assert (getattr(came, "text", None), type(other.came)) == (reply, Failure)
    assert reply is None or came.usage.prompt_tokens == 7
    assert reply != "" or (came.reasoning, came.finish_reason) == ("So (B).", "length")


# -- hostile files -------------------------------------------------------------------------------


def test_a_truncated_archive_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = inspect_eval(tmp_path / "log.eval", [inspect_sample()] * 20)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ItemsError, match="damaged or cut off"):
        open_logs([path])


def test_a_log_of_a_crashed_run_gives_what_was_finished(tmp_path: Path) -> None:
    [log] = open_logs([inspect_eval(tmp_path / "log.eval", [inspect_sample()], crashed=True)])
    assert len(list(log.samples())) == 1
    assert (log.state, log.task, log.model) == ("started", "made", "made/m")
    assert "did not end well" in log.notes[0]


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    zeros = b'{"input": "' + b"0" * (streams.FREE_GROWTH + 100)
    inspect_eval(path, [zeros])
    with pytest.raises(ItemsError, match="are allowed"):
        open_logs([path])


def test_wrong_json_in_line_7_is_left_out_and_counted(tmp_path: Path) -> None:
    rows: list[Any] = [lm_eval_row(doc_id=n) for n in range(10)]
    rows[6] = '{"doc_id": 6, "doc": {'
    [log] = open_logs([jsonl(tmp_path / "samples_t.jsonl", rows)])
    assert len(list(log.samples())) == 9
    assert log.left_out.examples[streams.UNREADABLE][0].startswith("line 7: broken JSON")


def test_broken_documents_are_errors_with_their_place(tmp_path: Path) -> None:
    path = inspect_json(tmp_path / "log.json", [inspect_sample()] * 3)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(ItemsError, match="cut off"):
        samples(path)
    deep = HEADER | {"samples": "@"}
    path.write_text(json.dumps(deep).replace('"@"', "[" * 100_000))
    with pytest.raises(ItemsError, match="cut off"):
        samples(path)
    inspect_eval(tmp_path / "log.eval", ["[1, 2"])
    with pytest.raises(ItemsError, match=r"samples/0_epoch_1\.json"):
        samples(tmp_path / "log.eval")


def test_values_of_a_wrong_kind_are_taken_for_nothing(tmp_path: Path) -> None:
    odd: list[Any] = [None, 3, "x", [], {}, [None], {"a": []}, True, 1e400]
    fields = ("messages", "output", "scores", "events", "attachments", "target", "epoch", "input",
              "metadata", "error", "choices", "id", "message_pool", "transcript")  # fmt: skip
    rows = [inspect_sample(**{name: value}) for name in fields for value in odd]
    lines = [{**lm_eval_row(), name: value} for name in lm_eval_row() for value in odd]
    inspect_json(tmp_path / "log.json", rows)
    jsonl(tmp_path / "samples_t.jsonl", [lm_eval_row(), *lines])
    for name in ("log.json", "samples_t.jsonl"):
        [log] = open_logs([tmp_path / name])
        found = list(log.samples())
        assert found
        assert all(isinstance(s.question, str) and isinstance(s.id, str) for s in found)


def test_what_is_no_log_is_told(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "items.jsonl", [{"question": "?", "options": ["a", "b"], "gold": "A"}])
    assert not is_log(path)
    assert not is_log(tmp_path)
    with pytest.raises(UsageError, match="not a log of a known format"):
        open_logs([path])
    with pytest.raises(UsageError, match="no file or folder"):
        open_logs([tmp_path / "gone.eval"])
    with forbidden(path), pytest.raises(UsageError, match=r"items.jsonl cannot be read"):
        is_log(tmp_path)
    (folder := tmp_path / "closed").mkdir()
    with forbidden(folder), pytest.raises(UsageError, match="closed cannot be read"):
        tables([tmp_path])


# -- what an attack on the formats found ---------------------------------------------------------


def generated(**changes: Any) -> dict[str, Any]:
    """A row of a task whose reply was generated; B is right."""
    context = "Which is green?\nA. blood\nB. grass\nC. sky\nAnswer:"
    row = {
        "doc": {
            "question": "Which is green?", "choices": ["blood", "grass", "sky"], "answer": 1
        },
        "target": "B",
        "arguments": [[context, {}]],
        "resps": [["B"]],
        "filtered_resps": ["B"],
    }  # fmt: skip
    return lm_eval_row(**{**row, **changes})


@pytest.mark.parametrize("first", ["no JSON", '{"doc_id": 0, "doc": {', "{}"])
def test_the_format_is_told_by_the_first_sound_row(tmp_path: Path, first: str) -> None:
    [log] = open_logs([jsonl(tmp_path / "samples_t.jsonl", [first, lm_eval_row(doc_id=1)])])
    assert [sample.id for sample in log.samples()] == ["1"]
    assert log.left_out.total == 1


@pytest.mark.parametrize(
    ("ending", "pack"), [(".gz", gzip.compress), (".zst", streams.zstd.compress)]
)
def test_packed_samples_are_recognised(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    plain = jsonl(tmp_path / "samples_t.jsonl", [lm_eval_row()])
    packed = tmp_path / "packed" / f"samples_t.jsonl{ending}"
    packed.parent.mkdir()
    packed.write_bytes(pack(plain.read_bytes()))
    [log] = open_logs([packed])
    assert (log.task, len(list(log.samples()))) == ("t", 1)
    packed.write_bytes(b"not packed")
    with pytest.raises(UsageError, match="not a log of a known format"):
        open_logs([packed])


# -- options and items ---------------------------------------------------------------------------


@each(
    ("prompt", "labels", "options"),
    [
        ("Q?\n(A) x y\n(B) z\nAnswer:", ("A", "B"), ("x y", "z")),
        ("Q: 1\nA. a\nB. b\nAnswer: A\n\nQ: 2\nA. c\nB. d\nAnswer:", ("A", "B"), ("c", "d")),
        ("Q?\n**A.** x\n**B.** y", ("A", "B"), ("x", "y")),
        ("Q?\n1) x\n2) y\n3) z", ("1", "2", "3"), ("x", "y", "z")),
        ("Q?\n- A: x\n- B: y", ("A", "B"), ("x", "y")),
    ],
)
def test_labelled_options_are_found(
    prompt: str, labels: tuple[str, ...], options: tuple[str, ...]
) -> None:
    found = lettered(prompt)
    assert (found.labels, found.options) == (labels, options)


def test_no_options_are_made_up() -> None:
    assert lettered("A story. B movies are bad.\nA. Only one.") is None
    assert shown_order("A) x\nB) y", ["x", "z"]) == ((), ())
    assert shown_order("A) x\nB) x", ["x", "x"]) == ((), ())
    assert shown_order("A) two\nlines\nB) y", ["two\nlines", "y"]) == ((0, 1), ("A", "B"))
    assert index_of("x", ["x", "x"], "AB") is None


def sample(name: str, *options: str, question: str = "Q?") -> Sample:
    return Sample(name, question, options, tuple(range(len(options))))


def test_of_known_questions_inside_a_prompt_the_longest_is_asked() -> None:
    short, long = "It is red.", "Nobody thinks: It is red."
    items = tuple(Item(q[:2], q, ("yes", "no"), 0) for q in (short, long))
    asked = replace(sample("r", "yes", "no"), question=f"True? {long}")
    found = KnownItems(ItemSet("s", "choice", items)).of(0, asked)
    assert found.item.question == long
    texts = tuple(replace(items[0], id=text, context=text) for text in ("One.", "Two."))
    asked = replace(asked, question=short, context=f"Say what is true. {long} No.\n\nTwo.")
    found = KnownItems(ItemSet("s", "choice", (*texts, items[1]))).of(0, asked)
    assert found.item.id == "Two."


def test_one_content_is_one_item_and_two_names_in_one_log_are_two() -> None:
    known = KnownItems(None)
    first = known.of(0, sample("a", "x", "y"))
    assert first is not None
    assert known.of(0, sample("a", "y", "x")) is first
    twin = known.of(0, sample("b", "x", "y"))
    assert twin is not first
    assert known.of(1, sample("other", "y", "x")) is first
    renamed = known.of(0, sample("a", "x", "z"))
    assert renamed.item.id != "a"

"""Logs of other programs as samples: real files of each format, and small made ones."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import ItemsError, UsageError
from horsesense_extras.logs import streams
from horsesense_extras.logs.known_items import KnownItems
from horsesense_extras.logs.options import in_own_order, index_of, lettered, shown_order
from horsesense_extras.logs.registry import is_log, open_logs
from horsesense_extras.logs.sample import Sample


@pytest.fixture(scope="session")
def logs(shared: Path) -> Path:
    """Real logs of other programs; tests that need them skip where they are absent."""
    if not (shared / "logs").is_dir():
        pytest.skip(f"needs the shared logs (HORSESENSE_SHARED, looked in {shared / 'logs'})")
    return shared / "logs"


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
        assert sample.reply == f"ANSWER: {row['letter']}"
        place = sample.labels.index(row["letter"])
        assert sample.options[sample.order[place]] == row["chosen"]
        assert (sample.order[place] == sample.gold) == row["correct"]
        assert max(sample.logprobs[0], key=sample.logprobs[0].__getitem__) == row["letter"]
        [(_, prompt)] = sample.prompt
        assert f"{row['letter']}) {row['chosen']}" in prompt
        misreported += row["log_completion"] != sample.reply
    assert misreported > 60


def test_messages_that_are_pooled_and_attached_are_put_back(logs: Path) -> None:
    [sample] = samples(logs / "inspect/mmlu-summary-choices.eval")
    [(role, text)] = sample.prompt
    assert role == "user"
    assert "A) 6.0 e\nB) 6.8 eV" in text
    assert sample.question.startswith("Positronium is an atom")
    assert (sample.gold, sample.reply, sample.usage) == (0, "ANSWER: C", (153, 3))


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


def test_pooled_messages_of_both_forms(tmp_path: Path) -> None:
    pool = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "attachment://k"},
    ]
    event = {
        "event": "model", "model": "made/m", "input": [], "input_refs": [[0, 2]],
        "output": {"choices": [{"message": {"content": "B"}, "stop_reason": "max_tokens"}]},
    }  # fmt: skip
    shared = {
        "events": [event, {"event": "score"}, {**event, "input_refs": [[0, 1]]}],
        "attachments": {"k": "Which is red?\n1. grass\n2. blood"},
    }
    rows = [
        inspect_sample(id="new", events_data={"messages": pool}, **shared),
        inspect_sample(id="old", message_pool=pool, **shared),
    ]
    for sample in samples(inspect_json(tmp_path / "log.json", rows)):
        assert sample.prompt == (
            ("system", "Be brief."), ("user", "Which is red?\n1. grass\n2. blood")
        )  # fmt: skip
        assert (sample.order, sample.labels) == ((1, 0), ("1", "2"))
        assert (sample.reply, sample.finish_reason) == ("B", "length")


def test_a_shuffled_sample_without_events_is_read_from_its_explanation(tmp_path: Path) -> None:
    told = (
        "Choices were shuffled before generating a response, the following was sent to the model:"
        "\n\nA) grass\nB) blood\nShuffled answer:\nANSWER: B"
    )
    score = {"choice": {"value": "C", "answer": "A", "explanation": told}}
    [sample] = samples(inspect_json(tmp_path / "a.json", [inspect_sample(scores=score)]))
    assert (sample.order, sample.reply, sample.prompt) == ((1, 0), "ANSWER: B", None)
    score["choice"]["explanation"] = told.replace("grass", "g...")
    [log] = open_logs([inspect_json(tmp_path / "b.json", [inspect_sample(scores=score)])])
    assert not list(log.samples())
    assert "order that was shown" in next(iter(log.left_out.counts))


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


def test_a_reply_stays_where_its_scorer_failed(tmp_path: Path) -> None:
    rows = [inspect_sample(error={"message": "the scorer fell over"}, scores=None)]
    [sample] = samples(inspect_json(tmp_path / "log.json", rows))
    assert (sample.reply, sample.error, dict(sample.scores)) == ("ANSWER: A", None, {})


def test_the_first_version_of_the_format_errors_and_reasoning(tmp_path: Path) -> None:
    content = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "A"}]
    rows = [
        inspect_sample(scores=None, score={"value": "I", "answer": "B"}),
        inspect_sample(id="e", error={"message": "timed out"}, output={"choices": []}, scores={}),
        inspect_sample(id="r", output={"choices": [{"message": {"content": content}}]}),
    ]
    results = {"scorer": {"name": "match"}, "metrics": {"accuracy": {"value": 0.5}}}
    path = inspect_json(tmp_path / "log.json", rows, version=1, results=results)
    old, failed, thought = samples(path)
    assert (old.scores["score"].value, old.scores["score"].answer) == (0.0, "B")
    assert (failed.error, failed.reply) == ("timed out", None)
    assert (thought.reply, thought.reasoning) == ("A", "Hm.")
    assert open_logs([path])[0].reported[0].value == 0.5


# -- lm-eval -------------------------------------------------------------------------------------


def test_a_row_for_each_filter_is_one_answer(logs: Path) -> None:
    found = samples(logs / "lm_eval/samples_mmlu_gen_smollm2.jsonl")
    assert len(found) == len({s.id for s in found}) == 60
    assert all(set(s.scores) == {"exact_match,strict", "exact_match,flexible"} for s in found)
    invalid = [s for s in found if s.scores["exact_match,strict"].answer == "[invalid]"]
    assert invalid
    assert all(s.reply != "[invalid]" for s in found)
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
    [log] = open_logs([jsonl(tmp_path / "samples_t.jsonl", rows)])
    letters, plain, first, second = log.samples()
    assert dict(letters.label_scores) == {"A": -0.5, "B": -1.5}
    assert (letters.options, letters.labels) == (("blood", "grass"), ("A", "B"))
    assert dict(plain.text_scores) == {" blood": -1.0, " grass": -2.0}
    assert (plain.labels, plain.reply, plain.gold) == ((), None, 0)
    assert (first.gold, second.gold) == (0, 0)
    assert set(log.left_out.counts) == {
        "several options are right",
        "letters were scored, and the options behind them are not to be found",
    }


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
    assert {(s.options, s.order, s.gold, s.reply) for s in found} == {
        (("blood", "grass"), (0, 1), 0, "A.")
    }


def test_documents_without_an_id_and_with_numbers_for_options(tmp_path: Path) -> None:
    context = "What is {n} + 2?\nA. {n}\nB. {m}\nAnswer:"
    shown = [
        lm_eval_row(
            doc_id=None, doc={"id": None, "question": f"What is {n} + 2?", "choices": [n, n + 2]},
            arguments=[[context.format(n=n, m=n + 2), {"until": []}]], resps=[["B"]],
            filtered_resps=["B"], target="B",
        )
        for n in range(3)
    ]  # fmt: skip
    scored = [
        lm_eval_row(
            doc_id=None, doc={"question": f"What is {n} + 1?", "choices": [n, n + 1]}, target=1,
            arguments=[["Say:", f" {n}"], ["Say:", f" {n + 1}"]], acc=0.0,
        )
        for n in range(3)
    ]  # fmt: skip
    for rows, step in ((shown, 2), (scored, 1)):
        found = samples(jsonl(tmp_path / "samples_t.jsonl", rows))
        assert [s.id for s in found] == ["line 1", "line 2", "line 3"]
        assert [s.options for s in found] == [(str(n), str(n + step)) for n in range(3)]
        assert [s.gold for s in found] == [1, 1, 1]


def test_repeats_are_epochs_and_a_chat_is_kept_as_messages(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Which is red?\nA. blood\nB. grass"}]
    call = [[json.dumps(chat), {"until": [], "max_gen_toks": 8}]]
    row = lm_eval_row(arguments=call, resps=[["A", "B"]], filtered_resps=["A"], target="A")
    first, second = samples(jsonl(tmp_path / "samples_t.jsonl", [row]))
    assert (first.reply, second.reply, second.epoch) == ("A", "B", 2)
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


def completion(*tokens: tuple[str, float]) -> dict[str, Any]:
    return {"success": True, "completions": [
        {"text": tokens[-1][0], "tokens": [{"text": t, "logprob": p} for t, p in tokens]}
    ]}  # fmt: skip


def test_helm_requests_per_reference_are_one_sample(tmp_path: Path) -> None:
    scores = {("blood", "original"): -1.0, ("blood", "calibration"): -9.0,
              ("grass", "original"): -2.5, ("grass", "calibration"): -0.1}  # fmt: skip
    states = [
        {"instance": instance(), "train_trial_index": 0, "request_mode": mode,
         "reference_index": ["blood", "grass"].index(text), "request": {"prompt": f"? {text}"},
         "result": completion(("?", -7.0), (f" {text[:2]}", value / 2), (text[2:], value / 2))}
        for (text, mode), value in scores.items()
    ]  # fmt: skip
    [sample] = samples(helm(tmp_path / "r", "multiple_choice_separate_calibrated", states))
    assert dict(sample.text_scores) == {" blood": -1.0, " grass": -2.5}
    assert (sample.gold, sample.prompt, sample.labels) == (0, None, ())
    assert sample.scores["exact_match"].value == 1.0


def test_helm_failed_results_and_perturbed_instances(tmp_path: Path) -> None:
    mapping = {"A": "grass", "B": "blood"}
    asked = {"output_mapping": mapping, "request": {"prompt": "..."}, "train_trial_index": 0}
    robust = {"name": "typos", "robustness": True}
    states = [
        {"instance": instance(), "result": completion((" B", -0.1)), **asked},
        {"instance": instance("id2"), "result": {"success": False, "error": "down"}, **asked},
        {"instance": instance(perturbation=robust), "result": completion((" A", -0.1)), **asked},
    ]
    [log] = open_logs([helm(tmp_path / "r", "multiple_choice_joint", states)])
    answered, failed = log.samples()
    assert (answered.order, answered.reply, answered.gold) == ((1, 0), " B", 0)
    assert (failed.error, failed.reply) == ("down", None)
    assert log.left_out.counts == {"an instance that HELM perturbed (typos)": 1}


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
    assert (second.options, second.reply, second.model) == (("grass", "blood"), "B", "m")
    assert (failed.error, failed.id, failed.epoch) == ("no", "r2", 2)
    assert second.settings == {"max_tokens": 9, "temperature": 0.0}
    assert sorted(log.left_out.counts.values()) == [1, 1]
    requests.unlink()
    with pytest.raises(UsageError, match="not what was asked"):
        open_logs([answers])


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


def test_a_path_that_points_outside_is_not_followed(tmp_path: Path) -> None:
    path = inspect_eval(tmp_path / "log.eval", [inspect_sample()])
    with streams.zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/../../outside.json", json.dumps(inspect_sample(id="evil")))
    [log] = open_logs([path])
    assert [sample.id for sample in log.samples()] == ["q1"]
    assert log.left_out.counts == {"an entry that points outside of the archive": 1}
    assert not (tmp_path.parent / "outside.json").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.eval"]


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
    with pytest.raises(ItemsError, match=r"nested too deeply|cut off"):
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


# -- what an attack on the formats found ---------------------------------------------------------


def test_an_id_may_hold_a_slash_and_no_entry_is_dropped_in_silence(tmp_path: Path) -> None:
    path = inspect_eval(tmp_path / "log.eval", [inspect_sample(id="plain")])
    with streams.zipfile.ZipFile(path, "a") as archive:
        archive.writestr(
            "samples/mmlu/anat/0_epoch_1.json", json.dumps(inspect_sample(id="mmlu/anat/0"))
        )
        archive.writestr("samples/notes.txt", "?")
    [log] = open_logs([path])
    assert [sample.id for sample in log.samples()] == ["plain", "mmlu/anat/0"]
    assert log.left_out.counts == {"an entry beside the samples that is none": 1}


def test_half_a_character_becomes_the_replacement_character(tmp_path: Path) -> None:
    row = inspect_sample(id="q\ud800", input="Which \ud83d is \ud83d\ude00?")
    paths = [
        inspect_json(tmp_path / "log.json", [row]),
        inspect_eval(tmp_path / "log.eval", [row]),
    ]
    for path in paths:
        [found] = samples(path)
        assert (found.id, found.question) == ("q\ufffd", "Which \ufffd is \U0001f600?")


@pytest.mark.parametrize("huge", [10**30, 1e300])
def test_whole_numbers_beyond_64_bits_are_taken_for_nothing(tmp_path: Path, huge: float) -> None:
    usage = {"choices": [{"message": {"content": "A"}}], "usage": {"input_tokens": huge}}
    row = inspect_sample(epoch=huge, output=usage)
    plan = {"config": {"max_tokens": huge, "temperature": 0.5}}
    for path in (
        inspect_json(tmp_path / "log.json", [row], plan=plan),
        inspect_eval(tmp_path / "log.eval", [row]),
    ):
        [found] = samples(path)
        assert (found.epoch, found.usage) == (1, (None, None))
        assert found.settings in ({"temperature": 0.5}, {})


@pytest.mark.parametrize(
    "output",
    [
        {"choices": []},
        {"choices": [], "completion": ""},
        None,
        {"choices": "A"},
        {"choices": [{"message": {"content": 3}}]},
    ],
)
def test_an_answer_that_is_not_there_is_missing(tmp_path: Path, output: Any) -> None:
    event = {"event": "model", "input": [], "output": output}
    rows = [inspect_sample(output=output), inspect_sample(id="q2", events=[event])]
    found = samples(inspect_json(tmp_path / "log.json", rows))
    assert [sample.reply for sample in found] == [None, None]
    empty = {"choices": [{"message": {"content": ""}}]}
    [said] = samples(inspect_json(tmp_path / "log.json", [inspect_sample(output=empty)]))
    assert said.reply == ""


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


def test_replies_that_are_missing_in_samples_of_lm_eval(tmp_path: Path) -> None:
    rows = [generated(doc_id=n, resps=r) for n, r in enumerate([[[]], [[None]], [["B", None]]])]
    found = samples(jsonl(tmp_path / "samples_t.jsonl", rows))
    assert [(s.id, s.epoch, s.reply) for s in found] == [
        ("0", 1, None), ("1", 1, None), ("2", 1, "B"), ("2", 2, None)
    ]  # fmt: skip


def test_targets_that_are_lists(tmp_path: Path) -> None:
    scored = [texts("red", "blue", "pink") | {"doc_id": n} for n in range(4)]
    targets = [[1], "[1]", [1, 2], "['red', 'pink']"]
    rows = [lm_eval_row(**row, target=t) for row, t in zip(scored, targets, strict=True)]
    rows += [
        generated(doc_id=9, target=["B"]),
        generated(doc_id=10, target=["B", "C"]),
        generated(doc_id=11, target="['B', 'grass']"),
    ]
    [log] = open_logs([jsonl(tmp_path / "samples_t.jsonl", rows)])
    assert [(s.id, s.gold) for s in log.samples()] == [("0", 1), ("1", 1), ("9", 1), ("11", 1)]
    assert log.left_out.counts == {"several options are right": 3}
    assert log.left_out.examples["several options are right"] == ["line 3", "line 4", "line 6"]
    row = lm_eval_row(**texts("[7]", "[8]"), target="[8]")
    [own] = samples(jsonl(tmp_path / "samples_u.jsonl", [row]))
    assert own.gold == 1


def test_labels_go_on_behind_z(tmp_path: Path) -> None:
    names = [f"thing {n}" for n in range(30)]
    labels = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "1", "2", "3", "4"]
    prompt = "\n".join(f"{label}) {name}" for label, name in zip(labels, names, strict=True))
    shown = [{"role": "user", "content": f"Which?\n{prompt}"}]
    rows = [
        inspect_sample(id=str(n), choices=names, target="2", messages=messages)
        for n, messages in enumerate((shown, [{"role": "user", "content": "Which?"}]))
    ]
    for found in samples(inspect_json(tmp_path / "log.json", rows)):
        assert found.labels == tuple(labels)
        assert found.gold == 27


def test_a_score_of_minus_infinity_is_a_score(tmp_path: Path) -> None:
    row = texts("red", "blue")
    row["resps"] = [[[-math.inf, False]], [["-0.5", True]]]
    row["filtered_resps"] = [["-Infinity", False], [-0.5, True]]
    [found] = samples(jsonl(tmp_path / "samples_t.jsonl", [lm_eval_row(**row)]))
    assert list(found.text_scores.values()) == [-math.inf, -0.5]


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


@pytest.mark.parametrize(
    ("prompt", "labels"),
    [
        ("Which is green?\na) blood\nb) grass\nc) sky\n", ("a", "b", "c")),
        ("Which is green? A) blood B) grass C) sky", ("A", "B", "C")),
        ("Which is green: blood, grass or sky?", ()),
    ],
)
def test_options_in_other_forms_are_those_of_the_document(
    tmp_path: Path, prompt: str, labels: tuple[str, ...]
) -> None:
    [found] = samples(jsonl(tmp_path / "samples_t.jsonl", [generated(arguments=[[prompt, {}]])]))
    assert (found.options, found.labels, found.gold) == (("blood", "grass", "sky"), labels, 1)


def test_options_in_another_order_or_inside_of_words_are_not_taken() -> None:
    assert in_own_order("Is it red? A) blue B) red", ["red", "blue"]) is None
    assert in_own_order("Q? B) red C) blue", ["red", "blue"]) is None
    assert in_own_order("The scared are bluebells.", ["red", "blue"]) is None


def test_numbers_as_options_ids_that_are_none_and_lost_attachments(tmp_path: Path) -> None:
    rows = [
        inspect_sample(id=None, choices=[1, 2.5], target="B"),
        inspect_sample(id="lost", input="attachment://zz"),
    ]
    [log] = open_logs([inspect_json(tmp_path / "log.json", rows)])
    [found] = log.samples()
    assert (found.id, found.options, found.gold) == ("sample 1", ("1", "2.5"), 1)
    assert log.left_out.counts == {"a text of it is an attachment that the log does not hold": 1}


# -- options and items ---------------------------------------------------------------------------


@pytest.mark.parametrize(
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
    assert found is not None
    assert (found.labels, found.options) == (labels, options)


def test_no_options_are_made_up() -> None:
    assert lettered("A story. B movies are bad.\nA. Only one.") is None
    assert shown_order("A) x\nB) y", ["x", "z"]) == ((), ())
    assert shown_order("A) x\nB) x", ["x", "x"]) == ((), ())
    assert shown_order("A) two\nlines\nB) y", ["two\nlines", "y"]) == ((0, 1), ("A", "B"))
    assert index_of("x", ["x", "x"], "AB") is None


def sample(name: str, *options: str, question: str = "Q?") -> Sample:
    return Sample(name, question, options, tuple(range(len(options))))


def test_one_content_is_one_item_and_two_names_in_one_log_are_two() -> None:
    known = KnownItems(None)
    first = known.of(0, sample("a", "x", "y"))
    assert first is not None
    assert known.of(0, sample("a", "y", "x")) is first
    twin = known.of(0, sample("b", "x", "y"))
    assert twin is not first
    assert known.of(1, sample("other", "y", "x")) is first
    renamed = known.of(0, sample("a", "x", "z"))
    assert renamed is not None
    assert renamed.item.id != "a"
